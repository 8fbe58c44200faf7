//! What one cluster of items does to every ability, through the item parameters of all, to first order.
//!
//! When item `j` counts `1 + d_j` times instead of once, the maximum of F moves, and with it the posteriors. Written for the posteriors
//! alone, in their projections on polynomials, the movement `u` of the log posteriors solves `u = r + K u`: `r` is what the items drawn
//! more often say at fixed parameters, and `K = V' D^-1 V` what parameters give back that follow the posteriors, with `V` the missing
//! information and `D` the complete one. Few unknowns a system, and one linear system for all replicates of a bootstrap.

use rayon::prelude::*;

use super::curvature::Curvature;
use super::fit::check;
use super::linear::{Cholesky, add, dot};
use super::objective::Objective;
use super::observed_information::{
    complete_information, degrees_needed, missing_information, observed, remaining, solved_columns,
};
use super::projection::{Projection, Scratch};
use super::standard_errors::located;
use super::{Fit, FitOptions, IrtError, Model, Posterior, Responses, item_scores};
use crate::Undefined;
use crate::watch::Watch;

/// What the projections may leave out, and the most degrees they are taken to: a first-order answer needs no more.
const ACCURACY: f64 = 1e-4;
const MOST_DEGREES: usize = 8;

/// The movement of abilities at a maximum of F, ready to be asked for.
pub(super) struct Linearised<'a> {
    objective: Objective<'a>,
    fit: &'a Fit,
    projection: Projection,
    complete: Curvature,
    missing: Vec<Vec<f64>>,
    solved: Vec<Vec<f64>>,
    factor: Factor,
    shared: Option<SharedSlope>,
}

/// The factor of the smaller of two matrices that answer the same question: one row a system and degree, or one a parameter.
enum Factor {
    /// Of `I - V' D^-1 V`.
    Movements(Cholesky),
    /// Of the observed information `D - V V'`.
    Parameters(Cholesky),
}

impl Factor {
    /// `None` when F has no strict maximum.
    fn new(complete: &Curvature, missing: &[Vec<f64>], solved: &[Vec<f64>]) -> Option<Self> {
        if missing.len() <= complete.size() {
            remaining(missing, solved).map(Self::Movements)
        } else {
            observed(complete, missing).map(Self::Parameters)
        }
    }
}

/// What one shared discrimination adds: at fixed posteriors an item that counts more pulls it its own way, where a discrimination of its own
/// would stay.
struct SharedSlope {
    /// The derivative of each item's expected log likelihood by the logarithm of the discrimination.
    scores: Vec<f64>,
    /// The movement of all parameters when that derivative grows by 1 and posteriors stay.
    parameters: Vec<f64>,
    /// What that movement does to the log posteriors, in the coordinates of the missing information.
    movement: Vec<f64>,
}

impl SharedSlope {
    fn new(
        objective: &Objective<'_>,
        fit: &Fit,
        posterior: &Posterior,
        complete: &Curvature,
        missing: &[Vec<f64>],
    ) -> Option<Self> {
        if fit.model != Model::OnePl {
            return None;
        }
        let shard = objective.responses.shard(0..objective.responses.items());
        let shard = shard.expect("the range is that of the responses");
        let scores = item_scores(&shard, posterior, &fit.items, &objective.support, None);
        let mut parameters = vec![0.0; complete.size()];
        parameters[0] = 1.0;
        complete.solve(&mut parameters);
        Some(Self {
            scores: scores.iter().map(|score| score.slope).collect(),
            movement: missing.iter().map(|v| dot(v, &parameters)).collect(),
            parameters,
        })
    }
}

/// What one further draw of a cluster does at fixed item parameters, and to a shared discrimination.
struct Pull {
    /// The projections of the cluster's log likelihood: systems x degrees.
    log_likelihood: Vec<f64>,
    /// The derivative by the shared discrimination; 0 where there is none.
    shared: f64,
}

impl<'a> Linearised<'a> {
    /// # Errors
    /// [`Undefined::NotPositiveDefinite`] when F has no strict maximum at the fit; otherwise as [`fit`](super::fit()).
    pub(super) fn new(responses: &'a Responses, fit: &'a Fit, options: &'a FitOptions) -> Result<Self, IrtError> {
        check(responses, options)?;
        fit.items.check(responses.items())?;
        let objective = located(responses, fit, options);
        let posterior = objective.posterior(&fit.items);
        let (_, deviations) = posterior.moments(&objective.support);
        let degrees = degrees_needed(&fit.items, &deviations, ACCURACY, MOST_DEGREES);
        let projection = Projection::new(&objective, &posterior, degrees);
        let complete = complete_information(&objective, &fit.items, &posterior);
        if !complete.is_positive_definite() {
            return Err(Undefined::NotPositiveDefinite.into());
        }
        let missing = missing_information(&objective, &fit.items, &projection);
        let solved = solved_columns(&complete, &missing);
        let factor = Factor::new(&complete, &missing, &solved).ok_or(Undefined::NotPositiveDefinite)?;
        Ok(Self {
            shared: SharedSlope::new(&objective, fit, &posterior, &complete, &missing),
            objective,
            fit,
            projection,
            complete,
            missing,
            solved,
            factor,
        })
    }

