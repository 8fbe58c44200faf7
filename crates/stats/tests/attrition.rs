//! Attrition against enumeration of all subsets, and judge error against its closed form.

use calibrant_stats::Undefined;
use calibrant_stats::attrition::{
    BetaFit, ItemPanel, Moments, attrition_curve, beta_fit, geometric_fit, geometric_interval, hard_set, joint_peak,
};
use calibrant_stats::judge_error::{judge_error, unanimity_rate};
use calibrant_stats::stream::{Purpose, Stream};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Products of at most a dozen ratios.
const ROUNDING: f64 = 1e-13;

/// One system on one item: every judge passes, every judge fails, or they split with the majority passing or failing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Panel {
    AllPass,
    AllFail,
    SplitPass,
    SplitFail,
}

use Panel::{AllFail, AllPass, SplitFail, SplitPass};

fn item(panels: &[Panel]) -> ItemPanel {
    let count = |kinds: &[Panel]| panels.iter().filter(|panel| kinds.contains(panel)).count() as u32;
    ItemPanel {
        systems: panels.len() as u32,
        unanimous_pass: count(&[AllPass]),
        unanimous_fail: count(&[AllFail]),
        majority_pass: count(&[AllPass, SplitPass]),
    }
}

/// Shares of the subsets of `m` systems with all panels unanimous, with both outcomes, and with both properties.
fn enumerated(panels: &[Panel], m: usize) -> [f64; 3] {
    let mut counts = [0.0; 3];
    let mut subsets = 0.0;
    for set in (0u32..1 << panels.len()).filter(|set| set.count_ones() as usize == m) {
        let chosen = || (0..panels.len()).filter(move |i| set >> i & 1 == 1).map(|i| panels[i]);
        let unanimous = chosen().all(|panel| matches!(panel, AllPass | AllFail));
        let passes = chosen().filter(|panel| matches!(panel, AllPass | SplitPass)).count();
        let both = passes > 0 && passes < m;
        subsets += 1.0;
        counts[0] += f64::from(u8::from(unanimous));
        counts[1] += f64::from(u8::from(both));
        counts[2] += f64::from(u8::from(unanimous && both));
    }
    counts.map(|count| count / subsets)
}

fn pools() -> impl Strategy<Value = Vec<Vec<Panel>>> {
    let panel = prop_oneof![Just(AllPass), Just(AllFail), Just(SplitPass), Just(SplitFail)];
    prop::collection::vec(prop::collection::vec(panel, 1..7), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(2), cases: 128, ..ProptestConfig::default() })]

    /// METHODS 75: the curve is the mean over all subsets, items with too few systems left out.
    #[test]
    fn curve_is_the_mean_over_all_subsets(pool in pools()) {
        let items: Vec<ItemPanel> = pool.iter().map(|panels| item(panels)).collect();
        for point in attrition_curve(&items) {
            let m = point.systems as usize;
            let present: Vec<[f64; 3]> = pool.iter().filter(|p| p.len() >= m).map(|p| enumerated(p, m)).collect();
            let mean = |k: usize| present.iter().map(|shares| shares[k]).sum::<f64>() / present.len() as f64;
            prop_assert_eq!(point.items, present.len());
            prop_assert!((point.retention - mean(0)).abs() < ROUNDING);
            prop_assert!((point.distinguishability - mean(1)).abs() < ROUNDING);
            prop_assert!((point.joint - mean(2)).abs() < ROUNDING);
            prop_assert!((point.rate - mean(0).powf(1.0 / m as f64)).abs() < ROUNDING.sqrt());
        }
    }

    /// The whole curve is fitted: a pool with one rate gives it back at every m.
    #[test]
    fn judge_error_inverts_the_unanimity_rate(error in 0.0..0.5f64, judges in 2..8u32) {
        let rate = unanimity_rate(error, judges);
        let found = judge_error(rate, judges).expect("the rate is possible");
        // Near 1/2 the rate is flat to second order, so the error is known to the root of the rounding.
        prop_assert!((found - error).abs() < 1e-7, "found {}", found);
        prop_assert!((unanimity_rate(found, judges) - rate).abs() < ROUNDING);
    }
}

