//! The log posterior F with its gradient and complete-data curvature, over all shards.

use rayon::prelude::*;

use super::curvature::Curvature;
use super::{Grid, ItemScore, Items, Model, Posterior, Priors, Responses, item_scores, node_log_likelihood, posterior};

/// Items in one shard of a fit on one machine. Part of the order of summation, so fixed.
const SHARD: usize = 256;

/// The data, the model and the priors: all that F depends on besides its parameters.
pub(super) struct Objective<'a> {
    pub responses: &'a Responses,
    pub model: Model,
    pub grid: &'a Grid,
    pub priors: Priors,
    pub item_weights: Option<&'a [f64]>,
}

/// F and what an iteration needs around one point.
pub(super) struct Evaluation {
    pub log_posterior: f64,
    pub log_likelihood: f64,
    pub gradient: Vec<f64>,
    pub curvature: Curvature,
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
        let (slopes, difficulties) = x.split_at(self.slopes());
        let discrimination = match self.model {
            Model::OnePl => vec![slopes[0].exp(); difficulties.len()],
            Model::TwoPl => slopes.iter().map(|x| x.exp()).collect(),
        };
        Items {
            discrimination,
            difficulty: difficulties.to_vec(),
        }
    }

    /// The posteriors of the systems under item parameters.
    pub(super) fn posterior(&self, items: &Items) -> Posterior {
        let shards: Vec<_> = self.responses.shards(SHARD).collect();
        let partial: Vec<Vec<f64>> = shards
            .par_iter()
            .map(|shard| node_log_likelihood(shard, items, self.grid, self.item_weights))
            .collect();
        let mut partial = partial.into_iter();
        let cells = self.responses.systems() * self.grid.stride();
        let mut sum = partial.next().unwrap_or_else(|| vec![0.0; cells]);
        for rows in partial {
            for (total, x) in sum.iter_mut().zip(&rows) {
                *total += x;
            }
        }
        posterior(sum, self.responses, self.grid)
    }

    /// F, its gradient and the complete-data curvature at coordinates.
    pub(super) fn evaluate(&self, x: &[f64]) -> Evaluation {
        let items = self.items(x);
        let posterior = self.posterior(&items);
        let shards: Vec<_> = self.responses.shards(SHARD).collect();
        let scores: Vec<Vec<ItemScore>> = shards
            .par_iter()
            .map(|shard| item_scores(shard, &posterior, &items, self.grid, self.item_weights))
            .collect();
        let (gradient, curvature) = self.assemble(&scores.concat(), x);
        Evaluation {
            log_posterior: posterior.log_likelihood() + self.log_prior(x),
            log_likelihood: posterior.log_likelihood(),
            gradient,
            curvature,
        }
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
    fn prior_precision(&self, k: usize) -> f64 {
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
