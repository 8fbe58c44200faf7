//! The ability grid: equally spaced nodes with normalised standard-normal weights.

use super::Support;
use crate::Error;

/// Rows of numbers per node are padded to a multiple of this, so that vector loops have no remainder.
pub(super) const TILE: usize = 16;

/// Equally spaced ability nodes with weights proportional to the standard normal density, summing to 1.
///
/// [`Grid::default`] has 41 nodes on [-4, 4]. It integrates exactly while no posterior is much narrower than the spacing: below 0.8
/// spacings abilities snap to nodes and their standard errors are wrong (METHODS 82).
///
/// Source: `[CR26]` 3.4; METHODS 80.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    nodes: Vec<f64>,
    weights: Vec<f64>,
    log_weights: Vec<f64>,
    padded_nodes: Vec<f64>,
    padded_log_weights: Vec<f64>,
}

impl Grid {
    /// `nodes` equally spaced nodes from `low` to `high`, ends included.
    ///
    /// # Errors
    /// With fewer than 2 nodes, or ends that are not finite and ascending.
    pub fn standard_normal(nodes: usize, low: f64, high: f64) -> Result<Self, Error> {
        if nodes < 2 {
            return Err(Error::OutOfRange {
                argument: "the number of nodes",
                value: nodes as f64,
                range: "at least 2",
            });
        }
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(Error::OutOfRange {
                argument: "the upper end of the grid",
                value: high,
                range: "finite and above a finite lower end",
            });
        }
        Ok(Self::build(nodes, low, high))
    }

    fn build(count: usize, low: f64, high: f64) -> Self {
        let last = (count - 1) as f64;
        // Weighing both ends makes a symmetric grid symmetric to the last bit.
        let nodes: Vec<f64> = (0..count)
            .map(|g| (low * (last - g as f64) + high * g as f64) / last)
            .collect();
        let peak = nodes.iter().map(|x| -x * x / 2.0).fold(f64::MIN, f64::max);
        let sum: f64 = nodes.iter().map(|x| (-x * x / 2.0 - peak).exp()).sum();
        let log_sum = peak + sum.ln();
        let log_weights: Vec<f64> = nodes.iter().map(|x| -x * x / 2.0 - log_sum).collect();
        let weights = log_weights.iter().map(|x| x.exp()).collect();
        let stride = count.next_multiple_of(TILE);
        let mut padded_nodes = nodes.clone();
        padded_nodes.resize(stride, 0.0);
        let mut padded_log_weights = log_weights.clone();
        padded_log_weights.resize(stride, f64::NEG_INFINITY);
        Self {
            nodes,
            weights,
            log_weights,
            padded_nodes,
            padded_log_weights,
        }
    }

    /// The nodes, ascending.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// The weight of each node; they sum to 1.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The natural logarithm of each weight.
    #[must_use]
    pub fn log_weights(&self) -> &[f64] {
        &self.log_weights
    }

    /// The distance between neighbouring nodes.
    #[must_use]
    pub fn spacing(&self) -> f64 {
        (self.nodes[self.nodes.len() - 1] - self.nodes[0]) / (self.nodes.len() - 1) as f64
    }

    /// The grid with a node more between every two: the same ends, half the spacing.
    #[must_use]
    pub fn halved(&self) -> Self {
        let last = self.nodes.len() - 1;
        Self::build(2 * last + 1, self.nodes[0], self.nodes[last])
    }

    /// The length of one row of numbers per node: the number of nodes rounded up; what stands past the last node means nothing.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.padded_nodes.len()
    }

    /// Every `step`-th node, with weights of their own; the number of spacings must be a multiple of `step`.
    pub(super) fn thinned(&self, step: usize) -> Self {
        let last = self.nodes.len() - 1;
        Self::build(last / step + 1, self.nodes[0], self.nodes[last])
    }

    /// Every node for each of `systems` systems.
    #[must_use]
    pub fn support(&self, systems: usize) -> Support {
        Support::whole(self, systems)
    }

    pub(super) fn padded_nodes(&self) -> &[f64] {
        &self.padded_nodes
    }

    pub(super) fn padded_log_weights(&self) -> &[f64] {
        &self.padded_log_weights
    }
}

impl Default for Grid {
    /// 41 nodes on [-4, 4], the source's grid (`[CR26]` 3.4).
    fn default() -> Self {
        Self::build(41, -4.0, 4.0)
    }
}
