//! Assertions of promptfoo: what each asks, who decides it, and the id of the criterion it becomes.

use std::collections::BTreeMap;

use calibrant_schema::canonical::{Hash, canonical_json};
use serde_json::{Map, Value};

use super::check::check;
use super::names::slug;
use crate::formats::CriterionRow;

/// Types that a model decides. Every other type is decided by code.
const MODEL_GRADED: [&str; 16] = [
    "agent-rubric",
    "answer-relevance",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "factuality",
    "g-eval",
    "llm-rubric",
    "max-score",
    "model-graded-closedqa",
    "model-graded-factuality",
    "pi",
    "search-rubric",
    "select-best",
    "trajectory:goal-success",
];

/// Types whose value is the whole of what is asked, in words.
const IN_WORDS: [&str; 5] = [
    "agent-rubric",
    "g-eval",
    "llm-rubric",
    "model-graded-closedqa",
    "search-rubric",
];

/// Sets in sets deeper than this are left out: promptfoo itself takes one level.
const MOST_NESTED: usize = 8;

/// Who decides an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decider {
    Model,
    Code,
    Person,
}

/// One assertion.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Assertion {
    /// Its type, without `not-`.
    pub kind: String,
    /// Whether it holds when what it says does not.
    pub inverse: bool,
    /// What it asks, as written.
    pub value: Value,
    /// The name its scores go by.
    pub metric: Option<String>,
    /// Its share of the score of its test.
    pub weight: f64,
    /// The least score that passes.
    pub threshold: Option<f64>,
    /// The model that decides, where the assertion names it.
    pub provider: Option<String>,
}

impl Assertion {
    /// The assertion of a mapping, or `None` if it has no type or is a set.
    pub(super) fn of(map: &Map<String, Value>) -> Option<Self> {
        let written = map.get("type")?.as_str()?;
        if written == "assert-set" {
            return None;
        }
        let (kind, inverse) = match written.strip_prefix("not-") {
            Some(kind) => (kind, true),
            None => (written, false),
        };
        Some(Self {
            kind: kind.to_owned(),
            inverse,
            value: map.get("value").cloned().unwrap_or_default(),
            metric: map
                .get("metric")
                .and_then(Value::as_str)
                .filter(|name| !name.trim().is_empty())
                .map(str::to_owned),
            weight: weight_of(map),
            threshold: map.get("threshold").and_then(Value::as_f64),
            provider: map.get("provider").and_then(provider_name),
        })
    }

    /// The type as it is written.
    pub(super) fn written_kind(&self) -> String {
        format!("{}{}", if self.inverse { "not-" } else { "" }, self.kind)
    }

    pub(super) fn decider(&self) -> Decider {
        match self.kind.as_str() {
            "human" => Decider::Person,
            kind if MODEL_GRADED.contains(&kind) || kind.starts_with("promptfoo:redteam") => Decider::Model,
            _ => Decider::Code,
        }
    }

    /// What tells this assertion from another of the same name.
    fn identity(&self) -> Hash {
        Hash::of_json(&serde_json::json!({"type": self.written_kind(), "value": self.value}))
    }

    /// What is asked, in words, when the value reads `value`.
    pub(super) fn question(&self, value: &Value) -> String {
        let said = words(value);
        let plain = match self.kind.as_str() {
            "human" => "The response as a whole, as a person rates it".to_owned(),
            "factuality" | "model-graded-factuality" => format!("Agrees in its facts with: {said}"),
            "select-best" => format!("Is the best of the responses to this test: {said}"),
            "is-json" if value.is_null() => "Is JSON".to_owned(),
            kind if IN_WORDS.contains(&kind) && !said.trim().is_empty() => said,
            kind if said.trim().is_empty() => kind.to_owned(),
            kind => format!("{kind}: {said}"),
        };
        if self.inverse { format!("Not: {plain}") } else { plain }
    }

