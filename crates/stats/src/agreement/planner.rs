//! How many units a round of grading needs.

use crate::Error;
use crate::distribution::normal_reach;

/// The standard error of a share `p` in [0, 1] over `n` units, at least 1: `sqrt(p (1 - p) / n)`.
///
/// At .6 and 40 units it is .077. Half of it costs four times the units, a quarter sixteen times.
///
/// # Errors
/// If `p` is no share or there is no unit.
///
/// Source: `[RR]`; METHODS 29.
pub fn standard_error(p: f64, n: u64) -> Result<f64, Error> {
    check_share("the share", p)?;
    if n == 0 {
        return Err(Error::OutOfRange {
            argument: "the number of units",
            value: 0.0,
            range: "at least 1",
        });
    }
    Ok((p * (1.0 - p) / n as f64).sqrt())
}

/// The fewest units that give a share `p` in [0, 1] a standard error of at most `wanted`, above 0.
///
/// # Errors
/// If `p` is no share or `wanted` not positive.
///
/// Source: METHODS 29.
pub fn units_for_standard_error(p: f64, wanted: f64) -> Result<u64, Error> {
    check_share("the share", p)?;
    check_positive("the wanted standard error", wanted)?;
    Ok(whole(p * (1.0 - p) / (wanted * wanted)))
}

/// The fewest units whose interval of a share `p`, at `level` in (0, 1), reaches at most `half_width` to each side.
///
/// # Errors
/// If `p` is no share, `half_width` not positive, or `level` not between 0 and 1.
///
/// Source: METHODS 29.
pub fn units_for_half_width(p: f64, half_width: f64, level: f64) -> Result<u64, Error> {
    check_positive("the wanted half width", half_width)?;
    units_for_standard_error(p, half_width / normal_reach(check_level(level)?))
}

/// By what the number of units must grow so that the standard error shrinks to `share` of itself, in (0, 1]: 4 for a half, 16 for a
/// quarter.
///
/// # Errors
/// If `share` is not above 0 and at most 1.
///
/// Source: `[RR]`; METHODS 29.
pub fn units_factor(share: f64) -> Result<f64, Error> {
    check_positive("the share of the standard error", share)?;
    check_share("the share of the standard error", share)?;
    Ok(1.0 / (share * share))
}

/// The fewest units in each of two rounds, on different units, with which a difference as large as that between the shares `p` and
/// `q` lies just outside its interval around 0, at `level` in (0, 1): 442 for 80 % against 85 % at .95.
///
/// A true difference of this size is then seen half the time: it is the least a round can do, not enough to rely on.
///
/// # Errors
/// If `p` or `q` is no share, the two are equal, or `level` is not between 0 and 1.
///
/// Source: `[RR]`; METHODS 29, 35.
pub fn units_to_see_difference(p: f64, q: f64, level: f64) -> Result<u64, Error> {
    check_share("the first share", p)?;
    check_share("the second share", q)?;
    check_positive("the difference", (p - q).abs())?;
    let reach = normal_reach(check_level(level)?);
    Ok(whole(reach * reach * (p * (1.0 - p) + q * (1.0 - q)) / (p - q).powi(2)))
}

/// The next whole number; a product that rounding lifts just above one counts as that one.
fn whole(units: f64) -> u64 {
    const ROUNDING: f64 = 1e-9;
    ((units * (1.0 - ROUNDING)).ceil() as u64).max(1)
}

fn check_share(argument: &'static str, value: f64) -> Result<(), Error> {
    check(argument, value, (0.0..=1.0).contains(&value), "between 0 and 1")
}

fn check_positive(argument: &'static str, value: f64) -> Result<(), Error> {
    check(argument, value, value > 0.0 && value.is_finite(), "above 0")
}

fn check_level(level: f64) -> Result<f64, Error> {
    let inside = 0.0 < level && level < 1.0;
    check("the level of the interval", level, inside, "strictly between 0 and 1")?;
    Ok(level)
}

fn check(argument: &'static str, value: f64, good: bool, range: &'static str) -> Result<(), Error> {
    if good {
        return Ok(());
    }
    Err(Error::OutOfRange { argument, value, range })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of `[RR]`, printed to a tenth of a point.
    #[test]
    fn figures_of_the_source() {
        const TENTH_OF_A_POINT: f64 = 0.0005;
        assert!((standard_error(0.6, 40).expect("a share") - 0.077).abs() < TENTH_OF_A_POINT);
        assert_eq!(units_factor(0.5), Ok(4.0));
        assert_eq!(units_factor(0.25), Ok(16.0));
    }

    /// 1.96^2 (.8 * .2 + .85 * .15) / .05^2 = 441.78.
    #[test]
    fn units_for_eighty_against_eighty_five() {
        assert_eq!(units_to_see_difference(0.8, 0.85, 0.95), Ok(442));
        assert_eq!(units_to_see_difference(0.85, 0.8, 0.95), Ok(442));
    }

    /// The number returned is enough, and one unit fewer is not.
    #[test]
    fn counts_are_the_fewest() {
        for p in [0.05, 0.6, 0.9] {
            for wanted in [0.3, 0.077, 0.01] {
                let n = units_for_standard_error(p, wanted).expect("a share");
                assert!(standard_error(p, n).expect("a share") <= wanted * (1.0 + 1e-9));
                assert!(n == 1 || standard_error(p, n - 1).expect("a share") > wanted);
            }
        }
        assert_eq!(units_for_standard_error(0.5, 0.05), Ok(100));
        assert_eq!(units_for_half_width(0.5, 0.1, 0.95), Ok(97));
    }

    #[test]
    fn wrong_arguments_are_named() {
        assert!(standard_error(1.2, 40).is_err());
        assert!(standard_error(0.5, 0).is_err());
        assert!(units_for_standard_error(0.5, 0.0).is_err());
        assert!(units_to_see_difference(0.8, 0.8, 0.95).is_err());
        assert!(units_for_half_width(0.8, 0.1, 1.0).is_err());
        assert!(units_factor(1.5).is_err());
    }
}
