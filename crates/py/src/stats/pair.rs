//! Coefficients of two judges.

use calibrant_stats::Undefined;
use calibrant_stats::agreement::{self as kernel, Agreement, PairTable, Weights, bootstrap_pair};
use pyo3::prelude::*;

use super::coefficient::{Asked, Coefficient, Found, Reach, finished, weights as weights_of};
use super::ratings::given;
use super::shared_docs::{interval, levels, pair_ratings, raises, weights};
use crate::{calls, errors};

/// Cohen's kappa of two judges: agreement beyond that of two judges who keep their own shares of labels.
///
#[doc = pair_ratings!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     Without a unit that both labelled, or when both give one and the same label throughout.
///
/// Notes
/// -----
/// The interval is normal, for about 50 units or more. METHODS 36-38, [Cohen 1960], [Fleiss, Cohen and Everitt 1969].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> kappa = stats.cohen_kappa([1, 1, 0, 1, 0, 0], [1, 0, 0, 1, 0, 1], interval=None)
/// >>> round(kappa.value, 3), round(kappa.observed, 3)
/// (0.333, 0.667)
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn cohen_kappa(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let table = given(ratings, other, levels)?.pair(py)?;
    kappa(py, &table, &Weights::identity(table.levels()), &asked)
}

/// Cohen's weighted kappa: disagreements of different size count differently.
///
#[doc = pair_ratings!()]
#[doc = weights!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     Without a unit that both labelled, with one label only, or where the weights call all labels that occur alike.
///
/// Notes
/// -----
/// Figures on scales with another number of levels do not compare. METHODS 45, [Cohen 1968], [Fleiss, Cohen and Everitt 1969].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(float(stats.weighted_kappa([1, 2, 3, 4], [1, 2, 4, 4], weights="quadratic")), 3)
/// 0.917
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, weights, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn weighted_kappa(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    weights: &Bound<'_, PyAny>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let table = given(ratings, other, levels)?.pair(py)?;
    let weights = weights_of(weights, table.levels())?;
    kappa(py, &table, &weights, &asked)
}

fn kappa(py: Python<'_>, table: &PairTable, weights: &Weights, asked: &Asked) -> PyResult<Coefficient> {
    let of = |table: &PairTable| kernel::weighted_kappa(table, weights);
    let found = calls::by_size(py, asked.size(table.counts().len()), || -> Result<Found, Undefined> {
        let found = Found::of(of(table)?, table.units())?;
        let errors = kernel::weighted_kappa_error(table, weights)?;
        let found = found.with_null_error(errors.null_standard_error);
        Ok(found.with(
            asked,
            Reach::Normal,
            || errors.standard_error,
            |options| bootstrap_pair(table, options, of),
        ))
    })?;
    finished(py, found)
}

/// Scott's pi of two judges: agreement beyond that of two judges who share one distribution of labels.
///
#[doc = pair_ratings!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     Without a unit that both labelled, or when only one label occurs.
///
/// Notes
/// -----
/// It equals Cohen's kappa only when both judges have the same shares of labels. METHODS 37, 38, [Scott 1955]; the standard error is
/// that of Fleiss' kappa, [Gwet 2008].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(float(stats.scott_pi([1, 1, 0, 1, 0, 0], [1, 0, 0, 1, 0, 1])), 3)
/// 0.333
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn scott_pi(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let table = given(ratings, other, levels)?.pair(py)?;
    pi(py, &table, &Weights::identity(table.levels()), &asked)
}

/// Scott's pi with weights: disagreements of different size count differently.
///
#[doc = pair_ratings!()]
#[doc = weights!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     As for `weighted_kappa`.
///
/// Notes
/// -----
/// [Scott 1955] with the weights of [Cohen 1968]; [Gwet 2014].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(float(stats.weighted_pi([1, 2, 3, 4], [1, 2, 4, 4], weights="linear")), 3)
/// 0.814
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, weights, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn weighted_pi(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    weights: &Bound<'_, PyAny>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let table = given(ratings, other, levels)?.pair(py)?;
    let weights = weights_of(weights, table.levels())?;
    pi(py, &table, &weights, &asked)
}

