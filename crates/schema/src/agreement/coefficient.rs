//! The long rows of `agreement.json`: one coefficient of one scope with its interval.

use serde::{Deserialize, Serialize};

use crate::undefined::Undefined;

/// How intervals of chance-corrected figures are made; shares always have Wilson's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Intervals {
    /// From a formula for large samples.
    Analytic,
    /// From resampling responses. The default: it needs no formula, keeps the labels of a response together, and does
    /// not leave the range of a coefficient.
    #[default]
    Bootstrap,
}

impl Intervals {
    /// The word in flags and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Analytic => "analytic",
            Self::Bootstrap => "bootstrap",
        }
    }
}

/// Over what a coefficient is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One criterion, pooled over its queries.
    Criterion,
    /// Whole responses: judges agree on one when they agree on each of its criteria (METHODS 30).
    Response,
    /// All criteria thrown together, for comparison with published figures only (METHODS 40).
    Pooled,
}

/// A figure of agreement, by its right name (METHODS 37).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Coefficient {
    /// Share of pairs of labels of one unit that are alike.
    RawAgreement,
    /// Share of units on which all judges with a label are alike.
    Unanimity,
    /// The agreement that chance alone gives, as Scott's pi takes it: squares of the pooled shares.
    ChanceAgreement,
    /// Cohen's kappa: chance multiplies each judge's own shares.
    CohenKappa,
    /// Scott's pi: chance squares the pooled shares.
    ScottPi,
    /// Cohen's kappa with linear weights.
    KappaLinear,
    /// Cohen's kappa with quadratic weights.
    KappaQuadratic,
    /// Fleiss' kappa.
    FleissKappa,
    /// Krippendorff's alpha for nominal labels.
    AlphaNominal,
    /// Krippendorff's alpha for ordinal labels.
    AlphaOrdinal,
    /// Krippendorff's alpha for interval labels.
    AlphaInterval,
    /// Gwet's AC1.
    Ac1,
    /// Gwet's AC2 with quadratic weights.
    Ac2,
    /// Prevalence-adjusted bias-adjusted kappa: twice the raw agreement, less 1.
    Pabak,
    /// Intraclass correlation of single judges, two-way random effects, absolute agreement: ICC(2,1).
    Icc,
    /// Share of the trusted "met" that a judge calls met.
    Sensitivity,
    /// Share of the trusted "not met" that a judge calls not met.
    Specificity,
    /// Log odds of the judge's share met, less those of the trusted labels on the same units.
    Leniency,
    /// The judge's share met, less that of the trusted labels on the same units.
    PassRateDifference,
}

impl Coefficient {
    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RawAgreement => "raw agreement",
            Self::Unanimity => "unanimity",
            Self::ChanceAgreement => "agreement by chance",
            Self::CohenKappa => "Cohen's kappa",
            Self::ScottPi => "Scott's pi",
            Self::KappaLinear => "Cohen's kappa, linear weights",
            Self::KappaQuadratic => "Cohen's kappa, quadratic weights",
            Self::FleissKappa => "Fleiss' kappa",
            Self::AlphaNominal => "Krippendorff's alpha, nominal",
            Self::AlphaOrdinal => "Krippendorff's alpha, ordinal",
            Self::AlphaInterval => "Krippendorff's alpha, interval",
            Self::Ac1 => "Gwet's AC1",
            Self::Ac2 => "Gwet's AC2, quadratic weights",
            Self::Pabak => "PABAK",
            Self::Icc => "ICC(2,1)",
            Self::Sensitivity => "sensitivity",
            Self::Specificity => "specificity",
            Self::Leniency => "leniency (log odds)",
            Self::PassRateDifference => "share met, less that of gold",
        }
    }

    /// Whether it is a share of units, as which people read it.
    #[must_use]
    pub fn is_share(self) -> bool {
        matches!(
            self,
            Self::RawAgreement | Self::Unanimity | Self::ChanceAgreement | Self::Sensitivity | Self::Specificity
        )
    }

    /// Whether chance is taken out of it, so that scales with other levels can be compared by it (METHODS 34).
    #[must_use]
    pub fn is_chance_corrected(self) -> bool {
        !self.is_share() && !matches!(self, Self::Leniency | Self::PassRateDifference)
    }
}

/// One coefficient of one scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct CoefficientRow {
    /// Over what it is taken.
    pub scope: Scope,
    /// Criterion id; `null` over whole responses and where criteria are pooled.
    pub criterion: Option<String>,
    /// The judges compared; one judge in test-retest and validity.
    pub judges: Vec<String>,
    /// Which figure.
    pub coefficient: Coefficient,
    /// Units it rests on.
    pub units: u64,
    /// The figure.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// How the interval was made; `null` where there is none.
    pub method: Option<String>,
    /// Why there is no value, or none of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Undefined>,
}
