//! Fits of item response models, and what is asked of them.

use std::sync::Arc;

use calibrant_stats::irt::{
    self as kernel, AbilityReplicates as Drawn, BootstrapOptions, Fit, FitOptions, GridRule, IrtError, Items, Model,
    Priors, Responses, Stopped,
};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use super::abilities::{Abilities, grid_of};
use super::coefficient::{check_replicates, unknown_word};
use super::responses::{responses_doc, responses_of};
use super::result::result;
use crate::{arrays, calls, errors};

/// A fitted item response model.
///
/// It keeps the responses and options it was made with, so that abilities, errors and replicates can be asked of it.
///
/// Attributes
/// ----------
/// discrimination, difficulty : ndarray of float64, shape (items,)
///     How sharply each item separates abilities, and the ability at which it is passed half the time.
/// log_posterior, log_likelihood : float
///     At these parameters; the first with log priors, constants dropped.
/// parameters : int
///     How many were estimated.
/// converged : bool
///     Whether the gradient, not the number of steps, ended the fit. One that did not converge is returned all the same.
/// stopped : str
///     ``"gradient"``, ``"iterations"`` or ``"no_progress"``.
/// iterations, gradient_max : int, float
///     Steps taken, and the largest absolute derivative at the end.
/// model : str
///     ``"1PL"`` or ``"2PL"``.
/// nodes, node_weights : ndarray of float64
///     The grid over which abilities were integrated.
#[pyclass(frozen, module = "calibrant.stats")]
pub(crate) struct IrtFit {
    responses: Arc<Responses>,
    options: FitOptions,
    fit: Fit,
}

/// What a fit of this table costs at least, for [`calls::by_size`]: never small.
const LONG: usize = usize::MAX;

/// Fits a one- or two-parameter logistic model to the responses of systems, by marginal maximum a posteriori.
///
#[doc = responses_doc!()]
/// model : {"2PL", "1PL"}
///     A discrimination and a difficulty per item, or one discrimination for all.
/// system_weights : array_like of float, shape (systems,), optional
///     For how many systems each row stands (pattern frequencies).
/// item_weights : array_like of float, shape (items,), optional
///     How often each item counts, in the likelihood and with its priors.
/// log_discrimination_sd, difficulty_sd : float
///     Standard deviations of the normal priors on log discrimination and difficulty, mean 0.
/// grid : {"refined", "fixed"}
///     Whether the spacing of the nodes is halved where posteriors are narrow, or stays.
/// nodes, reach : int, float
///     The nodes over which standard normal abilities are integrated, or the coarsest that may be; see `ability_grid`.
/// gradient_tolerance, max_iterations : float, int
///     When the fit stops.
/// start : tuple of (discrimination, difficulty), optional
///     Where it starts.
///
/// Returns
/// -------
/// IrtFit
///
/// Raises
/// ------
/// ArgumentError
///     With fewer than two systems, an item that never varies (see `constant_items`), or a keyword out of its range.
/// KeyboardInterrupt
///     On Ctrl-C, at the next step.
///
/// Notes
/// -----
/// METHODS 79-82, [CR26] 3.4. Computed without the interpreter's lock.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> responses = [[1, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]]
/// >>> fit = stats.fit_irt(responses)
/// >>> fit.converged, fit.parameters
/// (True, 8)
/// >>> fit.abilities().mean.argmax()
/// np.int64(4)
#[pyfunction]
#[pyo3(signature = (
    responses, *, trials=None, model="2PL", system_weights=None, item_weights=None, log_discrimination_sd=0.5,
    difficulty_sd=2.0, grid="refined", nodes=41, reach=4.0, gradient_tolerance=1e-6, max_iterations=500, start=None,
))]
pub(crate) fn fit_irt(
    py: Python<'_>,
    responses: &Bound<'_, PyAny>,
    trials: Option<&Bound<'_, PyAny>>,
    model: &str,
    system_weights: Option<&Bound<'_, PyAny>>,
    item_weights: Option<&Bound<'_, PyAny>>,
    log_discrimination_sd: f64,
    difficulty_sd: f64,
    grid: &str,
    nodes: usize,
    reach: f64,
    gradient_tolerance: f64,
    max_iterations: usize,
    start: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
) -> PyResult<IrtFit> {
    let model = match model {
        "1PL" => Model::OnePl,
        "2PL" => Model::TwoPl,
        other => return Err(unknown_word(py, "model", other, &["1PL", "2PL"])),
    };
    let options = FitOptions {
        grid: grid_of(py, nodes, reach)?,
        rule: rule_of(py, grid)?,
        priors: Priors {
            log_discrimination_sd,
            difficulty_sd,
        },
        gradient_tolerance,
        max_iterations,
        item_weights: item_weights
            .map(|weights| arrays::list(weights, "item_weights"))
            .transpose()?,
        start: start.map(|(a, b)| items_of(&a, &b)).transpose()?,
    };
    let responses = responses_of(responses, trials, system_weights)?;
    let fit = calls::by_size(py, LONG, || kernel::fit(&responses, model, &options))?;
    Ok(IrtFit {
        fit: fit.map_err(|error| errors::of_irt(py, &error))?,
        responses: Arc::new(responses),
        options,
    })
}

