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

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no roll-up rule; the rules are all, at_least:NUMBER, mandatory:ID,ID and weighted")]
pub struct UnknownRule {
    /// The text as it was read, its start where it is long.
    pub text: String,
}

impl std::str::FromStr for RollUpRule {
    type Err = UnknownRule;

    /// Reads the form of flags: `all`, `at_least:2`, `mandatory:id,id` or `weighted`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownRule {
            text: text.chars().take(80).collect(),
        };
        let (word, argument) = match text.trim().split_once(':') {
            Some((word, argument)) => (word.trim(), Some(argument.trim())),
            None => (text.trim(), None),
        };
        match (word, argument) {
            ("all", None) => Ok(Self::All),
            ("weighted", None) => Ok(Self::Weighted),
            ("at_least", Some(least)) => match least.parse() {
                Ok(least) if least > 0 => Ok(Self::AtLeast(least)),
                _ => Err(unknown()),
            },
            ("mandatory", Some(ids)) => {
                let ids: Vec<String> = ids.split(',').map(|id| id.trim().to_owned()).collect();
                match ids.iter().any(String::is_empty) {
                    true => Err(unknown()),
                    false => Ok(Self::Mandatory(ids)),
                }
            }
            _ => Err(unknown()),
        }
    }
}

/// The form of flags.
impl std::fmt::Display for RollUpRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::AtLeast(least) => write!(f, "at_least:{least}"),
            Self::Mandatory(ids) => write!(f, "mandatory:{}", ids.join(",")),
            Self::Weighted => f.write_str("weighted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_flags_comes_back() {
        for text in ["all", "at_least:2", "mandatory:a,b", "weighted"] {
            assert_eq!(
                text.parse::<RollUpRule>().map(|rule| rule.to_string()),
                Ok(text.to_owned())
            );
        }
        for wrong in [
            "",
            "every",
            "at_least",
            "at_least:0",
            "at_least:two",
            "mandatory:",
            "mandatory:a,",
            "all:1",
        ] {
            assert!(wrong.parse::<RollUpRule>().is_err(), "{wrong}");
        }
    }
}
