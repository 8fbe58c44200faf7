//! Rubrics and descriptions of queries in Python.

use std::path::PathBuf;

use calibrant_schema::query::{Query, parse_queries};
use calibrant_store::{Document, Finding, Findings, read_queries, read_rubric};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors;
use crate::table::{Builder, Table};

/// A rubric: criteria with weights, and the rule that makes one outcome of them.
///
/// Made by :meth:`Rubric.read` from a file, or by :meth:`Rubric.parse` from a text. The form is that of ``docs/rubric.md``.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct Rubric {
    /// The rubric with its text.
    pub(crate) document: Document<calibrant_schema::Rubric>,
}

#[pymethods]
impl Rubric {
    /// Read a rubric file: YAML, JSON or JSON lines, also below gzip and zstd.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file; its extension says the notation.
    ///
    /// Returns
    /// -------
    /// Rubric
    ///     What it says; what is probably not meant is in ``findings``.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If the file cannot be read or is no rubric: every mistake with its line and column.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| read_rubric(&path));
        let document = read.map_err(|error| errors::of_store(py, &error))?;
        Ok(Self { document })
    }

    /// Parse the text of a rubric.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     YAML, JSON, or JSON lines, as ``name`` says.
    /// name : str, default "rubric.yaml"
    ///     What messages call it; its extension says the notation.
    ///
    /// Returns
    /// -------
    /// Rubric
    ///     What it says.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If it is no rubric: every mistake with its line and column.
    #[staticmethod]
    #[pyo3(signature = (text, name = "rubric.yaml"))]
    fn parse(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        match calibrant_schema::Rubric::parse(text, name) {
            Ok((value, warnings)) => Ok(Self {
                document: document(value, warnings, text, name),
            }),
            Err(mistakes) => Err(errors::of_diagnostics(py, mistakes, text)),
        }
    }

    /// str or None : Its name.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.document.value.name.as_deref()
    }

    /// int or None : Its version.
    #[getter]
    fn version(&self) -> Option<u32> {
        self.document.value.version
    }

    /// str : SHA-256 of all that it says (``docs/hashes.md``).
    #[getter]
    fn hash(&self) -> String {
        self.document.value.hash().to_string()
    }

    /// Table : Its criteria: criterion, query (null for one of all queries), question, weight, gate, monitor, scale, tags, boundary, pass_example, fail_example.
    #[getter]
    fn criteria(&self) -> Table {
        let criteria = &self.document.value.criteria;
        Builder::default()
            .text("criterion", criteria.iter().map(|one| Some(&one.id)))
            .text("query", criteria.iter().map(|one| one.query.as_ref()))
            .text("question", criteria.iter().map(|one| Some(&one.question)))
            .number("weight", criteria.iter().map(|one| Some(one.weight)))
            .flag("gate", criteria.iter().map(|one| Some(one.gate)))
            .flag("monitor", criteria.iter().map(|one| Some(one.monitor)))
            .text("scale", criteria.iter().map(|one| Some(one.scale.to_string())))
            .text("tags", criteria.iter().map(|one| Some(one.tags.join(", "))))
            .text("boundary", criteria.iter().map(|one| one.boundary.as_ref()))
            .text("pass_example", criteria.iter().map(|one| one.pass_example.as_ref()))
            .text("fail_example", criteria.iter().map(|one| one.fail_example.as_ref()))
            .finish()
    }

    /// list of Finding : What is probably not meant.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        findings(py, &self.document)
    }

    /// The rubric as YAML.
    ///
    /// Returns
    /// -------
    /// str
    ///     A text that reads back as the same rubric; comments of a file are not in it.
    fn to_yaml(&self) -> String {
        self.document.value.to_yaml()
    }

    fn __len__(&self) -> usize {
        self.document.value.criteria.len()
    }

    fn __repr__(&self) -> String {
        let name = self.document.value.name.as_deref().unwrap_or("without a name");
        let hash = self.document.value.hash().to_string();
        format!("Rubric {name}: {} criteria, {}", self.__len__(), &hash[..12])
    }

    fn _repr_html_(&self) -> String {
        let heading = crate::table_html::escaped(&self.__repr__());
        format!("<p>{heading}</p>{}", crate::table_html::html(self.criteria().batch()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let document = &slf.get().document;
        Ok((
            slf.get_type().getattr("parse")?,
            (document.text.clone(), document.file.clone()),
        ))
    }
}

/// Descriptions of queries: prompts, task types, domains, tags, weights and clusters.
///
/// Made by :meth:`Queries.read` from ``queries.jsonl`` (``docs/rubric.md``), or by :meth:`Queries.parse`.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct Queries {
    /// The queries with their text.
    pub(crate) document: Document<Vec<Query>>,
}

