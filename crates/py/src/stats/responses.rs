//! Responses of systems to items, as item response theory takes them.

use calibrant_stats::agreement::MISSING;
use calibrant_stats::irt::{
    Responses, constant_items as kernel_constant, item_rest_correlation as kernel_rest, linked_groups as kernel_groups,
};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::coefficient::word;
use super::ratings::Labels;
use super::result::result;
use crate::{arrays, calls, errors};

/// Labels or successes, systems by items.
macro_rules! responses_doc {
    () => {
        "Parameters\n----------\nresponses : array_like of shape (systems, items)\n    1 for an item passed and 0 for one failed, NaN (255 in ``uint8`` arrays) where nothing was observed; with `trials`, how often\n    each item was passed.\ntrials : array_like of int, shape (systems, items), optional\n    In how many trials, 0 where nothing was observed; at most 65535.\n"
    };
}
pub(crate) use responses_doc;

/// The kernel's table from arrays of systems by items.
pub(crate) fn responses_of(
    responses: &Bound<'_, PyAny>,
    trials: Option<&Bound<'_, PyAny>>,
    system_weights: Option<&Bound<'_, PyAny>>,
) -> PyResult<Responses> {
    let py = responses.py();
    let words = "systems by items";
    let table = match (trials, Labels::read(responses, "responses")?) {
        (None, Labels::Codes(codes)) => {
            let (systems, items, codes) = codes.table(py, "responses", words)?;
            let passed = |code: u8| match code {
                0 | 1 => Some((u16::from(code), 1)),
                MISSING => Some((0, 0)),
                _ => None,
            };
            item_by_item(py, systems, items, |cell| {
                passed(codes[cell]).ok_or(f64::from(codes[cell]))
            })?
        }
        (None, Labels::Numbers(labels)) => {
            let (systems, items, labels) = labels.table(py, "responses", words)?;
            let passed = |label: f64| match label {
                0.0 => Some((0, 1)),
                1.0 => Some((1, 1)),
                _ if label.is_nan() => Some((0, 0)),
                _ => None,
            };
            item_by_item(py, systems, items, |cell| passed(labels[cell]).ok_or(labels[cell]))?
        }
        (Some(trials), _) => {
            let (successes, trials) = (
                arrays::numbers(responses, "responses")?,
                arrays::numbers(trials, "trials")?,
            );
            let (systems, items, successes) = successes.table(py, "responses", words)?;
            let (_, columns, trials) = trials.table(py, "trials", words)?;
            arrays::same_length(py, ("a row of trials", columns), ("a row of responses", items))?;
            arrays::same_length(py, ("trials", trials.len()), ("responses", successes.len()))?;
            let successes: Vec<f64> = successes
                .iter()
                .zip(trials)
                .map(|(s, &n)| if n == 0.0 { 0.0 } else { *s })
                .collect();
            let successes: Vec<u16> = arrays::whole_entries(py, &successes, "responses")?;
            let trials: Vec<u16> = arrays::whole_entries(py, trials, "trials")?;
            item_by_item(py, systems, items, |cell| Ok((successes[cell], trials[cell])))?
        }
    };
    let Some(weights) = system_weights else {
        return Ok(table);
    };
    let weights = arrays::list(weights, "system_weights")?;
    table
        .with_system_weights(weights)
        .map_err(|error| errors::of_irt(py, &error))
}

/// Cells of systems by items, turned round.
fn item_by_item(
    py: Python<'_>,
    systems: usize,
    items: usize,
    cell: impl Fn(usize) -> Result<(u16, u16), f64>,
) -> PyResult<Responses> {
    let (mut successes, mut trials) = (vec![0; systems * items], vec![0; systems * items]);
    for system in 0..systems {
        for item in 0..items {
            let (s, n) = cell(system * items + item).map_err(|label| {
                let message = format!("responses: system {system}, item {item} is {label}, which is neither 0 nor 1");
                errors::argument(
                    py,
                    "responses",
                    &message,
                    Some("give the number of trials of each cell as `trials`"),
                )
            })?;
            successes[item * systems + system] = s;
            trials[item * systems + system] = n;
        }
    }
    Responses::new(systems, items, successes, trials).map_err(|error| errors::of_irt(py, &error))
}

