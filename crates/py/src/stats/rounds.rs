//! A judge beside gold, two rounds of grading, and how many units a round needs.

use calibrant_stats::agreement::{
    self as kernel, AgreementBootstrapOptions, PairTable, PairedDifference as Paired, PairedFlags, PairedRounds, Share,
    UnpairedDifference as Unpaired, Weights, planner,
};
use calibrant_stats::{Error, Undefined};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::coefficient::{check_level, check_replicates, unknown_word, weights as weights_of, word};
use super::ratings::given;
use super::result::result;
use super::shared_docs::raises;
use crate::{arrays, calls, errors};

result! {
    /// The difference between two shares of the same units: the second less the first.
    ///
    /// Attributes
    /// ----------
    /// difference : float
    ///     In [-1, 1].
    /// low, high : float
    ///     Its interval at .95.
    /// exact_p_value, mid_p_value : float
    ///     McNemar's test in its exact form, and less half the chance of what was seen: the one to report.
    PairedDifference float(difference) {
        difference: f64,
        low: f64,
        high: f64,
        exact_p_value: f64,
        mid_p_value: f64,
    }
}

impl From<Paired> for PairedDifference {
    fn from(found: Paired) -> Self {
        Self {
            difference: found.difference,
            low: found.interval.low,
            high: found.interval.high,
            exact_p_value: found.exact_p_value,
            mid_p_value: found.mid_p_value,
        }
    }
}

result! {
    /// The difference between two estimates that share no unit: the second less the first.
    ///
    /// Attributes
    /// ----------
    /// difference, standard_error : float
    ///     The difference and its standard error.
    /// low, high : float
    ///     Its interval.
    /// z, p_value : float or None
    ///     In standard errors, and the chance of one as far from 0; None where the standard error is 0.
    UnpairedDifference float(difference) {
        difference: f64,
        standard_error: f64,
        low: f64,
        high: f64,
        z: Option<f64>,
        p_value: Option<f64>,
    }
}

impl From<Unpaired> for UnpairedDifference {
    fn from(found: Unpaired) -> Self {
        Self {
            difference: found.difference,
            standard_error: found.standard_error,
            low: found.interval.low,
            high: found.interval.high,
            z: found.z.ok(),
            p_value: found.p_value.ok(),
        }
    }
}

result! {
    /// How a judge stands to gold labels of the same units.
    ///
    /// Attributes
    /// ----------
    /// sensitivity, specificity : float or None
    ///     Of the units that pass by gold, the share the judge passes, and of those that fail, the share it fails; None when none does.
    /// sensitivity_interval, specificity_interval : tuple of float, or None
    ///     Their Wilson intervals at .95.
    /// leniency : PairedDifference
    ///     The judge's share of passes less that of gold: positive for a lenient judge.
    /// reasons : dict of str to str
    ///     Why a field is None, by field.
    AgainstGold {
        sensitivity: Option<f64>,
        sensitivity_interval: Option<(f64, f64)>,
        specificity: Option<f64>,
        specificity_interval: Option<(f64, f64)>,
        leniency: Py<PairedDifference>,
        reasons: std::collections::BTreeMap<&'static str, String>,
    }
}

/// What a judge misses, what it lets through, and how lenient it is, beside gold labels.
///
/// Parameters
/// ----------
/// labels, gold : array_like of shape (units,)
///     0 is fail and 1 is pass; NaN, or 255 in ``uint8`` arrays, is a missing label.
///
/// Returns
/// -------
/// AgainstGold
///
/// Raises
/// ------
/// ArgumentError
///     If the lists differ in length, or a label is neither 0 nor 1.
/// UndefinedError
///     Without a unit that both labelled.
///
/// Notes
/// -----
/// Where failures are rare, measure specificity on units with known failures added. METHODS 42, 43, 112.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> found = stats.against_gold([1, 1, 1, 0], [1, 1, 0, 0])
/// >>> found.sensitivity, found.specificity, float(found.leniency)
/// (1.0, 0.5, 0.25)
#[pyfunction]
pub(crate) fn against_gold(
    py: Python<'_>,
    labels: &Bound<'_, PyAny>,
    gold: &Bound<'_, PyAny>,
) -> PyResult<AgainstGold> {
    let table = two_levels(gold, labels)?;
    let found = kernel::against_gold(&table).map_err(|why| errors::undefined(py, why))?;
    let mut reasons = std::collections::BTreeMap::new();
    let mut split = |name: &'static str, share: Result<Share, Undefined>| match share {
        Ok(share) => (Some(share.value()), Some((share.interval.low, share.interval.high))),
        Err(why) => {
            reasons.insert(name, word(why));
            (None, None)
        }
    };
    let (sensitivity, sensitivity_interval) = split("sensitivity", found.sensitivity);
    let (specificity, specificity_interval) = split("specificity", found.specificity);
    Ok(AgainstGold {
        sensitivity,
        sensitivity_interval,
        specificity,
        specificity_interval,
        leniency: Py::new(py, PairedDifference::from(found.leniency))?,
        reasons,
    })
}

