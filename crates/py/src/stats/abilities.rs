//! Abilities under known items, the grid they are integrated over, and the curves of items.

use calibrant_stats::irt::{self as kernel, Ability, Grid, GridRule, IrtError};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::irt::{items_of, rule_of};
use super::responses::{responses_doc, responses_of};
use super::result::result;
use crate::{arrays, calls, errors};

result! {
    /// Abilities of systems: their posteriors, summarised.
    ///
    /// Attributes
    /// ----------
    /// mean : ndarray of float64, shape (systems,)
    ///     Posterior means (EAP), on the scale whose population is standard normal.
    /// standard_error : ndarray of float64, shape (systems,)
    ///     Posterior standard deviations. They leave out that item parameters are estimates.
    /// edge_mass : ndarray of float64, shape (systems,)
    ///     Posterior mass at the ends of the grid; above 0.01 the grid is too short for a system.
    Abilities {
        mean: Py<PyArray1<f64>>,
        standard_error: Py<PyArray1<f64>>,
        edge_mass: Py<PyArray1<f64>>,
    }
}

impl Abilities {
    pub(crate) fn of(py: Python<'_>, found: Result<Vec<Ability>, IrtError>) -> PyResult<Self> {
        let found = found.map_err(|error| errors::of_irt(py, &error))?;
        let all = |one: fn(&Ability) -> f64| arrays::out(py, found.iter().map(one).collect());
        Ok(Self {
            mean: all(|ability| ability.mean),
            standard_error: all(|ability| ability.standard_error),
            edge_mass: all(|ability| ability.edge_mass),
        })
    }
}

/// The most nodes of a grid.
const MOST_NODES: usize = 10_001;

pub(crate) fn grid_of(py: Python<'_>, nodes: usize, reach: f64) -> PyResult<Grid> {
    if nodes > MOST_NODES {
        let message = format!("nodes is {nodes}, which is more than {MOST_NODES}");
        return Err(errors::argument(py, "nodes", &message, None));
    }
    Grid::standard_normal(nodes, -reach, reach).map_err(|error| errors::of_stats(py, &error))
}

/// A list of numbers out.
type Numbers = Py<PyArray1<f64>>;

/// Equally spaced abilities with weights proportional to the standard normal density.
///
/// Parameters
/// ----------
/// nodes : int
///     From 2 to 10001.
/// reach : float
///     The last node, above 0; the first is its negative.
///
/// Returns
/// -------
/// nodes, weights : ndarray of float64, shape (nodes,)
///     The weights sum to 1.
///
/// Raises
/// ------
/// ArgumentError
///     With fewer than two nodes or too many, or a reach that is not finite and above 0.
///
/// Notes
/// -----
/// The defaults are the grid of [CR26] 3.4; METHODS 80.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> nodes, weights = stats.ability_grid(3, 1)
/// >>> nodes.tolist(), weights.round(3).tolist()
/// ([-1.0, 0.0, 1.0], [0.274, 0.452, 0.274])
#[pyfunction]
#[pyo3(signature = (nodes=41, reach=4.0))]
pub(crate) fn ability_grid(py: Python<'_>, nodes: usize, reach: f64) -> PyResult<(Numbers, Numbers)> {
    let grid = grid_of(py, nodes, reach)?;
    Ok((
        arrays::out(py, grid.nodes().to_vec()),
        arrays::out(py, grid.weights().to_vec()),
    ))
}

