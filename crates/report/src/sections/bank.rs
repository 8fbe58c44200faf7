//! The criteria chosen, what they are worth, and how sure that is.

use std::collections::BTreeMap;

use calibrant_schema::bank::{BankRow, Method};
use calibrant_schema::calibration::CriterionRow;
use calibrant_schema::fit::ItemRow;
use calibrant_schema::{Bank, Undefined};

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::figure::{coverage, item_information, test_information};
use crate::inputs::{Figures, Inputs};
use crate::number::{count, counted, decimal, percent, percent_floor, threshold};
use crate::text::Text;

use super::drawn;
use super::questions::Questions;

pub(super) fn section(bank: &Bank, inputs: &Inputs<'_>) -> Section {
    let mut blocks = vec![Block::Paragraph(Text::prose(&opening(bank))), Block::Facts(facts(bank))];
    blocks.push(Block::Table(table(bank, inputs)));
    let figures = [
        drawn(inputs, || test_information(bank, inputs)),
        drawn(inputs, || coverage(bank, inputs)),
        drawn(inputs, || item_information(bank, inputs)),
    ];
    let before = blocks.len();
    blocks.extend(figures.into_iter().flatten());
    if blocks.len() == before && inputs.figures == Figures::Drawn {
        blocks.push(Block::Paragraph(Text::prose(
            "There are no curves of information: no item of the bank has parameters.",
        )));
    }
    Section {
        id: "bank",
        title: "The bank",
        blocks,
    }
}

/// What the bank is, in words.
pub(crate) fn opening(bank: &Bank) -> String {
    let chosen = format!(
        "The bank holds {} of the {} of the pool.",
        count(bank.criteria.len()),
        counted(bank.pool, "item", "items")
    );
    if bank.criteria.is_empty() {
        return format!("{chosen} No item could be chosen.");
    }
    let how = match bank.method {
        Method::Greedy => "Each was the one that added most to what the bank tells about systems of any ability.",
        Method::Plain => "They are the most informative items, taken one by one.",
        Method::Consensus => {
            "They are the items on which the panel was unanimous for every system and which are not constant."
        }
    };
    format!("{chosen} {how}")
}

/// What it is worth, and how sure that is.
pub(crate) fn facts(bank: &Bank) -> Vec<(&'static str, Text)> {
    let mut facts = vec![
        (
            "Budget",
            Text::prose(&format!("{} ({})", count(bank.budget), bank.budget_rule)),
        ),
        (
            "Could be chosen",
            Text::prose(&format!(
                "{} of {}",
                count(bank.feasible),
                counted(bank.pool, "item", "items")
            )),
        ),
        (
            "Threshold",
            Text::prose(&match bank.threshold {
                Some(cut) => format!("measurability of at least {}", threshold(cut)),
                None => "none acted".to_owned(),
            }),
        ),
        ("Method", Text::prose(bank.method.word())),
        ("Model", Text::prose(bank.model.map_or("none", |model| model.word()))),
    ];
    match &bank.utility_undefined {
        Some(reason) => facts.push(("Utility", Text::prose(&format!("– ({reason})")))),
        None => facts.push(("Utility", Text::prose(&utility(bank)))),
    }
    facts.push(("Certificate", Text::prose(&guarantee(bank))));
    if let Some(argument) = &bank.bound_argument {
        facts.push(("Why it holds", Text::prose(argument)));
    }
    facts
}

fn utility(bank: &Bank) -> String {
    let share = bank
        .utility
        .zip(bank.feasible_utility)
        .and_then(|(of_bank, of_all)| percent(of_bank / of_all));
    let share = share.map_or_else(String::new, |share| {
        format!(", {share} of what all items that could be chosen have")
    });
    format!("{}{share}", number(bank.utility, 4))
}

/// How near the bank is to the best one of its size, in words, never rounded in its favour.
pub(crate) fn guarantee(bank: &Bank) -> String {
    /// Where utility and bound differ by rounding alone.
    const SAME: f64 = 1e-12;
    let Some((utility, bound)) = bank.utility.zip(bank.optimum_bound).filter(|(_, bound)| *bound > 0.0) else {
        let reason = bank
            .utility_undefined
            .as_ref()
            .map_or("no bound is recorded", |reason| reason.detail.as_str());
        return format!("none: {reason}");
    };
    if utility >= bound * (1.0 - SAME) {
        return "no bank of this size has a larger utility".to_owned();
    }
    match percent_floor(utility / bound) {
        Some(share) => format!("at least {share} of the best possible bank of this size"),
        None => "none: the bound is not a number".to_owned(),
    }
}

/// The sources of a row, each found by (query, criterion).
struct Sources<'a> {
    items: BTreeMap<(&'a str, &'a str), &'a ItemRow>,
    calibrated: BTreeMap<(Option<&'a str>, &'a str), &'a CriterionRow>,
    questions: Questions<'a>,
}