/// The items that every system passed, every system failed, or nobody answered: no difficulty fits them.
///
#[doc = responses_doc!()]
///
/// Returns
/// -------
/// ndarray of int64
///     Their positions, ascending. Drop them before a fit.
///
/// Raises
/// ------
/// ArgumentError
///     If the responses are no table of systems by items.
///
/// Notes
/// -----
/// METHODS 80.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.constant_items([[1, 0, 1], [1, 1, 0]]).tolist()
/// [0]
#[pyfunction]
#[pyo3(signature = (responses, *, trials=None))]
pub(crate) fn constant_items(
    py: Python<'_>,
    responses: &Bound<'_, PyAny>,
    trials: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyArray1<i64>>> {
    let table = responses_of(responses, trials, None)?;
    let found = kernel_constant(&table).into_iter().map(|item| item as i64);
    Ok(arrays::out(py, found.collect()))
}

/// Which systems can be compared: those that answered an item in common, directly or through others, are in one group.
///
#[doc = responses_doc!()]
///
/// Returns
/// -------
/// ndarray of int64, shape (systems,)
///     The group of each system, from 0. Between groups nothing compares abilities but the population both are taken to come from.
///
/// Raises
/// ------
/// ArgumentError
///     If the responses are no table of systems by items.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from calibrant import stats
/// >>> stats.linked_groups([[1, np.nan], [0, np.nan], [np.nan, 1]]).tolist()
/// [0, 0, 1]
#[pyfunction]
#[pyo3(signature = (responses, *, trials=None))]
pub(crate) fn linked_groups(
    py: Python<'_>,
    responses: &Bound<'_, PyAny>,
    trials: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyArray1<i64>>> {
    let table = responses_of(responses, trials, None)?;
    let found = kernel_groups(&table).into_iter().map(|group| group as i64);
    Ok(arrays::out(py, found.collect()))
}

result! {
    /// The correlation of each item with the rest of the table.
    ///
    /// Attributes
    /// ----------
    /// correlation : ndarray of float64, shape (items,)
    ///     In [-1, 1]; NaN where it is undefined.
    /// reasons : list of str or None
    ///     Why a correlation is NaN, item by item.
    ItemRest {
        correlation: Py<PyArray1<f64>>,
        reasons: Vec<Option<String>>,
    }
}

/// The correlation, over systems, of each item with the mean of all others: what finds an item that ranks systems the wrong way round.
///
#[doc = responses_doc!()]
/// system_weights : array_like of float, shape (systems,), optional
///     For how many systems each row stands.
///
/// Returns
/// -------
/// ItemRest
///     Drop items with a correlation of at most 0: a fitted discrimination is positive by construction and does not show it.
///
/// Raises
/// ------
/// ArgumentError
///     If the responses are no table of systems by items.
///
/// Notes
/// -----
/// Undefined for an item that fewer than two systems answered together with something else, and where it or the rest does not vary.
/// METHODS 83, [CR26] Prop. 3.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> found = stats.item_rest_correlation([[1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1]])
/// >>> found.correlation.round(2).tolist()
/// [0.0, 0.58, -0.3, nan]
/// >>> found.reasons[3]
/// 'no_variation'
#[pyfunction]
#[pyo3(signature = (responses, *, trials=None, system_weights=None))]
pub(crate) fn item_rest_correlation(
    py: Python<'_>,
    responses: &Bound<'_, PyAny>,
    trials: Option<&Bound<'_, PyAny>>,
    system_weights: Option<&Bound<'_, PyAny>>,
) -> PyResult<ItemRest> {
    let table = responses_of(responses, trials, system_weights)?;
    let found = calls::by_size(py, 16 * table.systems() * table.items(), || kernel_rest(&table))?;
    Ok(ItemRest {
        correlation: arrays::out(py, found.iter().map(|value| value.unwrap_or(f64::NAN)).collect()),
        reasons: found.iter().map(|value| value.err().map(word)).collect(),
    })
}