/// A table of two judges on fail and pass.
fn two_levels(first: &Bound<'_, PyAny>, second: &Bound<'_, PyAny>) -> PyResult<PairTable> {
    let py = first.py();
    let levels = arrays::out(py, vec![0.0, 1.0]);
    given(first, Some(second), Some(levels.bind(py).as_any()))?.pair(py)
}

/// The difference between two shares of the same units, such as "did the judges agree" in two rounds.
///
/// Parameters
/// ----------
/// first, second : array_like of bool, shape (units,)
///     Yes or no about each unit, in both rounds.
///
/// Returns
/// -------
/// PairedDifference
///     Of the share of yes; the second less the first.
///
/// Raises
/// ------
/// ArgumentError
///     If the lists differ in length, or hold something else than yes and no.
/// UndefinedError
///     Without a unit.
///
/// Notes
/// -----
/// METHODS 35, [McNemar 1947], [Fagerland, Lydersen and Laake 2013], [Newcombe 1998b] method 10.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.paired_shares([0, 0, 0, 1], [1, 1, 0, 1]).difference
/// 0.5
#[pyfunction]
pub(crate) fn paired_shares(
    py: Python<'_>,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
) -> PyResult<PairedDifference> {
    let (first, second) = (arrays::flags(first, "first")?, arrays::flags(second, "second")?);
    let flags = PairedFlags::of(&first, &second).map_err(|error| errors::of_stats(py, &error))?;
    let found = flags.difference().map_err(|why| errors::undefined(py, why))?;
    Ok(found.into())
}

/// The difference between two shares of different units, such as raw agreement in two rounds.
///
/// Parameters
/// ----------
/// first, second : tuple of int
///     How many, of how many units, in each round.
///
/// Returns
/// -------
/// UnpairedDifference
///     With its interval at .95.
///
/// Raises
/// ------
/// ArgumentError
///     If a part exceeds its whole.
/// UndefinedError
///     Where a round has no unit.
///
/// Notes
/// -----
/// METHODS 35, [Newcombe 1998a] method 10.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> found = stats.unpaired_shares((24, 40), (30, 40))
/// >>> round(found.difference, 3), found.low < 0 < found.high
/// (0.15, True)
#[pyfunction]
pub(crate) fn unpaired_shares(py: Python<'_>, first: (u64, u64), second: (u64, u64)) -> PyResult<UnpairedDifference> {
    for (name, (hits, units)) in [("first", first), ("second", second)] {
        if hits > units {
            let message = format!("{name}: {hits} exceed the units, {units}");
            return Err(errors::argument(py, name, &message, None));
        }
    }
    let found = kernel::unpaired_shares(first, second).map_err(|why| errors::undefined(py, why))?;
    Ok(found.into())
}

/// The difference between two coefficients with known standard errors whose rounds share no unit.
///
/// Parameters
/// ----------
/// first, second : tuple of float
///     The value of each and its standard error.
/// level : float
///     Of the interval, in (0, 1).
///
/// Returns
/// -------
/// UnpairedDifference
///
/// Raises
/// ------
/// ArgumentError
///     If a number is not finite, a standard error negative, or the level out of its range.
///
/// Notes
/// -----
/// METHODS 34, 35.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.unpaired_coefficients((0.4, 0.03), (0.5, 0.04)).standard_error, 3)
/// 0.05
#[pyfunction]
#[pyo3(signature = (first, second, *, level=0.95))]
pub(crate) fn unpaired_coefficients(
    py: Python<'_>,
    first: (f64, f64),
    second: (f64, f64),
    level: f64,
) -> PyResult<UnpairedDifference> {
    check_level(py, level)?;
    for (name, (value, error)) in [("first", first), ("second", second)] {
        if !(value.is_finite() && error.is_finite() && error >= 0.0) {
            let message = format!("{name} is no finite value with a standard error of at least 0");
            return Err(errors::argument(py, name, &message, None));
        }
    }
    Ok(kernel::unpaired_coefficients(first, second, level).into())
}

