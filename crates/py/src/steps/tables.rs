//! Rows of artifacts as tables.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::rows::{Column, columns, columns_met};
use crate::table::{Builder, Table};

/// The table of some rows.
pub(crate) fn table<T: Serialize + DeserializeOwned>(rows: &[T]) -> Table {
    built(columns(rows))
}

/// The table of rows that are only ever written.
pub(crate) fn table_met<T: Serialize>(rows: &[T]) -> Table {
    built(columns_met(rows))
}

fn built(columns: Vec<(String, Column)>) -> Table {
    let built = columns
        .into_iter()
        .fold(Builder::default(), |table, (name, column)| match column {
            Column::Text(cells) => table.text(&name, cells),
            Column::Number(cells) => table.number(&name, cells),
            Column::Integer(cells) => table.integer(&name, cells),
            Column::Flag(cells) => table.flag(&name, cells),
        });
    built.finish()
}