impl<'a> Sources<'a> {
    fn of(inputs: &Inputs<'a>) -> Self {
        let items = inputs.fit.map_or(&[][..], |fit| &fit.items);
        Self {
            items: items
                .iter()
                .map(|item| ((item.query.as_str(), item.criterion.as_str()), item))
                .collect(),
            calibrated: inputs
                .calibration
                .criteria
                .iter()
                .map(|row| ((row.query.as_deref(), row.criterion.as_str()), row))
                .collect(),
            questions: Questions::of(inputs.rubric),
        }
    }

    fn calibrated(&self, row: &BankRow) -> Option<&'a CriterionRow> {
        own_or_shared(&self.calibrated, row).copied()
    }

    /// The question of the rubric, else of the entry the bank carries.
    fn question(&self, row: &BankRow) -> Option<Text> {
        let of_entry = || row.entry.as_ref()?.get("question")?.as_str();
        self.questions
            .of_item(Some(&row.query), &row.criterion)
            .or_else(of_entry)
            .map(Text::prose)
    }
}

/// What belongs to the row's own item, else to its criterion over all queries.
fn own_or_shared<'m, 'a, T>(map: &'m BTreeMap<(Option<&'a str>, &'a str), T>, row: &'a BankRow) -> Option<&'m T> {
    map.get(&(Some(row.query.as_str()), row.criterion.as_str()))
        .or_else(|| map.get(&(None, row.criterion.as_str())))
}

fn table(bank: &Bank, inputs: &Inputs<'_>) -> Table {
    let columns = vec![
        Column::number("No."),
        Column::name("Criterion"),
        Column::words("Query"),
        Column::number("Weight"),
        Column::number("Difficulty"),
        Column::number("Discrimination"),
        Column::number("Information"),
        Column::number("Gain"),
        Column::number("Measurability"),
        Column::number("Prevalence"),
    ];
    let sources = Sources::of(inputs);
    let reasons = Reasons::of(bank, inputs);
    let mut table = Table::new("Criteria of the bank in the order chosen", "bank.json", columns);
    for (index, row) in bank.criteria.iter().enumerate().take(HELD) {
        let cells = cells(&mut table, index, row, &sources, &reasons);
        table.push(cells);
    }
    table.total = bank.criteria.len();
    table.remarks.push(Text::prose(
        "Difficulty: the ability at which half the systems meet the criterion. Discrimination: how sharply it separates \
         systems there. Both ± one standard error. Information: what it tells about a system on average. Gain: what it \
         added to the utility when it was chosen. Prevalence: share of labelled cells that meet it; near 0 or 1 \
         judges agree easily.",
    ));
    table
}

/// Why a number of a row can be missing.
struct Reasons {
    parameter: Undefined,
    measurability: Undefined,
    prevalence: Undefined,
    error: Undefined,
}

impl Reasons {
    fn of(bank: &Bank, inputs: &Inputs<'_>) -> Self {
        let unfitted = || Undefined::new("no_fit", "the method of this bank uses no fitted item");
        let error = match inputs.fit {
            None => "standard errors are in fit.json, which is not part of this report",
            Some(_) => "no standard error could be computed",
        };
        Self {
            parameter: bank.utility_undefined.clone().unwrap_or_else(unfitted),
            measurability: Undefined::new("no_unit", "no unit of it has two judges"),
            prevalence: Undefined::new("no_label", "it has no labelled cell"),
            error: Undefined::new("no_error", error),
        }
    }
}

fn cells(table: &mut Table, index: usize, row: &BankRow, sources: &Sources<'_>, reasons: &Reasons) -> Vec<Cell> {
    let parameter = Some(&reasons.parameter);
    let item = sources.items.get(&(row.query.as_str(), row.criterion.as_str()));
    let calibrated = sources.calibrated(row);
    vec![
        Cell::count(index + 1),
        Cell::Criterion {
            id: Text::id(&row.criterion),
            question: sources.question(row),
        },
        Cell::id(&row.query),
        table.number(Some(row.weight), Form::Decimal(2), None),
        table.with_error(
            row.difficulty,
            item.and_then(|item| item.difficulty_error),
            [&reasons.parameter, &reasons.error],
        ),
        table.with_error(
            row.discrimination,
            item.and_then(|item| item.discrimination_error),
            [&reasons.parameter, &reasons.error],
        ),
        table.number(row.information, Form::Decimal(3), parameter),
        table.number(row.gain, Form::Decimal(4), parameter),
        table.number(row.measurability, Form::Decimal(3), Some(&reasons.measurability)),
        table.number(
            calibrated.and_then(|row| row.prevalence),
            Form::Percent,
            Some(&reasons.prevalence),
        ),
    ]
}

fn number(value: Option<f64>, places: usize) -> String {
    value
        .and_then(|value| decimal(value, places))
        .unwrap_or_else(|| "–".to_owned())
}
