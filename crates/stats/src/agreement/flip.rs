//! What kappa becomes when two judges flip labels at random: low agreement, or rare failure?

use super::PairTable;
use super::pair::two_levels;
use crate::{Error, Undefined};

/// Two judges who each flip the true label of a unit, pass or fail, with one chance, independently.
///
/// With the chance and the prevalence read from one and the same table, [`FlipModel::kappa`] is Scott's pi of that table again: it
/// says something new only with the flip rate of other criteria, or at another prevalence.
///
/// Source: `[RN]`; METHODS 41.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlipModel {
    /// The chance that one judge flips a label, in [0, 1/2].
    pub flip: f64,
}

impl FlipModel {
    /// Judges who flip a label with chance `flip` in [0, 1/2].
    ///
    /// # Errors
    /// If it lies outside.
    pub fn new(flip: f64) -> Result<Self, Error> {
        share("the flip rate", flip, 0.5, "between 0 and 1/2")?;
        Ok(Self { flip })
    }

    /// The flip rate that makes two judges agree on a share `observed` of the units: `(1 - sqrt(2 po - 1)) / 2`.
    ///
    /// # Errors
    /// Undefined below one half, which independent flips cannot reach.
    pub fn from_agreement(observed: f64) -> Result<Self, Undefined> {
        let twice = 2.0 * observed - 1.0;
        if twice.is_nan() || twice < 0.0 {
            return Err(Undefined::AgreementBelowHalf { observed });
        }
        Ok(Self {
            flip: (1.0 - twice.min(1.0).sqrt()) / 2.0,
        })
    }

    /// The share of units on which the judges agree: `(1 - e)^2 + e^2`, at any prevalence.
    #[must_use]
    pub fn agreement(&self) -> f64 {
        (1.0 - self.flip).powi(2) + self.flip.powi(2)
    }

    /// The share of passes that these judges give where a share `prevalence` in [0, 1] truly passes: `q = pi (1 - e) + (1 - pi) e`.
    #[must_use]
    pub fn passes(&self, prevalence: f64) -> f64 {
        prevalence * (1.0 - self.flip) + (1.0 - prevalence) * self.flip
    }

    /// The true share of passes behind the share `passes` that these judges give: `(q - e) / (1 - 2 e)`.
    ///
    /// # Errors
    /// Undefined where no prevalence gives that share, and always for judges who flip half the labels.
    pub fn prevalence(&self, passes: f64) -> Result<f64, Undefined> {
        // Shares that are rounded in their last bits still count as reached.
        const ROUNDING: f64 = 1e-12;
        let prevalence = (passes - self.flip) / (1.0 - 2.0 * self.flip);
        if (-ROUNDING..=1.0 + ROUNDING).contains(&prevalence) {
            return Ok(prevalence.clamp(0.0, 1.0));
        }
        Err(Undefined::ShareOutOfReach {
            share: passes,
            flip: self.flip,
        })
    }

    /// The kappa of these judges where a share `prevalence` in [0, 1] of the units truly passes:
    /// `(1 - 2 e)^2 pi (1 - pi) / (q (1 - q))`.
    ///
    /// # Errors
    /// Undefined where all labels are alike: no flips and a prevalence of 0 or 1.
    ///
    /// Source: METHODS 41, 132.
    pub fn kappa(&self, prevalence: f64) -> Result<f64, Undefined> {
        let passes = self.passes(prevalence);
        let spread = passes * (1.0 - passes);
        if spread <= 0.0 {
            return Err(Undefined::OneLabel);
        }
        Ok((1.0 - 2.0 * self.flip).powi(2) * prevalence * (1.0 - prevalence) / spread)
    }

    /// The curve of kappa by prevalence: a point for each of `prevalences`, as [`FlipModel::kappa`].
    ///
    /// Source: METHODS 132.
    #[must_use]
    pub fn kappa_curve(&self, prevalences: &[f64]) -> Vec<(f64, Result<f64, Undefined>)> {
        prevalences.iter().map(|&pi| (pi, self.kappa(pi))).collect()
    }
}

/// What a table of two judges on pass and fail says under [`FlipModel`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlipReading {
    /// The model with the flip rate of this table.
    pub model: FlipModel,
    /// The share of passes over both judges, q.
    pub passes: f64,
    /// The true share of passes behind it; undefined where the flip rate cannot give q.
    pub prevalence: Result<f64, Undefined>,
    /// The kappa of these judges at a prevalence of one half: `2 po - 1`, PABAK.
    pub kappa_at_half: f64,
}

/// Reads the flip rate and the true prevalence off a table of two levels, 0 fail and 1 pass.
///
/// # Errors
/// Undefined without a unit, on another scale, and where the judges agree on less than half of the units.
///
/// Source: METHODS 41.
pub fn read_flips(table: &PairTable) -> Result<FlipReading, Undefined> {
    two_levels(table)?;
    let n = table.units() as f64;
    let observed = table.agreed() as f64 / n;
    let model = FlipModel::from_agreement(observed)?;
    let passes = (table.rows()[1] + table.columns()[1]) as f64 / (2.0 * n);
    Ok(FlipReading {
        model,
        passes,
        prevalence: model.prevalence(passes),
        kappa_at_half: 2.0 * observed - 1.0,
    })
}

/// The kappa that judges with the flip rate `others`, the median over the other criteria, would have at this table's prevalence.
///
/// Where it is as low as the kappa observed, failure is rare and the judges are like those of other criteria; where it is clearly
/// higher, this criterion is judged worse.
///
/// # Errors
/// As [`read_flips`], and where the prevalence is undefined.
///
/// Source: METHODS 41.
pub fn kappa_with_flips_of(table: &PairTable, others: FlipModel) -> Result<f64, Undefined> {
    others.kappa(read_flips(table)?.prevalence?)
}

fn share(argument: &'static str, value: f64, most: f64, range: &'static str) -> Result<(), Error> {
    if (0.0..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::OutOfRange { argument, value, range })
}
