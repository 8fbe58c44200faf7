//! Rows of an import as columns: a list a column, with None where nothing is known.

use calibrant_schema::query::Query;
use calibrant_store::formats::{Collected, CriterionRow, ResponseRow, VerdictRow};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// The columns of every noun.
pub(super) fn of<'py>(py: Python<'py>, rows: &Collected) -> PyResult<Bound<'py, PyDict>> {
    let nouns = PyDict::new(py);
    nouns.set_item("criteria", criteria(py, &rows.criteria)?)?;
    nouns.set_item("queries", queries(py, &rows.queries)?)?;
    nouns.set_item("responses", responses(py, &rows.responses)?)?;
    nouns.set_item("verdicts", verdicts(py, &rows.verdicts)?)?;
    Ok(nouns)
}

/// Columns of rows, put one by one.
struct Columns<'py, 'r, R> {
    py: Python<'py>,
    rows: &'r [R],
    columns: Bound<'py, PyDict>,
}

impl<'py, 'r, R> Columns<'py, 'r, R> {
    fn new(py: Python<'py>, rows: &'r [R]) -> Self {
        Self {
            py,
            rows,
            columns: PyDict::new(py),
        }
    }

    fn put<T: IntoPyObject<'py>>(&self, name: &str, of: impl Fn(&'r R) -> T) -> PyResult<()> {
        let cells = self
            .rows
            .iter()
            .map(|row| of(row).into_bound_py_any(self.py))
            .collect::<PyResult<Vec<_>>>()?;
        self.columns.set_item(name, PyList::new(self.py, cells)?)
    }
}

fn criteria<'py>(py: Python<'py>, rows: &[CriterionRow]) -> PyResult<Bound<'py, PyDict>> {
    let columns = Columns::new(py, rows);
    columns.put("criterion", |row| &row.id)?;
    columns.put("query", |row| &row.query)?;
    columns.put("question", |row| &row.question)?;
    columns.put("weight", |row| row.weight)?;
    columns.put("tags", |row| row.tags.clone())?;
    columns.put("levels", |row| row.levels.clone())?;
    columns.put("check", |row| row.check.as_ref().map(Value::to_string))?;
    Ok(columns.columns)
}

/// A text, or messages as JSON.
fn text_or_json(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        messages => messages.to_string(),
    }
}

fn queries<'py>(py: Python<'py>, rows: &[Query]) -> PyResult<Bound<'py, PyDict>> {
    let columns = Columns::new(py, rows);
    columns.put("query", |row| &row.query)?;
    columns.put("prompt", |row| row.prompt.as_ref().map(text_or_json))?;
    columns.put("task_type", |row| &row.task_type)?;
    columns.put("domain", |row| &row.domain)?;
    columns.put("tags", |row| row.tags.clone())?;
    columns.put("weight", |row| row.weight)?;
    columns.put("cluster", |row| &row.cluster)?;
    Ok(columns.columns)
}

fn responses<'py>(py: Python<'py>, rows: &[ResponseRow]) -> PyResult<Bound<'py, PyDict>> {
    let columns = Columns::new(py, rows);
    columns.put("system", |row| &row.system)?;
    columns.put("query", |row| &row.query)?;
    columns.put("sample", |row| &row.sample)?;
    columns.put("response", |row| text_or_json(&row.body))?;
    Ok(columns.columns)
}

fn verdicts<'py>(py: Python<'py>, rows: &[VerdictRow]) -> PyResult<Bound<'py, PyDict>> {
    let columns = Columns::new(py, rows);
    columns.put("system", |row| &row.cell.system)?;
    columns.put("query", |row| &row.cell.query)?;
    columns.put("sample", |row| &row.cell.sample)?;
    columns.put("criterion", |row| &row.cell.criterion)?;
    columns.put("judge", |row| &row.cell.judge)?;
    columns.put("repeat", |row| row.cell.repeat)?;
    columns.put("label", |row| row.label)?;
    columns.put("status", |row| row.status.as_str())?;
    columns.put("probability", |row| row.probability)?;
    columns.put("verdict_source", |row| row.source.map(|source| source.word()))?;
    columns.put("reason", |row| &row.reason)?;
    columns.put("evidence", |row| &row.evidence)?;
    columns.put("comment", |row| &row.comment)?;
    columns.put("model_answered", |row| &row.model_answered)?;
    columns.put("tokens_in", |row| row.tokens_in)?;
    columns.put("tokens_out", |row| row.tokens_out)?;
    columns.put("cost_usd", |row| row.cost_usd)?;
    columns.put("latency_ms", |row| row.latency_ms)?;
    columns.put("judged_at", |row| &row.judged_at)?;
    Ok(columns.columns)
}
