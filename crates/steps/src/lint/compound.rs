//! Two conditions in one criterion: joins between verbs, not inside a list of nouns or a quotation.
//!
//! Source: METHODS 12.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::catalogue::COMPOUND;
use super::subject::{Hit, Subject, first, pattern};
use super::verbs;

/// Words that may stand between a join and its verb.
const BETWEEN: &str = r"(?:then\s+|also\s+|it\s+|clearly\s+|explicitly\s+|briefly\s+|correctly\s+|accurately\s+|does\s+|the (?:answer|response|reply)\s+)*";

/// METHODS 12: a second verb after a join.
pub(super) fn compound(subject: &Subject<'_>) -> Option<Hit> {
    let range = match subject.statement {
        true => first(&STATEMENT, &subject.text.masked),
        false => first(&QUESTION, &subject.text.masked),
    }?;
    let second = tail(subject, &range);
    if is_purpose(&subject.text.masked, &range) {
        return None;
    }
    let what = format!("criterion `{}` asks two things", subject.criterion.id);
    Some(Hit::at(
        COMPOUND,
        range,
        what,
        format!("\"{second}\" is a second condition"),
    ))
}

static STATEMENT: LazyLock<Regex> = LazyLock::new(|| joins(&verbs::third_person()));
static QUESTION: LazyLock<Regex> = LazyLock::new(|| joins(&verbs::base()));

/// A join and a verb of the form the criterion is written in; or a gerund after "as well as" and "while also".
fn joins(verb: &str) -> Regex {
    let gerunds = verbs::gerunds();
    pattern(&format!(
        r"(?:\band\b,?\s+|\bas well as\s+|;\s+(?:and\s+)?|\.\s+){BETWEEN}{verb}|(?:\bas well as|\bin addition to|\bwhile also|\balong with)\s+{gerunds}"
    ))
}

/// The join with its verb, as the question has it.
fn tail<'a>(subject: &Subject<'a>, range: &Range<usize>) -> &'a str {
    subject.shown(range).trim_start_matches([';', '.', ',', ' '])
}

/// Whether the joined verbs stand in one infinitive of purpose, or are a pair that says one thing.
fn is_purpose(text: &str, range: &Range<usize>) -> bool {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:acknowledges?|recogni[sz]es?|identif(?:y|ies)|stop|pause|stays?|say|try|go|come)\s+and\s+(?:validates?|acknowledges?|confirms?|take|say)\b",
        )
    });
    let from = text[..range.start]
        .rfind(' ')
        .map_or(0, |_| range.start.saturating_sub(24));
    let from = (from..=range.start)
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(range.start);
    PAIR.is_match(&text[from..range.end])
}
