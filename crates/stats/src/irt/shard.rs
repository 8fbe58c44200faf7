//! The E step over a shard of items: log likelihoods at the nodes, posteriors of the systems, expected counts and scores of the items.

use std::ops::Range;

use rayon::prelude::*;

use super::interpolation::Interpolation;
use super::kernel::{self, ItemAt, Level, Moments};
use super::{Items, LabelShard, Responses, Support};

/// Items whose log probabilities are read together: 32 rows of pass and fail fit a first-level cache.
const BLOCK: usize = 32;

/// Systems whose rows one task fills.
const ROWS: usize = 64;

/// Items whose counts one task gathers.
const COLUMNS: usize = 64;

/// The log likelihood of every system's cells in a shard at the nodes of its window: systems x [`Support::stride`], system by system.
///
/// `items` and `item_weights` (`None`: 1 each) are those of the whole table. An item of weight `c` counts as `c` items with the same
/// responses and the same parameters. Binomial coefficients are dropped. The sum over all shards, added in shard order, is what
/// [`posterior`] takes.
///
/// # Panics
/// If the table has more items than `items` or `item_weights`.
///
/// Source: METHODS 79-81.
#[must_use]
pub fn node_log_likelihood(
    shard: &LabelShard<'_>,
    items: &Items,
    support: &Support,
    item_weights: Option<&[f64]>,
) -> Vec<f64> {
    let level = Level::detect();
    let stride = support.stride();
    let (mut pass, mut fail) = (vec![0.0; BLOCK * stride], vec![0.0; BLOCK * stride]);
    let mut rows = vec![0.0; shard.responses().systems() * stride];
    for first in shard.range().step_by(BLOCK) {
        let block = first..(first + BLOCK).min(shard.range().end);
        let tables = pass.chunks_exact_mut(stride).zip(fail.chunks_exact_mut(stride));
        for (j, (pass, fail)) in block.clone().zip(tables) {
            let item = item_at(items, item_weights, j);
            kernel::log_probabilities(level, item, support.nodes(), pass, fail);
        }
        let (pass, fail) = (&pass[..block.len() * stride], &fail[..block.len() * stride]);
        let chunks = rows
            .par_chunks_mut(ROWS * stride)
            .zip(support.windows().par_chunks(ROWS));
        chunks.enumerate().for_each(|(chunk, (rows, windows))| {
            let systems = chunk * ROWS..chunk * ROWS + windows.len();
            let cells = outcomes(shard.responses(), systems, block.clone());
            kernel::add_log_likelihood(level, &cells, pass, fail, windows, rows);
        });
    }
    rows
}

/// The (successes, failures) of some systems on some items, system by system.
fn outcomes(responses: &Responses, systems: Range<usize>, items: Range<usize>) -> Vec<[f64; 2]> {
    let outcome = |i: usize, j: usize| {
        let successes = responses.successes(j)[i];
        [f64::from(successes), f64::from(responses.trials(j)[i] - successes)]
    };
    systems
        .flat_map(|i| items.clone().map(move |j| (i, j)))
        .map(|(i, j)| outcome(i, j))
        .collect()
}

/// The posterior of every system's ability on the nodes of a grid, and the marginal log likelihood.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    stride: usize,
    windows: Vec<Range<usize>>,
    masses: Vec<f64>,
    weighted: Option<Vec<f64>>,
    log_likelihood: f64,
}

impl Posterior {
    /// The posterior mass of each node of the support for one system, 0 outside of its window; it sums to 1.
    #[must_use]
    pub fn masses(&self, system: usize) -> &[f64] {
        &self.masses[system * self.stride..(system + 1) * self.stride]
    }

    /// The marginal log likelihood: the sum over systems, each times its weight, without priors and binomial coefficients.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Expected successes and trials of one item at every node, from its (successes, trials) cells.
    fn count(&self, level: Level, cells: &[[f64; 2]], successes: &mut [f64], trials: &mut [f64]) {
        // Sums in registers where every system has every node; otherwise the windows alone are touched. The order of systems, and so
        // every bit, is the same.
        if self.windows.iter().all(|window| window.len() == self.stride) {
            kernel::expected_counts(level, cells, self.weighted(), successes, trials);
        } else {
            kernel::windowed_counts(level, cells, self.weighted(), &self.windows, successes, trials);
        }
    }

