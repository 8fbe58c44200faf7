//! Disagreements: answers to which judges gave one criterion different labels, and what they have in common.
//!
//! Source: METHODS 39, 129.

use serde::Serialize;

use crate::exercise::Evidence;
use crate::resolution::{Outcome, Resolution};
use crate::rubric::Rubric;
use crate::status::Status;

/// What judges disagree on, in the order in which it is worth talking about.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Disagreements {
    /// The exercise; empty when the labels came from a table.
    pub exercise: String,
    /// The judges compared, by name.
    pub judges: Vec<String>,
    /// What became of each criterion, in the order of the rubric.
    pub criteria: Vec<Anatomy>,
    /// The disagreements: by criterion, in the order of the rubric, the largest first.
    pub queue: Vec<Disagreement>,
    /// Where a judge gave no label and said why: not disagreements about a level, but findings all the same.
    pub without_label: Vec<WithoutLabel>,
}

/// The disagreements on one criterion: table of size, boundary and shared tags.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Anatomy {
    /// The criterion.
    pub criterion: String,
    /// Answers with labels from two judges or more.
    pub compared: u32,
    /// Those of them with one label from all.
    pub agreed: u32,
    /// Of those agreed on, how many have which label; levels that nobody gave are left out.
    pub agreed_at: Vec<LevelCount>,
    /// The disagreements, by the lowest and the highest label given: the most frequent first.
    pub kinds: Vec<Kind>,
    /// Answers of which a judge says that they do not let him decide.
    pub cannot_assess: u32,
    /// Answers at which a judge says that the criterion is unclear.
    pub unclear: u32,
    /// Answers that have a label from one judge and are "not applicable" for another.
    pub not_applicable: u32,
}

/// How many answers have a label.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelCount {
    /// The label, as tables write it.
    pub label: f64,
    /// How many answers.
    pub answers: u32,
}

/// Disagreements between the same two labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kind {
    /// The lowest label given.
    pub low: f64,
    /// The highest label given.
    pub high: f64,
    /// Levels between the two, from 1.
    pub size: u32,
    /// Where on the scale it is.
    pub place: Place,
    /// How many answers.
    pub answers: u32,
    /// Tags that are more frequent here than among all answers compared, the most telling first, three at most.
    pub shared: Vec<SharedTag>,
}

/// Where on its scale a disagreement is.
///
/// Source: METHODS 39.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// One level apart, and neither label is an end of the scale.
    MiddleBoundary,
    /// One level apart, at an end of the scale; the only boundary of a binary scale.
    OuterBoundary,
    /// Two levels or more apart.
    Large,
}

/// A tag that disagreements have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedTag {
    /// The tag.
    pub tag: String,
    /// How many answers of this kind have it.
    pub answers: u32,
    /// How many of all answers compared have it.
    pub of_compared: u32,
}

/// One answer and criterion with more than one label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Its name, such as `d-1a2b3c`.
    pub id: String,
    /// The criterion.
    pub criterion: String,
    /// What was answered.
    pub query: String,
    /// What answered, for looking the answer up: never shown or written.
    #[serde(skip)]
    pub answered_by: String,
    /// What answered, where it was asked for: who answered is no argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Which of several answers.
    pub sample: String,
    /// The opaque id of the answer in an exercise; empty for a table.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The labels, by judge.
    pub labels: Vec<JudgeLabel>,
    /// The lowest label.
    pub low: f64,
    /// The highest label.
    pub high: f64,
    /// Levels between the two, from 1.
    pub size: u32,
    /// What is known of the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How it ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}

/// How a disagreement ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// As what.
    pub outcome: Outcome,
    /// What was settled, in words.
    pub text: String,
    /// Who settled it; empty where only the rubric tells.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// When: a day, or a moment as ISO 8601.
    pub at: String,
}

/// What one judge said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeLabel {
    /// The judge.
    pub judge: String,
    /// The label, as tables write it.
    pub label: f64,
    /// What the judge wrote beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What the judge marked in the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// One answer and criterion for which a judge gave a reason instead of a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WithoutLabel {
    /// Its name, made like that of a disagreement.
    pub id: String,
    /// The criterion.
    pub criterion: String,
    /// What was answered.
    pub query: String,
    /// What answered, for looking the answer up: never shown or written.
    #[serde(skip)]
    pub answered_by: String,
    /// What answered, where it was asked for: who answered is no argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Which of several answers.
    pub sample: String,
    /// The opaque id of the answer in an exercise; empty for a table.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The judges without a label, each with the reason.
    pub reasons: Vec<JudgeReason>,
    /// The labels of the others.
    pub labels: Vec<JudgeLabel>,
}

/// Why a judge gave no label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgeReason {
    /// The judge.
    pub judge: String,
    /// The reason.
    pub status: Status,
    /// What the judge wrote beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl Kind {
    /// The two labels: `3|4` when they are neighbours on the scale, else `2 vs 4`.
    #[must_use]
    pub fn between(&self) -> String {
        between(self.low, self.high, self.size)
    }
}

impl Disagreement {
    /// The answer as resolutions name it: its opaque id, or `system/query/sample` in a table.
    #[must_use]
    pub fn unit_name(&self) -> String {
        match self.unit.as_str() {
            "" => format!("{}/{}/{}", self.answered_by, self.query, self.sample),
            unit => unit.to_owned(),
        }
    }

    /// The two labels: `3|4` when they are neighbours on the scale, else `2 vs 4`.
    #[must_use]
    pub fn between(&self) -> String {
        between(self.low, self.high, self.size)
    }
}

fn between(low: f64, high: f64, size: u32) -> String {
    match size {
        1 => format!("{low}|{high}"),
        _ => format!("{low} vs {high}"),
    }
}

impl Disagreements {
    /// The disagreements that have not ended.
    pub fn open(&self) -> impl Iterator<Item = &Disagreement> {
        self.queue.iter().filter(|disagreement| disagreement.ended.is_none())
    }

    /// The disagreement of a name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Disagreement> {
        self.queue.iter().find(|disagreement| disagreement.id == id)
    }

    /// Notes how disagreements ended: by the resolutions of a ledger, of which the last counts, else by the rulings of the
    /// rubric that name them.
    pub fn settle(&mut self, resolutions: &[Resolution], rubric: Option<&Rubric>) {
        for disagreement in &mut self.queue {
            let recorded = resolutions
                .iter()
                .rev()
                .find(|ended| ended.disagreement == disagreement.id);
            disagreement.ended = recorded
                .map(Ended::from)
                .or_else(|| written(rubric?, &disagreement.criterion, &disagreement.id));
        }
    }
}

impl From<&Resolution> for Ended {
    fn from(resolution: &Resolution) -> Ended {
        Ended {
            outcome: resolution.outcome,
            text: resolution.text.clone(),
            by: resolution.by.clone(),
            at: resolution.at.clone(),
        }
    }
}

/// What a rubric says of a disagreement about one of its criteria.
fn written(rubric: &Rubric, criterion: &str, id: &str) -> Option<Ended> {
    let of_id = rubric.criteria.iter().filter(|other| other.id == criterion);
    let ruling = of_id
        .flat_map(|criterion| criterion.rulings.iter().rev())
        .find(|ruling| ruling.from.as_deref() == Some(id))?;
    Some(Ended {
        outcome: match ruling.text.starts_with(REWORDED) {
            true => Outcome::Wording,
            false => Outcome::Ruling,
        },
        text: ruling.text.clone(),
        by: String::new(),
        at: ruling.date.to_string(),
    })
}

/// What the entry of a new wording among the rulings of a criterion begins with.
pub const REWORDED: &str = "reworded ";
