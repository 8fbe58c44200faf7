//! Files of other tools, in and out; what they are to Python is in `calibrant/_formats.py`.

mod parts;

use std::path::PathBuf;

use calibrant_project::ProjectError;
use calibrant_project::export::{ExportOptions, LabelsOf, MaterialRequest, export_to_path, read_material};
use calibrant_project::import::{
    ImportRequest, ImportSource, Importing, gather, import_to_folder, import_to_ledger, losses_json,
};
use calibrant_schema::config::Config;
use calibrant_stats::watch::Watch;
use calibrant_store::formats::{Form, ItemForm, WideLayout};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::{calls, errors};

/// Adds the functions behind `calibrant.import_files` and `calibrant.export`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(import_rows, module)?)?;
    module.add_function(wrap_pyfunction!(import_to, module)?)?;
    module.add_function(wrap_pyfunction!(export_files, module)?)
}

/// What a call says of the files it imports.
struct Asked {
    paths: Vec<PathBuf>,
    form: Option<Form>,
    systems: Vec<String>,
    judges: Vec<String>,
    wide: WideLayout,
}

impl Asked {
    fn new(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        form: Option<&str>,
        (systems, judges): (Vec<String>, Vec<String>),
        layout: &str,
    ) -> PyResult<Self> {
        let wide = match layout {
            "systems-in-rows" => WideLayout::SystemsInRows,
            "items-in-rows" => WideLayout::ItemsInRows,
            other => {
                let message = format!("`{other}` is no layout of a wide matrix");
                let help = "write systems-in-rows or items-in-rows";
                return Err(errors::argument(py, "layout", &message, Some(help)));
            }
        };
        Ok(Self {
            paths,
            form: form.map(|word| of_word(py, word)).transpose()?,
            systems,
            judges,
            wide,
        })
    }

    fn request(self) -> ImportRequest {
        ImportRequest {
            files: self.paths.into_iter().map(ImportSource::Path).collect(),
            form: self.form,
            systems: self.systems,
            judges: self.judges,
            wide: self.wide,
        }
    }
}

fn of_word(py: Python<'_>, word: &str) -> PyResult<Form> {
    Form::of_word(word).map_err(|error| errors::argument(py, "form", &error.to_string(), None))
}

/// Tells whoever asked how far an import has come, and ends it when a callback raised or somebody pressed Ctrl-C.
struct Teller {
    callback: Option<Py<PyAny>>,
    raised: Option<PyErr>,
    file: String,
}

impl Teller {
    fn new(callback: Option<Py<PyAny>>) -> Self {
        Self {
            callback,
            raised: None,
            file: String::new(),
        }
    }

    fn on(&mut self, importing: Importing<'_>) -> Result<(), String> {
        Watch::current().step();
        let rows = match importing {
            Importing::File(name) => {
                name.clone_into(&mut self.file);
                0
            }
            Importing::Rows(rows) => rows,
        };
        let Some(callback) = &self.callback else { return Ok(()) };
        let told = Python::attach(|py| callback.call1(py, (self.file.as_str(), rows, py.None())).map(drop));
        told.map_err(|error| {
            self.raised = Some(error);
            "the progress callback raised".to_owned()
        })
    }
}

/// Imports without the interpreter's lock.
fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    import: impl FnOnce(&mut dyn FnMut(Importing<'_>) -> Result<(), String>) -> Result<T, ProjectError> + Send,
) -> PyResult<T> {
    let mut teller = Teller::new(progress);
    let done = calls::detached(py, || import(&mut |importing| teller.on(importing)))?;
    match (done, teller.raised) {
        (_, Some(raised)) => Err(raised),
        (Ok(value), None) => Ok(value),
        (Err(error), None) => Err(errors::of_project(py, &error)),
    }
}

/// Read files into memory: the summary as JSON, and what they hold by noun.
#[pyfunction]
#[pyo3(signature = (paths, form, systems, judges, layout, progress))]
fn import_rows<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    form: Option<&str>,
    systems: Vec<String>,
    judges: Vec<String>,
    layout: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let asked = Asked::new(py, paths, form, (systems, judges), layout)?;
    let gathered = watched(py, progress, |on| gather(asked.request(), on))?;
    Ok((gathered.summary.to_json().to_string(), parts::of(py, &gathered)?))
}

