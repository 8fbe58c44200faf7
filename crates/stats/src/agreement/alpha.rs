//! Krippendorff's alpha: one minus observed over expected disagreement, for any number of judges, gaps and kind of scale.

use super::Moments;
use crate::Undefined;

/// How far two labels lie apart: the difference function of [`krippendorff_alpha`], squared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Difference<'a> {
    /// 1 for any two different levels: for levels without an order, and for two levels.
    Nominal,
    /// The labels between two levels in the order of the codes, half of the ends' included, squared: for ordered levels.
    Ordinal,
    /// The difference of the levels' values, squared: one finite value a level.
    Interval(&'a [f64]),
    /// The difference of the levels' values over their sum, squared: one value a level, at least 0.
    Ratio(&'a [f64]),
}

/// Krippendorff's alpha with what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// Mean squared difference within units, in the units of the difference function.
    pub observed_disagreement: f64,
    /// Mean squared difference between any two labels, whatever their units.
    pub expected_disagreement: f64,
    /// Labels on units with two or more: those that alpha uses.
    pub labels: u64,
    /// `1 - observed / expected`, at most 1; undefined when only one label occurs.
    pub value: Result<f64, Undefined>,
}

/// Krippendorff's alpha of the labels in `moments`; units with fewer than two labels say nothing and are left out.
///
/// One dissent among labels otherwise all alike gives about 0, not about 1: alpha asks whether judges tell units apart, and such
/// labels do not show it.
///
/// # Errors
/// Undefined when no unit has two labels; the value alone when only one label occurs on such units, or labels differ in code but
/// not in value.
///
/// # Panics
/// If there is not a value for each level.
///
/// Source: Krippendorff 2011; METHODS 40, 45.
pub fn krippendorff_alpha(moments: &Moments, difference: Difference) -> Result<Alpha, Undefined> {
    if moments.judges() < 2 {
        return Err(Undefined::TooFewJudges {
            have: moments.judges(),
            need: 2,
        });
    }
    let labels: Vec<u64> = moments.labels_with(2);
    let total: u64 = labels.iter().sum();
    if total == 0 {
        return Err(Undefined::NoUnitOfTwo);
    }
    let sizes: Vec<f64> = labels.iter().map(|&n| n as f64).collect();
    let squared = squared_differences(difference, &sizes);
    let (observed, expected) = disagreements(&moments.coincidences(), &sizes, &squared);
    let n = total as f64;
    let (observed, expected) = (observed / n, expected / (n * (n - 1.0)));
    let value = if moments.one_label(2) {
        Err(Undefined::OneLabel)
    } else if expected == 0.0 {
        Err(Undefined::NoVariation)
    } else {
        Ok(1.0 - observed / expected)
    };
    Ok(Alpha {
        observed_disagreement: observed,
        expected_disagreement: expected,
        labels: total,
        value,
    })
}

/// Sums of squared differences: over coincidences, and over all ordered pairs of labels.
pub(super) fn disagreements(coincidences: &[f64], sizes: &[f64], squared: &[f64]) -> (f64, f64) {
    let observed = coincidences.iter().zip(squared).map(|(o, d)| o * d).sum();
    let rows = squared.chunks_exact(sizes.len().max(1)).zip(sizes);
    let expected = rows.map(|(row, n)| n * row.iter().zip(sizes).map(|(d, m)| d * m).sum::<f64>());
    (observed, expected.sum())
}

/// The squared difference of each two levels, row by row, where level `c` has `sizes[c]` labels.
pub(super) fn squared_differences(difference: Difference, sizes: &[f64]) -> Vec<f64> {
    let levels = sizes.len();
    let (Difference::Interval(values) | Difference::Ratio(values)) = difference else {
        let apart = |c: usize, k: usize| match difference {
            _ if c == k => 0.0,
            Difference::Ordinal => between(sizes, c.min(k), c.max(k)).powi(2),
            _ => 1.0,
        };
        return square(levels, apart);
    };
    assert_eq!(values.len(), levels, "a value for each level");
    square(levels, |c, k| {
        let (x, y) = (values[c], values[k]);
        match difference {
            Difference::Ratio(_) if x + y == 0.0 => 0.0,
            Difference::Ratio(_) => ((x - y) / (x + y)).powi(2),
            _ => (x - y).powi(2),
        }
    })
}

/// The labels from `low` to `high`, half of both ends' included.
pub(super) fn between(sizes: &[f64], low: usize, high: usize) -> f64 {
    sizes[low..=high].iter().sum::<f64>() - (sizes[low] + sizes[high]) / 2.0
}

fn square(levels: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..levels * levels)
        .map(|cell| entry(cell / levels, cell % levels))
        .collect()
}
