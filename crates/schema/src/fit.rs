//! `fit.json`: item parameters and abilities by item response theory.

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, Header};
use crate::undefined::Undefined;

/// Result of `fit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Fit {
    /// The opening.
    #[serde(flatten)]
    pub header: Header,
    /// The model of `items` and `systems`.
    pub model: Model,
    /// The quadrature of the fit and of the abilities.
    pub grid: GridRow,
    /// Marginal log-likelihood at the maximum of the posterior, prior terms left out.
    pub log_likelihood: f64,
    /// The objective: marginal log-likelihood plus log prior, constants dropped.
    pub log_posterior: f64,
    /// How the fit stopped.
    pub convergence: Convergence,
    /// Items fitted, sorted by (query, criterion).
    pub items: Vec<ItemRow>,
    /// Items left out of the fit, with the reason.
    pub dropped: Vec<DroppedItem>,
    /// Abilities, sorted by system.
    pub systems: Vec<SystemRow>,
    /// 1PL against 2PL.
    pub comparison: Comparison,
}

impl Artifact for Fit {
    const FORMAT: &'static str = "calibrant.fit/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

/// An item response model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub enum Model {
    /// One common discrimination.
    #[serde(rename = "1PL")]
    OnePl,
    /// A discrimination of its own for each item.
    #[serde(rename = "2PL")]
    TwoPl,
}

impl Model {
    /// The usual abbreviation.
    pub fn word(self) -> &'static str {
        match self {
            Self::OnePl => "1PL",
            Self::TwoPl => "2PL",
        }
    }
}

/// Quadrature nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct GridRow {
    /// How many.
    pub nodes: usize,
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// Whether the grid was refined to the width of the posteriors.
    pub refined: bool,
}

/// How an iterative fit stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Convergence {
    /// Whether the gradient reached the tolerance.
    pub converged: bool,
    /// Iterations used.
    pub iterations: usize,
    /// Largest absolute derivative of the objective in (log a, b).
    pub gradient: f64,
    /// The tolerance it was held against.
    pub tolerance: f64,
    /// In words: gradient, iterations or no progress.
    pub stopped: String,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct ItemRow {
    /// Criterion id.
    pub criterion: String,
    /// Query id.
    pub query: String,
    /// Slope a.
    pub discrimination: f64,
    /// Standard error of a.
    pub discrimination_error: Option<f64>,
    /// Location b.
    pub difficulty: f64,
    /// Standard error of b.
    pub difficulty_error: Option<f64>,
    /// Expected information under a standard normal ability (METHODS 92).
    pub information: f64,
    /// Labelled cells.
    pub responses: u64,
    /// Share of them that passed.
    pub pass_rate: f64,
    /// Correlation with the rest of the items over systems.
    pub item_rest: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_rest_undefined: Option<Undefined>,
    /// Whether the screen of METHODS 83 keeps it out of a bank.
    pub screened_out: bool,
}

/// An item that carries no information about systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct DroppedItem {
    /// Criterion id.
    pub criterion: String,
    /// Query id.
    pub query: String,
    /// Why.
    pub reason: DropReason,
}

/// Why an item takes no part in a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// Every system passed it.
    AllPassed,
    /// Every system failed it.
    AllFailed,
    /// Nobody labelled it.
    NoLabel,
    /// It is monitored and never scored.
    Monitored,
}

impl DropReason {
    /// The same in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::AllPassed => "all passed",
            Self::AllFailed => "all failed",
            Self::NoLabel => "no label",
            Self::Monitored => "monitored, never scored",
        }
    }
}

/// One system's ability over the whole pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SystemRow {
    /// System id.
    pub system: String,
    /// Posterior mean on the standard normal prior's scale.
    pub ability: f64,
    /// Posterior standard deviation.
    pub standard_error: f64,
    /// Posterior mass in the two end nodes.
    pub edge_mass: f64,
}

/// Likelihood comparison of the two models (METHODS 84).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Each model fitted.
    pub models: Vec<ModelRow>,
    /// Gain in log-likelihood of 2PL over 1PL.
    pub gain: f64,
    /// Parameters that 2PL has more.
    pub extra_parameters: usize,
    /// Gain per extra parameter; AIC asks for more than 1.
    pub gain_per_parameter: Option<f64>,
    /// Labelled cells: one reading of the sample size of BIC.
    pub responses: u64,
    /// Systems: the other reading.
    pub systems: usize,
    /// Model that AIC prefers.
    pub aic_prefers: Model,
    /// Model that BIC prefers with responses as sample size.
    pub bic_responses_prefers: Model,
    /// Model that BIC prefers with systems as sample size.
    pub bic_systems_prefers: Model,
}

/// One model of the comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct ModelRow {
    /// The model.
    pub model: Model,
    /// Parameters.
    pub parameters: usize,
    /// Marginal log-likelihood at the maximum of the posterior.
    pub log_likelihood: f64,
    /// The objective.
    pub log_posterior: f64,
    /// Akaike's criterion.
    pub aic: f64,
    /// Bayesian criterion, sample size = responses.
    pub bic_responses: f64,
    /// Bayesian criterion, sample size = systems.
    pub bic_systems: f64,
    /// How the fit stopped.
    pub convergence: Convergence,
}
