//! Rows of artifacts as columns: a column a field, in the order of the type, named as in the JSON.
//!
//! One way for every table of every artifact, so that a field that is added to a row is a column at once. A column has the type
//! of its field whatever the rows hold, also where there is no row: [`shape`] asks the type itself.

mod cell;
mod shape;

use serde::Serialize;
use serde::de::DeserializeOwned;

use cell::{Cell, cells};
use shape::{Kind, shape};

/// A column of an artifact's table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    /// Texts; words of enumerations, reasons and joined lists too.
    Text(Vec<Option<String>>),
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// Whole numbers.
    Integer(Vec<Option<i64>>),
    /// Truth values.
    Flag(Vec<Option<bool>>),
}

/// The columns of some rows with their names; types that can be read tell their columns even without a row.
pub(crate) fn columns<T: Serialize + DeserializeOwned>(rows: &[T]) -> Vec<(String, Column)> {
    filled(shape::<T>(), rows)
}

/// The columns of rows that are only ever written: those of the first row, of the kinds met.
pub(crate) fn columns_met<T: Serialize>(rows: &[T]) -> Vec<(String, Column)> {
    filled(Vec::new(), rows)
}

fn filled<T: Serialize>(known: Vec<(String, Kind)>, rows: &[T]) -> Vec<(String, Column)> {
    let mut kinds = known;
    let mut filled: Vec<Vec<Cell>> = kinds.iter().map(|_| Vec::with_capacity(rows.len())).collect();
    for (before, row) in rows.iter().enumerate() {
        for (name, cell) in cells(row) {
            let at = kinds.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                kinds.push((name.to_owned(), Kind::Unknown));
                filled.push(vec![Cell::Null; before]);
                kinds.len() - 1
            });
            filled[at].push(cell);
        }
        filled.iter_mut().for_each(|cells| cells.resize(before + 1, Cell::Null));
    }
    kinds
        .into_iter()
        .zip(filled)
        .map(|((name, kind), cells)| (name, column(kind, cells)))
        .collect()
}

fn column(kind: Kind, cells: Vec<Cell>) -> Column {
    let kind = match kind {
        Kind::Unknown => met(&cells),
        known => known,
    };
    match kind {
        Kind::Number => Column::Number(cells.iter().map(Cell::number).collect()),
        Kind::Integer => Column::Integer(cells.iter().map(Cell::integer).collect()),
        Kind::Flag => Column::Flag(cells.iter().map(Cell::flag).collect()),
        Kind::Text | Kind::Unknown => Column::Text(cells.into_iter().map(Cell::text).collect()),
    }
}

/// The kind of cells whose type does not say it.
fn met(cells: &[Cell]) -> Kind {
    let mut kinds = cells.iter().filter_map(|cell| match cell {
        Cell::Null => None,
        Cell::Flag(_) => Some(Kind::Flag),
        Cell::Integer(_) => Some(Kind::Integer),
        Cell::Number(_) => Some(Kind::Number),
        Cell::Text(_) => Some(Kind::Text),
    });
    kinds.next().unwrap_or(Kind::Text)
}
