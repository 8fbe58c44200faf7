//! Agreement of two graders beyond chance, from one table of counts.

use crate::{Error, Undefined};

/// How often grader A gave one label and grader B another, over the same units.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTable {
    labels: usize,
    counts: Vec<u64>,
}

impl PairTable {
    /// A table of `labels` x `labels` counts, row by row: rows are grader A, columns grader B.
    ///
    /// # Errors
    /// If the counts do not fill a square table.
    pub fn new(labels: usize, counts: Vec<u64>) -> Result<Self, Error> {
        crate::error::same_length(("table", counts.len()), ("square", labels * labels))?;
        Ok(Self { labels, counts })
    }

    fn units(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn agreed(&self) -> u64 {
        (0..self.labels).map(|l| self.counts[l * self.labels + l]).sum()
    }

    fn rows(&self) -> Vec<u64> {
        self.counts
            .chunks(self.labels.max(1))
            .map(|row| row.iter().sum())
            .collect()
    }

    fn columns(&self) -> Vec<u64> {
        (0..self.labels)
            .map(|l| self.counts.iter().skip(l).step_by(self.labels).sum())
            .collect()
    }
}

/// Agreement, the agreement of chance, and what is left between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Share of units on which the graders agree, in [0, 1].
    pub observed: f64,
    /// Share on which they would agree by chance, in [0, 1].
    pub expected: f64,
    /// `(observed - expected) / (1 - expected)`, at most 1; undefined when only one label occurs.
    pub value: Result<f64, Undefined>,
}

/// Cohen's kappa: chance multiplies each grader's own label shares.
///
/// Prefer it when the two graders are these two and may differ in leniency.
///
/// # Errors
/// Undefined without a unit. The value alone is undefined when both graders use one and the same label throughout.
///
/// Source: Cohen 1960; METHODS 37, 38.
pub fn cohen_kappa(table: &PairTable) -> Result<Agreement, Undefined> {
    let n = table.units() as f64;
    let products = table.rows().into_iter().zip(table.columns());
    chance_corrected(table, products.map(|(a, b)| (a as f64 / n) * (b as f64 / n)).sum())
}

/// Scott's pi: chance squares the label shares of both graders pooled.
///
/// It equals [`cohen_kappa`] only when both graders have the same shares. The worked example that `[RR]` calls Cohen's kappa is
/// this coefficient.
///
/// # Errors
/// Undefined without a unit. The value alone is undefined when only one label occurs.
///
/// Source: Scott 1955; METHODS 37, 38.
pub fn scott_pi(table: &PairTable) -> Result<Agreement, Undefined> {
    let n = 2.0 * table.units() as f64;
    let pooled = table.rows().into_iter().zip(table.columns());
    chance_corrected(table, pooled.map(|(a, b)| ((a + b) as f64 / n).powi(2)).sum())
}

fn chance_corrected(table: &PairTable, expected: f64) -> Result<Agreement, Undefined> {
    let n = table.units();
    if n == 0 {
        return Err(Undefined::NoUnits);
    }
    let observed = table.agreed() as f64 / n as f64;
    // Counted, not compared with 1: chance agreement is complete exactly when one label fills the table.
    let one_label = (0..table.labels).any(|l| table.counts[l * table.labels + l] == n);
    let value = if one_label {
        Err(Undefined::OneLabel)
    } else {
        Ok((observed - expected) / (1.0 - expected))
    };
    Ok(Agreement {
        observed,
        expected,
        value,
    })
}