fn pi(py: Python<'_>, table: &PairTable, weights: &Weights, asked: &Asked) -> PyResult<Coefficient> {
    let of = |table: &PairTable| kernel::weighted_pi(table, weights);
    of_pair(py, table, asked, of, || {
        kernel::fleiss_kappa_error(&table.patterns(), weights)
    })
}

/// The kappa that these judges would have where all levels are equally frequent: prevalence-adjusted, bias-adjusted.
///
#[doc = pair_ratings!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     Without a unit that both labelled, or on a scale of one level; name both levels where only one occurs.
///
/// Notes
/// -----
/// On two levels it is ``2 * observed - 1``. METHODS 41, [Byrt, Bishop and Carlin 1993]; on more, [Brennan and Prediger 1981].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(float(stats.pabak([1, 1, 1, 1], [1, 1, 1, 0])), 3)
/// 0.5
/// >>> float(stats.pabak([1, 1, 1], [1, 1, 1], levels=[0, 1]))
/// 1.0
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn pabak(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let table = given(ratings, other, levels)?.pair(py)?;
    let of = |table: &PairTable| {
        Ok(Agreement {
            observed: kernel::raw_agreement(table)?,
            expected: 1.0 / table.levels() as f64,
            value: kernel::pabak(table),
        })
    };
    let identity = Weights::identity(table.levels());
    of_pair(py, &table, &asked, of, || {
        kernel::brennan_prediger_error(&table.patterns(), &identity)
    })
}

fn of_pair(
    py: Python<'_>,
    table: &PairTable,
    asked: &Asked,
    of: impl Fn(&PairTable) -> Result<Agreement, Undefined> + Sync + Send,
    error: impl FnOnce() -> Result<f64, Undefined> + Send,
) -> PyResult<Coefficient> {
    let found = calls::by_size(py, asked.size(table.counts().len()), || {
        let found = Found::of(of(table)?, table.units())?;
        Ok(found.with(asked, Reach::Student, error, |options| {
            bootstrap_pair(table, options, &of)
        }))
    })?;
    finished(py, found)
}

/// How much more often both judges gave the lower of two labels than the higher, in [-1, 1].
///
#[doc = pair_ratings!()]
#[doc = levels!()]
///
/// Returns
/// -------
/// float
///     Far from 0, kappa is low whatever the judges do.
///
#[doc = raises!()]
///     Without a unit that both labelled, and on any scale but one of two levels.
///
/// Notes
/// -----
/// [Byrt, Bishop and Carlin 1993].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.prevalence_index([1, 1, 1, 0], [1, 1, 1, 0])
/// -0.5
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, levels=None))]
pub(crate) fn prevalence_index(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let table = given(ratings, other, levels)?.pair(py)?;
    kernel::prevalence_index(&table).map_err(|why| errors::undefined(py, why))
}

/// The share of the higher of two labels of the second judge less that of the first, in [-1, 1].
///
#[doc = pair_ratings!()]
#[doc = levels!()]
///
/// Returns
/// -------
/// float
///     Positive when the second judge is the more lenient.
///
#[doc = raises!()]
///     Without a unit that both labelled, and on any scale but one of two levels.
///
/// Notes
/// -----
/// METHODS 43, [Byrt, Bishop and Carlin 1993].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.bias_index([1, 0, 0, 0], [1, 1, 1, 0])
/// 0.5
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, levels=None))]
pub(crate) fn bias_index(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let table = given(ratings, other, levels)?.pair(py)?;
    kernel::bias_index(&table).map_err(|why| errors::undefined(py, why))
}

/// The correlation of two yes-or-no variables, such as verdicts on two criteria, in [-1, 1].
///
#[doc = pair_ratings!()]
#[doc = levels!()]
///
/// Returns
/// -------
/// float
///     Two criteria that correlate weigh the same thing twice.
///
#[doc = raises!()]
///     Without a unit that has both, on any scale but one of two levels, and where a variable does not vary.
///
/// Notes
/// -----
/// METHODS 20, [Yule 1912].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.phi([1, 1, 0, 0], [0, 0, 1, 1])
/// -1.0
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, levels=None))]
pub(crate) fn phi(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let table = given(ratings, other, levels)?.pair(py)?;
    kernel::phi(&table).map_err(|why| errors::undefined(py, why))
}