pub(crate) fn rule_of(py: Python<'_>, word: &str) -> PyResult<GridRule> {
    match word {
        "refined" => Ok(GridRule::Refined),
        "fixed" => Ok(GridRule::Fixed),
        other => Err(unknown_word(py, "grid", other, &["refined", "fixed"])),
    }
}

pub(crate) fn items_of(discrimination: &Bound<'_, PyAny>, difficulty: &Bound<'_, PyAny>) -> PyResult<Items> {
    Ok(Items {
        discrimination: arrays::list(discrimination, "discrimination")?,
        difficulty: arrays::list(difficulty, "difficulty")?,
    })
}

result! {
    /// Standard errors of item parameters.
    ///
    /// Attributes
    /// ----------
    /// log_discrimination, discrimination, difficulty : ndarray of float64, shape (items,)
    ///     Of each; the second by the delta method.
    ItemErrors {
        log_discrimination: Py<PyArray1<f64>>,
        discrimination: Py<PyArray1<f64>>,
        difficulty: Py<PyArray1<f64>>,
    }
}

result! {
    /// Abilities of every system in every replicate of a bootstrap.
    ///
    /// Attributes
    /// ----------
    /// pool : ndarray of float64, shape (replicates, systems)
    ///     Abilities on all items.
    /// bank : ndarray of float64, shape (replicates, systems), or None
    ///     Abilities on the bank's items, in the same replicates.
    /// unconverged : int
    ///     Replicates that had not converged when their iterations ran out.
    AbilityReplicates {
        pool: Py<PyArray2<f64>>,
        bank: Option<Py<PyArray2<f64>>>,
        unconverged: usize,
    }
}

result! {
    /// Two fits of the same responses, compared by marginal log likelihood, priors left out.
    ///
    /// Attributes
    /// ----------
    /// gain : float
    ///     Log likelihood of the richer model less that of the simpler.
    /// extra_parameters : int
    ///     How many parameters more the richer model has.
    /// gain_per_parameter : float or None
    ///     None without extra parameters.
    /// aic, bic_cells, bic_systems : tuple of float
    ///     Criteria of the simpler and the richer model, smaller is better; the sample size is the observed cells or the systems.
    /// aic_threshold, bic_cells_threshold, bic_systems_threshold : float
    ///     What the gain per parameter must exceed for a criterion to prefer the richer model.
    Comparison {
        gain: f64,
        extra_parameters: usize,
        gain_per_parameter: Option<f64>,
        aic: (f64, f64),
        bic_cells: (f64, f64),
        bic_systems: (f64, f64),
        aic_threshold: f64,
        bic_cells_threshold: f64,
        bic_systems_threshold: f64,
    }
}

#[pymethods]
impl IrtFit {
    #[getter]
    fn discrimination(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::out(py, self.fit.items.discrimination.clone())
    }

    #[getter]
    fn difficulty(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::out(py, self.fit.items.difficulty.clone())
    }

    #[getter]
    fn log_posterior(&self) -> f64 {
        self.fit.log_posterior
    }

    #[getter]
    fn log_likelihood(&self) -> f64 {
        self.fit.log_likelihood
    }

    #[getter]
    fn parameters(&self) -> usize {
        self.fit.parameters
    }

    #[getter]
    fn converged(&self) -> bool {
        self.fit.convergence.converged()
    }

