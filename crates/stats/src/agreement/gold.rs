//! A judge beside gold labels on pass and fail: what it misses, what it lets through, and how lenient it is.

use super::pair::two_levels;
use super::{PairTable, PairedDifference, PairedFlags};
use crate::Undefined;
use crate::proportion::wilson_interval;
use crate::resample::Interval;

/// A share with its Wilson interval at .95.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// How many have it.
    pub hits: u64,
    /// Of how many, at least 1.
    pub of: u64,
    /// The interval of the share.
    pub interval: Interval,
}

impl Share {
    /// `hits` of `of`.
    ///
    /// # Errors
    /// Undefined of none.
    pub fn new(hits: u64, of: u64) -> Result<Self, Undefined> {
        let (low, high) = wilson_interval(hits, of)?;
        let interval = Interval { low, high };
        Ok(Self { hits, of, interval })
    }

    /// The share itself, in [0, 1].
    #[must_use]
    pub fn value(&self) -> f64 {
        self.hits as f64 / self.of as f64
    }
}

/// How a judge stands to gold labels of the same units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgainstGold {
    /// Of the units that pass by gold, the share the judge passes; undefined when none does.
    pub sensitivity: Result<Share, Undefined>,
    /// Of the units that fail by gold, the share the judge fails; undefined when none does. Where failures are rare, measure it on
    /// units with known failures added.
    pub specificity: Result<Share, Undefined>,
    /// The judge's share of passes less that of gold, on the same units: positive for a lenient judge.
    pub leniency: PairedDifference,
}

/// Compares a judge, the columns of `table`, with gold, its rows; level 0 is fail and 1 is pass.
///
/// # Errors
/// Undefined without a unit, and on any scale but one of two levels.
///
/// Source: METHODS 42, 43, 112.
pub fn against_gold(table: &PairTable) -> Result<AgainstGold, Undefined> {
    two_levels(table)?;
    let [fails, wrong_passes, misses, passes] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(g, j)| table.count(g, j));
    let flags = PairedFlags {
        both: passes,
        only_first: misses,
        only_second: wrong_passes,
        neither: fails,
    };
    Ok(AgainstGold {
        sensitivity: Share::new(passes, passes + misses),
        specificity: Share::new(fails, fails + wrong_passes),
        leniency: flags.difference()?,
    })
}

/// The correlation of two yes-or-no variables, such as the verdicts on two criteria, in [-1, 1]: phi.
///
/// Two criteria that correlate weigh the same thing twice.
///
/// # Errors
/// Undefined without a unit, on any scale but one of two levels, and where one variable does not vary.
///
/// Source: Yule 1912; METHODS 20.
pub fn phi(table: &PairTable) -> Result<f64, Undefined> {
    two_levels(table)?;
    let [a, b, c, d] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(x, y)| table.count(x, y) as f64);
    let margins = (a + b) * (c + d) * (a + c) * (b + d);
    if margins == 0.0 {
        return Err(Undefined::NoVariation);
    }
    Ok((a * d - b * c) / margins.sqrt())
}
