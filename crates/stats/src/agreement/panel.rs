//! Agreement of a panel of any size, with gaps: coefficients that ask how many judges gave each level, not who.

use super::pair::chance_corrected;
use super::{Agreement, Moments, Tally, Weights};
use crate::Undefined;

/// The share of pairs of judges that agree: the mean, over units with two labels or more, of the share of agreeing pairs.
///
/// In [0, 1]. For two judges it is po. Not comparable between scales: two levels agree half the time by luck, five a fifth.
///
/// # Errors
/// Undefined when no unit has two labels.
///
/// Source: Fleiss 1971; for unequal numbers of labels Gwet 2014; METHODS 34, 37.
pub fn percent_agreement(moments: &Moments) -> Result<f64, Undefined> {
    moments.observed(|c, k| if c == k { 1.0 } else { 0.0 })
}

/// The share of units with two labels or more on which all labels are alike, in [0, 1].
///
/// It falls as panels grow, however alike the judges are: compare it only between panels of one size.
///
/// # Errors
/// Undefined when no unit has two labels.
///
/// Source: METHODS 30 (whole answers: give each unit one label per pattern of criteria), 64.
pub fn unanimity(moments: &Moments) -> Result<f64, Undefined> {
    match moments.units_with(2) {
        0 => Err(Undefined::NoUnitOfTwo),
        units => Ok(moments.unanimous_with(2) as f64 / units as f64),
    }
}

/// Fleiss' kappa: chance squares the shares of the levels over the whole panel. With [`Weights`] other than the identity, its
/// weighted form.
///
/// For two judges without gaps it is Scott's pi. Judges may differ from unit to unit. It is Fleiss 1971 where all units have equally
/// many labels; otherwise shares are means over units, as Gwet has them.
///
/// # Errors
/// Undefined when no unit has two labels; the value alone is undefined when only one label occurs.
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Fleiss 1971; Gwet 2014; METHODS 45.
pub fn fleiss_kappa(moments: &Moments, weights: &Weights) -> Result<Agreement, Undefined> {
    let (observed, shares) = observed_and_shares(moments, weights)?;
    let one_label = moments.one_label(1);
    chance_corrected(observed, weights.mean(&shares, &shares), one_label)
}

/// Gwet's AC1, and with [`Weights`] other than the identity his AC2: chance is what judges would agree on units hard to judge.
///
/// It stays near raw agreement when one level dominates, where kappa falls towards 0: prefer it beside kappa there, not instead.
/// It depends on how many levels the scale has, even if some never occur. With one label only it is 1 on a scale of two levels or
/// more, since its chance agreement is then 0.
///
/// # Errors
/// Undefined when no unit has two labels; the value alone on a scale of one level.
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Gwet 2008; with weights and gaps Gwet 2014; METHODS 45.
pub fn gwet_ac(moments: &Moments, weights: &Weights) -> Result<Agreement, Undefined> {
    let (observed, shares) = observed_and_shares(moments, weights)?;
    let expected = gwet_chance(&shares, weights);
    chance_corrected(observed, expected, moments.levels() < 2)
}

/// `T_w sum_k p_k (1 - p_k) / (q (q - 1))`, and 1 on a scale of one level.
pub(super) fn gwet_chance(shares: &[f64], weights: &Weights) -> f64 {
    let q = shares.len() as f64;
    if shares.len() < 2 {
        return 1.0;
    }
    let spread: f64 = shares.iter().map(|p| p * (1.0 - p)).sum();
    weights.total() * spread / (q * (q - 1.0))
}

/// Brennan and Prediger's coefficient: chance takes each level equally often. For two levels it is PABAK, `2 po - 1`.
///
/// It depends on how many levels the scale has, even if some never occur, and not on which labels are frequent: it answers what
/// kappa these judges would have where all levels are equally frequent.
///
/// # Errors
/// Undefined when no unit has two labels; the value alone on a scale of one level.
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Brennan and Prediger 1981; Bennett, Alpert and Goldstein 1954 (S); Byrt, Bishop and Carlin 1993 (PABAK); METHODS 41.
pub fn brennan_prediger(moments: &Moments, weights: &Weights) -> Result<Agreement, Undefined> {
    let (observed, _) = observed_and_shares(moments, weights)?;
    let expected = weights.total() / (moments.levels() as f64).powi(2);
    chance_corrected(observed, expected, moments.levels() < 2)
}

/// Conger's kappa: chance multiplies the label shares of each two judges, so that judges may differ in leniency.
///
/// For two judges without gaps it is Cohen's kappa. Prefer it to Fleiss' when the same judges label all units. A judge without a
/// label is left out.
///
/// # Errors
/// Undefined when no unit has two labels; the value alone when only one label occurs.
///
/// # Panics
/// If the weights are for another number of levels.
///
/// Source: Conger 1980; with gaps and weights Gwet 2014.
pub fn conger_kappa(tally: &Tally, weights: &Weights) -> Result<Agreement, Undefined> {
    let moments = tally.moments();
    let (observed, _) = observed_and_shares(&moments, weights)?;
    let judges: Vec<Vec<f64>> = (0..tally.judges())
        .filter_map(|judge| tally.prevalence(judge).ok())
        .collect();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (a, shares_a) in judges.iter().enumerate() {
        for shares_b in &judges[a + 1..] {
            sum += weights.mean(shares_a, shares_b);
            pairs += 1.0;
        }
    }
    chance_corrected(observed, sum / pairs, moments.one_label(1))
}

fn observed_and_shares(moments: &Moments, weights: &Weights) -> Result<(f64, Vec<f64>), Undefined> {
    weights.check(moments.levels());
    if moments.judges() < 2 {
        return Err(Undefined::TooFewJudges {
            have: moments.judges(),
            need: 2,
        });
    }
    Ok((moments.observed(|c, k| weights.of(c, k))?, moments.shares()?))
}