    #[getter]
    fn stopped(&self) -> &'static str {
        match self.fit.convergence.stopped {
            Stopped::Gradient => "gradient",
            Stopped::Iterations => "iterations",
            Stopped::NoProgress => "no_progress",
        }
    }

    #[getter]
    fn iterations(&self) -> usize {
        self.fit.convergence.iterations
    }

    #[getter]
    fn gradient_max(&self) -> f64 {
        self.fit.convergence.gradient_max
    }

    #[getter]
    fn model(&self) -> &'static str {
        match self.fit.model {
            Model::OnePl => "1PL",
            Model::TwoPl => "2PL",
        }
    }

    #[getter]
    fn nodes(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::out(py, self.fit.grid.nodes().to_vec())
    }

    #[getter]
    fn node_weights(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::out(py, self.fit.grid.weights().to_vec())
    }

    /// The ability of every system under the fitted parameters.
    ///
    /// Returns
    /// -------
    /// Abilities
    ///     Posterior means and deviations, on the grid of the fit.
    ///
    /// Notes
    /// -----
    /// METHODS 80-82.
    fn abilities(&self, py: Python<'_>) -> PyResult<Abilities> {
        let (grid, weights) = (&self.fit.grid, self.options.item_weights.as_deref());
        let found = calls::by_size(py, LONG, || match self.options.rule {
            GridRule::Fixed => kernel::abilities(&self.responses, &self.fit.items, grid, weights),
            GridRule::Refined => kernel::refined_abilities(&self.responses, &self.fit.items, grid, weights),
        })?;
        Abilities::of(py, found)
    }

    /// Standard errors of the item parameters, from the exact observed information.
    ///
    /// Returns
    /// -------
    /// ItemErrors
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     When the information has no inverse that is a covariance, as where the fit has not converged.
    ///
    /// Notes
    /// -----
    /// METHODS 90, [Louis 1982].
    fn standard_errors(&self, py: Python<'_>) -> PyResult<ItemErrors> {
        let found = calls::by_size(py, LONG, || {
            kernel::standard_errors(&self.responses, &self.fit, &self.options)
        })?;
        let errors = found.map_err(|error| errors::of_irt(py, &error))?;
        let all = |one: fn(&kernel::ItemErrors) -> f64| arrays::out(py, errors.iter().map(one).collect());
        Ok(ItemErrors {
            log_discrimination: all(|errors| errors.log_discrimination),
            discrimination: all(|errors| errors.discrimination),
            difficulty: all(|errors| errors.difficulty),
        })
    }

    /// How abilities would vary if the queries, or the labels, were drawn again.
    ///
    /// Parameters
    /// ----------
    /// clusters : array_like of int, shape (items,), optional
    ///     The cluster of each item, usually its query; for every method but ``"parametric"`` and ``"posterior"``.
    /// method : {"influence", "cluster", "parametric", "posterior", "source"}
    ///     Clusters drawn again to first order, or with every replicate refitted; labels simulated from the fit and refitted; draws
    ///     from the posterior and the delta method; or the plain form of the source, which is too narrow.
    /// bank : array_like of int, optional
    ///     Positions of the items of a bank, for abilities on it alone.
    /// replicates, seed : int
    ///     Same seed, same replicates, on any number of threads.
    /// gradient_tolerance : float
    ///     When a refit stops.
    ///
    /// Returns
    /// -------
    /// AbilityReplicates
    ///     Refits are aligned to the fit: they speak of contrasts between these systems.
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If clusters are not one an item, or the bank points past the items.
    /// UndefinedError
    ///     With fewer than ten clusters, or where too few replicates have a value.
    /// KeyboardInterrupt
    ///     On Ctrl-C, at the next replicate.
    ///
    /// Notes
    /// -----
    /// METHODS 102.
    #[pyo3(signature = (clusters=None, *, method="influence", bank=None, replicates=300, seed=0, gradient_tolerance=1e-4))]
    fn bootstrap(
        &self,
        py: Python<'_>,
        clusters: Option<&Bound<'_, PyAny>>,
        method: &str,
        bank: Option<&Bound<'_, PyAny>>,
        replicates: u32,
        seed: u64,
        gradient_tolerance: f64,
    ) -> PyResult<AbilityReplicates> {
        check_replicates(py, replicates)?;
        let clusters: Option<Vec<u32>> = clusters.map(|given| arrays::whole(given, "clusters")).transpose()?;
        let bank: Option<Vec<usize>> = bank.map(|given| arrays::whole(given, "bank")).transpose()?;
        let options = BootstrapOptions {
            replicates,
            gradient_tolerance,
            ..BootstrapOptions::new(seed)
        };
        let known = ["influence", "cluster", "parametric", "posterior", "source"];
        if !known.contains(&method) {
            return Err(unknown_word(py, "method", method, &known));
        }
        let Some(clusters) = clusters.or_else(|| matches!(method, "parametric" | "posterior").then(Vec::new)) else {
            let message = format!("clusters are missing, and method=\"{method}\" draws them");
            return Err(errors::argument(
                py,
                "clusters",
                &message,
                Some("give the query of each item"),
            ));
        };
        let drawn = calls::by_size(py, LONG, || self.drawn(method, &clusters, bank.as_deref(), &options))?;
        let drawn = drawn.map_err(|error| errors::of_irt(py, &error))?;
        Ok(AbilityReplicates {
            pool: arrays::table_out(py, drawn.pool, drawn.systems)?,
            bank: drawn
                .bank
                .map(|bank| arrays::table_out(py, bank, drawn.systems))
                .transpose()?,
            unconverged: drawn.unconverged,
        })
    }

    fn __repr__(&self) -> String {
        let (systems, items) = (self.responses.systems(), self.responses.items());
        let (model, stopped) = (self.model(), self.stopped());
        let posterior = self.fit.log_posterior;
        format!(
            "IrtFit(model='{model}', systems={systems}, items={items}, log_posterior={posterior:.6}, stopped='{stopped}')"
        )
    }
}

