//! What agreement is no evidence of: test-retest and validity, each in its own table; and what carried no label.

use calibrant_schema::Agreement;
use calibrant_schema::agreement::{Coefficient, CoefficientRow};

use super::{FILE, cell, paragraph, section};
use crate::document::{Block, Cell, Column, HELD, Section, Table};
use crate::number::count;
use crate::text::Text;

/// Test-retest and validity, or the sentence that they were not measured.
pub(super) fn section_of(agreement: &Agreement) -> Section {
    let mut blocks = vec![paragraph(
        "Agreement says that judges apply the criteria alike. It does not say that they apply them rightly, and neither does a judge \
         that repeats itself: a model at temperature 0 repeats itself by construction. Only labels that are trusted for another \
         reason can show validity.",
    )];
    blocks.push(match agreement.repeats.is_empty() {
        true => paragraph("Test-retest: not measured; no judge labelled a unit twice."),
        false => Block::Table(by_judge(
            "Test-retest: each judge against its own repeats",
            &agreement.repeats,
        )),
    });
    blocks.push(match agreement.validity.is_empty() {
        true => paragraph("Validity: not measured; no trusted labels were given (--gold)."),
        false => {
            let mut table = by_judge("Validity: each judge against trusted labels", &agreement.validity);
            table.remarks.push(Text::prose(
                "Sensitivity is the share of trusted “met” that the judge calls met, specificity the share of trusted “not met” that it \
                 calls not met. Where one of them rests on few units, label a set rich in known failures. Leniency is the difference of \
                 log odds of being called met.",
            ));
            Block::Table(table)
        }
    });
    section("other-evidence", "Consistency and validity", blocks)
}

fn by_judge(caption: &str, rows: &[CoefficientRow]) -> Table {
    let mut keys: Vec<(&[String], Option<&str>)> = Vec::new();
    let mut figures: Vec<Coefficient> = Vec::new();
    for row in rows {
        let key = (row.judges.as_slice(), row.criterion.as_deref());
        if !keys.contains(&key) {
            keys.push(key);
        }
        if !figures.contains(&row.coefficient) {
            figures.push(row.coefficient);
        }
    }
    let mut columns = vec![Column::name("Judge"), Column::words("Criterion")];
    columns.extend(figures.iter().map(|figure| Column::number(figure.name())));
    let mut table = Table::new(caption, FILE, columns);
    for (judges, criterion) in keys.iter().take(HELD) {
        let mut cells = vec![
            Cell::id(&judges.join(", ")),
            Cell::words(criterion.unwrap_or("pooled over criteria")),
        ];
        for figure in &figures {
            let same = |row: &&CoefficientRow| {
                (row.judges.as_slice(), row.criterion.as_deref(), row.coefficient) == (*judges, *criterion, *figure)
            };
            let cell = cell(&mut table, rows.iter().find(same), *figure);
            cells.push(cell);
        }
        table.push(cells);
    }
    table.total = keys.len();
    table
}

/// What the figures are over, and what was left out of them.
pub(super) fn counted(agreement: &Agreement) -> Section {
    let number = |value: u64| count(usize::try_from(value).unwrap_or(usize::MAX));
    let mut blocks = vec![paragraph(
        "A verdict without a label (skipped, cannot assess, unclear, refused, unparsable, failed) is missing, and a unit counts with the \
         judges that have a label there. “Not applicable” is no label either and is counted apart. The repeats of a judge become one \
         label first: the majority, a tie takes the worse outcome.",
    )];
    let columns = vec![
        Column::name("Criterion"),
        Column::number("Queries"),
        Column::number("Units of two judges"),
        Column::number("Units of all judges"),
        Column::number("Called not applicable"),
        Column::number("By all with a say"),
    ];
    let mut table = Table::new("Units", FILE, columns);
    for row in agreement.criteria.iter().take(HELD) {
        let whole = |value: u64| Cell::Number {
            value: number(value),
            interval: None,
            mark: None,
        };
        table.push(vec![
            Cell::id(&row.criterion),
            whole(row.queries),
            whole(row.units),
            whole(row.complete),
            whole(row.not_applicable),
            whole(row.not_applicable_alike),
        ]);
    }
    table.total = agreement.criteria.len();
    blocks.push(Block::Table(table));
    if !agreement.without_label.is_empty() {
        let columns = vec![
            Column::name("Criterion"),
            Column::words("Judge"),
            Column::words("Status"),
            Column::number("Verdicts"),
        ];
        let mut table = Table::new("Verdicts without a label", FILE, columns);
        for row in agreement.without_label.iter().take(HELD) {
            table.push(vec![
                Cell::id(&row.criterion),
                Cell::id(&row.judge),
                Cell::words(&row.status),
                Cell::count(usize::try_from(row.verdicts).unwrap_or(usize::MAX)),
            ]);
        }
        table.total = agreement.without_label.len();
        blocks.push(Block::Table(table));
    }
    if !agreement.decided_by_code.is_empty() {
        blocks.push(paragraph("Decided by code, and therefore no part of agreement:"));
        blocks.push(Block::List(
            agreement.decided_by_code.iter().map(|id| Text::id(id)).collect(),
        ));
    }
    section("counted", "What was counted", blocks)
}
