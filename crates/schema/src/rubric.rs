//! The rubric: criteria, their weights and rulings, and the rule that makes one outcome of them.

mod criterion;
mod date;
pub mod edit;
pub mod health_bench;
pub mod history;
mod outcome;
mod places;
mod preimage;
mod print;
mod read;
mod rows;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::artifact::Artifact;
use crate::bank::Bank;
use crate::canonical::Hash;
use crate::card::Card;
use crate::diagnostic::Diagnostics;
use crate::roll_up::RollUp;
use crate::scale::Scale;

pub use date::{Date, NotADate};
pub use places::{Located, Places};

/// A rubric: one written standard, the same whether a person or a model applies it.
///
/// Source: METHODS 1, 2.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct Rubric {
    /// Its name, `rubric:` in the file.
    #[serde(rename = "rubric", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version as its authors count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The rule from criteria to one outcome, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roll_up: Option<RollUp>,
    /// The criteria in the order written; (id, query) is unique.
    pub criteria: Vec<Criterion>,
    /// Violations with their losses, for the risk objective.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// Lints of the rubric as a whole that are silenced, by id, each with its reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub allow: BTreeMap<String, String>,
}

/// One checkable condition of a rubric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Criterion {
    /// Its id, as written: `1E5`, `no` and `00123` stay what they are.
    pub id: String,
    /// The question, answered yes or no, or with a level.
    pub question: String,
    /// A response that meets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_example: Option<String>,
    /// A near miss: a response that does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_example: Option<String>,
    /// The ruling on the cases between, as graders see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundary: Option<String>,
    /// What was added to the boundary, when and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rulings: Vec<Ruling>,
    /// The query it belongs to; `None` when it is shared by all queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Its weight, finite; negative is a penalty when met. 1 by default.
    pub weight: f64,
    /// Who answers for the weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_owner: Option<String>,
    /// When the weight was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_date: Option<Date>,
    /// Whether a failure is reported apart and blocks.
    pub gate: bool,
    /// Whether it is judged and shown but never scored.
    pub monitor: bool,
    /// The values it admits.
    pub scale: Scale,
    /// Free words, and the known ones: `actionability`, `creativity`, `objective`, `violation:moderate`, `violation:critical`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What "not applicable" counts as.
    pub na: WhenNotApplicable,
    /// For style, tone or length: who is harmed by a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harm: Option<String>,
    /// Lints silenced here, by id, each with its reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub allow: BTreeMap<String, String>,
    /// The check in code that decides it, as a map of one known kind to its argument; no judge is asked then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<serde_json::Value>,
    /// The line of the file where it begins, from 1; 0 when it came from no file.
    #[serde(skip)]
    pub line: u32,
}

/// An addition to a boundary, dated, with the disagreement it settles.
///
/// Source: METHODS 6.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// When it was made.
    pub date: Date,
    /// What was added.
    pub text: String,
    /// The disagreement it settles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What "not applicable" counts as.
///
/// Source: METHODS 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenNotApplicable {
    /// Met: a criterion with nothing to object to is passed by vacuity.
    Pass,
    /// Not met.
    Fail,
    /// Left out; the remaining weights are taken alone.
    #[default]
    Skip,
}

/// Something that must not pass unnoticed, with its loss.
///
/// Source: METHODS 98.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// Its id.
    pub id: String,
    /// What an undetected one costs; finite and above 0, in a unit of the author's choice.
    pub loss: f64,
    /// The criteria, by id, that can detect it.
    pub detected_by: Vec<String>,
}

impl Criterion {
    /// A criterion with this id and question, and the defaults for everything else.
    #[must_use]
    pub fn new(id: impl Into<String>, question: impl Into<String>) -> Criterion {
        Criterion {
            id: id.into(),
            question: question.into(),
            pass_example: None,
            fail_example: None,
            boundary: None,
            rulings: Vec::new(),
            query: None,
            weight: 1.0,
            weight_owner: None,
            weight_date: None,
            gate: false,
            monitor: false,
            scale: Scale::Binary,
            tags: Vec::new(),
            na: WhenNotApplicable::Skip,
            harm: None,
            allow: BTreeMap::new(),
            check: None,
            line: 0,
        }
    }

    /// Reads a criterion back from the JSON that serialising it gives, as banks carry it.
    ///
    /// # Errors
    /// As [`Rubric::parse`].
    pub fn from_json(entry: &serde_json::Value) -> Result<Criterion, Diagnostics> {
        read::criterion_from_json(&entry.to_string())
    }