result! {
    /// The difference between the coefficients of two rounds on the same units, by a bootstrap of units.
    ///
    /// Attributes
    /// ----------
    /// difference, standard_error : float
    ///     The second less the first, and its standard error.
    /// low, high : float
    ///     Its interval at `level`.
    /// level : float
    ///     The level asked for.
    /// replicates : ndarray of float64, shape (replicates,)
    ///     The differences that have a value.
    RoundDifference float(difference) {
        difference: f64,
        standard_error: f64,
        low: f64,
        high: f64,
        level: f64,
        replicates: Py<PyArray1<f64>>,
    }
}

/// Whether two judges agree better in a second round on the same units than in the first.
///
/// Parameters
/// ----------
/// first, second : array_like of uint8, shape (units, 2)
///     Codes of both judges in both rounds: levels from 0, 255 for a missing label.
/// levels : int
///     How many levels the scale has, at most 255.
/// coefficient : {"cohen_kappa", "scott_pi"}
///     What is compared.
/// weights : {"identity", "linear", "quadratic"} or array_like of shape (levels, levels), optional
///     How much two levels agree.
/// level, replicates, seed : float, int, int
///     Of the bootstrap, which draws the same units for both rounds.
///
/// Returns
/// -------
/// RoundDifference
///
#[doc = raises!()]
///     With fewer than ten units, where a round has no value, or too few replicates have one.
///
/// Notes
/// -----
/// METHODS 34, 35.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from calibrant import stats
/// >>> first = np.array([[0, 1], [1, 1], [0, 0], [1, 0]] * 10, dtype=np.uint8)
/// >>> second = np.array([[0, 0], [1, 1], [0, 0], [1, 0]] * 10, dtype=np.uint8)
/// >>> float(stats.paired_rounds(first, second, levels=2))
/// 0.5
#[pyfunction]
#[pyo3(signature = (
    first, second, *, levels, coefficient="cohen_kappa", weights=None, level=0.95, replicates=1000, seed=0
))]
pub(crate) fn paired_rounds(
    py: Python<'_>,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    levels: usize,
    coefficient: &str,
    weights: Option<&Bound<'_, PyAny>>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<RoundDifference> {
    check_level(py, level)?;
    check_replicates(py, replicates)?;
    let of = match coefficient {
        "cohen_kappa" => kernel::weighted_kappa,
        "scott_pi" => kernel::weighted_pi,
        other => return Err(unknown_word(py, "coefficient", other, &["cohen_kappa", "scott_pi"])),
    };
    if levels == 0 || levels > 255 {
        let message = format!("levels is {levels}, which is not between 1 and 255");
        return Err(errors::argument(py, "levels", &message, None));
    }
    let identity = || Ok(Weights::identity(levels));
    let weights = weights.map_or_else(identity, |weights| weights_of(weights, levels))?;
    let (first, second) = (columns(first, "first", levels)?, columns(second, "second", levels)?);
    let rounds = PairedRounds::new([levels; 2], [&first[0], &first[1]], [&second[0], &second[1]]);
    let rounds = rounds.map_err(|error| errors::of_stats(py, &error))?;
    let options = AgreementBootstrapOptions {
        replicates,
        seed,
        level,
    };
    let found = calls::detached(py, || rounds.difference(&options, |table| of(table, &weights)))?;
    let (difference, drawn) = found.map_err(|why| errors::undefined(py, why))?;
    Ok(RoundDifference {
        difference,
        standard_error: drawn.standard_error,
        low: drawn.interval.low,
        high: drawn.interval.high,
        level,
        replicates: arrays::out(py, drawn.values),
    })
}

