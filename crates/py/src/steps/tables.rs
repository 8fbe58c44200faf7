//! Rows of artifacts as tables.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::rows::{Column, columns, columns_met};

/// The table of some rows.
pub(crate) fn table<'py, T: Serialize + DeserializeOwned>(py: Python<'py>, rows: &[T]) -> PyResult<Bound<'py, PyAny>> {
    built(py, columns(rows))
}

/// The table of rows that are only ever written.
pub(crate) fn table_met<'py, T: Serialize>(py: Python<'py>, rows: &[T]) -> PyResult<Bound<'py, PyAny>> {
    built(py, columns_met(rows))
}

fn built(py: Python<'_>, columns: Vec<(String, Column)>) -> PyResult<Bound<'_, PyAny>> {
    let table = PyDict::new(py);
    for (name, column) in columns {
        match column {
            Column::Text(cells) => table.set_item(name, cells)?,
            Column::Number(cells) => table.set_item(name, cells)?,
            Column::Integer(cells) => table.set_item(name, cells)?,
            Column::Flag(cells) => table.set_item(name, cells)?,
        }
    }
    Ok(table.into_any())
}
