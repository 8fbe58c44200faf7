//! `calibration.json`: which criteria a panel applies alike, and what its judges are like.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, Header, Pool};
use crate::undefined::Undefined;

/// Result of `calibrate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Calibration {
    /// The opening.
    #[serde(flatten)]
    pub header: Header,
    /// Measurability cut a criterion must reach to be kept.
    pub threshold: f64,
    /// Over what measurability is estimated.
    pub pool: Pool,
    /// Beta prior of measurability.
    pub prior: Prior,
    /// What the panel looked like.
    pub panel: Panel,
    /// Measurability per item, or per criterion when pooled, sorted by (query, criterion).
    pub criteria: Vec<CriterionRow>,
    /// One row a judge, sorted by name.
    pub judges: Vec<JudgeRow>,
    /// What each threshold would keep (METHODS 65); empty when no unit has two judges.
    pub sweep: Vec<SweepRow>,
    /// How unanimity is lost as systems are added (METHODS 75); empty when no item has two judges.
    pub attrition: Vec<AttritionRow>,
    /// The two models of that loss (METHODS 76, 77).
    pub attrition_fit: AttritionFit,
}

impl Artifact for Calibration {
    const FORMAT: &'static str = "calibrant.calibration/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

/// Parameters of the Beta prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Prior {
    /// Pseudo-count of unanimous units.
    pub alpha: f64,
    /// Pseudo-count of units with a dissent.
    pub beta: f64,
}

/// Counts that describe the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Panel {
    /// Systems judged.
    pub systems: usize,
    /// Queries answered.
    pub queries: usize,
    /// Criterion ids.
    pub criteria: usize,
    /// (criterion, query) pairs.
    pub items: usize,
    /// Judges.
    pub judges: usize,
    /// Rows read.
    pub verdicts: usize,
    /// Rows by status.
    pub statuses: BTreeMap<String, usize>,
    /// Cells (system, item, sample).
    pub cells: usize,
    /// The most judges that labelled one cell.
    pub most_judges: usize,
    /// Cells by how their label came about: unanimous, majority, median, tie, single, none.
    pub agreement: BTreeMap<String, usize>,
}

/// Measurability of one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct CriterionRow {
    /// Criterion id.
    pub criterion: String,
    /// Query id; `null` when pooled over queries.
    pub query: Option<String>,
    /// Units with at least two judges.
    pub units: u64,
    /// Units on which all judges agreed.
    pub agreed: u64,
    /// Posterior mean of measurability, in (0, 1).
    pub measurability: Option<f64>,
    /// Lower end of the 95 % equal-tailed interval.
    pub measurability_low: Option<f64>,
    /// Upper end.
    pub measurability_high: Option<f64>,
    /// Why there is none: no unit has two judges, and the prior alone is no evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurability_undefined: Option<Undefined>,
    /// Share of labelled cells that met the criterion; agreement by luck is high near 0 and 1.
    pub prevalence: Option<f64>,
    /// Whether measurability reaches the threshold.
    pub kept: bool,
    /// Level values when the scale is not {0, 1}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<f64>>,
}

/// One judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct JudgeRow {
    /// Judge id.
    pub judge: String,
    /// Labels given.
    pub labels: usize,
    /// Verdicts that carry no label.
    pub without_label: usize,
    /// Share of labels at or above the midpoint of the scale.
    pub positive_rate: Option<f64>,
    /// Share of the other judges' labels on the same units that this judge's label equals.
    pub agreement: Option<f64>,
}

/// What a threshold keeps, and what that does to agreement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SweepRow {
    /// The threshold.
    pub threshold: f64,
    /// Rows of `criteria` kept.
    pub kept: usize,
    /// Share of labelled cells kept.
    pub coverage: Option<f64>,
    /// Mean Cohen kappa over pairs of judges on what is kept: in the sample that chose it, so too high.
    pub pairwise_kappa: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairwise_kappa_undefined: Option<Undefined>,
    /// Cohen kappa of the consensus against labels that had no part in the choice.
    pub held_out_kappa: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out_kappa_undefined: Option<Undefined>,
    /// What those labels are: `gold`, or `each judge in turn`.
    pub held_out: Option<String>,
}

/// Shares of items at a panel of m systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct AttritionRow {
    /// m.
    pub systems: u32,
    /// Items with at least m complete panels.
    pub items: usize,
    /// Share unanimous on all m systems.
    pub retention: f64,
    /// Share whose majority labels are not all alike.
    pub distinguishability: f64,
    /// Share with both.
    pub joint: f64,
    /// retention to the power 1/m.
    pub rate: f64,
}

/// Geometric and Beta models of retention.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct AttritionFit {
    /// Number of systems at which `joint` is largest.
    pub joint_peak: Option<u32>,
    /// One rate for all items.
    pub geometric: Option<GeometricRow>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometric_undefined: Option<Undefined>,
    /// Rates that differ between items.
    pub beta: Option<BetaRow>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta_undefined: Option<Undefined>,
}

/// log R(m) = m log rho by least squares through the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct GeometricRow {
    /// Rate of unanimity per system.
    pub rho: f64,
    /// Lower end of its 95 % interval by bootstrap of items.
    pub rho_low: Option<f64>,
    /// Upper end.
    pub rho_high: Option<f64>,
    /// Centred R squared on the log scale.
    pub r_squared: Option<f64>,
    /// Root mean square error on the scale of R.
    pub rmse: f64,
    /// Error rate of equally good judges that gives this rate.
    pub judge_error: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_error_undefined: Option<Undefined>,
}

/// Beta distribution of the rate over items, by factorial moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct BetaRow {
    /// First shape.
    pub a: f64,
    /// Second shape.
    pub b: f64,
    /// Root mean square error on the scale of R.
    pub rmse: f64,
}
