//! What does not survive a conversion.

use std::collections::BTreeMap;

/// One kind of thing that a conversion leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What it is, as a plural or a mass noun: "tool calls", "reasoning of the model".
    pub what: String,
    /// Why it has no place, and what to do where it matters.
    pub why: String,
    /// How many there were.
    pub count: u64,
}

/// Losses of one conversion, counted by what and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(BTreeMap<(String, String), u64>);

impl Losses {
    /// Counts one thing that is left behind.
    pub fn add(&mut self, what: &str, why: &str) {
        self.add_many(what, why, 1);
    }

    /// Counts several; none are no loss.
    pub fn add_many(&mut self, what: &str, why: &str, count: u64) {
        if count > 0 {
            *self.0.entry((what.to_owned(), why.to_owned())).or_default() += count;
        }
    }

    /// Adds the losses of another part.
    pub fn merge(&mut self, other: Self) {
        for ((what, why), count) in other.0 {
            *self.0.entry((what, why)).or_default() += count;
        }
    }

    /// Whether everything survives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The losses, ordered by what they are.
    pub fn iter(&self) -> impl Iterator<Item = Loss> {
        self.0.iter().map(|((what, why), count)| Loss {
            what: what.clone(),
            why: why.clone(),
            count: *count,
        })
    }
}
