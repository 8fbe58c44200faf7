//! How unanimity is lost as systems are added.

use calibrant_schema::calibration::{AttritionFit, AttritionRow, BetaRow, GeometricRow};
use calibrant_schema::labels::{Agreement, Cell, CellLabel};
use calibrant_schema::undefined::parts;
use calibrant_schema::{Labels, Undefined};
use calibrant_stats::attrition::{
    AttritionPoint, ItemPanel, Moments, attrition_curve, beta_fit, geometric_fit, geometric_interval, joint_peak,
};
use calibrant_stats::judge_error::judge_error;

use super::CalibrateOptions;
use crate::reason::defined;

pub(super) fn attrition(
    judges: usize,
    labels: &Labels,
    options: &CalibrateOptions,
) -> (Vec<AttritionRow>, AttritionFit) {
    let panels: Vec<ItemPanel> = if judges < 2 {
        Vec::new()
    } else {
        item_panels(labels, judges)
    };
    let curve = attrition_curve(&panels);
    let rows = curve.iter().map(attrition_row).collect();
    let graded = if labels.scales.iter().any(|scale| scale.level_count() > 2) {
        Graded::Yes
    } else {
        Graded::No
    };
    (rows, fits(&panels, &curve, judges as u32, graded, options))
}

/// Counts over the systems whose panel is complete: every judge has a label on the item (METHODS 75).
///
/// A system with several samples counts as unanimous when the panel was on each of them and the samples are alike.
pub(crate) fn item_panels(labels: &Labels, judges: usize) -> Vec<ItemPanel> {
    (0..labels.items.len())
        .map(|item| {
            let mut panel = ItemPanel {
                systems: 0,
                unanimous_pass: 0,
                unanimous_fail: 0,
                majority_pass: 0,
            };
            for cells in labels.cells(item).chunk_by(|left, right| left.system == right.system) {
                if cells.iter().all(|cell| usize::from(cell.judges) == judges) {
                    count_system(&mut panel, cells, |level| labels.scale(item).passes(level));
                }
            }
            panel
        })
        .collect()
}

fn count_system(panel: &mut ItemPanel, cells: &[Cell], passes: impl Fn(u8) -> bool) {
    let passed = cells
        .iter()
        .filter(|cell| matches!(cell.label, CellLabel::Level(level) if passes(level)))
        .count();
    let unanimous = cells.iter().all(|cell| cell.agreement == Agreement::Unanimous);
    panel.systems += 1;
    panel.majority_pass += u32::from(2 * passed > cells.len());
    panel.unanimous_pass += u32::from(unanimous && passed == cells.len());
    panel.unanimous_fail += u32::from(unanimous && passed == 0);
}

fn attrition_row(point: &AttritionPoint) -> AttritionRow {
    AttritionRow {
        systems: point.systems,
        items: point.items,
        retention: point.retention,
        // Sums of many products round to a little below 0.
        distinguishability: point.distinguishability.max(0.0),
        joint: point.joint.max(0.0),
        rate: point.rate,
    }
}

/// Error rate of equally good judges that gives a rate of unanimity; the coin model of METHODS 73 is binary.
fn error_of(rho: f64, judges: u32, graded: Graded) -> Result<f64, Undefined> {
    match graded {
        Graded::No => defined(judge_error(rho, judges)),
        Graded::Yes => Err(Undefined::new(
            "graded_scale",
            "the model of judge errors is of binary criteria, and some are graded",
        )),
    }
}

/// Whether some criterion has more than two levels.
#[derive(Clone, Copy)]
enum Graded {
    No,
    Yes,
}

/// Whether there is a panel whose unanimity can be lost.
fn of_a_panel(judges: u32) -> Result<(), Undefined> {
    let reason = match judges {
        0 => "no judge was asked, and unanimity is of two or more",
        1 => "there is one judge, and unanimity is of two or more",
        _ => return Ok(()),
    };
    Err(Undefined::new("too_few_judges", reason))
}

fn fits(
    panels: &[ItemPanel],
    curve: &[AttritionPoint],
    judges: u32,
    graded: Graded,
    options: &CalibrateOptions,
) -> AttritionFit {
    let geometric = of_a_panel(judges)
        .and_then(|()| defined(geometric_fit(curve)))
        .map(|fit| {
            let interval = geometric_interval(panels, options.replicates, options.seed).ok();
            let (error, error_undefined) = parts(error_of(fit.rho, judges, graded));
            GeometricRow {
                rho: fit.rho,
                rho_low: interval.map(|interval| interval.low),
                rho_high: interval.map(|interval| interval.high),
                r_squared: fit.r_squared.ok(),
                rmse: fit.rmse,
                judge_error: error,
                judge_error_undefined: error_undefined,
            }
        });
    let beta = of_a_panel(judges)
        .and_then(|()| defined(beta_fit(panels, Moments::Factorial)))
        .map(|fit| BetaRow {
            a: fit.a,
            b: fit.b,
            rmse: fit.rmse,
        });
    let (geometric, geometric_undefined) = parts(geometric);
    let (beta, beta_undefined) = parts(beta);
    AttritionFit {
        joint_peak: joint_peak(curve).ok().map(|point| point.systems),
        geometric,
        geometric_undefined,
        beta,
        beta_undefined,
    }
}