    /// The movement `u` of the log posteriors that follows from `r`: `(I - V' D^-1 V) u = r`.
    fn solve(&self, r: Vec<f64>) -> Vec<f64> {
        match &self.factor {
            Factor::Movements(factor) => factor.solve(r),
            Factor::Parameters(factor) => {
                // (I - V' D^-1 V)^-1 = I + V' (D - V V')^-1 V (Woodbury).
                let mut pull = vec![0.0; self.complete.size()];
                self.missing.iter().zip(&r).for_each(|(v, &x)| add(&mut pull, x, v));
                let moved = factor.solve(pull);
                let back = self.missing.iter().zip(&r);
                back.map(|(v, x)| x + dot(v, &moved)).collect()
            }
        }
    }

    fn systems(&self) -> usize {
        self.objective.responses.systems()
    }

    /// The first-order effect of one further draw of each cluster on every ability: clusters x systems.
    ///
    /// `members` is the cluster of each item, from 0 to `clusters - 1`.
    pub(super) fn influence(&self, members: &[usize], clusters: usize) -> Vec<f64> {
        let sums = self.cluster_sums(&self.projection, &self.objective, members, clusters);
        let watch = Watch::current();
        let rows = sums.into_par_iter().map(|pull| {
            watch.check();
            self.abilities(&self.movement(pull))
        });
        rows.collect::<Vec<_>>().concat()
    }

    /// The same on the items of a bank alone, whose parameters follow all items: clusters x systems.
    pub(super) fn bank_influence(&self, members: &[usize], clusters: usize, in_bank: &[bool]) -> Vec<f64> {
        let weights = self.bank_weights(in_bank);
        let bank = Bank::new(self, &weights);
        let pool_sums = self.cluster_sums(&self.projection, &self.objective, members, clusters);
        let bank_sums = self.cluster_sums(&bank.projection, &bank.objective, members, clusters);
        let degrees = bank.projection.degrees();
        let by_movement = self.by_movement(&bank);
        let by_shared: Vec<f64> = bank.slopes.iter().map(|slope| self.by_shared(slope)).collect();
        let pairs = pool_sums.into_par_iter().zip(bank_sums);
        let watch = Watch::current();
        let rows = pairs.map(|(pool, own)| {
            watch.check();
            let shared = pool.shared;
            let movement = self.movement(pool);
            let of_system = |i: usize| {
                let followed = dot(&by_movement[i], &movement) + shared * by_shared[i];
                bank.projection.deviations[i] * (own.log_likelihood[i * degrees] + followed)
            };
            (0..self.systems()).map(of_system).collect::<Vec<_>>()
        });
        rows.collect::<Vec<_>>().concat()
    }

    /// The covariance of abilities about their posterior means that is left when item parameters are not known either: systems x systems.
    ///
    /// The posterior variance of each system plus what the covariance of item parameters adds by the delta method.
    pub(super) fn covariance(&self) -> Vec<f64> {
        let systems = self.systems();
        let degrees = self.projection.degrees();
        let watch = Watch::current();
        let column = |i: usize| {
            watch.check();
            let mut unit = vec![0.0; self.missing.len()];
            unit[i * degrees] = 1.0;
            let u = self.solve(unit);
            let scale = self.projection.deviations[i];
            (0..systems)
                .map(|k| scale * u[k * degrees] * self.projection.deviations[k])
                .collect::<Vec<_>>()
        };
        (0..systems).into_par_iter().map(column).collect::<Vec<_>>().concat()
    }

    /// The same for abilities on the items of a bank.
    pub(super) fn bank_covariance(&self, in_bank: &[bool]) -> Vec<f64> {
        let weights = self.bank_weights(in_bank);
        let bank = Bank::new(self, &weights);
        let systems = self.systems();
        let solved: Vec<Vec<f64>> = bank
            .slopes
            .par_iter()
            .map(|slope| {
                let mut x = slope.clone();
                self.complete.solve(&mut x);
                x
            })
            .collect();
        // (D - V V')^-1 = D^-1 + D^-1 V (I - K)^-1 V' D^-1, between the bank's scores.
        let through = self.by_movement(&bank);
        let watch = Watch::current();
        let row = |i: usize| {
            watch.check();
            let back = self.solve(through[i].clone());
            let of_pair = |k: usize| {
                let own = if i == k { 1.0 } else { 0.0 };
                let delta = dot(&bank.slopes[i], &solved[k]) + dot(&back, &through[k]);
                bank.projection.deviations[i] * (own + delta) * bank.projection.deviations[k]
            };
            (0..systems).map(of_pair).collect::<Vec<_>>()
        };
        (0..systems).into_par_iter().map(row).collect::<Vec<_>>().concat()
    }