    /// The posterior means and standard deviations of all systems, in system order.
    pub(super) fn moments(&self, support: &Support) -> (Vec<f64>, Vec<f64>) {
        let systems = self.masses.chunks_exact(self.stride).zip(&self.windows);
        let moments = systems.map(|(row, window)| {
            let (masses, nodes) = (&row[window.clone()], &support.nodes()[window.clone()]);
            let mean: f64 = masses.iter().zip(nodes).map(|(mass, theta)| mass * theta).sum();
            let terms = masses.iter().zip(nodes);
            let variance: f64 = terms.map(|(mass, theta)| mass * (theta - mean) * (theta - mean)).sum();
            (mean, variance.sqrt())
        });
        moments.unzip()
    }

    /// All masses, each times its system's weight.
    fn weighted(&self) -> &[f64] {
        self.weighted.as_deref().unwrap_or(&self.masses)
    }
}

/// The posteriors from the log likelihoods of all items at the nodes, as [`node_log_likelihood`] lays them out.
///
/// # Panics
/// If there are not `responses.systems()` rows of [`Support::stride`].
///
/// Source: METHODS 80; the largest exponent is taken out before exponentials are.
#[must_use]
pub fn posterior(log_likelihood: Vec<f64>, responses: &Responses, support: &Support) -> Posterior {
    let level = Level::detect();
    let stride = support.stride();
    let mut masses = log_likelihood;
    assert_eq!(
        masses.len(),
        responses.systems() * stride,
        "log likelihoods are systems x stride"
    );
    let marginals: Vec<f64> = masses
        .par_chunks_exact_mut(stride)
        .zip(support.windows())
        .enumerate()
        .with_min_len(ROWS)
        .map(|(i, (row, window))| {
            row[..window.start].fill(0.0);
            row[window.end..].fill(0.0);
            let row = &mut row[window.clone()];
            match support.interpolation(i) {
                None => normalise(level, row, &support.log_weights()[window.clone()]),
                Some(interpolation) => interpolated(level, row, interpolation),
            }
        })
        .collect();
    let weighted = responses.system_weights().map(|weights| {
        let rows = masses.chunks_exact(stride).zip(weights);
        rows.flat_map(|(row, w)| row.iter().map(move |mass| w * mass)).collect()
    });
    let log_likelihood = marginals
        .iter()
        .enumerate()
        .map(|(i, marginal)| responses.system_weight(i) * marginal)
        .sum();
    Posterior {
        stride,
        windows: support.windows().to_vec(),
        masses,
        weighted,
        log_likelihood,
    }
}

/// Turns log likelihoods into posterior masses in place and returns the logarithm of their sum.
fn normalise(level: Level, row: &mut [f64], log_weights: &[f64]) -> f64 {
    for (x, log_weight) in row.iter_mut().zip(log_weights) {
        *x += log_weight;
    }
    let peak = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for x in row.iter_mut() {
        *x -= peak;
    }
    kernel::exponentials(level, row);
    let sum: f64 = row.iter().sum();
    for x in row.iter_mut() {
        *x /= sum;
    }
    peak + sum.ln()
}

/// Turns the log likelihood at some points into weights on them that stand for the posterior masses at the nodes of the grid.
fn interpolated(level: Level, row: &mut [f64], interpolation: &Interpolation) -> f64 {
    let mut masses = interpolation.log_masses(row);
    let none = vec![0.0; masses.len()];
    let marginal = normalise(level, &mut masses, &none);
    interpolation.pull_back(&masses, row);
    marginal
}

/// Expected successes and trials of every item of a shard at every node, item by item, [`Support::stride`] numbers each.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Expected successes.
    pub successes: Vec<f64>,
    /// Expected trials.
    pub trials: Vec<f64>,
}

