//! What a log says of its run before the samples: the model, and the scorers with whom they ask.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{AGAIN, mistake};
use crate::formats::{ImportOptions, ReadError};
use crate::ledger::VerdictSource;
use crate::tables::shown;

/// The version of logs that is known.
const VERSION: u64 = 2;

/// The most scorers of a run.
const MOST_SCORERS: usize = 1_000;

/// Scorers of the package that decide by code, by the names it gives them.
const OF_CODE: [&str; 9] = [
    "answer",
    "choice",
    "exact",
    "f1",
    "includes",
    "match",
    "math",
    "pattern",
    "perplexity",
];

/// Scorers of the package that ask the evaluated model where no other is named.
const OF_MODELS: [&str; 2] = ["model_graded_qa", "model_graded_fact"];

/// What is known of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) system: String,
    pub(super) task: String,
    pub(super) package: Option<String>,
    pub(super) scorers: Vec<Scorer>,
    /// Whether every scorer has a judge of its own: then the keys of their values name criteria, whoever gives them.
    pub(super) apart: bool,
    judge: Option<String>,
}

/// A scorer of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scorer {
    /// Its name among the scores of a sample.
    pub(super) key: String,
    /// The criterion that a value of it decides.
    pub(super) criterion: String,
    pub(super) judge: String,
    pub(super) source: Option<VerdictSource>,
}

/// Whether a version is the one that is known.
///
/// # Errors
/// If it is another, or none.
pub(super) fn check_version(file: &str, written: Option<&Value>) -> Result<(), ReadError> {
    let help = format!(
        "write it in version {VERSION}: `inspect log convert --to eval --output-dir DIR FILE` with inspect_ai 0.3.285, or a Calibrant that knows its version"
    );
    let what = match written {
        Some(version) if version.as_u64() == Some(VERSION) => return Ok(()),
        Some(version) => format!(
            "this is an Inspect log of version {}; version {VERSION} is known",
            shown(&version.to_string())
        ),
        None => format!("this Inspect log states no version; version {VERSION} is known"),
    };
    Err(mistake(file, "unknown-version", what, help))
}

impl Header {
    /// Reads the `eval` of a log.
    ///
    /// # Errors
    /// If it names no model.
    pub(super) fn of(file: &str, eval: &Value, options: &ImportOptions) -> Result<Self, ReadError> {
        let text = |key: &str| {
            eval.get(key)
                .and_then(Value::as_str)
                .filter(|text| !text.trim().is_empty())
        };
        let Some(model) = options.system.as_deref().or_else(|| text("model")) else {
            let what = "the log does not say which model was evaluated (`eval.model`)";
            return Err(mistake(
                file,
                "no-model",
                what,
                format!("name it with --system, or {AGAIN}"),
            ));
        };
        let mut header = Self {
            system: model.to_owned(),
            task: text("task").unwrap_or("unnamed").to_owned(),
            package: eval
                .get("packages")
                .and_then(|packages| packages.get("inspect_ai"))
                .and_then(Value::as_str)
                .map(str::to_owned),
            scorers: Vec::new(),
            apart: true,
            judge: options.judge.clone(),
        };
        let listed = eval
            .get("scorers")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        for scorer in listed.iter().take(MOST_SCORERS) {
            header.add(scorer, eval);
        }
        header.settle();
        Ok(header)
    }

    fn add(&mut self, listed: &Value, eval: &Value) {
        let Some(name) = listed.get("name").and_then(Value::as_str) else {
            return;
        };
        // The package drops the name before a slash, and counts the same name up from 1.
        let base = name.rsplit('/').next().unwrap_or(name);
        let taken = |key: &str| self.scorers.iter().any(|scorer| scorer.key == key);
        let key = match taken(base) {
            false => base.to_owned(),
            true => (1..)
                .map(|count| format!("{base}{count}"))
                .find(|key| !taken(key))
                .expect("names are finite"),
        };
        let asked = asked_model(listed, base, eval);
        let source = match (&asked, OF_CODE.contains(&base)) {
            (Some(_), _) => Some(VerdictSource::Text),
            (None, true) => Some(VerdictSource::Code),
            (None, false) => None,
        };
        self.scorers.push(Scorer {
            criterion: base.to_owned(),
            judge: asked.or_else(|| self.judge.clone()).unwrap_or_else(|| key.clone()),
            key,
            source,
        });
    }

    /// Settles the names of criteria: two scorers of one name are two judges of one criterion, unless they ask the same judge.
    fn settle(&mut self) {
        let mut judges = BTreeSet::new();
        self.apart = self.scorers.iter().all(|scorer| judges.insert(scorer.judge.clone()));
        let pairs: Vec<(String, String)> = self
            .scorers
            .iter()
            .map(|scorer| (scorer.criterion.clone(), scorer.judge.clone()))
            .collect();
        for scorer in &mut self.scorers {
            let own = (scorer.criterion.clone(), scorer.judge.clone());
            if pairs.iter().filter(|pair| **pair == own).count() > 1 {
                scorer.criterion.clone_from(&scorer.key);
            }
        }
    }

