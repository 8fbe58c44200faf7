//! Tiers: systems we cannot tell apart.

use crate::Undefined;
use crate::resample::{Interval, percentile_interval};

/// When a system opens a new tier, walking down the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TierRule {
    /// When it is separated from the system just above it. Tiers chain: the first and the last of one may well be separated.
    /// Source: `[CR26]`, the default of METHODS 103.
    #[default]
    Adjacent,
    /// When it is separated from the first system of the tier, so that no tier spans a separated pair with its first member.
    Anchored,
}

/// The tier of each place in `order`, from 1, best first.
///
/// `order` lists systems from the ablest down; `separated(i, j)` says whether the interval of the difference of systems `i` and `j`
/// excludes 0. A difference without an interval separates nobody.
///
/// Source: METHODS 103.
pub fn tiers(order: &[usize], rule: TierRule, separated: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut tier = 0;
    let mut first = None;
    let mut above = None;
    let mut tiers = Vec::with_capacity(order.len());
    for &system in order {
        let reference = match rule {
            TierRule::Adjacent => above,
            TierRule::Anchored => first,
        };
        if reference.is_none_or(|other| separated(other, system)) {
            tier += 1;
            first = Some(system);
        }
        above = Some(system);
        tiers.push(tier);
    }
    tiers
}

/// Share of all pairs of `systems` that `separated` tells apart, in [0, 1].
///
/// # Errors
/// Undefined for fewer than two systems.
///
/// Source: METHODS 104.
pub fn share_separated(systems: usize, separated: impl Fn(usize, usize) -> bool) -> Result<f64, Undefined> {
    if systems < 2 {
        return Err(Undefined::TooFewSystems { have: systems, need: 2 });
    }
    let pairs = (0..systems).flat_map(|i| (i + 1..systems).map(move |j| (i, j)));
    let count = pairs.filter(|&(i, j)| separated(i, j)).count();
    Ok(count as f64 / (systems * (systems - 1) / 2) as f64)
}

/// The percentile interval at `level` of the difference of systems `i` and `j`, paired within replicates.
///
/// `replicates` holds one value per replicate and system, replicate by replicate, for `systems` systems.
///
/// # Errors
/// Undefined without a replicate.
///
/// Source: METHODS 103.
pub fn contrast_interval(
    replicates: &[f64],
    systems: usize,
    (i, j): (usize, usize),
    level: f64,
) -> Result<Interval, Undefined> {
    let differences: Vec<f64> = replicates.chunks_exact(systems).map(|row| row[i] - row[j]).collect();
    percentile_interval(&differences, level)
}
