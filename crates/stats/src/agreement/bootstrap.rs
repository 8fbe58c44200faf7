//! How coefficients of agreement would move with other units like these.

use super::{Agreement, Difference, PairTable, Patterns, Weights, krippendorff_alpha};
use crate::Undefined;
use crate::binomial::draw_units;
use crate::resample::{Interval, LEVEL, enough_clusters, expanded_level, percentile_interval};
use crate::stream::{Purpose, Stream};
use crate::watch::Watch;

/// How many replicates are drawn, from which seed, and the level of the interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgreementBootstrapOptions {
    /// Replicates.
    pub replicates: u32,
    /// The seed of the streams.
    pub seed: u64,
    /// The level of the interval, in (0, 1).
    pub level: f64,
}

impl Default for AgreementBootstrapOptions {
    /// 1,000 replicates, seed 0, level .95.
    fn default() -> Self {
        Self {
            replicates: 1000,
            seed: 0,
            level: LEVEL,
        }
    }
}

/// What the replicates of a bootstrap say.
#[derive(Clone, Debug, PartialEq)]
pub struct AgreementReplicates {
    /// The percentile interval, expanded for the number of units.
    pub interval: Interval,
    /// The standard deviation of the values.
    pub standard_error: f64,
    /// The values, replicate by replicate, where there is one.
    pub values: Vec<f64>,
    /// Replicates without a value, for example because only one label was drawn; left out of the interval.
    pub undefined: usize,
}

/// Draws units with replacement and computes a `statistic` anew each time.
///
/// Units come in kinds, `units[i]` of kind `i`; a replicate hands the statistic how many of each kind were drawn, in the same order.
/// Its cost grows with the kinds, not with the units: there are few ways in which five judges can label a unit on five levels, even
/// if a million units are labelled. Units must be independent: where several belong together (the criteria of one response), let a
/// kind be a whole cluster.
///
/// # Errors
/// Undefined with fewer than ten units, or when fewer than nine in ten replicates have a value.
///
/// Source: Efron 1979; percentiles expanded as in [`expanded_level`]; METHODS 36, 45.
pub fn bootstrap_units(
    units: &[u64],
    options: &AgreementBootstrapOptions,
    statistic: impl Fn(&[u64]) -> Result<f64, Undefined> + Sync,
) -> Result<AgreementReplicates, Undefined> {
    let total = usize::try_from(units.iter().sum::<u64>()).unwrap_or(usize::MAX);
    enough_clusters(total)?;
    let draw = |replicate: u32| {
        let mut stream = Stream::new(options.seed, Purpose::AgreementBootstrap, replicate);
        statistic(&draw_units(&mut stream, units)).ok()
    };
    let drawn: Vec<Option<f64>> = Watch::current().parts(options.replicates, draw);
    let values: Vec<f64> = drawn.iter().copied().flatten().collect();
    let (have, of) = (values.len(), drawn.len());
    if have < 2 || have * 10 < of * 9 {
        return Err(Undefined::TooFewReplicates { have, of });
    }
    let mean = values.iter().sum::<f64>() / have as f64;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    Ok(AgreementReplicates {
        interval: percentile_interval(&values, expanded_level(options.level, total))?,
        standard_error: (squares / (have - 1) as f64).sqrt(),
        undefined: of - have,
        values,
    })
}

/// Bootstrap of [`krippendorff_alpha`] over units; units without two labels are drawn too, as they would be in another sample.
///
/// # Errors
/// As [`bootstrap_units`].
///
/// # Panics
/// If there is not a value for each level.
pub fn bootstrap_alpha(
    patterns: &Patterns,
    difference: Difference,
    options: &AgreementBootstrapOptions,
) -> Result<AgreementReplicates, Undefined> {
    bootstrap_units(&patterns.units(), options, |units| {
        krippendorff_alpha(&patterns.moments_of(units), difference)?.value
    })
}

/// Bootstrap of a coefficient of a panel, such as [`fleiss_kappa`](super::fleiss_kappa) or [`gwet_ac`](super::gwet_ac).
///
/// # Errors
/// As [`bootstrap_units`].
///
/// # Panics
/// If the weights are for another number of levels.
pub fn bootstrap_panel(
    patterns: &Patterns,
    weights: &Weights,
    options: &AgreementBootstrapOptions,
    coefficient: impl Fn(&super::Moments, &Weights) -> Result<Agreement, Undefined> + Sync,
) -> Result<AgreementReplicates, Undefined> {
    bootstrap_units(&patterns.units(), options, |units| {
        coefficient(&patterns.moments_of(units), weights)?.value
    })
}

/// Bootstrap of a coefficient of two judges, such as [`cohen_kappa`](super::cohen_kappa).
///
/// # Errors
/// As [`bootstrap_units`].
pub fn bootstrap_pair(
    table: &PairTable,
    options: &AgreementBootstrapOptions,
    coefficient: impl Fn(&PairTable) -> Result<Agreement, Undefined> + Sync,
) -> Result<AgreementReplicates, Undefined> {
    bootstrap_units(table.counts(), options, |counts| {
        coefficient(&PairTable::of_counts(table.levels(), counts.to_vec()))?.value
    })
}
