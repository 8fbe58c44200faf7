//! What must hold of every coefficient of agreement, whatever the labels.

use calibrant_stats::Undefined;
use calibrant_stats::agreement::{
    Agreement, AgreementBootstrapOptions, Anova, Difference, FlipModel, Icc, MISSING, Moments, PairTable, PairedFlags,
    Patterns, Ratings, Tally, Weights, bootstrap_alpha, brennan_prediger, cohen_kappa, cohen_kappa_error, conger_kappa,
    fleiss_kappa, fleiss_kappa_error, gwet_ac, krippendorff_alpha, krippendorff_alpha_error, pabak, percent_agreement,
    read_flips, scott_pi, unanimity, weighted_kappa, weighted_pi,
};
use proptest::prelude::*;

/// Sums of a few hundred terms in another order.
const ROUNDING: f64 = 1e-12;

/// A panel: judges, levels and codes with gaps.
fn panel(most_judges: usize) -> impl Strategy<Value = (usize, usize, Vec<u8>)> {
    (2..=most_judges, 2..=5usize, 1..40usize).prop_flat_map(|(judges, levels, units)| {
        let code = prop_oneof![6 => 0..levels as u8, 1 => Just(MISSING)];
        (
            Just(judges),
            Just(levels),
            proptest::collection::vec(code, units * judges),
        )
    })
}

fn table() -> impl Strategy<Value = PairTable> {
    (2..=4usize)
        .prop_flat_map(|levels| (Just(levels), proptest::collection::vec(0..30u64, levels * levels)))
        .prop_map(|(levels, counts)| PairTable::new(levels, counts).expect("a square"))
}

fn tally(judges: usize, levels: usize, codes: &[u8]) -> Tally {
    Ratings::new(judges, levels, codes).expect("codes fit").tally()
}

/// Every coefficient of a panel that does not ask for an order of the levels.
fn nominal(tally: &Tally) -> Vec<Result<f64, Undefined>> {
    let (moments, identity) = (tally.moments(), Weights::identity(tally.levels()));
    let value = |agreement: Result<Agreement, Undefined>| agreement?.value;
    vec![
        percent_agreement(&moments),
        unanimity(&moments),
        value(fleiss_kappa(&moments, &identity)),
        value(gwet_ac(&moments, &identity)),
        value(brennan_prediger(&moments, &identity)),
        value(conger_kappa(tally, &identity)),
        krippendorff_alpha(&moments, Difference::Nominal).and_then(|alpha| alpha.value),
        fleiss_kappa_error(&tally.patterns(), &identity),
        krippendorff_alpha_error(&tally.patterns(), Difference::Nominal),
    ]
}

/// Those that use an order or distances; a ratio has a zero, so that it would know up from down.
fn ordered(moments: &Moments, values: &[f64]) -> Vec<Result<f64, Undefined>> {
    let alpha = |difference| krippendorff_alpha(moments, difference).and_then(|alpha| alpha.value);
    vec![
        alpha(Difference::Ordinal),
        alpha(Difference::Interval(values)),
        fleiss_kappa(moments, &Weights::quadratic(moments.levels())).and_then(|kappa| kappa.value),
    ]
}

fn same(left: &[Result<f64, Undefined>], right: &[Result<f64, Undefined>]) {
    for (left, right) in left.iter().zip(right) {
        match (left, right) {
            (Ok(x), Ok(y)) => assert!((x - y).abs() < ROUNDING, "{left:?} {right:?}"),
            _ => assert_eq!(left, right),
        }
    }
}

