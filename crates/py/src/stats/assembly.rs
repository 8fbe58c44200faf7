//! Which items to keep: banks with a bound on what any bank of their size could reach.

use calibrant_stats::assembly::{self as kernel, Selection as Found, Stop};
use calibrant_stats::information::{
    InformationTable, expected_information as kernel_expected, utility as kernel_utility,
};
use calibrant_stats::stream::{Purpose, Stream};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::result::result;
use crate::{arrays, calls, errors};

result! {
    /// A bank in the order chosen, with what it is worth and what no bank of its size can exceed.
    ///
    /// Attributes
    /// ----------
    /// order : ndarray of int64, shape (chosen,)
    ///     Positions of the items, first choice first.
    /// gains : ndarray of float64, shape (chosen,)
    ///     What each item added to the utility when it was chosen.
    /// utility, total_utility : float
    ///     Of the bank, and of all candidates together.
    /// optimum_bound : float
    ///     No set of candidates of the budgeted size has more utility.
    /// bound_prefix : int
    ///     How many of the first items the bound was taken at.
    Selection {
        order: Py<PyArray1<i64>>,
        gains: Py<PyArray1<f64>>,
        utility: f64,
        total_utility: f64,
        optimum_bound: f64,
        bound_prefix: usize,
    }
}

/// The table of information and the weights of its nodes.
macro_rules! table_doc {
    () => {
        "Parameters\n----------\ninformation : array_like of float, shape (items, nodes)\n    What each item tells at each node, at least 0; see `information`.\nweights : array_like of float, shape (nodes,)\n    The weight of each node; see `ability_grid`.\n"
    };
}

fn table_of(information: &Bound<'_, PyAny>) -> PyResult<InformationTable> {
    let py = information.py();
    let array = arrays::numbers(information, "information")?;
    let (_, nodes, values) = array.table(py, "information", "items by nodes")?;
    InformationTable::new(nodes, values.to_vec()).map_err(|error| errors::of_stats(py, &error))
}

fn stop_of(py: Python<'_>, budget: Option<usize>, share: Option<f64>) -> PyResult<Stop> {
    match (budget, share) {
        (Some(budget), None) => Ok(Stop::Budget(budget)),
        (None, Some(share)) => Ok(Stop::Share(share)),
        _ => {
            let message = "exactly one of budget and share says where a selection ends";
            Err(errors::argument(py, "budget", message, None))
        }
    }
}

type Choose = fn(&InformationTable, &[f64], &[usize], Stop) -> Result<Found, calibrant_stats::Error>;

fn selection(
    information: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
    budget: Option<usize>,
    share: Option<f64>,
    candidates: Option<&Bound<'_, PyAny>>,
    choose: Choose,
) -> PyResult<Selection> {
    let py = information.py();
    let stop = stop_of(py, budget, share)?;
    let weights = arrays::list(weights, "weights")?;
    let candidates: Option<Vec<usize>> = candidates.map(|given| arrays::whole(given, "candidates")).transpose()?;
    let table = table_of(information)?;
    let candidates = candidates.unwrap_or_else(|| (0..table.items()).collect());
    let size = 8 * table.items() * table.nodes();
    let found = calls::by_size(py, size, || choose(&table, &weights, &candidates, stop))?;
    let found = found.map_err(|error| errors::of_stats(py, &error))?;
    Ok(Selection {
        order: arrays::out(py, found.order.iter().map(|&item| item as i64).collect()),
        gains: arrays::out(py, found.gains),
        utility: found.utility,
        total_utility: found.total_utility,
        optimum_bound: found.optimum_bound,
        bound_prefix: found.bound_prefix,
    })
}

/// Chooses items one by one, each the one that adds most utility; ties go to the lower position.
///
#[doc = table_doc!()]
/// budget : int, optional
///     How many items at most.
/// share : float, optional
///     Instead of a budget: the share of the utility of all candidates that is enough, in [0, 1].
/// candidates : array_like of int, optional
///     Positions of the items that may be chosen; all without them.
///
/// Returns
/// -------
/// Selection
///
/// Raises
/// ------
/// ArgumentError
///     If not exactly one of `budget` and `share` is given, the weights do not match the nodes, or a candidate does not exist.
/// KeyboardInterrupt
///     On Ctrl-C.
///
/// Notes
/// -----
/// The utility is at least 1 - 1/e of the best bank of the size; the bound usually says much more. METHODS 95, 97, [CR26] eq. 17-18.
///
/// Examples
/// --------
/// Two items alike and one elsewhere: the second choice is the one elsewhere.
///
/// >>> from calibrant import stats
/// >>> information = [[2.0, 0.0], [1.9, 0.0], [0.0, 1.5]]
/// >>> choices = [choose(information, [0.5, 0.5], budget=2) for choose in (stats.greedy, stats.plain)]
/// >>> [bank.order.tolist() for bank in choices]
/// [[0, 2], [0, 1]]
#[pyfunction]
#[pyo3(signature = (information, weights, *, budget=None, share=None, candidates=None))]
pub(crate) fn greedy(
    information: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
    budget: Option<usize>,
    share: Option<f64>,
    candidates: Option<&Bound<'_, PyAny>>,
) -> PyResult<Selection> {
    selection(information, weights, budget, share, candidates, kernel::greedy)
}

