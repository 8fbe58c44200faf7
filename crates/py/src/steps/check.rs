//! `check` and `check_responses`.

use std::path::PathBuf;

use calibrant_project::{Checked, ProjectError, check_rubric, code_answers, verdict_findings};
use calibrant_steps::check::{CODE_JUDGE, CodeVerdict};
use calibrant_store::{Findings, StoreError, read_responses};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::calls::detached;
use crate::errors;
use crate::steps::given::{paths_of, rubric_of};
use crate::steps::tables::table;
use crate::table::Table;

/// Check and lint a rubric file or a bank.
///
/// Parameters
/// ----------
/// rubric : path
///     YAML, JSON or JSON lines, or a ``bank.json``.
/// verdicts : path or list of paths, optional
///     Tables of verdicts, to look also for criteria whose labels go together.
///
/// Returns
/// -------
/// list of Finding
///     Errors, warnings and notes in the order of the file, each with its place and what to do; a file that is no rubric has its mistakes
///     here too.
///
/// Raises
/// ------
/// FileError
///     If the rubric cannot be read.
/// InputError
///     If a table of verdicts has mistakes.
///
/// Notes
/// -----
/// The lints are in ``docs/lints``. The same as ``calibrant check``.
#[pyfunction]
#[pyo3(signature = (rubric, *, verdicts=None))]
fn check<'py>(
    py: Python<'py>,
    rubric: PathBuf,
    verdicts: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    std::fs::File::open(&rubric).map_err(|reason| errors::unreadable(py, &rubric, &reason))?;
    let tables = match verdicts {
        None => Vec::new(),
        Some(value) => paths_of(value).ok_or_else(|| {
            let what = "verdicts is neither a path nor a list of paths";
            errors::argument(
                py,
                "verdicts",
                what,
                Some("give the path of a table, or a list of paths"),
            )
        })?,
    };
    let checked = detached(py, || -> Result<Result<Checked, Findings>, ProjectError> {
        match check_rubric(&rubric) {
            Ok(mut checked) => {
                if !tables.is_empty() {
                    verdict_findings(&mut checked, &tables)?;
                }
                Ok(Ok(checked))
            }
            Err(ProjectError::Findings(found) | ProjectError::Store(StoreError::Findings(found))) => Ok(Err(found)),
            Err(other) => Err(other),
        }
    })?;
    let found = match checked.map_err(|error| errors::of_project(py, &error))? {
        Ok(checked) => checked.each().collect(),
        Err(found) => found.shown().to_vec(),
    };
    errors::findings(py, &found)
}

/// A verdict of code as a row of a table of verdicts.
#[derive(Serialize, Deserialize)]
struct CodeRow {
    system: String,
    query: String,
    sample: String,
    criterion: String,
    judge: String,
    label: f64,
    rubric_hash: String,
    verdict_source: String,
}

/// Ask the criteria that code decides of every response.
///
/// Parameters
/// ----------
/// rubric : Rubric or path
///     With a ``check`` on one criterion or more.
/// responses : path
///     ``responses.jsonl``, plain, gzip or zstd.
///
/// Returns
/// -------
/// Table
///     The verdicts of the judge ``code``: ``system``, ``query``, ``sample``, ``criterion``, ``judge``, ``label``,
///     ``rubric_hash``, ``verdict_source``; a table like any other.
///
/// Raises
/// ------
/// InputError
///     If the responses cannot be read, no criterion has a check, or a check cannot be used.
///
/// Notes
/// -----
/// METHODS 8. The same verdicts as ``calibrant check --responses FILE --write FILE``.
#[pyfunction]
fn check_responses(py: Python<'_>, rubric: &Bound<'_, PyAny>, responses: PathBuf) -> PyResult<Table> {
    let rubric = rubric_of(rubric)?;
    let rows = detached(py, || -> Result<Vec<CodeRow>, ProjectError> {
        let responses = read_responses(&responses)?.value;
        let hash = rubric.hash().to_string();
        let row = |said: &CodeVerdict| {
            let response = &responses[said.response];
            CodeRow {
                system: response.system.clone(),
                query: response.query.clone(),
                sample: response.sample.clone(),
                criterion: rubric.criteria[said.criterion].id.clone(),
                judge: CODE_JUDGE.to_owned(),
                label: said.label,
                rubric_hash: hash.clone(),
                verdict_source: CODE_JUDGE.to_owned(),
            }
        };
        Ok(code_answers(&rubric, &responses)?.iter().map(row).collect())
    })?;
    Ok(table(&rows.map_err(|error| errors::of_project(py, &error))?))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(check_responses, module)?)
}
