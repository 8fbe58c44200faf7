//! `score`.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::memory;
use calibrant_report::scores_card;
use calibrant_schema::artifact::{Artifact as _, Header};
use calibrant_schema::scores::ResponseRow;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::calls::displayed;
use crate::errors;
use crate::steps::artifact::{self, Artifact, Held, artifact_methods, native, part};
use crate::steps::bank::Bank;
use crate::steps::calibration::Calibration;
use crate::steps::fit::Fit;
use crate::steps::given::Beside;
use crate::steps::options::Asked;
use crate::steps::tables::table;
use crate::table::Table;

/// Systems with scores, abilities, intervals and tiers.
///
/// Made by :func:`score`; the content of ``scores.json``, field by field in ``docs/artifacts.md``.
///
/// Notes
/// -----
/// METHODS 46-49, 100-104, 116.
#[pyclass(extends = Artifact, frozen, module = "calibrant")]
pub(crate) struct Scores {
    pub made: Arc<calibrant_schema::Scores>,
    responses: Option<Vec<ResponseRow>>,
}

struct Shown(Arc<calibrant_schema::Scores>);

impl Held for Shown {
    fn header(&self) -> &Header {
        &self.0.header
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    fn card(&self) -> String {
        scores_card(&self.0)
    }

    fn summary(&self) -> String {
        let tiers = self.0.systems.iter().filter_map(|row| row.tier).max();
        let tiers = tiers.map_or_else(|| "no tiers".to_owned(), |tiers| format!("{tiers} tiers"));
        format!("<Scores: {} systems, {tiers}>", self.0.systems.len())
    }
}

impl Scores {
    fn face(py: Python<'_>, made: calibrant_schema::Scores) -> PyResult<Py<Self>> {
        Self::with(py, made, None)
    }

    /// Scores with the responses behind them.
    pub fn with(
        py: Python<'_>,
        made: calibrant_schema::Scores,
        responses: Option<Vec<ResponseRow>>,
    ) -> PyResult<Py<Self>> {
        let made = Arc::new(made);
        let shown = Shown(Arc::clone(&made));
        Py::new(py, (Self { made, responses }, Artifact::over(shown)))
    }
}

artifact_methods! { Scores, Scores,
    /// The leaderboard, ordered by ability, ties by score, then name.
    ///
    /// Returns
    /// -------
    /// Table
    ///     ``score`` in [0, 1] and ``ability`` on a standard normal scale with the ends of their intervals, the same over the bank,
    ///     ``tier`` from 1, ``coverage`` and ``pass_rate`` in [0, 1], ``gates_failed``, and in ``undefined`` why numbers are missing.
    #[getter]
    fn systems(&self) -> Table {
        table(&self.made.systems)
    }

    /// Every response: its score, its outcome, and the gates it failed.
    ///
    /// Returns
    /// -------
    /// Table
    ///     The rows of ``responses.csv``.
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If these scores were read from their file, which does not hold them.
    #[getter]
    fn responses(&self, py: Python<'_>) -> PyResult<Table> {
        match &self.responses {
            Some(rows) => Ok(table(rows)),
            None => Err(errors::argument(
                py,
                "responses",
                "these scores were read from their file, and the responses are in responses.csv beside it",
                Some("score again, or read that table"),
            )),
        }
    }

    /// What the intervals are, and what they are intervals for, as in the file.
    #[getter]
    fn interval<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.interval)
    }

    /// How tiers were cut.
    #[getter]
    fn tier_rule(&self) -> &str {
        &self.made.tier_rule
    }

    /// Share of pairs of systems whose difference's interval leaves out 0, in [0, 1]; None where it is undefined.
    #[getter]
    fn pairs_separated(&self) -> Option<f64> {
        self.made.pairs_separated
    }

    /// Why there are no tiers; None where there are.
    #[getter]
    fn tiers_undefined(&self) -> Option<&str> {
        self.made.tiers_undefined.as_ref().map(|why| why.detail.as_str())
    }

    /// Effective number of criteria under the author's weights.
    ///
    /// Notes
    /// -----
    /// METHODS 116.
    #[getter]
    fn effective_criteria(&self) -> Option<f64> {
        self.made.effective_criteria
    }

    /// The roll-up in force with its reason; None without one.
    #[getter]
    fn roll_up<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.roll_up)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let responses = self.responses.as_ref();
        let responses = responses.map(|rows| serde_json::to_string(rows).expect("responses serialise"));
        (native(py, "_rebuild_scores")?, (self.made.to_json(), responses)).into_pyobject(py)
    }
}

