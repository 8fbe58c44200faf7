//! Verdicts in Python: read from files and frames, and handed on as a table.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::UInt8Type;
use arrow_array::{ArrayRef, Float64Array, UInt16Array};
use calibrant_project::reading;
use calibrant_schema::{Names, Scale, Status};
use calibrant_store::tables::{Detected, ReadOptions, ReadVerdicts, read_verdicts as read_tables};
use calibrant_store::{Findings, Source};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyCapsule, PyString, PyTuple};

use crate::calls;
use crate::progress::Watched;
use crate::rubric::Rubric;
use crate::table::{Builder, Table, schema_capsule, stream_capsule};
use crate::{arrow, errors};

/// Raw judgements: who said what about which criterion of which response.
///
/// Made by :func:`read_verdicts` from files, or by :meth:`Verdicts.from_table` from a frame in memory. A row is a cell (system, query,
/// sample, criterion, judge, repeat) with a label, or with the status that says why there is none.
///
/// Notes
/// -----
/// The object hands itself on through the Arrow interface: ``polars.DataFrame(verdicts)`` has its rows, ids as dictionaries.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct Verdicts {
    /// What the tables say.
    pub(crate) read: ReadVerdicts,
}

#[pymethods]
impl Verdicts {
    /// Read verdicts from tables in memory.
    ///
    /// Parameters
    /// ----------
    /// *tables : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
    ///     Frames of Polars, pandas 3, PyArrow or DuckDB, one row a verdict, with columns system, query, criterion, judge and label at
    ///     least; other names are found as in files (``docs/tables.md``).
    /// columns : dict of str to str, optional
    ///     Column names by role, such as ``{"query": "prompt_id"}``.
    /// scale : str, optional
    ///     The scale of the labels where it is not 0 and 1, such as ``"1..5"``.
    /// rubric : Rubric, optional
    ///     Says the scales of its criteria.
    /// judges : list of str, optional
    ///     The judges to keep; all by default.
    /// name : str, default "table"
    ///     What messages call it.
    /// progress : bool or callable, optional
    ///     As in :func:`read_verdicts`.
    ///
    /// Returns
    /// -------
    /// Verdicts
    ///     The rows of all tables together.
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If an object is no table.
    /// InputError
    ///     If a column is missing or of the wrong type, or a row is wrong: every mistake with its row and column.
    #[staticmethod]
    #[pyo3(signature = (*tables, columns = None, scale = None, rubric = None, judges = None, name = "table", progress = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn from_table(
        py: Python<'_>,
        tables: &Bound<'_, PyTuple>,
        columns: Option<BTreeMap<String, String>>,
        scale: Option<&str>,
        rubric: Option<&Bound<'_, Rubric>>,
        judges: Option<Vec<String>>,
        name: &str,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = options(py, columns, scale, rubric, judges)?;
        let mut given = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            let name = match tables.len() {
                1 => name.to_owned(),
                _ => format!("{name} {}", at + 1),
            };
            given.push((name, arrow::batches(&table, "tables")?));
        }
        read(py, options, progress, move || {
            given
                .into_iter()
                .map(|(name, batches)| Source::Batches { name, batches })
                .collect()
        })
    }

    fn __len__(&self) -> usize {
        self.read.verdicts.len()
    }

    /// list of str : The systems judged.
    #[getter]
    fn systems(&self) -> Vec<String> {
        listed(self.read.verdicts.systems())
    }

    /// list of str : The queries answered.
    #[getter]
    fn queries(&self) -> Vec<String> {
        listed(self.read.verdicts.queries())
    }

    /// list of str : The criteria judged.
    #[getter]
    fn criteria(&self) -> Vec<String> {
        listed(self.read.verdicts.criteria())
    }

    /// list of str : The judges.
    #[getter]
    fn judges(&self) -> Vec<String> {
        listed(self.read.verdicts.judges())
    }

    /// Table : What was taken for what: a row a column of each file, with its role; ``how`` is ``name``, ``alias``, ``flag`` or ``ignored``.
    #[getter]
    fn detected(&self) -> Table {
        detected(&self.read.detected)
    }

    /// int : Numbers that are not on the declared scale: they are no verdicts.
    #[getter]
    fn off_scale(&self) -> u64 {
        self.read.off_scale.count
    }

    /// The same verdicts with some of the judges only.
    ///
    /// Parameters
    /// ----------
    /// judges : list of str
    ///     Their ids.
    ///
    /// Returns
    /// -------
    /// Verdicts
    ///     With everything else as it is.
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If one of them is not among the judges.
    fn select_judges(&self, py: Python<'_>, judges: Vec<String>) -> PyResult<Self> {
        let kept = self.read.verdicts.select_judges(&judges);
        let verdicts = kept.map_err(|error| errors::argument(py, "judges", &error.to_string(), None))?;
        Ok(Self {
            read: ReadVerdicts {
                verdicts,
                ..self.read.clone()
            },
        })
    }

    /// The rows as a table.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns system, query, sample, criterion and judge (dictionaries of text), repeat, label (null where there is none), status.
    fn to_table(&self, py: Python<'_>) -> Table {
        py.detach(|| self.table())
    }

    /// Hand the rows to a library that reads the Arrow C stream interface.
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
        let table = py.detach(|| self.table());
        stream_capsule(py, table.batch().clone())
    }

    /// Hand the schema to a library that reads the Arrow C interface.
    ///
    /// Returns
    /// -------
    /// capsule
    ///     An ``arrow_schema``.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.table().batch().schema())
    }

    fn __repr__(&self) -> String {
        let verdicts = &self.read.verdicts;
        format!(
            "Verdicts: {} rows, {} systems, {} queries, {} criteria, {} judges",
            verdicts.len(),
            verdicts.systems().len(),
            verdicts.queries().len(),
            verdicts.criteria().len(),
            verdicts.judges().len()
        )
    }

    fn _repr_html_(&self) -> String {
        let first = self.read.verdicts.rows().take(crate::table_html::MOST_ROWS + 1);
        let shown = rows_table(&self.read.verdicts, first.collect());
        format!(
            "<p>{}</p>{}",
            crate::table_html::escaped(&self.__repr__()),
            crate::table_html::html_of(shown.batch(), self.read.verdicts.len())
        )
    }
}

