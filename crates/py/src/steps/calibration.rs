//! `calibrate` and `consensus`.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::memory;
use calibrant_report::calibration_card;
use calibrant_schema::Labels;
use calibrant_schema::artifact::{Artifact as _, Header};
use calibrant_store::tables::{TableForm, labels_table};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::calls::displayed;
use crate::errors;
use crate::labels::Labels as PyLabels;
use crate::steps::artifact::{self, Artifact, Held, artifact_methods, native, part};
use crate::steps::given::{Beside, Trusted, verdicts_of};
use crate::steps::options::Asked;
use crate::steps::tables::table;
use crate::table::Table;

/// Which criteria a panel applies alike, and what its judges are like.
///
/// Made by :func:`calibrate`; the content of ``calibration.json``, field by field in ``docs/artifacts.md``. It keeps the labels by consensus,
/// the rubric and the queries it was made with, so that later steps need not be told again.
///
/// Notes
/// -----
/// METHODS 60-77.
#[pyclass(extends = Artifact, frozen, module = "calibrant")]
pub(crate) struct Calibration {
    pub made: Arc<calibrant_schema::Calibration>,
    pub labels: Option<Arc<Labels>>,
    pub beside: Beside,
}

struct Shown {
    made: Arc<calibrant_schema::Calibration>,
    beside: Beside,
}

impl Held for Shown {
    fn header(&self) -> &Header {
        &self.made.header
    }

    fn json(&self) -> String {
        self.made.to_json()
    }

    fn card(&self) -> String {
        calibration_card(&self.made, self.beside.rubric.as_deref())
    }

    fn summary(&self) -> String {
        let (panel, rows) = (&self.made.panel, &self.made.criteria);
        format!(
            "<Calibration: {} systems, {} items, {} judges; {} of {} kept at measurability {}>",
            panel.systems,
            panel.items,
            panel.judges,
            rows.iter().filter(|row| row.kept).count(),
            rows.len(),
            self.made.threshold
        )
    }
}

impl Calibration {
    fn face(py: Python<'_>, made: calibrant_schema::Calibration) -> PyResult<Py<Self>> {
        Self::with(py, made, None, Beside::default())
    }

    /// A calibration with what it was made with.
    pub fn with(
        py: Python<'_>,
        made: calibrant_schema::Calibration,
        labels: Option<Labels>,
        beside: Beside,
    ) -> PyResult<Py<Self>> {
        let made = Arc::new(made);
        let shown = Shown {
            made: Arc::clone(&made),
            beside: beside.clone(),
        };
        let labels = labels.map(Arc::new);
        Py::new(py, (Self { made, labels, beside }, Artifact::over(shown)))
    }

    /// The labels it was made with.
    pub fn known_labels(&self, py: Python<'_>) -> PyResult<Arc<Labels>> {
        self.labels.clone().ok_or_else(|| {
            errors::argument(
                py,
                "calibration",
                "this calibration was read from its file alone, and the labels are in another",
                Some("read the folder of the run, Run.read(folder), or calibrate again from the verdicts"),
            )
        })
    }
}

