//! The blocks of a run for a terminal.

use calibrant_schema::blocks::{BlockRow, Blocks};

use crate::number::{count, decimal};

use super::columns::{Column, table};
use super::{Style, id, prose};

/// Blocks listed; the artifact has them all.
const LISTED: usize = 12;
/// Characters of a name shown in a terminal.
const LONGEST: usize = 24;

/// The blocks as plain text: what is in each, its bank, the systems of its first tier, and how far it ranks systems as the
/// whole does. One line a block in the artifact's order; `-` where a number is missing.
#[must_use]
pub fn blocks_text(blocks: &Blocks, style: Style) -> String {
    let rows = &blocks.blocks[..blocks.blocks.len().min(LISTED)];
    let each = |cell: &dyn Fn(&BlockRow) -> String| -> Vec<String> { rows.iter().map(cell).collect() };
    let number = |value: Option<usize>| value.map_or_else(dash, count);
    let has = |is_there: &dyn Fn(&BlockRow) -> bool| blocks.blocks.iter().any(is_there);
    let mut columns = vec![
        Column::words(blocks.by.word(), 0, each(&|row| id(&row.block, LONGEST))),
        Column::number("systems", 3, each(&|row| count(row.systems))),
        Column::number("queries", 4, each(&|row| count(row.queries))),
        Column::number("items", 0, each(&|row| count(row.items))),
    ];
    if has(&|row| row.kept.is_some()) {
        columns.push(Column::number("kept", 5, each(&|row| number(row.kept))));
    }
    if has(&|row| row.bank.is_some()) {
        columns.push(Column::number("bank", 0, each(&|row| number(row.bank))));
    }
    if has(&|row| row.tiers.is_some()) {
        let tiers = |row: &BlockRow| row.tiers.map_or_else(dash, |tiers| tiers.to_string());
        columns.push(Column::number("tiers", 2, each(&tiers)));
        columns.push(Column::words("first tier", 0, each(&leading)));
    }
    if has(&|row| row.kendall.is_some()) {
        let kendall = |row: &BlockRow| row.kendall.and_then(|tau| decimal(tau, 2)).unwrap_or_else(dash);
        columns.push(Column::number("tau with all", 1, each(&kendall)));
    }
    let mut text = table(columns, style.width);
    if blocks.blocks.len() > rows.len() {
        text.push_str(&format!(
            "{} more are in blocks.json\n",
            count(blocks.blocks.len() - rows.len())
        ));
    }
    for row in rows {
        if let Some(stopped) = &row.stopped {
            let why = prose(&stopped.why.detail);
            text.push_str(&format!("no {} for {}: {why}\n", stopped.step, id(&row.block, LONGEST)));
        }
    }
    text
}

/// The first system of the first tier, and how many share it.
fn leading(row: &BlockRow) -> String {
    match row.leading.as_slice() {
        [] => dash(),
        [only] => id(only, LONGEST),
        [first, others @ ..] => format!("{} and {} more", id(first, LONGEST), others.len()),
    }
}

fn dash() -> String {
    "-".to_owned()
}
