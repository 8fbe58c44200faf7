//! How far scores lie apart.

use crate::Undefined;
use crate::resample::percentile;

/// Three measures of the spread of scores, in the scores' own unit, all at least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean of the scores.
    pub mean: f64,
    /// Highest minus lowest score.
    pub gap: f64,
    /// Upper minus lower quartile.
    pub interquartile_range: f64,
    /// Standard deviation with divisor n - 1.
    pub standard_deviation: f64,
}

/// Summarises the spread of `scores`, in any order.
///
/// # Errors
/// Undefined for fewer than two systems.
///
/// Source: METHODS 55.
pub fn spread(scores: &[f64]) -> Result<Spread, Undefined> {
    if scores.len() < 2 {
        return Err(Undefined::TooFewSystems {
            have: scores.len(),
            need: 2,
        });
    }
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / n;
    let squares: f64 = sorted.iter().map(|s| (s - mean).powi(2)).sum();
    Ok(Spread {
        mean,
        gap: sorted[sorted.len() - 1] - sorted[0],
        interquartile_range: percentile(&sorted, 0.75)? - percentile(&sorted, 0.25)?,
        standard_deviation: (squares / (n - 1.0)).sqrt(),
    })
}
