//! Why responses cannot be fitted.

use crate::{Error, Undefined};

/// What keeps an item response model from being fitted or used; a fit that does not converge is a result, not an error.
///
/// The message reads after "cannot ...:".
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IrtError {
    /// One system, or none: there is nobody to compare it with.
    #[error("a common scale needs at least 2 systems, not {have}")]
    TooFewSystems {
        /// Systems there are.
        have: usize,
    },
    /// No item is left.
    #[error("there is no item")]
    NoItems,
    /// An item that every system passed, every system failed, or nobody answered.
    #[error("item {item} never varies, so it has no difficulty: drop constant items first")]
    ConstantItem {
        /// Its position from 0.
        item: usize,
    },
    /// A cell with more successes than trials.
    #[error("system {system} passed item {item} {successes} times in {trials} trials")]
    SuccessesExceedTrials {
        /// The system's position from 0.
        system: usize,
        /// The item's position from 0.
        item: usize,
        /// Successes given.
        successes: u16,
        /// Trials given.
        trials: u16,
    },
    /// An argument of the wrong length or outside its range.
    #[error(transparent)]
    Argument(#[from] Error),
    /// The data do not define the quantity.
    #[error(transparent)]
    Undefined(#[from] Undefined),
}
