//! The models, their item parameters and the priors on them.

use crate::Error;
use crate::error::{all_finite, same_length};

/// Which parameters items have of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// One common discrimination, estimated, and a difficulty per item. Abilities stay standard normal.
    ///
    /// The maximum of F over all parameters together overstates the common discrimination when items are many more than systems (6 x 1,503
    /// simulated at about 1 came out at 3): use the model for comparison, do not read its discrimination.
    OnePl,
    /// A discrimination and a difficulty per item.
    TwoPl,
}

impl Model {
    /// How many parameters the model has on `items` items.
    #[must_use]
    pub fn parameters(self, items: usize) -> usize {
        match self {
            Self::OnePl => items + 1,
            Self::TwoPl => 2 * items,
        }
    }
}

/// The parameters of items, in item order.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// Discriminations, positive.
    pub discrimination: Vec<f64>,
    /// Difficulties, on the ability scale.
    pub difficulty: Vec<f64>,
}

impl Items {
    /// The largest discrimination, 0 of no item.
    pub(super) fn steepest(&self) -> f64 {
        self.discrimination.iter().copied().fold(0.0, f64::max)
    }

    /// The parameters of some items only, in the order of `indices`.
    ///
    /// # Panics
    /// If an index points past the last item.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        Self {
            discrimination: indices.iter().map(|&j| self.discrimination[j]).collect(),
            difficulty: indices.iter().map(|&j| self.difficulty[j]).collect(),
        }
    }

    /// Checks that there are parameters for `items` items, finite, with positive discriminations.
    pub(super) fn check(&self, items: usize) -> Result<(), Error> {
        same_length(("the discriminations", self.discrimination.len()), ("the items", items))?;
        same_length(("the difficulties", self.difficulty.len()), ("the items", items))?;
        all_finite("the discriminations", &self.discrimination)?;
        all_finite("the difficulties", &self.difficulty)?;
        match self.discrimination.iter().position(|&a| a <= 0.0) {
            None => Ok(()),
            Some(index) => Err(Error::EntryOutOfRange {
                list: "the discriminations",
                index,
                value: self.discrimination[index],
                range: "positive",
            }),
        }
    }
}

/// Normal priors with mean 0 on the logarithm of a discrimination and on a difficulty.
///
/// They are densities over (log a, b): the discrimination's prior peaks at 1. (A log-normal density over `a` itself would peak at
/// exp(-0.25).)
///
/// Source: `[CR26]` 3.4 for the first; it asks for a proper prior on difficulty and gives no scale: METHODS 80.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Priors {
    /// Standard deviation of the log discrimination.
    pub log_discrimination_sd: f64,
    /// Standard deviation of the difficulty.
    pub difficulty_sd: f64,
}

impl Default for Priors {
    fn default() -> Self {
        Self {
            log_discrimination_sd: 0.5,
            difficulty_sd: 2.0,
        }
    }
}

impl Priors {
    pub(super) fn check(&self) -> Result<(), Error> {
        for (argument, value) in [
            ("the prior deviation of log discriminations", self.log_discrimination_sd),
            ("the prior deviation of difficulties", self.difficulty_sd),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::OutOfRange {
                    argument,
                    value,
                    range: "finite and positive",
                });
            }
        }
        Ok(())
    }

    pub(super) fn slope_precision(&self) -> f64 {
        self.log_discrimination_sd.powi(-2)
    }

    pub(super) fn difficulty_precision(&self) -> f64 {
        self.difficulty_sd.powi(-2)
    }
}

/// The probability that a system of ability `theta` passes an item, in (0, 1).
///
/// Source: `[CR26]` 2.3; METHODS 79.
#[must_use]
pub fn probability(discrimination: f64, difficulty: f64, theta: f64) -> f64 {
    let z = discrimination * (theta - difficulty);
    let e = (-z.abs()).exp();
    if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// What an item tells about an ability at `theta`: `a^2 P (1 - P)`, in inverse squared ability units, at least 0.
///
/// Its integral over all abilities is the discrimination.
///
/// Source: `[CR26]` eq. 8; METHODS 91, 93.
#[must_use]
pub fn information(discrimination: f64, difficulty: f64, theta: f64) -> f64 {
    // P (1 - P) from the tail that is small, so that neither factor cancels.
    let tail = (-(discrimination * (theta - difficulty)).abs()).exp();
    discrimination * discrimination * tail / ((1.0 + tail) * (1.0 + tail))
}
