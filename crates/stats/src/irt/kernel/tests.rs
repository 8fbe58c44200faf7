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

/// The first tile, the second, or both, of two tiles.
fn windows(systems: usize) -> Vec<Range<usize>> {
    let choices = [0..TILE, TILE..2 * TILE, 0..2 * TILE];
    (0..systems).map(|i| choices[i % 3].clone()).collect()
}

/// Everything the kernel computes on one level.
fn outputs(level: Level) -> Vec<f64> {
    let (systems, items, stride) = (7, 5, 2 * TILE);
    let item = ItemAt {
        a: 1.3,
        b: -0.4,
        weight: 2.0,
    };
    let theta: Vec<f64> = numbers(stride, 0.3).iter().map(|x| 60.0 * x - 30.0).collect();
    let mut all = Vec::new();

    let (mut pass, mut fail) = (vec![0.0; items * stride], vec![0.0; items * stride]);
    for k in 0..items {
        let range = k * stride..(k + 1) * stride;
        let (pass, fail) = (&mut pass[range.clone()], &mut fail[range]);
        log_probabilities(level, item, &theta, pass, fail);
    }
    let cells: Vec<[f64; 2]> = (0..systems * items).map(|k| [(k % 3) as f64, (k % 2) as f64]).collect();
    let mut rows = numbers(systems * stride, 0.7);
    let windows = windows(systems);
    add_log_likelihood(level, &cells, &pass, &fail, &windows, &mut rows);
    all.extend(rows.iter().chain(&pass).chain(&fail));

    let masses = numbers(systems * stride, 0.1);
    let (mut successes, mut trials) = (vec![0.0; stride], vec![0.0; stride]);
    expected_counts(level, &cells[..systems], &masses, &mut successes, &mut trials);
    all.extend(successes.iter().chain(&trials));

    windowed_counts(level, &cells[..systems], &masses, &windows, &mut successes, &mut trials);
    all.extend(successes.iter().chain(&trials));
    probabilities(level, item, &theta, &mut pass[..stride]);
    all.extend(&pass[..stride]);

    let m = moments(level, item, &theta, &successes, &trials, &mut vec![0.0; 2 * stride]);
    all.extend([m.d, m.du, m.w, m.wu, m.wuu]);

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
    let (r, n) = (numbers(32, 0.4), numbers(32, 0.6));
    let mut expected = [0.0; 5];
    for g in 0..32 {
        let u = theta[g] - item.b;
        let p = 1.0 / (1.0 + (-item.a * u).exp());
        let (d, w) = (r[g] - n[g] * p, n[g] * p * (1.0 - p));
        for (sum, term) in expected.iter_mut().zip([d, d * u, w, w * u, w * u * u]) {
            *sum += item.weight * term;
        }
    }
    let m = moments(Level::detect(), item, &theta, &r, &n, &mut [0.0; 64]);
    for (value, expected) in [m.d, m.du, m.w, m.wu, m.wuu].into_iter().zip(expected) {
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

/// Leaving out what is 0 changes no bit, because systems are added in the same order.
#[test]
fn counts_in_windows_are_the_counts_of_rows_with_zeros() {
    let (systems, stride) = (7, 2 * TILE);
    let windows = windows(systems);
    let mut masses = numbers(systems * stride, 0.1);
    for (row, window) in masses.chunks_exact_mut(stride).zip(&windows) {
        row[..window.start].fill(0.0);
        row[window.end..].fill(0.0);
    }
    let cells: Vec<[f64; 2]> = (0..systems).map(|k| [(k % 3) as f64, 2.0]).collect();
    let level = Level::detect();
    let (mut whole, mut part) = (vec![0.5; 2 * stride], vec![0.5; 2 * stride]);
    let (successes, trials) = whole.split_at_mut(stride);
    expected_counts(level, &cells, &masses, successes, trials);
    let (successes, trials) = part.split_at_mut(stride);
    windowed_counts(level, &cells, &masses, &windows, successes, trials);
    assert_eq!(whole, part);
}
