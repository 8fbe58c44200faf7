//! Agreement of two judges beyond chance, from one table of counts.

use super::{Pattern, Patterns, Weights};
use crate::{Error, Undefined};

/// How often judge A gave one label and judge B another, over the same units.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTable {
    labels: usize,
    counts: Vec<u64>,
}

impl PairTable {
    /// A table of `labels` x `labels` counts, row by row: rows are judge A, columns judge B.
    ///
    /// # Errors
    /// If the counts do not fill a square table.
    pub fn new(labels: usize, counts: Vec<u64>) -> Result<Self, Error> {
        crate::error::same_length(("table", counts.len()), ("square", labels * labels))?;
        Ok(Self { labels, counts })
    }

    /// The table of two lists of codes of one length; a unit that either left out, with a code of `labels` or more, does not count.
    ///
    /// For test-retest agreement give a judge's first and second labels: it says how steady a judge is, never that the labels are
    /// right (METHODS 44).
    ///
    /// # Errors
    /// If the lists differ in length.
    pub fn of_codes(labels: usize, a: &[u8], b: &[u8]) -> Result<Self, Error> {
        crate::error::same_length(("judge A", a.len()), ("judge B", b.len()))?;
        let mut counts = vec![0; labels * labels];
        for (&x, &y) in a.iter().zip(b) {
            let (x, y) = (usize::from(x), usize::from(y));
            if x < labels && y < labels {
                counts[x * labels + y] += 1;
            }
        }
        Self::new(labels, counts)
    }

    /// A table whose counts are known to fill a square.
    pub(super) fn of_counts(labels: usize, counts: Vec<u64>) -> Self {
        Self { labels, counts }
    }

    /// How many levels the scale has.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.labels
    }

    /// How many units both judges labelled.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// On how many units the judges gave the same label.
    #[must_use]
    pub fn agreed(&self) -> u64 {
        (0..self.labels).map(|l| self.counts[l * self.labels + l]).sum()
    }

    /// How often A said `a` and B said `b`.
    ///
    /// # Panics
    /// If there is no such level.
    #[must_use]
    pub fn count(&self, a: usize, b: usize) -> u64 {
        assert!(a < self.labels && b < self.labels, "both are levels of the scale");
        self.counts[a * self.labels + b]
    }

    /// All counts, row by row.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How often A gave each label.
    #[must_use]
    pub fn rows(&self) -> Vec<u64> {
        self.counts
            .chunks(self.labels.max(1))
            .map(|row| row.iter().sum())
            .collect()
    }

    /// How often B gave each label.
    #[must_use]
    pub fn columns(&self) -> Vec<u64> {
        (0..self.labels)
            .map(|l| self.counts.iter().skip(l).step_by(self.labels).sum())
            .collect()
    }

    /// The table with A and B exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let cells = 0..self.labels * self.labels;
        let counts = cells.map(|cell| self.counts[cell % self.labels * self.labels + cell / self.labels]);
        Self {
            labels: self.labels,
            counts: counts.collect(),
        }
    }

    /// Adds the units of another part.
    ///
    /// # Errors
    /// If the scales differ.
    pub fn merge(&mut self, part: &Self) -> Result<(), Error> {
        crate::error::same_length(("the scale", self.labels), ("the part's scale", part.labels))?;
        self.counts.iter_mut().zip(&part.counts).for_each(|(w, p)| *w += p);
        Ok(())
    }

    /// The units as a panel of two sees them, without regard to who said what: for the coefficients of panels.
    #[must_use]
    pub fn patterns(&self) -> Patterns {
        let mut patterns = Vec::new();
        for a in 0..self.labels {
            for b in a..self.labels {
                let other_way = if a == b { 0 } else { self.count(b, a) };
                let units = self.count(a, b) + other_way;
                if units > 0 {
                    let mut counts = vec![0; self.labels];
                    counts[a] += 1;
                    counts[b] += 1;
                    let counts = counts.into();
                    patterns.push(Pattern { counts, units });
                }
            }
        }
        Patterns::from_distinct(2, self.labels, patterns)
    }

    /// Whether one and the same label fills the table.
    pub(super) fn one_label(&self) -> bool {
        let n = self.units();
        (0..self.labels).any(|l| self.counts[l * self.labels + l] == n)
    }

    /// Counts as shares of all units: the cells, the rows and the columns.
    pub(super) fn shares(&self) -> Result<Shares, Undefined> {
        let units = self.units();
        if units == 0 {
            return Err(Undefined::NoUnits);
        }
        let share = |counts: &[u64]| counts.iter().map(|&c| c as f64 / units as f64).collect();
        Ok(Shares {
            cells: share(&self.counts),
            rows: share(&self.rows()),
            columns: share(&self.columns()),
        })
    }
}

