//! The observed information of F at its maximum: that of complete data less what not knowing abilities takes away.

use rayon::prelude::*;

use super::curvature::Curvature;
use super::linear::{Cholesky, add, dot};
use super::objective::Objective;
use super::projection::{Projection, Scratch};
use super::{ItemScore, Items, Model, Posterior, item_scores};
use crate::watch::Watch;

/// The expectation, over the posteriors, of the negative second derivatives of the complete data, with the priors.
pub(super) fn complete_information(objective: &Objective<'_>, items: &Items, posterior: &Posterior) -> Curvature {
    let shard = objective.responses.shard(0..items.difficulty.len());
    let shard = shard.expect("items are those of the responses");
    let mut scores = item_scores(&shard, posterior, items, &objective.support, objective.item_weights);
    for score in &mut scores {
        // The logit is a bilinear function of (a, b) with a = exp(log a): its second derivatives bring in the first of F.
        *score = ItemScore {
            slope_slope: score.slope_slope - score.slope,
            slope_difficulty: score.slope_difficulty - score.difficulty,
            ..*score
        };
    }
    let (_, information) = objective.assemble(&scores, &objective.coordinates(items));
    information
}

/// Vectors over all coordinates whose outer products add up to the information missing: one per system and degree of the projection,
/// the covariance of the complete-data score with the polynomial, times the root of the system's weight.
///
/// Source: Louis 1982: the missing information is the posterior covariance of the complete-data score.
pub(super) fn missing_information(objective: &Objective<'_>, items: &Items, projection: &Projection) -> Vec<Vec<f64>> {
    let count = items.difficulty.len();
    let slopes = objective.slopes();
    let rank = objective.responses.systems() * projection.degrees();
    let indices: Vec<usize> = (0..count).collect();
    let watch = Watch::current();
    let of_item = |scratch: &mut Scratch, &j: &usize| {
        watch.check();
        projection.scores(objective, items, j, scratch)
    };
    let scores: Vec<[Vec<f64>; 2]> = indices
        .par_iter()
        .map_init(|| Scratch::new(objective), of_item)
        .collect();
    let vector = |v: usize| {
        let root = objective.responses.system_weight(v / projection.degrees()).sqrt();
        let mut vector = vec![0.0; slopes + count];
        for (j, [slope, difficulty]) in scores.iter().enumerate() {
            let weight = root * objective.item_weights.map_or(1.0, |w| w[j]);
            let at = match objective.model {
                Model::OnePl => 0,
                Model::TwoPl => j,
            };
            vector[at] += weight * slope[v];
            vector[slopes + j] = weight * difficulty[v];
        }
        vector
    };
    (0..rank).into_par_iter().map(vector).collect()
}

/// The columns of `D^-1 V` for the columns `V` of `missing` and the complete information `D`.
pub(super) fn solved_columns(complete: &Curvature, missing: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut solved = missing.to_vec();
    solved.par_iter_mut().for_each(|v| complete.solve(v));
    solved
}

/// The inner products of the vectors of two lists, of which it is known that they are symmetric, row by row.
///
/// Vectors are long and many: a block of coordinates of all of them is read once from memory for all pairs.
fn products(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<f64> {
    /// Coordinates of a block. Part of the order of summation, so fixed.
    const BLOCK: usize = 1024;
    let rank = left.len();
    let length = left.first().map_or(0, Vec::len);
    let starts: Vec<usize> = (0..length).step_by(BLOCK).collect();
    let watch = Watch::current();
    let of_block = |&start: &usize| {
        watch.check();
        let block = start..(start + BLOCK).min(length);
        let mut sums = vec![0.0; rank * rank];
        for u in 0..rank {
            for v in 0..=u {
                sums[u * rank + v] = dot(&left[u][block.clone()], &right[v][block.clone()]);
            }
        }
        sums
    };
    let mut total = vec![0.0; rank * rank];
    // Some blocks at a time: all at once would take much memory, and added in order they give the same sums on any number of threads.
    for some in starts.chunks(16) {
        let parts: Vec<Vec<f64>> = some.par_iter().map(of_block).collect();
        parts.iter().for_each(|part| add(&mut total, 1.0, part));
    }
    for u in 0..rank {
        for v in 0..u {
            total[v * rank + u] = total[u * rank + v];
        }
    }
    total
}

/// The factor of `I - V' D^-1 V`, for few columns `V`, from them and those of `D^-1 V`; `None` when the information is not positive
/// definite.
pub(super) fn remaining(missing: &[Vec<f64>], solved: &[Vec<f64>]) -> Option<Cholesky> {
    let rank = missing.len();
    let mut matrix: Vec<f64> = products(missing, solved).iter().map(|x| -x).collect();
    for u in 0..rank {
        matrix[u * rank + u] += 1.0;
    }
    Cholesky::new(matrix, rank)
}

/// The factor of the observed information `D - V V'` itself, for few coordinates; `None` when it is not positive definite.
pub(super) fn observed(complete: &Curvature, missing: &[Vec<f64>]) -> Option<Cholesky> {
    let size = complete.size();
    let mut matrix = complete.dense();
    let rows = matrix.par_chunks_mut(size).enumerate();
    let watch = Watch::current();
    rows.for_each(|(row, entries)| {
        watch.check();
        for v in missing {
            add(&mut entries[..=row], -v[row], &v[..=row]);
        }
    });
    Cholesky::new(matrix, size)
}

/// How many degrees leave out no more than `accuracy` of a projection, by the rate at which projections fall off.
///
/// `least` and `most` bound the number.
pub(super) fn degrees_needed(items: &Items, deviations: &[f64], accuracy: f64, most: usize) -> usize {
    const LEAST: usize = 3;
    let widest = deviations.iter().copied().fold(0.0, f64::max);
    let rate = (items.steepest() * widest / std::f64::consts::PI).min(0.9);
    if rate <= 0.0 {
        return LEAST;
    }
    ((accuracy.ln() / rate.ln()).ceil() as usize).clamp(LEAST, most)
}
