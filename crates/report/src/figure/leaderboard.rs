//! Systems with their abilities, intervals and tiers.

use calibrant_schema::Scores;
use calibrant_schema::scores::SystemScore;

use super::axis::Axis;
use super::scene::{Direction, Figure, InText, Layout, Look, Mark, Panel, Plot, Range, Series, Tone};
use crate::document::{Cell, Column, Form, Table};
use crate::number::{count, counted};
use crate::text::Text;

/// Rows of the drawing; the table behind it has more.
const DRAWN: usize = 60;
/// Letters of a name in the drawing.
const NAME: usize = 60;
/// Height of a row, in the units of the drawing.
const ROW: f64 = 21.0;

/// The figure, or `None` when no system has an ability.
pub(crate) fn leaderboard(scores: &Scores) -> Option<Figure> {
    // A board of new systems has abilities over the bank alone.
    let of_bank = scores.systems.iter().all(|row| row.ability.is_none());
    let measured: Vec<(&SystemScore, Range)> = scores
        .systems
        .iter()
        .filter_map(|row| Some((row, range(row, of_bank)?)))
        .collect();
    if measured.is_empty() {
        return None;
    }
    let drawn = &measured[..measured.len().min(DRAWN)];
    let x_title = if of_bank { "Ability over the bank" } else { "Ability" };
    let names = drawn.iter().map(|(row, _)| Text::short_id(&row.system, NAME)).collect();
    let mut marks = tiers(drawn);
    marks.push(Mark::Intervals {
        series: Series::new("Ability with its interval", Look::First),
        along: Direction::X,
        ranges: drawn
            .iter()
            .enumerate()
            .map(|(place, (_, range))| Range {
                at: place as f64 + 0.5,
                ..*range
            })
            .collect(),
    });
    let ends = drawn.iter().flat_map(|(_, range)| [range.low, range.high]);
    let panel = Panel {
        share: 1.0,
        x: Axis::padded(x_title, "ability", ends),
        y: Axis::rows("", "system", names),
        marks,
    };
    let level = decimal_level(scores.interval.ability.level);
    let intervals = drawn.iter().any(|(_, range)| range.low < range.high);
    Some(Figure {
        name: "leaderboard",
        title: "Abilities, intervals and tiers".to_owned(),
        reading: Text::prose(&match intervals {
            true => format!(
                "A point is a system's ability, its line the {level} interval. A band is a tier: inside one, neighbours are not told \
                 apart. Two intervals that overlap do not by themselves mean that two systems are alike; tiers are cut by the interval \
                 of the difference."
            ),
            false => "A point is a system's ability. These data give it no interval, so differences between points may be chance."
                .to_owned(),
        }),
        summary: Text::prose(&summary(drawn)),
        layout: Layout::Wide,
        plots: vec![Plot::of(panel, ROW * drawn.len() as f64 + 8.0)],
        notes: left_out(scores, measured.len(), drawn.len()),
        table: table(&measured, x_title),
        in_text: InText::Sentence,
    })
}

/// A level as `95 %`.
fn decimal_level(level: f64) -> String {
    crate::number::decimal(100.0 * level, 0).map_or_else(String::new, |shown| format!("{shown} %"))
}

/// A system's ability; ends that are not known are the ability itself.
fn range(row: &SystemScore, of_bank: bool) -> Option<Range> {
    let (middle, low, high) = match of_bank {
        true => (row.bank_ability, row.bank_ability_low, row.bank_ability_high),
        false => (row.ability, row.ability_low, row.ability_high),
    };
    let middle = middle.filter(|value| value.is_finite())?;
    let ends = low.zip(high).filter(|(low, high)| low.is_finite() && high.is_finite());
    let (low, high) = ends.unwrap_or((middle, middle));
    Some(Range {
        at: 0.0,
        low,
        middle,
        high,
    })
}

/// A band for each run of systems in one tier.
fn tiers(drawn: &[(&SystemScore, Range)]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut from = 0;
    for run in drawn.chunk_by(|x, y| x.0.tier == y.0.tier) {
        let to = from + run.len();
        if let Some(tier) = run[0].0.tier {
            marks.push(Mark::Shade {
                across: Direction::X,
                from: from as f64,
                to: to as f64,
                label: Some(Text::prose(&format!("tier {tier}"))),
                tone: if tier % 2 == 1 { Tone::Faint } else { Tone::Clear },
            });
        }
        from = to;
    }
    marks
}

fn summary(drawn: &[(&SystemScore, Range)]) -> String {
    let tiers = drawn.iter().filter_map(|(row, _)| row.tier).max();
    let places = match tiers {
        Some(tiers) => format!(" in {}", counted(tiers as usize, "tier", "tiers")),
        None => String::new(),
    };
    let number =
        |value: f64| crate::number::typeset(&crate::number::decimal(value, 2).unwrap_or_else(|| "–".to_owned()));
    let (first, last) = (&drawn[0], &drawn[drawn.len() - 1]);
    format!(
        "{}{places}, the ablest first: {} at {} down to {} at {}.",
        counted(drawn.len(), "system", "systems"),
        Text::short_id(&first.0.system, NAME),
        number(first.1.middle),
        Text::short_id(&last.0.system, NAME),
        number(last.1.middle)
    )
}

fn left_out(scores: &Scores, measured: usize, drawn: usize) -> Vec<Text> {
    let mut notes = Vec::new();
    if measured > drawn {
        notes.push(Text::prose(&format!(
            "The first {drawn} systems are drawn; {} further ones are in the table.",
            count(measured - drawn)
        )));
    }
    let without = scores.systems.len() - measured;
    if without > 0 {
        notes.push(Text::prose(&format!(
            "{} without an ability {} not drawn.",
            counted(without, "system", "systems"),
            if without == 1 { "is" } else { "are" }
        )));
    }
    notes
}

fn table(measured: &[(&SystemScore, Range)], head: &str) -> Table {
    let columns = vec![
        Column::number("Tier"),
        Column::name("System"),
        Column::number(head),
        Column::number("Low"),
        Column::number("High"),
    ];
    let mut table = Table::new("Abilities with the ends of their intervals", "scores.json", columns);
    let no_tier = calibrant_schema::Undefined::new("no_tier", "tiers are undefined here");
    let no_end = calibrant_schema::Undefined::new("no_interval", "the ability has no interval");
    for (row, range) in measured.iter().take(crate::document::HELD) {
        let end = |value| (range.low < range.high).then_some(value);
        let cells = vec![
            table.number(row.tier.map(f64::from), Form::Decimal(0), Some(&no_tier)),
            Cell::id(&row.system),
            table.number(Some(range.middle), Form::Decimal(2), None),
            table.number(end(range.low), Form::Decimal(2), Some(&no_end)),
            table.number(end(range.high), Form::Decimal(2), Some(&no_end)),
        ];
        table.push(cells);
    }
    table.total = measured.len();
    table
}
