//! The plain EM step, the yardstick of the accelerated fit.

use super::fit::{check, objective};
use super::kernel::{self, Level};
use super::linear::dot;
use super::objective::Objective;
use super::shard::item_at;
use super::{Counts, FitOptions, IrtError, ItemScore, Items, Model, Responses, expected_counts};
use crate::watch::Watch;

/// Scoring steps of one M step, and halvings of one scoring step.
const STEPS: usize = 50;

/// What one EM step came to.
#[derive(Clone, Debug, PartialEq)]
pub struct EmStep {
    /// The parameters after the step; F there is at least [`EmStep::log_posterior`].
    pub items: Items,
    /// F at the parameters before the step.
    pub log_posterior: f64,
}

/// One E step at `items` and a full M step: safeguarded scoring until the expected log posterior stops rising.
///
/// F never falls from one step to the next, but it may take thousands of steps to its maximum: use [`fit`](super::fit()), which climbs
/// from the same quantities faster. For one common slope the logs of the discriminations given are averaged first.
///
/// # Errors
/// As [`fit`](super::fit()).
///
/// On every node of [`FitOptions::grid`], whatever [`FitOptions::rule`] says.
///
/// Source: Bock and Aitkin 1981; METHODS 80.
pub fn em_step(responses: &Responses, items: &Items, model: Model, options: &FitOptions) -> Result<EmStep, IrtError> {
    check(responses, options)?;
    items.check(responses.items())?;
    let objective = objective(responses, model, options, &options.grid);
    let mut x = objective.coordinates(items);
    let posterior = objective.posterior(&objective.items(&x));
    let log_posterior = posterior.log_likelihood() + objective.log_prior(&x);
    let shard = responses.shard(0..responses.items())?;
    let counts = expected_counts(&shard, &posterior);
    let mut now = expected_log_posterior(&objective, &counts, &x);
    let watch = Watch::current();
    for _ in 0..STEPS {
        watch.step();
        let Some((next_x, next)) = scoring_step(&objective, &counts, &x, now) else {
            break;
        };
        (x, now) = (next_x, next);
    }
    Ok(EmStep {
        items: objective.items(&x),
        log_posterior,
    })
}

/// A scoring step on fixed counts, halved until it gains; `None` when none does.
fn scoring_step(objective: &Objective<'_>, counts: &Counts, x: &[f64], now: f64) -> Option<(Vec<f64>, f64)> {
    let level = Level::detect();
    let items = objective.items(x);
    let stride = objective.support.stride();
    let mut scratch = vec![0.0; 2 * stride];
    let rows = counts
        .successes
        .chunks_exact(stride)
        .zip(counts.trials.chunks_exact(stride));
    let scores: Vec<ItemScore> = rows
        .enumerate()
        .map(|(j, (successes, trials))| {
            let item = item_at(&items, objective.item_weights, j);
            let nodes = objective.support.nodes();
            let sums = [successes.iter().sum(), dot(successes, nodes)];
            let moments = kernel::moments(level, item, nodes, trials, &mut scratch);
            ItemScore::new(item, sums, &moments)
        })
        .collect();
    let (mut direction, curvature) = objective.assemble(&scores, x);
    curvature.solve(&mut direction);
    let mut scale = 1.0;
    for _ in 0..STEPS {
        let next_x: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + scale * d).collect();
        let next = expected_log_posterior(objective, counts, &next_x);
        if next > now {
            return Some((next_x, next));
        }
        scale /= 2.0;
    }
    None
}

/// The expectation, over the counts, of the complete-data log likelihood, plus the log priors.
fn expected_log_posterior(objective: &Objective<'_>, counts: &Counts, x: &[f64]) -> f64 {
    let level = Level::detect();
    let items = objective.items(x);
    let stride = objective.support.stride();
    let (mut pass, mut fail) = (vec![0.0; stride], vec![0.0; stride]);
    let mut sum = objective.log_prior(x);
    let rows = counts
        .successes
        .chunks_exact(stride)
        .zip(counts.trials.chunks_exact(stride));
    for (j, (successes, trials)) in rows.enumerate() {
        let item = item_at(&items, objective.item_weights, j);
        let nodes = objective.support.nodes();
        kernel::log_probabilities(level, item, nodes, &mut pass, &mut fail);
        for g in 0..stride {
            sum += successes[g] * pass[g] + (trials[g] - successes[g]) * fail[g];
        }
    }
    sum
}