    /// What a judge is shown of it.
    #[must_use]
    pub fn card(&self) -> Card {
        Card {
            question: self.question.clone(),
            pass_example: self.pass_example.clone(),
            fail_example: self.fail_example.clone(),
            boundary: self.boundary.clone(),
            scale: self.scale.clone(),
        }
    }
}

impl Rubric {
    /// Reads a rubric by the extension of its file name: `.json`, `.jsonl`, else YAML.
    ///
    /// Returns the rubric with its warnings.
    ///
    /// # Errors
    /// If the text is no rubric; every mistake in it is reported, in the order of the file.
    ///
    /// ```
    /// use calibrant_schema::Rubric;
    ///
    /// let text = "criteria:\n  - id: no\n    question: Is it short?\n    wieght: 2\n";
    /// let found = Rubric::parse(text, "rubric.yaml").expect_err("a key is mistyped");
    /// assert!(found.render(Some(text)).contains("help: did you mean `weight`?"));
    /// ```
    pub fn parse(text: &str, file_name: &str) -> Result<(Rubric, Diagnostics), Diagnostics> {
        let extension = file_name
            .rsplit_once('.')
            .map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") => Rubric::parse_json(text, file_name),
            Some("jsonl" | "ndjson") => Rubric::parse_rows(text, file_name),
            _ => Rubric::parse_yaml(text, file_name),
        }
    }

    /// Reads a rubric as [`Rubric::parse`] does, and remembers where its texts stand.
    ///
    /// A `bank.json` was written by a program: it has no places.
    ///
    /// # Errors
    /// As [`Rubric::parse`].
    pub fn parse_located(text: &str, file_name: &str) -> Result<(Rubric, Diagnostics, Places), Diagnostics> {
        let extension = file_name
            .rsplit_once('.')
            .map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") if Bank::is_format_of(text) => {
                let (rubric, found) = Rubric::parse_json(text, file_name)?;
                Ok((rubric, found, Places::default()))
            }
            Some("json") => read::parse_located(text, file_name, read::Notation::Json),
            Some("jsonl" | "ndjson") => rows::parse_located(text, file_name),
            _ => read::parse_located(text, file_name, read::Notation::Yaml),
        }
    }

    /// Reads a rubric from YAML 1.2.
    ///
    /// # Errors
    /// As [`Rubric::parse`].
    pub fn parse_yaml(text: &str, file_name: &str) -> Result<(Rubric, Diagnostics), Diagnostics> {
        read::parse(text, file_name, read::Notation::Yaml)
    }

    /// Reads from YAML the part of a rubric that concerns a block, which need not be able to score: all of it may be
    /// penalties, or monitored.
    ///
    /// # Errors
    /// As [`Rubric::parse`], apart from weights that make no score.
    pub fn parse_part(text: &str, file_name: &str) -> Result<(Rubric, Diagnostics), Diagnostics> {
        read::parse_part(text, file_name)
    }

    /// Reads a rubric from JSON, in the same form as YAML, or from a `bank.json`.
    ///
    /// # Errors
    /// As [`Rubric::parse`].
    pub fn parse_json(text: &str, file_name: &str) -> Result<(Rubric, Diagnostics), Diagnostics> {
        if Bank::is_format_of(text) {
            return Bank::from_json(text, file_name)
                .map_err(|broken| Diagnostics::from_iter([*broken]))?
                .rubric();
        }
        read::parse(text, file_name, read::Notation::Json)
    }

    /// Reads a pool of query-specific criteria from JSON lines.
    ///
    /// A row is one criterion with its `query`, or one query with its criteria under `rubrics`, as HealthBench writes
    /// them. Other tools' names for the keys are known: `criterion_id`, `query_id`, `prompt_id`, `text`, `points`. A
    /// criterion without an id gets one from the hash of its question. Keys that are not known are warned about.
    ///
    /// # Errors
    /// As [`Rubric::parse`].
    pub fn parse_rows(text: &str, file_name: &str) -> Result<(Rubric, Diagnostics), Diagnostics> {
        rows::parse(text, file_name)
    }

    /// The hash of everything in the rubric except layout and comments.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of_json(&self.preimage())
    }

    /// The JSON value whose canonical text is hashed.
    #[must_use]
    pub fn preimage(&self) -> serde_json::Value {
        preimage::rubric(self)
    }

    /// The rubric as YAML that reads back as the same rubric; defaults are left out.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        print::print(self)
    }
}
