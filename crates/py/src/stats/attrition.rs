//! What the demand for unanimous panels costs, and panels simulated with known truth.

use calibrant_stats::attrition::{
    self as kernel, AttritionPoint, BetaFit as Beta, ItemPanel, Moments, geometric_fit as kernel_geometric,
};
use calibrant_stats::simulate::{SimulationOptions, simulate as kernel_simulate};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use super::coefficient::{check_replicates, unknown_word};
use super::result::result;
use crate::{arrays, calls, errors};

/// The panels of items, counted.
macro_rules! panels_doc {
    () => {
        "Parameters\n----------\nsystems : array_like of int, shape (items,)\n    On how many systems the whole panel labelled the item.\nunanimous_pass, unanimous_fail : array_like of int, shape (items,)\n    Of these, on how many every judge passed it, and every judge failed it.\nmajority_pass : array_like of int, shape (items,)\n    Of these, how many the consensus passed.\n"
    };
}

fn panels(
    systems: &Bound<'_, PyAny>,
    unanimous_pass: &Bound<'_, PyAny>,
    unanimous_fail: &Bound<'_, PyAny>,
    majority_pass: &Bound<'_, PyAny>,
) -> PyResult<Vec<ItemPanel>> {
    let py = systems.py();
    let systems: Vec<u32> = arrays::whole(systems, "systems")?;
    let read = |given: &Bound<'_, PyAny>, name: &'static str| -> PyResult<Vec<u32>> {
        let counts: Vec<u32> = arrays::whole(given, name)?;
        arrays::same_length(py, (name, counts.len()), ("systems", systems.len()))?;
        Ok(counts)
    };
    let (pass, fail) = (
        read(unanimous_pass, "unanimous_pass")?,
        read(unanimous_fail, "unanimous_fail")?,
    );
    let majority = read(majority_pass, "majority_pass")?;
    let item = |item: usize| ItemPanel {
        systems: systems[item],
        unanimous_pass: pass[item],
        unanimous_fail: fail[item],
        majority_pass: majority[item],
    };
    let items: Vec<ItemPanel> = (0..systems.len()).map(item).collect();
    if let Some(most) = systems.iter().find(|&&systems| systems > u32::from(u16::MAX)) {
        let message = format!("systems hold {most}, which is more than 65535");
        return Err(errors::argument(py, "systems", &message, None));
    }
    let wrong = |item: &ItemPanel| {
        let unanimous = u64::from(item.unanimous_pass) + u64::from(item.unanimous_fail);
        unanimous > u64::from(item.systems) || item.majority_pass > item.systems
    };
    if let Some(item) = items.iter().position(wrong) {
        let message = format!("item {item} has more systems of one kind than systems");
        return Err(errors::argument(py, "systems", &message, None));
    }
    Ok(items)
}

result! {
    /// The state of a pool of items on `systems` systems drawn at random, point by point.
    ///
    /// Attributes
    /// ----------
    /// systems, items : ndarray of int64, shape (points,)
    ///     How many systems, from 1; items with complete panels on at least so many.
    /// retention : ndarray of float64, shape (points,)
    ///     The share of items unanimous on all of them.
    /// distinguishability, joint : ndarray of float64, shape (points,)
    ///     The share whose consensus shows both outcomes, and the share with both.
    /// rate : ndarray of float64, shape (points,)
    ///     The unanimity rate of one system that would explain the retention if items were alike.
    AttritionCurve {
        systems: Py<PyArray1<i64>>,
        items: Py<PyArray1<i64>>,
        retention: Py<PyArray1<f64>>,
        distinguishability: Py<PyArray1<f64>>,
        joint: Py<PyArray1<f64>>,
        rate: Py<PyArray1<f64>>,
    }
}

