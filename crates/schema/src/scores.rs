//! `scores.json`: systems with scores, abilities, intervals and tiers.

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, Header};
use crate::undefined::Undefined;

/// Result of `score`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Scores {
    /// The opening.
    #[serde(flatten)]
    pub header: Header,
    /// What the intervals are, and what they are intervals for.
    pub interval: Intervals,
    /// How tiers were cut.
    pub tier_rule: String,
    /// Share of pairs of systems whose difference's interval leaves out 0.
    pub pairs_separated: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiers_undefined: Option<Undefined>,
    /// Effective number of criteria under the author's weights (METHODS 116).
    pub effective_criteria: Option<f64>,
    /// The roll-up in force.
    pub roll_up: Option<RollUpRow>,
    /// Ordered by ability, ties by score, then id.
    pub systems: Vec<SystemScore>,
}

impl Artifact for Scores {
    const FORMAT: &'static str = "calibrant.scores/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

/// The intervals of a leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Intervals {
    /// Behind `score_low` and `score_high`.
    pub score: IntervalRow,
    /// Behind the ends of `ability` and `bank_ability`.
    pub ability: IntervalRow,
}

/// What an interval is and what it is an interval for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct IntervalRow {
    /// The method, for programs.
    pub kind: IntervalKind,
    /// The method in words.
    pub method: String,
    /// What it claims to cover.
    pub target: String,
    /// Nominal level.
    pub level: f64,
    /// Replicates behind it: those drawn that have a value.
    pub replicates: usize,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Undefined>,
}

/// How an interval is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IntervalKind {
    /// Bootstrap of query clusters.
    Cluster,
    /// Bootstrap of labels drawn from the fit.
    Parametric,
    /// Items resampled within their query, parameters fixed.
    Source,
    /// Posterior and, by the delta method, what estimated item parameters add to it.
    Delta,
    /// Posterior under known item parameters.
    Posterior,
    /// There is none.
    None,
}

/// The roll-up and what it does to the pass rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct RollUpRow {
    /// The rule in words.
    pub rule: String,
    /// The author's reason for it.
    pub reason: Option<String>,
}

/// One system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SystemScore {
    /// System id.
    pub system: String,
    /// Mean over queries of the weighted share met, author's weights, in [0, 1].
    pub score: Option<f64>,
    /// Lower end of its interval.
    pub score_low: Option<f64>,
    /// Upper end.
    pub score_high: Option<f64>,
    /// The same with each item's information as its weight.
    pub information_score: Option<f64>,
    /// Ability over the whole pool.
    pub ability: Option<f64>,
    /// Lower end of its interval.
    pub ability_low: Option<f64>,
    /// Upper end.
    pub ability_high: Option<f64>,
    /// Score over the bank, information as weight.
    pub bank_score: Option<f64>,
    /// Ability over the bank.
    pub bank_ability: Option<f64>,
    /// Lower end of its interval.
    pub bank_ability_low: Option<f64>,
    /// Upper end.
    pub bank_ability_high: Option<f64>,
    /// 1 for the best tier.
    pub tier: Option<u32>,
    /// Share of the cells asked for that carry a label.
    pub coverage: f64,
    /// Share of responses that pass the roll-up, of those it can decide.
    pub pass_rate: Option<f64>,
    /// Share of responses that meet every criterion: never above a laxer rule's rate.
    pub pass_rate_all: Option<f64>,
    /// Responses with a failed gate.
    pub gates_failed: usize,
    /// Why a number of this row is missing, by field.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub undefined: std::collections::BTreeMap<String, Undefined>,
}

/// One response: a row of `responses.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResponseRow {
    /// System id.
    pub system: String,
    /// Query id.
    pub query: String,
    /// Sample id.
    pub sample: String,
    /// Score with the author's weights, not clipped: below 0 where penalties outweigh.
    pub score: Option<f64>,
    /// Why there is none.
    pub score_undefined: Option<Undefined>,
    /// `pass`, `fail`, `undetermined`, or nothing when there is no roll-up.
    pub outcome: Option<Outcome>,
    /// Criterion ids of the gates that failed.
    pub gates_failed: Vec<String>,
    /// Share of the criteria that a judge labelled or called not applicable.
    pub coverage: f64,
}

/// What a roll-up says of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The rule is met, whatever missing labels are.
    Pass,
    /// The rule is broken, whatever missing labels are.
    Fail,
    /// Missing labels could turn it.
    Undetermined,
}

impl Outcome {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undetermined => "undetermined",
        }
    }
}