#[pymethods]
impl Queries {
    /// Read ``queries.jsonl``, plain, gzip or zstd.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file.
    ///
    /// Returns
    /// -------
    /// Queries
    ///     What it says.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If it cannot be read or a row is wrong.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| read_queries(&path));
        let document = read.map_err(|error| errors::of_store(py, &error))?;
        Ok(Self { document })
    }

    /// Parse rows of queries.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     JSON lines, a query each.
    /// name : str, default "queries.jsonl"
    ///     What messages call it.
    ///
    /// Returns
    /// -------
    /// Queries
    ///     What it says.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If a row is wrong.
    #[staticmethod]
    #[pyo3(signature = (text, name = "queries.jsonl"))]
    fn parse(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        match parse_queries(text, name) {
            Ok((value, warnings)) => Ok(Self {
                document: document(value, warnings, text, name),
            }),
            Err(mistakes) => Err(errors::of_diagnostics(py, mistakes, text)),
        }
    }

    /// Table : query, prompt (its text), task_type, domain, tags, weight, cluster.
    #[getter]
    fn table(&self) -> Table {
        let queries = &self.document.value;
        let prompt = |query: &Query| {
            let turns: Vec<String> = query.turns().into_iter().map(|turn| turn.text).collect();
            (!turns.is_empty()).then(|| turns.join("\n\n"))
        };
        Builder::default()
            .text("query", queries.iter().map(|one| Some(&one.query)))
            .text("prompt", queries.iter().map(prompt))
            .text("task_type", queries.iter().map(|one| one.task_type.as_ref()))
            .text("domain", queries.iter().map(|one| one.domain.as_ref()))
            .text("tags", queries.iter().map(|one| Some(one.tags.join(", "))))
            .number("weight", queries.iter().map(|one| Some(one.weight)))
            .text("cluster", queries.iter().map(|one| one.cluster.as_ref()))
            .finish()
    }

    /// list of Finding : What is probably not meant.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        findings(py, &self.document)
    }

    fn __len__(&self) -> usize {
        self.document.value.len()
    }

    fn __repr__(&self) -> String {
        format!("Queries: {}", self.document.value.len())
    }

    fn _repr_html_(&self) -> String {
        crate::table_html::html(self.table().batch())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let document = &slf.get().document;
        Ok((
            slf.get_type().getattr("parse")?,
            (document.text.clone(), document.file.clone()),
        ))
    }
}

/// A text as the document of a file of this name would be.
pub(crate) fn document<T>(value: T, warnings: calibrant_schema::Diagnostics, text: &str, name: &str) -> Document<T> {
    Document {
        value,
        warnings,
        file: name.to_owned(),
        text: text.to_owned(),
        sha256: calibrant_schema::canonical::Hash::of_bytes(text.as_bytes()).to_string(),
    }
}

fn findings<'py, T>(py: Python<'py>, document: &Document<T>) -> PyResult<Bound<'py, PyList>> {
    let module = py.import("calibrant._errors")?;
    let findings = Findings::of_text(document.warnings.clone(), &document.text);
    let shown = findings.shown().iter();
    let list: PyResult<Vec<_>> = shown.map(|one: &Finding| errors::finding(&module, one)).collect();
    PyList::new(py, list?)
}

/// Adds what this part has to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Rubric>()?;
    module.add_class::<Queries>()
}