artifact_methods! { Calibration, Calibration,
    /// Measurability cut that a criterion must reach to be kept, in (0, 1).
    #[getter]
    fn threshold(&self) -> f64 {
        self.made.threshold
    }

    /// Over what measurability is estimated: ``"item"`` or ``"criterion"``.
    #[getter]
    fn pool(&self) -> &'static str {
        self.made.pool.word()
    }

    /// Counts that describe the table of verdicts.
    #[getter]
    fn panel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.panel)
    }

    /// Measurability per item, or per criterion when pooled: a row each, sorted by query, then criterion.
    ///
    /// Returns
    /// -------
    /// Table
    ///     ``criterion``, ``query`` (null when pooled), ``units``, ``agreed``, ``measurability`` in (0, 1) with the ends of its 95 %
    ///     interval, ``prevalence`` in [0, 1], ``kept``, and the reason where a number is missing.
    ///
    /// Notes
    /// -----
    /// METHODS 60-63, [CR26] eq. 12.
    #[getter]
    fn criteria(&self) -> Table {
        table(&self.made.criteria)
    }

    /// One row a judge, sorted by name.
    #[getter]
    fn judges(&self) -> Table {
        table(&self.made.judges)
    }

    /// What each threshold would keep; empty when no unit has two judges.
    ///
    /// Notes
    /// -----
    /// METHODS 65.
    #[getter]
    fn sweep(&self) -> Table {
        table(&self.made.sweep)
    }

    /// How unanimity is lost as systems are added; empty when no item has two judges.
    ///
    /// Notes
    /// -----
    /// METHODS 75.
    #[getter]
    fn attrition(&self) -> Table {
        table(&self.made.attrition)
    }

    /// The two models of that loss, as in the file.
    ///
    /// Notes
    /// -----
    /// METHODS 76, 77.
    #[getter]
    fn attrition_fit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.attrition_fit)
    }

    /// The labels by consensus that it was made with.
    ///
    /// Returns
    /// -------
    /// Labels
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If this calibration was read from its file alone; :meth:`Run.read` reads both.
    #[getter]
    fn labels(&self, py: Python<'_>) -> PyResult<PyLabels> {
        let labels = self.known_labels(py)?;
        Ok(PyLabels {
            labels: labels.as_ref().clone(),
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let labels = self.labels.as_ref().map(|labels| labels_text(labels));
        let rubric = self.beside.rubric.as_ref().map(|rubric| rubric.to_yaml());
        let queries = self.beside.queries.as_ref();
        let queries = queries.map(|queries| (queries.file.clone(), queries.text.clone()));
        let rebuild = native(py, "_rebuild_calibration")?;
        (rebuild, (self.made.to_json(), labels, rubric, queries)).into_pyobject(py)
    }
}

/// Labels as the text of their table.
fn labels_text(labels: &Labels) -> String {
    let table = labels_table(labels, TableForm::Csv).expect("labels that were made can be written as text");
    String::from_utf8(table).expect("names are text, and so is their table")
}

/// Makes a calibration again from what pickle kept of it.
#[pyfunction]
fn _rebuild_calibration(
    py: Python<'_>,
    text: &str,
    labels: Option<&str>,
    rubric: Option<&str>,
    queries: Option<(String, String)>,
) -> PyResult<Py<Calibration>> {
    let made: calibrant_schema::Calibration = artifact::parsed(py, text, "<pickle>")?;
    let labels = labels
        .map(|text| memory::labels_of_text(text, &made).map_err(|error| errors::of_project(py, &error)))
        .transpose()?;
    let rubric = rubric
        .map(|text| {
            let parsed = calibrant_schema::Rubric::parse(text, "rubric.yaml");
            parsed.map_err(|mistakes| errors::of_diagnostics(py, mistakes, text))
        })
        .transpose()?;
    let queries = queries
        .map(|(file, text)| memory::queries_of_text(&file, text).map_err(|error| errors::of_project(py, &error)))
        .transpose()?;
    let beside = Beside {
        rubric: rubric.map(|(rubric, _)| Arc::new(rubric)),
        queries: queries.map(Arc::new),
    };
    Calibration::with(py, made, labels, beside)
}

/// Labels by consensus, and which criteria the panel applies alike.
///
/// Parameters
/// ----------
/// verdicts : Verdicts, frame, path or list of paths
///     The table of raw judgements. Files are read on the scales of the rubric.
/// rubric : Rubric, Bank or path, optional
///     Weights, scales and roll-up; without one every weight is 1. Criteria of the table that it does not have are left out, under a
///     warning.
/// queries : Queries or path, optional
///     Weights and clusters of the queries, for later steps.
/// threshold : float, default 0.8
///     Measurability a criterion needs, in (0, 1).
/// pool : {"auto", "item", "criterion"}
///     Over what measurability is estimated; ``"auto"`` pools the criteria that queries share.
/// seed : int, default 0
///     The seed of everything random.
/// gold : list of str, Verdicts or path, optional
///     Trusted labels: judges of the table, or a table of their own; they stay out of the panel.
/// judges : list of str, optional
///     Use only these judges.
/// columns : dict of str to str, optional
///     Names of columns by role, such as ``{"query": "task"}``, where files are read.
/// scale : str, optional
///     The scale where no rubric declares one, ``"binary"``, ``"1..5"`` or ``"0,0.5,1"``, where files are read.
///
/// Returns
/// -------
/// Calibration
///     With the labels in ``labels``.
///
/// Raises
/// ------
/// ArgumentError
///     If an option has a value it cannot have.
/// InputError
///     If a table or a file has mistakes.
/// StepError
///     If no verdict carries a label, or the trusted labels speak of nothing here.
///
/// Notes
/// -----
/// METHODS 60-77, [CR26] section 4. The same as ``calibrant calibrate``, byte for byte.
#[pyfunction]
#[pyo3(signature = (verdicts, rubric=None, *, queries=None, threshold=None, pool=None, seed=None, gold=None, judges=None, columns=None, scale=None))]
#[expect(clippy::too_many_arguments, reason = "an argument for each option")]
fn calibrate(
    py: Python<'_>,
    verdicts: &Bound<'_, PyAny>,
    rubric: Option<&Bound<'_, PyAny>>,
    queries: Option<&Bound<'_, PyAny>>,
    threshold: Option<&Bound<'_, PyAny>>,
    pool: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    gold: Option<&Bound<'_, PyAny>>,
    judges: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    scale: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<Calibration>> {
    let (named, gold) = Trusted::parts(gold)?;
    let mut request = Asked::default()
        .set("threshold", "assemble.threshold", threshold)?
        .set("pool", "calibrate.pool", pool)?
        .set("seed", "seed", seed)?
        .set("judges", "panel", judges)?
        .set("scale", "scale", scale)?
        .columns(columns)?
        .gold(named)
        .request();
    let beside = Beside::given(rubric, queries)?;
    let read = verdicts_of("verdicts", verdicts, &mut request, beside.rubric.as_deref())?;
    let made = displayed(py, "calibrate", || {
        memory::calibrate(&request, read, gold, beside.context())
    })?;
    let (made, labels) = made.map_err(|error| errors::of_project(py, &error))?;
    Calibration::with(py, made, Some(labels), beside)
}

/// Labels by consensus, one a cell.
///
/// Parameters
/// ----------
/// verdicts : Verdicts, frame, path or list of paths
///     The table of raw judgements.
/// rubric : Rubric, Bank or path, optional
///     Scales, and which criteria are penalties: a tie takes the worse outcome.
/// judges : list of str, optional
///     Use only these judges.
/// columns : dict of str to str, optional
///     Names of columns by role, as in :func:`calibrate`.
/// scale : str, optional
///     The scale where no rubric declares one, as in :func:`calibrate`.
///
/// Returns
/// -------
/// Labels
///     The same that :func:`calibrate` keeps.
///
/// Raises
/// ------
/// InputError
///     If a table or a file has mistakes.
/// StepError
///     If table and rubric have nothing in common.
///
/// Notes
/// -----
/// METHODS 54-59.
#[pyfunction]
#[pyo3(signature = (verdicts, rubric=None, *, judges=None, columns=None, scale=None))]
fn consensus(
    py: Python<'_>,
    verdicts: &Bound<'_, PyAny>,
    rubric: Option<&Bound<'_, PyAny>>,
    judges: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    scale: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyLabels> {
    let mut request = Asked::default()
        .set("judges", "panel", judges)?
        .set("scale", "scale", scale)?
        .columns(columns)?
        .request();
    let beside = Beside::given(rubric, None)?;
    let read = verdicts_of("verdicts", verdicts, &mut request, beside.rubric.as_deref())?;
    let labels = displayed(py, "consensus", || memory::consensus(&request, read, beside.context()))?;
    let labels = labels.map_err(|error| errors::of_project(py, &error))?;
    Ok(PyLabels { labels })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Calibration>()?;
    module.add_function(wrap_pyfunction!(_rebuild_calibration, module)?)?;
    module.add_function(wrap_pyfunction!(consensus, module)?)?;
    module.add_function(wrap_pyfunction!(calibrate, module)?)
}
