//! Items that took no part in the fit, or may not enter a bank.

use calibrant_schema::Fit;

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::number::{count, counted};
use crate::text::Text;

/// The section, or `None` when every item took part.
pub(crate) fn section(fit: &Fit) -> Option<Section> {
    let screened = fit.items.iter().filter(|item| item.screened_out).count();
    if fit.dropped.is_empty() && screened == 0 {
        return None;
    }
    let mut blocks = vec![Block::Paragraph(Text::prose(&summary(fit, screened)))];
    if screened > 0 {
        blocks.push(Block::Table(screened_items(fit, screened)));
    }
    if !fit.dropped.is_empty() {
        blocks.push(Block::Table(dropped_items(fit)));
    }
    Some(Section {
        id: "left-out",
        title: "Items left out",
        blocks,
    })
}

fn summary(fit: &Fit, screened: usize) -> String {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for item in &fit.dropped {
        match reasons.iter_mut().find(|(reason, _)| *reason == item.reason.words()) {
            Some((_, items)) => *items += 1,
            None => reasons.push((item.reason.words(), 1)),
        }
    }
    let reasons: Vec<String> = reasons
        .iter()
        .map(|(reason, items)| format!("{} {reason}", count(*items)))
        .collect();
    let why = if reasons.is_empty() {
        String::new()
    } else {
        format!(" ({})", reasons.join(", "))
    };
    format!(
        "{} left the fit{why}; {} stayed in the fit but may not enter a bank, because systems that do well elsewhere do no \
         better on them.",
        counted(fit.dropped.len(), "item", "items"),
        count(screened)
    )
}

fn screened_items(fit: &Fit, screened: usize) -> Table {
    let columns = vec![
        Column::name("Criterion"),
        Column::words("Query"),
        Column::number("Item-rest correlation"),
        Column::number("Passed"),
    ];
    let mut table = Table::new("Kept out of the bank", "fit.json", columns);
    for item in fit.items.iter().filter(|item| item.screened_out).take(HELD) {
        let cells = vec![
            Cell::id(&item.criterion),
            Cell::id(&item.query),
            table.number(item.item_rest, Form::Decimal(3), item.item_rest_undefined.as_ref()),
            table.number(Some(item.pass_rate), Form::Percent, None),
        ];
        table.push(cells);
    }
    table.total = screened;
    table
}

fn dropped_items(fit: &Fit) -> Table {
    let columns = vec![Column::name("Criterion"), Column::words("Query"), Column::words("Why")];
    let mut table = Table::new("Left out of the fit", "fit.json", columns);
    for item in fit.dropped.iter().take(HELD) {
        table.push(vec![
            Cell::id(&item.criterion),
            Cell::id(&item.query),
            Cell::words(item.reason.words()),
        ]);
    }
    table.total = fit.dropped.len();
    table
}