#[test]
fn judge_error_of_three_has_a_closed_form() {
    // METHODS 73: (1 - e)^3 + e^3 = 1 - 3 e + 3 e^2, hence e = (3 - sqrt(9 - 12 (1 - rho))) / 6.
    for rho in [0.2501, 0.5, 0.872, 0.88, 0.9999, 1.0f64] {
        let closed = (3.0 - (9.0 - 12.0 * (1.0 - rho)).sqrt()) / 6.0;
        let found = judge_error(rho, 3).expect("the rate is possible");
        assert!((found - closed).abs() < 1e-12, "rho {rho}: {found} against {closed}");
    }
    // Two judges: 1 - 2 e + 2 e^2.
    let two = judge_error(0.82, 2).expect("the rate is possible");
    assert!((two - 0.1).abs() < 1e-12);
}

#[test]
fn judge_error_is_undefined_below_coins_and_for_one_judge() {
    assert_eq!(
        judge_error(0.24, 3),
        Err(Undefined::BelowChance {
            rate: 0.24,
            least: 0.25
        })
    );
    assert_eq!(judge_error(0.9, 1), Err(Undefined::TooFewJudges { have: 1, need: 2 }));
    assert!(judge_error(f64::NAN, 3).is_err());
}

#[test]
fn proposition_1_by_simulation() {
    // [CR26] Prop. 1 at eps .042, K = 3, M = 10: .9180^... = .2763; five standard errors of a share over the items drawn.
    const ITEMS: usize = 100_000;
    let mut stream = Stream::new(3, Purpose::Simulation, 0);
    let unanimous = |stream: &mut Stream| {
        let wrong = (0..3).filter(|_| stream.bernoulli(0.042)).count();
        wrong == 0 || wrong == 3
    };
    let kept = (0..ITEMS)
        .filter(|_| (0..10).fold(true, |all, _| unanimous(&mut stream) && all))
        .count();
    let share = kept as f64 / ITEMS as f64;
    let expected = unanimity_rate(0.042, 3).powi(10);
    assert!((expected - 0.2763).abs() < 5e-5);
    let error = (expected * (1.0 - expected) / ITEMS as f64).sqrt();
    assert!((share - expected).abs() < 5.0 * error, "share {share}");
}

#[test]
fn a_pool_without_dissent_has_rate_one_and_no_r_squared() {
    let items = vec![item(&[AllPass, AllFail, AllPass]); 4];
    let fit = geometric_fit(&attrition_curve(&items)).expect("there are points");
    assert_eq!((fit.rho, fit.rmse, fit.points), (1.0, 0.0, 3));
    assert_eq!(fit.r_squared, Err(Undefined::NoVariation));
    assert_eq!(beta_fit(&items, Moments::Factorial), Err(Undefined::NoHeterogeneity));
}

#[test]
fn an_empty_pool_is_undefined_everywhere() {
    assert!(attrition_curve(&[]).is_empty());
    assert_eq!(geometric_fit(&[]), Err(Undefined::TooFewPoints { have: 0, need: 1 }));
    assert_eq!(joint_peak(&[]), Err(Undefined::EmptyHardSet));
    assert_eq!(hard_set(&[]), Err(Undefined::EmptyHardSet));
    let need = Undefined::TooFewSystemsPerItem { need: 2 };
    assert_eq!(beta_fit(&[item(&[AllPass])], Moments::Factorial), Err(need));
}

#[test]
fn hard_set_is_unanimous_and_not_constant() {
    let items = [
        item(&[AllPass, AllFail]),
        item(&[AllPass, AllPass]),
        item(&[AllPass, SplitFail]),
        item(&[AllFail, AllPass]),
    ];
    assert_eq!(hard_set(&items), Ok(vec![0, 3]));
}

#[test]
fn joint_peak_is_the_first_largest_point() {
    // Two items on four systems: unanimous on all with outcomes 2 : 2, and unanimous on the first two only (one each).
    let items = [
        item(&[AllPass, AllPass, AllFail, AllFail]),
        item(&[AllPass, AllFail, SplitPass, SplitFail]),
    ];
    // m = 2: (4/6 + 1/6) / 2; m = 3: (1 + 0) / 2; m = 4: (1 + 0) / 2.
    let curve = attrition_curve(&items);
    assert!((curve[1].joint - 5.0 / 12.0).abs() < ROUNDING);
    assert_eq!(joint_peak(&curve).map(|peak| peak.systems), Ok(3));
}

