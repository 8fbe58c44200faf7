use super::*;

/// The relative error in units of machine epsilon.
fn epsilons(value: f64, expected: f64) -> f64 {
    (value / expected - 1.0).abs() / f64::EPSILON
}

/// From 0 to -708 in steps that share no factor with ln 2, and the small and the halfway points of the reduction.
fn arguments() -> Vec<f64> {
    let even = (0..70_000).map(|k| -f64::from(k) * 0.010_113);
    let small = (0..60).map(|k| -(2.0f64.powi(-k)));
    let halfway = (0..1000).map(|k| -(f64::from(k) + 0.5) * std::f64::consts::LN_2);
    even.chain(small).chain(halfway).filter(|t| *t >= -708.0).collect()
}

/// Half a unit for each of the last three roundings, and the standard library's own half.
const EXP_EPSILONS: f64 = 2.0;

#[test]
fn exponential_is_accurate() {
    for t in arguments() {
        let error = epsilons(exp_nonpositive(t), t.exp());
        assert!(error <= EXP_EPSILONS, "exp({t}) is off by {error} epsilon");
    }
}

#[test]
fn exponential_at_its_ends() {
    assert_eq!(exp_nonpositive(0.0), 1.0);
    assert_eq!(exp_nonpositive(-0.0), 1.0);
    assert_eq!(exp_nonpositive(-708.5), 0.0);
    assert_eq!(exp_nonpositive(f64::NEG_INFINITY), 0.0);
}

/// One rounding more, of the division.
const LOG1P_EPSILONS: f64 = 2.5;

#[test]
fn log1p_is_accurate() {
    let small = (0..300).map(|k| 2.0f64.powi(-3 * k - 1));
    assert_eq!(log1p_unit(0.0), 0.0);
    for e in (1..=100_000).map(|k| f64::from(k) / 100_000.0).chain(small) {
        let error = epsilons(log1p_unit(e), e.ln_1p());
        assert!(error <= LOG1P_EPSILONS, "ln(1 + {e}) is off by {error} epsilon");
    }
}

/// Deterministic values in [0, 1), none of them special.
fn numbers(count: usize, salt: f64) -> Vec<f64> {
    (0..count)
        .map(|k| ((k as f64 + salt) * 0.618_033_988_749_895).fract())
        .collect()
}

/// Everything the kernel computes on one level.
fn outputs(level: Level) -> Vec<f64> {
    let (systems, stride) = (11, 32);
    let item = ItemAt {
        a: 1.3,
        b: -0.4,
        weight: 2.0,
    };
    let theta: Vec<f64> = numbers(stride, 0.3).iter().map(|x| 60.0 * x - 30.0).collect();
    let mut all = Vec::new();

    let (mut pass, mut fail) = (vec![0.0; stride], vec![0.0; stride]);
    log_probabilities(level, item, &theta, &mut pass, &mut fail);
    let mut row = numbers(stride, 0.7);
    add_scaled(level, 1.7, &fail, &mut row);
    add_linear(level, &pass, &theta, 0.3, 1.9, &mut row);
    all.extend(row.iter().chain(&pass).chain(&fail));

    let successes: Vec<u16> = (0..systems).map(|i| i % 3).collect();
    let (mut slopes, mut products) = (numbers(systems.into(), 0.1), numbers(systems.into(), 0.2));
    all.extend(weigh_successes(level, &successes, &slopes, &products));
    add_successes(level, &successes, 1.1, -0.7, &mut slopes, &mut products);
    all.extend(slopes.iter().chain(&products));

    probabilities(level, item, &theta, &mut pass);
    all.extend(&pass);
    let trials = numbers(stride, 0.6);
    let m = moments(level, item, &theta, &trials, &mut vec![0.0; 2 * stride]);
    all.extend([m.p, m.pu, m.w, m.wu, m.wuu]);

    let shares = numbers(stride - 3, 0.5);
    all.push(logarithmic_gain(level, &trials[3..], &pass[3..], &shares));
    let steep: Vec<f64> = pass.iter().map(|x| 9.0 * x).collect();
    all.push(logarithmic_gain(level, &trials[3..], &steep[3..], &shares));

    let mut values: Vec<f64> = numbers(stride, 0.9).iter().map(|x| -800.0 * x).collect();
    exponentials(level, &mut values);
    all.extend(values);
    all
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let bits = |level| outputs(level).into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let levels = Level::available();
    for level in &levels {
        assert_eq!(bits(*level), bits(levels[0]), "{level:?}");
    }
}

