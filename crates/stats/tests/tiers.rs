//! Tiers and rank correlations: the chain that divides the two rules, and tau by counting pairs.

use calibrant_stats::Undefined;
use calibrant_stats::ranking::{kendall_tau_b, rank_target, ranks, spearman, spearman_p_value};
use calibrant_stats::resample::LEVEL;
use calibrant_stats::spread::spread;
use calibrant_stats::tiers::{TierRule, contrast_interval, share_separated, tiers};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[test]
fn a_chain_is_one_tier_when_adjacent_and_two_when_anchored() {
    // METHODS 103: A ~ B, B ~ C, but A > C. Systems are A = 2, B = 0, C = 1.
    let separated = |i: usize, j: usize| (i, j) == (2, 1) || (i, j) == (1, 2);
    let order = [2, 0, 1];
    assert_eq!(tiers(&order, TierRule::Adjacent, separated), [1, 1, 1]);
    assert_eq!(tiers(&order, TierRule::Anchored, separated), [1, 1, 2]);
    assert_eq!(share_separated(3, separated), Ok(1.0 / 3.0));
}

#[test]
fn a_new_tier_has_a_new_anchor() {
    // Systems at 0, 2, 4, 6, 8 below the best, separated from 3 on.
    let separated = |i: usize, j: usize| 2 * i.abs_diff(j) >= 3;
    let order = [0, 1, 2, 3, 4];
    assert_eq!(tiers(&order, TierRule::Anchored, separated), [1, 1, 2, 2, 3]);
    assert_eq!(tiers(&order, TierRule::Adjacent, separated), [1; 5]);
    assert_eq!(
        tiers(&order, TierRule::Adjacent, |_, _| true),
        order.map(|place| place + 1)
    );
    assert!(tiers(&[], TierRule::Adjacent, separated).is_empty());
    assert_eq!(
        share_separated(1, separated),
        Err(Undefined::TooFewSystems { have: 1, need: 2 })
    );
}

#[test]
fn contrasts_are_paired_within_replicates() {
    // Two systems move together by far more than they differ: the difference is 1 in every replicate.
    let replicates: Vec<f64> = (0..100).flat_map(|r| [f64::from(r), f64::from(r) - 1.0]).collect();
    let interval = contrast_interval(&replicates, 2, (0, 1), LEVEL).expect("there are replicates");
    assert_eq!((interval.low, interval.high), (1.0, 1.0));
    assert_eq!(contrast_interval(&[], 2, (0, 1), LEVEL), Err(Undefined::NoValues));
}

#[test]
fn ties_share_their_ranks() {
    assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    assert_eq!(ranks(&[0.0, -0.0, 1.0]), [1.5, 1.5, 3.0]);
    assert!(ranks(&[]).is_empty());
}

#[test]
fn constant_and_short_lists_have_no_correlation() {
    assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), Err(Undefined::NoVariation));
    assert_eq!(kendall_tau_b(&[1.0, 2.0], &[4.0, 4.0]), Err(Undefined::NoVariation));
    let few = Err(Undefined::TooFewSystems { have: 1, need: 2 });
    assert_eq!(spearman(&[1.0], &[1.0]), few);
    assert_eq!(kendall_tau_b(&[1.0], &[1.0]), few);
    assert!(spearman_p_value(1.0, 2).is_err());
    assert_eq!(spearman_p_value(1.0, 9), Ok(0.0));
}

#[test]
fn rank_target_is_the_largest_below_one_for_few_systems() {
    // METHODS 99: six systems 1 - 12 / 210; fifteen would allow .9964, so .95 holds.
    assert!((rank_target(6).expect("systems enough") - 198.0 / 210.0).abs() < 1e-15);
    assert_eq!(rank_target(15), Ok(0.95));
    assert!(rank_target(1).is_err());
}

#[test]
fn spread_by_hand() {
    // 1, 2, 4, 8, 10: mean 5, squares about it 16 + 9 + 1 + 9 + 25 = 60, quartiles 2 and 8.
    let found = spread(&[4.0, 1.0, 10.0, 2.0, 8.0]).expect("systems enough");
    assert_eq!((found.mean, found.gap, found.interquartile_range), (5.0, 9.0, 6.0));
    assert!((found.standard_deviation - 15f64.sqrt()).abs() < 1e-14);
    assert_eq!(spread(&[1.0]), Err(Undefined::TooFewSystems { have: 1, need: 2 }));
}

/// Kendall 1945 by looking at every pair.
fn tau_by_pairs(x: &[f64], y: &[f64]) -> f64 {
    let (mut balance, mut untied_x, mut untied_y) = (0.0, 0.0, 0.0);
    for i in 0..x.len() {
        for j in 0..i {
            let sign = |d: f64| if d == 0.0 { 0.0 } else { d.signum() };
            let (dx, dy) = (sign(x[i] - x[j]), sign(y[i] - y[j]));
            balance += dx * dy;
            untied_x += dx * dx;
            untied_y += dy * dy;
        }
    }
    balance / f64::sqrt(untied_x * untied_y)
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(5), cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn tau_counts_pairs(values in prop::collection::vec((-3..4i8, -3..4i8), 2..40)) {
        let (x, y): (Vec<f64>, Vec<f64>) = values.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).unzip();
        match kendall_tau_b(&x, &y) {
            Ok(tau) => prop_assert!((tau - tau_by_pairs(&x, &y)).abs() < 1e-13),
            Err(_) => prop_assert!(tau_by_pairs(&x, &y).is_nan()),
        }
    }

    /// Neither correlation sees a rising change of scale, and both change sign with a falling one.
    #[test]
    fn only_the_order_counts(values in prop::collection::vec((-50..50i8, -50..50i8), 3..30)) {
        let (x, y): (Vec<f64>, Vec<f64>) = values.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).unzip();
        let cubed: Vec<f64> = x.iter().map(|x| x * x * x).collect();
        let turned: Vec<f64> = x.iter().map(|x| -x).collect();
        prop_assert_eq!(spearman(&cubed, &y), spearman(&x, &y));
        prop_assert_eq!(kendall_tau_b(&cubed, &y), kendall_tau_b(&x, &y));
        if let (Ok(rho), Ok(tau)) = (spearman(&x, &y), kendall_tau_b(&x, &y)) {
            prop_assert!((spearman(&turned, &y).expect("it varies") + rho).abs() < 1e-13);
            prop_assert!((kendall_tau_b(&turned, &y).expect("it varies") + tau).abs() < 1e-13);
        }
    }
}
