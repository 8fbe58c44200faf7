//! Tails and quantiles of the distributions that tests and intervals need: normal, Student's t, F and the binomial.

use crate::beta::{beta_quantile, incomplete_beta};
use crate::stream::normal_quantile;

/// The chance that a standard normal variable lies at least as far from 0 as `z`.
///
/// A series near 0, a continued fraction in the tail; relative error below 1e-14.
///
/// Source: Abramowitz and Stegun 7.1.6 and 26.2.14.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    const SERIES_UP_TO: f64 = 2.5;
    const TERMS: u32 = 200;
    let z = z.abs();
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < SERIES_UP_TO {
        let (mut term, mut sum) = (z, z);
        for n in 1..TERMS {
            term *= z * z / f64::from(2 * n + 1);
            sum += term;
        }
        return 1.0 - 2.0 * density * sum;
    }
    let fraction = (1..TERMS).rev().fold(z, |below, n| z + f64::from(n) / below);
    2.0 * density / fraction
}

/// The value of z whose distance from 0 a standard normal variable stays within with chance `level`, in (0, 1).
pub(crate) fn normal_reach(level: f64) -> f64 {
    normal_quantile(0.5 + 0.5 * level)
}

/// The value of t whose distance from 0 Student's t with `degrees` of freedom stays within with chance `level`, in (0, 1).
pub(crate) fn student_reach(level: f64, degrees: f64) -> f64 {
    // P(|T| > t) is the chance that a Beta(degrees / 2, 1 / 2) variable is at most degrees / (degrees + t^2).
    let x = beta_quantile(degrees / 2.0, 0.5, 1.0 - level);
    (degrees * (1.0 - x) / x).sqrt()
}

/// The quantile at `p` in (0, 1) of F with `above` and `below` degrees of freedom.
pub(crate) fn f_quantile(p: f64, above: f64, below: f64) -> f64 {
    let x = beta_quantile(above / 2.0, below / 2.0, p);
    below * x / (above * (1.0 - x))
}

/// The chance of more than `f` under F with `above` and `below` degrees of freedom.
pub(crate) fn f_upper(f: f64, above: f64, below: f64) -> f64 {
    incomplete_beta(below / 2.0, above / 2.0, below / (below + above * f))
}

/// The chance of at most `k` heads in `n` throws of a fair coin; `k` below 0 gives 0.
pub(crate) fn fair_coin_at_most(k: i64, n: u64) -> f64 {
    match u64::try_from(k) {
        Err(_) => 0.0,
        Ok(k) if k >= n => 1.0,
        Ok(k) => incomplete_beta((n - k) as f64, k as f64 + 1.0, 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative, of values that mpmath 1.3 computes with 30 digits; the incomplete beta function is good to a few units of 1e-14.
    const RELATIVE: f64 = 1e-12;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < RELATIVE, "{found} {expected}");
    }

    /// `erfc(z / sqrt(2))`.
    #[test]
    fn normal_tails() {
        close(normal_two_sided(0.1), 0.920_344_325_445_942);
        close(normal_two_sided(1.959_963_984_540_054), 0.05);
        close(normal_two_sided(-2.4), 0.016_395_071_849_192_26);
        close(normal_two_sided(2.6), 0.009_322_376_047_437_5);
        close(normal_two_sided(8.0), 1.244_192_114_854_357e-15);
        close(normal_reach(0.95), 1.959_963_984_540_054);
    }

    /// Roots of the regularised `betainc`: t at .975 with 11 degrees of freedom, F with 5 and 15 at .975 and .025 and above 11.027.
    #[test]
    fn quantiles_of_student_and_fisher() {
        close(student_reach(0.95, 11.0), 2.200_985_160_091_64);
        close(f_quantile(0.975, 5.0, 15.0), 3.576_415_349_279_062);
        close(f_quantile(0.025, 5.0, 15.0), 0.155_575_963_078_487_1);
        close(f_upper(11.027_247_956_403_299, 5.0, 15.0), 0.000_134_566_516_484_334_9);
    }

    /// Counted by hand: of 16 sequences of four throws 1, 4 and 6 have no, one and two heads.
    #[test]
    fn fair_coins() {
        assert_eq!(fair_coin_at_most(-1, 4), 0.0);
        close(fair_coin_at_most(0, 4), 1.0 / 16.0);
        close(fair_coin_at_most(1, 4), 5.0 / 16.0);
        close(fair_coin_at_most(2, 4), 11.0 / 16.0);
        assert_eq!(fair_coin_at_most(4, 4), 1.0);
    }
}
