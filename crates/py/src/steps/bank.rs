//! `assemble`.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::memory;
use calibrant_report::bank_card;
use calibrant_schema::Rubric;
use calibrant_schema::artifact::{Artifact as _, Header};
use pyo3::prelude::*;

use crate::calls::displayed;
use crate::errors;
use crate::steps::artifact::{self, Artifact, Held, artifact_methods, part};
use crate::steps::calibration::Calibration;
use crate::steps::fit::Fit;
use crate::steps::given::Beside;
use crate::steps::options::Asked;
use crate::steps::tables::table;
use crate::table::Table;

/// The criteria chosen, with item parameters and a certificate; also a rubric.
///
/// Made by :func:`assemble`; the content of ``bank.json``, field by field in ``docs/artifacts.md``.
///
/// Notes
/// -----
/// METHODS 74, 91-97.
#[pyclass(extends = Artifact, frozen, module = "calibrant")]
pub(crate) struct Bank {
    pub made: Arc<calibrant_schema::Bank>,
}

struct Shown(Arc<calibrant_schema::Bank>);

impl Held for Shown {
    fn header(&self) -> &Header {
        &self.0.header
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    fn card(&self) -> String {
        bank_card(&self.0)
    }

    fn summary(&self) -> String {
        let bank = &self.0;
        format!(
            "<Bank: {} of {} items, {}>",
            bank.criteria.len(),
            bank.pool,
            bank.method.word()
        )
    }
}

impl Bank {
    /// The Python face of a bank.
    pub fn face(py: Python<'_>, made: calibrant_schema::Bank) -> PyResult<Py<Self>> {
        let made = Arc::new(made);
        let shown = Shown(Arc::clone(&made));
        Py::new(py, (Self { made }, Artifact::over(shown)))
    }

    /// The bank as a rubric.
    pub fn as_rubric(&self, py: Python<'_>) -> PyResult<Arc<Rubric>> {
        let rubric = self.made.rubric();
        let (rubric, _) = rubric.map_err(|mistakes| errors::of_diagnostics(py, mistakes, ""))?;
        Ok(Arc::new(rubric))
    }
}

artifact_methods! { Bank, Bank,
    /// How it was chosen: ``"greedy"``, ``"plain"`` or ``"consensus"``.
    #[getter]
    fn method(&self) -> &'static str {
        self.made.method.word()
    }

    /// The model its item parameters belong to; None for a bank that has none.
    #[getter]
    fn model(&self) -> Option<&'static str> {
        self.made.model.map(|model| model.word())
    }

    /// The nodes its item parameters were fitted on; None for a bank that has none.
    #[getter]
    fn grid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.grid)
    }

    /// Criteria chosen.
    #[getter]
    fn budget(&self) -> usize {
        self.made.budget
    }

    /// What fixed the budget: ``"asked for"``, or the rule in words.
    #[getter]
    fn budget_rule(&self) -> &str {
        &self.made.budget_rule
    }

    /// The measurability cut, in (0, 1); None where none acted.
    #[getter]
    fn threshold(&self) -> Option<f64> {
        self.made.threshold
    }

    /// Items that could have been chosen.
    #[getter]
    fn feasible(&self) -> usize {
        self.made.feasible
    }

    /// Items of the pool.
    #[getter]
    fn pool(&self) -> usize {
        self.made.pool
    }

    /// Utility of the bank: the mean over abilities of log(1 + information), in nats; None where it is undefined.
    ///
    /// Notes
    /// -----
    /// METHODS 91, [CR26] section 5.
    #[getter]
    fn utility(&self) -> Option<f64> {
        self.made.utility
    }

    /// Utility of everything that could have been chosen.
    #[getter]
    fn feasible_utility(&self) -> Option<f64> {
        self.made.feasible_utility
    }

    /// No bank of this budget has a larger utility than this.
    #[getter]
    fn optimum_bound(&self) -> Option<f64> {
        self.made.optimum_bound
    }

    /// Why that holds.
    #[getter]
    fn bound_argument(&self) -> Option<&str> {
        self.made.bound_argument.as_deref()
    }

    /// Why there is no utility or bound; None where there is.
    #[getter]
    fn utility_undefined(&self) -> Option<&str> {
        self.made.utility_undefined.as_ref().map(|why| why.detail.as_str())
    }

    /// The criteria, in the order chosen.
    ///
    /// Returns
    /// -------
    /// Table
    ///     ``criterion``, ``query``, ``weight`` of the author, ``discrimination``, ``difficulty``, ``information``, ``gain`` in utility when it was
    ///     chosen, ``measurability``, and the rubric's entry as JSON.
    #[getter]
    fn criteria(&self) -> Table {
        table(&self.made.criteria)
    }
}

/// Choose a bank of criteria that are measurable and tell systems apart.
///
/// Parameters
/// ----------
/// calibration : Calibration
///     With its labels.
/// fit : Fit
///     Of these labels.
/// rubric : Rubric, Bank or path, optional
///     The entries the bank carries; without one those of the calibration's rubric.
/// budget : int, optional
///     Criteria to choose, 1 or more; without one the fewest with 95 % of the feasible utility.
/// threshold : float, optional
///     Measurability a criterion needs, in (0, 1); without one the calibration's.
/// method : {"greedy", "plain", "consensus"}
///     How the bank is chosen.
/// seed : int, default 0
///     The seed that is noted in the artifact.
///
/// Returns
/// -------
/// Bank
///     Empty where nothing may be chosen, with a warning that says what stood in the way.
///
/// Raises
/// ------
/// ArgumentError
///     If an option has a value it cannot have.
/// StepError
///     If the consensus rule is given a budget.
///
/// Notes
/// -----
/// METHODS 74, 91-97. The same as ``calibrant assemble``, byte for byte.
#[pyfunction]
#[pyo3(signature = (calibration, fit, rubric=None, *, budget=None, threshold=None, method=None, seed=None))]
#[expect(clippy::too_many_arguments, reason = "an argument for each option")]
fn assemble(
    py: Python<'_>,
    calibration: &Bound<'_, Calibration>,
    fit: &Bound<'_, Fit>,
    rubric: Option<&Bound<'_, PyAny>>,
    budget: Option<&Bound<'_, PyAny>>,
    threshold: Option<&Bound<'_, PyAny>>,
    method: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<Bank>> {
    let calibration = calibration.get();
    let request = Asked::default()
        .take("assemble.threshold", &calibration.made.threshold.to_string())
        .set("threshold", "assemble.threshold", threshold)?
        .set("budget", "assemble.budget", budget)?
        .set("method", "assemble.method", method)?
        .set("seed", "seed", seed)?
        .request();
    let beside = Beside::given(rubric, None)?.or_of(calibration);
    let labels = calibration.known_labels(py)?;
    let fit = Arc::clone(&fit.get().made);
    let made = displayed(py, "assemble", || {
        memory::assemble(&request, &calibration.made, &fit, &labels, beside.context())
    })?;
    Bank::face(py, made.map_err(|error| errors::of_project(py, &error))?)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Bank>()?;
    module.add_function(wrap_pyfunction!(assemble, module)?)
}
