//! From one score of a sample to what stands beside its labels.

use calibrant_schema::Status;
use serde_json::Value;

use super::header::Scorer;
use super::messages::Messages;
use super::sample::Sample;
use crate::formats::{Losses, VerdictRow};
use crate::ledger::{Cell, VerdictSource};

/// Characters of an error that stand beside a verdict.
const LONGEST_ERROR: usize = 400;

/// What a sample says of all of its scores.
pub(super) struct About {
    pub(super) completed_at: Option<String>,
    pub(super) flags: Option<String>,
    /// Why it broke, in one line.
    pub(super) error: Option<String>,
}

impl About {
    pub(super) fn of(sample: &Sample) -> Self {
        let mut flags = Vec::new();
        if let Some(limit) = sample.get("limit") {
            let kind = limit.get("type").and_then(Value::as_str).unwrap_or("unknown");
            let kind: String = kind.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
            flags.push(format!("limit-{kind}"));
        }
        let error = sample.get("error").map(|error| {
            let message = error.get("message").and_then(Value::as_str).or_else(|| error.as_str());
            let line = message.and_then(|message| message.lines().next()).unwrap_or_default();
            let line: String = line.chars().take(LONGEST_ERROR).collect();
            format!("the sample broke: {line}")
        });
        if error.is_some() {
            flags.push("error".to_owned());
        }
        if sample.get("invalidation").is_some() {
            flags.push("invalidated".to_owned());
        }
        Self {
            completed_at: sample.get("completed_at").and_then(Value::as_str).and_then(time),
            flags: (!flags.is_empty()).then(|| flags.join(" ")),
            error,
        }
    }
}

/// What stands beside every label of a score; `said` is the response as one text.
pub(super) fn beside(
    scorer: &Scorer,
    score: &Value,
    sample: &Sample,
    about: &About,
    said: &str,
    losses: &mut Losses,
) -> VerdictRow {
    let mut messages = Messages {
        attachments: &sample.attachments,
        losses,
    };
    let mut text = |key: &str| {
        let text = score.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())?;
        Some(messages.text(text))
    };
    let (reason, answer) = (text("explanation"), text("answer"));
    let mut row = VerdictRow::new(
        Cell {
            system: String::new(),
            query: String::new(),
            sample: String::new(),
            criterion: String::new(),
            judge: scorer.judge.clone(),
            repeat: 1,
        },
        Status::Skipped,
        None,
    );
    row.source = scorer.source;
    row.reason = reason;
    row.judged_at.clone_from(&about.completed_at);
    row.flags.clone_from(&about.flags);
    match answer {
        Some(answer) if answer != said && said.contains(&answer) => row.evidence = Some(answer),
        Some(answer) if answer != said => {
            let why = "evidence is a passage of the response, and these are none";
            losses.add("answers as scorers read them", why);
        }
        _ => {}
    }
    let history = score
        .get("history")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    if let Some(last) = history.last() {
        row.source = Some(VerdictSource::Human);
        let when = last
            .get("provenance")
            .and_then(|provenance| provenance.get("timestamp"));
        row.judged_at = when.and_then(Value::as_str).and_then(time).or(row.judged_at);
        losses.add(
            "earlier values of edited scores",
            "a verdict is the value that stands in the end",
        );
    }
    let metadata = score.get("metadata").and_then(Value::as_object);
    row.model_answered = metadata.and_then(grader);
    if metadata.is_some_and(|metadata| !metadata.is_empty()) {
        let why = "a verdict has no place for them; the model of a grader is kept as `model_answered`";
        losses.add("metadata of scores", why);
    }
    row
}

/// Whether a score was changed after the run.
pub(super) fn is_edited(score: &Value) -> bool {
    score
        .get("history")
        .and_then(Value::as_array)
        .is_some_and(|history| !history.is_empty())
}

/// The scorer's word for why there is no value.
pub(super) fn reason(score: &Value) -> Option<&str> {
    score
        .get("reason")
        .and_then(Value::as_str)
        .or_else(|| old_reason(score))
}

/// The word for why there is no value, where releases before 0.3.250 wrote it.
fn old_reason(score: &Value) -> Option<&str> {
    score.get("metadata")?.get("unscored_reason")?.as_str()
}

/// The model that graded, out of the exchange that the package keeps beside a score.
fn grader(metadata: &serde_json::Map<String, Value>) -> Option<String> {
    let exchange = metadata.get("grading")?.as_array()?;
    exchange
        .iter()
        .rev()
        .find_map(|message| message.get("model")?.as_str())
        .map(str::to_owned)
}

/// A time in ISO 8601 with seconds; anything else is none.
fn time(text: &str) -> Option<String> {
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let fits = text.len() >= shape.len()
        && text.len() <= 40
        && text.is_ascii()
        && text.bytes().zip(shape).all(|(byte, expected)| match expected {
            b'd' => byte.is_ascii_digit(),
            expected => byte == *expected,
        })
        && text
            .bytes()
            .skip(shape.len())
            .all(|byte| byte.is_ascii_digit() || b"Z+-:.".contains(&byte));
    fits.then(|| text.to_owned())
}
