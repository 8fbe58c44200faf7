//! Standard errors of item parameters, from the exact observed information of F.
//!
//! The information that the labels give is what the complete data would give less what is lost by not knowing the abilities (Louis 1982):
//! a sparse matrix less the covariance, over each system's posterior, of the complete-data score. That covariance has at most one
//! dimension per system and node, few when systems are few, many when items are; the cheaper of two exact forms is used.

use super::curvature::Curvature;
use super::fit::{check, objective};
use super::objective::Objective;
use super::observed_information::{
    complete_information, degrees_needed, missing_information, observed, remaining, solved_columns,
};
use super::projection::Projection;
use super::{Fit, FitOptions, IrtError, Items, Posterior, Responses};
use crate::Undefined;

/// What the projections may leave out of a covariance, and the most degrees they are taken to.
const ACCURACY: f64 = 1e-7;
const MOST_DEGREES: usize = 20;

/// Standard errors of one item's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemErrors {
    /// Of the log discrimination; the same for every item when they share it.
    pub log_discrimination: f64,
    /// Of the discrimination, by the delta method: discrimination times the error of its logarithm.
    pub discrimination: f64,
    /// Of the difficulty, on the ability scale.
    pub difficulty: f64,
}

/// The standard errors of a fit's item parameters, in item order: roots of the diagonal of the inverse observed information of F.
///
/// `options` are those of the fit. The priors are part of F, so an item that few systems answered has the priors' deviations, not
/// infinite ones. Like the model they take abilities to be standard normal in the population.
///
/// # Errors
/// [`Undefined::NotPositiveDefinite`] when the information has no inverse that is a covariance, as where the fit has not converged or an
/// item has weight 0; otherwise as [`fit`](super::fit()).
///
/// Source: Louis 1982, "Finding the observed information matrix when using the EM algorithm"; METHODS 90.
pub fn standard_errors(responses: &Responses, fit: &Fit, options: &FitOptions) -> Result<Vec<ItemErrors>, IrtError> {
    check(responses, options)?;
    fit.items.check(responses.items())?;
    // What does not count in F has no information.
    if options.item_weights.iter().flatten().any(|&w| w == 0.0) {
        return Err(Undefined::NotPositiveDefinite.into());
    }
    let objective = located(responses, fit, options);
    let posterior = objective.posterior(&fit.items);
    let complete = complete_information(&objective, &fit.items, &posterior);
    let lost = lost_information(&objective, &fit.items, &posterior);
    let variances = if lost.len() <= complete.size() {
        inverse_diagonal_low_rank(&complete, &lost)
    } else {
        inverse_diagonal_dense(&complete, &lost)
    };
    let variances = variances.ok_or(Undefined::NotPositiveDefinite)?;
    let (slopes, difficulties) = variances.split_at(objective.slopes());
    let errors = difficulties.iter().enumerate().map(|(j, variance)| {
        let log_discrimination = slopes[j.min(slopes.len() - 1)].sqrt();
        ItemErrors {
            log_discrimination,
            discrimination: fit.items.discrimination[j] * log_discrimination,
            difficulty: variance.sqrt(),
        }
    });
    Ok(errors.collect())
}

/// F on the nodes a fit was made on, with windows where they are finer than the source's.
pub(super) fn located<'a>(responses: &'a Responses, fit: &'a Fit, options: &'a FitOptions) -> Objective<'a> {
    let mut objective = objective(responses, fit.model, options, &fit.grid);
    objective.locate(&fit.items);
    objective
}

fn lost_information(objective: &Objective<'_>, items: &Items, posterior: &Posterior) -> Vec<Vec<f64>> {
    let (_, deviations) = posterior.moments(&objective.support);
    let degrees = degrees_needed(items, &deviations, ACCURACY, MOST_DEGREES);
    missing_information(objective, items, &Projection::new(objective, posterior, degrees))
}

/// The diagonal of `(D - V V')^-1 = D^-1 + D^-1 V (I - V' D^-1 V)^-1 V' D^-1` (Woodbury), for few columns `V`.
fn inverse_diagonal_low_rank(complete: &Curvature, lost: &[Vec<f64>]) -> Option<Vec<f64>> {
    if !complete.is_positive_definite() {
        return None;
    }
    let mut solved = solved_columns(complete, lost);
    let factor = remaining(lost, &solved)?;
    factor.solve_rows(&mut solved);
    let mut diagonal = complete.inverse_diagonal();
    for row in &solved {
        for (total, x) in diagonal.iter_mut().zip(row) {
            *total += x * x;
        }
    }
    Some(diagonal)
}

/// The diagonal of `(D - V V')^-1` by writing the matrix out, for few rows.
fn inverse_diagonal_dense(complete: &Curvature, lost: &[Vec<f64>]) -> Option<Vec<f64>> {
    Some(observed(complete, lost)?.inverse_diagonal())
}

#[cfg(test)]
mod tests {
    use super::super::Model;
    use super::*;
    use crate::stream::{Purpose, Stream};

    /// Two exact forms of one inverse of 24 to 25 rows with a condition number of about 100.
    const RELATIVE: f64 = 1e-10;

    #[test]
    fn both_forms_of_the_inverse_agree() {
        let (systems, items) = (8, 12);
        let mut stream = Stream::new(3, Purpose::Simulation, 0);
        let cells: Vec<u16> = (0..systems * items).map(|_| u16::from(stream.bernoulli(0.5))).collect();
        let trials = vec![1; cells.len()];
        let responses = Responses::new(systems, items, cells, trials).expect("binary labels");
        for model in [Model::OnePl, Model::TwoPl] {
            let options = FitOptions::default();
            let fit = super::super::fit(&responses, model, &options).expect("sound data");
            let objective = located(&responses, &fit, &options);
            let posterior = objective.posterior(&fit.items);
            let complete = complete_information(&objective, &fit.items, &posterior);
            let lost = lost_information(&objective, &fit.items, &posterior);
            let low_rank = inverse_diagonal_low_rank(&complete, &lost).expect("a maximum");
            let dense = inverse_diagonal_dense(&complete, &lost).expect("a maximum");
            for (left, right) in low_rank.iter().zip(&dense) {
                assert!((left / right - 1.0).abs() <= RELATIVE);
            }
        }
    }
}
