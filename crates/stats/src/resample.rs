//! Percentile intervals and the drawing of clusters, shared by every bootstrap.

use crate::Undefined;
use crate::stream::Stream;

/// The level of every interval unless said otherwise.
pub const LEVEL: f64 = 0.95;

/// The fewest clusters a cluster bootstrap accepts: below it a percentile interval is too narrow to print.
///
/// Source: METHODS 102.
pub const MIN_CLUSTERS: usize = 10;

/// A closed interval, lower end first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `x` lies in the interval, ends included.
    #[must_use]
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
}

/// The quantile at `p` in [0, 1] of `sorted` values, ascending, by linear interpolation between order statistics.
///
/// # Errors
/// Undefined when there is no value.
///
/// Source: Hyndman and Fan 1996, type 7.
pub fn percentile(sorted: &[f64], p: f64) -> Result<f64, Undefined> {
    let last = sorted.len().checked_sub(1).ok_or(Undefined::NoValues)?;
    let position = p.clamp(0.0, 1.0) * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Ok(sorted[below] + (position - below as f64) * (sorted[above] - sorted[below]))
}

/// The equal-tailed percentile interval of `values`, in any order, at `level` in (0, 1).
///
/// # Errors
/// Undefined when there is no value.
///
/// Source: METHODS 63 (equal tails); METHODS 102.
pub fn percentile_interval(values: &[f64], level: f64) -> Result<Interval, Undefined> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    Ok(Interval {
        low: percentile(&sorted, tail)?,
        high: percentile(&sorted, 1.0 - tail)?,
    })
}

/// How often each of `clusters` is drawn when as many are drawn with replacement; the counts sum to `clusters`.
pub fn draw_clusters(stream: &mut Stream, clusters: usize) -> Vec<u32> {
    let mut counts = vec![0; clusters];
    for _ in 0..clusters {
        counts[stream.below(clusters)] += 1;
    }
    counts
}

/// Whether there are clusters enough for a cluster interval.
///
/// # Errors
/// Undefined below [`MIN_CLUSTERS`], with what there is and what is needed.
pub fn enough_clusters(have: usize) -> Result<(), Undefined> {
    if have < MIN_CLUSTERS {
        return Err(Undefined::TooFewClusters {
            have,
            need: MIN_CLUSTERS,
        });
    }
    Ok(())
}
