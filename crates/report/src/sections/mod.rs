//! The sections of a report in their order.

mod attrition;
pub(crate) mod bank;
pub(crate) mod blocks;
mod checklist;
pub(crate) mod comparison;
mod doubts;
mod intervals;
pub(crate) mod judges;
pub(crate) mod leaderboard;
pub(crate) mod left_out;
pub(crate) mod measurability;
mod provenance;
mod questions;
mod scale;
mod truth;
mod unsupported;
mod verdict;

pub(crate) use attrition::{beta_retention, geometric_retention};
pub(crate) use bank::guarantee;
pub use doubts::weight_of;
pub(crate) use doubts::{doubts_of, severity};
pub(crate) use measurability::weakest;
pub(crate) use provenance::of_headers;
pub(crate) use questions::Questions;

use calibrant_schema::artifact::Header;

use crate::document::{Block, Document, Table};
use crate::figure::Figure;
use crate::inputs::{Figures, Inputs};
use crate::text::Text;

/// The report as a document.
pub(crate) fn document(inputs: &Inputs<'_>) -> Document {
    let sections = [
        inputs.part_of.as_ref().map(blocks::part_of),
        doubts::section(inputs),
        Some(leaderboard::section(inputs)),
        inputs.blocks.map(|blocks| blocks::section(blocks, inputs)),
        inputs.truth.map(|truth| truth::section(truth, inputs.scores)),
        Some(intervals::section(inputs.scores)),
        inputs.bank.map(|bank| bank::section(bank, inputs)),
        scale::section(inputs),
        Some(measurability::section(inputs)),
        Some(judges::section(inputs.calibration)),
        Some(attrition::section(inputs)),
        inputs.fit.map(comparison::section),
        inputs.fit.and_then(left_out::section),
        Some(checklist::section(inputs)),
        Some(provenance::section(inputs)),
        Some(unsupported::section(inputs)),
    ];
    Document {
        title: Text::prose(inputs.title),
        lead: verdict::lead(inputs),
        sections: sections.into_iter().flatten().collect(),
    }
}

/// A figure as a block, where figures are drawn and there is one.
fn drawn(inputs: &Inputs<'_>, figure: impl FnOnce() -> Option<Figure>) -> Option<Block> {
    match inputs.figures {
        Figures::Drawn => figure().map(|figure| Block::Figure(Box::new(figure))),
        Figures::LeftOut => None,
    }
}

/// A figure with the section's table behind it; the table alone where no figures are drawn or there is nothing to draw.
fn drawn_over(inputs: &Inputs<'_>, table: impl Fn() -> Table, figure: impl FnOnce(Table) -> Option<Figure>) -> Block {
    drawn(inputs, || figure(table())).unwrap_or_else(|| Block::Table(table()))
}

/// The openings of the artifacts at hand, in the order of the road, with their names.
fn headers<'a>(inputs: &Inputs<'a>) -> Vec<(&'static str, &'a Header)> {
    let mut headers = vec![("calibration", &inputs.calibration.header)];
    headers.extend(inputs.fit.map(|fit| ("fit", &fit.header)));
    headers.extend(inputs.bank.map(|bank| ("bank", &bank.header)));
    headers.push(("scores", &inputs.scores.header));
    headers.extend(inputs.blocks.map(|blocks| ("blocks", &blocks.header)));
    headers
}

/// Names in a sentence: all of a few, else the first ones and how many more there are.
fn listed(names: &[&str]) -> String {
    const NAMED: usize = 5;
    let shown = |name: &&str| Text::id(name).as_str().to_owned();
    if let [most @ .., last] = names
        && names.len() <= NAMED
    {
        let most: Vec<String> = most.iter().map(shown).collect();
        return if most.is_empty() {
            shown(last)
        } else {
            format!("{} and {}", most.join(", "), shown(last))
        };
    }
    let first: Vec<String> = names.iter().take(NAMED - 1).map(shown).collect();
    format!("{} and {} more", first.join(", "), names.len() - first.len())
}
