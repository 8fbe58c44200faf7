//! Measurability: its arithmetic, its thresholds and the coverage of its interval.

use calibrant_stats::Error;
use calibrant_stats::measurability::{BetaPrior, fewest_units, measurability, probability_at_least};
use calibrant_stats::stream::{Purpose, Stream};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn uniform() -> BetaPrior {
    BetaPrior::default()
}

#[test]
fn interval_covers_on_average_exactly_under_its_prior() {
    // A rate drawn from the prior lies in its posterior's 95 % interval with chance 95 %, whatever the number of units.
    const DRAWS: u32 = 4000;
    let mut stream = Stream::new(1, Purpose::Simulation, 0);
    for total in [1, 6, 15, 40] {
        let table: Vec<_> = (0..=total)
            .map(|k| measurability(k, total, uniform()).expect("counts are right"))
            .collect();
        let mut covered = 0;
        for _ in 0..DRAWS {
            let rate = stream.uniform();
            let agreed = (0..total).filter(|_| stream.bernoulli(rate)).count();
            covered += u32::from(table[agreed].low <= rate && rate <= table[agreed].high);
        }
        let share = f64::from(covered) / f64::from(DRAWS);
        let error = (0.95 * 0.05 / f64::from(DRAWS)).sqrt();
        assert!((share - 0.95).abs() < 4.0 * error, "{total} units: {share}");
    }
}

#[test]
fn mean_is_the_beta_bernoulli_one() {
    // [CR26] eq. 12 with another prior: (2 + 7) / (2 + 3 + 10).
    let prior = BetaPrior { alpha: 2.0, beta: 3.0 };
    let found = measurability(7, 10, prior).expect("counts are right");
    assert_eq!(found.mean, 9.0 / 15.0);
}

#[test]
fn a_threshold_is_reached_on_the_point() {
    // Three unanimous units give 4/5.
    let three = measurability(3, 3, uniform()).expect("counts are right");
    assert!(three.reaches(0.8) && !three.reaches(0.8 + 1e-9));
    let two = measurability(2, 2, uniform()).expect("counts are right");
    assert!(two.reaches(0.75) && !two.reaches(0.8));
}

#[test]
fn impossible_arguments_are_errors() {
    assert_eq!(
        measurability(4, 3, uniform()),
        Err(Error::PartExceedsWhole {
            part: "unanimous units",
            have: 4,
            whole: "units",
            of: 3
        })
    );
    let zero = BetaPrior { alpha: 0.0, beta: 1.0 };
    assert!(matches!(measurability(0, 0, zero), Err(Error::OutOfRange { .. })));
    assert!(matches!(fewest_units(1.0, uniform()), Err(Error::OutOfRange { .. })));
    assert!(matches!(
        fewest_units(f64::NAN, uniform()),
        Err(Error::OutOfRange { .. })
    ));
    assert!(matches!(
        probability_at_least(1, 1, 1.5, uniform()),
        Err(Error::OutOfRange { .. })
    ));
}

#[test]
fn probability_has_its_closed_form_when_all_agree() {
    // Beta(n + 1, 1) exceeds t with chance 1 - t^(n + 1).
    for n in [0u8, 3, 15] {
        let found = probability_at_least(n.into(), n.into(), 0.8, uniform()).expect("counts are right");
        let expected = 1.0 - 0.8f64.powi(i32::from(n) + 1);
        assert!((found - expected).abs() < 1e-13, "{n}: {found}");
    }
    assert_eq!(probability_at_least(2, 3, 0.0, uniform()), Ok(1.0));
    assert_eq!(probability_at_least(2, 3, 1.0, uniform()), Ok(0.0));
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(4), cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn interval_holds_the_mean_of_its_tails(agreed in 0..400u64, dissent in 0..400u64) {
        let found = measurability(agreed, agreed + dissent, uniform()).expect("counts are right");
        prop_assert!(0.0 < found.low && found.low < found.mean && found.mean < found.high && found.high < 1.0);
        let above = |t| probability_at_least(agreed, agreed + dissent, t, uniform()).expect("counts are right");
        prop_assert!((above(found.low) - 0.975).abs() < 1e-9);
        prop_assert!((above(found.high) - 0.025).abs() < 1e-9);
    }

    /// METHODS 65: that many units reach the threshold, one fewer does not.
    #[test]
    fn fewest_units_is_the_fewest(threshold in 0.0..0.99f64) {
        let n = fewest_units(threshold, uniform()).expect("the threshold is below 1");
        let reaches = |n| measurability(n, n, uniform()).expect("counts are right").reaches(threshold);
        prop_assert!(reaches(n));
        prop_assert!(n == 0 || !reaches(n - 1));
    }
}
