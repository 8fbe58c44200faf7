//! The beta distribution: its distribution function and quantile, for counts of any size.

/// Relative change of the continued fraction at which it has converged: a few units in the last place.
const FRACTION_TOLERANCE: f64 = 4.0 * f64::EPSILON;

/// The regularised incomplete beta function: the chance that a Beta(`a`, `b`) variable is at most `x`.
///
/// `a` and `b` are positive; `x` below 0 counts as 0, above 1 as 1.
///
/// Source: Press et al. 2007, section 6.4 (modified Lentz continued fraction).
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on the side of the mean where x is; the other side is its mirror image.
    if x < (a + 1.0) / (a + b + 2.0) {
        log_front(a, b, x).exp() * fraction(a, b, x) / a
    } else {
        1.0 - log_front(a, b, x).exp() * fraction(b, a, 1.0 - x) / b
    }
}

/// The value below which a Beta(`a`, `b`) variable falls with probability `p` in [0, 1].
///
/// Newton steps inside a shrinking bracket; a step that leaves the bracket is replaced by bisection, so that it always ends.
pub(crate) fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    const MOST_STEPS: usize = 200;
    if p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    let mut x = a / (a + b);
    for _ in 0..MOST_STEPS {
        // The root lies in [low, high].
        let excess = incomplete_beta(a, b, x) - p;
        if excess > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let log_density = log_front(a, b, x) - x.ln() - (-x).ln_1p();
        let newton = x - excess / log_density.exp();
        let next = if low < newton && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        let moved = (next - x).abs();
        x = next;
        if moved <= f64::EPSILON * x {
            break;
        }
    }
    x
}

/// `ln(x^a (1 - x)^b / B(a, b))`.
fn log_front(a: f64, b: f64, x: f64) -> f64 {
    ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()
}

/// The logarithm of the gamma function for `x` above 0, to a few units in the last place of its terms.
///
/// Source: Abramowitz and Stegun 6.1.40 (Stirling's series), after shifting `x` to where six terms suffice.
fn ln_gamma(x: f64) -> f64 {
    const SERIES_FROM: f64 = 10.0;
    const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;
    const SERIES: [f64; 6] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
    ];
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < SERIES_FROM {
        product *= shifted;
        shifted += 1.0;
    }
    let square = 1.0 / (shifted * shifted);
    let tail = SERIES.iter().rev().fold(0.0, |sum, term| sum * square + term) / shifted;
    (shifted - 0.5) * shifted.ln() - shifted + HALF_LN_TWO_PI + tail - product.ln()
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    // Terms needed grow with the square root of the counts: this suffices for 10^9 units.
    const MOST_TERMS: u32 = 200_000;
    const TINY: f64 = 1e-300;
    let away_from_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..MOST_TERMS {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        value *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        value *= c * d;
        if (c * d - 1.0).abs() <= FRACTION_TOLERANCE {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logarithms of moderate size in double precision, exponentiated.
    const TOLERANCE: f64 = 1e-13;

    #[test]
    fn log_factorials() {
        // ln 0! = ln 1! = 0, ln 10! of the exact integer, ln Gamma(1/2) = ln sqrt(pi).
        for (x, expected) in [
            (1.0, 0.0),
            (2.0, 0.0),
            (11.0, 3_628_800f64.ln()),
            (0.5, std::f64::consts::PI.sqrt().ln()),
        ] {
            assert!((ln_gamma(x) - expected).abs() < TOLERANCE, "x {x}");
        }
    }

    #[test]
    fn closed_forms() {
        // Beta(a, 1): x^a. Beta(1, b): 1 - (1 - x)^b. Beta(2, 2): 3x^2 - 2x^3.
        for x in [0.01, 0.3, 0.5, 0.77, 0.999] {
            assert!((incomplete_beta(7.0, 1.0, x) - x.powi(7)).abs() < TOLERANCE);
            assert!((incomplete_beta(1.0, 5.0, x) - (1.0 - (1.0 - x).powi(5))).abs() < TOLERANCE);
            assert!((incomplete_beta(2.0, 2.0, x) - x * x * (3.0 - 2.0 * x)).abs() < TOLERANCE);
        }
    }

    #[test]
    fn quantile_inverts_the_distribution_function() {
        for (a, b) in [(0.4, 0.7), (1.0, 1.0), (16.0, 1.0), (1001.0, 315.0), (4.23, 1.05)] {
            for p in [1e-6, 0.025, 0.5, 0.975, 0.999_999] {
                let x = beta_quantile(a, b, p);
                assert!((incomplete_beta(a, b, x) - p).abs() < 1e-10, "a {a} b {b} p {p} x {x}");
            }
        }
    }

    #[test]
    fn large_counts_follow_the_normal_limit() {
        // Beta(n, n) at its mean is 1/2 by symmetry; one standard deviation above it is Phi(1) up to terms of order 1/n.
        let n = 50_000.0;
        let sd = 1.0 / (4.0 * (2.0 * n + 1.0_f64)).sqrt();
        assert!((incomplete_beta(n, n, 0.5) - 0.5).abs() < 1e-8);
        assert!((incomplete_beta(n, n, 0.5 + sd) - 0.841_344_746).abs() < 1e-5);
    }
}
