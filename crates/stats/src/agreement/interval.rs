//! Intervals of coefficients from their standard errors.

use crate::distribution::{normal_reach, student_reach};
use crate::resample::Interval;

/// The interval of a coefficient for large samples, at `level` in (0, 1): its value with as many standard errors to both sides as
/// a normal variable has, and no more than 1 above.
///
/// For two judges, with [`cohen_kappa_error`](super::cohen_kappa_error).
///
/// Source: Fleiss, Cohen and Everitt 1969.
#[must_use]
pub fn normal_interval(value: f64, standard_error: f64, level: f64) -> Interval {
    within(value, standard_error * normal_reach(level))
}

/// The interval of a coefficient of a panel, at `level` in (0, 1): Student's t with one degree of freedom fewer than `units`, which
/// is at least 2, and no more than 1 above.
///
/// Source: Gwet 2014; the same as irrCAC.
#[must_use]
pub fn student_interval(value: f64, standard_error: f64, units: u64, level: f64) -> Interval {
    let degrees = units.saturating_sub(1).max(1) as f64;
    within(value, standard_error * student_reach(level, degrees))
}

fn within(value: f64, reach: f64) -> Interval {
    Interval {
        low: value - reach,
        high: (value + reach).min(1.0),
    }
}