impl Verdicts {
    fn table(&self) -> Table {
        rows_table(&self.read.verdicts, self.read.verdicts.rows().collect())
    }
}

fn rows_table(verdicts: &calibrant_schema::Verdicts, rows: Vec<calibrant_schema::verdicts::Verdict>) -> Table {
    let items = verdicts.items();
    let codes = |of: fn(&calibrant_schema::verdicts::Verdict) -> u32| rows.iter().map(of).collect();
    let label = |row: &calibrant_schema::verdicts::Verdict| {
        let scale = verdicts.scale(items[row.item as usize].criterion);
        row.level.map(|level| scale.value(level))
    };
    let of_item = |of: fn(&calibrant_schema::verdicts::Item) -> u32| {
        rows.iter().map(|row| of(&items[row.item as usize])).collect()
    };
    let labels: Float64Array = rows.iter().map(label).collect();
    let repeats: UInt16Array = rows.iter().map(|row| Some(row.repeat)).collect();
    Builder::default()
        .array("system", arrow::named(codes(|row| row.system), verdicts.systems()))
        .array("query", arrow::named(of_item(|item| item.query), verdicts.queries()))
        .array("sample", arrow::named(codes(|row| row.sample), verdicts.samples()))
        .array(
            "criterion",
            arrow::named(of_item(|item| item.criterion), verdicts.criteria()),
        )
        .array("judge", arrow::named(codes(|row| row.judge), verdicts.judges()))
        .array("repeat", Arc::new(repeats))
        .array("label", Arc::new(labels))
        .array("status", statuses(rows.iter().map(|row| row.status)))
        .finish()
}

/// A column of statuses.
pub(crate) fn statuses(values: impl Iterator<Item = Status>) -> ArrayRef {
    let mut column = StringDictionaryBuilder::<UInt8Type>::new();
    for status in values {
        column.append_value(status.as_str());
    }
    Arc::new(column.finish())
}

/// Names in the order of their codes.
pub(crate) fn listed(names: &Names) -> Vec<String> {
    names.iter().map(str::to_owned).collect()
}

fn detected(tables: &[Detected]) -> Table {
    let mut rows: Vec<(String, String, Option<&str>, &str)> = Vec::new();
    for table in tables {
        for found in &table.columns {
            let how = match found.how {
                calibrant_store::tables::How::Name => "name",
                calibrant_store::tables::How::Alias => "alias",
                calibrant_store::tables::How::Flag => "flag",
            };
            rows.push((table.file.clone(), found.column.clone(), Some(found.role.word()), how));
        }
        for ignored in &table.ignored {
            rows.push((table.file.clone(), ignored.clone(), None, "ignored"));
        }
    }
    Builder::default()
        .text("file", rows.iter().map(|row| Some(&row.0)))
        .text("column", rows.iter().map(|row| Some(&row.1)))
        .text("role", rows.iter().map(|row| row.2))
        .text("how", rows.iter().map(|row| Some(row.3)))
        .finish()
}

/// How tables are read, from what was asked for.
fn options(
    py: Python<'_>,
    columns: Option<BTreeMap<String, String>>,
    scale: Option<&str>,
    rubric: Option<&Bound<'_, Rubric>>,
    judges: Option<Vec<String>>,
) -> PyResult<ReadOptions> {
    let scale = scale.map(|words| scale_of(py, words)).transpose()?;
    let rubric = rubric.map(|rubric| &rubric.get().document.value);
    Ok(ReadOptions {
        judges,
        ..reading(columns.unwrap_or_default(), scale, rubric)
    })
}

