//! The E step over a shard of items: log likelihoods at the nodes, posteriors of the systems, expected counts and scores of the items.

use std::ops::Range;

use rayon::prelude::*;

use super::interpolation::Interpolation;
use super::kernel::{self, ItemAt, Level, Moments};
use super::linear::add;
use super::{Items, LabelShard, Responses, Support};

/// Systems whose rows one task fills.
const ROWS: usize = 64;

/// Items of one task. Part of the order of summation, so fixed.
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
    let chunks: Vec<usize> = shard.range().step_by(COLUMNS).collect();
    let parts: Vec<Sums> = chunks
        .par_iter()
        .map(|&first| {
            let chunk = first..(first + COLUMNS).min(shard.range().end);
            Sums::of(shard.responses(), chunk, items, support, item_weights)
        })
        .collect();
    let mut total = Sums::none(shard.responses().systems(), support.stride());
    parts.iter().for_each(|part| total.add(part));
    total.rows(support)
}

/// The log likelihood of some items, in the terms it has in common.
///
/// With `z = a (theta - b)` a cell of `s` successes in `n` trials says `s z + n log(1 - P)`. The first term is linear in ability: two sums
/// a system. The second is the same for every system that has as many trials as most cells of the table have; only the others are
/// added system by system.
struct Sums {
    /// At every node, the sum of `log(1 - P)` times the usual trials.
    common: Vec<f64>,
    /// Per system, the sum of `s a`.
    slopes: Vec<f64>,
    /// Per system, the sum of `s a b`.
    products: Vec<f64>,
    /// Per system and node, what unusual trials add; empty when there are none.
    unusual: Vec<f64>,
}

impl Sums {
    fn none(systems: usize, stride: usize) -> Self {
        Self {
            common: vec![0.0; stride],
            slopes: vec![0.0; systems],
            products: vec![0.0; systems],
            unusual: Vec::new(),
        }
    }

    fn of(
        responses: &Responses,
        chunk: Range<usize>,
        items: &Items,
        support: &Support,
        item_weights: Option<&[f64]>,
    ) -> Self {
        let level = Level::detect();
        let stride = support.stride();
        let mut sums = Self::none(responses.systems(), stride);
        let (mut pass, mut fail) = (vec![0.0; stride], vec![0.0; stride]);
        let usual = f64::from(responses.usual_trials());
        for j in chunk {
            let item = item_at(items, item_weights, j);
            if item.weight == 0.0 {
                continue;
            }
            kernel::log_probabilities(level, item, support.nodes(), &mut pass, &mut fail);
            kernel::add_scaled(level, usual, &fail, &mut sums.common);
            let slope = item.weight * item.a;
            let (slopes, products) = (&mut sums.slopes, &mut sums.products);
            kernel::add_successes(level, responses.successes(j), slope, slope * item.b, slopes, products);
            for (i, more) in responses.unusual_trials(j) {
                sums.unusual.resize(responses.systems() * stride, 0.0);
                let window = support.window(i);
                let row = &mut sums.unusual[i * stride..(i + 1) * stride][window.clone()];
                kernel::add_scaled(level, more, &fail[window], row);
            }
        }
        sums
    }

    fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.common, &other.common),
            (&mut self.slopes, &other.slopes),
            (&mut self.products, &other.products),
        ];
        for (sum, part) in pairs {
            add(sum, 1.0, part);
        }
        if !other.unusual.is_empty() {
            self.unusual.resize(other.unusual.len(), 0.0);
            add(&mut self.unusual, 1.0, &other.unusual);
        }
    }

    /// The log likelihood of every system at the nodes of its window.
    fn rows(mut self, support: &Support) -> Vec<f64> {
        let level = Level::detect();
        let stride = support.stride();
        let mut rows = std::mem::take(&mut self.unusual);
        rows.resize(self.slopes.len() * stride, 0.0);
        rows.par_chunks_exact_mut(stride)
            .enumerate()
            .with_min_len(ROWS)
            .for_each(|(i, row)| {
                let window = support.window(i);
                let (common, nodes) = (&self.common[window.clone()], &support.nodes()[window.clone()]);
                kernel::add_linear(level, common, nodes, self.slopes[i], self.products[i], &mut row[window]);
            });
        rows
    }
}

/// The posterior of every system's ability on the nodes of a grid, and the marginal log likelihood.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    stride: usize,
    windows: Vec<Range<usize>>,
    masses: Vec<f64>,
    /// Where windows are interpolated, the masses at the nodes of the grid, system by system.
    at_nodes: Vec<Vec<f64>>,
    /// The weight of each system, and that times its posterior mean.
    weights: Vec<f64>,
    weighted_means: Vec<f64>,
    /// At every node, the masses of all systems, each times its system's weight.
    total: Vec<f64>,
    log_likelihood: f64,
}

impl Posterior {
    /// The posterior mass of each node of the support for one system, 0 outside of its window; it sums to 1.
    #[must_use]
    pub fn masses(&self, system: usize) -> &[f64] {
        &self.masses[system * self.stride..(system + 1) * self.stride]
    }

    /// The masses at the nodes of the grid where the window of a system is interpolated.
    pub(super) fn at_nodes(&self, system: usize) -> &[f64] {
        &self.at_nodes[system]
    }

