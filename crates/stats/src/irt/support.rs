//! Which nodes of a grid count for which system: all of them, or a window around each system's posterior.

use std::ops::Range;

use super::Grid;
use super::interpolation::Interpolation;
use super::quadrature::TILE;

/// Posterior mass, relative to the largest, below which a node is dropped: its logarithm (METHODS 82: 1e-20).
const DROPPED: f64 = -46.05;

/// Nodes of a grid with the window of each system: outside its window a system has no posterior mass.
///
/// The weights of the nodes kept stay normalised over the whole grid, so that leaving nodes out changes the integral by less than a
/// relative 1e-18. Windows start and end at whole tiles of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    nodes: Vec<f64>,
    log_weights: Vec<f64>,
    windows: Vec<Range<usize>>,
    /// How the nodes of the grid follow from those here, system by system; empty where they are the nodes of the grid.
    interpolations: Vec<Interpolation>,
}

impl Support {
    /// Every node of the grid for each of `systems` systems.
    #[must_use]
    pub fn whole(grid: &Grid, systems: usize) -> Self {
        Self {
            nodes: grid.padded_nodes().to_vec(),
            log_weights: grid.padded_log_weights().to_vec(),
            windows: vec![0..grid.stride(); systems],
            interpolations: Vec::new(),
        }
    }

    /// The tiles of the grid in which some system has a window; `windows` are ranges of nodes of the grid, none of them empty.
    pub(super) fn windowed(grid: &Grid, windows: &[Range<usize>]) -> Self {
        let tiles = |window: &Range<usize>| window.start / TILE..window.end.div_ceil(TILE);
        let mut place = vec![None; grid.stride() / TILE];
        for tile in windows.iter().flat_map(tiles) {
            place[tile] = Some(0);
        }
        let mut support = Self {
            nodes: Vec::new(),
            log_weights: Vec::new(),
            windows: Vec::with_capacity(windows.len()),
            interpolations: Vec::new(),
        };
        for (tile, place) in place.iter_mut().enumerate() {
            if place.is_some() {
                *place = Some(support.nodes.len());
                let range = tile * TILE..(tile + 1) * TILE;
                support.nodes.extend(&grid.padded_nodes()[range.clone()]);
                support.log_weights.extend(&grid.padded_log_weights()[range]);
            }
        }
        for window in windows.iter().map(tiles) {
            let start = place[window.start].expect("the tiles of every window are kept");
            support.windows.push(start..start + window.len() * TILE);
        }
        support
    }

    /// `points` points in the window of each system, from which its log likelihood at the nodes of the grid is interpolated.
    pub(super) fn interpolated(grid: &Grid, windows: &[Range<usize>], points: usize) -> Self {
        let interpolations = windows.iter().map(|window| Interpolation::new(grid, window, points));
        let interpolations: Vec<Interpolation> = interpolations.collect();
        let nodes: Vec<f64> = interpolations.iter().flat_map(|each| each.points()).copied().collect();
        Self {
            log_weights: vec![0.0; nodes.len()],
            windows: (0..windows.len()).map(|i| i * points..(i + 1) * points).collect(),
            nodes,
            interpolations,
        }
    }

    /// How the grid follows from the points of one system's window; `None` where the nodes are those of the grid.
    pub(super) fn interpolation(&self, system: usize) -> Option<&Interpolation> {
        self.interpolations.get(system)
    }

    /// The nodes, tile by tile, ascending; what pads the last tile of the grid has no weight.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// The logarithms of their weights.
    #[must_use]
    pub fn log_weights(&self) -> &[f64] {
        &self.log_weights
    }

    /// The positions in [`Support::nodes`] at which one system's posterior may have mass.
    #[must_use]
    pub fn window(&self, system: usize) -> Range<usize> {
        self.windows[system].clone()
    }

    /// How many numbers a row with one number per node has.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn windows(&self) -> &[Range<usize>] {
        &self.windows
    }

    /// The nodes of `grid` outside of which every posterior mass is negligible, system by system.
    ///
    /// `log_masses` holds, system by system, the logarithm of the unnormalised mass at the nodes of this support, whose tiles come from
    /// a grid `coarser` times as coarse as `grid` with the same ends. The logarithm is a concave function of ability: between two nodes
    /// whose mass is negligible and beyond, everything is. A coarse node may miss a peak, never shift it by more than its spacing.
    pub(super) fn narrowed(&self, log_masses: &[f64], coarser: usize, coarse: &Grid, grid: &Grid) -> Vec<Range<usize>> {
        let last = grid.nodes().len() - 1;
        let position = |k: usize| -> usize {
            let at = (self.nodes[k] - coarse.nodes()[0]) / coarse.spacing();
            at.round() as usize * coarser
        };
        let rows = log_masses.chunks_exact(self.stride()).zip(&self.windows);
        rows.map(|(row, window)| {
            let (first, end) = with_mass(&row[window.clone()]);
            let (first, end) = (position(window.start + first), position(window.start + end));
            first.saturating_sub(coarser)..(end + coarser).min(last) + 1
        })
        .collect()
    }

    /// The same from the points of interpolated windows, which are those given.
    pub(super) fn narrowed_windows(&self, log_likelihoods: &[f64], windows: &[Range<usize>]) -> Vec<Range<usize>> {
        let rows = log_likelihoods.chunks_exact(self.stride()).enumerate();
        rows.map(|(i, row)| {
            let masses = self.interpolations[i].log_masses(&row[self.windows[i].clone()]);
            let (first, end) = with_mass(&masses);
            let window = &windows[i];
            (window.start + first.saturating_sub(1))..(window.start + end + 2).min(window.end)
        })
        .collect()
    }
}

/// The first and the last position whose mass is not negligible against the largest.
fn with_mass(log_masses: &[f64]) -> (usize, usize) {
    let peak = log_masses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let counts = |x: &f64| *x >= peak + DROPPED;
    let first = log_masses.iter().position(counts).expect("the peak itself is kept");
    let last = log_masses.iter().rposition(counts).unwrap_or(first);
    (first, last)
}
