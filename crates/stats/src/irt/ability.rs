//! Abilities of systems under known item parameters.

use super::fit::check_item_weights;
use super::objective::Objective;
use super::{Grid, IrtError, Items, Model, Priors, Responses};

/// Where one system stands: its posterior over the ability grid, summarised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ability {
    /// Posterior mean (EAP), on the scale whose population is standard normal; inside the grid.
    pub mean: f64,
    /// Posterior standard deviation. It leaves out that item parameters are estimates.
    pub standard_error: f64,
    /// Posterior mass on the grid's two end nodes together; above 0.01 the grid is too short for this system.
    pub edge_mass: f64,
}

/// The ability of every system, in system order, from its responses to items of known parameters.
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
    let objective = Objective {
        responses,
        model: Model::TwoPl,
        grid,
        priors: Priors::default(),
        item_weights,
    };
    let posterior = objective.posterior(items);
    let summarise = |i: usize| summarise(&posterior.masses(i)[..grid.nodes().len()], grid.nodes());
    Ok((0..responses.systems()).map(summarise).collect())
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
