//! Standard errors of two judges' coefficients, for large samples.

use super::pair::Shares;
use super::{PairTable, Weights, weighted_kappa};
use crate::Undefined;

/// The two standard errors of kappa: one for its interval, one for the test that it is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KappaError {
    /// Where kappa is what it is: for intervals and comparisons. Undefined where judges agree on every unit.
    pub standard_error: Result<f64, Undefined>,
    /// Where the judges' labels are independent: for the test of no agreement beyond chance.
    pub null_standard_error: f64,
}

/// Standard errors of Cohen's kappa.
///
/// Both are for units drawn independently and for large samples: with fewer than about 50 units, or kappa near 1, prefer a bootstrap
/// or the interval of raw agreement.
///
/// # Errors
/// Undefined where [`cohen_kappa`](super::cohen_kappa) has no value.
///
/// Source: Fleiss, Cohen and Everitt 1969, equations 13 and 14 with weights of identity; METHODS 36.
pub fn cohen_kappa_error(table: &PairTable) -> Result<KappaError, Undefined> {
    weighted_kappa_error(table, &Weights::identity(table.levels()))
}

/// Standard errors of Cohen's weighted kappa.
///
/// # Errors
/// Undefined where [`weighted_kappa`] has no value.
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Fleiss, Cohen and Everitt 1969.
pub fn weighted_kappa_error(table: &PairTable, weights: &Weights) -> Result<KappaError, Undefined> {
    let kappa = weighted_kappa(table, weights)?;
    let (value, chance) = (kappa.value?, kappa.expected);
    let shares = table.shares()?;
    let (of_row, of_column) = (weights.times(&shares.columns), weights.times(&shares.rows));
    let levels = table.levels();
    // The gradient of kappa in the share of cell (i, j) is (w - (row + column) (1 - kappa)) / (1 - pe), up to a constant.
    let square = |cell: usize, left: f64| {
        let (i, j) = (cell / levels, cell % levels);
        (weights.of(i, j) - (of_row[i] + of_column[j]) * left).powi(2)
    };
    let mean = |share: &dyn Fn(&Shares, usize) -> f64, left: f64| -> f64 {
        (0..levels * levels)
            .map(|cell| share(&shares, cell) * square(cell, left))
            .sum()
    };
    let independent = |shares: &Shares, cell: usize| shares.rows[cell / levels] * shares.columns[cell % levels];
    let observed = |shares: &Shares, cell: usize| shares.cells[cell];
    let n = table.units() as f64;
    let error = |variance: f64| variance.max(0.0).sqrt() / ((1.0 - chance) * n.sqrt());
    let left = 1.0 - value;
    let standard_error = if table.agreed() == table.units() {
        Err(Undefined::NoSpread)
    } else {
        Ok(error(mean(&observed, left) - (value - chance * left).powi(2)))
    };
    Ok(KappaError {
        standard_error,
        null_standard_error: error(mean(&independent, 1.0) - chance.powi(2)),
    })
}
