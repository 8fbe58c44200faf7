//! Two rounds of judging side by side.

use serde::{Deserialize, Serialize};

use super::coefficient::{Coefficient, Scope};
use crate::undefined::Undefined;

/// This round beside an earlier one (METHODS 33-35).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Rounds {
    /// The earlier round.
    pub earlier: RoundFacts,
    /// This round.
    pub later: RoundFacts,
    /// Whether some scale has other levels now: raw agreement is then not compared (METHODS 34).
    pub scale_changed: bool,
    /// Responses that are in both rounds.
    pub same_responses: u64,
    /// One row a figure, whole responses first.
    pub changes: Vec<Change>,
    /// Criteria that look like taste, when whole answers agree too seldom after a second round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taste: Option<Taste>,
}

/// What a round was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct RoundFacts {
    /// Its judges, by name.
    pub judges: Vec<String>,
    /// Responses on which whole answers can be compared.
    pub responses: u64,
    /// Its criteria with the number of levels of each, by name.
    pub criteria: Vec<(String, u64)>,
}

/// One figure in both rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// Over what it is taken.
    pub scope: Scope,
    /// Criterion id; `null` over whole responses.
    pub criterion: Option<String>,
    /// Which figure.
    pub coefficient: Coefficient,
    /// In the earlier round.
    pub earlier: Figure,
    /// In this round.
    pub later: Figure,
    /// Later less earlier.
    pub difference: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The difference in units of its standard error; for unpaired rounds.
    pub z: Option<f64>,
    /// Chance of a difference this large if nothing had changed: of `z`, or for a share of the same responses by McNemar's exact
    /// test.
    pub p: Option<f64>,
    /// How the two were compared.
    pub method: ChangeMethod,
    /// Why they are not compared, or have no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Undefined>,
}

/// A figure of one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// Units it rests on.
    pub units: u64,
    /// The figure.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Why there is none, or none of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Undefined>,
}

/// How two rounds are compared on one figure (METHODS 35).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangeMethod {
    /// They are not.
    None,
    /// Other responses: the difference against its standard error.
    Unpaired,
    /// The same responses: shares in pairs with McNemar's exact test, other figures by a bootstrap of responses.
    Paired,
}

/// Criteria that look like taste (METHODS 33).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Taste {
    /// Raw agreement on whole answers, below the cut.
    pub agreement: f64,
    /// The cut: 85 %.
    pub cut: f64,
    /// The criteria of least chance-corrected agreement, least first.
    pub criteria: Vec<String>,
}