/// The ability of every system under known item parameters, such as those of a bank.
///
#[doc = responses_doc!()]
/// discrimination, difficulty : array_like of float, shape (items,)
///     Of each item; discriminations above 0.
/// item_weights : array_like of float, shape (items,), optional
///     How often each item counts.
/// grid : {"refined", "fixed"}
///     Whether the spacing of the nodes is halved until every posterior spans its nodes.
/// nodes, reach : int, float
///     The grid; see `ability_grid`.
///
/// Returns
/// -------
/// Abilities
///     A system that answered nothing has the population's mean and deviation.
///
/// Raises
/// ------
/// ArgumentError
///     If parameters or weights are not one an item, or outside their ranges.
///
/// Notes
/// -----
/// METHODS 80-82, [CR26] 3.4.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from calibrant import stats
/// >>> found = stats.abilities([[1, 1], [0, np.nan], [np.nan, np.nan]], [1.0, 1.5], [-0.5, 0.5])
/// >>> found.mean.round(2).tolist()
/// [0.84, -0.5, 0.0]
#[pyfunction]
#[pyo3(signature = (
    responses, discrimination, difficulty, *, trials=None, item_weights=None, grid="refined", nodes=41, reach=4.0,
))]
pub(crate) fn abilities(
    py: Python<'_>,
    responses: &Bound<'_, PyAny>,
    discrimination: &Bound<'_, PyAny>,
    difficulty: &Bound<'_, PyAny>,
    trials: Option<&Bound<'_, PyAny>>,
    item_weights: Option<&Bound<'_, PyAny>>,
    grid: &str,
    nodes: usize,
    reach: f64,
) -> PyResult<Abilities> {
    let rule = rule_of(py, grid)?;
    let grid = grid_of(py, nodes, reach)?;
    let items = items_of(discrimination, difficulty)?;
    let weights = item_weights
        .map(|weights| arrays::list(weights, "item_weights"))
        .transpose()?;
    let responses = responses_of(responses, trials, None)?;
    let size = responses.systems() * responses.items() * nodes;
    let found = calls::by_size(py, size, || match rule {
        GridRule::Fixed => kernel::abilities(&responses, &items, &grid, weights.as_deref()),
        GridRule::Refined => kernel::refined_abilities(&responses, &items, &grid, weights.as_deref()),
    })?;
    Abilities::of(py, found)
}

/// The probability that a system passes an item, in (0, 1).
///
/// Parameters
/// ----------
/// discrimination, difficulty, theta : array_like of float
///     Of items and systems; they broadcast.
///
/// Returns
/// -------
/// float or ndarray of float64
///     Of the shape that the arguments have together.
///
/// Raises
/// ------
/// ArgumentError
///     If the shapes do not go together.
///
/// Notes
/// -----
/// ``1 / (1 + exp(-a (theta - b)))``; METHODS 79, [CR26] 2.3.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.probability(1.0, 0.5, 0.5)
/// 0.5
/// >>> stats.probability([[1.0], [2.0]], 0.0, [-1.0, 0.0, 1.0]).shape
/// (2, 3)
#[pyfunction]
pub(crate) fn probability(
    py: Python<'_>,
    discrimination: &Bound<'_, PyAny>,
    difficulty: &Bound<'_, PyAny>,
    theta: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    curve(py, discrimination, difficulty, theta, kernel::probability)
}

/// What items tell about abilities at `theta`: ``a^2 P (1 - P)``, in inverse squared ability units, at least 0.
///
/// Parameters
/// ----------
/// discrimination, difficulty, theta : array_like of float
///     Of items and systems; they broadcast. For the table that `greedy` takes, give items as a column:
///     ``information(a[:, None], b[:, None], nodes)``.
///
/// Returns
/// -------
/// float or ndarray of float64
///     Of the shape that the arguments have together.
///
/// Raises
/// ------
/// ArgumentError
///     If the shapes do not go together.
///
/// Notes
/// -----
/// METHODS 91, 93, [CR26] eq. 8.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.information(2.0, 0.0, 0.0)
/// 1.0
#[pyfunction]
pub(crate) fn information(
    py: Python<'_>,
    discrimination: &Bound<'_, PyAny>,
    difficulty: &Bound<'_, PyAny>,
    theta: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    curve(py, discrimination, difficulty, theta, kernel::information)
}

fn curve(
    py: Python<'_>,
    discrimination: &Bound<'_, PyAny>,
    difficulty: &Bound<'_, PyAny>,
    theta: &Bound<'_, PyAny>,
    of: fn(f64, f64, f64) -> f64,
) -> PyResult<Py<PyAny>> {
    let arguments = [
        ("discrimination", discrimination),
        ("difficulty", difficulty),
        ("theta", theta),
    ];
    let (shape, [a, b, theta]) = arrays::together(py, arguments)?;
    let values = calls::by_size(py, 8 * theta.len(), || {
        let cells = a.iter().zip(&b).zip(&theta);
        cells.map(|((&a, &b), &theta)| of(a, b, theta)).collect()
    })?;
    arrays::shaped_out(py, values, &shape)
}