/// The exact attrition curve, averaged over all subsets of systems without drawing any.
///
#[doc = panels_doc!()]
///
/// Returns
/// -------
/// AttritionCurve
///
/// Raises
/// ------
/// ArgumentError
///     If lists differ in length, or a part exceeds its whole.
///
/// Notes
/// -----
/// METHODS 75, [CR26] eq. 22.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.attrition_curve([2, 2], [1, 2], [0, 0], [2, 2]).retention.tolist()
/// [0.75, 0.5]
#[pyfunction]
pub(crate) fn attrition_curve(
    py: Python<'_>,
    systems: &Bound<'_, PyAny>,
    unanimous_pass: &Bound<'_, PyAny>,
    unanimous_fail: &Bound<'_, PyAny>,
    majority_pass: &Bound<'_, PyAny>,
) -> PyResult<AttritionCurve> {
    let items = panels(systems, unanimous_pass, unanimous_fail, majority_pass)?;
    let curve = calls::by_size(py, 256 * items.len(), || kernel::attrition_curve(&items))?;
    let all = |one: fn(&AttritionPoint) -> f64| arrays::out(py, curve.iter().map(one).collect());
    Ok(AttritionCurve {
        systems: arrays::out(py, curve.iter().map(|point| i64::from(point.systems)).collect()),
        items: arrays::out(py, curve.iter().map(|point| point.items as i64).collect()),
        retention: all(|point| point.retention),
        distinguishability: all(|point| point.distinguishability),
        joint: all(|point| point.joint),
        rate: all(|point| point.rate),
    })
}

/// Items with a unanimous panel on every system and both outcomes among them: the hard set.
///
#[doc = panels_doc!()]
///
/// Returns
/// -------
/// ndarray of int64
///     Their positions.
///
/// Raises
/// ------
/// ArgumentError
///     If lists differ in length, or a part exceeds its whole.
/// UndefinedError
///     When there is none.
///
/// Notes
/// -----
/// METHODS 74, 96, [CR26] Def. 1.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.hard_set([3, 3, 3], [1, 3, 1], [2, 0, 1], [1, 3, 1]).tolist()
/// [0]
#[pyfunction]
pub(crate) fn hard_set(
    py: Python<'_>,
    systems: &Bound<'_, PyAny>,
    unanimous_pass: &Bound<'_, PyAny>,
    unanimous_fail: &Bound<'_, PyAny>,
    majority_pass: &Bound<'_, PyAny>,
) -> PyResult<Py<PyArray1<i64>>> {
    let items = panels(systems, unanimous_pass, unanimous_fail, majority_pass)?;
    let found = kernel::hard_set(&items).map_err(|why| errors::undefined(py, why))?;
    Ok(arrays::out(py, found.into_iter().map(|item| item as i64).collect()))
}

/// A curve out of its retentions.
fn curve_of(retention: &Bound<'_, PyAny>, systems: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<AttritionPoint>> {
    let py = retention.py();
    let retention = arrays::list(retention, "retention")?;
    let systems: Vec<u32> = match systems {
        Some(systems) => arrays::whole(systems, "systems")?,
        None => (1..=retention.len() as u32).collect(),
    };
    arrays::same_length(py, ("systems", systems.len()), ("retention", retention.len()))?;
    let points = systems.into_iter().zip(retention).map(|(systems, retention)| {
        super::measurability::share(py, "retention", retention)?;
        Ok(AttritionPoint {
            systems,
            items: 1,
            retention,
            distinguishability: 0.0,
            joint: 0.0,
            rate: retention.powf(1.0 / f64::from(systems)),
        })
    });
    points.collect()
}

result! {
    /// One unanimity rate for all items, fitted to an attrition curve.
    ///
    /// Attributes
    /// ----------
    /// rho : float
    ///     The retention on m systems is described by ``rho**m``.
    /// r_squared : float or None
    ///     The share of the variance of log retention explained; None when it does not vary.
    /// rmse : float
    ///     Root mean square of what is missed.
    /// points : int
    ///     Points used: those with a retention above 0.
    GeometricFit {
        rho: f64,
        r_squared: Option<f64>,
        rmse: f64,
        points: usize,
    }
}

