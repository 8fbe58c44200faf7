//! Measurability, what judge errors do, and the arithmetic of shares.

use calibrant_stats::attenuation::{CriterionNoise, JudgeErrors as Errors, score_variance as kernel_variance};
use calibrant_stats::judge_error as kernel_error;
use calibrant_stats::measurability::{self as kernel, BetaPrior};
use calibrant_stats::proportion::wilson_interval as kernel_wilson;
use pyo3::prelude::*;

use super::result::result;
use crate::{arrays, errors};

result! {
    /// The posterior of measurability, strictly inside (0, 1).
    ///
    /// Attributes
    /// ----------
    /// mean : float or ndarray of float64
    ///     The posterior mean.
    /// low, high : float or ndarray of float64
    ///     The equal-tailed 95 % interval.
    Measurability {
        mean: Py<PyAny>,
        low: Py<PyAny>,
        high: Py<PyAny>,
    }
}

/// The counts and the prior.
macro_rules! counts_doc {
    () => {
        "Parameters\n----------\nunanimous, total : array_like of int\n    On how many units the whole panel gave one label, of how many that at least two judges labelled; they broadcast.\n"
    };
}

macro_rules! prior_doc {
    () => {
        "alpha, beta : float\n    The beta prior, above 0; uniform by default.\n"
    };
}

fn counts(
    unanimous: &Bound<'_, PyAny>,
    total: &Bound<'_, PyAny>,
    names: [&'static str; 2],
) -> PyResult<(Vec<usize>, Vec<u64>, Vec<u64>)> {
    let py = unanimous.py();
    let (shape, [first, second]) = arrays::together(py, [(names[0], unanimous), (names[1], total)])?;
    let first = arrays::whole_entries(py, &first, names[0])?;
    Ok((shape, first, arrays::whole_entries(py, &second, names[1])?))
}

/// How surely a panel applies a criterion alike: the posterior after `unanimous` of `total` units had one label.
///
#[doc = counts_doc!()]
#[doc = prior_doc!()]
///
/// Returns
/// -------
/// Measurability
///     Of floats for numbers, else of arrays. No unit at all gives the prior.
///
/// Raises
/// ------
/// ArgumentError
///     If a count exceeds its total, or the prior is not positive and finite.
///
/// Notes
/// -----
/// With two judges this only restates pairwise agreement, and a criterion nobody fails agrees by luck. METHODS 63,
/// [CR26] eq. 10-12.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.measurability(0, 0).mean
/// 0.5
/// >>> stats.measurability([15, 12], 15).mean.round(3).tolist()
/// [0.941, 0.765]
#[pyfunction]
#[pyo3(signature = (unanimous, total, *, alpha=1.0, beta=1.0))]
pub(crate) fn measurability(
    py: Python<'_>,
    unanimous: &Bound<'_, PyAny>,
    total: &Bound<'_, PyAny>,
    alpha: f64,
    beta: f64,
) -> PyResult<Measurability> {
    let (shape, unanimous, total) = counts(unanimous, total, ["unanimous", "total"])?;
    let mut found = [Vec::new(), Vec::new(), Vec::new()];
    for (&agreed, &of) in unanimous.iter().zip(&total) {
        let one = kernel::measurability(agreed, of, BetaPrior { alpha, beta });
        let one = one.map_err(|error| errors::of_stats(py, &error))?;
        found[0].push(one.mean);
        found[1].push(one.low);
        found[2].push(one.high);
    }
    let [mean, low, high] = found.map(|values| arrays::shaped_out(py, values, &shape));
    Ok(Measurability {
        mean: mean?,
        low: low?,
        high: high?,
    })
}

/// The posterior probability that measurability is at least a threshold.
///
#[doc = counts_doc!()]
/// threshold : float
///     In [0, 1].
#[doc = prior_doc!()]
///
/// Returns
/// -------
/// float or ndarray of float64
///     Prefer it to the mean when keeping a criterion that fails the threshold is costly.
///
/// Raises
/// ------
/// ArgumentError
///     As `measurability`, or if the threshold is out of its range.
///
/// Notes
/// -----
/// METHODS 66.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.probability_at_least(15, 15, 0.8), 3)
/// 0.972
#[pyfunction]
#[pyo3(signature = (unanimous, total, threshold, *, alpha=1.0, beta=1.0))]
pub(crate) fn probability_at_least(
    py: Python<'_>,
    unanimous: &Bound<'_, PyAny>,
    total: &Bound<'_, PyAny>,
    threshold: f64,
    alpha: f64,
    beta: f64,
) -> PyResult<Py<PyAny>> {
    let (shape, unanimous, total) = counts(unanimous, total, ["unanimous", "total"])?;
    let prior = BetaPrior { alpha, beta };
    let units = unanimous.iter().zip(&total);
    let found = units.map(|(&agreed, &of)| kernel::probability_at_least(agreed, of, threshold, prior));
    let found: Result<Vec<f64>, _> = found.collect();
    arrays::shaped_out(py, found.map_err(|error| errors::of_stats(py, &error))?, &shape)
}

/// The fewest units, all unanimous, with which the posterior mean of measurability can reach a threshold.
///
/// Parameters
/// ----------
/// threshold : float
///     In [0, 1).
#[doc = prior_doc!()]
///
/// Returns
/// -------
/// int
///
/// Raises
/// ------
/// ArgumentError
///     If the threshold or the prior is out of its range.
///
/// Notes
/// -----
/// METHODS 65.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.fewest_units(0.8)
/// 3
#[pyfunction]
#[pyo3(signature = (threshold, *, alpha=1.0, beta=1.0))]
pub(crate) fn fewest_units(py: Python<'_>, threshold: f64, alpha: f64, beta: f64) -> PyResult<u64> {
    kernel::fewest_units(threshold, BetaPrior { alpha, beta }).map_err(|error| errors::of_stats(py, &error))
}

/// The 95 % Wilson interval of a share of independent trials, ends in [0, 1].
///
/// Parameters
/// ----------
/// passed, trials : array_like of int
///     They broadcast; `passed` at most `trials`.
///
/// Returns
/// -------
/// low, high : float or ndarray of float64
///
/// Raises
/// ------
/// ArgumentError
///     If more passed than there were trials.
/// UndefinedError
///     Without a trial.
///
/// Notes
/// -----
/// Trials that belong together make it too narrow: prefer a bootstrap of clusters there. [Wilson 1927].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> low, high = stats.wilson_interval(10, 10)
/// >>> round(low, 3), high
/// (0.722, 1.0)
#[pyfunction]
pub(crate) fn wilson_interval(
    py: Python<'_>,
    passed: &Bound<'_, PyAny>,
    trials: &Bound<'_, PyAny>,
) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let (shape, passed, trials) = counts(passed, trials, ["passed", "trials"])?;
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    for (&passed, &trials) in passed.iter().zip(&trials) {
        if passed > trials {
            let message = format!("passed ({passed}) exceed the trials ({trials})");
            return Err(errors::argument(py, "passed", &message, None));
        }
        let (low, high) = kernel_wilson(passed, trials).map_err(|why| errors::undefined(py, why))?;
        lows.push(low);
        highs.push(high);
    }
    Ok((
        arrays::shaped_out(py, lows, &shape)?,
        arrays::shaped_out(py, highs, &shape)?,
    ))
}

