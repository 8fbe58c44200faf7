//! Shares of trials, with their intervals.

use crate::Undefined;

/// The 97.5 % point of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % Wilson interval of a share: `passed` of `trials` independent trials, ends in [0, 1].
///
/// It holds the share itself, has a width even where all or none passed, and never leaves [0, 1], unlike the interval of the normal
/// approximation. Trials that belong together (the criteria of one query) make it too narrow: prefer a bootstrap of clusters there.
///
/// # Errors
/// Undefined without a trial. More passes than trials count as all of them.
///
/// Source: Wilson 1927, `(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)`.
pub fn wilson_interval(passed: u64, trials: u64) -> Result<(f64, f64), Undefined> {
    if trials == 0 {
        return Err(Undefined::NoValues);
    }
    let n = trials as f64;
    let p = passed.min(trials) as f64 / n;
    let z2 = Z * Z;
    let middle = p + z2 / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z2 / n;
    Ok((
        ((middle - half) / whole).clamp(0.0, p),
        ((middle + half) / whole).clamp(p, 1.0),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends solve `(p - x)^2 = z^2 x (1 - x) / n`, which defines the interval.
    #[test]
    fn the_ends_solve_their_equation() {
        const ROUNDING: f64 = 1e-12;
        for (passed, trials) in [(3, 10), (1, 7), (40, 41), (500, 1000)] {
            let (n, p) = (trials as f64, passed as f64 / trials as f64);
            let (low, high) = wilson_interval(passed, trials).expect("there are trials");
            assert!(low < p && p < high);
            for x in [low, high] {
                let error = (p - x) * (p - x) - Z * Z * x * (1.0 - x) / n;
                assert!(error.abs() < ROUNDING, "{passed} of {trials}: {error}");
            }
        }
    }

    #[test]
    fn all_and_none_still_have_a_width() {
        // With none of n passed the upper end is z^2 / (n + z^2).
        const ROUNDING: f64 = 1e-15;
        let (low, high) = wilson_interval(0, 10).expect("there are trials");
        assert_eq!(low, 0.0);
        assert!((high - Z * Z / (10.0 + Z * Z)).abs() < ROUNDING);
        let (low, high) = wilson_interval(10, 10).expect("there are trials");
        assert!(low < 1.0 && high == 1.0);
        assert!(wilson_interval(0, 0).is_err());
    }
}
