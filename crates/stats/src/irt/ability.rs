//! Abilities of systems under known item parameters.

use rayon::prelude::*;

use super::fit::check_item_weights;
use super::interpolation::{Interpolation, points_needed};
use super::kernel::{self, Level};
use super::linear::add;
use super::objective::Objective;
use super::shard::item_at;
use super::{Grid, IrtError, Items, Model, Priors, Responses};

/// Nodes of a posterior that is placed per system: with twenty SDs between the first and the last, 0.42 SDs apart.
const NODES: usize = 48;

/// Spacings that a posterior SD must span (METHODS 82: 1 / 0.8).
const WIDE: f64 = 1.25;

/// The logarithm of a mass, relative to the largest, below which there is none: 1e-20.
const DROPPED: f64 = -46.05;

/// How near an end of the range mass counts as cut off: half the spacing of the source's grid.
const EDGE: f64 = 0.1;

/// Where one system stands: its posterior over the ability grid, summarised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ability {
    /// Posterior mean (EAP), on the scale whose population is standard normal; inside the range.
    pub mean: f64,
    /// Posterior standard deviation. It leaves out that item parameters are estimates.
    pub standard_error: f64,
    /// Posterior mass at the two ends of the range together; above 0.01 the range is too short for this system. On a grid it is the mass
    /// on the end nodes, with nodes placed per system that within 0.1 of the ends.
    pub edge_mass: f64,
}

/// The ability of every system, in system order, from its responses to items of known parameters, on exactly the nodes of a grid.
///
/// Where a posterior is narrower than the grid's spacing it snaps to a node: prefer [`placed_abilities`].
///
/// `item_weights` count items as in [`FitOptions`](super::FitOptions). A system that answered nothing has the population's mean and
/// deviation. Unlike a fit it takes constant items, and one system alone.
///
/// # Errors
/// If parameters or weights are not one per item, or outside their ranges.
///
/// Source: `[CR26]` 3.4; METHODS 80, 81.
pub fn abilities(
    responses: &Responses,
    items: &Items,
    grid: &Grid,
    item_weights: Option<&[f64]>,
) -> Result<Vec<Ability>, IrtError> {
    items.check(responses.items())?;
    check_item_weights(item_weights, responses.items())?;
    let objective = known_items(responses, grid, item_weights);
    let posterior = objective.posterior(items);
    let summarise = |i: usize| summarise(&posterior.masses(i)[..grid.nodes().len()], grid.nodes());
    Ok((0..responses.systems()).map(summarise).collect())
}

/// The ability of every system, in system order, on nodes placed per system: as many as its posterior asks for, where it is.
///
/// Abilities are standard normal within the ends of `range`, as on [`abilities`]' grid, and the sums are right to a relative 3e-6 however
/// narrow the posterior. A system that answered nothing has the population's mean and deviation.
///
/// # Errors
/// As [`abilities`], and if the ends are not finite and ascending.
///
/// Source: METHODS 82.
pub fn placed_abilities(
    responses: &Responses,
    items: &Items,
    range: (f64, f64),
    item_weights: Option<&[f64]>,
) -> Result<Vec<Ability>, IrtError> {
    items.check(responses.items())?;
    check_item_weights(item_weights, responses.items())?;
    let everywhere = Grid::standard_normal(NODES, range.0, range.1)?;
    let objective = known_items(responses, &everywhere, item_weights);
    let masses = objective.log_masses(items, &objective.support);
    let rows: Vec<&[f64]> = masses.chunks_exact(everywhere.stride()).collect();
    let place = |(i, row): (usize, &&[f64])| {
        let found = (everywhere.nodes().to_vec(), row[..NODES].to_vec());
        placed(responses, items, item_weights, i, range, found)
    };
    Ok(rows.par_iter().enumerate().map(place).collect())
}