proptest! {
    /// Who is first and who second says nothing about agreement.
    #[test]
    fn order_of_judges_is_irrelevant((judges, levels, codes) in panel(6), turn in 1..6usize) {
        let mut turned = codes.clone();
        turned.chunks_exact_mut(judges).for_each(|unit| unit.rotate_left(turn % judges));
        same(&nominal(&tally(judges, levels, &codes)), &nominal(&tally(judges, levels, &turned)));
    }

    /// Names of levels say nothing to a coefficient that knows no order; turning an order round says nothing to one that does.
    #[test]
    fn names_of_levels_are_irrelevant((judges, levels, codes) in panel(6), turn in 1..5usize) {
        let (turn, most) = ((turn % levels) as u8, levels as u8);
        let renamed = |name: &dyn Fn(u8) -> u8| -> Vec<u8> {
            codes.iter().map(|&code| if code == MISSING { code } else { name(code) }).collect()
        };
        let plain = tally(judges, levels, &codes);
        same(&nominal(&plain), &nominal(&tally(judges, levels, &renamed(&|code| (code + turn) % most))));
        let back = tally(judges, levels, &renamed(&|code| most - 1 - code));
        let values: Vec<f64> = (0..levels).map(|level| level as f64).collect();
        same(&ordered(&plain.moments(), &values), &ordered(&back.moments(), &values));
    }

    /// A stream in any blocks counts what the table counts; small panels and large ones are counted in different ways.
    #[test]
    fn merged_parts_are_the_whole((judges, levels, codes) in panel(9), cut in 0..40usize) {
        let whole = tally(judges, levels, &codes);
        let cut = cut.min(codes.len() / judges) * judges;
        let mut parts = Tally::new(judges, levels).expect("a shape");
        for unit in codes[..cut].chunks_exact(judges) {
            parts.push(unit).expect("codes fit");
        }
        parts.merge(&tally(judges, levels, &codes[cut..])).expect("one shape");
        let mut moments = Moments::new(judges, levels).expect("a shape");
        for unit in codes.chunks_exact(judges) {
            moments.push(unit).expect("codes fit");
        }
        prop_assert_eq!(parts.patterns(), whole.patterns());
        prop_assert_eq!(parts.units(), whole.units());
        prop_assert_eq!(&moments, &whole.moments());
        for a in 0..judges {
            prop_assert_eq!(parts.labels_of(a), whole.labels_of(a));
            for b in (0..judges).filter(|&b| b != a) {
                let column = |judge: usize| -> Vec<u8> { codes.iter().skip(judge).step_by(judges).copied().collect() };
                let table = PairTable::of_codes(levels, &column(a), &column(b)).expect("one length");
                prop_assert_eq!(&parts.pair(a, b).expect("judges"), &table);
                prop_assert_eq!(&whole.pair(a, b).expect("judges"), &table);
            }
        }
    }

    /// Judges who never label change nothing: a panel with nine such beside it is counted the other way.
    #[test]
    fn silent_judges_change_nothing((judges, levels, codes) in panel(5)) {
        let wide: Vec<u8> = codes
            .chunks_exact(judges)
            .flat_map(|unit| unit.iter().copied().chain([MISSING; 9]))
            .collect();
        let (plain, wide) = (tally(judges, levels, &codes), tally(judges + 9, levels, &wide));
        same(&nominal(&plain), &nominal(&wide));
        let (plain, wide) = (plain.patterns(), wide.patterns());
        prop_assert_eq!(plain.as_slice(), wide.as_slice());
    }

    /// Cohen's kappa is never below Scott's pi, and the two meet only where both judges have the same shares.
    #[test]
    fn kappa_and_pi_meet_at_equal_shares(table in table()) {
        let (Ok(kappa), Ok(pi)) = (cohen_kappa(&table), scott_pi(&table)) else { return Ok(()) };
        let (Ok(kappa), Ok(pi)) = (kappa.value, pi.value) else { return Ok(()) };
        prop_assert!(kappa <= 1.0 && pi <= kappa + ROUNDING);
        let disagreed = table.agreed() < table.units();
        prop_assert_eq!((kappa - pi).abs() < ROUNDING && disagreed, table.rows() == table.columns() && disagreed);
    }

    /// Coefficients of panels with two judges are those of pairs.
    #[test]
    fn two_judges_are_a_panel(table in table()) {
        let moments = table.patterns().moments();
        let levels = table.levels();
        for weights in [Weights::identity(levels), Weights::linear(levels), Weights::quadratic(levels)] {
            let panel = fleiss_kappa(&moments, &weights).and_then(|kappa| kappa.value);
            let pair = weighted_pi(&table, &weights).and_then(|pi| pi.value);
            if let (Ok(panel), Ok(pair)) = (panel, pair) {
                prop_assert!((panel - pair).abs() < ROUNDING);
            }
        }
        let prediger = brennan_prediger(&moments, &Weights::identity(levels)).and_then(|s| s.value);
        if let (Ok(prediger), Ok(pabak)) = (prediger, pabak(&table)) {
            prop_assert!((prediger - pabak).abs() < ROUNDING);
        }
        if let Ok(kappa) = cohen_kappa(&table) {
            let weighted = weighted_kappa(&table, &Weights::identity(levels)).expect("there are units");
            prop_assert!((kappa.expected - weighted.expected).abs() < ROUNDING);
        }
    }

    /// Alpha is pi but for the correction 1 / N of small samples, where all units have two labels.
    #[test]
    fn alpha_is_pi_in_the_limit(table in table()) {
        let moments = table.patterns().moments();
        let alpha = krippendorff_alpha(&moments, Difference::Nominal).and_then(|alpha| alpha.value);
        let pi = scott_pi(&table).and_then(|pi| pi.value);
        if let (Ok(alpha), Ok(pi)) = (alpha, pi) {
            let labels = 2.0 * table.units() as f64;
            prop_assert!((alpha - (pi + (1.0 - pi) / labels)).abs() < ROUNDING);
        }
    }

    /// The closed form with the rate and the prevalence of one table is Scott's pi of it again.
    #[test]
    fn flips_of_a_table_give_its_pi(counts in proptest::collection::vec(1..60u64, 4)) {
        let table = PairTable::new(2, counts).expect("a square");
        let Ok(reading) = read_flips(&table) else { return Ok(()) };
        let Ok(prevalence) = reading.prevalence else { return Ok(()) };
        let pi = scott_pi(&table).expect("there are units").value.expect("labels differ");
        let kappa = reading.model.kappa(prevalence).expect("labels differ");
        // The prevalence divides by 1 - 2 e, which is small where agreement is near one half.
        let lost = ROUNDING / (1.0 - 2.0 * reading.model.flip).powi(2).max(1e-6);
        prop_assert!((kappa - pi).abs() < lost, "{kappa} {pi}");
        prop_assert!((reading.model.kappa(0.5).expect("labels differ") - reading.kappa_at_half).abs() < ROUNDING);
    }

    /// Intraclass correlations do not see where the zero of the scale is, nor its unit; consistency does not see leniency.
    #[test]
    fn intraclass_correlations_know_no_zero(
        values in proptest::collection::vec(0..7u8, 12..60), judges in 2..5usize, shift in -5..5i32,
    ) {
        let whole = values.len() / judges * judges;
        let plain: Vec<f64> = values[..whole].iter().map(|&x| f64::from(x)).collect();
        let moved: Vec<f64> = plain.iter().map(|x| 4.0 * x + f64::from(shift)).collect();
        let lenient: Vec<f64> = plain.iter().enumerate().map(|(i, x)| x + (i % judges) as f64).collect();
        let icc = |values: &[f64], form| Anova::of_values(judges, values).expect("whole units")?.icc(form, 0.95);
        for form in [Icc::OneWaySingle, Icc::AgreementSingle, Icc::ConsistencyMean] {
            if let (Ok(x), Ok(y)) = (icc(&plain, form), icc(&moved, form)) {
                prop_assert!((x.value - y.value).abs() < 1e-9, "{form:?} {} {}", x.value, y.value);
            }
        }
        if let (Ok(x), Ok(y)) = (icc(&plain, Icc::ConsistencySingle), icc(&lenient, Icc::ConsistencySingle)) {
            prop_assert!((x.value - y.value).abs() < 1e-9);
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let codes: Vec<u8> = (0..1_000_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 29) as u8 % 5)
        .collect();
    let run = || {
        let tally = tally(5, 5, &codes);
        let options = AgreementBootstrapOptions {
            replicates: 50,
            ..AgreementBootstrapOptions::default()
        };
        let replicates = bootstrap_alpha(&tally.patterns(), Difference::Ordinal, &options).expect("units");
        (nominal(&tally), replicates)
    };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(run)
    };
    assert_eq!(with(1), with(3));
}

