//! What judge errors do to pass rates, to differences between systems, and to the variance of a score.

use crate::{Error, Undefined};

/// How a judge errs on one criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeErrors {
    sensitivity: f64,
    specificity: f64,
}

/// A pass rate freed from judge errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrueRate {
    /// The rate, in [0, 1].
    pub rate: f64,
    /// Whether the arithmetic left [0, 1] and the rate was cut: count these, they say that the errors are not known well enough.
    pub clipped: bool,
}

impl JudgeErrors {
    /// A judge that passes a true pass with chance `sensitivity` and fails a true failure with chance `specificity`.
    ///
    /// # Errors
    /// If one is outside [0, 1].
    pub fn new(sensitivity: f64, specificity: f64) -> Result<Self, Error> {
        check_share("sensitivity", sensitivity)?;
        check_share("specificity", specificity)?;
        Ok(Self {
            sensitivity,
            specificity,
        })
    }

    /// A judge that is wrong with chance `error` on passes and failures alike.
    ///
    /// # Errors
    /// If the error is outside [0, 1].
    pub fn symmetric(error: f64) -> Result<Self, Error> {
        check_share("judge error", error)?;
        Self::new(1.0 - error, 1.0 - error)
    }

    /// The share of a true difference between pass rates that the judge's labels keep: `s+ + s- - 1`, in [-1, 1].
    ///
    /// Source: METHODS 114; `1 - 2 e` for a symmetric error.
    #[must_use]
    pub fn kept_share(&self) -> f64 {
        self.sensitivity + self.specificity - 1.0
    }

    /// The pass rate the judge reports when the true one is `rate`.
    ///
    /// Source: METHODS 114.
    #[must_use]
    pub fn observed_rate(&self, rate: f64) -> f64 {
        (1.0 - self.specificity) + self.kept_share() * rate
    }

    /// The true pass rate behind an `observed` one, cut to [0, 1].
    ///
    /// # Errors
    /// Undefined when the judge's labels do not depend on the truth.
    ///
    /// Source: METHODS 114.
    pub fn true_rate(&self, observed: f64) -> Result<TrueRate, Undefined> {
        let kept = self.kept_share();
        if kept == 0.0 {
            return Err(Undefined::NoVariation);
        }
        let rate = (observed - (1.0 - self.specificity)) / kept;
        Ok(TrueRate {
            rate: rate.clamp(0.0, 1.0),
            clipped: !(0.0..=1.0).contains(&rate),
        })
    }
}

/// One criterion of a weighted score, for its variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CriterionNoise {
    /// Its weight, at least 0.
    pub weight: f64,
    /// The true pass rate over prompts, in [0, 1].
    pub pass_rate: f64,
    /// The judge's symmetric error, in [0, 1].
    pub error: f64,
}

/// The variance of a system's mean score, by where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreVariance {
    /// From the responses: only more prompts lower it.
    pub responses: f64,
    /// From the judge: more prompts or more repeats lower it. It is all that differs between two gradings of the same responses.
    pub judges: f64,
}

/// The variance of a mean score over `prompts`, each graded `repeats` times with the labels averaged.
///
/// Criteria of one response are taken as independent. They are not in reality: prefer the empirical variance over prompts where there
/// are data; positive correlation makes this a lower bound.
///
/// # Errors
/// Undefined without a prompt, a repeat or a positive weight.
///
/// Source: METHODS 115, 118: `(1/M) sum wt^2 [(1-2e)^2 p(1-p) + e(1-e)/R]`.
pub fn score_variance(criteria: &[CriterionNoise], prompts: u32, repeats: u32) -> Result<ScoreVariance, Undefined> {
    if prompts == 0 || repeats == 0 {
        return Err(Undefined::NoUnits);
    }
    let whole: f64 = criteria.iter().map(|c| c.weight).sum();
    if whole.is_nan() || whole <= 0.0 {
        return Err(Undefined::NoPositiveWeight);
    }
    let sum = |noise: &dyn Fn(&CriterionNoise) -> f64| -> f64 {
        criteria.iter().map(|c| (c.weight / whole).powi(2) * noise(c)).sum()
    };
    let responses = sum(&|c| (1.0 - 2.0 * c.error).powi(2) * c.pass_rate * (1.0 - c.pass_rate));
    let judges = sum(&|c| c.error * (1.0 - c.error));
    Ok(ScoreVariance {
        responses: responses / f64::from(prompts),
        judges: judges / (f64::from(prompts) * f64::from(repeats)),
    })
}

fn check_share(argument: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::OutOfRange {
        argument,
        value,
        range: "between 0 and 1",
    })
}
