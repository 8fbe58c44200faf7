//! `roll-ups.json`: what several roll-up rules make of the same responses, and exactly which responses are between them.

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, Header};
use crate::undefined::Undefined;

/// Result of `roll-up`.
///
/// Source: METHODS 46-48.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct RollUps {
    /// The opening.
    #[serde(flatten)]
    pub header: Header,
    /// Responses with a verdict.
    pub responses: u64,
    /// One row a rule, in the order asked for.
    pub rules: Vec<RuleRow>,
    /// One row a pair of rules, over the responses that both decide.
    pub gaps: Vec<GapRow>,
}

impl Artifact for RollUps {
    const FORMAT: &'static str = "calibrant.roll-ups/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

/// What one rule makes of the responses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct RuleRow {
    /// The rule as flags write it: `all`, `at_least:2`, `mandatory:a,b`.
    pub rule: String,
    /// The rule in words.
    pub words: String,
    /// Responses it passes.
    pub passed: u64,
    /// Responses it fails.
    pub failed: u64,
    /// Responses that a missing label could turn, or that the rule says nothing of.
    pub open: u64,
    /// Share passed of those passed or failed, in [0, 1].
    pub pass_rate: Option<f64>,
    /// Lower end of its 95 % Wilson interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Why there is no share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Undefined>,
}

/// Two rules on the same responses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct GapRow {
    /// The rule that passes fewer.
    pub stricter: String,
    /// The rule that passes more.
    pub looser: String,
    /// Responses that both rules decide.
    pub responses: u64,
    /// Of them passed by the stricter rule.
    pub passed_stricter: u64,
    /// Of them passed by the looser rule.
    pub passed_looser: u64,
    /// Share passed by the looser rule, less that of the stricter, in [0, 1]. Where the rules are nested it is exactly the
    /// share of `between`.
    pub gap: Option<f64>,
    /// Whether everything the stricter rule passes is passed by the looser one.
    pub nested: bool,
    /// The responses that pass the looser rule and not the stricter.
    pub between: Vec<RollUpResponse>,
    /// The responses that pass the stricter rule and not the looser; none where the rules are nested.
    pub against: Vec<RollUpResponse>,
}

/// A response on which two rules differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct RollUpResponse {
    /// System id.
    pub system: String,
    /// Query id.
    pub query: String,
    /// Sample id.
    pub sample: String,
    /// The criteria it fails, by id.
    pub fails: Vec<String>,
}
