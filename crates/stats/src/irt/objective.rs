//! The log posterior F with its gradient and complete-data curvature, over all shards.

use std::ops::Range;

use rayon::prelude::*;

use super::curvature::Curvature;
use super::interpolation::points_needed;
use super::linear::add;
use super::quasi_newton::Landscape;
use super::{
    Grid, ItemScore, Items, Model, Posterior, Priors, Responses, Support, item_scores, node_log_likelihood, posterior,
};
use crate::watch::Watch;

/// Items in one shard of a fit on one machine. Part of the order of summation, so fixed.
const SHARD: usize = 256;

/// Intervals of the grid on which posteriors are looked for first; the source's grid has 40.
const FEWEST: usize = 40;

/// The data, the model and the priors: all that F depends on besides its parameters.
pub(super) struct Objective<'a> {
    pub responses: &'a Responses,
    pub model: Model,
    pub grid: &'a Grid,
    pub support: Support,
    pub priors: Priors,
    pub item_weights: Option<&'a [f64]>,
}

/// F and what an iteration needs around one point.
pub(super) struct Evaluation {
    pub log_posterior: f64,
    pub log_likelihood: f64,
    pub gradient: Vec<f64>,
    pub curvature: Curvature,
    /// The posterior mean of every system's ability.
    pub means: Vec<f64>,
    /// The posterior standard deviation of every system's ability.
    pub deviations: Vec<f64>,
}

