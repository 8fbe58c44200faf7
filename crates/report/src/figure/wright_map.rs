//! The Wright map: systems and items on one scale.

use calibrant_schema::Bank;
use calibrant_schema::fit::ItemRow;

use super::axis::Axis;
use super::curves::{bank_items, positions};
use super::histogram::Histogram;
use super::labels::spread;
use super::scene::{Bar, Figure, InText, Key, Layout, Look, Mark, Panel, Plot, Series};
use crate::document::{Cell, Column, Form, Table};
use crate::inputs::Inputs;
use crate::number::{count, counted};
use crate::text::Text;

/// Names that stand further from their points than this many lines lead nowhere: the systems are then counted in bins.
const FARTHEST_NAME: f64 = 2.5;
/// Height of a name, in the units of the drawing.
const LINE: f64 = 14.6;
/// Letters of a name in the drawing.
const NAME: usize = 60;
/// Width of a bin of difficulty or ability.
const WIDTH: f64 = 0.25;
/// Difficulties beyond this are counted in the last bin: the prior's standard deviation is 2.
const FARTHEST: f64 = 6.0;
const HEIGHT: f64 = 400.0;
/// Share of the width that the systems have.
const SYSTEMS: f64 = 0.42;

/// The figure, or `None` when there is no fitted item or no system with an ability.
///
/// A system on the height of an item passes it with probability 1/2.
///
/// Source: METHODS 79; PROTOCOLS 5.2.
pub(crate) fn wright_map(inputs: &Inputs<'_>) -> Option<Figure> {
    let systems = positions(inputs);
    let difficulties: Vec<f64> = match inputs.fit {
        Some(fit) => fit.items.iter().map(difficulty).collect(),
        None => of_bank(inputs.bank, inputs),
    };
    if systems.is_empty() || difficulties.is_empty() {
        return None;
    }
    let bank = match inputs.fit {
        Some(_) => of_bank(inputs.bank, inputs),
        None => Vec::new(),
    };
    let scale = VerticalScale::of(&systems, &difficulties);
    let all = scale.histogram(&difficulties);
    let chosen = scale.histogram(&bank);
    let outside = difficulties.iter().filter(|value| value.abs() > FARTHEST).count();
    let mut notes = Vec::new();
    if outside > 0 {
        notes.push(Text::prose(&format!(
            "{} with a difficulty beyond ±6 {} counted at that end.",
            counted(outside, "item", "items"),
            if outside == 1 { "is" } else { "are" }
        )));
    }
    let in_bank = match bank.is_empty() {
        true => String::new(),
        false => format!(" Filled bars are the {} of the bank.", count(bank.len())),
    };
    Some(Figure {
        name: "wright-map",
        title: "Wright map".to_owned(),
        reading: Text::prose(&format!(
            "Left: the systems at their abilities. Right: the items at their difficulties. A system passes an item at its own height half \
             of the time, and one below it more often. Heights with systems and few items are measured badly.{in_bank}"
        )),
        summary: Text::prose(&summary(&systems, &difficulties, &bank)),
        layout: Layout::Wide,
        plots: vec![plot(&scale, &systems, &all, &chosen)],
        notes,
        table: table(&scale, &systems, &all, &chosen),
        in_text: InText::Sentence,
    })
}

fn difficulty(item: &ItemRow) -> f64 {
    item.difficulty
}

fn of_bank(bank: Option<&Bank>, inputs: &Inputs<'_>) -> Vec<f64> {
    let items = bank.map_or_else(Vec::new, |bank| bank_items(bank, inputs));
    items.into_iter().map(|(_, _, item)| item.difficulty).collect()
}

/// The common vertical axis, whole units at both ends.
struct VerticalScale {
    low: f64,
    high: f64,
}

impl VerticalScale {
    fn of(systems: &[(&str, f64)], difficulties: &[f64]) -> Self {
        let values = systems
            .iter()
            .map(|(_, ability)| *ability)
            .chain(difficulties.iter().copied());
        let (low, high) = super::axis::ends(values.map(|value| value.clamp(-FARTHEST, FARTHEST)));
        let (low, high) = (low.floor(), high.ceil());
        Self {
            low,
            high: if high > low { high } else { low + 1.0 },
        }
    }

    fn bins(&self) -> usize {
        ((self.high - self.low) / WIDTH).round() as usize
    }

    fn histogram(&self, values: &[f64]) -> Histogram {
        Histogram::of(values.iter().copied(), self.low, WIDTH, self.bins())
    }

    /// Whether every system's name can stand near its point.
    fn has_room(&self, systems: &[(&str, f64)]) -> bool {
        let unit = HEIGHT / (self.high - self.low);
        let wanted: Vec<f64> = systems
            .iter()
            .map(|(_, ability)| (self.high - ability) * unit)
            .collect();
        let places = spread(&wanted, LINE, 0.5 * LINE, HEIGHT - 0.5 * LINE);
        let mut moves = wanted.iter().zip(&places).map(|(wanted, place)| (wanted - place).abs());
        moves.all(|moved| moved <= FARTHEST_NAME * LINE)
    }

