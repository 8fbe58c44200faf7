//! An exercise: one round of grading by people who do not see each other's marks, nor what they mark.
//!
//! [`Exercise`] is the file that maps opaque ids to systems and never reaches a grader. [`Paper`] is all that does.
//! [`Mark`] is all that comes back. [`Sheet`] is what a grader's marks amount to.
//!
//! Source: METHODS 27-29; PROTOCOLS 4.3.

mod mark;
mod paper;
mod sheet;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::artifact::{Artifact, Header};
use crate::canonical::Hash;

pub use mark::{Act, Mark};
pub use paper::{Paper, PaperCriterion, PaperUnit, WrongMark};
pub use sheet::{CellState, Decision, Evidence, Sheet, UnitState};

/// `exercise.json`: who grades what, in which order, under which names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Exercise {
    /// The opening; its seed drew the sample and the orders.
    #[serde(flatten)]
    pub header: Header,
    /// 128 bits, as 32 hexadecimal digits: those of [`Exercise::sealed_id`].
    pub id: String,
    /// 128 random bits, as 32 hexadecimal digits, so that nobody can guess the id from what is graded.
    #[serde(default)]
    pub nonce: String,
    /// Which round of grading this is, from 1.
    pub round: u32,
    /// The hash of the rubric it was made with.
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub rubric_hash: Hash,
    /// The version that rubric gave itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric_version: Option<u32>,
    /// The criteria asked, in the order of the rubric; what code decides is not among them.
    pub criteria: Vec<ExerciseCriterion>,
    /// The responses graded, sorted by (query, system, sample, repeat).
    pub units: Vec<ExerciseUnit>,
    /// One sheet a grader, in the order they were named.
    pub sheets: Vec<SheetPlan>,
}

/// A criterion that is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct ExerciseCriterion {
    /// Its id.
    pub criterion: String,
    /// The query it belongs to; absent when it is asked of every answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The hash of the card that graders see.
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub card_hash: Hash,
}

/// A response under an opaque id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct ExerciseUnit {
    /// 64 random bits, as 16 hexadecimal digits: nothing about the response can be read from it.
    pub id: String,
    /// What answered.
    pub system: String,
    /// What it answered.
    pub query: String,
    /// Which of several answers.
    pub sample: String,
    /// The hash of the query that graders see beside it; absent where nobody kept what was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub query_hash: Option<Hash>,
    /// 1, or 2 for a response that is shown a second time to see whether a grader agrees with himself.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeat: u16,
    /// The hash of the response that graders see.
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub response_hash: Hash,
}

fn once() -> u16 {
    1
}

fn is_once(repeat: &u16) -> bool {
    *repeat == 1
}

/// The sheet of one grader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SheetPlan {
    /// Who grades; the judge of the verdicts that come of it.
    pub grader: String,
    /// Indices into [`Exercise::units`] in the order this grader meets them: a seeded permutation.
    pub order: Vec<u32>,
}

impl Artifact for Exercise {
    const FORMAT: &'static str = "calibrant.exercise/1";

    fn header(&self) -> &Header {
        &self.header
    }
}

impl Exercise {
    /// The id that nonce, round, rubric, criteria, units and graders amount to: the first 32 hexadecimal digits of the hash of
    /// `exercise/1`. The ledger knows the exercise by it, so a map that was changed is no longer the one that was graded.
    #[must_use]
    pub fn sealed_id(&self) -> String {
        let preimage = json!({
            "calibrant": "exercise/1", "nonce": self.nonce, "round": self.round, "rubric_hash": self.rubric_hash,
            "criteria": self.criteria, "units": self.units, "graders": self.graders().collect::<Vec<_>>(),
        });
        let mut digits = Hash::of_json(&preimage).to_string();
        digits.truncate(32);
        digits
    }

    /// The sheet of a grader, if there is one.
    #[must_use]
    pub fn sheet(&self, grader: &str) -> Option<&SheetPlan> {
        self.sheets.iter().find(|sheet| sheet.grader == grader)
    }

    /// The graders, in the order they were named.
    pub fn graders(&self) -> impl Iterator<Item = &str> {
        self.sheets.iter().map(|sheet| sheet.grader.as_str())
    }

    /// The unit with an opaque id.
    #[must_use]
    pub fn unit(&self, id: &str) -> Option<&ExerciseUnit> {
        self.units.iter().find(|unit| unit.id == id)
    }

    /// Indices into [`Exercise::criteria`] of what is asked of answers to a query: its own criteria and the shared ones,
    /// where a criterion of the query's own takes the place of a shared one with its id.
    #[must_use]
    pub fn asked_of(&self, query: &str) -> Vec<u32> {
        let own = |criterion: &ExerciseCriterion| criterion.query.as_deref() == Some(query);
        let replaced = |id: &str| self.criteria.iter().any(|other| own(other) && other.criterion == id);
        (0u32..)
            .zip(&self.criteria)
            .filter(|(_, criterion)| own(criterion) || criterion.query.is_none() && !replaced(&criterion.criterion))
            .map(|(at, _)| at)
            .collect()
    }
}