/// Makes scores again from what pickle kept of them.
#[pyfunction]
fn _rebuild_scores(py: Python<'_>, text: &str, responses: Option<&str>) -> PyResult<Py<Scores>> {
    let rows = responses.map(serde_json::from_str::<Vec<ResponseRow>>).transpose();
    let rows = rows.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    Scores::with(py, artifact::parsed(py, text, "<pickle>")?, rows)
}

/// Score systems over the pool and over a bank, with intervals and tiers.
///
/// Parameters
/// ----------
/// calibration : Calibration
///     With its labels.
/// fit : Fit, optional
///     Of these labels; without one the labels are of new systems on the bank, and only the bank's columns are filled.
/// bank : Bank, optional
///     The bank; needed without a fit.
/// rubric : Rubric, Bank or path, optional
///     Weights and roll-up; without one those of the calibration's rubric.
/// queries : Queries or path, optional
///     Weights and clusters of the queries; without them those of the calibration.
/// interval : {"auto", "cluster", "cluster-refit", "delta", "parametric", "source"}
///     How ability intervals are made.
/// replicates : int, default 1000
///     Bootstrap replicates, 20 to 100,000.
/// tiers : {"adjacent", "anchored"}
///     How systems join a tier.
/// seed : int, default 0
///     The seed of the bootstraps.
///
/// Returns
/// -------
/// Scores
///     With every response in ``responses``.
///
/// Raises
/// ------
/// ArgumentError
///     If an option has a value it cannot have, or neither a fit nor a bank is given.
/// StepError
///     If labels and fit are not of the same table, or none of the bank's items has a label.
///
/// Notes
/// -----
/// METHODS 46-49, 100-104, 116, [CR26] eq. 1. The same as ``calibrant score``, byte for byte.
#[pyfunction]
#[pyo3(signature = (calibration, fit=None, bank=None, rubric=None, *, queries=None, interval=None, replicates=None, tiers=None, seed=None))]
#[expect(clippy::too_many_arguments, reason = "an argument for each option")]
fn score(
    py: Python<'_>,
    calibration: &Bound<'_, Calibration>,
    fit: Option<&Bound<'_, Fit>>,
    bank: Option<&Bound<'_, Bank>>,
    rubric: Option<&Bound<'_, PyAny>>,
    queries: Option<&Bound<'_, PyAny>>,
    interval: Option<&Bound<'_, PyAny>>,
    replicates: Option<&Bound<'_, PyAny>>,
    tiers: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<Scores>> {
    let request = Asked::default()
        .set("interval", "score.interval", interval)?
        .set("replicates", "score.replicates", replicates)?
        .set("tiers", "score.tiers", tiers)?
        .set("seed", "seed", seed)?
        .request();
    let calibration = calibration.get();
    let mut beside = Beside::given(rubric, queries)?.or_of(calibration);
    let fit = fit.map(|fit| Arc::clone(&fit.get().made));
    if let (None, None, Some(bank)) = (&fit, &beside.rubric, bank) {
        // New systems were judged by the bank unless another rubric is named.
        beside.rubric = Some(bank.get().as_rubric(py)?);
    }
    let bank = bank.map(|bank| Arc::clone(&bank.get().made));
    if fit.is_none() && bank.is_none() {
        let help = "give the fit of these labels, or the bank that new systems were judged on";
        return Err(errors::argument(
            py,
            "fit",
            "there is neither a fit nor a bank to score on",
            Some(help),
        ));
    }
    let labels = calibration.known_labels(py)?;
    let made = displayed(py, "score", || {
        memory::score(&request, &labels, (fit.as_deref(), bank.as_deref()), beside.context())
    })?;
    let (made, responses) = made.map_err(|error| errors::of_project(py, &error))?;
    Scores::with(py, made, Some(responses))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Scores>()?;
    module.add_function(wrap_pyfunction!(_rebuild_scores, module)?)?;
    module.add_function(wrap_pyfunction!(score, module)?)
}