    /// The marginal log likelihood: the sum over systems, each times its weight, without priors and binomial coefficients.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Expected trials of one item at every node.
    fn expected_trials(&self, level: Level, responses: &Responses, item: usize, trials: &mut [f64]) {
        trials.fill(0.0);
        kernel::add_scaled(level, f64::from(responses.usual_trials()), &self.total, trials);
        for (i, more) in responses.unusual_trials(item) {
            let window = self.windows[i].clone();
            let masses = &self.masses(i)[window.clone()];
            kernel::add_scaled(level, self.weights[i] * more, masses, &mut trials[window]);
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
    let normalised: Vec<(f64, Vec<f64>)> = masses
        .par_chunks_exact_mut(stride)
        .zip(support.windows())
        .enumerate()
        .with_min_len(ROWS)
        .map(|(i, (row, window))| {
            row[..window.start].fill(0.0);
            row[window.end..].fill(0.0);
            let row = &mut row[window.clone()];
            match support.interpolation(i) {
                None => (
                    normalise(level, row, &support.log_weights()[window.clone()]),
                    Vec::new(),
                ),
                Some(interpolation) => interpolated(level, row, interpolation),
            }
        })
        .collect();
    let (marginals, at_nodes): (Vec<f64>, Vec<Vec<f64>>) = normalised.into_iter().unzip();
    let log_likelihood = marginals
        .iter()
        .enumerate()
        .map(|(i, marginal)| responses.system_weight(i) * marginal)
        .sum();
    let mut posterior = Posterior {
        stride,
        windows: support.windows().to_vec(),
        weights: (0..responses.systems()).map(|i| responses.system_weight(i)).collect(),
        weighted_means: Vec::new(),
        at_nodes,
        total: vec![0.0; stride],
        masses,
        log_likelihood,
    };
    for (i, weight) in posterior.weights.iter().enumerate() {
        let window = support.window(i);
        let row = &posterior.masses[i * stride..(i + 1) * stride][window.clone()];
        kernel::add_scaled(level, *weight, row, &mut posterior.total[window]);
    }
    let (means, _) = posterior.moments(support);
    posterior.weighted_means = means
        .iter()
        .zip(&posterior.weights)
        .map(|(mean, weight)| mean * weight)
        .collect();
    posterior
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

/// Turns the log likelihood at some points into weights on them that stand for the posterior masses at the nodes of the grid, which are
/// returned with the logarithm of their sum.
fn interpolated(level: Level, row: &mut [f64], interpolation: &Interpolation) -> (f64, Vec<f64>) {
    let mut masses = interpolation.log_masses(row);
    let none = vec![0.0; masses.len()];
    let marginal = normalise(level, &mut masses, &none);
    interpolation.pull_back(&masses, row);
    (marginal, masses)
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
    let rows = counts
        .successes
        .par_chunks_mut(stride)
        .zip(counts.trials.par_chunks_mut(stride));
    rows.enumerate().for_each(|(at, (successes, trials))| {
        let j = shard.range().start + at;
        posterior.expected_trials(level, shard.responses(), j, trials);
        let passed = shard
            .responses()
            .successes(j)
            .iter()
            .enumerate()
            .filter(|(_, s)| **s > 0);
        for (i, &s) in passed {
            let scale = posterior.weights[i] * f64::from(s);
            kernel::add_scaled(level, scale, posterior.masses(i), successes);
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
    /// From the expected successes of an item, summed over systems, and their sum times ability.
    pub(super) fn new(item: ItemAt, [successes, by_ability]: [f64; 2], m: &Moments) -> Self {
        let a = item.a;
        let score = Self {
            slope: a * (by_ability - item.b * successes - m.pu),
            difficulty: -a * (successes - m.p),
            slope_slope: a * a * m.wuu,
            slope_difficulty: -a * a * m.wu,
            difficulty_difficulty: a * a * m.w,
        };
        score.times(item.weight)
    }

    fn times(self, weight: f64) -> Self {
        Self {
            slope: weight * self.slope,
            difficulty: weight * self.difficulty,
            slope_slope: weight * self.slope_slope,
            slope_difficulty: weight * self.slope_difficulty,
            difficulty_difficulty: weight * self.difficulty_difficulty,
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
        let mut trials = vec![0.0; stride];
        let mut scratch = vec![0.0; 2 * stride];
        let score = |&j: &usize| {
            let item = item_at(items, item_weights, j);
            if item.weight == 0.0 {
                return ItemScore::default();
            }
            let successes = shard.responses().successes(j);
            let sums = kernel::weigh_successes(level, successes, &posterior.weights, &posterior.weighted_means);
            posterior.expected_trials(level, shard.responses(), j, &mut trials);
            let moments = kernel::moments(level, item, support.nodes(), &trials, &mut scratch);
            ItemScore::new(item, sums, &moments)
        };
        chunk.iter().map(score).collect::<Vec<_>>()
    });
    chunks.collect::<Vec<_>>().concat()
}

pub(super) fn item_at(items: &Items, item_weights: Option<&[f64]>, j: usize) -> ItemAt {
    ItemAt {
        a: items.discrimination[j],
        b: items.difficulty[j],
        weight: item_weights.map_or(1.0, |w| w[j]),
    }
}