#[test]
fn moments_of_the_two_kinds_differ_by_the_sampling_noise() {
    // Four items on four systems with 4, 4, 2, 2 unanimous panels: mean .75, R(2) = (1 + 1 + 1/6 + 1/6) / 4 = 7/12.
    let clean = item(&[AllPass, AllPass, AllFail, AllFail]);
    let noisy = item(&[AllPass, AllFail, SplitPass, SplitFail]);
    let items = [clean, clean, noisy, noisy];
    let factorial = beta_fit(&items, Moments::Factorial).expect("rates differ");
    // s = (3/16) / (7/12 - 9/16) - 1 = 8; a = 6, b = 2.
    assert!(
        (factorial.a - 6.0).abs() < 1e-9 && (factorial.b - 2.0).abs() < 1e-9,
        "{factorial:?}"
    );
    let raw = beta_fit(&items, Moments::Raw).expect("rates differ");
    // Mean square (1 + 1 + 1/4 + 1/4) / 4 = 5/8, variance 1/16: s = 2; a = 1.5, b = .5.
    assert!((raw.a - 1.5).abs() < 1e-9 && (raw.b - 0.5).abs() < 1e-9, "{raw:?}");
    assert!(factorial.retention(4) < raw.retention(4));
}

#[test]
fn rates_of_zero_and_one_alone_fit_no_beta() {
    let items = [item(&[AllPass, AllPass]), item(&[SplitPass, SplitFail])];
    assert_eq!(beta_fit(&items, Moments::Factorial), Err(Undefined::AllOrNothing));
}

#[test]
fn factorial_moments_recover_the_beta_that_made_the_items() {
    // Rates from Beta(4, 1), as the largest of four uniforms; 4000 items on 11 systems.
    const ITEMS: usize = 4000;
    let mut stream = Stream::new(11, Purpose::Simulation, 0);
    let items: Vec<ItemPanel> = (0..ITEMS)
        .map(|_| {
            let rate = (0..4).map(|_| stream.uniform()).fold(0.0, f64::max);
            let unanimous = (0..11).filter(|_| stream.bernoulli(rate)).count() as u32;
            ItemPanel {
                systems: 11,
                unanimous_pass: unanimous,
                unanimous_fail: 0,
                majority_pass: 11,
            }
        })
        .collect();
    let fit = beta_fit(&items, Moments::Factorial).expect("rates differ");
    let raw = beta_fit(&items, Moments::Raw).expect("rates differ");
    // R(20) of Beta(4, 1) is 4 / 24. A rate's SD is .16, so the mean of 4000 is known to .003 and R(20) to about .01: four of these.
    assert!((fit.retention(20) - 4.0 / 24.0).abs() < 0.04, "{fit:?}");
    // The raw moments add noise of mean p (1 - p) / 11 = .0121 to the variance .0267, and so overstate retention.
    assert!(raw.retention(20) > fit.retention(20) + 0.03, "{raw:?}");
    assert!(fit.rmse < raw.rmse);
    assert_eq!(BetaFit::judged(4.0, 1.0, &[]).rmse, 0.0);
}

#[test]
fn geometric_interval_holds_the_fit_and_repeats() {
    let mut stream = Stream::new(2, Purpose::Simulation, 0);
    let items: Vec<ItemPanel> = (0..60)
        .map(|_| {
            let unanimous = (0..8).filter(|_| stream.bernoulli(0.85)).count() as u32;
            ItemPanel {
                systems: 8,
                unanimous_pass: unanimous,
                unanimous_fail: 0,
                majority_pass: 8,
            }
        })
        .collect();
    let rho = geometric_fit(&attrition_curve(&items)).expect("there are points").rho;
    let interval = geometric_interval(&items, 400, 9).expect("there are items enough");
    assert!(interval.low < rho && rho < interval.high, "{rho} in {interval:?}");
    assert!(interval.high - interval.low < 0.1);
    let alone = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one");
    assert_eq!(alone.install(|| geometric_interval(&items, 400, 9)), Ok(interval));
    assert_ne!(geometric_interval(&items, 400, 10), Ok(interval));
    assert_eq!(
        geometric_interval(&items[..9], 400, 9),
        Err(Undefined::TooFewClusters { have: 9, need: 10 })
    );
}
