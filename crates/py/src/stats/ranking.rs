//! Rank correlations, tiers, intervals of percentiles, and how far scores lie apart.

use calibrant_stats::ranking as kernel;
use calibrant_stats::resample::{expanded_level as kernel_expanded, percentile_interval as kernel_interval};
use calibrant_stats::spread::spread as kernel_spread;
use calibrant_stats::tiers::{self as kernel_tiers, TierRule};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::coefficient::{check_level, unknown_word};
use super::result::result;
use crate::{arrays, calls, errors};

/// Ranks from 1, ties sharing the mean of their ranks.
///
/// Parameters
/// ----------
/// values : array_like of float, shape (n,)
///     Finite numbers.
///
/// Returns
/// -------
/// ndarray of float64, shape (n,)
///
/// Raises
/// ------
/// ArgumentError
///     If a value is not finite.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.ranks([10, 30, 20, 30]).tolist()
/// [1.0, 3.5, 2.0, 3.5]
#[pyfunction]
pub(crate) fn ranks(py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Py<PyArray1<f64>>> {
    let values = finite(values, "values")?;
    let ranks = calls::by_size(py, 64 * values.len(), || kernel::ranks(&values))?;
    Ok(arrays::out(py, ranks))
}

pub(crate) fn finite(values: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<f64>> {
    let py = values.py();
    let values = arrays::list(values, argument)?;
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(values),
        Some(index) => {
            let message = format!("{argument}: entry {index} is {}, which is not finite", values[index]);
            Err(errors::argument(py, argument, &message, None))
        }
    }
}

fn both(x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let (x_values, y_values) = (finite(x, "x")?, finite(y, "y")?);
    arrays::same_length(x.py(), ("x", x_values.len()), ("y", y_values.len()))?;
    Ok((x_values, y_values))
}

/// Spearman's rank correlation, in [-1, 1]; tied values share ranks.
///
/// Parameters
/// ----------
/// x, y : array_like of float, shape (n,)
///     Finite numbers.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ArgumentError
///     If the lists differ in length or a value is not finite.
/// UndefinedError
///     For fewer than two pairs, or when one list is constant.
///
/// Notes
/// -----
/// METHODS 55, 107, [Spearman 1904].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.spearman([1, 2, 3], [2, 1, 3])
/// 0.5
#[pyfunction]
pub(crate) fn spearman(py: Python<'_>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (x, y) = both(x, y)?;
    let found = calls::by_size(py, 128 * x.len(), || kernel::spearman(&x, &y))?;
    found.map_err(|why| errors::undefined(py, why))
}

/// The two-sided p-value of a Spearman correlation, from Student's t with ``n - 2`` degrees of freedom.
///
/// Parameters
/// ----------
/// rho : float
///     In [-1, 1].
/// n : int
///     Over how many systems; it must stand beside the number.
///
/// Returns
/// -------
/// float
///     In [0, 1].
///
/// Raises
/// ------
/// ArgumentError
///     If `rho` is no correlation.
/// UndefinedError
///     For fewer than three systems.
///
/// Notes
/// -----
/// METHODS 111.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.spearman_p_value(0.9, 10), 4)
/// 0.0004
#[pyfunction]
pub(crate) fn spearman_p_value(py: Python<'_>, rho: f64, n: usize) -> PyResult<f64> {
    if !(-1.0..=1.0).contains(&rho) {
        let message = format!("rho is {rho}, which is not between -1 and 1");
        return Err(errors::argument(py, "rho", &message, None));
    }
    kernel::spearman_p_value(rho, n).map_err(|why| errors::undefined(py, why))
}

/// Kendall's tau-b, in [-1, 1].
///
/// Parameters
/// ----------
/// x, y : array_like of float, shape (n,)
///     Finite numbers.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ArgumentError
///     If the lists differ in length or a value is not finite.
/// UndefinedError
///     For fewer than two pairs, or when one list is constant.
///
/// Notes
/// -----
/// Counted in n log n steps. METHODS 127, [Kendall 1945], [Knight 1966].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.kendall_tau_b([1, 2, 2, 3], [1, 2, 3, 3]), 3)
/// 0.8
#[pyfunction]
pub(crate) fn kendall_tau_b(py: Python<'_>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (x, y) = both(x, y)?;
    let found = calls::by_size(py, 128 * x.len(), || kernel::kendall_tau_b(&x, &y))?;
    found.map_err(|why| errors::undefined(py, why))
}

/// The rank correlation with the full pool that a smaller bank must keep.
///
/// Parameters
/// ----------
/// systems : int
///     At least 2.
///
/// Returns
/// -------
/// float
///     ``min(.95, 1 - 12 / (M**3 - M))``: with few systems the largest correlation below 1.
///
/// Raises
/// ------
/// UndefinedError
///     For fewer than two systems.
///
/// Notes
/// -----
/// METHODS 99, [CR26] 3.5.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.rank_target(15)
/// 0.95
#[pyfunction]
pub(crate) fn rank_target(py: Python<'_>, systems: usize) -> PyResult<f64> {
    kernel::rank_target(systems).map_err(|why| errors::undefined(py, why))
}

result! {
    /// How far scores lie apart, in the scores' own unit.
    ///
    /// Attributes
    /// ----------
    /// mean, gap, interquartile_range, standard_deviation : float
    ///     The mean; highest less lowest; upper less lower quartile; with divisor n - 1.
    Spread {
        mean: f64,
        gap: f64,
        interquartile_range: f64,
        standard_deviation: f64,
    }
}

/// Summarises how far the scores of systems lie apart.
///
/// Parameters
/// ----------
/// scores : array_like of float, shape (systems,)
///     Finite numbers, in any order.
///
/// Returns
/// -------
/// Spread
///
/// Raises
/// ------
/// UndefinedError
///     For fewer than two systems.
///
/// Notes
/// -----
/// METHODS 55.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.spread([0.5, 0.75, 1.0]).gap
/// 0.5
#[pyfunction]
pub(crate) fn spread(py: Python<'_>, scores: &Bound<'_, PyAny>) -> PyResult<Spread> {
    let found = kernel_spread(&finite(scores, "scores")?).map_err(|why| errors::undefined(py, why))?;
    Ok(Spread {
        mean: found.mean,
        gap: found.gap,
        interquartile_range: found.interquartile_range,
        standard_deviation: found.standard_deviation,
    })
}

fn square_of_flags(separated: &Bound<'_, PyAny>) -> PyResult<(usize, Vec<bool>)> {
    let py = separated.py();
    let array = arrays::numbers(separated, "separated")?;
    let (rows, columns, entries) = array.table(py, "separated", "systems by systems")?;
    arrays::same_length(py, ("a row of separated", columns), ("a column", rows))?;
    Ok((rows, arrays::flag_entries(py, entries, "separated")?))
}

/// The tier of each place in an order of systems, from 1, best first: systems in one tier cannot be told apart.
///
/// Parameters
/// ----------
/// order : array_like of int, shape (systems,)
///     Positions of systems from the ablest down.
/// separated : array_like of bool, shape (systems, systems)
///     Whether the interval of the difference of two systems excludes 0.
/// rule : {"adjacent", "anchored"}
///     A system opens a new tier when it is separated from the one just above it, or from the first of the tier.
///
/// Returns
/// -------
/// ndarray of int64, shape (systems,)
///     Along `order`.
///
/// Raises
/// ------
/// ArgumentError
///     If `separated` is no square, or `order` names a system that it does not have.
///
/// Notes
/// -----
/// METHODS 103, [CR26].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> apart = [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
/// >>> stats.tiers([0, 1, 2], apart).tolist(), stats.tiers([0, 1, 2], apart, rule="anchored").tolist()
/// ([1, 1, 1], [1, 1, 2])
#[pyfunction]
#[pyo3(signature = (order, separated, *, rule="adjacent"))]
pub(crate) fn tiers(
    py: Python<'_>,
    order: &Bound<'_, PyAny>,
    separated: &Bound<'_, PyAny>,
    rule: &str,
) -> PyResult<Py<PyArray1<i64>>> {
    let rule = match rule {
        "adjacent" => TierRule::Adjacent,
        "anchored" => TierRule::Anchored,
        other => return Err(unknown_word(py, "rule", other, &["adjacent", "anchored"])),
    };
    let order: Vec<usize> = arrays::whole(order, "order")?;
    let (systems, apart) = square_of_flags(separated)?;
    if let Some(&index) = order.iter().find(|&&system| system >= systems) {
        let (what, count) = ("system", systems);
        let error = calibrant_stats::Error::NoSuchIndex { what, index, count };
        return Err(errors::of_stats(py, &error));
    }
    let found = kernel_tiers::tiers(&order, rule, |i, j| apart[i * systems + j]);
    Ok(arrays::out(py, found.into_iter().map(|tier| tier as i64).collect()))
}

/// The share of all pairs of systems that are told apart, in [0, 1].
///
/// Parameters
/// ----------
/// separated : array_like of bool, shape (systems, systems)
///     Whether the interval of the difference of two systems excludes 0; the half above the diagonal is read.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ArgumentError
///     If `separated` is no square.
/// UndefinedError
///     For fewer than two systems.
///
/// Notes
/// -----
/// METHODS 104.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.share_separated([[0, 0, 1], [0, 0, 0], [1, 0, 0]]), 3)
/// 0.333
#[pyfunction]
pub(crate) fn share_separated(py: Python<'_>, separated: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (systems, apart) = square_of_flags(separated)?;
    let found = kernel_tiers::share_separated(systems, |i, j| apart[i * systems + j]);
    found.map_err(|why| errors::undefined(py, why))
}

/// The interval of the difference of two systems, paired within the replicates of a bootstrap.
///
/// Parameters
/// ----------
/// replicates : array_like of float, shape (replicates, systems)
///     Finite abilities or scores.
/// i, j : int
///     Systems by position, from 0: the interval of `i` less `j`.
/// level : float
///     In (0, 1).
///
/// Returns
/// -------
/// low, high : float
///
/// Raises
/// ------
/// ArgumentError
///     If a system does not exist or a keyword is out of its range.
/// UndefinedError
///     Without a replicate.
///
/// Notes
/// -----
/// METHODS 103.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.contrast_interval([[1.0, 0.0], [3.0, 1.0]], 0, 1, level=0.5)
/// (1.25, 1.75)
#[pyfunction]
#[pyo3(signature = (replicates, i, j, *, level=0.95))]
pub(crate) fn contrast_interval(
    py: Python<'_>,
    replicates: &Bound<'_, PyAny>,
    i: usize,
    j: usize,
    level: f64,
) -> PyResult<(f64, f64)> {
    check_level(py, level)?;
    let array = arrays::numbers(replicates, "replicates")?;
    let (_, systems, values) = array.table(py, "replicates", "replicates by systems")?;
    if i.max(j) >= systems {
        let (what, index, count) = ("system", i.max(j), systems);
        let error = calibrant_stats::Error::NoSuchIndex { what, index, count };
        return Err(errors::of_stats(py, &error));
    }
    let found = kernel_tiers::contrast_interval(values, systems, (i, j), level);
    let found = found.map_err(|why| errors::undefined(py, why))?;
    Ok((found.low, found.high))
}

/// The equal-tailed percentile interval of values, such as the replicates of a bootstrap.
///
/// Parameters
/// ----------
/// values : array_like of float, shape (n,)
///     Finite numbers, in any order.
/// level : float
///     In (0, 1).
///
/// Returns
/// -------
/// low, high : float
///
/// Raises
/// ------
/// ArgumentError
///     If a value is not finite, or the level out of its range.
/// UndefinedError
///     Without a value.
///
/// Notes
/// -----
/// METHODS 102, [Hyndman and Fan 1996] type 7. For few clusters take the level that `expanded_level` says.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.percentile_interval(range(101), level=0.5)
/// (25.0, 75.0)
#[pyfunction]
#[pyo3(signature = (values, *, level=0.95))]
pub(crate) fn percentile_interval(py: Python<'_>, values: &Bound<'_, PyAny>, level: f64) -> PyResult<(f64, f64)> {
    check_level(py, level)?;
    let values = finite(values, "values")?;
    let found = calls::by_size(py, 32 * values.len(), || kernel_interval(&values, level))?;
    let found = found.map_err(|why| errors::undefined(py, why))?;
    Ok((found.low, found.high))
}

/// The level at which percentiles of a bootstrap are taken so that their interval has `level` with few clusters.
///
/// Parameters
/// ----------
/// level : float
///     In (0, 1).
/// clusters : int
///     How many were drawn from.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ArgumentError
///     If the level is out of its range.
///
/// Notes
/// -----
/// [Hesterberg 2015], section 5.3.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.expanded_level(0.95, 10), 4)
/// 0.9829
#[pyfunction]
pub(crate) fn expanded_level(py: Python<'_>, level: f64, clusters: usize) -> PyResult<f64> {
    check_level(py, level)?;
    Ok(kernel_expanded(level, clusters))
}
