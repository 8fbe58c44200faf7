//! From judge error to unanimity and back, when independent judges err alike.

use crate::Undefined;

/// The chance that a panel of `judges` is unanimous on one unit, each judge wrong with probability `error` in [0, 1].
///
/// Source: `[CR26]` Prop. 1: `rho = (1 - eps)^K + eps^K`.
#[must_use]
pub fn unanimity_rate(error: f64, judges: u32) -> f64 {
    let k = judges.cast_signed();
    (1.0 - error).powi(k) + error.powi(k)
}

/// The judge error in [0, 1/2] that makes a panel of `judges` unanimous on a unit with chance `rho`.
///
/// A rate above 1 counts as 1.
///
/// # Errors
/// Undefined for fewer than two judges, who are always unanimous, and for `rho` below `2^(1-K)`, which no error gives.
///
/// Source: `[CR26]` Prop. 1, solved by bisection; METHODS 73.
pub fn judge_error(rho: f64, judges: u32) -> Result<f64, Undefined> {
    // Bisection halves [0, 1/2] until neighbouring doubles remain.
    const HALVINGS: usize = 60;
    if judges < 2 {
        return Err(Undefined::TooFewJudges {
            have: judges as usize,
            need: 2,
        });
    }
    let least = unanimity_rate(0.5, judges);
    if rho.is_nan() || rho < least {
        return Err(Undefined::BelowChance { rate: rho, least });
    }
    // The rate falls from 1 to its least as the error grows from 0 to 1/2.
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if unanimity_rate(middle, judges) >= rho {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