    /// The scorer of this name among the scores of a sample; one that the log does not list stands for itself.
    pub(super) fn scorer(&self, key: &str) -> Scorer {
        let listed = self.scorers.iter().find(|scorer| scorer.key == key);
        listed.cloned().unwrap_or_else(|| Scorer {
            key: key.to_owned(),
            criterion: key.to_owned(),
            judge: self.judge.clone().unwrap_or_else(|| key.to_owned()),
            source: OF_CODE.contains(&key).then_some(VerdictSource::Code),
        })
    }

    /// The criterion that a key of a scorer's value decides.
    pub(super) fn criterion_of(&self, scorer: &Scorer, key: &str) -> String {
        match self.apart && self.scorers.iter().any(|listed| listed.key == scorer.key) {
            true => key.to_owned(),
            false => format!("{}/{key}", scorer.key),
        }
    }
}

/// The model that a scorer asks, where the log says so: its own, that of its role, or the evaluated one.
fn asked_model(listed: &Value, base: &str, eval: &Value) -> Option<String> {
    let options = listed.get("options");
    if let Some(model) = options.and_then(|options| options.get("model")).and_then(names) {
        return Some(model);
    }
    let role = options.and_then(|options| options.get("model_role"));
    let role = match (role, OF_MODELS.contains(&base)) {
        (Some(role), _) => role.as_str(),
        (None, true) => Some("grader"),
        (None, false) => None,
    };
    let of_role = role.and_then(|role| eval.get("model_roles")?.get(role)).and_then(names);
    of_role.or_else(|| {
        OF_MODELS
            .contains(&base)
            .then(|| eval.get("model").and_then(names))
            .flatten()
    })
}

/// The names of models: one, or several of a panel joined by `+`.
fn names(model: &Value) -> Option<String> {
    match model {
        Value::String(name) => (!name.trim().is_empty()).then(|| name.clone()),
        Value::Object(config) => config.get("model").and_then(names),
        Value::Array(models) => {
            let all: Option<Vec<String>> = models.iter().map(names).collect();
            all.filter(|all| !all.is_empty()).map(|all| all.join("+"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn header(scorers: Value) -> Header {
        let eval =
            json!({"model": "m/x", "task": "t", "scorers": scorers, "model_roles": {"grader": {"model": "m/role"}}});
        Header::of("log.eval", &eval, &ImportOptions::default()).expect("it names a model")
    }

    fn told(header: &Header) -> Vec<(&str, &str, &str)> {
        header
            .scorers
            .iter()
            .map(|of| (&*of.key, &*of.criterion, &*of.judge))
            .collect()
    }

    #[test]
    fn graders_of_one_name_are_judges_of_one_criterion() {
        let two = header(json!([
            {"name": "rubric", "options": {"model": "m/a"}},
            {"name": "own/rubric", "options": {"model": {"model": "m/b"}}},
            {"name": "match"},
        ]));
        let expected = [
            ("rubric", "rubric", "m/a"),
            ("rubric1", "rubric", "m/b"),
            ("match", "match", "match"),
        ];
        assert_eq!(told(&two), expected);
        assert!(two.apart);
        assert_eq!(two.criterion_of(&two.scorers[0], "tone"), "tone");
        assert_eq!(two.scorers[2].source, Some(VerdictSource::Code));
    }

    #[test]
    fn scorers_that_ask_the_same_judge_stay_apart_by_name() {
        let same = header(
            json!([{"name": "rubric", "options": {"model": "m/a"}}, {"name": "rubric", "options": {"model": "m/a"}}]),
        );
        assert_eq!(
            told(&same),
            [("rubric", "rubric", "m/a"), ("rubric1", "rubric1", "m/a")]
        );
        assert_eq!(same.criterion_of(&same.scorers[1], "tone"), "rubric1/tone");
    }

    #[test]
    fn a_grader_is_found_by_its_role_and_a_panel_by_its_members() {
        let graded =
            header(json!([{"name": "model_graded_qa"}, {"name": "own", "options": {"model": ["m/a", "m/b"]}}]));
        assert_eq!(told(&graded)[0].2, "m/role");
        assert_eq!(told(&graded)[1].2, "m/a+m/b");
        let eval = json!({"model": "m/x", "scorers": [{"name": "model_graded_fact"}]});
        let itself = Header::of("log.eval", &eval, &ImportOptions::default()).expect("it names a model");
        assert_eq!(itself.scorers[0].judge, "m/x");
    }

    #[test]
    fn another_version_is_named() {
        let error = check_version("log.json", Some(&json!(3)))
            .expect_err("3 is not known")
            .to_string();
        assert!(error.contains("version 3; version 2 is known"), "{error}");
        assert!(check_version("log.json", None).is_err());
        assert!(check_version("log.json", Some(&json!(2))).is_ok());
    }
}