    fn axis(&self, title: &str) -> Axis {
        Axis::fixed(title, "ability", self.low, self.high)
    }
}

fn plot(scale: &VerticalScale, systems: &[(&str, f64)], all: &Histogram, chosen: &Histogram) -> Plot {
    let bars = |histogram: &Histogram| -> Vec<Bar> {
        let bins = histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        bins.map(|(bin, count)| Bar {
            x: (0.0, *count as f64),
            y: histogram.ends(bin),
        })
        .collect()
    };
    let mut marks = vec![Mark::Bars {
        series: Series::new("Items", Look::Second),
        bars: bars(all),
    }];
    if chosen.highest() > 0.0 {
        marks.push(Mark::Bars {
            series: Series::new("Items of the bank", Look::First),
            bars: bars(chosen),
        });
    }
    let items = Panel {
        share: 1.0 - SYSTEMS,
        x: Axis::counts("Items", "items", [all.highest()]),
        y: scale.axis(""),
        marks,
    };
    Plot {
        title: None,
        panels: vec![systems_panel(scale, systems), items],
        height: HEIGHT,
        key: Key::Above,
    }
}

/// The systems by name, or counted where they are many.
fn systems_panel(scale: &VerticalScale, systems: &[(&str, f64)]) -> Panel {
    if !scale.has_room(systems) {
        let abilities: Vec<f64> = systems.iter().map(|(_, ability)| *ability).collect();
        let counted = scale.histogram(&abilities);
        let bins = counted.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let bars = bins.map(|(bin, count)| Bar {
            x: (0.0, *count as f64),
            y: counted.ends(bin),
        });
        return Panel {
            share: SYSTEMS,
            x: Axis::counts("Systems", "systems", [counted.highest()]),
            y: scale.axis("Ability and difficulty"),
            marks: vec![Mark::Bars {
                series: Series::new("Systems", Look::Third),
                bars: bars.collect(),
            }],
        };
    }
    /// Where the points stand, right of their names.
    const AT: f64 = 0.94;
    let points = systems.iter().map(|(_, ability)| (AT, *ability)).collect();
    let names = systems
        .iter()
        .map(|(system, ability)| (AT, *ability, Text::short_id(system, NAME)));
    Panel {
        share: SYSTEMS,
        x: Axis::bare("Systems", "place"),
        y: scale.axis("Ability and difficulty"),
        marks: vec![
            Mark::Names { names: names.collect() },
            Mark::Points {
                series: Series::new("Systems", Look::Third),
                points,
            },
        ],
    }
}

fn summary(systems: &[(&str, f64)], difficulties: &[f64], bank: &[f64]) -> String {
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = super::axis::ends(values);
        let number =
            |value| crate::number::typeset(&crate::number::decimal(value, 2).unwrap_or_else(|| "–".to_owned()));
        format!("{} to {}", number(low), number(high))
    };
    let of_bank = match bank.is_empty() {
        true => String::new(),
        false => format!(
            " The bank's {} reach from {}.",
            counted(bank.len(), "item", "items"),
            span(&mut bank.iter().copied())
        ),
    };
    format!(
        "{} with abilities from {}, beside {} with difficulties from {}.{of_bank}",
        counted(systems.len(), "system", "systems"),
        span(&mut systems.iter().map(|(_, ability)| *ability)),
        counted(difficulties.len(), "item", "items"),
        span(&mut difficulties.iter().copied())
    )
}

/// A row for each bin that holds something, from the top down, as it is drawn.
fn table(scale: &VerticalScale, systems: &[(&str, f64)], all: &Histogram, chosen: &Histogram) -> Table {
    let abilities: Vec<f64> = systems.iter().map(|(_, ability)| *ability).collect();
    let by_bin = scale.histogram(&abilities);
    let columns = ["From", "To", "Systems", "Items", "Of the bank"].map(Column::number);
    let mut table = Table::new("Systems and items by height", "fit.json", columns.into());
    for bin in (0..scale.bins()).rev() {
        if by_bin.counts[bin] + all.counts[bin] == 0 {
            continue;
        }
        let (from, to) = all.ends(bin);
        let cells = vec![
            table.number(Some(from), Form::Decimal(2), None),
            table.number(Some(to), Form::Decimal(2), None),
            Cell::count(by_bin.counts[bin]),
            Cell::count(all.counts[bin]),
            Cell::count(chosen.counts[bin]),
        ];
        table.push(cells);
    }
    table.remarks.push(Text::prose(
        "The abilities of single systems are in the leaderboard, the difficulties of single items in fit.json.",
    ));
    table
}
