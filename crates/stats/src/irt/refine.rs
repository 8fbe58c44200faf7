//! The refined grid: as fine as the narrowest posterior asks for.

use super::fit::{FitOptions, Stopped, objective};
use super::linear::least;
use super::objective::{InWindows, Objective, OnGrid, items_at};
use super::quasi_newton::{End, Limits, maximise};
use super::{Grid, Items, Model, Responses, information};

/// Spacings that the narrowest posterior SD must span: an equally spaced sum is then right to a relative 3e-6 (METHODS 82).
const NARROWEST: f64 = 0.8;

/// Nodes at which no grid is refined further: enough for posteriors with an SD of 1e-5.
const MOST_NODES: usize = 500_000;

/// Climbs on one grid: on every node of the source's, on the nodes around the posteriors of a finer one.
pub(super) fn climb(objective: Objective<'_>, x: Vec<f64>, limits: &Limits) -> End {
    if objective.coarser() == 1 {
        maximise(&mut OnGrid(objective), x, limits)
    } else {
        maximise(&mut InWindows::new(objective, &x), x, limits)
    }
}

/// Climbs on a grid of spacings small enough for the narrowest posterior, which the grid of `options` is the coarsest of.
///
/// How fine it must be follows first from the information at the start: climbing on a grid that is too coarse would let abilities snap to
/// its nodes, and discriminations grow with them. Where the posteriors found turn out narrower, the climb goes on on a finer grid.
pub(super) fn climb_refined(
    responses: &Responses,
    model: Model,
    options: &FitOptions,
    x: Vec<f64>,
    limits: &Limits,
) -> (End, Grid) {
    let on = |x: Vec<f64>, grid: &Grid, limits: &Limits| climb(objective(responses, model, options, grid), x, limits);
    let (x, narrowest) = rescaled(objective(responses, model, options, &options.grid), x);
    let mut grid = finer(&options.grid, narrowest);
    let mut end = on(x, &grid, limits);
    while end.convergence.stopped == Stopped::Gradient {
        let items = items_at(model, &end.x, responses.items());
        let weights = options.item_weights.as_deref();
        let Some(finer) = too_coarse(&grid, &items, &end.at.means, &end.at.deviations, weights) else {
            break;
        };
        grid = finer;
        let before = end.convergence.iterations;
        let left = Limits {
            max_iterations: limits.max_iterations - before,
            ..*limits
        };
        end = on(end.x, &grid, &left);
        end.convergence.iterations += before;
    }
    (end, grid)
}

/// The start on the scale of abilities that F prefers, and the narrowest posterior SD expected there.
///
/// Where items are many, posteriors are narrow and the likelihood hardly changes when abilities and difficulties shrink by a factor and
/// discriminations grow by it; the priors alone choose the factor. For one shared discrimination they choose a small one, because many
/// difficulties have priors and one discrimination has: far from any start, along a direction that an ascent learns last.
fn rescaled(mut objective: Objective<'_>, x: Vec<f64>) -> (Vec<f64>, f64) {
    let items = objective.items(&x);
    objective.locate(&items);
    let (means, _) = objective.posterior(&items).moments(&objective.support);
    let log_factor = preferred_scale(&objective, &x, &means);
    let slopes = objective.slopes();
    let scale = |(k, x): (usize, &f64)| {
        if k < slopes {
            x - log_factor
        } else {
            x * log_factor.exp()
        }
    };
    let x: Vec<f64> = x.iter().enumerate().map(scale).collect();
    let means: Vec<f64> = means.iter().map(|theta| theta * log_factor.exp()).collect();
    let narrowest = least(&expected_deviations(
        &objective.items(&x),
        &means,
        objective.item_weights,
    ));
    (x, narrowest)
}

/// The logarithm of the factor by which the priors want abilities and difficulties stretched, with the likelihood unchanged.
///
/// Along it F is `M s - e^(2 s) (sum theta^2 / 2 + sum b^2 / (2 * 2^2)) - sum (log a - s)^2 / (2 * 0.5^2)` plus a constant, concave in
/// `s`: the width of the posteriors contributes `s` for each of `M` systems.
fn preferred_scale(objective: &Objective<'_>, x: &[f64], means: &[f64]) -> f64 {
    /// Newton steps end at this length, or after so many.
    const SHORT: f64 = 1e-9;
    const STEPS: usize = 100;
    let weight = |i: usize| objective.responses.system_weight(i);
    let systems: f64 = (0..means.len()).map(weight).sum();
    let abilities: f64 = means
        .iter()
        .enumerate()
        .map(|(i, theta)| weight(i) * theta * theta)
        .sum();
    let (mut logs, mut slopes, mut difficulties) = (0.0, 0.0, 0.0);
    for (k, x) in x.iter().enumerate() {
        let precision = objective.prior_precision(k);
        if k < objective.slopes() {
            logs += precision * x;
            slopes += precision;
        } else {
            difficulties += precision * x * x;
        }
    }
    let squares = abilities + difficulties;
    let mut s: f64 = 0.0;
    for _ in 0..STEPS {
        let stretched = squares * (2.0 * s).exp();
        let step = (systems - stretched + logs - slopes * s) / (2.0 * stretched + slopes);
        s += step.clamp(-1.0, 1.0);
        if step.abs() < SHORT {
            break;
        }
    }
    s
}

/// A finer grid, when some posterior does not span the nodes of this one.
pub(super) fn too_coarse(
    grid: &Grid,
    items: &Items,
    means: &[f64],
    deviations: &[f64],
    item_weights: Option<&[f64]>,
) -> Option<Grid> {
    if NARROWEST * grid.spacing() <= least(deviations) || grid.nodes().len() >= MOST_NODES {
        return None;
    }
    let expected = least(&expected_deviations(items, means, item_weights));
    Some(finer(&grid.halved(), expected))
}

/// `grid` halved until its spacing is small against a posterior SD of `narrowest`.
fn finer(grid: &Grid, narrowest: f64) -> Grid {
    let mut grid = grid.clone();
    while NARROWEST * grid.spacing() > narrowest && grid.nodes().len() < MOST_NODES {
        grid = grid.halved();
    }
    grid
}

/// The posterior SDs that the information at these abilities promises.
fn expected_deviations(items: &Items, means: &[f64], item_weights: Option<&[f64]>) -> Vec<f64> {
    let information_at = |theta: f64| {
        let parameters = items.discrimination.iter().zip(&items.difficulty).enumerate();
        let terms = parameters.map(|(j, (&a, &b))| {
            let weight = item_weights.map_or(1.0, |w| w[j]);
            weight * information(a, b, theta)
        });
        terms.sum::<f64>()
    };
    means
        .iter()
        .map(|&theta| (1.0 + information_at(theta)).recip().sqrt())
        .collect()
}