/// The expected counts of a shard's items under a posterior; what an M step maximises over.
///
/// Source: METHODS 80 (the E step of marginal maximum likelihood, Bock and Aitkin 1981).
#[must_use]
pub fn expected_counts(shard: &LabelShard<'_>, posterior: &Posterior) -> Counts {
    let level = Level::detect();
    let stride = posterior.stride;
    let mut counts = Counts {
        successes: vec![0.0; shard.items() * stride],
        trials: vec![0.0; shard.items() * stride],
    };
    let successes = counts.successes.par_chunks_mut(COLUMNS * stride);
    let trials = counts.trials.par_chunks_mut(COLUMNS * stride);
    successes
        .zip(trials)
        .enumerate()
        .for_each(|(chunk, (successes, trials))| {
            let mut cells = Vec::with_capacity(shard.responses().systems());
            let rows = successes.chunks_exact_mut(stride).zip(trials.chunks_exact_mut(stride));
            for (j, (successes, trials)) in (shard.range().start + chunk * COLUMNS..).zip(rows) {
                column(shard.responses(), j, &mut cells);
                posterior.count(level, &cells, successes, trials);
            }
        });
    counts
}

/// What one item contributes to the gradient and the curvature of the marginal log likelihood, in the coordinates (log a, b).
///
/// The curvatures are those of the complete data, with abilities known to follow the posterior: an upper bound of the marginal ones.
/// Priors are not included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ItemScore {
    /// First derivative by the log discrimination.
    pub slope: f64,
    /// First derivative by the difficulty.
    pub difficulty: f64,
    /// Expected negative second derivative by the log discrimination.
    pub slope_slope: f64,
    /// Expected negative mixed derivative.
    pub slope_difficulty: f64,
    /// Expected negative second derivative by the difficulty.
    pub difficulty_difficulty: f64,
}

impl ItemScore {
    pub(super) fn from_moments(a: f64, m: &Moments) -> Self {
        Self {
            slope: a * m.du,
            difficulty: -a * m.d,
            slope_slope: a * a * m.wuu,
            slope_difficulty: -a * a * m.wu,
            difficulty_difficulty: a * a * m.w,
        }
    }
}

/// The scores of a shard's items under a posterior, in item order.
///
/// Parameters and weights are those of the whole table, as for [`node_log_likelihood`]; an item of weight 0 contributes zeros.
///
/// # Panics
/// If the table has more items than `items` or `item_weights`.
///
/// Source: Louis 1982 (the marginal gradient is the expected complete-data gradient); METHODS 80.
#[must_use]
pub fn item_scores(
    shard: &LabelShard<'_>,
    posterior: &Posterior,
    items: &Items,
    support: &Support,
    item_weights: Option<&[f64]>,
) -> Vec<ItemScore> {
    let level = Level::detect();
    let stride = posterior.stride;
    let indices: Vec<usize> = shard.range().collect();
    let chunks = indices.par_chunks(COLUMNS).map(|chunk| {
        let mut cells = Vec::with_capacity(shard.responses().systems());
        let mut successes = vec![0.0; stride];
        let mut trials = vec![0.0; stride];
        let mut scratch = vec![0.0; 2 * stride];
        let score = |&j: &usize| {
            let item = item_at(items, item_weights, j);
            if item.weight == 0.0 {
                return ItemScore::default();
            }
            column(shard.responses(), j, &mut cells);
            posterior.count(level, &cells, &mut successes, &mut trials);
            let moments = kernel::moments(level, item, support.nodes(), &successes, &trials, &mut scratch);
            ItemScore::from_moments(item.a, &moments)
        };
        chunk.iter().map(score).collect::<Vec<_>>()
    });
    chunks.collect::<Vec<_>>().concat()
}

/// The (successes, trials) of every system on one item.
fn column(responses: &Responses, item: usize, cells: &mut Vec<[f64; 2]>) {
    let trials = responses.trials(item);
    let pairs = responses.successes(item).iter().zip(trials);
    cells.clear();
    cells.extend(pairs.map(|(&s, &n)| [f64::from(s), f64::from(n)]));
}

pub(super) fn item_at(items: &Items, item_weights: Option<&[f64]>, j: usize) -> ItemAt {
    ItemAt {
        a: items.discrimination[j],
        b: items.difficulty[j],
        weight: item_weights.map_or(1.0, |w| w[j]),
    }
}