impl IrtFit {
    fn drawn(
        &self,
        method: &str,
        clusters: &[u32],
        bank: Option<&[usize]>,
        bootstrap: &BootstrapOptions,
    ) -> Result<Drawn, IrtError> {
        let (responses, fit, options) = (&self.responses, &self.fit, &self.options);
        match method {
            "cluster" => kernel::cluster_bootstrap(responses, fit, clusters, bank, options, bootstrap),
            "parametric" => kernel::parametric_bootstrap(responses, fit, bank, options, bootstrap),
            "posterior" => kernel::posterior_draws(responses, fit, bank, options, bootstrap),
            "source" => kernel::source_bootstrap(responses, fit, clusters, bank, options, bootstrap),
            _ => kernel::influence_bootstrap(responses, fit, clusters, bank, options, bootstrap),
        }
    }

    /// Observed cells and systems, counted by weight.
    fn sample_sizes(&self) -> (usize, usize) {
        let weight = |system: usize| self.responses.system_weights().map_or(1.0, |weights| weights[system]);
        let systems: f64 = (0..self.responses.systems()).map(weight).sum();
        let observed = |item: usize| {
            let cells = self.responses.trials(item).iter().enumerate();
            cells
                .filter(|(_, n)| **n > 0)
                .map(|(system, _)| weight(system))
                .sum::<f64>()
        };
        let cells: f64 = (0..self.responses.items()).map(observed).sum();
        (cells.round() as usize, systems.round() as usize)
    }
}

/// Whether richer item parameters earn their number: two fits of the same responses, compared.
///
/// Parameters
/// ----------
/// simple, rich : IrtFit
///     Of the same responses.
///
/// Returns
/// -------
/// Comparison
///
/// Raises
/// ------
/// ArgumentError
///     If the fits are not of the same number of systems and items.
///
/// Notes
/// -----
/// With 6 to 15 systems the simpler model wins almost surely even when slopes truly differ. METHODS 84, 89, [CR26] eq. 13.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> responses = [[1, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]]
/// >>> both = [stats.fit_irt(responses, model=model) for model in ("1PL", "2PL")]
/// >>> stats.compare_fits(*both).extra_parameters
/// 3
#[pyfunction]
pub(crate) fn compare_fits(py: Python<'_>, simple: &IrtFit, rich: &IrtFit) -> PyResult<Comparison> {
    let shape = |fit: &IrtFit| (fit.responses.systems(), fit.responses.items());
    if shape(simple) != shape(rich) {
        let message = "simple and rich are not fits of the same responses";
        return Err(errors::argument(py, "rich", message, None));
    }
    let (cells, systems) = rich.sample_sizes();
    let found = kernel::compare(&simple.fit, &rich.fit, cells, systems);
    let both = |[simple, rich]: [f64; 2]| (simple, rich);
    Ok(Comparison {
        gain: found.gain,
        extra_parameters: found.extra_parameters,
        gain_per_parameter: found.gain_per_parameter,
        aic: both(found.aic),
        bic_cells: both(found.bic_cells),
        bic_systems: both(found.bic_systems),
        aic_threshold: found.aic_threshold,
        bic_cells_threshold: found.bic_cells_threshold,
        bic_systems_threshold: found.bic_systems_threshold,
    })
}
