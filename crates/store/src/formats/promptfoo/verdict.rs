//! From the result of one assertion to a verdict.

use calibrant_schema::Status;
use serde_json::{Map, Value};

use super::assertion::{Assertion, Decider};
use crate::formats::Losses;
use crate::ledger::{Cell, Entry, VerdictSource};

/// An assertion with its result.
pub(super) struct Done<'v> {
    pub assertion: Assertion,
    pub result: &'v Map<String, Value>,
}

/// Results that are no verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Aside {
    /// Those of assertion sets.
    pub sets: u64,
    /// Parts of an assertion's result.
    pub parts: u64,
    /// Those that name no assertion.
    pub unnamed: u64,
}

/// The results of single assertions.
///
/// promptfoo repeats what is inside of a result behind it: members of a set, which are assertions of their own, and parts of a composite
/// result, which are not.
pub(super) fn executed(graded: Option<&Value>) -> (Vec<Done<'_>>, Aside) {
    let (mut done, mut aside) = (Vec::new(), Aside::default());
    let results = inner(graded);
    let mut at = 0;
    while let Some(result) = results.get(at) {
        at += 1;
        let parts = inner(Some(result));
        let repeated = results
            .get(at..at + parts.len())
            .is_some_and(|behind| alike(parts, behind));
        let map = result.as_object();
        let assertion = map
            .and_then(|map| map.get("assertion"))
            .and_then(Value::as_object)
            .and_then(Assertion::of);
        match (map, assertion) {
            (Some(result), Some(assertion)) => {
                done.push(Done { assertion, result });
                aside.parts += parts.len() as u64;
                at += if repeated { parts.len() } else { 0 };
            }
            _ if parts.is_empty() => aside.unnamed += 1,
            _ => {
                aside.sets += 1;
                if !repeated {
                    let members = parts.iter().filter_map(Value::as_object);
                    done.extend(members.filter_map(|result| {
                        let assertion = Assertion::of(result.get("assertion")?.as_object()?)?;
                        Some(Done { assertion, result })
                    }));
                }
            }
        }
    }
    (done, aside)
}

fn inner(result: Option<&Value>) -> &[Value] {
    let inner = result
        .and_then(|result| result.get("componentResults"))
        .and_then(Value::as_array);
    inner.map_or(&[], Vec::as_slice)
}

/// Whether these results are the same ones again.
fn alike(parts: &[Value], behind: &[Value]) -> bool {
    let same = |key: &str, one: &Value, other: &Value| one.get(key) == other.get(key);
    parts
        .iter()
        .zip(behind)
        .all(|(part, other)| same("pass", part, other) && same("score", part, other) && same("reason", part, other))
}

/// The verdict of an assertion that was carried out.
pub(super) fn verdict(cell: Cell, done: &Done<'_>, losses: &mut Losses) -> Entry {
    let (assertion, result) = (&done.assertion, done.result);
    let text = |key: &str| {
        result
            .get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let score = result.get("score").and_then(Value::as_f64);
    let status = status(assertion, result, score);
    let pass = passed(assertion, result, score);
    let label = (status == Status::Ok).then(|| f64::from(u8::from(pass == Some(true))));
    if status == Status::Unparsable && !grader_failed(result) {
        let why = "promptfoo takes a grader's reply without `pass` for passed: a pass with the score 0 is no label here, and with the weight 0 \
                   a score between 0 and 1 is none";
        losses.add("verdicts that contradict their score", why);
    }
    let mut entry = Entry::new(cell, status, label);
    entry.source = Some(match assertion.decider() {
        Decider::Model => VerdictSource::Text,
        Decider::Code => VerdictSource::Code,
        Decider::Person => VerdictSource::Human,
    });
    entry.reason = text("reason");
    let marked = score.filter(|score| status != Status::Ok || (*score != 0.0 && *score != 1.0));
    let marked = marked
        .filter(|_| !grader_failed(result))
        .map(|score| match assertion.threshold {
            Some(threshold) => format!("score {score}, threshold {threshold}"),
            None => format!("score {score}"),
        });
    let comments: Vec<String> = marked.into_iter().chain(text("comment")).collect();
    entry.comment = Some(comments.join("; ")).filter(|comment| !comment.is_empty());
    if assertion.decider() == Decider::Model {
        let tokens = |key: &str| {
            result
                .get("tokensUsed")
                .and_then(|used| used.get(key))
                .and_then(Value::as_u64)
        };
        if tokens("total").is_some_and(|total| total > 0) {
            entry.tokens_in = tokens("prompt");
            entry.tokens_out = tokens("completion");
            entry.tokens_cached = tokens("cached").filter(|cached| *cached > 0);
        }
    }
    entry
}

/// Whether the assertion passed. promptfoo calls every assertion of weight 0 passed, whatever came out: there the score decides.
fn passed(assertion: &Assertion, result: &Map<String, Value>, score: Option<f64>) -> Option<bool> {
    let pass = result.get("pass").and_then(Value::as_bool);
    match (score, assertion.threshold) {
        _ if assertion.weight != 0.0 || pass != Some(true) => pass,
        (Some(score), Some(threshold)) => Some(score >= threshold),
        (Some(score), None) if score == 0.0 || score == 1.0 => Some(score == 1.0),
        _ => None,
    }
}

fn grader_failed(result: &Map<String, Value>) -> bool {
    let metadata = result.get("metadata");
    metadata
        .and_then(|metadata| metadata.get("graderError"))
        .and_then(Value::as_bool)
        == Some(true)
}

/// What became of the question. A grader that failed has given no label, and neither has one whose pass and score exclude each other:
/// promptfoo fills a missing `pass` with true.
fn status(assertion: &Assertion, result: &Map<String, Value>, score: Option<f64>) -> Status {
    if grader_failed(result) {
        let reason = result.get("reason").and_then(Value::as_str).unwrap_or_default();
        return match reason.starts_with("Could not extract JSON") {
            true => Status::Unparsable,
            false => Status::Failed,
        };
    }
    let Some(pass) = passed(assertion, result, score) else {
        return Status::Unparsable;
    };
    let cut = assertion.threshold.is_some();
    let contradicts = match score {
        _ if assertion.weight == 0.0 => false,
        Some(score) if assertion.inverse => !pass && score == 1.0 && !cut,
        Some(score) => pass && score == 0.0 && !assertion.threshold.is_some_and(|threshold| threshold <= 0.0),
        None => false,
    };
    match assertion.decider() == Decider::Model && contradicts {
        true => Status::Unparsable,
        false => Status::Ok,
    }
}

/// The row of an assertion without a result: nobody was asked where there is no answer, and asking failed where there is one.
pub(super) fn without_result(cell: Cell, error: Option<&Value>, answered: bool) -> Entry {
    let status = if answered { Status::Failed } else { Status::Skipped };
    let mut entry = Entry::new(cell, status, None);
    let first = error.and_then(Value::as_str).and_then(|error| error.lines().next());
    entry.comment = first
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| line.chars().take(400).collect());
    entry
}
