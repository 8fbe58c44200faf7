//! `agreement.json`: how alike judges apply the criteria, beyond chance, and how two rounds of judging compare.

mod coefficient;
mod rounds;

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, Header};
use crate::undefined::Undefined;

pub use coefficient::{Coefficient, CoefficientRow, Intervals, Scope};
pub use rounds::{Change, ChangeMethod, Figure, RoundFacts, Rounds, Taste};

/// Result of `agree`.
///
/// Agreement between judges, test-retest of one judge and validity against trusted labels are three tables, because
/// they are three things: that judges say the same, or that one says the same twice, is no evidence that it is true.
///
/// Source: METHODS 30, 33-46.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Agreement {
    /// The opening.
    #[serde(flatten)]
    pub header: Header,
    /// How intervals of chance-corrected figures were made.
    pub intervals: Intervals,
    /// The judges compared, by name.
    pub judges: Vec<String>,
    /// Responses with a label of at least one judge.
    pub responses: u64,
    /// One row a criterion, by name.
    pub criteria: Vec<CriterionFacts>,
    /// Criteria decided by code, which take no part (METHODS 8).
    pub decided_by_code: Vec<String>,
    /// All judges together: per criterion, then over whole responses, then pooled over criteria.
    pub coefficients: Vec<CoefficientRow>,
    /// Each pair of judges; empty with two judges, whose pair is in `coefficients`.
    pub pairs: Vec<CoefficientRow>,
    /// How often each judge says that a criterion is met.
    pub prevalence: Vec<PrevalenceRow>,
    /// Verdicts that carry no label, by criterion, judge and status.
    pub without_label: Vec<WithoutLabel>,
    /// Disagreements of pairs of judges on graded criteria, by how far they are apart and across which levels.
    pub sizes: Vec<SizeRow>,
    /// Test-retest: how alike one judge is to itself over repeats.
    pub repeats: Vec<CoefficientRow>,
    /// Judges against trusted labels.
    pub validity: Vec<CoefficientRow>,
    /// Poor judges or rare failures, for each binary criterion (METHODS 41).
    pub readings: Vec<PrevalenceReading>,
    /// What this many responses can show.
    pub precision: Precision,
    /// This round beside an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

impl Artifact for Agreement {
    const FORMAT: &'static str = "calibrant.agreement/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

impl Agreement {
    /// All judges' figure of a criterion, or of whole responses or pooled criteria where none is named.
    #[must_use]
    pub fn figure(&self, scope: Scope, criterion: Option<&str>, coefficient: Coefficient) -> Option<&CoefficientRow> {
        let wanted = |row: &&CoefficientRow| {
            row.scope == scope && row.criterion.as_deref() == criterion && row.coefficient == coefficient
        };
        self.coefficients.iter().find(wanted)
    }

    /// The figure that stands for agreement beyond chance: Scott's pi of two judges, Fleiss' kappa of more; on a graded
    /// scale, where near misses count, ordinal alpha.
    #[must_use]
    pub fn beyond_chance(&self, scope: Scope, criterion: Option<&str>) -> Option<&CoefficientRow> {
        [
            Coefficient::AlphaOrdinal,
            Coefficient::ScottPi,
            Coefficient::FleissKappa,
        ]
        .into_iter()
        .find_map(|coefficient| self.figure(scope, criterion, coefficient))
    }
}

/// What is compared on one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct CriterionFacts {
    /// Criterion id.
    pub criterion: String,
    /// Queries it was asked of.
    pub queries: u64,
    /// Units (responses to its queries) with labels of at least two judges.
    pub units: u64,
    /// Units with a label of every judge.
    pub complete: u64,
    /// Units that at least one judge calls not applicable.
    pub not_applicable: u64,
    /// Units that every judge with a say calls not applicable; two or more of them.
    pub not_applicable_alike: u64,
    /// Level values when the scale is not {0, 1}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<f64>>,
}

/// How often a judge says that a criterion is met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct PrevalenceRow {
    /// Criterion id.
    pub criterion: String,
    /// Judge id.
    pub judge: String,
    /// Units the judge labelled.
    pub labels: u64,
    /// Of them met: at or above the middle of the scale.
    pub met: u64,
    /// Labels at each level of the scale, worst first.
    pub levels: Vec<u64>,
    /// Share met, in [0, 1].
    pub prevalence: Option<f64>,
    /// Lower end of its 95 % Wilson interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Verdicts without a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct WithoutLabel {
    /// Criterion id.
    pub criterion: String,
    /// Judge id.
    pub judge: String,
    /// What became of them, as tables write it.
    pub status: String,
    /// How many.
    pub verdicts: u64,
}

/// Disagreements of one kind on a graded criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SizeRow {
    /// Criterion id.
    pub criterion: String,
    /// Levels between the two labels; 0 for agreement, 1 for neighbours.
    pub size: u64,
    /// The value of the lower label.
    pub lower: f64,
    /// The value of the higher label.
    pub higher: f64,
    /// Pairs of labels.
    pub count: u64,
}

/// Whether a low kappa comes from the judges or from rare failures (METHODS 41).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct PrevalenceReading {
    /// Criterion id.
    pub criterion: String,
    /// Mean agreement of pairs of judges, in [0, 1].
    pub raw_agreement: Option<f64>,
    /// The error e of judges that err alike on met and unmet, in [0, 1/2].
    pub judge_error: Option<f64>,
    /// True prevalence pi under that error; not the share of labels that are met.
    pub true_prevalence: Option<f64>,
    /// Scott's pi as observed (with more than two judges: Fleiss' kappa).
    pub kappa: Option<f64>,
    /// Twice the raw agreement, less 1: the kappa these judges would have if half of the responses met the criterion.
    pub pabak: Option<f64>,
    /// Median judge error of the other binary criteria.
    pub usual_error: Option<f64>,
    /// Kappa at this true prevalence under that usual error.
    pub kappa_at_usual_error: Option<f64>,
    /// What the numbers support.
    pub reading: Reading,
    /// The same in a sentence with its numbers.
    pub sentence: String,
}

/// What the numbers of a [`PrevalenceReading`] support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Kappa is not low.
    NotLow,
    /// The judges err no more than elsewhere: kappa is low because one outcome is rare.
    RareOutcome,
    /// The judges err more than elsewhere.
    JudgeError,
    /// Judges agree less often than coins.
    BelowChance,
    /// There is not enough to tell.
    Unknown,
}

/// What this many responses can show (METHODS 29).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Precision {
    /// Responses on which whole answers can be compared.
    pub responses: u64,
    /// Raw agreement on them, in [0, 1].
    pub agreement: Option<f64>,
    /// Its standard error, sqrt(p (1 - p) / n).
    pub standard_error: Option<f64>,
    /// Responses that would halve it: four times as many.
    pub to_halve: u64,
    /// Responses that would quarter it: sixteen times as many.
    pub to_quarter: u64,
    /// Why there is no agreement to give an error to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Undefined>,
}
