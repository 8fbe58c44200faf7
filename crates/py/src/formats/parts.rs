//! What an import holds as objects of Python: rubric, queries and verdicts as any other, and every row as a table.

use calibrant_project::import::{Gathered, ImportedText};
use calibrant_project::reading;
use calibrant_schema::query::parse_queries;
use calibrant_schema::turn::turns;
use calibrant_store::Source;
use calibrant_store::formats::{ResponseRow, VerdictRow};
use calibrant_store::tables::read_verdicts;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::rubric::{Queries, Rubric, document};
use crate::table::{Builder, Table};
use crate::verdicts::Verdicts;

/// The parts of an import by name; a noun without any row is None.
pub(super) fn of<'py>(py: Python<'py>, gathered: &Gathered) -> PyResult<Bound<'py, PyDict>> {
    let rubric = rubric(py, gathered)?;
    let verdicts = verdicts(py, gathered, rubric.as_ref().map(|rubric| &rubric.document.value))?;
    let parts = PyDict::new(py);
    parts.set_item("rubric", rubric)?;
    parts.set_item("queries", queries(py, gathered)?)?;
    parts.set_item("responses", responses(&gathered.rows.responses))?;
    parts.set_item("verdicts", verdicts)?;
    parts.set_item("verdict_rows", verdict_rows(&gathered.rows.verdicts))?;
    Ok(parts)
}

fn rubric(py: Python<'_>, gathered: &Gathered) -> PyResult<Option<Rubric>> {
    let text = gathered.rubric().map_err(|error| errors::of_project(py, &error))?;
    text.map(
        |ImportedText { name, text }| match calibrant_schema::Rubric::parse(&text, name) {
            Ok((value, warnings)) => Ok(Rubric {
                document: document(value, warnings, &text, name),
            }),
            Err(mistakes) => Err(errors::of_diagnostics(py, mistakes, &text)),
        },
    )
    .transpose()
}

fn queries(py: Python<'_>, gathered: &Gathered) -> PyResult<Option<Queries>> {
    let text = gathered.queries();
    text.map(|ImportedText { name, text }| match parse_queries(&text, name) {
        Ok((value, warnings)) => Ok(Queries {
            document: document(value, warnings, &text, name),
        }),
        Err(mistakes) => Err(errors::of_diagnostics(py, mistakes, &text)),
    })
    .transpose()
}

fn verdicts(
    py: Python<'_>,
    gathered: &Gathered,
    rubric: Option<&calibrant_schema::Rubric>,
) -> PyResult<Option<Verdicts>> {
    let Some(ImportedText { name, text }) = gathered.verdicts() else {
        return Ok(None);
    };
    let options = reading(Default::default(), None, rubric);
    let read = py.detach(|| read_verdicts(vec![Source::bytes(name, text.into_bytes())], &options));
    read.map(|read| Some(Verdicts { read }))
        .map_err(|findings| errors::of_findings(py, &findings))
}

fn responses(rows: &[ResponseRow]) -> Table {
    let text = |row: &ResponseRow| {
        let turns = turns(&row.body, "assistant").into_iter().map(|turn| turn.text);
        turns.collect::<Vec<_>>().join("\n\n")
    };
    Builder::default()
        .text("system", rows.iter().map(|row| Some(&row.system)))
        .text("query", rows.iter().map(|row| Some(&row.query)))
        .text("sample", rows.iter().map(|row| Some(&row.sample)))
        .text("response", rows.iter().map(|row| Some(text(row))))
        .finish()
}

fn verdict_rows(rows: &[VerdictRow]) -> Table {
    let whole = |of: fn(&VerdictRow) -> Option<u64>| {
        let as_whole = move |row: &VerdictRow| of(row).and_then(|whole| i64::try_from(whole).ok());
        rows.iter().map(as_whole)
    };
    Builder::default()
        .text("system", rows.iter().map(|row| Some(&row.cell.system)))
        .text("query", rows.iter().map(|row| Some(&row.cell.query)))
        .text("sample", rows.iter().map(|row| Some(&row.cell.sample)))
        .text("criterion", rows.iter().map(|row| Some(&row.cell.criterion)))
        .text("judge", rows.iter().map(|row| Some(&row.cell.judge)))
        .integer("repeat", rows.iter().map(|row| Some(row.cell.repeat.into())))
        .number("label", rows.iter().map(|row| row.label))
        .text("status", rows.iter().map(|row| Some(row.status.as_str())))
        .number("probability", rows.iter().map(|row| row.probability))
        .text(
            "verdict_source",
            rows.iter().map(|row| row.source.map(|source| source.word())),
        )
        .text("reason", rows.iter().map(|row| row.reason.as_ref()))
        .text("evidence", rows.iter().map(|row| row.evidence.as_ref()))
        .text("comment", rows.iter().map(|row| row.comment.as_ref()))
        .text("flags", rows.iter().map(|row| row.flags.as_ref()))
        .text("model_answered", rows.iter().map(|row| row.model_answered.as_ref()))
        .integer("tokens_in", whole(|row| row.tokens_in))
        .integer("tokens_out", whole(|row| row.tokens_out))
        .number("cost_usd", rows.iter().map(|row| row.cost_usd))
        .integer("latency_ms", whole(|row| row.latency_ms))
        .text("judged_at", rows.iter().map(|row| row.judged_at.as_ref()))
        .finish()
}
