//! Draws from binomial and multinomial distributions, for bootstraps of units that come in few kinds.

use crate::stream::Stream;

/// How many of `n` trials succeed, each with chance `p` in [0, 1].
///
/// Exact in distribution: by inversion where few successes are expected, else by transformed rejection.
///
/// Source: Hörmann 1993, algorithm BTRS.
pub(crate) fn binomial(stream: &mut Stream, n: u64, p: f64) -> u64 {
    const FEW: f64 = 10.0;
    if n == 0 || p <= 0.0 {
        return 0;
    }
    if p >= 1.0 {
        return n;
    }
    if p > 0.5 {
        return n - binomial(stream, n, 1.0 - p);
    }
    if n as f64 * p < FEW {
        by_inversion(stream, n, p)
    } else {
        by_rejection(stream, n, p)
    }
}

/// How often each kind is drawn when as many units as there are are drawn with replacement: kind `i` has `units[i]` of them.
pub(crate) fn draw_units(stream: &mut Stream, units: &[u64]) -> Vec<u64> {
    let total: u64 = units.iter().sum();
    let (mut draws, mut rest) = (total, total);
    let mut drawn = Vec::with_capacity(units.len());
    for &of_kind in units {
        // Given the draws of the kinds before, the rest falls on this kind in proportion to what is left.
        let share = if rest == 0 { 0.0 } else { of_kind as f64 / rest as f64 };
        let times = binomial(stream, draws, share);
        drawn.push(times);
        draws -= times;
        rest -= of_kind;
    }
    drawn
}

fn by_inversion(stream: &mut Stream, n: u64, p: f64) -> u64 {
    let odds = p / (1.0 - p);
    // Where fewer than ten successes are expected, no success has a chance above e^-14.
    let mut chance = (n as f64 * (-p).ln_1p()).exp();
    let mut left = stream.uniform();
    let mut k = 0;
    while left >= chance && k < n {
        left -= chance;
        k += 1;
        chance *= odds * (n - k + 1) as f64 / k as f64;
        // Rounding may leave a remainder that no success reaches.
        if chance == 0.0 {
            break;
        }
    }
    k
}

fn by_rejection(stream: &mut Stream, n: u64, p: f64) -> u64 {
    let trials = n as f64;
    let odds = p / (1.0 - p);
    let deviation = (trials * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let centre = trials * p + 0.5;
    let sure = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * deviation;
    let mode = ((trials + 1.0) * p).floor();
    loop {
        let u = stream.uniform() - 0.5;
        let v = stream.uniform();
        let edge = 0.5 - u.abs();
        let k = ((2.0 * a / edge + b) * u + centre).floor();
        if edge >= 0.07 && v <= sure {
            return k as u64;
        }
        if !(0.0..=trials).contains(&k) || edge <= 0.0 {
            continue;
        }
        let height = (v * alpha / (a / (edge * edge) + b)).ln();
        let bound = (mode + 0.5) * ((mode + 1.0) / (odds * (trials - mode + 1.0))).ln()
            + (trials + 1.0) * ((trials - mode + 1.0) / (trials - k + 1.0)).ln()
            + (k + 0.5) * (odds * (trials - k + 1.0) / (k + 1.0)).ln()
            + stirling_rest(mode)
            + stirling_rest(trials - mode)
            - stirling_rest(k)
            - stirling_rest(trials - k);
        if height <= bound {
            return k as u64;
        }
    }
}

/// `ln k!` less Stirling's formula around `k + 1`: `ln k! - (k + 1/2) ln(k + 1) + (k + 1) - ln(2 pi) / 2`.
fn stirling_rest(k: f64) -> f64 {
    const SMALL: [f64; 10] = [
        0.081_061_466_795_327_26,
        0.041_340_695_955_409_3,
        0.027_677_925_684_998_34,
        0.020_790_672_103_765_09,
        0.016_644_691_189_821_193,
        0.013_876_128_823_070_748,
        0.011_896_709_945_891_77,
        0.010_411_265_261_972_096,
        0.009_255_462_182_712_733,
        0.008_330_563_433_362_87,
    ];
    if k < SMALL.len() as f64 {
        return SMALL[k as usize];
    }
    let next = k + 1.0;
    let square = next * next;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    /// The chances of a few values, by the recursion of the binomial; counts of draws stay within five standard errors.
    #[test]
    fn draws_have_their_distribution() {
        const DRAWS: u32 = 40_000;
        for (n, p) in [
            (5, 0.3),
            (40, 0.1),
            (40, 0.5),
            (200, 0.93),
            (1000, 0.02),
            (100_000, 0.4),
        ] {
            let mut stream = Stream::new(5, Purpose::Simulation, n as u32);
            let mut drawn: Vec<u64> = (0..DRAWS).map(|_| binomial(&mut stream, n, p)).collect();
            drawn.sort_unstable();
            let log_chance = |k: u64| {
                let choose: f64 = (1..=k).map(|i| ((n - k + i) as f64 / i as f64).ln()).sum();
                choose + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln()
            };
            let mode = (n as f64 * p) as u64;
            for k in mode.saturating_sub(2)..=(mode + 2).min(n) {
                let chance = log_chance(k).exp();
                let found = drawn.iter().filter(|&&x| x == k).count() as f64 / f64::from(DRAWS);
                let error = (chance * (1.0 - chance) / f64::from(DRAWS)).sqrt();
                assert!((found - chance).abs() < 5.0 * error, "{n} {p} {k}: {found} {chance}");
            }
            let mean = drawn.iter().sum::<u64>() as f64 / f64::from(DRAWS);
            let deviation = (n as f64 * p * (1.0 - p)).sqrt();
            let squares = drawn.iter().map(|&x| (x as f64 - n as f64 * p).powi(2)).sum::<f64>();
            let ratio = squares / f64::from(DRAWS) / deviation.powi(2);
            assert!((mean - n as f64 * p).abs() < 5.0 * deviation / f64::from(DRAWS).sqrt());
            assert!(
                (ratio - 1.0).abs() < 5.0 * (2.5 / f64::from(DRAWS)).sqrt(),
                "{n} {p}: {ratio}"
            );
        }
    }

    #[test]
    fn all_units_are_drawn() {
        let units = [3, 0, 50, 1, 100_000];
        for replicate in 0..100 {
            let mut stream = Stream::new(1, Purpose::Simulation, replicate);
            let drawn = draw_units(&mut stream, &units);
            assert_eq!(drawn.iter().sum::<u64>(), units.iter().sum::<u64>());
            assert_eq!(drawn[1], 0);
        }
    }

    /// The table of small arguments continues the series.
    #[test]
    fn stirling_meets_its_series() {
        let series = |next: f64| (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / (next * next)) / (next * next)) / next;
        assert!((stirling_rest(9.0) - series(10.0)).abs() < 1e-10);
        assert!((stirling_rest(0.0) - (1.0 - 0.5 * (2.0 * std::f64::consts::PI).ln())).abs() < 1e-15);
    }
}
