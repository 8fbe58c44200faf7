//! `blocks.json`: the parts a run was divided into, each an instrument of its own, and how they stand beside the whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, Header};
use crate::undefined::Undefined;

/// What a run is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The task type of the query (METHODS 51).
    TaskType,
    /// The domain of the query.
    Domain,
    /// The tags of the criterion and of the query; blocks may overlap.
    Tag,
}

impl By {
    /// Every way to divide.
    pub const ALL: [Self; 3] = [Self::TaskType, Self::Domain, Self::Tag];

    /// The word in flags, files and folder names.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::TaskType => "task_type",
            Self::Domain => "domain",
            Self::Tag => "tag",
        }
    }

    /// The way of this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.word() == word)
    }

    /// The word in sentences.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TaskType => "task type",
            Self::Domain => "domain",
            Self::Tag => "tag",
        }
    }

    /// A value as blocks are named: without surrounding space, and a task type by its house name.
    ///
    /// Returns `None` for a value without any visible character.
    #[must_use]
    pub fn value(self, raw: &str) -> Option<String> {
        let value = raw.trim();
        let name = match self {
            Self::TaskType => task_type(value),
            Self::Domain | Self::Tag => value.to_owned(),
        };
        (!name.is_empty()).then_some(name)
    }
}

/// The task types of `[CR26]` with the other spellings its tables use.
const TASK_TYPES: [(&str, &[&str]); 4] = [
    ("evidence_reasoning", &["evidence", "evidence_based_reasoning"]),
    ("decision_support", &["decision"]),
    (
        "high_risk_constraint",
        &["high_risk", "safety_critical", "high_risk_constraints"],
    ),
    ("divergent_creative", &["creative_divergent", "creative"]),
];

/// A task type by its house name, whatever spelling it came in; a type of the user's own stays as written.
///
/// Case, and `-` or space for `_`, are passed over where a known type is looked for.
///
/// Source: METHODS 51.
#[must_use]
pub fn task_type(raw: &str) -> String {
    let folded = raw.trim().to_lowercase().replace([' ', '-'], "_");
    let known = TASK_TYPES
        .iter()
        .find(|(name, spellings)| *name == folded || spellings.contains(&folded.as_str()));
    known.map_or_else(|| raw.trim().to_owned(), |(name, _)| (*name).to_owned())
}

/// The name under which items without a value are shown.
pub const WITHOUT_VALUE: &str = "(none)";

/// The blocks of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Blocks {
    /// The opening.
    #[serde(flatten)]
    pub header: Header,
    /// What they are divided by.
    pub by: By,
    /// Ordered by name, the block without a value last.
    pub blocks: Vec<BlockRow>,
}

impl Artifact for Blocks {
    const FORMAT: &'static str = "calibrant.blocks/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

/// One block: what is in it, and what its own run says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct BlockRow {
    /// The task type, domain or tag; `(none)` where items have none.
    pub block: String,
    /// Whether it holds the items without a value.
    pub without_value: bool,
    /// Its folder, from the run's.
    pub folder: String,
    /// Systems judged in it.
    pub systems: usize,
    /// Queries with an item in it.
    pub queries: usize,
    /// Items.
    pub items: usize,
    /// Rows of its calibration that reach the threshold.
    pub kept: Option<usize>,
    /// Items its fit could use.
    pub fitted: Option<usize>,
    /// Criteria of its bank.
    pub bank: Option<usize>,
    /// Utility of its bank.
    pub utility: Option<f64>,
    /// How many tiers its systems fall into.
    pub tiers: Option<u32>,
    /// The systems of its first tier, in the order of its leaderboard.
    pub leading: Vec<String>,
    /// Share of its pairs of systems told apart.
    pub pairs_separated: Option<f64>,
    /// Systems with an ability both here and over all blocks.
    pub compared: Option<usize>,
    /// Kendall's tau-b of its abilities with those over all blocks, in [-1, 1].
    pub kendall: Option<f64>,
    /// Spearman's correlation of the same.
    pub spearman: Option<f64>,
    /// Its leaderboard in short.
    pub leaderboard: Vec<BlockPlace>,
    /// The step that has no meaning for it, if there is one; what came before it stands.
    pub stopped: Option<Stopped>,
    /// Why a number of this row is missing, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, Undefined>,
}

/// One system in one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct BlockPlace {
    /// System id.
    pub system: String,
    /// Ability on the block's own scale.
    pub ability: Option<f64>,
    /// Lower end of its interval.
    pub ability_low: Option<f64>,
    /// Upper end.
    pub ability_high: Option<f64>,
    /// Tier in the block, from 1.
    pub tier: Option<u32>,
}

/// A step that has no meaning for a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Stopped {
    /// The step, by the word of its command.
    pub step: String,
    /// Why.
    #[serde(flatten)]
    pub why: Undefined,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_types_have_one_name_each() {
        for (raw, name) in [
            ("safety-critical", "high_risk_constraint"),
            ("Creative_Divergent", "divergent_creative"),
            ("Creative divergent", "divergent_creative"),
            ("evidence reasoning", "evidence_reasoning"),
            (" summarisation ", "summarisation"),
            ("Own Type", "Own Type"),
        ] {
            assert_eq!(By::TaskType.value(raw).as_deref(), Some(name), "{raw}");
        }
        assert_eq!(
            By::Domain.value(" safety-critical ").as_deref(),
            Some("safety-critical")
        );
        assert_eq!(By::Tag.value(" \t"), None);
        assert!(By::ALL.iter().all(|by| By::of_word(by.word()) == Some(*by)));
    }
}
