//! Log likelihoods over a narrow window, from a few points of it.
//!
//! An item's log likelihood is an analytic function of ability whose poles lie `pi / a` off the real line. Over a window much narrower than
//! that a polynomial through a few Chebyshev points is right to rounding, and so is the sum over all items: items need be evaluated at
//! those points only, and the nodes of the grid, however many, cost nothing.

use std::f64::consts::PI;
use std::ops::Range;

use super::Grid;

/// What a polynomial may miss of one item's log likelihood.
const ACCURACY: f64 = 1e-7;

/// Points are taken in multiples of this, the lanes of a vector.
pub(super) const LANES: usize = 8;

/// The polynomial through the points of one system's window, at the nodes of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interpolation {
    points: Vec<f64>,
    nodes: Vec<f64>,
    /// Logarithms of the weights of the nodes.
    log_weights: Vec<f64>,
    /// What each point says at each node: nodes x points.
    matrix: Vec<f64>,
}

/// How many points windows of at most `half_width` need when no item is steeper than `steepest`; `None` when there are better ways.
///
/// The polynomial misses a relative `rho^-points`, where `rho` is the sum of the semi-axes of the largest ellipse around the window without a
/// pole, in units of its half width (Trefethen 2013, theorem 8.2).
pub(super) fn points_needed(steepest: f64, half_width: f64, nodes: usize) -> Option<usize> {
    let height = PI / (steepest * half_width);
    let rho = height + (height * height + 1.0).sqrt();
    let points = (-ACCURACY.ln() / rho.ln()).ceil();
    let points = (points as usize).next_multiple_of(LANES);
    (points < nodes).then_some(points)
}

impl Interpolation {
    /// Through `points` Chebyshev points between the first and the last of a range of nodes, which must be two or more.
    pub(super) fn new(grid: &Grid, window: &Range<usize>, points: usize) -> Self {
        let log_weights = grid.log_weights()[window.clone()].to_vec();
        Self::through(points, grid.nodes()[window.clone()].to_vec(), log_weights)
    }

    /// The same for nodes and logarithms of weights of one's own.
    pub(super) fn through(points: usize, nodes: Vec<f64>, log_weights: Vec<f64>) -> Self {
        let (low, high) = (nodes[0], nodes[nodes.len() - 1]);
        let angle = |k: usize| (2 * k + 1) as f64 * PI / (2 * points) as f64;
        let points: Vec<f64> = (0..points)
            .map(|k| 0.5 * (low + high) - 0.5 * (high - low) * angle(k).cos())
            .collect();
        let weight = |k: usize| {
            if k.is_multiple_of(2) {
                angle(k).sin()
            } else {
                -angle(k).sin()
            }
        };
        let weights: Vec<f64> = (0..points.len()).map(weight).collect();
        Self {
            matrix: nodes
                .iter()
                .flat_map(|&node| cardinal(node, &points, &weights))
                .collect(),
            points,
            nodes,
            log_weights,
        }
    }

    /// The points, ascending.
    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    /// The nodes, ascending.
    pub(super) fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// The logarithms of the posterior masses at the nodes, not normalised, from the log likelihood at the points.
    pub(super) fn log_masses(&self, at_points: &[f64]) -> Vec<f64> {
        let rows = self.matrix.chunks_exact(self.points.len()).zip(&self.log_weights);
        rows.map(|(row, log_weight)| {
            let terms = row.iter().zip(at_points);
            log_weight + terms.map(|(share, x)| share * x).sum::<f64>()
        })
        .collect()
    }

    /// Weights on the points with which every polynomial through them has the mean that it has under masses at the nodes.
    ///
    /// Some may be below 0. They are the derivatives of the logarithm of the sum of masses by the log likelihoods at the points.
    pub(super) fn pull_back(&self, masses: &[f64], weights: &mut [f64]) {
        weights.fill(0.0);
        for (row, mass) in self.matrix.chunks_exact(self.points.len()).zip(masses) {
            for (weight, share) in weights.iter_mut().zip(row) {
                *weight += mass * share;
            }
        }
    }
}

/// The values at `x` of the polynomials that are 1 at one point and 0 at the others (Berrut and Trefethen 2004, eq. 4.2).
fn cardinal(x: f64, points: &[f64], weights: &[f64]) -> Vec<f64> {
    if let Some(hit) = points.iter().position(|&point| point == x) {
        return (0..points.len()).map(|k| if k == hit { 1.0 } else { 0.0 }).collect();
    }
    let terms: Vec<f64> = points
        .iter()
        .zip(weights)
        .map(|(point, weight)| weight / (x - point))
        .collect();
    let sum: f64 = terms.iter().sum();
    terms.iter().map(|term| term / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softplus_is_met_to_the_accuracy_promised() {
        let grid = Grid::standard_normal(1281, -4.0, 4.0).expect("a grid");
        let window = 700..740;
        let half_width = 0.5 * (grid.nodes()[739] - grid.nodes()[700]);
        for steepest in [0.5, 3.0, 12.0] {
            let points = points_needed(steepest, half_width, usize::MAX).expect("any number");
            let interpolation = Interpolation::new(&grid, &window, points);
            let softplus = |x: f64| (steepest * (x - 0.5)).exp().ln_1p();
            let at: Vec<f64> = interpolation.points().iter().map(|&x| softplus(x)).collect();
            let found = interpolation.log_masses(&at);
            for (k, node) in window.clone().enumerate() {
                let expected = softplus(grid.nodes()[node]) + grid.log_weights()[node];
                assert!(
                    (found[k] - expected).abs() <= ACCURACY,
                    "{steepest}: {} at {node}",
                    found[k] - expected
                );
            }
        }
    }

    #[test]
    fn a_wide_window_is_left_alone() {
        assert_eq!(points_needed(4.0, 3.0, 40), None);
        assert_eq!(points_needed(4.0, 0.1, 40), Some(8));
    }
}