/// The linearised errors are derivatives: against the exact change of alpha when one unit of each pattern counts a little more.
#[test]
fn errors_are_the_derivatives_of_alpha() {
    const SCALE: u64 = 1_000_000;
    let counts = [2, 1, 0, 0, 3, 0, 1, 1, 1, 0, 0, 3, 0, 2, 1, 1, 0, 1, 0, 0, 2];
    let patterns = Patterns::from_counts(3, &counts).expect("whole units");
    for difference in [
        Difference::Nominal,
        Difference::Ordinal,
        Difference::Ratio(&[1.0, 2.0, 5.0]),
    ] {
        let alpha = |units: &[u64]| {
            let moments = patterns.moments_of(units);
            let alpha = krippendorff_alpha(&moments, difference).expect("units have two labels");
            alpha.value.expect("labels differ")
        };
        // A million copies of the sample, where the correction for small samples is gone, and one per mille more of a unit.
        let many: Vec<u64> = patterns.units().iter().map(|n| n * SCALE).collect();
        let base = alpha(&many);
        let step = SCALE / 1000;
        let n: u64 = patterns.units().iter().sum();
        let squares: f64 = (0..many.len())
            .map(|pattern| {
                let mut more = many.clone();
                more[pattern] += step;
                let mut fewer = many.clone();
                fewer[pattern] -= step;
                let slope = (alpha(&more) - alpha(&fewer)) / (2.0 * step as f64 / SCALE as f64);
                patterns.units()[pattern] as f64 * slope * slope
            })
            .sum();
        let expected = (squares * n as f64 / (n - 1) as f64).sqrt();
        let found = krippendorff_alpha_error(&patterns, difference).expect("units differ");
        // The central difference is wrong by the square of the step.
        assert!(
            (found / expected - 1.0).abs() < 1e-5,
            "{difference:?}: {found} {expected} {base}"
        );
    }
}

