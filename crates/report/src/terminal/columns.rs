//! A plain table that fits a width by giving up columns.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets::NOTHING};

/// One column; among those that may go, the one with the highest `give_up` goes first, and 0 never goes.
pub(super) struct Column {
    pub head: &'static str,
    pub is_number: bool,
    pub give_up: u8,
    pub cells: Vec<String>,
}

impl Column {
    pub fn number(head: &'static str, give_up: u8, cells: Vec<String>) -> Self {
        Self {
            head,
            is_number: true,
            give_up,
            cells,
        }
    }

    pub fn words(head: &'static str, give_up: u8, cells: Vec<String>) -> Self {
        Self {
            head,
            is_number: false,
            give_up,
            cells,
        }
    }
}

/// The columns side by side, ending in a line feed, with a line that names the columns given up for want of width.
pub(super) fn table(mut columns: Vec<Column>, width: usize) -> String {
    let mut given_up = Vec::new();
    while natural_width(&columns) > width {
        let Some(least) = (0..columns.len())
            .filter(|&at| columns[at].give_up > 0)
            .max_by_key(|&at| columns[at].give_up)
        else {
            break;
        };
        given_up.push(columns.remove(least).head);
    }
    let mut text: String = built(&columns)
        .trim_fmt()
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    if !given_up.is_empty() {
        given_up.reverse();
        text.push_str(&format!("not shown at this width: {}\n", given_up.join(", ")));
    }
    text
}

fn natural_width(columns: &[Column]) -> usize {
    /// One blank on either side of a cell.
    const PADDING: usize = 2;
    built(columns)
        .column_max_content_widths()
        .into_iter()
        .map(|width| usize::from(width) + PADDING)
        .sum()
}

fn built(columns: &[Column]) -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| column.head));
    let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    for row in 0..rows {
        table.add_row(columns.iter().map(|column| column.cells[row].as_str()));
    }
    for (at, column) in columns.iter().enumerate() {
        if column.is_number
            && let Some(set) = table.column_mut(at)
        {
            set.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