/// Fits one unanimity rate to an attrition curve, by least squares of logarithms through the origin.
///
/// Parameters
/// ----------
/// retention : array_like of float, shape (points,)
///     Shares of items unanimous on all systems.
/// systems : array_like of int, shape (points,), optional
///     How many systems each is for; 1, 2, 3, ... without them.
///
/// Returns
/// -------
/// GeometricFit
///     Without a standard error, since the points share their items: see `geometric_interval`.
///
/// Raises
/// ------
/// ArgumentError
///     If a retention is no share.
/// UndefinedError
///     When no retention is above 0.
///
/// Notes
/// -----
/// METHODS 76, [CR26] B.1.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.geometric_fit([0.9, 0.81, 0.729]).rho, 6)
/// 0.9
#[pyfunction]
#[pyo3(signature = (retention, systems=None))]
pub(crate) fn geometric_fit(
    py: Python<'_>,
    retention: &Bound<'_, PyAny>,
    systems: Option<&Bound<'_, PyAny>>,
) -> PyResult<GeometricFit> {
    let found = kernel_geometric(&curve_of(retention, systems)?).map_err(|why| errors::undefined(py, why))?;
    Ok(GeometricFit {
        rho: found.rho,
        r_squared: found.r_squared.ok(),
        rmse: found.rmse,
        points: found.points,
    })
}

/// The 95 % percentile interval of the geometric rate, items drawn again.
///
#[doc = panels_doc!()]
/// replicates, seed : int
///     Same seed, same interval, on any number of threads.
///
/// Returns
/// -------
/// low, high : float
///
/// Raises
/// ------
/// ArgumentError
///     If lists differ in length, or a part exceeds its whole.
/// UndefinedError
///     With fewer than ten items, or where too few replicates have a rate.
///
/// Notes
/// -----
/// METHODS 76.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> low, high = stats.geometric_interval([4] * 20, [3] * 10 + [4] * 10, [0] * 20, [4] * 20)
/// >>> 0 < low < high < 1
/// True
#[pyfunction]
#[pyo3(signature = (systems, unanimous_pass, unanimous_fail, majority_pass, *, replicates=1000, seed=0))]
pub(crate) fn geometric_interval(
    py: Python<'_>,
    systems: &Bound<'_, PyAny>,
    unanimous_pass: &Bound<'_, PyAny>,
    unanimous_fail: &Bound<'_, PyAny>,
    majority_pass: &Bound<'_, PyAny>,
    replicates: u32,
    seed: u64,
) -> PyResult<(f64, f64)> {
    check_replicates(py, replicates)?;
    let items = panels(systems, unanimous_pass, unanimous_fail, majority_pass)?;
    let found = calls::detached(py, || kernel::geometric_interval(&items, replicates, seed))?;
    let found = found.map_err(|why| errors::undefined(py, why))?;
    Ok((found.low, found.high))
}

/// Unanimity rates that differ between items by a beta distribution.
///
/// Parameters
/// ----------
/// a, b : float
///     Its shapes, above 0.
/// retention, systems : array_like, optional
///     A curve to judge it against, as for `geometric_fit`.
///
/// Attributes
/// ----------
/// rmse : float
///     Root mean square of what it misses of the curve; 0 without one.
///
/// Notes
/// -----
/// METHODS 77, [CR26] B.1.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.BetaFit(2.6, 0.65).retention(2), 4)
/// 0.6776
#[pyclass(frozen, module = "calibrant.stats")]
pub(crate) struct BetaFit(Beta);

#[pymethods]
impl BetaFit {
    #[new]
    #[pyo3(signature = (a, b, retention=None, systems=None))]
    fn new(
        py: Python<'_>,
        a: f64,
        b: f64,
        retention: Option<&Bound<'_, PyAny>>,
        systems: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if !(a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite()) {
            let message = format!("a and b are {a} and {b}, which are not both finite and above 0");
            return Err(errors::argument(py, "a", &message, None));
        }
        let curve = retention.map_or_else(|| Ok(Vec::new()), |retention| curve_of(retention, systems))?;
        Ok(Self(Beta::judged(a, b, &curve)))
    }

