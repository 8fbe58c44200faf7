//! What each threshold keeps, and what keeping it does to agreement.

use calibrant_schema::Calibration;
use calibrant_schema::artifact::Pool;
use calibrant_schema::calibration::SweepRow;

use super::axis::{Axis, ends};
use super::scene::{Direction, Figure, InText, Key, Layout, LineLabel, Look, Mark, Panel, Plot, Series};
use crate::document::Table;
use crate::number::{percent, threshold};
use crate::text::Text;

/// The figure over the sweep's table, or `None` when fewer than two thresholds were tried.
///
/// Source: METHODS 65.
pub(crate) fn sweep(calibration: &Calibration, table: Table) -> Option<Figure> {
    let rows = &calibration.sweep;
    if rows.len() < 2 {
        return None;
    }
    let mut plots = vec![kept_plot(calibration)];
    plots.extend(kappa_plot(calibration));
    let shares: Vec<(f64, f64)> = shares(calibration);
    let number = |share: f64| percent(share).unwrap_or_else(|| "–".to_owned());
    let (first, last) = (shares[0], shares[shares.len() - 1]);
    let below = match plots.len() {
        1 => " No threshold has a kappa; the table says why.",
        _ => {
            " The second drawing: the agreement on what is kept. Inside the sample it is too high at high thresholds, because \
             the same verdicts chose; only a held-out curve that rises speaks for the threshold."
        }
    };
    Some(Figure {
        name: "sweep",
        title: "What each threshold keeps".to_owned(),
        reading: Text::prose(&format!(
            "The share of {} and of labelled cells that a threshold keeps.{below}",
            noun(calibration)
        )),
        summary: Text::prose(&format!(
            "Lines against the threshold. At {} {} are kept, at {} {}.",
            threshold(first.0),
            number(first.1),
            threshold(last.0),
            number(last.1)
        )),
        layout: Layout::Wide,
        plots,
        notes: Vec::new(),
        table,
        in_text: InText::Table,
    })
}

/// What has a measurability of its own.
fn noun(calibration: &Calibration) -> &'static str {
    match calibration.pool {
        Pool::Item => "items",
        Pool::Criterion => "criteria",
    }
}

/// Share of the rows that each threshold keeps.
fn shares(calibration: &Calibration) -> Vec<(f64, f64)> {
    let all = calibration.criteria.len().max(1) as f64;
    let rows = calibration.sweep.iter();
    rows.map(|row| (row.threshold, row.kept as f64 / all)).collect()
}

fn series_marks(name: &str, look: Look, points: Vec<(f64, f64)>) -> [Mark; 2] {
    let series = Series::new(name, look);
    [
        Mark::Line {
            series: series.clone(),
            points: points.clone(),
            label: LineLabel::End(Text::prose(name)),
        },
        Mark::Points { series, points },
    ]
}

fn x_axis(calibration: &Calibration) -> Axis {
    let thresholds = calibration.sweep.iter().map(|row| row.threshold);
    let (low, high) = ends(thresholds.chain([calibration.threshold]));
    Axis::fixed("Threshold", "threshold", low, high)
}

fn rule(calibration: &Calibration) -> Mark {
    Mark::Rule {
        at: calibration.threshold,
        across: Direction::Y,
        label: Text::prose(&format!("in force, {}", threshold(calibration.threshold))),
    }
}

fn kept_plot(calibration: &Calibration) -> Plot {
    let mut marks = vec![rule(calibration)];
    marks.extend(series_marks(
        &format!("{} kept", noun(calibration)),
        Look::First,
        shares(calibration),
    ));
    let cells: Vec<(f64, f64)> = defined(&calibration.sweep, |row| row.coverage);
    if !cells.is_empty() {
        marks.extend(series_marks("cells kept", Look::Second, cells));
    }
    let panel = Panel {
        share: 1.0,
        x: x_axis(calibration),
        y: Axis::share("Share kept", "share"),
        marks,
    };
    Plot {
        title: Some(Text::prose("What is kept")),
        key: Key::None,
        ..Plot::of(panel, 180.0)
    }
}

fn kappa_plot(calibration: &Calibration) -> Option<Plot> {
    let inside = defined(&calibration.sweep, |row| row.pairwise_kappa);
    let outside = defined(&calibration.sweep, |row| row.held_out_kappa);
    if inside.is_empty() && outside.is_empty() {
        return None;
    }
    let values: Vec<f64> = inside.iter().chain(&outside).map(|(_, kappa)| *kappa).collect();
    let mut marks = vec![rule(calibration)];
    for (name, look, points) in [
        ("between judges", Look::First, inside),
        ("held out", Look::Second, outside),
    ] {
        if !points.is_empty() {
            marks.extend(series_marks(name, look, points));
        }
    }
    let panel = Panel {
        share: 1.0,
        x: x_axis(calibration),
        y: Axis::from_zero("Cohen's kappa", "kappa", values),
        marks,
    };
    Some(Plot {
        title: Some(Text::prose("Agreement on what is kept")),
        key: Key::None,
        ..Plot::of(panel, 180.0)
    })
}

fn defined(rows: &[SweepRow], value: impl Fn(&SweepRow) -> Option<f64>) -> Vec<(f64, f64)> {
    let pairs = rows.iter().filter_map(|row| Some((row.threshold, value(row)?)));
    pairs.filter(|(_, value)| value.is_finite()).collect()
}