/// Read files into a project folder or a ledger: the summary as JSON.
#[pyfunction]
#[pyo3(signature = (paths, form, systems, judges, layout, out, into, progress))]
#[expect(clippy::too_many_arguments, reason = "the facade names them")]
fn import_to(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    form: Option<&str>,
    systems: Vec<String>,
    judges: Vec<String>,
    layout: &str,
    out: Option<PathBuf>,
    into: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let asked = Asked::new(py, paths, form, (systems, judges), layout)?;
    watched(py, progress, |on| match (&out, &into) {
        (Some(out), None) => to_folder(asked.request(), out, on),
        (None, Some(ledger)) => {
            let (summary, into) = import_to_ledger(asked.request(), ledger, on)?;
            let mut told = summary.to_json();
            told["added"] = json!(into.added);
            told["known"] = json!(into.known);
            Ok(told.to_string())
        }
        _ => unreachable!("the facade gives one target"),
    })
}

fn to_folder(
    request: ImportRequest,
    out: &std::path::Path,
    on: &mut dyn FnMut(Importing<'_>) -> Result<(), String>,
) -> Result<String, ProjectError> {
    let (summary, written, doubts) = import_to_folder(request, out, on)?;
    let mut told = summary.to_json();
    told["written"] = json!(written);
    told["doubts"] = doubts.iter().map(|doubt| json!(doubt.diagnostic)).collect();
    Ok(told.to_string())
}

/// Write a form from files: what was written and lost, as JSON.
#[pyfunction]
#[pyo3(signature = (form, path, rubric, queries, responses, verdicts, folder, system, judge, parameters, scale))]
#[expect(clippy::too_many_arguments, reason = "the facade names them")]
fn export_files(
    py: Python<'_>,
    form: &str,
    path: PathBuf,
    rubric: Option<PathBuf>,
    queries: Option<PathBuf>,
    responses: Option<PathBuf>,
    verdicts: Vec<PathBuf>,
    folder: Option<PathBuf>,
    system: Option<String>,
    judge: Option<String>,
    parameters: Option<&str>,
    scale: Option<&str>,
) -> PyResult<String> {
    let form = of_word(py, form)?;
    let mut config = Config::default();
    if let Some(scale) = scale {
        let set = config.set_flag("scale", scale);
        set.map_err(|error| errors::argument(py, "scale", &error.to_string(), Some("write binary, 1..5 or 0,0.5,1")))?;
    }
    let request = MaterialRequest {
        form,
        config,
        rubric,
        queries,
        responses,
        verdicts,
        from: folder,
        labels: judge.clone().map_or(LabelsOf::Consensus, LabelsOf::Judge),
    };
    let options = ExportOptions {
        form,
        system,
        judge,
        layout: ExportOptions::layout_of(&path),
        parameters: parameters.map(|word| item_form(py, word)).transpose()?,
    };
    let written = calls::detached(py, || {
        let owned = read_material(&request, &mut |_| Watch::current().step())?;
        export_to_path(owned.material(), &options, &path)
    })?;
    let (files, losses) = written.map_err(|error| errors::of_project(py, &error))?;
    let files: Vec<Value> = files.iter().map(|file| json!(file.display().to_string())).collect();
    Ok(json!({"written": files, "losses": losses_json(&losses)}).to_string())
}

fn item_form(py: Python<'_>, word: &str) -> PyResult<ItemForm> {
    let known = ItemForm::ALL.into_iter().find(|form| form.word() == word);
    known.ok_or_else(|| {
        let message = format!("`{word}` is no form of item parameters");
        errors::argument(
            py,
            "parameters",
            &message,
            Some("write slope-intercept or slope-difficulty"),
        )
    })
}
