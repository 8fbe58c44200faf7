//! `bank.json`: the criteria chosen, in the order chosen; it also loads as a rubric.

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, Header};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fit::{GridRow, Model};
use crate::rubric::{Criterion, Rubric};
use crate::undefined::Undefined;

/// Result of `assemble`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Bank {
    /// The opening.
    #[serde(flatten)]
    pub header: Header,
    /// How it was chosen.
    pub method: Method,
    /// The model its item parameters belong to; `null` for a bank that has none.
    pub model: Option<Model>,
    /// The grid its item parameters were fitted on; abilities of new systems are taken on it.
    pub grid: Option<GridRow>,
    /// Criteria chosen.
    pub budget: usize,
    /// What fixed the budget: `asked for`, or the rule in words.
    pub budget_rule: String,
    /// Measurability cut; `null` where none acted: no unit has two judges, or the rule is consensus.
    pub threshold: Option<f64>,
    /// Items that could have been chosen.
    pub feasible: usize,
    /// Items of the pool.
    pub pool: usize,
    /// U(S) of the bank: mean over abilities of log(1 + information).
    pub utility: Option<f64>,
    /// U of all feasible items.
    pub feasible_utility: Option<f64>,
    /// No bank of this budget has a larger utility than this.
    pub optimum_bound: Option<f64>,
    /// Why that holds.
    pub bound_argument: Option<String>,
    /// Why there is no utility or bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility_undefined: Option<Undefined>,
    /// The criteria, in the order chosen.
    pub criteria: Vec<BankRow>,
}

impl Artifact for Bank {
    const FORMAT: &'static str = "calibrant.bank/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

impl Bank {
    /// The bank as a rubric: its criteria with the entries they had, in the order chosen.
    ///
    /// A criterion chosen without a rubric has its id for a question, and a warning says so.
    ///
    /// # Errors
    /// If an entry is no criterion: the file was changed by hand.
    pub fn rubric(&self) -> Result<(Rubric, Diagnostics), Diagnostics> {
        let mut criteria = Vec::with_capacity(self.criteria.len());
        let mut without_text = 0;
        for row in &self.criteria {
            let mut criterion = match &row.entry {
                Some(entry) => Criterion::from_json(entry)?,
                None => {
                    without_text += 1;
                    Criterion {
                        weight: row.weight,
                        ..Criterion::new(&row.criterion, &row.criterion)
                    }
                }
            };
            criterion.query = Some(row.query.clone());
            criteria.push(criterion);
        }
        let mut doubts = Diagnostics::default();
        if without_text > 0 {
            doubts.push(Diagnostic::warning(
                "bank-without-text",
                format!("{without_text} criteria of the bank have no question, only their id"),
                "assemble with --rubric before a judge is asked these criteria",
            ));
        }
        Ok((
            Rubric {
                criteria,
                ..Rubric::default()
            },
            doubts,
        ))
    }
}

/// A way to choose a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Submodular greedy on log information (METHODS 95).
    Greedy,
    /// The most informative items one by one (METHODS 95).
    Plain,
    /// Unanimous and not constant, uniform weights (METHODS 74).
    Consensus,
}

impl Method {
    /// The word in flags and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::Plain => "plain",
            Self::Consensus => "consensus",
        }
    }
}

/// One criterion of a bank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct BankRow {
    /// Criterion id.
    pub criterion: String,
    /// Query id.
    pub query: String,
    /// The author's weight.
    pub weight: f64,
    /// Slope a.
    pub discrimination: Option<f64>,
    /// Location b.
    pub difficulty: Option<f64>,
    /// Expected information: the weight of `bank_score`.
    pub information: Option<f64>,
    /// Utility added when it was chosen.
    pub gain: Option<f64>,
    /// Posterior mean of measurability.
    pub measurability: Option<f64>,
    /// The rubric's own entry for the criterion, when a rubric was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<serde_json::Value>,
}
