//! What items tell about ability: information per node, its expectation, and the utility of a bank.

use crate::Error;
use crate::error::{all_finite, all_nonnegative, same_length};
use crate::irt::information;

/// What each item tells at each node of an ability grid.
#[derive(Clone, Debug, PartialEq)]
pub struct InformationTable {
    nodes: usize,
    values: Vec<f64>,
}

impl InformationTable {
    /// A table of `values`, item by item, each item on `nodes` nodes.
    ///
    /// # Errors
    /// If the values do not fill whole rows, or one is negative or not finite.
    pub fn new(nodes: usize, values: Vec<f64>) -> Result<Self, Error> {
        let items = values.len().checked_div(nodes).unwrap_or(0);
        same_length(
            ("information table", values.len()),
            ("grid of whole rows", items * nodes),
        )?;
        all_nonnegative("information", &values)?;
        Ok(Self { nodes, values })
    }

    /// The table of two-parameter logistic items on the abilities `nodes`.
    ///
    /// # Errors
    /// If the lists of `discrimination` and `difficulty` differ in length or hold a number that is not finite.
    ///
    /// Source: `[CR26]` eq. 8; METHODS 91.
    pub fn two_pl(discrimination: &[f64], difficulty: &[f64], nodes: &[f64]) -> Result<Self, Error> {
        same_length(
            ("discrimination", discrimination.len()),
            ("difficulty", difficulty.len()),
        )?;
        all_finite("discrimination", discrimination)?;
        all_finite("difficulty", difficulty)?;
        let items = discrimination.iter().zip(difficulty);
        let values = items.flat_map(|(&a, &b)| nodes.iter().map(move |&theta| information(a, b, theta)));
        Self::new(nodes.len(), values.collect())
    }

    /// The number of items.
    #[must_use]
    pub fn items(&self) -> usize {
        self.values.len().checked_div(self.nodes).unwrap_or(0)
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The information of `item` at every node.
    #[must_use]
    pub fn row(&self, item: usize) -> &[f64] {
        &self.values[item * self.nodes..(item + 1) * self.nodes]
    }
}

/// Expected information of each item under the node `weights`: `nu_j`.
///
/// # Errors
/// If the weights do not match the nodes, or one is negative or not finite.
///
/// Source: `[CR26]` eq. 16; METHODS 92.
pub fn expected_information(table: &InformationTable, weights: &[f64]) -> Result<Vec<f64>, Error> {
    check_weights(table, weights)?;
    Ok((0..table.items()).map(|j| dot(weights, table.row(j))).collect())
}

/// Utility of a bank: `sum_g pi_g log(1 + I_S(theta_g))`, at least 0; an item named twice counts twice.
///
/// # Errors
/// As [`expected_information`], or if an item does not exist.
///
/// Source: `[CR26]` eq. 17; METHODS 95.
pub fn utility(table: &InformationTable, weights: &[f64], bank: &[usize]) -> Result<f64, Error> {
    check_weights(table, weights)?;
    check_items(table, bank)?;
    Ok(coverage(weights, &held_information(table, bank)))
}

pub(crate) fn dot(weights: &[f64], row: &[f64]) -> f64 {
    weights.iter().zip(row).map(|(w, i)| w * i).sum()
}

pub(crate) fn coverage(weights: &[f64], held: &[f64]) -> f64 {
    weights.iter().zip(held).map(|(w, i)| w * i.ln_1p()).sum()
}

pub(crate) fn add(held: &mut [f64], row: &[f64]) {
    held.iter_mut().zip(row).for_each(|(h, i)| *h += i);
}

pub(crate) fn held_information(table: &InformationTable, bank: &[usize]) -> Vec<f64> {
    let mut held = vec![0.0; table.nodes];
    bank.iter().for_each(|&item| add(&mut held, table.row(item)));
    held
}

pub(crate) fn check_weights(table: &InformationTable, weights: &[f64]) -> Result<(), Error> {
    same_length(("node weights", weights.len()), ("nodes", table.nodes))?;
    all_nonnegative("node weights", weights)
}

pub(crate) fn check_items(table: &InformationTable, items: &[usize]) -> Result<(), Error> {
    match items.iter().find(|&&item| item >= table.items()) {
        None => Ok(()),
        Some(&index) => Err(Error::NoSuchIndex {
            what: "item",
            index,
            count: table.items(),
        }),
    }
}
