//! Percentile intervals and the drawing of clusters, shared by every bootstrap.

use crate::Undefined;
use crate::beta::beta_quantile;
use crate::stream::{Stream, normal_quantile};

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

/// The level at which percentiles of a bootstrap of `clusters` clusters are taken, so that their interval has `level` in small samples.
///
/// A percentile interval is a normal one in disguise: it takes a standard error that is too small by the root of `(n - 1) / n` and forgets
/// that the error itself is estimated from `n` clusters. The level returned has the tails at which a normal quantile equals
/// `sqrt(n / (n - 1))` times the quantile of Student's t with `n - 1` degrees of freedom; it tends to `level` as clusters grow in number.
///
/// `level` lies in (0, 1). With one cluster there is no spread to expand, and `level` comes back.
///
/// Source: Hesterberg 2015, section 5.3, the expanded percentile interval.
#[must_use]
pub fn expanded_level(level: f64, clusters: usize) -> f64 {
    if clusters < 2 {
        return level;
    }
    let degrees = (clusters - 1) as f64;
    let tail = (1.0 - level) / 2.0;
    let student = {
        // P(|T| > t) is the chance that a Beta(degrees / 2, 1 / 2) variable is at most degrees / (degrees + t^2).
        let x = beta_quantile(degrees / 2.0, 0.5, 2.0 * tail);
        (degrees * (1.0 - x) / x).sqrt()
    };
    let wanted = (clusters as f64 / degrees).sqrt() * student;
    // Halving the bracket of the tail down to the last bit: quantiles fall as tails grow.
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..f64::MANTISSA_DIGITS + 10 {
        let middle = 0.5 * (low + high);
        if -normal_quantile(middle) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    1.0 - (low + high)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of Student's t at .975 for 9, 24 and 99 degrees of freedom, from any table; they are rounded to six digits.
    #[test]
    fn expanded_tails_are_those_of_students_t() {
        const DIGITS: f64 = 2e-6;
        for (clusters, student) in [(10, 2.262_157), (25, 2.063_899), (100, 1.984_217)] {
            let level = expanded_level(0.95, clusters);
            let n = clusters as f64;
            let expected = (n / (n - 1.0)).sqrt() * student;
            let found = -normal_quantile((1.0 - level) / 2.0);
            assert!((found - expected).abs() <= DIGITS, "{clusters}: {found} {expected}");
        }
    }

    #[test]
    fn many_clusters_leave_the_level_alone() {
        assert!((expanded_level(0.95, 1_000_000) - 0.95).abs() < 1e-6);
        assert!(expanded_level(0.95, 10) > expanded_level(0.95, 11));
        assert_eq!(expanded_level(0.95, 1), 0.95);
    }
}
