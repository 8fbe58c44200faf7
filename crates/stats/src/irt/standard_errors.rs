//! Standard errors of item parameters, from the exact observed information of F.
//!
//! The information that the labels give is what the complete data would give less what is lost by not knowing the abilities (Louis 1982):
//! a sparse matrix less the covariance, over each system's posterior, of the complete-data score. That covariance has at most one
//! dimension per system and node, few when systems are few, many when items are; the cheaper of two exact forms is used.

use rayon::prelude::*;

use super::curvature::Curvature;
use super::fit::{check, objective};
use super::linear::{Cholesky, add, dot};
use super::objective::Objective;
use super::{Fit, FitOptions, IrtError, ItemScore, Items, Posterior, Responses, item_scores};
use super::{Model, probability};
use crate::Undefined;

/// Posterior mass below which a node adds nothing to a covariance in double precision.
const NEGLIGIBLE: f64 = 1e-14;

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
    let objective = objective(responses, fit.model, options);
    let posterior = objective.posterior(&fit.items);
    let complete = complete_information(&objective, &fit.items, &posterior)?;
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

/// The expectation, over the posteriors, of the negative second derivatives of the complete data, with the priors.
fn complete_information(
    objective: &Objective<'_>,
    items: &Items,
    posterior: &Posterior,
) -> Result<Curvature, IrtError> {
    let shard = objective.responses.shard(0..items.difficulty.len())?;
    let weights = objective.item_weights;
    let mut scores = item_scores(&shard, posterior, items, objective.grid, weights);
    for score in &mut scores {
        // The logit is a bilinear function of (a, b) with a = exp(log a): its second derivatives bring in the first of F.
        *score = ItemScore {
            slope_slope: score.slope_slope - score.slope,
            slope_difficulty: score.slope_difficulty - score.difficulty,
            ..*score
        };
    }
    let (_, information) = objective.assemble(&scores, &objective.coordinates(items));
    Ok(information)
}

/// Vectors whose outer products add up to the information lost: one per system and node, the centred score times the root of the mass.
fn lost_information(objective: &Objective<'_>, items: &Items, posterior: &Posterior) -> Vec<Vec<f64>> {
    let nodes = objective.grid.nodes();
    let at_node = |&theta: &f64| -> Vec<f64> {
        let parameters = items.discrimination.iter().zip(&items.difficulty);
        parameters.map(|(&a, &b)| probability(a, b, theta)).collect()
    };
    let probabilities: Vec<Vec<f64>> = nodes.par_iter().map(at_node).collect();
    let systems = 0..objective.responses.systems();
    let of_system = |i: usize| {
        let masses = &posterior.masses(i)[..nodes.len()];
        let mut scores: Vec<(f64, Vec<f64>)> = (0..nodes.len())
            .filter(|&g| masses[g] > NEGLIGIBLE)
            .map(|g| {
                let score = complete_score(objective, items, i, nodes[g], &probabilities[g]);
                (masses[g], score)
            })
            .collect();
        centre(&mut scores);
        let weight = objective.responses.system_weight(i);
        scores.into_iter().map(move |(mass, mut score)| {
            let root = (weight * mass).sqrt();
            score.iter_mut().for_each(|x| *x *= root);
            score
        })
    };
    let parts: Vec<Vec<Vec<f64>>> = systems.into_par_iter().map(|i| of_system(i).collect()).collect();
    parts.into_iter().flatten().collect()
}

/// The derivative of one system's log likelihood at a known ability, by all coordinates.
fn complete_score(objective: &Objective<'_>, items: &Items, i: usize, theta: f64, probabilities: &[f64]) -> Vec<f64> {
    let slopes = objective.slopes();
    let mut score = vec![0.0; slopes + probabilities.len()];
    for (j, p) in probabilities.iter().enumerate() {
        let successes = f64::from(objective.responses.successes(j)[i]);
        let trials = f64::from(objective.responses.trials(j)[i]);
        let weight = objective.item_weights.map_or(1.0, |w| w[j]);
        let by_logit = weight * items.discrimination[j] * (successes - trials * p);
        let slope = match objective.model {
            Model::OnePl => 0,
            Model::TwoPl => j,
        };
        score[slope] += by_logit * (theta - items.difficulty[j]);
        score[slopes + j] = -by_logit;
    }
    score
}

/// Takes the mean by mass out of scores.
fn centre(scores: &mut [(f64, Vec<f64>)]) {
    let Some(size) = scores.first().map(|(_, score)| score.len()) else {
        return;
    };
    let mut mean = vec![0.0; size];
    let total: f64 = scores.iter().map(|(mass, _)| mass).sum();
    for (mass, score) in scores.iter() {
        add(&mut mean, mass / total, score);
    }
    for (_, score) in scores.iter_mut() {
        add(score, -1.0, &mean);
    }
}

/// The diagonal of `(D - V V')^-1 = D^-1 + D^-1 V (I - V' D^-1 V)^-1 V' D^-1` (Woodbury), for few columns `V`.
fn inverse_diagonal_low_rank(complete: &Curvature, lost: &[Vec<f64>]) -> Option<Vec<f64>> {
    if !complete.is_positive_definite() {
        return None;
    }
    let mut solved = lost.to_vec();
    solved.par_iter_mut().for_each(|v| complete.solve(v));
    let rank = lost.len();
    let row = |u: usize| -> Vec<f64> {
        let mut entries = vec![0.0; rank];
        for (entry, other) in entries[..=u].iter_mut().zip(&solved) {
            *entry = -dot(&lost[u], other);
        }
        entries[u] += 1.0;
        entries
    };
    let matrix: Vec<Vec<f64>> = (0..rank).into_par_iter().map(row).collect();
    let factor = Cholesky::new(matrix.concat(), rank)?;
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
    let size = complete.size();
    let mut matrix = complete.dense();
    let rows = matrix.par_chunks_mut(size).enumerate();
    rows.for_each(|(row, entries)| {
        for v in lost {
            add(&mut entries[..=row], -v[row], &v[..=row]);
        }
    });
    Some(Cholesky::new(matrix, size)?.inverse_diagonal())
}

#[cfg(test)]
mod tests {
    use super::super::objective::Objective;
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
            let objective: Objective<'_> = objective(&responses, model, &options);
            let posterior = objective.posterior(&fit.items);
            let complete = complete_information(&objective, &fit.items, &posterior).expect("items");
            let lost = lost_information(&objective, &fit.items, &posterior);
            let low_rank = inverse_diagonal_low_rank(&complete, &lost).expect("a maximum");
            let dense = inverse_diagonal_dense(&complete, &lost).expect("a maximum");
            for (left, right) in low_rank.iter().zip(&dense) {
                assert!((left / right - 1.0).abs() <= RELATIVE);
            }
        }
    }
}
