//! Standard errors of a panel's coefficients, by how much each unit moves them.

use super::alpha::{between, disagreements, squared_differences};
use super::panel::gwet_chance;
use super::{
    Agreement, Difference, Moments, Pattern, Patterns, Weights, brennan_prediger, fleiss_kappa, gwet_ac,
    krippendorff_alpha,
};
use crate::Undefined;

/// Standard error of [`percent_agreement`](super::percent_agreement), from how units of two labels or more differ in it.
///
/// # Errors
/// Undefined with fewer than two units of two labels, and where all of them agree alike.
///
/// Source: the mean of independent units; its degrees of freedom are those units less one.
pub fn percent_agreement_error(patterns: &Patterns) -> Result<f64, Undefined> {
    let identity = Weights::identity(patterns.levels());
    let moments = patterns.moments();
    let (observed, units) = (super::percent_agreement(&moments)?, moments.units_with(2));
    let of_two = patterns.as_slice().iter().filter(|pattern| pattern.labels() >= 2);
    let squares: f64 = of_two
        .map(|pattern| pattern.units as f64 * (unit_agreement(pattern, &identity) - observed).powi(2))
        .sum();
    spread(squares / (units as f64).powi(2), units)
}

/// Standard error of [`fleiss_kappa`] with any weights, and so of Scott's pi by [`PairTable::patterns`](super::PairTable::patterns).
///
/// It counts what units contribute to the shares of the levels, which the formula of Fleiss 1971 and its corrections, made for the
/// test of no agreement, do not.
///
/// # Errors
/// Undefined where the value is, with fewer than two units, and where all units move it alike.
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Gwet 2008 and 2014, the linearised variance; the same as irrCAC.
pub fn fleiss_kappa_error(patterns: &Patterns, weights: &Weights) -> Result<f64, Undefined> {
    let moments = patterns.moments();
    let kappa = fleiss_kappa(&moments, weights)?;
    let expected = weights.times(&moments.shares()?);
    linearised(patterns, weights, parts(kappa)?, |pattern| mean_of(pattern, &expected))
}

/// Standard error of [`gwet_ac`]: of AC1 with weights of identity, else of AC2.
///
/// # Errors
/// As [`fleiss_kappa_error`].
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Gwet 2008 and 2014, the linearised variance; the same as irrCAC.
pub fn gwet_ac_error(patterns: &Patterns, weights: &Weights) -> Result<f64, Undefined> {
    let moments = patterns.moments();
    let coefficient = gwet_ac(&moments, weights)?;
    let shares = moments.shares()?;
    let q = shares.len() as f64;
    let scale = weights.total() / (q * (q - 1.0));
    let expected: Vec<f64> = shares.iter().map(|share| scale * (1.0 - share)).collect();
    debug_assert!((gwet_chance(&shares, weights) - coefficient.expected).abs() < 1e-9);
    linearised(patterns, weights, parts(coefficient)?, |pattern| {
        mean_of(pattern, &expected)
    })
}

/// Standard error of [`brennan_prediger`] with any weights.
///
/// # Errors
/// As [`fleiss_kappa_error`].
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Gwet 2014; the same as irrCAC.
pub fn brennan_prediger_error(patterns: &Patterns, weights: &Weights) -> Result<f64, Undefined> {
    let coefficient = brennan_prediger(&patterns.moments(), weights)?;
    let chance = coefficient.expected;
    linearised(patterns, weights, parts(coefficient)?, |_| chance)
}

/// Standard error of [`krippendorff_alpha`] for any difference function.
///
/// The ordinal differences depend on how many labels each level has; their part in the error is counted too.
///
/// # Errors
/// Undefined where alpha is, with fewer than two units of two labels, and where all units move it alike.
///
/// # Panics
/// If there is not a value for each level.
///
/// Source: the delta method on the coincidence matrix; for fixed differences it is the linearised variance of Gwet 2014.
pub fn krippendorff_alpha_error(patterns: &Patterns, difference: Difference) -> Result<f64, Undefined> {
    let moments = patterns.moments();
    krippendorff_alpha(&moments, difference)?.value?;
    let gradient = AlphaGradient::new(&moments, difference);
    // Alpha has the same value for units counted twice, so that the gradients of all units sum to 0.
    let squares = patterns.as_slice().iter().filter(|pattern| pattern.labels() >= 2);
    let sum: f64 = squares
        .map(|pattern| pattern.units as f64 * gradient.along(pattern).powi(2))
        .sum();
    spread(sum, moments.units_with(2))
}

/// The gradient of alpha in the coincidence matrix, in parts.
struct AlphaGradient {
    levels: usize,
    squared: Vec<f64>,
    /// By one more label of each level: through the expected disagreement and, where differences are ordinal, through them.
    by_label: Vec<f64>,
    by_coincidence: f64,
}

