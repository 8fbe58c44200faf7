//! Abilities of systems under known item parameters.

use super::fit::check_item_weights;
use super::objective::Objective;
use super::refine::too_coarse;
use super::{Grid, IrtError, Items, Model, Posterior, Priors, Responses};

/// How near an end of the range mass counts as cut off: half the spacing of the source's grid.
const EDGE: f64 = 0.1;

/// Where one system stands: its posterior over the ability grid, summarised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ability {
    /// Posterior mean (EAP), on the scale whose population is standard normal; inside the grid.
    pub mean: f64,
    /// Posterior standard deviation. It leaves out that item parameters are estimates.
    pub standard_error: f64,
    /// Posterior mass at the two ends of the grid together; above 0.01 the grid is too short for this system. It is the mass on the end
    /// nodes, and where a grid was refined that within 0.1 of the ends.
    pub edge_mass: f64,
}

/// The ability of every system, in system order, from its responses to items of known parameters, on exactly the nodes of a grid.
///
/// Where a posterior is narrower than the grid's spacing it snaps to a node: prefer [`refined_abilities`].
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

/// The ability of every system, in system order, on a grid or a refinement of it: halved until every posterior spans its nodes.
///
/// Abilities are standard normal on the nodes of the grid, as for [`abilities`], and the sums are right to a relative 3e-6 however narrow a
/// posterior is. On the grid of a refined fit these are the abilities that the fit itself saw. A system that answered nothing has the
/// population's mean and deviation.
///
/// # Errors
/// As [`abilities`].
///
/// Source: METHODS 82.
pub fn refined_abilities(
    responses: &Responses,
    items: &Items,
    grid: &Grid,
    item_weights: Option<&[f64]>,
) -> Result<Vec<Ability>, IrtError> {
    items.check(responses.items())?;
    check_item_weights(item_weights, responses.items())?;
    let mut grid = grid.clone();
    loop {
        let mut objective = known_items(responses, &grid, item_weights);
        objective.locate(items);
        let posterior = objective.posterior(items);
        let (means, deviations) = posterior.moments(&objective.support);
        match too_coarse(&grid, items, &means, &deviations, item_weights) {
            Some(finer) => grid = finer,
            None => {
                let found = means.into_iter().zip(deviations).enumerate();
                return Ok(found
                    .map(|(i, (mean, standard_error))| Ability {
                        mean,
                        standard_error,
                        edge_mass: edge_mass(&objective, &posterior, i),
                    })
                    .collect());
            }
        }
    }
}

/// The posterior mass of one system at the two ends of the grid.
fn edge_mass(objective: &Objective<'_>, posterior: &Posterior, system: usize) -> f64 {
    let all = objective.grid.nodes();
    let (low, high) = (all[0] + EDGE, all[all.len() - 1] - EDGE);
    let (nodes, masses) = match objective.support.interpolation(system) {
        Some(interpolation) => (interpolation.nodes(), posterior.at_nodes(system)),
        None => (objective.support.nodes(), posterior.masses(system)),
    };
    let at_ends = nodes
        .iter()
        .zip(masses)
        .filter(|(theta, _)| **theta < low || **theta > high);
    // A sum of nothing is -0, which would be printed as such.
    at_ends.map(|(_, mass)| mass).sum::<f64>() + 0.0
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
