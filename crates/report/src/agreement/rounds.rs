//! Two rounds side by side; raw agreement on other scales is shown and not compared.

use calibrant_schema::agreement::{Change, ChangeMethod, Coefficient, RoundFacts, Rounds};

use super::{FILE, paragraph, section};
use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::number::{decimal, percent, typeset};
use crate::text::Text;

pub(crate) fn section_of(rounds: &Rounds) -> Section {
    let mut blocks = vec![Block::Facts(vec![
        ("Earlier", Text::prose(&facts(&rounds.earlier))),
        ("Now", Text::prose(&facts(&rounds.later))),
        ("Compared", Text::prose(&how(rounds))),
    ])];
    if rounds.scale_changed {
        blocks.push(paragraph(
            "The scales have other numbers of levels, and chance alone agrees the oftener the fewer there are. Raw agreement stands \
             below for both rounds, and no difference is taken: compare the figures beyond chance.",
        ));
    }
    blocks.push(Block::Table(changes(rounds)));
    if let Some(taste) = &rounds.taste {
        blocks.push(paragraph(&format!(
            "After this round judges agree on {} of whole answers, below {}. The criteria below agree least beyond chance. Where no \
             ruling settles what the judges split over, a criterion is about taste: delete it rather than sharpen it.",
            percent(taste.agreement).unwrap_or_default(),
            percent(taste.cut).unwrap_or_default()
        )));
        blocks.push(Block::List(taste.criteria.iter().map(|id| Text::id(id)).collect()));
    }
    section("rounds", "Since the earlier round", blocks)
}

fn facts(round: &RoundFacts) -> String {
    let criteria: Vec<String> = round
        .criteria
        .iter()
        .map(|(criterion, levels)| format!("{criterion} ({levels} levels)"))
        .collect();
    format!(
        "{} whole answers by {}; {}",
        round.responses,
        round.judges.join(", "),
        criteria.join(", ")
    )
}

fn how(rounds: &Rounds) -> String {
    let paired = rounds
        .changes
        .iter()
        .any(|change| change.method == ChangeMethod::Paired);
    match (rounds.same_responses, paired) {
        (_, true) => "in pairs: both rounds have the same responses, so intervals come from drawing responses and p from McNemar's \
                      exact test"
            .to_owned(),
        (0, false) => "as independent: z is the difference over the standard error of a difference, not of one round".to_owned(),
        (same, false) => format!("as independent: only {same} responses are in both rounds"),
    }
}

fn changes(rounds: &Rounds) -> Table {
    let columns = vec![
        Column::name("Over"),
        Column::words("Figure"),
        Column::number("Earlier"),
        Column::number("Now"),
        Column::number("Change"),
        Column::number("z"),
        Column::number("p"),
    ];
    let mut table = Table::new("Figures of both rounds", FILE, columns);
    for change in rounds.changes.iter().take(HELD) {
        let form = form(change.coefficient);
        let whole = "whole answers";
        let earlier = table.with_interval(
            change.earlier.value,
            (change.earlier.low, change.earlier.high),
            form,
            change.earlier.undefined.as_ref(),
        );
        let later = table.with_interval(
            change.later.value,
            (change.later.low, change.later.high),
            form,
            change.later.undefined.as_ref(),
        );
        let difference = difference(&mut table, change);
        table.push(vec![
            Cell::id(change.criterion.as_deref().unwrap_or(whole)),
            Cell::words(change.coefficient.name()),
            earlier,
            later,
            difference,
            Cell::words(
                &change
                    .z
                    .and_then(|z| decimal(z, 1))
                    .map_or_else(String::new, |z| typeset(&z)),
            ),
            Cell::words(&change.p.map_or_else(String::new, p_value)),
        ]);
    }
    table.total = rounds.changes.len();
    table
}

fn form(coefficient: Coefficient) -> Form {
    match coefficient.is_share() {
        true => Form::Percent,
        false => Form::Decimal(3),
    }
}

/// A difference with its sign and interval; of shares in points.
fn difference(table: &mut Table, change: &Change) -> Cell {
    let (factor, places, unit) = match change.coefficient.is_share() {
        true => (100.0, 1, " points"),
        false => (1.0, 3, ""),
    };
    let written = |value: f64| decimal(factor * value, places).map(|shown| typeset(&shown));
    let Some((raw, shown)) = change.difference.and_then(|raw| Some((raw, written(raw)?))) else {
        return table.missing(change.undefined.as_ref());
    };
    let sign = if raw > 0.0 { "+" } else { "" };
    let ends = change.low.and_then(written).zip(change.high.and_then(written));
    Cell::Number {
        value: format!("{sign}{shown}{unit}"),
        interval: ends.map(|(low, high)| format!("[{low}, {high}]")),
        mark: None,
    }
}

fn p_value(p: f64) -> String {
    match decimal(p, 3) {
        Some(shown) if shown == "0.000" => "< 0.001".to_owned(),
        Some(shown) => shown,
        None => String::new(),
    }
}