impl Objective<'_> {
    /// The coordinates of item parameters: log discriminations (one when shared, the mean of the logs), then difficulties.
    pub(super) fn coordinates(&self, items: &Items) -> Vec<f64> {
        let logs = items.discrimination.iter().map(|a| a.ln());
        let mut x: Vec<f64> = match self.model {
            Model::OnePl => vec![logs.sum::<f64>() / items.discrimination.len() as f64],
            Model::TwoPl => logs.collect(),
        };
        x.extend(&items.difficulty);
        x
    }

    /// The item parameters at coordinates.
    pub(super) fn items(&self, x: &[f64]) -> Items {
        items_at(self.model, x, self.responses.items())
    }

    /// The posteriors of the systems under item parameters.
    pub(super) fn posterior(&self, items: &Items) -> Posterior {
        posterior(
            self.log_likelihoods(items, &self.support),
            self.responses,
            &self.support,
        )
    }

    /// The log likelihood of every system at the nodes of its window, over all items.
    fn log_likelihoods(&self, items: &Items, support: &Support) -> Vec<f64> {
        let shards: Vec<_> = self.responses.shards(SHARD).collect();
        let watch = Watch::current();
        let partial: Vec<Vec<f64>> = shards
            .par_iter()
            .map(|shard| {
                watch.check();
                node_log_likelihood(shard, items, support, self.item_weights)
            })
            .collect();
        let mut partial = partial.into_iter();
        let cells = self.responses.systems() * support.stride();
        let mut sum = partial.next().unwrap_or_else(|| vec![0.0; cells]);
        for rows in partial {
            add(&mut sum, 1.0, &rows);
        }
        sum
    }

    /// F with other item weights.
    pub(super) fn weighted<'b>(&'b self, item_weights: &'b [f64]) -> Objective<'b> {
        Objective {
            support: self.grid.support(self.responses.systems()),
            item_weights: Some(item_weights),
            ..*self
        }
    }

    /// How many spacings of the grid fit between two nodes of the coarsest grid of [`FEWEST`] intervals and more that it refines.
    pub(super) fn coarser(&self) -> usize {
        let mut coarser = 1;
        let intervals = self.grid.nodes().len() - 1;
        while intervals.is_multiple_of(2 * coarser) && intervals / (2 * coarser) >= FEWEST {
            coarser *= 2;
        }
        coarser
    }

    /// The nodes of the grid around the posteriors under item parameters, system by system: first on a coarse grid, then between its nodes.
    fn windows(&self, items: &Items) -> Vec<Range<usize>> {
        let (systems, coarser) = (self.responses.systems(), self.coarser());
        let coarse = self.grid.thinned(coarser);
        let everywhere = coarse.support(systems);
        let masses = self.log_masses(items, &everywhere);
        let windows = everywhere.narrowed(&masses, coarser, &coarse, self.grid);
        let between = self.support_of(&windows, items);
        let masses = self.log_masses(items, &between);
        if between.interpolation(0).is_some() {
            between.narrowed_windows(&masses, &windows)
        } else {
            between.narrowed(&masses, 1, self.grid, self.grid)
        }
    }

    /// The nodes of windows, or fewer points from which they are interpolated.
    fn support_of(&self, windows: &[Range<usize>], items: &Items) -> Support {
        let longest = windows.iter().map(Range::len).max().unwrap_or(0);
        let half_width = 0.5 * longest as f64 * self.grid.spacing();
        let windowed = Support::windowed(self.grid, windows);
        match points_needed(items.steepest(), half_width, longest) {
            // Points are each system's own, nodes are shared: with many systems the nodes are fewer.
            Some(points) if points * windows.len() < windowed.stride() => {
                Support::interpolated(self.grid, windows, points)
            }
            _ => windowed,
        }
    }

    /// Looks where the posteriors are under item parameters, and leaves everything else out; on a coarse grid nothing is.
    pub(super) fn locate(&mut self, items: &Items) {
        if self.coarser() == 1 {
            return;
        }
        self.support = self.support_of(&self.windows(items), items);
    }

    /// The logarithms of the posterior masses, not normalised; nodes outside of a window have none.
    pub(super) fn log_masses(&self, items: &Items, support: &Support) -> Vec<f64> {
        let mut rows = self.log_likelihoods(items, support);
        for row in rows.chunks_exact_mut(support.stride()) {
            add(row, 1.0, support.log_weights());
        }
        rows
    }

    /// F, its gradient and the complete-data curvature at coordinates.
    pub(super) fn evaluate(&self, x: &[f64]) -> Evaluation {
        let items = self.items(x);
        let posterior = self.posterior(&items);
        let shards: Vec<_> = self.responses.shards(SHARD).collect();
        let watch = Watch::current();
        let scores: Vec<Vec<ItemScore>> = shards
            .par_iter()
            .map(|shard| {
                watch.check();
                item_scores(shard, &posterior, &items, &self.support, self.item_weights)
            })
            .collect();
        let (gradient, curvature) = self.assemble(&scores.concat(), x);
        let (means, deviations) = posterior.moments(&self.support);
        Evaluation {
            log_posterior: posterior.log_likelihood() + self.log_prior(x),
            log_likelihood: posterior.log_likelihood(),
            gradient,
            curvature,
            means,
            deviations,
        }
    }

    /// The stretch and the shift of the ability scale, which items follow: only the population and the priors hold them.
    fn free_directions(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let difficulties = &x[self.slopes()..];
        let direction = |slope: f64, difficulty: &dyn Fn(f64) -> f64| {
            let slopes = std::iter::repeat_n(slope, self.slopes());
            slopes.chain(difficulties.iter().map(|b| difficulty(*b))).collect()
        };
        vec![direction(-1.0, &|b| b), direction(0.0, &|_| 1.0)]
    }

    /// Gradient and curvature from the items' scores, priors included.
    pub(super) fn assemble(&self, scores: &[ItemScore], x: &[f64]) -> (Vec<f64>, Curvature) {
        let column = |part: fn(&ItemScore) -> f64| scores.iter().map(part).collect::<Vec<f64>>();
        let mut slope_gradient = column(|s| s.slope);
        let mut slope = column(|s| s.slope_slope);
        if self.model == Model::OnePl {
            slope_gradient = vec![slope_gradient.iter().sum()];
            slope = vec![slope.iter().sum()];
        }
        let mut difficulty = column(|s| s.difficulty_difficulty);
        let mut gradient = slope_gradient;
        gradient.extend(scores.iter().map(|s| s.difficulty));
        let curvatures = slope.iter_mut().chain(&mut difficulty);
        for (k, (g, h)) in gradient.iter_mut().zip(curvatures).enumerate() {
            let precision = self.prior_precision(k);
            *g -= precision * x[k];
            // An item of weight 0 has no say in F and stays where it is.
            *h = if self.weight(k) == 0.0 { 1.0 } else { *h + precision };
        }
        let mixed = column(|s| s.slope_difficulty);
        let curvature = Curvature::new(self.model, slope, mixed, difficulty);
        (gradient, curvature)
    }

    /// The logarithm of the priors at coordinates, constants dropped.
    pub(super) fn log_prior(&self, x: &[f64]) -> f64 {
        let terms = x.iter().enumerate();
        -0.5 * terms.map(|(k, x)| self.prior_precision(k) * x * x).sum::<f64>()
    }

    /// How many slope coordinates there are.
    pub(super) fn slopes(&self) -> usize {
        match self.model {
            Model::OnePl => 1,
            Model::TwoPl => self.responses.items(),
        }
    }

    /// The prior's precision of coordinate `k`: an item of weight `c` brings `c` priors, the shared slope one.
    pub(super) fn prior_precision(&self, k: usize) -> f64 {
        let precision = if k < self.slopes() {
            self.priors.slope_precision()
        } else {
            self.priors.difficulty_precision()
        };
        self.weight(k) * precision
    }

    /// The weight of the item that coordinate `k` belongs to; 1 for the shared slope.
    fn weight(&self, k: usize) -> f64 {
        let item = match (self.model, k) {
            (Model::OnePl, 0) => return 1.0,
            (Model::OnePl, k) => k - 1,
            (Model::TwoPl, k) => k % self.responses.items(),
        };
        self.item_weights.map_or(1.0, |w| w[item])
    }
}

