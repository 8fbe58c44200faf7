//! The judges side by side.

use calibrant_schema::Calibration;
use calibrant_schema::undefined::Undefined;

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};

pub(crate) fn section(calibration: &Calibration) -> Section {
    let columns = vec![
        Column::name("Judge"),
        Column::number("Labels"),
        Column::number("Without label"),
        Column::number("Positive rate"),
        Column::number("Agrees with others"),
    ];
    let mut table = Table::new("One row for each judge", "calibration.json", columns);
    let alone = Undefined::new("no_shared_unit", "no other judge labelled the same units");
    let silent = Undefined::new("no_label", "the judge gave no label");
    for judge in calibration.judges.iter().take(HELD) {
        let cells = vec![
            Cell::id(&judge.judge),
            Cell::count(judge.labels),
            Cell::count(judge.without_label),
            table.number(judge.positive_rate, Form::Percent, Some(&silent)),
            table.number(judge.agreement, Form::Percent, Some(&alone)),
        ];
        table.push(cells);
    }
    table.total = calibration.judges.len();
    Section {
        id: "judges",
        title: "Judges",
        blocks: vec![Block::Table(table)],
    }
}