    /// The criterion this assertion is, under an id, for one query; `filled` is its value with every template filled in, where that
    /// could be done.
    pub(super) fn criterion(&self, id: &str, filled: Option<&Value>, weight: f64, query: &str) -> CriterionRow {
        CriterionRow {
            id: id.to_owned(),
            query: Some(query.to_owned()),
            question: self.question(filled.unwrap_or(&self.value)),
            weight,
            tags: Vec::new(),
            levels: None,
            check: filled.and_then(|value| check(self, value)),
        }
    }
}

/// An assertion of a test, with its weight in the score of the whole test.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Planned {
    pub assertion: Assertion,
    pub weight: f64,
}

/// What the assertions of a test come to: those of sets stand for themselves, with their share of the weight of the set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub planned: Vec<Planned>,
    /// Thresholds of sets.
    pub set_thresholds: u64,
    /// Entries that are no assertion.
    pub unread: u64,
}

impl Plan {
    /// The plan of a list of assertions and sets.
    pub(super) fn of(list: &Value) -> Self {
        let mut plan = Self::default();
        plan.add(list, 1.0, 0);
        plan
    }

    fn add(&mut self, list: &Value, share: f64, depth: usize) {
        for entry in list.as_array().into_iter().flatten() {
            let Some(map) = entry.as_object().filter(|_| depth <= MOST_NESTED) else {
                self.unread += 1;
                continue;
            };
            if map.get("type").and_then(Value::as_str) == Some("assert-set") {
                let members = map.get("assert").unwrap_or(&Value::Null);
                let total: f64 = members
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_object)
                    .map(weight_of)
                    .sum();
                let share = if total > 0.0 {
                    share * weight_of(map) / total
                } else {
                    0.0
                };
                self.set_thresholds += u64::from(map.get("threshold").is_some_and(|value| !value.is_null()));
                self.add(members, share, depth + 1);
            } else if let Some(assertion) = Assertion::of(map) {
                let weight = assertion.weight * share;
                self.planned.push(Planned { assertion, weight });
            } else {
                self.unread += 1;
            }
        }
    }

    /// The weight of an assertion that was carried out.
    pub(super) fn weight(&self, assertion: &Assertion) -> f64 {
        let same = |planned: &&Planned| {
            let other = &planned.assertion;
            other.metric == assertion.metric && other.identity() == assertion.identity()
        };
        self.planned
            .iter()
            .find(same)
            .map_or(assertion.weight, |planned| planned.weight)
    }

    /// The assertions alone.
    pub(super) fn assertions(&self) -> impl Iterator<Item = &Assertion> {
        self.planned.iter().map(|planned| &planned.assertion)
    }
}

/// The ids of the assertions of one test.
///
/// An id is the metric's name; where the test has several assertions of one name, the name and six digits of a hash of type
/// and value; without a metric, type, the beginning of the value, and the six digits. So an assertion has the same id in every test
/// that has it alike, in results and in the configuration.
#[derive(Debug, Default)]
pub(super) struct Ids(BTreeMap<String, Vec<Hash>>);

impl Ids {
    pub(super) fn of<'a>(assertions: impl Iterator<Item = &'a Assertion>) -> Self {
        let mut names: BTreeMap<String, Vec<Hash>> = BTreeMap::new();
        for assertion in assertions {
            if let Some(metric) = &assertion.metric {
                let hashes = names.entry(metric.clone()).or_default();
                let hash = assertion.identity();
                if !hashes.contains(&hash) {
                    hashes.push(hash);
                }
            }
        }
        Self(names)
    }

    pub(super) fn id(&self, assertion: &Assertion) -> String {
        let digits = &assertion.identity().short()[..6];
        match &assertion.metric {
            Some(metric) if self.0.get(metric).is_none_or(|hashes| hashes.len() < 2) => clean(metric),
            Some(metric) => format!("{}-{digits}", clean(metric)),
            None if assertion.decider() == Decider::Person => "human".to_owned(),
            None => {
                let said = slug(&words(&assertion.value), 24);
                let dash = if said.is_empty() { "" } else { "-" };
                format!("{}{dash}{said}-{digits}", clean(&assertion.written_kind()))
            }
        }
    }
}

