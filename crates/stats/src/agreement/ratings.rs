//! Labels in memory: units by judges, with gaps.

use rayon::prelude::*;

use super::{PairTable, Tally};
use crate::Error;
use crate::watch::Watch;

/// The code of a label that a judge did not give.
pub const MISSING: u8 = u8::MAX;

/// Units in one shard of the parallel count; part of no result, since counts are whole numbers.
const SHARD: usize = 1 << 16;

/// A view of labels, unit by unit: `codes[unit * judges + judge]` is a level below `levels`, or [`MISSING`].
#[derive(Clone, Copy, Debug)]
pub struct Ratings<'a> {
    judges: usize,
    levels: usize,
    codes: &'a [u8],
}

impl<'a> Ratings<'a> {
    /// A table of `judges` columns, at least 1, on a scale of 1 to 255 `levels`.
    ///
    /// # Errors
    /// If the codes do not fill whole units, or one is neither a level nor [`MISSING`]; if there is no judge, or no or too many levels.
    pub fn new(judges: usize, levels: usize, codes: &'a [u8]) -> Result<Self, Error> {
        check_shape(judges, levels)?;
        if !codes.len().is_multiple_of(judges) {
            let whole = codes.len() / judges * judges;
            crate::error::same_length(("labels", codes.len()), ("whole units", whole))?;
        }
        let fits = |&code: &u8| usize::from(code) < levels || code == MISSING;
        if !codes.iter().fold(true, |all, code| all & fits(code)) {
            let index = codes.iter().position(|code| !fits(code)).unwrap_or_default();
            return Err(Error::EntryOutOfRange {
                list: "labels",
                index,
                value: f64::from(codes[index]),
                range: "a level of the scale or the code of a missing label",
            });
        }
        Ok(Self { judges, levels, codes })
    }

    /// How many units there are, those without a label included.
    #[must_use]
    pub fn units(&self) -> usize {
        self.codes.len() / self.judges
    }

    /// How many judges there are.
    #[must_use]
    pub fn judges(&self) -> usize {
        self.judges
    }

    /// How many levels the scale has.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The codes of one unit, a judge each.
    ///
    /// # Panics
    /// If there is no such unit.
    #[must_use]
    pub fn unit(&self, unit: usize) -> &'a [u8] {
        &self.codes[unit * self.judges..][..self.judges]
    }

    /// All codes, unit by unit.
    #[must_use]
    pub fn codes(&self) -> &'a [u8] {
        self.codes
    }

    /// Everything that any coefficient needs, counted in parallel.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let new = || Tally::sized(self.judges, self.levels);
        let shards = self.codes.par_chunks(SHARD * self.judges);
        let watch = Watch::current();
        shards
            .fold(new, |mut tally, codes| {
                watch.check();
                tally.add_codes(codes);
                tally
            })
            .reduce(new, |mut whole, part| {
                whole.add(&part);
                whole
            })
    }

    /// How often judge `a` gave one label and judge `b` another, over the units that both labelled.
    ///
    /// # Errors
    /// If there is no such judge.
    pub fn pair(&self, a: usize, b: usize) -> Result<PairTable, Error> {
        self.tally().pair(a, b)
    }
}

/// Checks that there is a judge and a scale that codes can name.
pub(super) fn check_shape(judges: usize, levels: usize) -> Result<(), Error> {
    let out_of_range = |argument, value: usize, range| {
        Err(Error::OutOfRange {
            argument,
            value: value as f64,
            range,
        })
    };
    if judges == 0 || judges > usize::from(u16::MAX) {
        return out_of_range("the number of judges", judges, "between 1 and 65535");
    }
    if levels == 0 || levels > usize::from(MISSING) {
        return out_of_range("the number of levels", levels, "between 1 and 255");
    }
    Ok(())
}