/// `[RN]`, the closed form: what it says of judges is what simulated judges do.
#[test]
fn curve_of_kappa_by_prevalence() {
    let model = FlipModel::new(0.1).expect("a rate");
    let curve = model.kappa_curve(&[0.5, 0.9, 0.0, 1.0]);
    // (1 - 2 e)^2 = .64 at one half; .64 * .09 / (.82 * .18) at .9; nothing to agree on at 0 and 1.
    assert!((curve[0].1.expect("defined") - 0.64).abs() < ROUNDING);
    assert!((curve[1].1.expect("defined") - 0.64 * 0.09 / (0.82 * 0.18)).abs() < ROUNDING);
    assert_eq!(curve[2].1, Ok(0.0));
    let perfect = FlipModel::new(0.0).expect("a rate");
    assert_eq!(perfect.kappa(1.0), Err(Undefined::OneLabel));
    let below = FlipModel::from_agreement(0.49);
    assert_eq!(below, Err(Undefined::AgreementBelowHalf { observed: 0.49 }));
    let beyond = model.prevalence(0.95);
    assert_eq!(beyond, Err(Undefined::ShareOutOfReach { share: 0.95, flip: 0.1 }));
}

#[test]
fn reasons_have_their_own_names() {
    let alpha = |judges, codes: &[u8]| {
        krippendorff_alpha(&tally(judges, 2, codes).moments(), Difference::Nominal).and_then(|alpha| alpha.value)
    };
    let (have, need) = (1, 2);
    assert_eq!(alpha(1, &[0, 1]), Err(Undefined::TooFewJudges { have, need }));
    assert_eq!(alpha(2, &[0, MISSING, MISSING, 1]), Err(Undefined::NoUnitOfTwo));
    assert_eq!(alpha(2, &[1, 1, 1, 1]), Err(Undefined::OneLabel));
    let same_value = krippendorff_alpha(&tally(2, 2, &[0, 1]).moments(), Difference::Interval(&[3.0, 3.0]));
    assert_eq!(same_value.expect("a unit of two").value, Err(Undefined::NoVariation));
    let empty = PairTable::new(2, vec![0; 4]).expect("a square");
    assert_eq!(cohen_kappa(&empty), Err(Undefined::NoUnits));
    let perfect = PairTable::new(2, vec![3, 0, 0, 4]).expect("a square");
    let error = cohen_kappa_error(&perfect).expect("kappa is defined");
    assert_eq!(error.standard_error, Err(Undefined::NoSpread));
    let flat = Anova::of_values(2, &[1.0; 6]).expect("whole units");
    assert_eq!(flat, Err(Undefined::NoVariation));
    let short = Anova::of_values(2, &[1.0, 2.0]).expect("whole units");
    assert_eq!(short, Err(Undefined::TooFewUnits { have: 1, need: 2 }));
    assert!(Ratings::new(2, 2, &[0, 2]).is_err());
    assert!(Ratings::new(2, 2, &[0]).is_err());
    assert!(Ratings::new(0, 2, &[]).is_err());
    assert!(Weights::new(2, vec![1.0, 0.5, 0.4, 1.0]).is_err());
}

/// An intraclass correlation knows full units only, and says how many it left out.
#[test]
fn units_with_gaps_are_left_out_of_correlations() {
    let full = [0, 1, 2, 2, 1, 0];
    let gaps = [0, 1, MISSING, 2, 2, 2, 1, 0, 0, MISSING];
    let worth = [1.0, 2.0, 5.0];
    let anova = |codes: &[u8]| {
        let ratings = Ratings::new(2, 3, codes).expect("codes fit");
        Anova::of_ratings(&ratings, &worth)
            .expect("a value a level")
            .expect("values vary")
    };
    assert_eq!((anova(&full).units, anova(&full).incomplete), (3, 0));
    assert_eq!((anova(&gaps).units, anova(&gaps).incomplete), (3, 2));
    assert_eq!(anova(&full).between_units, anova(&gaps).between_units);
    assert_eq!(anova(&full).residual, anova(&gaps).residual);
}

/// McNemar's test by hand: one of six changed units the first way, so 2 (1 + 6) / 64, and its half share for mid-p.
#[test]
fn mcnemar_by_hand() {
    let flags = PairedFlags {
        both: 20,
        only_first: 1,
        only_second: 5,
        neither: 4,
    };
    let found = flags.difference().expect("there are units");
    assert!((found.exact_p_value - 14.0 / 64.0).abs() < ROUNDING);
    assert!((found.mid_p_value - (14.0 - 6.0) / 64.0).abs() < ROUNDING);
    assert!((found.difference - 4.0 / 30.0).abs() < ROUNDING);
    assert!(found.interval.contains(found.difference));
    let even = PairedFlags {
        only_first: 5,
        only_second: 5,
        ..flags
    };
    assert_eq!(even.difference().expect("there are units").mid_p_value, 1.0);
}
