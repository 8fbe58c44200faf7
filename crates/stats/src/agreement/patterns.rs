//! Units told apart by their labels alone: how many judges gave each level, whoever they were.

use super::Moments;

/// One way to label a unit, and how many units are labelled so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// How many judges gave each level.
    pub counts: Box<[u16]>,
    /// How many units have these counts; at least 1.
    pub units: u64,
}

impl Pattern {
    /// How many labels the unit has: the sum of its counts.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.counts.iter().map(|&n| usize::from(n)).sum()
    }
}

/// The distinct ways in which units are labelled, in ascending order of their counts.
///
/// There are at most C(judges + levels, levels) of them, however many units there are: 252 for five judges on five levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns {
    judges: usize,
    levels: usize,
    patterns: Vec<Pattern>,
}

impl Patterns {
    /// `patterns` in any order, each set of counts at most once.
    pub(super) fn from_distinct(judges: usize, levels: usize, mut patterns: Vec<Pattern>) -> Self {
        patterns.sort_unstable_by(|x, y| x.counts.cmp(&y.counts));
        Self {
            judges,
            levels,
            patterns,
        }
    }

    /// The patterns of units given as counts: how many judges gave each of `levels` levels, unit by unit.
    ///
    /// For tables published in that form, as by Fleiss 1971; judges need not be the same from unit to unit.
    ///
    /// # Errors
    /// If the counts do not fill whole units or there is no level.
    pub fn from_counts(levels: usize, counts: &[u16]) -> Result<Self, crate::Error> {
        super::ratings::check_shape(1, levels)?;
        let whole = counts.len() / levels * levels;
        crate::error::same_length(("counts", counts.len()), ("whole units", whole))?;
        let mut units: Vec<&[u16]> = counts.chunks_exact(levels).collect();
        units.sort_unstable();
        let patterns: Vec<Pattern> = units
            .chunk_by(|x, y| x == y)
            .map(|alike| Pattern {
                counts: alike[0].into(),
                units: alike.len() as u64,
            })
            .collect();
        let judges = patterns.iter().map(Pattern::labels).max().unwrap_or(1).max(1);
        Ok(Self::from_distinct(judges, levels, patterns))
    }

    /// The most labels a unit can have.
    #[must_use]
    pub fn judges(&self) -> usize {
        self.judges
    }

    /// How many levels the scale has.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The patterns, in ascending order of their counts.
    #[must_use]
    pub fn as_slice(&self) -> &[Pattern] {
        &self.patterns
    }

    /// How many units each pattern has.
    #[must_use]
    pub fn units(&self) -> Vec<u64> {
        self.patterns.iter().map(|pattern| pattern.units).collect()
    }

    /// The sums that point estimates need.
    #[must_use]
    pub fn moments(&self) -> Moments {
        self.moments_of(&self.units())
    }

    /// The sums that point estimates need, if pattern `p` had `units[p]` units.
    ///
    /// # Panics
    /// If there is not a number for each pattern.
    #[must_use]
    pub fn moments_of(&self, units: &[u64]) -> Moments {
        assert_eq!(units.len(), self.patterns.len(), "a number of units for each pattern");
        let mut moments = Moments::sized(self.judges, self.levels);
        for (pattern, &units) in self.patterns.iter().zip(units) {
            moments.add_counts(&pattern.counts, units);
        }
        moments
    }
}
