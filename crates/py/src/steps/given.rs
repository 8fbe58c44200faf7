//! What steps are given: verdicts, rubrics, queries and trusted labels, as objects or as the files they are in.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::{Gold, Origin, Request, memory};
use calibrant_schema::Rubric;
use calibrant_schema::query::Query;
use calibrant_store::tables::ReadVerdicts;
use calibrant_store::{Document, Source, read_queries, read_rubric};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::steps::bank::Bank;
use crate::steps::calibration::Calibration;
use crate::steps::simulate::SimulatedPanel;
use crate::{arrow, errors};

/// Descriptions of queries.
pub(crate) type Queries = Document<Vec<Query>>;

/// What stands beside verdicts and labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    pub rubric: Option<Arc<Rubric>>,
    pub queries: Option<Arc<Queries>>,
}

impl Beside {
    /// The rubric and the queries given as arguments.
    pub fn given(rubric: Option<&Bound<'_, PyAny>>, queries: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self {
            rubric: rubric.map(rubric_of).transpose()?,
            queries: queries.map(queries_of).transpose()?,
        })
    }

    /// The same, with what a calibration was made with where nothing is given.
    pub fn or_of(self, calibration: &Calibration) -> Self {
        Self {
            rubric: self.rubric.or_else(|| calibration.beside.rubric.clone()),
            queries: self.queries.or_else(|| calibration.beside.queries.clone()),
        }
    }

    /// As the steps take it.
    pub fn context(&self) -> memory::Context<'_> {
        memory::Context {
            rubric: self.rubric.as_deref(),
            queries: self.queries.as_deref(),
        }
    }
}

/// The rubric of an argument: a rubric, a bank, or a file of either.
pub(crate) fn rubric_of(value: &Bound<'_, PyAny>) -> PyResult<Arc<Rubric>> {
    let py = value.py();
    if let Ok(bank) = value.cast::<Bank>() {
        return bank.get().as_rubric(py);
    }
    if let Ok(rubric) = value.cast::<crate::rubric::Rubric>() {
        return Ok(Arc::new(rubric.get().document.value.clone()));
    }
    let Ok(path) = value.extract::<PathBuf>() else {
        let what = format!("rubric is a {}", value.get_type().name()?);
        return Err(errors::argument(
            py,
            "rubric",
            &what,
            Some("give a Rubric, a Bank or the path of a file"),
        ));
    };
    let document = read_rubric(&path).map_err(|error| errors::of_store(py, &error))?;
    Ok(Arc::new(document.value))
}

/// The queries of an argument: queries, or their file.
pub(crate) fn queries_of(value: &Bound<'_, PyAny>) -> PyResult<Arc<Queries>> {
    let py = value.py();
    if let Ok(queries) = value.cast::<crate::rubric::Queries>() {
        return Ok(Arc::new(queries.get().document.clone()));
    }
    let Ok(path) = value.extract::<PathBuf>() else {
        let what = format!("queries is a {}", value.get_type().name()?);
        return Err(errors::argument(
            py,
            "queries",
            &what,
            Some("give Queries or the path of a file"),
        ));
    };
    let document = read_queries(&path).map_err(|error| errors::of_store(py, &error))?;
    Ok(Arc::new(document))
}

/// One path or a list of them; none for anything else. A data frame is no list, though it gives the names of its columns like one.
pub(crate) fn paths_of(value: &Bound<'_, PyAny>) -> Option<Vec<PathBuf>> {
    if let Ok(path) = value.extract::<PathBuf>() {
        return Some(vec![path]);
    }
    if !(value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()) {
        return None;
    }
    value.extract::<Vec<PathBuf>>().ok().filter(|paths| !paths.is_empty())
}

/// The verdicts of an argument: verdicts, files or frames, which are read as the request says.
pub(crate) fn verdicts_of(
    argument: &str,
    value: &Bound<'_, PyAny>,
    request: &mut Request,
    rubric: Option<&Rubric>,
) -> PyResult<ReadVerdicts> {
    let py = value.py();
    if let Ok(panel) = value.cast::<SimulatedPanel>() {
        request.origin = Origin::Simulated;
        return Ok(memory::in_memory(panel.get().verdicts.as_ref().clone()));
    }
    if let Ok(verdicts) = value.cast::<crate::verdicts::Verdicts>() {
        if request.config.scale().is_some() || !request.config.columns().is_empty() {
            let what = format!("{argument} is read already, and `columns` and `scale` act while files are read");
            let help = "give them to read_verdicts or Verdicts.from_table";
            return Err(errors::argument(py, argument, &what, Some(help)));
        }
        return Ok(verdicts.get().read.clone());
    }
    let sources = move || -> PyResult<Vec<Source>> {
        if let Some(paths) = paths_of(value) {
            return Ok(paths.iter().map(|path| Source::from(path.as_path())).collect());
        }
        let batches = arrow::batches(value, argument)?;
        let name = argument.to_owned();
        Ok(vec![Source::Batches { name, batches }])
    };
    let read = memory::read(request, sources()?, rubric);
    read.map_err(|error| errors::of_project(py, &error))
}

/// Trusted labels of an argument: judges of the table by name, verdicts, or a file.
pub(crate) enum Trusted {
    /// Named to the request.
    Named(Gold),
    /// At hand.
    AtHand(Box<ReadVerdicts>),
}

impl Trusted {
    /// What an argument means; a text is a file of that name if there is one, else a judge.
    pub fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(verdicts) = value.cast::<crate::verdicts::Verdicts>() {
            return Ok(Self::AtHand(Box::new(verdicts.get().read.clone())));
        }
        if let Ok(text) = value.extract::<String>() {
            return Ok(Self::Named(Gold::of_text(&text)));
        }
        if let Ok(path) = value.extract::<PathBuf>() {
            return Ok(Self::Named(Gold::File(path)));
        }
        if let Ok(judges) = value.extract::<Vec<String>>() {
            return Ok(Self::Named(Gold::Judges(judges)));
        }
        let what = format!("gold is a {}", value.get_type().name()?);
        let help = "name judges of the table, or give Verdicts or the path of a file";
        Err(errors::argument(value.py(), "gold", &what, Some(help)))
    }

    /// The part for the request, and the part at hand.
    pub fn parts(value: Option<&Bound<'_, PyAny>>) -> PyResult<(Option<Gold>, Option<ReadVerdicts>)> {
        Ok(match value.map(Self::of).transpose()? {
            None => (None, None),
            Some(Self::Named(gold)) => (Some(gold), None),
            Some(Self::AtHand(read)) => (None, Some(*read)),
        })
    }
}
