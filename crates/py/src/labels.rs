//! Labels after consensus in Python.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::UInt8Type;
use arrow_array::{Float64Array, UInt16Array};
use calibrant_schema::labels::CellLabel;
use calibrant_schema::{Scale, Status};
use calibrant_store::tables::{TableForm, labels_table, read_labels, write_labels};
use calibrant_store::{Findings, write_atomic};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::rubric::Rubric;
use crate::table::{Builder, Table, schema_capsule, stream_capsule};
use crate::verdicts::{listed, scale_of, statuses};
use crate::{arrow, errors, table_html};

/// Labels: what a panel settled on, one for each system, item and sample; an item is a (criterion, query) pair.
///
/// Made by :func:`calibrate` or :func:`consensus` from verdicts, or read from ``labels.csv``. ``fit``, ``assemble`` and ``score``
/// take nothing else.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct Labels {
    /// The labels.
    pub(crate) labels: calibrant_schema::Labels,
}

#[pymethods]
impl Labels {
    /// Read a table of labels, ``labels.csv`` or ``labels.parquet``.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file.
    /// rubric : Rubric, optional
    ///     Says the scales of its criteria.
    /// scale : str, optional
    ///     The scale of the other criteria where it is not 0 and 1.
    ///
    /// Returns
    /// -------
    /// Labels
    ///     What it says.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If it cannot be read, or a row is wrong.
    #[staticmethod]
    #[pyo3(signature = (path, *, rubric = None, scale = None))]
    fn read(py: Python<'_>, path: PathBuf, rubric: Option<&Bound<'_, Rubric>>, scale: Option<&str>) -> PyResult<Self> {
        let default = scale.map(|words| scale_of(py, words)).transpose()?.unwrap_or_default();
        let rubric = rubric.map(|rubric| &rubric.get().document.value);
        let of = |id: &str| -> Scale {
            let known = rubric.and_then(|rubric| rubric.criteria.iter().find(|criterion| criterion.id == id));
            known.map_or_else(|| default.clone(), |criterion| criterion.scale.clone())
        };
        let read = py.detach(|| read_labels(&path, &of));
        let labels = read.map_err(|findings: Findings| errors::of_findings(py, &findings))?;
        Ok(Self { labels })
    }

    /// Write the labels as a file.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file, CSV, or Parquet where it ends so. It is written whole or not at all.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If it cannot be written.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let parquet = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
        let form = if parquet { TableForm::Parquet } else { TableForm::Csv };
        let bytes = labels_table(&self.labels, form).map_err(|mistake| {
            let mut findings = Findings::default();
            findings.push(*mistake, None);
            errors::of_findings(py, &findings)
        })?;
        write_atomic(&path, &bytes).map_err(|error| errors::of_store(py, &error))
    }

    fn __len__(&self) -> usize {
        self.labels.len()
    }

    /// list of str : The systems.
    #[getter]
    fn systems(&self) -> Vec<String> {
        listed(&self.labels.systems)
    }

    /// list of str : The queries.
    #[getter]
    fn queries(&self) -> Vec<String> {
        listed(&self.labels.queries)
    }

    /// list of str : The criteria.
    #[getter]
    fn criteria(&self) -> Vec<String> {
        listed(&self.labels.criteria)
    }

    /// The labels as a table.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns system, query, sample, criterion, label (null where there is none), agreement, judges, agreeing, status.
    fn to_table(&self, py: Python<'_>) -> Table {
        py.detach(|| table(&self.labels))
    }

    /// Hand the labels to a library that reads the Arrow C stream interface.
    ///
    /// Parameters
    /// ----------
    /// requested_schema : capsule, optional
    ///     Passed over.
    ///
    /// Returns
    /// -------
    /// capsule
    ///     An ``arrow_array_stream`` of one batch.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let table = py.detach(|| table(&self.labels));
        stream_capsule(py, table.batch().clone())
    }

    /// Hand the schema to a library that reads the Arrow C interface.
    ///
    /// Returns
    /// -------
    /// capsule
    ///     An ``arrow_schema``.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &table(&self.labels).batch().schema())
    }

    fn __repr__(&self) -> String {
        format!(
            "Labels: {} cells, {} systems, {} items",
            self.labels.len(),
            self.labels.systems.len(),
            self.labels.items.len()
        )
    }

    fn _repr_html_(&self) -> String {
        let heading = table_html::escaped(&self.__repr__());
        format!("<p>{heading}</p>{}", table_html::html(table(&self.labels).batch()))
    }

    /// Bytes of ``labels.csv``, for :mod:`pickle` and hashes.
    ///
    /// Returns
    /// -------
    /// bytes
    ///     The file.
    fn to_csv<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = Vec::new();
        write_labels(&self.labels, &mut bytes).expect("memory takes every byte");
        PyBytes::new(py, &bytes)
    }
}

/// A row a cell.
fn table(labels: &calibrant_schema::Labels) -> Table {
    let cells: Vec<_> = labels.all_cells().collect();
    let systems = cells.iter().map(|(_, cell)| cell.system).collect();
    let samples = cells.iter().map(|(_, cell)| cell.sample).collect();
    let queries = cells.iter().map(|(item, _)| labels.items[*item].query).collect();
    let criteria = cells.iter().map(|(item, _)| labels.items[*item].criterion).collect();
    let values: Float64Array = cells
        .iter()
        .map(|(item, cell)| match cell.label {
            CellLabel::Level(level) => Some(labels.scale(*item).value(level)),
            CellLabel::None(_) => None,
        })
        .collect();
    let status = cells.iter().map(|(_, cell)| match cell.label {
        CellLabel::Level(_) => Status::Ok,
        CellLabel::None(status) => status,
    });
    let mut agreement = StringDictionaryBuilder::<UInt8Type>::new();
    cells
        .iter()
        .for_each(|(_, cell)| agreement.append_value(cell.agreement.word()));
    let judges: UInt16Array = cells.iter().map(|(_, cell)| Some(cell.judges)).collect();
    let agreeing: UInt16Array = cells.iter().map(|(_, cell)| Some(cell.agreeing)).collect();
    Builder::default()
        .array("system", arrow::named(systems, &labels.systems))
        .array("query", arrow::named(queries, &labels.queries))
        .array("sample", arrow::named(samples, &labels.samples))
        .array("criterion", arrow::named(criteria, &labels.criteria))
        .array("label", Arc::new(values))
        .array("agreement", Arc::new(agreement.finish()))
        .array("judges", Arc::new(judges))
        .array("agreeing", Arc::new(agreeing))
        .array("status", statuses(status))
        .finish()
}

/// Adds what this part has to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Labels>()
}
