//! What can be said of items before any model is fitted: which never vary, and which rank systems against all others.

use super::Responses;
use crate::Undefined;

/// The items that every system passed in every trial, failed in every trial, or never answered; ascending.
///
/// Systems of weight 0 do not count. Such an item tells nothing about abilities and no difficulty fits it: drop it before a fit.
///
/// Source: METHODS 80.
#[must_use]
pub fn constant_items(responses: &Responses) -> Vec<usize> {
    (0..responses.items()).filter(|&j| is_constant(responses, j)).collect()
}

fn is_constant(responses: &Responses, j: usize) -> bool {
    let cells = responses.successes(j).iter().zip(responses.trials(j));
    let (mut passed, mut failed) = (false, false);
    for (i, (s, n)) in cells.enumerate() {
        if responses.system_weight(i) > 0.0 {
            passed |= *s > 0;
            failed |= s < n;
        }
    }
    !(passed && failed)
}

/// The group of each system, from 0: systems that answered an item in common are in one group, and so is whoever shares one with them.
///
/// Between groups nothing compares abilities but the population that both are taken to come from. A system that answered nothing is a
/// group of its own.
#[must_use]
pub fn linked_groups(responses: &Responses) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..responses.systems()).collect();
    for j in 0..responses.items() {
        let answered = responses.trials(j).iter().enumerate().filter(|(_, n)| **n > 0);
        let mut systems = answered.map(|(i, _)| i);
        if let Some(first) = systems.next() {
            for other in systems {
                let (x, y) = (root(&mut parent, first), root(&mut parent, other));
                parent[x.max(y)] = x.min(y);
            }
        }
    }
    let roots: Vec<usize> = (0..parent.len()).map(|i| root(&mut parent, i)).collect();
    let mut names = roots.clone();
    names.sort_unstable();
    names.dedup();
    roots
        .iter()
        .map(|root| names.partition_point(|name| name < root))
        .collect()
}

/// The first system of a group, with the way to it shortened.
fn root(parent: &mut [usize], mut system: usize) -> usize {
    while parent[system] != system {
        parent[system] = parent[parent[system]];
        system = parent[system];
    }
    system
}

/// The correlation of each item with the rest of the table, over systems: Pearson's, between the share of trials passed on the item
/// and the mean share on all other items the system answered.
///
/// In [-1, 1], one result per item. Because a fitted discrimination is positive by construction, this is what finds an item that ranks
/// systems the wrong way round: drop items with a correlation of at most 0. An item's correlation is undefined when fewer than two
/// systems answered it and something else, or when it or the rest does not vary.
///
/// Source: METHODS 83; `[CR26]` Prop. 3.
#[must_use]
pub fn item_rest_correlation(responses: &Responses) -> Vec<Result<f64, Undefined>> {
    let systems = responses.systems();
    let mut totals = vec![0.0; systems];
    let mut answered = vec![0.0; systems];
    for j in 0..responses.items() {
        for (i, share) in shares(responses, j) {
            totals[i] += share;
            answered[i] += 1.0;
        }
    }
    let correlation = |j: usize| {
        let points: Vec<[f64; 3]> = shares(responses, j)
            .filter(|&(i, _)| answered[i] > 1.0)
            .map(|(i, share)| {
                let rest = (totals[i] - share) / (answered[i] - 1.0);
                [responses.system_weight(i), share, rest]
            })
            .filter(|[weight, ..]| *weight > 0.0)
            .collect();
        weighted_correlation(&points)
    };
    (0..responses.items()).map(correlation).collect()
}

/// The systems that answered an item, with the share of trials passed.
fn shares(responses: &Responses, j: usize) -> impl Iterator<Item = (usize, f64)> {
    let cells = responses.successes(j).iter().zip(responses.trials(j));
    let answered = cells.enumerate().filter(|(_, (_, n))| **n > 0);
    answered.map(|(i, (&s, &n))| (i, f64::from(s) / f64::from(n)))
}

/// Pearson's correlation of points (weight, x, y).
fn weighted_correlation(points: &[[f64; 3]]) -> Result<f64, Undefined> {
    if points.len() < 2 {
        return Err(Undefined::TooFewSystems {
            have: points.len(),
            need: 2,
        });
    }
    let total: f64 = points.iter().map(|p| p[0]).sum();
    let mean = |k: usize| points.iter().map(|p| p[0] * p[k]).sum::<f64>() / total;
    let centre = [0.0, mean(1), mean(2)];
    let moment = |k: usize, l: usize| -> f64 {
        let product = |p: &[f64; 3]| p[0] * (p[k] - centre[k]) * (p[l] - centre[l]);
        points.iter().map(product).sum()
    };
    let (xx, yy) = (moment(1, 1), moment(2, 2));
    // Equal values differ from their rounded mean by a few units in the last place.
    let negligible = |square: f64, k: usize| square <= total * (4.0 * f64::EPSILON * centre[k]).powi(2);
    if negligible(xx, 1) || negligible(yy, 2) {
        return Err(Undefined::NoVariation);
    }
    Ok((moment(1, 2) / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}
