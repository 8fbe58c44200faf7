//! Which items to keep: the greedy bank, with a bound on what any bank of its size could reach.

use crate::information::{
    InformationTable, add, check_items, check_weights, coverage, dot, expected_information, held_information,
};
use crate::irt::kernel::{self, Level};
use crate::stream::Stream;
use crate::watch::Watch;
use crate::{Error, Undefined};

mod bound;
mod queue;

use bound::optimum_bound;
use queue::Queue;

/// Where a selection ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// After this many items, or when no candidate with information is left.
    Budget(usize),
    /// After the fewest items whose utility is at least this share, in [0, 1], of the utility of all candidates.
    Share(f64),
}

/// A bank in the order chosen, with what it is worth and what no bank of its size can exceed.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The items, first choice first.
    pub order: Vec<usize>,
    /// What each item added to the utility when it was chosen.
    pub gains: Vec<f64>,
    /// Utility of the bank.
    pub utility: f64,
    /// Utility of all candidates together.
    pub total_utility: f64,
    /// No set of candidates of the budgeted size has more utility than this.
    pub optimum_bound: f64,
    /// How many of the first items the bound was taken at.
    pub bound_prefix: usize,
}

/// Chooses items one by one, each the one that adds most utility; ties go to the lower index.
///
/// Only candidates with expected information above 0 are chosen. Utility has diminishing returns, so gains computed earlier bound
/// later ones and most are never recomputed (Minoux 1978); the order is that of recomputing all of them. The utility is at least
/// 1 - 1/e of the best bank of the same size; [`Selection::optimum_bound`] usually says much more. Prefer [`plain`] to reproduce
/// ranking by information alone.
///
/// # Errors
/// If the weights do not match the nodes, a candidate does not exist, or a share is outside [0, 1].
///
/// Source: `[CR26]` eq. 17-18 and Prop. 4; METHODS 95; the bound is METHODS 97.
pub fn greedy(table: &InformationTable, weights: &[f64], candidates: &[usize], stop: Stop) -> Result<Selection, Error> {
    let pool = Pool::new(table, weights, candidates, stop)?;
    let nothing = (vec![0.0; table.nodes()], vec![false; table.items()]);
    let mut queue = Queue::after(&pool, &nothing.0, &nothing.1, 0.0);
    Ok(pool.select(stop, |held, _| queue.best(&pool, held)))
}

/// Chooses the items of highest expected information; ties go to the lower index.
///
/// Ignores that two items may tell the same thing: prefer [`greedy`]. Gains and bound are as there, along this order.
///
/// # Errors
/// As [`greedy`].
///
/// Source: `[CR26]` eq. 16; METHODS 95.
pub fn plain(table: &InformationTable, weights: &[f64], candidates: &[usize], stop: Stop) -> Result<Selection, Error> {
    let pool = Pool::new(table, weights, candidates, stop)?;
    let nu = expected_information(table, weights)?;
    let mut order = pool.informative.clone();
    order.sort_by(|&i, &j| nu[j].total_cmp(&nu[i]).then(i.cmp(&j)));
    Ok(pool.select(stop, |held, chosen| {
        let item = *order.get(chosen)?;
        Some((item, pool.gain(item, &shares(held))))
    }))
}

/// `size` distinct candidates at random, or all of them if there are fewer, in the order drawn.
///
/// # Errors
/// Undefined without a candidate.
///
/// Source: METHODS 96.
pub fn random_bank(candidates: &[usize], size: usize, stream: &mut Stream) -> Result<Vec<usize>, Undefined> {
    if candidates.is_empty() {
        return Err(Undefined::NoCandidates);
    }
    let mut pool = candidates.to_vec();
    let size = size.min(pool.len());
    for place in 0..size {
        let pick = place + stream.below(pool.len() - place);
        pool.swap(place, pick);
    }
    pool.truncate(size);
    Ok(pool)
}

/// What a unit of information at each node is worth once `held` is held: `1 / (1 + held)`.
fn shares(held: &[f64]) -> Vec<f64> {
    held.iter().map(|h| 1.0 / (1.0 + h)).collect()
}

/// Candidates that can add utility, and the objective they are judged by.
struct Pool<'a> {
    table: &'a InformationTable,
    weights: &'a [f64],
    level: Level,
    /// Ascending, distinct.
    informative: Vec<usize>,
    total_utility: f64,
}