    #[getter]
    fn a(&self) -> f64 {
        self.0.a
    }

    #[getter]
    fn b(&self) -> f64 {
        self.0.b
    }

    #[getter]
    fn rmse(&self) -> f64 {
        self.0.rmse
    }

    /// The share of items that it expects to be unanimous on so many systems.
    ///
    /// Parameters
    /// ----------
    /// systems : int
    ///     How many systems.
    ///
    /// Returns
    /// -------
    /// float
    ///     A share, in [0, 1].
    fn retention(&self, systems: u32) -> f64 {
        self.0.retention(systems)
    }

    fn __repr__(&self) -> String {
        format!("BetaFit(a={}, b={}, rmse={})", self.0.a, self.0.b, self.0.rmse)
    }
}

/// Fits a beta distribution to the items' unanimity rates.
///
#[doc = panels_doc!()]
/// moments : {"factorial", "raw"}
///     Matched to retentions on one and two systems, free of sampling noise; or to mean and variance of raw rates, as the source.
///
/// Returns
/// -------
/// BetaFit
///     Judged against the attrition curve of the items.
///
/// Raises
/// ------
/// ArgumentError
///     If lists differ in length, or a part exceeds its whole.
/// UndefinedError
///     When items differ no more than sampling makes them, or each is unanimous always or never.
///
/// Notes
/// -----
/// METHODS 77, [CR26] B.1.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> fit = stats.beta_fit([4, 4, 4, 4], [4, 4, 3, 1], [0, 0, 0, 0], [4, 4, 3, 2])
/// >>> fit.a > fit.b
/// True
#[pyfunction]
#[pyo3(signature = (systems, unanimous_pass, unanimous_fail, majority_pass, *, moments="factorial"))]
pub(crate) fn beta_fit(
    py: Python<'_>,
    systems: &Bound<'_, PyAny>,
    unanimous_pass: &Bound<'_, PyAny>,
    unanimous_fail: &Bound<'_, PyAny>,
    majority_pass: &Bound<'_, PyAny>,
    moments: &str,
) -> PyResult<BetaFit> {
    let moments = match moments {
        "factorial" => Moments::Factorial,
        "raw" => Moments::Raw,
        other => return Err(unknown_word(py, "moments", other, &["factorial", "raw"])),
    };
    let items = panels(systems, unanimous_pass, unanimous_fail, majority_pass)?;
    let found = kernel::beta_fit(&items, moments);
    Ok(BetaFit(found.map_err(|why| errors::undefined(py, why))?))
}

result! {
    /// A simulated panel with its truth; nothing here is data.
    ///
    /// Attributes
    /// ----------
    /// abilities : ndarray of float64, shape (systems,)
    ///     Of each system.
    /// discrimination, difficulty, judge_error : ndarray of float64, shape (items,)
    ///     Of each item; the chance in [0, 1/2] that a judge without leniency mislabels a unit of it.
    /// query : ndarray of int64, shape (items,)
    ///     Of each item.
    /// leniency : ndarray of float64, shape (judges,)
    ///     Of each judge, a shift of the log odds of a pass.
    /// truth : ndarray of uint8, shape (systems, items)
    ///     The true labels.
    /// labels : ndarray of uint8, shape (systems * items, judges)
    ///     The labels as `krippendorff_alpha` takes them: a unit for each system and item, a column for each judge.
    SimulatedPanel {
        abilities: Py<PyArray1<f64>>,
        discrimination: Py<PyArray1<f64>>,
        difficulty: Py<PyArray1<f64>>,
        judge_error: Py<PyArray1<f64>>,
        query: Py<PyArray1<i64>>,
        leniency: Py<PyArray1<f64>>,
        truth: Py<PyArray2<u8>>,
        labels: Py<PyArray2<u8>>,
    }
}

/// The most labels that are simulated.
const MOST_LABELS: usize = 1 << 30;