/// Twelve rounded operations on numbers of order 1 and a sum of 32 of them.
const SUM: f64 = 1e-12;

/// The sums by their definitions, with the standard library's functions.
#[test]
fn moments_are_what_they_say() {
    let item = ItemAt {
        a: 0.8,
        b: 0.5,
        weight: 3.0,
    };
    let theta: Vec<f64> = numbers(32, 0.2).iter().map(|x| 8.0 * x - 4.0).collect();
    let n = numbers(32, 0.6);
    let mut expected = [0.0; 5];
    for g in 0..32 {
        let u = theta[g] - item.b;
        let p = 1.0 / (1.0 + (-item.a * u).exp());
        let (p, w) = (n[g] * p, n[g] * p * (1.0 - p));
        for (sum, term) in expected.iter_mut().zip([p, p * u, w, w * u, w * u * u]) {
            *sum += term;
        }
    }
    let m = moments(Level::detect(), item, &theta, &n, &mut [0.0; 64]);
    for (value, expected) in [m.p, m.pu, m.w, m.wu, m.wuu].into_iter().zip(expected) {
        assert!((value - expected).abs() <= SUM);
    }
}

/// Sums over systems by their definitions, with a rest that fills no register.
#[test]
fn sums_over_systems_are_what_they_say() {
    let level = Level::detect();
    let successes: Vec<u16> = (0..21).map(|i| i % 4).collect();
    let (first, second) = (numbers(21, 0.3), numbers(21, 0.9));
    let by = |weights: &[f64]| -> f64 { successes.iter().zip(weights).map(|(&s, w)| f64::from(s) * w).sum() };
    let found = weigh_successes(level, &successes, &first, &second);
    for (value, expected) in found.into_iter().zip([by(&first), by(&second)]) {
        assert!((value - expected).abs() <= SUM);
    }
}

#[test]
fn log_probabilities_keep_their_precision_far_out() {
    let item = ItemAt {
        a: 2.0,
        b: 0.0,
        weight: 1.0,
    };
    let theta = [-500.0, -20.0, 0.0, 20.0];
    let (mut pass, mut fail) = ([0.0; 4], [0.0; 4]);
    log_probabilities(Level::detect(), item, &theta, &mut pass, &mut fail);
    // ln P = -ln(1 + exp(-z)): z itself far below 0, -exp(-z) far above.
    assert_eq!(pass[0], -1000.0);
    assert!(epsilons(pass[3], -(-40.0f64).exp()) <= LOG1P_EPSILONS + EXP_EPSILONS);
    assert!(epsilons(fail[1], -(-40.0f64).exp()) <= LOG1P_EPSILONS + EXP_EPSILONS);
    assert!(epsilons(pass[2], -std::f64::consts::LN_2) <= LOG1P_EPSILONS);
}

/// Below 1, where the polynomial serves, and above.
#[test]
fn logarithmic_gains_are_what_they_say() {
    let (weights, shares) = (numbers(41, 0.3), numbers(41, 0.9));
    for scale in [0.5, 20.0] {
        let information: Vec<f64> = numbers(41, 0.6).iter().map(|x| scale * x).collect();
        let terms = weights.iter().zip(&information).zip(&shares);
        let expected: f64 = terms.map(|((w, i), s)| w * (i * s).ln_1p()).sum();
        let found = logarithmic_gain(Level::detect(), &weights, &information, &shares);
        assert!((found - expected).abs() <= SUM);
    }
}