/// An id on one line, without control characters.
fn clean(name: &str) -> String {
    name.trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// A value in words: texts as they are, lists a line each, anything else as JSON.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("\n"),
        value => canonical_json(value),
    }
}

/// The name of a provider: its label, else its id; in a map by purpose, that of the one for text.
pub(super) fn provider_name(value: &Value) -> Option<String> {
    let named = match value {
        Value::String(name) => name.as_str(),
        Value::Object(map) => {
            let name = |key: &str| {
                map.get(key)
                    .and_then(Value::as_str)
                    .filter(|name| !name.trim().is_empty())
            };
            match (name("label"), name("id")) {
                (Some(name), _) | (None, Some(name)) => name,
                (None, None) => return map.get("text").filter(|text| !text.is_null()).and_then(provider_text),
            }
        }
        _ => return None,
    };
    Some(clean(named)).filter(|name| !name.is_empty())
}

/// The provider for text of a map by purpose, which is not itself such a map.
fn provider_text(value: &Value) -> Option<String> {
    match value {
        Value::Object(map) if !map.contains_key("id") && !map.contains_key("label") => None,
        value => provider_name(value),
    }
}

fn weight_of(map: &Map<String, Value>) -> f64 {
    let weight = map.get("weight").and_then(Value::as_f64).unwrap_or(1.0);
    // Minus zero is zero: it must not reach a hash.
    if weight.is_finite() { weight + 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assertion(value: &Value) -> Assertion {
        Assertion::of(value.as_object().expect("a mapping")).expect("an assertion")
    }

    #[test]
    fn ids_are_metrics_until_two_share_one() {
        let first = assertion(&json!({"type": "llm-rubric", "value": "Is kind", "metric": "tone"}));
        let second = assertion(&json!({"type": "llm-rubric", "value": "Is calm", "metric": "tone"}));
        let bare = assertion(&json!({"type": "not-contains", "value": "Sorry, we are closed"}));
        let alone = Ids::of([&first, &first, &bare].into_iter());
        assert_eq!(alone.id(&first), "tone");
        assert!(
            alone.id(&bare).starts_with("not-contains-sorry-we-are-closed-"),
            "{}",
            alone.id(&bare)
        );
        let both = Ids::of([&first, &second].into_iter());
        assert_ne!(both.id(&first), both.id(&second));
        assert!(both.id(&first).starts_with("tone-"));
    }

    #[test]
    fn members_of_a_set_share_its_weight() {
        let plan = Plan::of(&json!([
            {"type": "assert-set", "weight": 2, "threshold": 0.5, "assert": [
                {"type": "contains", "value": "a", "weight": 3}, {"type": "contains", "value": "b"}]},
            {"type": "llm-rubric", "value": "c", "weight": 0},
            "not an assertion",
        ]));
        let weights: Vec<f64> = plan.planned.iter().map(|planned| planned.weight).collect();
        assert_eq!(weights, [1.5, 0.5, 0.0]);
        assert_eq!((plan.set_thresholds, plan.unread), (1, 1));
    }

    #[test]
    fn a_provider_goes_by_its_label() {
        assert_eq!(provider_name(&json!("openai:m")).as_deref(), Some("openai:m"));
        assert_eq!(provider_name(&json!({"id": "x", "label": "y"})).as_deref(), Some("y"));
        assert_eq!(provider_name(&json!({"id": "x", "label": ""})).as_deref(), Some("x"));
        assert_eq!(
            provider_name(&json!({"text": {"id": "x"}, "embedding": "e"})).as_deref(),
            Some("x")
        );
        assert_eq!(provider_name(&json!({"text": {"text": {"text": 1}}})), None);
    }
}