/// Draws a panel with known truth: labels from the two-parameter logistic model, and judges who err.
///
/// Parameters
/// ----------
/// systems, queries, criteria, judges : int
///     Items are queries times criteria.
/// seed : int
///     Same seed, same panel.
/// ability_sd, query_interaction_sd, difficulty_sd, log_discrimination_sd, leniency_sd : float
///     Standard deviations of the normal distributions that are drawn from, mean 0.
/// agreement_a, agreement_b : float
///     Shapes of the beta distribution of an item's chance that three judges agree.
///
/// Returns
/// -------
/// SimulatedPanel
///
/// Raises
/// ------
/// ArgumentError
///     If a deviation is negative, a shape not above 0, or there are more than a billion labels.
///
/// Notes
/// -----
/// The defaults have the size of the main block of [CR26]; METHODS 77, 80.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> panel = stats.simulate(systems=4, queries=10, criteria=3)
/// >>> panel.truth.shape, panel.labels.shape
/// ((4, 30), (120, 3))
#[pyfunction]
#[pyo3(signature = (
    *, systems=15, queries=104, criteria=6, judges=3, seed=1, ability_sd=1.0, query_interaction_sd=0.0, difficulty_sd=1.5,
    log_discrimination_sd=0.5, agreement_a=4.23, agreement_b=1.05, leniency_sd=0.2,
))]
pub(crate) fn simulate(
    py: Python<'_>,
    systems: usize,
    queries: usize,
    criteria: usize,
    judges: usize,
    seed: u64,
    ability_sd: f64,
    query_interaction_sd: f64,
    difficulty_sd: f64,
    log_discrimination_sd: f64,
    agreement_a: f64,
    agreement_b: f64,
    leniency_sd: f64,
) -> PyResult<SimulatedPanel> {
    let spreads = [
        ("ability_sd", ability_sd),
        ("query_interaction_sd", query_interaction_sd),
        ("difficulty_sd", difficulty_sd),
        ("log_discrimination_sd", log_discrimination_sd),
        ("leniency_sd", leniency_sd),
    ];
    for (name, value) in spreads {
        if !(value.is_finite() && value >= 0.0) {
            let message = format!("{name} is {value}, which is not finite and at least 0");
            return Err(errors::argument(py, name, &message, None));
        }
    }
    for (name, shape) in [("agreement_a", agreement_a), ("agreement_b", agreement_b)] {
        if !(shape.is_finite() && shape > 0.0) {
            let message = format!("{name} is {shape}, which is not finite and above 0");
            return Err(errors::argument(py, name, &message, None));
        }
    }
    let sizes = [systems, queries, criteria, judges];
    let cells = sizes.iter().try_fold(1usize, |cells, &n| cells.checked_mul(n.max(1)));
    if cells.is_none_or(|cells| cells > MOST_LABELS) {
        let message = format!("systems, queries, criteria and judges make more than {MOST_LABELS} labels");
        return Err(errors::argument(py, "systems", &message, None));
    }
    let options = SimulationOptions {
        systems,
        queries,
        criteria,
        judges,
        seed,
        ability_sd,
        query_interaction_sd,
        difficulty_sd,
        log_discrimination_sd,
        agreement: (agreement_a, agreement_b),
        leniency_sd,
    };
    let panel = calls::detached(py, || kernel_simulate(&options))?;
    let mut labels = vec![0; panel.truth.len() * judges];
    for (judge, given) in panel.labels.iter().enumerate() {
        labels
            .iter_mut()
            .skip(judge)
            .step_by(judges)
            .zip(given)
            .for_each(|(cell, &label)| *cell = label);
    }
    Ok(SimulatedPanel {
        abilities: arrays::out(py, panel.abilities),
        discrimination: arrays::out(py, panel.discrimination),
        difficulty: arrays::out(py, panel.difficulty),
        judge_error: arrays::out(py, panel.judge_error),
        query: arrays::out(py, panel.query.iter().map(|&query| i64::from(query)).collect()),
        leniency: arrays::out(py, panel.leniency),
        truth: arrays::table_out(py, panel.truth, queries * criteria)?,
        labels: arrays::table_out(py, labels, judges)?,
    })
}