/// Zooms in on one posterior until it spans its nodes.
fn placed(
    responses: &Responses,
    items: &Items,
    item_weights: Option<&[f64]>,
    system: usize,
    (low, high): (f64, f64),
    (mut nodes, mut log_masses): (Vec<f64>, Vec<f64>),
) -> Ability {
    // Invariant: outside of the nodes nothing has mass, since log masses are a concave function of ability.
    loop {
        let ability = summarise_placed(&nodes, &log_masses, (low, high));
        let spacing = nodes[1] - nodes[0];
        if ability.standard_error >= WIDE * spacing {
            return ability;
        }
        let peak = log_masses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let with_mass = |x: &f64| *x >= peak + DROPPED;
        let first = log_masses.iter().position(with_mass).unwrap_or(0);
        let last = log_masses.iter().rposition(with_mass).unwrap_or(NODES - 1);
        let (from, to) = (nodes[first.saturating_sub(1)], nodes[(last + 1).min(NODES - 1)]);
        nodes = (0..NODES)
            .map(|g| from + (to - from) * g as f64 / (NODES - 1) as f64)
            .collect();
        log_masses = log_posterior(responses, items, item_weights, system, &nodes);
    }
}

/// The logarithm of one system's posterior at some abilities, ascending, up to a constant.
fn log_posterior(
    responses: &Responses,
    items: &Items,
    item_weights: Option<&[f64]>,
    system: usize,
    nodes: &[f64],
) -> Vec<f64> {
    let log_weights: Vec<f64> = nodes.iter().map(|theta| -theta * theta / 2.0).collect();
    let half_width = 0.5 * (nodes[nodes.len() - 1] - nodes[0]);
    match points_needed(items.steepest(), half_width, nodes.len()) {
        None => {
            let mut sum = log_likelihood(responses, items, item_weights, system, nodes);
            add(&mut sum, 1.0, &log_weights);
            sum
        }
        Some(points) => {
            let interpolation = Interpolation::through(points, nodes.to_vec(), log_weights);
            let at_points = log_likelihood(responses, items, item_weights, system, interpolation.points());
            interpolation.log_masses(&at_points)
        }
    }
}

fn log_likelihood(
    responses: &Responses,
    items: &Items,
    item_weights: Option<&[f64]>,
    system: usize,
    nodes: &[f64],
) -> Vec<f64> {
    let level = Level::detect();
    let mut sum = vec![0.0; nodes.len()];
    let (mut pass, mut fail) = (vec![0.0; nodes.len()], vec![0.0; nodes.len()]);
    for j in 0..responses.items() {
        let successes = f64::from(responses.successes(j)[system]);
        let failures = f64::from(responses.trials(j)[system]) - successes;
        if successes + failures == 0.0 {
            continue;
        }
        kernel::log_probabilities(level, item_at(items, item_weights, j), nodes, &mut pass, &mut fail);
        for (x, (p, q)) in sum.iter_mut().zip(pass.iter().zip(&fail)) {
            *x += successes * p + failures * q;
        }
    }
    sum
}

fn summarise_placed(nodes: &[f64], log_masses: &[f64], (low, high): (f64, f64)) -> Ability {
    let peak = log_masses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut masses: Vec<f64> = log_masses.iter().map(|x| (x - peak).exp()).collect();
    // Where the range cuts a posterior off, the end node stands for half a spacing.
    masses[0] /= 2.0;
    masses[nodes.len() - 1] /= 2.0;
    let sum: f64 = masses.iter().sum();
    masses.iter_mut().for_each(|x| *x /= sum);
    let at_ends = nodes.iter().zip(&masses);
    let edge_mass = at_ends.filter(|(theta, _)| **theta < low + EDGE || **theta > high - EDGE);
    Ability {
        // A sum of nothing is -0, which would be printed as such.
        edge_mass: edge_mass.map(|(_, mass)| mass).sum::<f64>() + 0.0,
        ..summarise(&masses, nodes)
    }
}

/// F with items that are known, and so without priors.
pub(super) fn known_items<'a>(
    responses: &'a Responses,
    grid: &'a Grid,
    item_weights: Option<&'a [f64]>,
) -> Objective<'a> {
    Objective {
        responses,
        model: Model::TwoPl,
        grid,
        support: grid.support(responses.systems()),
        priors: Priors::default(),
        item_weights,
    }
}

fn summarise(masses: &[f64], nodes: &[f64]) -> Ability {
    let expect = |f: &dyn Fn(f64) -> f64| -> f64 {
        let terms = masses.iter().zip(nodes);
        terms.map(|(mass, &theta)| mass * f(theta)).sum()
    };
    let mean = expect(&|theta| theta);
    let variance = expect(&|theta| (theta - mean) * (theta - mean));
    Ability {
        mean,
        standard_error: variance.sqrt(),
        edge_mass: masses[0] + masses[masses.len() - 1],
    }
}