/// The chance that a panel is unanimous on a unit, when each judge errs independently with the same chance.
///
/// Parameters
/// ----------
/// error : float
///     In [0, 1].
/// judges : int
///     How many.
///
/// Returns
/// -------
/// float
///     ``(1 - error)**judges + error**judges``.
///
/// Raises
/// ------
/// ArgumentError
///     If the error is no chance.
///
/// Notes
/// -----
/// [CR26] Prop. 1.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.unanimity_rate(0.1, 3), 3)
/// 0.73
#[pyfunction]
pub(crate) fn unanimity_rate(py: Python<'_>, error: f64, judges: u32) -> PyResult<f64> {
    share(py, "error", error)?;
    Ok(kernel_error::unanimity_rate(error, judges))
}

/// The error of each judge, in [0, 1/2], that makes a panel unanimous on a share `rho` of the units.
///
/// Parameters
/// ----------
/// rho : float
///     In [0, 1].
/// judges : int
///     How many.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ArgumentError
///     If `rho` is no share.
/// UndefinedError
///     For fewer than two judges, and for a share below that of coins.
///
/// Notes
/// -----
/// METHODS 73, [CR26] Prop. 1.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.judge_error(0.73, 3), 6)
/// 0.1
#[pyfunction]
pub(crate) fn judge_error(py: Python<'_>, rho: f64, judges: u32) -> PyResult<f64> {
    share(py, "rho", rho)?;
    kernel_error::judge_error(rho, judges).map_err(|why| errors::undefined(py, why))
}

pub(crate) fn share(py: Python<'_>, argument: &str, value: f64) -> PyResult<()> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    let message = format!("{argument} is {value}, which is not between 0 and 1");
    Err(errors::argument(py, argument, &message, None))
}

/// How a judge errs on one criterion.
///
/// Parameters
/// ----------
/// sensitivity : float
///     The chance that a true pass is passed, in [0, 1].
/// specificity : float
///     The chance that a true failure is failed, in [0, 1].
///
/// Raises
/// ------
/// ArgumentError
///     If one is no chance.
///
/// Notes
/// -----
/// METHODS 114.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> judge = stats.JudgeErrors(0.9, 0.8)
/// >>> round(judge.observed_rate(0.5), 3), round(judge.true_rate(0.55)[0], 3)
/// (0.55, 0.5)
#[pyclass(frozen, module = "calibrant.stats")]
pub(crate) struct JudgeErrors {
    errors: Errors,
    /// The chance that a true pass is passed.
    #[pyo3(get)]
    sensitivity: f64,
    /// The chance that a true failure is failed.
    #[pyo3(get)]
    specificity: f64,
}