impl<'a> Pool<'a> {
    fn new(table: &'a InformationTable, weights: &'a [f64], candidates: &[usize], stop: Stop) -> Result<Self, Error> {
        check_weights(table, weights)?;
        check_items(table, candidates)?;
        check_stop(stop)?;
        let mut informative = candidates.to_vec();
        informative.sort_unstable();
        informative.dedup();
        informative.retain(|&j| dot(weights, table.row(j)) > 0.0);
        let total_utility = coverage(weights, &held_information(table, &informative));
        Ok(Self {
            table,
            weights,
            level: Level::detect(),
            informative,
            total_utility,
        })
    }

    /// What an item adds to the utility, `sum_g pi_g log(1 + I_g / (1 + held_g))`, given the [`shares`] of what is held.
    fn gain(&self, item: usize, shares: &[f64]) -> f64 {
        kernel::logarithmic_gain(self.level, self.weights, self.table.row(item), shares)
    }

    /// What each item cannot gain more than, with `held` or more of the same held: one logarithm instead of one a node.
    ///
    /// The logarithm is concave: `sum_g pi_g log(1 + x_g) <= W log(1 + sum_g pi_g x_g / W)`, where `W` is the sum of the weights
    /// (Jensen), and `x_g = I_g / (1 + held_g)` is small once much is held, so that the two sides are close.
    fn most_gain(&self, held: &[f64]) -> impl Fn(usize) -> f64 + Sync {
        let whole: f64 = self.weights.iter().sum();
        let scaled: Vec<f64> = self.weights.iter().zip(shares(held)).map(|(w, s)| w * s).collect();
        // Each of two sums over the nodes is off by at most a few roundings per node.
        let rounding = 1.0 + 8.0 * scaled.len() as f64 * f64::EPSILON;
        move |item| whole * (dot_in_lanes(&scaled, self.table.row(item)) / whole).ln_1p() * rounding
    }

    /// Takes items from `next`, which sees the information held and how many are chosen, until `stop`.
    fn select(&self, stop: Stop, mut next: impl FnMut(&[f64], usize) -> Option<(usize, f64)>) -> Selection {
        let mut held = vec![0.0; self.table.nodes()];
        let (mut order, mut gains) = (Vec::new(), Vec::new());
        // The utility of each prefix, from none on.
        let mut utilities = vec![0.0];
        let mut utility = 0.0;
        let watch = Watch::current();
        while !self.reached(stop, order.len(), utility) {
            watch.step();
            let Some((item, gain)) = next(&held, order.len()) else {
                break;
            };
            add(&mut held, self.table.row(item));
            order.push(item);
            gains.push(gain);
            utility = coverage(self.weights, &held);
            utilities.push(utility);
        }
        let budget = match stop {
            Stop::Budget(budget) => budget,
            Stop::Share(_) => order.len(),
        };
        let bound = optimum_bound(self, &order, &utilities, budget);
        Selection {
            order,
            gains,
            utility,
            total_utility: self.total_utility,
            optimum_bound: bound.value,
            bound_prefix: bound.prefix,
        }
    }

    fn reached(&self, stop: Stop, chosen: usize, utility: f64) -> bool {
        // Sums in two orders differ in the last places: a share of 1 ends with the last item that matters, not one short of it.
        const SLACK: f64 = 1e-12;
        match stop {
            Stop::Budget(budget) => chosen >= budget,
            Stop::Share(share) => utility >= share * self.total_utility * (1.0 - SLACK),
        }
    }
}

/// A dot product in another order of its terms, faster where the last bits do not matter.
fn dot_in_lanes(weights: &[f64], row: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (weights, last_weights) = weights.as_chunks::<LANES>();
    let (row, last) = row.as_chunks::<LANES>();
    for (weights, row) in weights.iter().zip(row) {
        for lane in 0..LANES {
            sums[lane] += weights[lane] * row[lane];
        }
    }
    sums.iter().sum::<f64>() + dot(last_weights, last)
}

fn check_stop(stop: Stop) -> Result<(), Error> {
    match stop {
        Stop::Share(share) if !(0.0..=1.0).contains(&share) => Err(Error::OutOfRange {
            argument: "share of the utility",
            value: share,
            range: "between 0 and 1",
        }),
        _ => Ok(()),
    }
}