/// Chooses the items of highest expected information; ties go to the lower position.
///
#[doc = table_doc!()]
/// budget : int, optional
///     How many items at most.
/// share : float, optional
///     Instead of a budget: the share of the utility of all candidates that is enough, in [0, 1].
/// candidates : array_like of int, optional
///     Positions of the items that may be chosen; all without them.
///
/// Returns
/// -------
/// Selection
///     With gains and bound along this order.
///
/// Raises
/// ------
/// ArgumentError
///     As `greedy`.
///
/// Notes
/// -----
/// It ignores that two items may tell the same thing: prefer `greedy`. METHODS 95, [CR26] eq. 16.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.plain([[1.0], [3.0], [2.0]], [1.0], budget=2).order.tolist()
/// [1, 2]
#[pyfunction]
#[pyo3(signature = (information, weights, *, budget=None, share=None, candidates=None))]
pub(crate) fn plain(
    information: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
    budget: Option<usize>,
    share: Option<f64>,
    candidates: Option<&Bound<'_, PyAny>>,
) -> PyResult<Selection> {
    selection(information, weights, budget, share, candidates, kernel::plain)
}

/// Distinct candidates at random, the baseline of assembly.
///
/// Parameters
/// ----------
/// candidates : array_like of int
///     Positions of the items that may be drawn.
/// size : int
///     How many; all of them if there are fewer.
/// seed, replicate : int
///     Same seed and replicate, same bank.
///
/// Returns
/// -------
/// ndarray of int64
///     In the order drawn.
///
/// Raises
/// ------
/// UndefinedError
///     Without a candidate.
///
/// Notes
/// -----
/// METHODS 96.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> sorted(stats.random_bank([4, 7, 9], 5).tolist())
/// [4, 7, 9]
#[pyfunction]
#[pyo3(signature = (candidates, size, *, seed=0, replicate=0))]
pub(crate) fn random_bank(
    py: Python<'_>,
    candidates: &Bound<'_, PyAny>,
    size: usize,
    seed: u64,
    replicate: u32,
) -> PyResult<Py<PyArray1<i64>>> {
    let candidates: Vec<usize> = arrays::whole(candidates, "candidates")?;
    let mut stream = Stream::new(seed, Purpose::RandomBank, replicate);
    let bank = kernel::random_bank(&candidates, size, &mut stream).map_err(|why| errors::undefined(py, why))?;
    Ok(arrays::out(py, bank.iter().map(|&item| item as i64).collect()))
}

/// The information of each item averaged over abilities.
///
#[doc = table_doc!()]
///
/// Returns
/// -------
/// ndarray of float64, shape (items,)
///
/// Raises
/// ------
/// ArgumentError
///     If the weights do not match the nodes, or a number is negative or not finite.
///
/// Notes
/// -----
/// METHODS 92, [CR26] eq. 16.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.expected_information([[1.0, 3.0]], [0.5, 0.5]).tolist()
/// [2.0]
#[pyfunction]
pub(crate) fn expected_information(
    py: Python<'_>,
    information: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
) -> PyResult<Py<PyArray1<f64>>> {
    let (table, weights) = (table_of(information)?, arrays::list(weights, "weights")?);
    let found = kernel_expected(&table, &weights).map_err(|error| errors::of_stats(py, &error))?;
    Ok(arrays::out(py, found))
}

/// The utility of a bank: its log-coverage of abilities, at least 0.
///
#[doc = table_doc!()]
/// bank : array_like of int
///     Positions of its items; one named twice counts twice.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ArgumentError
///     As `expected_information`, or if an item does not exist.
///
/// Notes
/// -----
/// ``sum(weights * log(1 + information of the bank))``. METHODS 95, [CR26] eq. 17.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.utility([[1.0], [2.0]], [1.0], [0, 1]), 3)
/// 1.386
#[pyfunction]
pub(crate) fn utility(
    py: Python<'_>,
    information: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
    bank: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    let (table, weights) = (table_of(information)?, arrays::list(weights, "weights")?);
    let bank: Vec<usize> = arrays::whole(bank, "bank")?;
    kernel_utility(&table, &weights, &bank).map_err(|error| errors::of_stats(py, &error))
}
