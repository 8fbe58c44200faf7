//! The habits of a sound evaluation, each with the evidence at hand.
//!
//! Source: METHODS 136.

use calibrant_schema::Rubric;

use crate::document::{Block, Cell, Column, Section, Table};
use crate::inputs::Inputs;
use crate::number::{count, counted, percent};

/// What the artifacts say about a habit.
enum Finding {
    Yes(String),
    Partly(String),
    No(String),
    NotMeasured(String),
}

pub(super) fn section(inputs: &Inputs<'_>) -> Section {
    let rows = [
        (
            "Criteria are atomic and observable",
            Finding::NotMeasured("no lint of the wording has been run".to_owned()),
        ),
        ("Weights have an owner and a date", weights(inputs.rubric)),
        ("The rubric has a version", version(inputs.rubric)),
        ("Decisive criteria are gates", gates(inputs.rubric)),
        (
            "Agreement is known for each criterion, with prevalence",
            agreement(inputs),
        ),
        ("There are enough queries for the differences", separation(inputs)),
        ("Intervals resample whole queries", clusters(inputs)),
        ("A trusted person checked the judges", gold(inputs)),
        (
            "The ranking holds under other plausible weights",
            Finding::NotMeasured("no such analysis in this run".to_owned()),
        ),
        (
            "Each criterion is watched over time",
            Finding::NotMeasured("this report is of one moment".to_owned()),
        ),
    ];
    let columns = vec![Column::name("Habit"), Column::words("Here"), Column::words("Evidence")];
    let mut table = Table::new("Habits of a sound evaluation", "the artifacts", columns);
    for (habit, finding) in rows {
        let (word, evidence) = match &finding {
            Finding::Yes(evidence) => ("yes", evidence),
            Finding::Partly(evidence) => ("partly", evidence),
            Finding::No(evidence) => ("no", evidence),
            Finding::NotMeasured(evidence) => ("not measured", evidence),
        };
        table.push(vec![Cell::words(habit), Cell::words(word), Cell::words(evidence)]);
    }
    Section {
        id: "checklist",
        title: "Checklist",
        blocks: vec![Block::Table(table)],
    }
}

fn no_rubric() -> Finding {
    Finding::NotMeasured("no rubric was given".to_owned())
}

fn weights(rubric: Option<&Rubric>) -> Finding {
    let Some(rubric) = rubric else { return no_rubric() };
    let owned = rubric
        .criteria
        .iter()
        .filter(|criterion| criterion.weight_owner.is_some() && criterion.weight_date.is_some())
        .count();
    let evidence = format!(
        "{} of {}",
        count(owned),
        counted(rubric.criteria.len(), "criterion", "criteria")
    );
    match owned {
        0 => Finding::No(evidence),
        _ if owned == rubric.criteria.len() => Finding::Yes(evidence),
        _ => Finding::Partly(evidence),
    }
}

fn version(rubric: Option<&Rubric>) -> Finding {
    match rubric.map(|rubric| rubric.version) {
        None => no_rubric(),
        Some(None) => Finding::No("the rubric states none".to_owned()),
        Some(Some(version)) => Finding::Yes(format!("version {version}")),
    }
}

fn gates(rubric: Option<&Rubric>) -> Finding {
    let Some(rubric) = rubric else { return no_rubric() };
    match rubric.criteria.iter().filter(|criterion| criterion.gate).count() {
        0 => Finding::No("no criterion is a gate".to_owned()),
        gates => Finding::Yes(counted(gates, "gate", "gates")),
    }
}

fn agreement(inputs: &Inputs<'_>) -> Finding {
    let rows = &inputs.calibration.criteria;
    let known = rows
        .iter()
        .filter(|row| row.units > 0 && row.prevalence.is_some())
        .count();
    let evidence = format!("{} of {} rows of calibration.json", count(known), count(rows.len()));
    match known {
        0 => Finding::NotMeasured("no unit has two judges".to_owned()),
        _ if known == rows.len() => Finding::Yes(evidence),
        _ => Finding::Partly(evidence),
    }
}

fn separation(inputs: &Inputs<'_>) -> Finding {
    let Some(share) = inputs.scores.pairs_separated else {
        return Finding::NotMeasured("no pair of systems could be compared".to_owned());
    };
    let evidence = format!(
        "{} of the pairs of systems are told apart",
        percent(share).unwrap_or_else(|| "–".to_owned())
    );
    match share {
        1.0 => Finding::Yes(evidence),
        0.0 => Finding::No(evidence),
        _ => Finding::Partly(evidence),
    }
}

fn clusters(inputs: &Inputs<'_>) -> Finding {
    let interval = &inputs.scores.interval.score;
    match &interval.undefined {
        Some(reason) => Finding::No(reason.detail.clone()),
        None => Finding::Yes(format!(
            "{}, {}",
            interval.method,
            counted(interval.replicates, "replicate", "replicates")
        )),
    }
}

fn gold(inputs: &Inputs<'_>) -> Finding {
    let gold = inputs
        .calibration
        .sweep
        .iter()
        .any(|row| row.held_out.as_deref() == Some("gold") && row.held_out_kappa.is_some());
    if gold {
        Finding::Yes("see the held-out kappa against gold".to_owned())
    } else {
        Finding::NotMeasured("no gold labels were given".to_owned())
    }
}
