//! How unanimity is lost as systems are added, with the two models of that loss.

use calibrant_schema::Calibration;
use calibrant_schema::calibration::AttritionRow;

use super::axis::Axis;
use super::scene::{Figure, InText, Key, Layout, LineLabel, Look, Mark, Panel, Plot, Series};
use crate::document::Table;
use crate::number::{counted, percent};
use crate::sections::{beta_retention, geometric_retention};
use crate::text::Text;

/// More systems than this are drawn as a line alone: points would touch.
const POINTS: usize = 40;

/// The figure over the section's table, or `None` when there are fewer than two points to draw.
///
/// Source: METHODS 75-78.
pub(crate) fn attrition(calibration: &Calibration, table: Table) -> Option<Figure> {
    let rows = &calibration.attrition;
    let [first, .., last] = &rows[..] else {
        return None;
    };
    let share = |value: f64| percent(value).unwrap_or_else(|| "–".to_owned());
    let peak = calibration.attrition_fit.joint_peak.map_or_else(String::new, |peak| {
        format!(
            " Items that are unanimous and not constant are most frequent at {}.",
            counted(peak as usize, "system", "systems")
        )
    });
    Some(Figure {
        name: "attrition",
        title: "Unanimity is lost as systems are added".to_owned(),
        reading: Text::prose(
            "Points: the share of items on which the panel is unanimous for every one of m systems, over all choices of m \
             systems. Lines: one rate for all items (geometric), and rates that differ between items (Beta). The second \
             drawing: the share of items whose labels are not all alike, and the share that are both unanimous and not all \
             alike, which is what a consensus bank can hold.",
        ),
        summary: Text::prose(&format!(
            "Shares of items against the number of systems. Unanimous on all: {} with {}, {} with {}.{peak}",
            share(first.retention),
            counted(first.systems as usize, "system", "systems"),
            share(last.retention),
            counted(last.systems as usize, "system", "systems")
        )),
        layout: Layout::Wide,
        plots: vec![retention_plot(calibration), joint_plot(rows)],
        notes: Vec::new(),
        table,
        in_text: InText::Table,
    })
}

fn x_axis(rows: &[AttritionRow]) -> Axis {
    let last = rows.last().map_or(1, |row| row.systems);
    let mut axis = Axis::fixed("Systems m", "systems", 0.0, f64::from(last));
    if let super::axis::Scale::Linear(linear) = &mut axis.scale {
        linear.ticks.retain(|tick| (tick - tick.round()).abs() < 1e-6);
    }
    axis
}

fn retention_plot(calibration: &Calibration) -> Plot {
    let rows = &calibration.attrition;
    let along = |model: &dyn Fn(u32) -> f64| -> Vec<(f64, f64)> {
        let systems = rows.iter().map(|row| row.systems);
        systems.map(|m| (f64::from(m), model(m))).collect()
    };
    let observed: Vec<(f64, f64)> = rows.iter().map(|row| (f64::from(row.systems), row.retention)).collect();
    let mut marks = Vec::new();
    if let Some(fit) = &calibration.attrition_fit.geometric {
        marks.push(Mark::Line {
            series: Series::new("Geometric", Look::Second),
            points: along(&|m| geometric_retention(fit, m)),
            label: LineLabel::None,
        });
    }
    if let Some(fit) = &calibration.attrition_fit.beta {
        marks.push(Mark::Line {
            series: Series::new("Beta", Look::Fourth),
            points: along(&|m| beta_retention(fit, m)),
            label: LineLabel::None,
        });
    }
    let series = Series::new("Observed R(m)", Look::First);
    marks.push(match rows.len() > POINTS {
        true => Mark::Line {
            series,
            points: observed,
            label: LineLabel::None,
        },
        false => Mark::Points {
            series,
            points: observed,
        },
    });
    plot("Unanimous on all m systems", rows, marks)
}

fn joint_plot(rows: &[AttritionRow]) -> Plot {
    let line = |name: &str, look, value: &dyn Fn(&AttritionRow) -> f64| Mark::Line {
        series: Series::new(name, look),
        points: rows.iter().map(|row| (f64::from(row.systems), value(row))).collect(),
        label: LineLabel::None,
    };
    let marks = vec![
        line("Not all alike", Look::Third, &|row| row.distinguishability),
        line("Unanimous and not all alike", Look::First, &|row| row.joint),
    ];
    plot("What a consensus bank can hold", rows, marks)
}

fn plot(title: &str, rows: &[AttritionRow], marks: Vec<Mark>) -> Plot {
    let panel = Panel {
        share: 1.0,
        x: x_axis(rows),
        y: Axis::share("Share of items", "share"),
        marks,
    };
    Plot {
        title: Some(Text::prose(title)),
        key: Key::Above,
        ..Plot::of(panel, 190.0)
    }
}