/// The parameters of `items` items at coordinates.
pub(super) fn items_at(model: Model, x: &[f64], items: usize) -> Items {
    let (slopes, difficulties) = x.split_at(x.len() - items);
    let discrimination = match model {
        Model::OnePl => vec![slopes[0].exp(); items],
        Model::TwoPl => slopes.iter().map(|x| x.exp()).collect(),
    };
    Items {
        discrimination,
        difficulty: difficulties.to_vec(),
    }
}

/// F on every node of the grid.
pub(super) struct OnGrid<'a>(pub Objective<'a>);

impl Landscape for OnGrid<'_> {
    fn evaluate(&self, x: &[f64]) -> Evaluation {
        self.0.evaluate(x)
    }

    /// None: where nodes are coarse F has several maxima, and the plain path is the one whose end the reference values name.
    fn free_directions(&self, _: &[f64]) -> Vec<Vec<f64>> {
        Vec::new()
    }
}

/// F on the nodes around the posteriors, which are looked for again when one of them has moved by a node.
///
/// What the windows leave out lowers F, so a step that carries posteriors out of them is refused or shortened, never taken for a gain.
pub(super) struct InWindows<'a> {
    objective: Objective<'a>,
    /// The posterior means for which the windows were made.
    located: Vec<f64>,
    /// The largest discrimination for which points were chosen.
    steepest: f64,
}

/// How much steeper items may become before points are chosen anew.
const STEEPER: f64 = 1.25;

impl<'a> InWindows<'a> {
    pub(super) fn new(mut objective: Objective<'a>, x: &[f64]) -> Self {
        let items = objective.items(x);
        objective.locate(&items);
        let (located, _) = objective.posterior(&items).moments(&objective.support);
        Self {
            objective,
            located,
            steepest: items.steepest(),
        }
    }
}

impl Landscape for InWindows<'_> {
    fn evaluate(&self, x: &[f64]) -> Evaluation {
        self.objective.evaluate(x)
    }

    fn free_directions(&self, x: &[f64]) -> Vec<Vec<f64>> {
        self.objective.free_directions(x)
    }

    fn accept(&mut self, x: &[f64], at: Evaluation) -> Evaluation {
        let spacing = self.objective.grid.spacing();
        let mut shifts = at.means.iter().zip(&self.located);
        let moved = shifts.any(|(now, then)| (now - then).abs() >= spacing);
        let items = self.objective.items(x);
        if !moved && items.steepest() <= STEEPER * self.steepest {
            return at;
        }
        self.objective.locate(&items);
        self.steepest = items.steepest();
        let again = self.objective.evaluate(x);
        self.located.clone_from(&again.means);
        again
    }
}
