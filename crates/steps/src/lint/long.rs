//! Long texts, and texts that stand in a pool many times.
//!
//! Source: METHODS 12.

use std::collections::BTreeMap;

use calibrant_schema::Rubric;

use super::catalogue::COMPOUND;
use super::subject::{Hit, Subject};
use super::text::words;

/// A question of more words is an instruction with many conditions; single words of it are not looked at.
const MOST_WORDS: usize = 100;

/// METHODS 12: a criterion that is an essay.
pub(super) fn long(subject: &Subject<'_>) -> Option<Hit> {
    // Reasons in brackets are not conditions.
    let count = words(&subject.text.masked)
        .filter(|(_, word)| !word.starts_with('_'))
        .count();
    if count <= MOST_WORDS {
        return None;
    }
    let what = format!(
        "criterion `{}` has {count} words, more than one condition needs",
        subject.criterion.id
    );
    Some(Hit::at(
        COMPOUND,
        0..subject.text.raw.len(),
        what,
        "an instruction, not a criterion",
    ))
}

/// The key under which texts are the same: with the sign of the weight, which lints look at too.
type Same<'a> = (&'a str, bool);

/// Which criteria of a pool repeat the text of an earlier one. A text that many queries have is reported once.
pub(super) struct Repeats<'a> {
    rubric: &'a Rubric,
    /// The first criterion of each text and how many others follow.
    first: BTreeMap<Same<'a>, (usize, usize)>,
}

impl<'a> Repeats<'a> {
    pub(super) fn of(rubric: &'a Rubric) -> Repeats<'a> {
        let mut repeats = Repeats {
            rubric,
            first: BTreeMap::new(),
        };
        for at in 0..rubric.criteria.len() {
            if let Some(key) = repeats.key(at) {
                let found = repeats.first.entry(key).or_insert((at, 0));
                found.1 += usize::from(found.0 != at);
            }
        }
        repeats
    }

    /// The key of a criterion of one query that silences nothing: others speak for themselves.
    fn key(&self, at: usize) -> Option<Same<'a>> {
        let criterion = &self.rubric.criteria[at];
        let alone = criterion.query.is_none() || !criterion.allow.is_empty() || criterion.boundary.is_some();
        (!alone).then_some((criterion.question.as_str(), criterion.weight < 0.0))
    }

    fn found(&self, at: usize) -> Option<(usize, usize)> {
        self.first.get(&self.key(at)?).copied()
    }

    /// Whether no earlier criterion has its text.
    pub(super) fn is_first(&self, at: usize) -> bool {
        self.found(at).is_none_or(|(first, _)| first == at)
    }

    /// How many later criteria have its text.
    pub(super) fn others(&self, at: usize) -> usize {
        self.found(at).map_or(0, |(_, others)| others)
    }
}