    fn bank_weights(&self, in_bank: &[bool]) -> Vec<f64> {
        let weight = |j: usize| self.objective.item_weights.map_or(1.0, |w| w[j]);
        let weights = in_bank.iter().enumerate();
        weights.map(|(j, &is_in)| if is_in { weight(j) } else { 0.0 }).collect()
    }

    /// For each cluster what its items say, with the items' weights.
    fn cluster_sums(
        &self,
        projection: &Projection,
        objective: &Objective<'_>,
        members: &[usize],
        clusters: usize,
    ) -> Vec<Pull> {
        let mut items = vec![Vec::new(); clusters];
        for (j, &cluster) in members.iter().enumerate() {
            if objective.item_weights.is_none_or(|w| w[j] > 0.0) {
                items[cluster].push(j);
            }
        }
        let watch = Watch::current();
        let of_cluster = |scratch: &mut Scratch, items: &Vec<usize>| {
            watch.check();
            let mut sum = Pull {
                log_likelihood: vec![0.0; self.systems() * projection.degrees()],
                shared: 0.0,
            };
            for &j in items {
                let weight = objective.item_weights.map_or(1.0, |w| w[j]);
                let cells = projection.log_likelihood(objective, &self.fit.items, j, scratch);
                add(&mut sum.log_likelihood, weight, &cells);
                sum.shared += weight * self.shared.as_ref().map_or(0.0, |shared| shared.scores[j]);
            }
            sum
        };
        items
            .par_iter()
            .map_init(|| Scratch::new(objective), of_cluster)
            .collect()
    }

    /// The movement of the log posteriors, each times the root of its system's weight, from what moves them at fixed parameters.
    fn movement(&self, pull: Pull) -> Vec<f64> {
        let mut at_fixed_parameters = pull.log_likelihood;
        let degrees = self.projection.degrees();
        for (i, cell) in at_fixed_parameters.chunks_exact_mut(degrees).enumerate() {
            let root = self.objective.responses.system_weight(i).sqrt();
            cell.iter_mut().for_each(|x| *x *= root);
        }
        if let Some(shared) = &self.shared {
            add(&mut at_fixed_parameters, pull.shared, &shared.movement);
        }
        self.solve(at_fixed_parameters)
    }

    fn abilities(&self, movement: &[f64]) -> Vec<f64> {
        let degrees = self.projection.degrees();
        let of_system = |(i, cell): (usize, &[f64])| {
            let root = self.objective.responses.system_weight(i).sqrt();
            self.projection.deviations[i] * cell[0] / root
        };
        movement.chunks_exact(degrees).enumerate().map(of_system).collect()
    }

    /// How much the bank's log posteriors follow each movement of the pool's, through the item parameters: systems x movements.
    fn by_movement(&self, bank: &Bank<'_>) -> Vec<Vec<f64>> {
        let row = |slope: &Vec<f64>| self.solved.iter().map(|v| dot(v, slope)).collect();
        bank.slopes.par_iter().map(row).collect()
    }

    /// The same of a shared discrimination that is pulled.
    fn by_shared(&self, slope: &[f64]) -> f64 {
        self.shared
            .as_ref()
            .map_or(0.0, |shared| dot(&shared.parameters, slope))
    }
}

/// Posteriors on the items of a bank, and how they hang on item parameters.
struct Bank<'a> {
    objective: Objective<'a>,
    projection: Projection,
    /// The projection, on ability, of the score of the bank's items: one vector over all coordinates a system.
    slopes: Vec<Vec<f64>>,
}

impl<'a> Bank<'a> {
    /// `weights` are those of the fit, 0 outside of the bank.
    fn new(pool: &'a Linearised<'_>, weights: &'a [f64]) -> Self {
        let items = &pool.fit.items;
        let mut objective = pool.objective.weighted(weights);
        objective.locate(items);
        let posterior = objective.posterior(items);
        let projection = Projection::new(&objective, &posterior, 1);
        let mut slopes = missing_information(&objective, items, &projection);
        for (i, slope) in slopes.iter_mut().enumerate() {
            let root = objective.responses.system_weight(i).sqrt();
            slope.iter_mut().for_each(|x| *x /= root);
        }
        Self {
            objective,
            projection,
            slopes,
        }
    }
}

#[cfg(test)]
mod tests;
