//! `fit`.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::memory;
use calibrant_report::fit_card;
use calibrant_schema::artifact::{Artifact as _, Header};
use pyo3::prelude::*;

use crate::calls::displayed;
use crate::errors;
use crate::labels::Labels;
use crate::steps::artifact::{self, Artifact, Held, artifact_methods, part};
use crate::steps::calibration::Calibration;
use crate::steps::given::Beside;
use crate::steps::options::Asked;
use crate::steps::tables::table;
use crate::table::Table;

/// Item parameters and abilities by item response theory.
///
/// Made by :func:`fit`; the content of ``fit.json``, field by field in ``docs/artifacts.md``.
///
/// Notes
/// -----
/// METHODS 78-90.
#[pyclass(extends = Artifact, frozen, module = "calibrant")]
pub(crate) struct Fit {
    pub made: Arc<calibrant_schema::Fit>,
}

struct Shown(Arc<calibrant_schema::Fit>);

impl Held for Shown {
    fn header(&self) -> &Header {
        &self.0.header
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    fn card(&self) -> String {
        fit_card(&self.0)
    }

    fn summary(&self) -> String {
        let fit = &self.0;
        let state = if fit.convergence.converged {
            "converged"
        } else {
            "not converged"
        };
        format!(
            "<Fit: {} over {} items, {} systems; {state} after {} iterations>",
            fit.model.word(),
            fit.items.len(),
            fit.systems.len(),
            fit.convergence.iterations
        )
    }
}

impl Fit {
    /// The Python face of a fit.
    pub fn face(py: Python<'_>, made: calibrant_schema::Fit) -> PyResult<Py<Self>> {
        let made = Arc::new(made);
        let shown = Shown(Arc::clone(&made));
        Py::new(py, (Self { made }, Artifact::over(shown)))
    }
}

artifact_methods! { Fit, Fit,
    /// The model of items and abilities: ``"2PL"`` or ``"1PL"``.
    #[getter]
    fn model(&self) -> &'static str {
        self.made.model.word()
    }

    /// The nodes over ability: how many, the lowest, the highest, whether they were refined.
    #[getter]
    fn grid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.grid)
    }

    /// Marginal log-likelihood at the maximum of the posterior, prior terms left out.
    #[getter]
    fn log_likelihood(&self) -> f64 {
        self.made.log_likelihood
    }

    /// The objective: marginal log-likelihood plus log prior, constants dropped.
    #[getter]
    fn log_posterior(&self) -> f64 {
        self.made.log_posterior
    }

    /// How the fit stopped, as in the file.
    #[getter]
    fn convergence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.convergence)
    }

    /// The items fitted, sorted by query, then criterion.
    ///
    /// Returns
    /// -------
    /// Table
    ///     ``discrimination`` above 0 and ``difficulty`` on the ability scale, each with its standard error, ``information`` expected under
    ///     a standard normal ability, ``responses``, ``pass_rate`` in [0, 1], ``item_rest`` in [-1, 1], ``screened_out``.
    ///
    /// Notes
    /// -----
    /// METHODS 78-83, 92.
    #[getter]
    fn items(&self) -> Table {
        table(&self.made.items)
    }

    /// Items left out of the fit, each with the reason.
    #[getter]
    fn dropped(&self) -> Table {
        table(&self.made.dropped)
    }

    /// Abilities, sorted by system: posterior mean and standard deviation on the scale of a standard normal prior.
    #[getter]
    fn systems(&self) -> Table {
        table(&self.made.systems)
    }

    /// One slope for all items against one each, as in the file.
    ///
    /// Notes
    /// -----
    /// METHODS 84.
    #[getter]
    fn comparison<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.comparison)
    }
}

/// Labels to item parameters and abilities.
///
/// Parameters
/// ----------
/// labels : Calibration or Labels
///     Labels of two systems or more; a calibration stands for the labels it was made with.
/// rubric : Rubric, Bank or path, optional
///     Which criteria are penalties and which are only monitored; without one that of the calibration.
/// model : {"2PL", "1PL"}
///     A discrimination for each item, or one for all.
/// grid : {"refined", "fixed"}
///     Nodes over abilities as fine as the narrowest posterior asks for, or exactly 41 from -4 to 4.
/// seed : int, default 0
///     The seed that is noted in the artifact; a fit draws nothing.
///
/// Returns
/// -------
/// Fit
///
/// Raises
/// ------
/// ArgumentError
///     If an option has a value it cannot have, or the calibration has no labels.
/// StepError
///     If all labels are of one system, or nothing varies.
///
/// Notes
/// -----
/// METHODS 78-90. The same as ``calibrant fit``, byte for byte. A fit that does not converge is a result with a warning.
#[pyfunction]
#[pyo3(signature = (labels, rubric=None, *, model=None, grid=None, seed=None))]
fn fit(
    py: Python<'_>,
    labels: &Bound<'_, PyAny>,
    rubric: Option<&Bound<'_, PyAny>>,
    model: Option<&Bound<'_, PyAny>>,
    grid: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<Fit>> {
    let request = Asked::default()
        .set("model", "fit.model", model)?
        .set("grid", "fit.grid", grid)?
        .set("seed", "seed", seed)?
        .request();
    let beside = Beside::given(rubric, None)?;
    let (of, beside) = match labels.cast::<Calibration>() {
        Ok(calibration) => (Some(calibration.get()), beside.or_of(calibration.get())),
        Err(_) => (None, beside),
    };
    let made = match of {
        Some(of) => {
            let labels = of.known_labels(py)?;
            displayed(py, "fit", || {
                memory::fit(&request, Some(&of.made), &labels, beside.context())
            })?
        }
        None => {
            let Ok(labels) = labels.cast::<Labels>() else {
                let what = format!("labels is a {}", labels.get_type().name()?);
                let help = "give a Calibration, or Labels";
                return Err(errors::argument(py, "labels", &what, Some(help)));
            };
            let labels = &labels.get().labels;
            displayed(py, "fit", || memory::fit(&request, None, labels, beside.context()))?
        }
    };
    Fit::face(py, made.map_err(|error| errors::of_project(py, &error))?)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Fit>()?;
    module.add_function(wrap_pyfunction!(fit, module)?)
}
