//! The rule from verdicts on criteria to one outcome of a response.

use serde::{Deserialize, Serialize};

use crate::rubric::Date;

/// The rule from criteria to one outcome.
///
/// Stricter rules never pass more: what passes [`RollUpRule::All`] passes [`RollUpRule::AtLeast`] for every m.
///
/// Source: METHODS 46, 47.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RollUpRule {
    /// Every criterion is met.
    All,
    /// At least this many criteria are met; 1 or more.
    AtLeast(u32),
    /// These criteria, by id, are met; the others do not decide.
    Mandatory(Vec<String>),
    /// No outcome: the weighted score stands for itself.
    Weighted,
}

/// The rule with the reason it was chosen, in advance, and when.
///
/// Source: METHODS 48.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollUp {
    /// The rule.
    pub rule: RollUpRule,
    /// Why this rule, and agreed with whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was agreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
}