/// A scale from its words.
pub(crate) fn scale_of(py: Python<'_>, words: &str) -> PyResult<Scale> {
    words.parse().map_err(|error: calibrant_schema::scale::ScaleError| {
        let help = "write `binary`, a range such as `1..5`, or values such as `0,0.5,1`";
        errors::argument(py, "scale", &error.to_string(), Some(help))
    })
}

/// Reads tables while the interpreter goes on, shows how far it is, and ends on Ctrl-C.
fn read(
    py: Python<'_>,
    options: ReadOptions,
    progress: Option<Bound<'_, PyAny>>,
    sources: impl FnOnce() -> Vec<Source> + Send,
) -> PyResult<Verdicts> {
    let counters = options.progress.clone();
    let watched = Watched::new(py, progress, "reading", None)?.counting(move || counters.rows());
    let stop = options.progress.clone();
    let result: Result<ReadVerdicts, Findings> = calls::watched(
        py,
        watched,
        move || stop.stop(),
        move || read_tables(sources(), &options),
    )?;
    result
        .map(|read| Verdicts { read })
        .map_err(|findings| errors::of_findings(py, &findings))
}

/// Read verdicts from files: CSV, JSON lines or Parquet, plain, gzip or zstd, or a ledger.
///
/// Parameters
/// ----------
/// *paths : str, path-like, bytes or file object
///     The tables, one row a verdict: paths, contents of files, or what has a method ``read``.
/// columns : dict of str to str, optional
///     Column names by role, such as ``{"query": "prompt_id"}``; other columns are found by name (``docs/tables.md``).
/// scale : str, optional
///     The scale of the labels where it is not 0 and 1, such as ``"1..5"`` or ``"0,0.5,1"``.
/// rubric : Rubric, optional
///     Says the scales of its criteria; rows of a ledger that were given to other wordings are left out.
/// judges : list of str, optional
///     The judges to keep; all by default.
/// progress : bool or callable, optional
///     None shows a line on terminals and in notebooks, False nothing; a callable gets ``(what, done, total)``.
///
/// Returns
/// -------
/// Verdicts
///     The rows of all tables together.
///
/// Raises
/// ------
/// InputError
///     If a file cannot be read, a column is missing, or a row is wrong: every mistake with its file, line and column.
/// ArgumentError
///     If one of the tables is no file, or the scale is none.
/// KeyboardInterrupt
///     On Ctrl-C; nothing was kept.
#[pyfunction]
#[pyo3(signature = (*paths, columns = None, scale = None, rubric = None, judges = None, progress = None))]
fn read_verdicts(
    py: Python<'_>,
    paths: &Bound<'_, PyTuple>,
    columns: Option<BTreeMap<String, String>>,
    scale: Option<&str>,
    rubric: Option<&Bound<'_, Rubric>>,
    judges: Option<Vec<String>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Verdicts> {
    let options = options(py, columns, scale, rubric, judges)?;
    let files = paths.iter().map(|file| given(&file)).collect::<PyResult<Vec<File>>>()?;
    read(py, options, progress, move || {
        files.into_iter().map(File::source).collect()
    })
}

/// A file that somebody named, or handed over.
enum File {
    Path(PathBuf),
    Content { name: String, bytes: Vec<u8> },
}

impl File {
    fn source(self) -> Source {
        match self {
            Self::Path(path) => Source::Path(path),
            Self::Content { name, bytes } => Source::bytes(name, bytes),
        }
    }
}

fn given(file: &Bound<'_, PyAny>) -> PyResult<File> {
    let whole = |name: &str, bytes| File::Content {
        name: name.to_owned(),
        bytes,
    };
    if let Some(bytes) = content(file) {
        return Ok(whole("bytes", bytes));
    }
    if file.hasattr("read")? {
        let read = file.call_method0("read")?;
        let text = || read.cast::<PyString>().ok().map(|text| text.to_string().into_bytes());
        if let Some(bytes) = content(&read).or_else(text) {
            let name = file.getattr("name").and_then(|name| name.extract::<String>());
            return Ok(whole(name.as_deref().unwrap_or("file"), bytes));
        }
    }
    file.extract().map(File::Path).map_err(|_| {
        let kind = file.get_type();
        let what = format!("`paths` holds a {kind}, which names no file and is none");
        let help = "give paths, bytes or open files; frames go to `Verdicts.from_table`";
        errors::argument(file.py(), "paths", &what, Some(help))
    })
}

fn content(object: &Bound<'_, PyAny>) -> Option<Vec<u8>> {
    let bytes = object.cast::<PyBytes>().map(|bytes| bytes.as_bytes().to_vec());
    let array = || object.cast::<PyByteArray>().map(|bytes| bytes.to_vec());
    bytes.or_else(|_| array()).ok()
}

/// Adds what this part has to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Table>()?;
    module.add_class::<Verdicts>()?;
    module.add_function(wrap_pyfunction!(read_verdicts, module)?)
}
