//! Measurability: how surely a panel applies one criterion alike, as a posterior from counts of unanimous units.

use crate::Error;
use crate::beta::{beta_quantile, incomplete_beta};
use crate::resample::LEVEL;

/// Slack of a comparison with a threshold: 4/5 reaches .8 although neither is exact in binary.
const THRESHOLD_SLACK: f64 = 1e-12;

/// A beta prior on the chance that a panel is unanimous on one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaPrior {
    /// Prior unanimous units, above 0.
    pub alpha: f64,
    /// Prior units with a dissent, above 0.
    pub beta: f64,
}

impl Default for BetaPrior {
    /// Uniform. Source: `[CR26]` eq. 12.
    fn default() -> Self {
        Self { alpha: 1.0, beta: 1.0 }
    }
}

/// The posterior of measurability in three numbers, all strictly inside (0, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurability {
    /// The posterior mean.
    pub mean: f64,
    /// The lower end of the equal-tailed 95 % interval.
    pub low: f64,
    /// The upper end of the equal-tailed 95 % interval.
    pub high: f64,
}

impl Measurability {
    /// Whether the posterior mean [`reaches`](reaches()) a threshold.
    #[must_use]
    pub fn reaches(&self, threshold: f64) -> bool {
        reaches(self.mean, threshold)
    }
}

/// Whether a posterior mean is at least `threshold`, with a slack of 1e-12 for numbers that binary cannot hold: 4/5 reaches .8.
#[must_use]
pub fn reaches(mean: f64, threshold: f64) -> bool {
    mean >= threshold - THRESHOLD_SLACK
}

/// Posterior of measurability after `unanimous` of `total` units had one label from the whole panel.
///
/// A unit counts only with at least two judges. No unit at all gives the prior. With two judges this only restates pairwise
/// agreement, and a criterion nobody fails agrees by luck: show its prevalence beside it, or prefer a chance-corrected
/// [`agreement`](crate::agreement).
///
/// # Errors
/// If `unanimous` exceeds `total`, or the prior is not positive and finite.
///
/// Source: `[CR26]` eq. 10-12; the interval is METHODS 63.
///
/// ```
/// use calibrant_stats::measurability::{BetaPrior, measurability};
/// let never_tried = measurability(0, 0, BetaPrior::default()).unwrap();
/// assert_eq!(never_tried.mean, 0.5);
/// ```
pub fn measurability(unanimous: u64, total: u64, prior: BetaPrior) -> Result<Measurability, Error> {
    let (a, b) = posterior(unanimous, total, prior)?;
    let tail = (1.0 - LEVEL) / 2.0;
    Ok(Measurability {
        mean: a / (a + b),
        low: beta_quantile(a, b, tail),
        high: beta_quantile(a, b, 1.0 - tail),
    })
}

/// Posterior probability that measurability is at least `threshold`, after `unanimous` of `total` units.
///
/// Prefer it to the mean when keeping a criterion that fails the threshold is costly.
///
/// # Errors
/// As [`measurability`], or if `threshold` is outside [0, 1].
///
/// Source: METHODS 66.
pub fn probability_at_least(unanimous: u64, total: u64, threshold: f64, prior: BetaPrior) -> Result<f64, Error> {
    let (a, b) = posterior(unanimous, total, prior)?;
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::OutOfRange {
            argument: "threshold",
            value: threshold,
            range: "between 0 and 1",
        });
    }
    // The upper tail of one law is the lower tail of its mirror image: no cancellation near 0.
    Ok(incomplete_beta(b, a, 1.0 - threshold))
}

/// The fewest units, all unanimous, with which the posterior mean can reach `threshold`.
///
/// # Errors
/// If `threshold` is outside [0, 1), or the prior is not positive and finite.
///
/// Source: METHODS 65: `n >= (tau (alpha + beta) - alpha) / (1 - tau)`.
pub fn fewest_units(threshold: f64, prior: BetaPrior) -> Result<u64, Error> {
    check(prior)?;
    if !(0.0..1.0).contains(&threshold) {
        return Err(Error::OutOfRange {
            argument: "threshold",
            value: threshold,
            range: "at least 0 and below 1, which no number of units reaches",
        });
    }
    let BetaPrior { alpha, beta } = prior;
    let exact = (threshold * (alpha + beta) - alpha) / (1.0 - threshold);
    // (.8 * 2 - 1) / .2 is 3 and a rounding error: the slack keeps the ceiling at 3.
    let slack = 1e-9 * exact.abs().max(1.0);
    Ok((exact - slack).ceil().max(0.0) as u64)
}

fn posterior(unanimous: u64, total: u64, prior: BetaPrior) -> Result<(f64, f64), Error> {
    check(prior)?;
    if unanimous > total {
        return Err(Error::PartExceedsWhole {
            part: "unanimous units",
            have: unanimous,
            whole: "units",
            of: total,
        });
    }
    Ok((prior.alpha + unanimous as f64, prior.beta + (total - unanimous) as f64))
}

fn check(prior: BetaPrior) -> Result<(), Error> {
    for (argument, value) in [("prior alpha", prior.alpha), ("prior beta", prior.beta)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(Error::OutOfRange {
                argument,
                value,
                range: "positive and finite",
            });
        }
    }
    Ok(())
}
