//! What is said of a log after it was read: what was taken for what, and what has no place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::header::Header;
use super::rows::Pairs;
use super::sample::Sample;
use super::score::Spelled;
use crate::formats::Losses;
use crate::tables::shown;

/// What is counted on the way through a log.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) epochs: BTreeSet<u64>,
    pub(super) spelled: BTreeSet<Spelled>,
    pub(super) edited: u64,
    pub(super) limited: u64,
    pub(super) invalid: u64,
    pub(super) broken: u64,
}

impl Tally {
    /// What was taken for what, a sentence each.
    pub(super) fn sentences(&self, header: &Header, pairs: &Pairs) -> Vec<String> {
        let mut judges: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, judge) in pairs.keys() {
            *judges.entry(judge).or_default() += 1;
        }
        let judges: Vec<String> = judges
            .into_iter()
            .take(20)
            .map(|(judge, count)| format!("`{}` ({count})", shown(judge)))
            .collect();
        let criteria = pairs
            .keys()
            .map(|(criterion, _)| criterion)
            .collect::<BTreeSet<_>>()
            .len();
        let mut sentences = vec![
            format!(
                "The model `{}` is the system, a sample of the task `{}` a query, and an epoch a sample of a response ({} of them).",
                shown(&header.system),
                shown(&header.task),
                self.epochs.len()
            ),
            format!(
                "A scorer, or a key of its value, is a criterion ({criteria} of them); the model that it asks, or the scorer itself, is the judge: {}.",
                if judges.is_empty() {
                    "none".to_owned()
                } else {
                    judges.join(", ")
                }
            ),
        ];
        if self.spelled.contains(&Spelled::Letter) {
            sentences.push("`C` is 1, `P` is 0.5, and `I` and `N` are 0, as Inspect counts them.".to_owned());
        }
        if self.spelled.contains(&Spelled::Word) {
            sentences.push(
                "Yes and no, true and false, and digits in quotes are numbers, as Inspect counts them.".to_owned(),
            );
        }
        if self.spelled.contains(&Spelled::Other) {
            let sentence = "A value that is no number has the status `unparsable`, with its text as the comment; Inspect counts it as 0.";
            sentences.push(sentence.to_owned());
        }
        let counted = [
            (
                self.edited,
                "Edited scores, of which the value that stands in the end is taken, as a person's",
            ),
            (
                self.limited,
                "Samples that met a limit, whose verdicts have a flag such as `limit-message`",
            ),
            (
                self.invalid,
                "Samples marked as invalidated, whose verdicts have the flag `invalidated`",
            ),
            (
                self.broken,
                "Samples that broke before they were scored, whose verdicts have the status `skipped`",
            ),
        ];
        for (count, what) in counted.into_iter().filter(|(count, _)| *count > 0) {
            sentences.push(format!("{what}: {count}."));
        }
        sentences
    }
}

/// Counts what of a sample has no place.
pub(super) fn left_behind(sample: &Sample, losses: &mut Losses) {
    let words = [
        (
            "events",
            "events of runs",
            "verdicts and responses are what they led to",
        ),
        (
            "metadata",
            "metadata of samples",
            "write what matters into queries.jsonl: `domain`, `task_type` or `tags`",
        ),
        (
            "store",
            "stores of samples",
            "the state of a solver is no part of a response",
        ),
        ("usage", "token counts of systems", "costs are kept of judges only"),
        (
            "usage of roles",
            "token counts of roles",
            "the log does not say which score they belong to",
        ),
        (
            "times",
            "times that samples took",
            "only the end of a sample is kept, as the time of its verdicts",
        ),
        (
            "retries",
            "errors that were tried again",
            "a response is what came in the end",
        ),
        ("files", "files of samples", "a query is a text or messages"),
        (
            "description",
            "descriptions of samples",
            "a query is a text or messages",
        ),
    ];
    for (key, what, why) in words {
        let count = sample.left.get(key).copied().unwrap_or_default();
        losses.add_many(what, why, count);
    }
    let target = match sample.get("target") {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(texts)) => !texts.is_empty(),
        _ => false,
    };
    if target {
        let why = "a rubric asks in words: write what a right answer has into its criteria";
        losses.add("target answers", why);
    }
}