impl AlphaGradient {
    fn new(moments: &Moments, difference: Difference) -> Self {
        let levels = moments.levels();
        let sizes: Vec<f64> = moments.labels_with(2).iter().map(|&n| n as f64).collect();
        let squared = squared_differences(difference, &sizes);
        let coincidences = moments.coincidences();
        let (observed, expected) = disagreements(&coincidences, &sizes, &squared);
        let n: f64 = sizes.iter().sum();
        // With A and B the two sums of disagreements, alpha is 1 - n A / B up to the correction for small samples.
        let (by_observed, by_expected, by_total) =
            (-n / expected, n * observed / expected.powi(2), -observed / expected);
        let mut by_label: Vec<f64> = squared
            .chunks_exact(levels)
            .map(|row| by_total + 2.0 * by_expected * row.iter().zip(&sizes).map(|(d, m)| d * m).sum::<f64>())
            .collect();
        if matches!(difference, Difference::Ordinal) {
            for c in 0..levels {
                for k in c + 1..levels {
                    let pair = 2.0 * (by_observed * coincidences[c * levels + k] + by_expected * sizes[c] * sizes[k]);
                    let slope = 2.0 * between(&sizes, c, k);
                    for (g, by_label) in by_label.iter_mut().enumerate().take(k + 1).skip(c) {
                        *by_label += pair * slope * if g == c || g == k { 0.5 } else { 1.0 };
                    }
                }
            }
        }
        Self {
            levels,
            squared,
            by_label,
            by_coincidence: by_observed,
        }
    }

    /// How much a unit of this pattern adds to alpha, to first order.
    fn along(&self, pattern: &Pattern) -> f64 {
        let pairs = (pattern.labels() - 1) as f64;
        let mut sum = 0.0;
        for (c, &of_c) in pattern.counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let row = &self.squared[c * self.levels..][..self.levels];
            let apart: f64 = row.iter().zip(&pattern.counts).map(|(d, &n)| d * f64::from(n)).sum();
            sum += f64::from(of_c) * (self.by_coincidence * apart / pairs + self.by_label[c]);
        }
        sum
    }
}

fn parts(agreement: Agreement) -> Result<(f64, f64), Undefined> {
    Ok((agreement.expected, agreement.value?))
}

/// The mean of `values` over the labels of a unit.
fn mean_of(pattern: &Pattern, values: &[f64]) -> f64 {
    let sum: f64 = pattern.counts.iter().zip(values).map(|(&n, x)| f64::from(n) * x).sum();
    sum / pattern.labels() as f64
}

/// The standard error of (pa - pe) / (1 - pe), where a unit contributes its own agreement to pa and `expected` to pe, which is a
/// quadratic form in the shares.
///
/// How many units have two labels counts as known, as in the source: where gaps leave many units with one, the error is too large.
fn linearised(
    patterns: &Patterns,
    weights: &Weights,
    (chance, value): (f64, f64),
    expected: impl Fn(&Pattern) -> f64,
) -> Result<f64, Undefined> {
    let moments = patterns.moments();
    let (units, of_two) = (moments.units_with(1), moments.units_with(2));
    let more = units as f64 / of_two as f64;
    let left = 1.0 - chance;
    let labelled = patterns.as_slice().iter().filter(|pattern| pattern.labels() >= 1);
    let squares = labelled.map(|pattern| {
        let own = match pattern.labels() {
            1 => 0.0,
            _ => more * (unit_agreement(pattern, weights) - chance) / left,
        };
        let by_chance = 2.0 * (1.0 - value) * (expected(pattern) - chance) / left;
        pattern.units as f64 * (own - by_chance - value).powi(2)
    });
    let sum: f64 = squares.sum();
    let n = units as f64;
    spread(sum / (n * n), units)
}

/// The standard error of a sum over `units` units, from the sum of the squares of what each adds.
fn spread(sum_of_squares: f64, units: u64) -> Result<f64, Undefined> {
    // Squares of what should be 0 and is a rounding error of a coefficient, summed over all units.
    const ROUNDING: f64 = 1e-28;
    if units < 2 {
        return Err(Undefined::TooFewUnits { have: units, need: 2 });
    }
    let n = units as f64;
    if sum_of_squares * n <= ROUNDING {
        return Err(Undefined::NoSpread);
    }
    Ok((n / (n - 1.0) * sum_of_squares).sqrt())
}

/// The weighted share of ordered pairs of labels of a unit that agree.
fn unit_agreement(pattern: &Pattern, weights: &Weights) -> f64 {
    let counts: Vec<f64> = pattern.counts.iter().map(|&n| f64::from(n)).collect();
    let labels = pattern.labels() as f64;
    (weights.mean(&counts, &counts) - labels) / (labels * (labels - 1.0))
}