/// A table of two judges as shares of its units.
pub(super) struct Shares {
    pub(super) cells: Vec<f64>,
    pub(super) rows: Vec<f64>,
    pub(super) columns: Vec<f64>,
}

/// Agreement, the agreement of chance, and what is left between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Share of units on which the judges agree, in [0, 1]; with weights, their mean weight.
    pub observed: f64,
    /// Share on which they would agree by chance, in [0, 1].
    pub expected: f64,
    /// `(observed - expected) / (1 - expected)`, at most 1; undefined when chance alone agrees completely.
    pub value: Result<f64, Undefined>,
}

/// Cohen's kappa: chance multiplies each judge's own label shares.
///
/// Prefer it when the two judges are these two and may differ in leniency.
///
/// # Errors
/// Undefined without a unit. The value alone is undefined when both judges use one and the same label throughout.
///
/// Source: Cohen 1960; METHODS 37, 38.
pub fn cohen_kappa(table: &PairTable) -> Result<Agreement, Undefined> {
    let n = table.units() as f64;
    let products = table.rows().into_iter().zip(table.columns());
    let expected = products.map(|(a, b)| (a as f64 / n) * (b as f64 / n)).sum();
    chance_corrected(raw_agreement(table)?, expected, table.one_label())
}

/// Scott's pi: chance squares the label shares of both judges pooled.
///
/// It equals [`cohen_kappa`] only when both judges have the same shares. The worked example that `[RR]` calls Cohen's kappa is
/// this coefficient.
///
/// # Errors
/// Undefined without a unit. The value alone is undefined when only one label occurs.
///
/// Source: Scott 1955; METHODS 37, 38.
pub fn scott_pi(table: &PairTable) -> Result<Agreement, Undefined> {
    let n = 2.0 * table.units() as f64;
    let pooled = table.rows().into_iter().zip(table.columns());
    let expected = pooled.map(|(a, b)| ((a + b) as f64 / n).powi(2)).sum();
    chance_corrected(raw_agreement(table)?, expected, table.one_label())
}

/// Cohen's weighted kappa: disagreements of different size count differently.
///
/// With the weights of identity it is [`cohen_kappa`]. Quadratic weights make it nearly the intraclass correlation of agreement;
/// they grow with the number of levels, so figures on different scales do not compare.
///
/// # Errors
/// Undefined without a unit. The value alone is undefined when only one label occurs, or when the weights make chance agree fully.
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Cohen 1968; METHODS 45.
pub fn weighted_kappa(table: &PairTable, weights: &Weights) -> Result<Agreement, Undefined> {
    let shares = weighted_shares(table, weights)?;
    let expected = weights.mean(&shares.rows, &shares.columns);
    chance_corrected(mean_weight(&shares, weights), expected, table.one_label())
}

