//! Why a number does not exist: the value that stands beside a `null`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason a statistic has no value, as an identifier for programs and a clause for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Undefined {
    /// Stable snake_case identifier, for example `too_few_clusters`.
    pub reason: String,
    /// The same in words, with the numbers of the case.
    pub detail: String,
}

impl Undefined {
    /// A reason with its words.
    pub fn new(reason: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            detail: detail.into(),
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Undefined {}

/// Splits a statistic into the pair an artifact stores: the number, or why there is none.
pub fn parts<T>(value: Result<T, Undefined>) -> (Option<T>, Option<Undefined>) {
    match value {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason)),
    }
}