/// The codes of two judges, each in a list.
fn columns(codes: &Bound<'_, PyAny>, argument: &str, levels: usize) -> PyResult<[Vec<u8>; 2]> {
    let py = codes.py();
    let array = arrays::array::<u8>(codes, argument)?;
    let (_, judges, entries) = array.table(py, argument, "units by two judges")?;
    arrays::same_length(py, (argument, judges), ("a pair of judges", 2))?;
    if let Some(code) = entries
        .iter()
        .find(|&&code| usize::from(code) >= levels && code != kernel::MISSING)
    {
        let message = format!("{argument} holds the code {code}, which is neither one of {levels} levels nor 255");
        return Err(errors::argument(py, argument, &message, None));
    }
    Ok([0, 1].map(|judge| entries.iter().skip(judge).step_by(2).copied().collect()))
}

fn planned<T>(py: Python<'_>, found: Result<T, Error>) -> PyResult<T> {
    found.map_err(|error| errors::of_stats(py, &error))
}

/// The standard error of a share over units.
///
/// Parameters
/// ----------
/// p : float
///     The share, in [0, 1].
/// n : int
///     Units, at least 1.
///
/// Returns
/// -------
/// float
///     ``sqrt(p * (1 - p) / n)``. Half of it costs four times the units.
///
/// Raises
/// ------
/// ArgumentError
///     If `p` is no share or there is no unit.
///
/// Notes
/// -----
/// METHODS 29, [RR].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.share_standard_error(0.6, 40), 3)
/// 0.077
#[pyfunction]
pub(crate) fn share_standard_error(py: Python<'_>, p: f64, n: u64) -> PyResult<f64> {
    planned(py, planner::standard_error(p, n))
}

/// The fewest units that give a share a standard error of at most `wanted`.
///
/// Parameters
/// ----------
/// p : float
///     The share, in [0, 1].
/// wanted : float
///     Above 0.
///
/// Returns
/// -------
/// int
///
/// Raises
/// ------
/// ArgumentError
///     If an argument is out of its range.
///
/// Notes
/// -----
/// METHODS 29.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.units_for_standard_error(0.5, 0.05)
/// 100
#[pyfunction]
pub(crate) fn units_for_standard_error(py: Python<'_>, p: f64, wanted: f64) -> PyResult<u64> {
    planned(py, planner::units_for_standard_error(p, wanted))
}

/// The fewest units whose interval of a share reaches at most `half_width` to each side.
///
/// Parameters
/// ----------
/// p : float
///     The share, in [0, 1].
/// half_width : float
///     Above 0.
/// level : float
///     Of the interval, in (0, 1).
///
/// Returns
/// -------
/// int
///
/// Raises
/// ------
/// ArgumentError
///     If an argument is out of its range.
///
/// Notes
/// -----
/// METHODS 29.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.units_for_half_width(0.5, 0.1)
/// 97
#[pyfunction]
#[pyo3(signature = (p, half_width, *, level=0.95))]
pub(crate) fn units_for_half_width(py: Python<'_>, p: f64, half_width: f64, level: f64) -> PyResult<u64> {
    planned(py, planner::units_for_half_width(p, half_width, level))
}

/// By what the number of units must grow so that the standard error shrinks to a share of itself.
///
/// Parameters
/// ----------
/// share : float
///     In (0, 1].
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ArgumentError
///     If the share is out of its range.
///
/// Notes
/// -----
/// METHODS 29, [RR].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.units_factor(0.5)
/// 4.0
#[pyfunction]
pub(crate) fn units_factor(py: Python<'_>, share: f64) -> PyResult<f64> {
    planned(py, planner::units_factor(share))
}

/// The fewest units in each of two rounds, on different units, with which a difference lies just outside its interval around 0.
///
/// Parameters
/// ----------
/// p, q : float
///     The shares, in [0, 1] and not equal.
/// level : float
///     Of the interval, in (0, 1).
///
/// Returns
/// -------
/// int
///     A true difference of this size is then seen half the time: it is the least a round can do, not enough to rely on.
///
/// Raises
/// ------
/// ArgumentError
///     If an argument is out of its range.
///
/// Notes
/// -----
/// METHODS 29, 35, [RR].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.units_to_see_difference(0.80, 0.85)
/// 442
#[pyfunction]
#[pyo3(signature = (p, q, *, level=0.95))]
pub(crate) fn units_to_see_difference(py: Python<'_>, p: f64, q: f64, level: f64) -> PyResult<u64> {
    planned(py, planner::units_to_see_difference(p, q, level))
}