#[pymethods]
impl JudgeErrors {
    #[new]
    fn new(py: Python<'_>, sensitivity: f64, specificity: f64) -> PyResult<Self> {
        let errors = Errors::new(sensitivity, specificity).map_err(|error| errors::of_stats(py, &error))?;
        Ok(Self {
            errors,
            sensitivity,
            specificity,
        })
    }

    /// The share of a true difference between pass rates that the judge's labels keep, in [-1, 1].
    #[getter]
    fn kept_share(&self) -> f64 {
        self.errors.kept_share()
    }

    /// The pass rate the judge reports when the true one is `rate`, in [0, 1].
    ///
    /// Parameters
    /// ----------
    /// rate : float
    ///     The true pass rate, in [0, 1].
    ///
    /// Returns
    /// -------
    /// float
    ///     The rate reported, in [0, 1].
    fn observed_rate(&self, py: Python<'_>, rate: f64) -> PyResult<f64> {
        share(py, "rate", rate)?;
        Ok(self.errors.observed_rate(rate))
    }

    /// The true pass rate behind an observed one, cut to [0, 1], and whether it was cut.
    ///
    /// Parameters
    /// ----------
    /// observed : float
    ///     The pass rate that the judge reports, in [0, 1].
    ///
    /// Returns
    /// -------
    /// tuple of float and bool
    ///     The true rate, and whether it was cut.
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     When the judge's labels do not depend on the truth.
    fn true_rate(&self, py: Python<'_>, observed: f64) -> PyResult<(f64, bool)> {
        share(py, "observed", observed)?;
        let found = self
            .errors
            .true_rate(observed)
            .map_err(|why| errors::undefined(py, why))?;
        Ok((found.rate, found.clipped))
    }

    fn __repr__(&self) -> String {
        format!(
            "JudgeErrors(sensitivity={}, specificity={})",
            self.sensitivity, self.specificity
        )
    }
}

result! {
    /// The variance of a system's mean score, by where it comes from.
    ///
    /// Attributes
    /// ----------
    /// responses : float
    ///     Only more prompts lower it.
    /// judges : float
    ///     More prompts or more repeats lower it.
    ScoreVariance {
        responses: f64,
        judges: f64,
    }
}

/// The variance of a mean score over prompts, each graded several times with the labels averaged.
///
/// Parameters
/// ----------
/// weights, pass_rates, errors : array_like of float
///     Of each criterion: its weight, its true pass rate over prompts, and the judge's symmetric error; they broadcast.
/// prompts, repeats : int
///     At least 1.
///
/// Returns
/// -------
/// ScoreVariance
///
/// Raises
/// ------
/// ArgumentError
///     If a rate or error is no chance, or a weight negative.
/// UndefinedError
///     Without a prompt, a repeat or a positive weight.
///
/// Notes
/// -----
/// Criteria of one response are taken as independent; positive correlation makes this a lower bound. METHODS 115, 118.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> variance = stats.score_variance([1, 1], 0.5, 0.1, prompts=100)
/// >>> round(variance.responses, 6), round(variance.judges, 6)
/// (0.0008, 0.00045)
#[pyfunction]
#[pyo3(signature = (weights, pass_rates, errors, *, prompts, repeats=1))]
pub(crate) fn score_variance(
    py: Python<'_>,
    weights: &Bound<'_, PyAny>,
    pass_rates: &Bound<'_, PyAny>,
    errors: &Bound<'_, PyAny>,
    prompts: u32,
    repeats: u32,
) -> PyResult<ScoreVariance> {
    let arguments = [("weights", weights), ("pass_rates", pass_rates), ("errors", errors)];
    let (_, [weights, rates, chances]) = arrays::together(py, arguments)?;
    let mut criteria = Vec::with_capacity(weights.len());
    for ((&weight, &pass_rate), &error) in weights.iter().zip(&rates).zip(&chances) {
        share(py, "pass_rates", pass_rate)?;
        share(py, "errors", error)?;
        if !(weight.is_finite() && weight >= 0.0) {
            let message = format!("weights hold {weight}, which is not finite and at least 0");
            return Err(crate::errors::argument(py, "weights", &message, None));
        }
        criteria.push(CriterionNoise {
            weight,
            pass_rate,
            error,
        });
    }
    let found = kernel_variance(&criteria, prompts, repeats).map_err(|why| crate::errors::undefined(py, why))?;
    Ok(ScoreVariance {
        responses: found.responses,
        judges: found.judges,
    })
}