/// Scott's pi with weights: chance takes both judges' labels pooled.
///
/// # Errors
/// As [`weighted_kappa`].
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Scott 1955, with the weights of Cohen 1968; Gwet 2014.
pub fn weighted_pi(table: &PairTable, weights: &Weights) -> Result<Agreement, Undefined> {
    let shares = weighted_shares(table, weights)?;
    let pooled: Vec<f64> = shares
        .rows
        .iter()
        .zip(&shares.columns)
        .map(|(a, b)| (a + b) / 2.0)
        .collect();
    chance_corrected(
        mean_weight(&shares, weights),
        weights.mean(&pooled, &pooled),
        table.one_label(),
    )
}

/// The share of units on which the judges gave the same label: po, in [0, 1].
///
/// # Errors
/// Undefined without a unit.
///
/// Source: METHODS 37.
pub fn raw_agreement(table: &PairTable) -> Result<f64, Undefined> {
    match table.units() {
        0 => Err(Undefined::NoUnits),
        units => Ok(table.agreed() as f64 / units as f64),
    }
}

/// The kappa that these judges would have on two levels equally frequent, in [-1, 1]: `2 po - 1`.
///
/// For more than two levels it is [`brennan_prediger`](super::brennan_prediger). It is defined, and 1, even when one label fills the
/// table, because its chance agreement does not depend on the labels.
///
/// # Errors
/// Undefined without a unit, and on a scale of one level.
///
/// Source: Byrt, Bishop and Carlin 1993; METHODS 41.
pub fn pabak(table: &PairTable) -> Result<f64, Undefined> {
    let chance = 1.0 / table.levels() as f64;
    chance_corrected(raw_agreement(table)?, chance, table.levels() < 2)?.value
}

/// How much more often both judges gave one of two labels than the other: (both 0 - both 1) / units, in [-1, 1].
///
/// Far from 0, kappa is low whatever the judges do.
///
/// # Errors
/// Undefined without a unit, and on any scale but one of two levels.
///
/// Source: Byrt, Bishop and Carlin 1993; Feinstein and Cicchetti 1990.
pub fn prevalence_index(table: &PairTable) -> Result<f64, Undefined> {
    two_levels(table)?;
    Ok((table.count(0, 0) as f64 - table.count(1, 1) as f64) / table.units() as f64)
}

/// By how much one judge gives a label more often than the other: (A 0 and B 1 - A 1 and B 0) / units, in [-1, 1].
///
/// It is the share of 1 of judge B less that of judge A: positive when B is the more lenient.
///
/// # Errors
/// Undefined without a unit, and on any scale but one of two levels.
///
/// Source: Byrt, Bishop and Carlin 1993; METHODS 43.
pub fn bias_index(table: &PairTable) -> Result<f64, Undefined> {
    two_levels(table)?;
    Ok((table.count(0, 1) as f64 - table.count(1, 0) as f64) / table.units() as f64)
}

pub(super) fn two_levels(table: &PairTable) -> Result<(), Undefined> {
    match (table.levels(), table.units()) {
        (2, 0) => Err(Undefined::NoUnits),
        (2, _) => Ok(()),
        (levels, _) => Err(Undefined::NotTwoLevels { levels }),
    }
}

fn weighted_shares(table: &PairTable, weights: &Weights) -> Result<Shares, Undefined> {
    weights.check(table.levels());
    table.shares()
}

fn mean_weight(shares: &Shares, weights: &Weights) -> f64 {
    let levels = weights.levels();
    let cells = shares.cells.iter().enumerate();
    cells
        .map(|(cell, p)| p * weights.of(cell / levels, cell % levels))
        .sum()
}

/// What is left of `observed` above `expected`. `one_label` is counted, not inferred from `expected`, which rounds.
pub(super) fn chance_corrected(observed: f64, expected: f64, one_label: bool) -> Result<Agreement, Undefined> {
    let value = if one_label {
        Err(Undefined::OneLabel)
    } else if expected >= 1.0 {
        Err(Undefined::CompleteChance)
    } else {
        Ok((observed - expected) / (1.0 - expected))
    };
    Ok(Agreement {
        observed,
        expected,
        value,
    })
}
