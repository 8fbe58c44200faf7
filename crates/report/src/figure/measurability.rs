//! How measurability is spread, with the threshold.

use calibrant_schema::Calibration;
use calibrant_schema::artifact::Pool;
use calibrant_schema::calibration::CriterionRow;

use super::axis::Axis;
use super::histogram::Histogram;
use super::scene::{Bar, Direction, Figure, InText, Key, Layout, Look, Mark, Panel, Plot, Series};
use crate::document::{Cell, Column, Form, Table};
use crate::number::{count, counted, threshold};
use crate::text::Text;

const WIDTH: f64 = 0.05;
const BINS: usize = 20;

/// The figure, or `None` when nothing has a measurability: no unit has two judges.
///
/// Source: `[CR26]` eq. 12; METHODS 63.
pub(crate) fn measurability(calibration: &Calibration) -> Option<Figure> {
    let of = |kept: bool| {
        let rows = calibration.criteria.iter();
        let means = rows.filter(move |row| row.kept == kept).filter_map(measured);
        Histogram::of(means, 0.0, WIDTH, BINS)
    };
    let (kept, not_kept) = (of(true), of(false));
    let (of_kept, of_not) = (kept.counts.iter().sum::<usize>(), not_kept.counts.iter().sum::<usize>());
    if of_kept + of_not == 0 {
        return None;
    }
    let noun = match calibration.pool {
        Pool::Item => ("item", "items"),
        Pool::Criterion => ("criterion", "criteria"),
    };
    let cut = threshold(calibration.threshold);
    let without = calibration.criteria.len() - of_kept - of_not;
    let mut notes = Vec::new();
    if without > 0 {
        notes.push(Text::prose(&format!(
            "{} without two judges on any unit {} not drawn.",
            counted(without, noun.0, noun.1),
            if without == 1 { "is" } else { "are" }
        )));
    }
    Some(Figure {
        name: "measurability",
        title: "How measurability is spread".to_owned(),
        reading: Text::prose(&format!(
            "A bar counts the {} whose measurability lies in its range; those at or beyond the threshold are kept.",
            noun.1
        )),
        summary: Text::prose(&format!(
            "A histogram of measurability from 0 to 1 in steps of 0.05. At the threshold {cut}, {} are kept and {} are not.",
            counted(of_kept, noun.0, noun.1),
            count(of_not)
        )),
        layout: Layout::Wide,
        plots: vec![plot(&kept, &not_kept, calibration, noun.1)],
        notes,
        table: table(&kept, &not_kept),
        in_text: InText::Sentence,
    })
}

fn measured(row: &CriterionRow) -> Option<f64> {
    row.measurability.filter(|mean| mean.is_finite())
}

fn plot(kept: &Histogram, not_kept: &Histogram, calibration: &Calibration, noun: &str) -> Plot {
    let sum = |histogram: &Histogram| histogram.counts.iter().sum::<usize>();
    let stacked: Vec<usize> = kept.counts.iter().zip(&not_kept.counts).map(|(x, y)| x + y).collect();
    // Only a bin that the threshold cuts has both; the kept ones stand on the others.
    let bars = |tops: &[usize], counts: &[usize]| -> Vec<Bar> {
        let bins = tops.iter().zip(counts).enumerate();
        bins.filter(|(_, (_, count))| **count > 0)
            .map(|(bin, (top, count))| Bar {
                x: kept.ends(bin),
                y: ((top - count) as f64, *top as f64),
            })
            .collect()
    };
    let highest = stacked.iter().copied().max().unwrap_or(0) as f64;
    let marks = vec![
        Mark::Bars {
            series: Series::new(format!("{} kept", count(sum(kept))), Look::First),
            bars: bars(&stacked, &kept.counts),
        },
        Mark::Bars {
            series: Series::new(format!("{} not kept", count(sum(not_kept))), Look::Second),
            bars: bars(&not_kept.counts, &not_kept.counts),
        },
        Mark::Rule {
            at: calibration.threshold,
            across: Direction::Y,
            label: Text::prose(&format!("threshold {}", threshold(calibration.threshold))),
        },
    ];
    let panel = Panel {
        share: 1.0,
        x: Axis::fixed("Measurability", "measurability", 0.0, 1.0),
        y: Axis::counts(&capitalised(noun), "count", [highest * 1.12]),
        marks,
    };
    Plot {
        key: Key::Above,
        ..Plot::of(panel, 190.0)
    }
}

fn capitalised(noun: &str) -> String {
    match noun {
        "criteria" => "Criteria".to_owned(),
        _ => "Items".to_owned(),
    }
}

fn table(kept: &Histogram, not_kept: &Histogram) -> Table {
    let columns = ["From", "To", "Kept", "Not kept"].map(Column::number);
    let mut table = Table::new("Counts by measurability", "calibration.json", columns.into());
    for bin in 0..BINS {
        let (from, to) = kept.ends(bin);
        let cells = vec![
            table.number(Some(from), Form::Decimal(2), None),
            table.number(Some(to), Form::Decimal(2), None),
            Cell::count(kept.counts[bin]),
            Cell::count(not_kept.counts[bin]),
        ];
        table.push(cells);
    }
    table
}
