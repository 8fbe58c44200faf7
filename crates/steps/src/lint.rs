//! Lints: what in the wording, the examples and the weights of a rubric will make judges disagree.
//!
//! Lints look at a sound rubric and need no verdicts. A finding is a warning or a note, never an error, and is silenced
//! only by `allow` with a written reason. Lints of words know English alone; they look at the words outside quotation
//! marks and brackets, and say at most one thing per lint of each criterion.
//!
//! Source: METHODS 7, 12-20, 22-26.

mod catalogue;
mod compound;
mod examples;
mod labels;
mod long;
mod overlap;
mod polarity;
mod questions;
mod rubric;
mod silence;
mod subject;
mod text;
mod verbs;
mod wording;

use calibrant_schema::rubric::{Located, Places};
use calibrant_schema::{Criterion, Diagnostic, Diagnostics, Rubric, Span};

use catalogue::NOT_ENGLISH;
pub use catalogue::{LINTS, Lint, lint_named};
pub use labels::{PHI_CUT, lint_labels};
use long::Repeats;
use silence::Silencer;
use subject::{Hit, Subject};

/// A finding that `allow` silences.
#[derive(Clone, Debug, PartialEq)]
pub struct Silenced {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The reason given.
    pub reason: String,
}

/// What the lints say of a rubric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LintReport {
    /// What is left to look at, in the order of the file.
    pub findings: Diagnostics,
    /// What is silenced, each with its reason.
    pub silenced: Vec<Silenced>,
}

/// A lint of one criterion.
type Look = for<'s, 'a> fn(&'s Subject<'a>) -> Option<Hit>;

/// Lints of words, for criteria in English that judges answer.
const OF_WORDS: [Look; 12] = [
    compound::compound,
    polarity::negated_penalty,
    polarity::polarity,
    questions::code_decidable,
    questions::open_question,
    questions::scale_in_words,
    questions::stock_phrase,
    wording::no_harm,
    wording::reader_reaction,
    wording::taste,
    wording::unobservable,
    wording::vague_word,
];

/// Lints of what stands beside the question, in English too.
const OF_NOTES: [Look; 3] = [
    examples::boundary_no_ruling,
    examples::far_fail_example,
    examples::vacuity,
];

/// Every static lint over a rubric, whose file is `file` with the text `text`.
///
/// Findings have the place of the words they are about where `places` knows it. A rubric that came from no file people
/// write, such as a bank, has no places, and its findings have none.
#[must_use]
pub fn lint(rubric: &Rubric, file: &str, text: &str, places: &Places) -> LintReport {
    let located = Located::new(file, text, places);
    let english: Vec<bool> = rubric
        .criteria
        .iter()
        .map(|criterion| !text::is_foreign(&criterion.question))
        .collect();
    let subjects: Vec<Option<Subject<'_>>> = rubric
        .criteria
        .iter()
        .zip(&english)
        .map(|(criterion, english)| (*english && criterion.check.is_none()).then(|| Subject::new(criterion)))
        .collect();
    let mut silencer = Silencer::new(rubric, &located);
    let repeats = Repeats::of(rubric);
    for (at, criterion) in rubric.criteria.iter().enumerate() {
        let subject = subjects[at].as_ref().filter(|_| repeats.is_first(at));
        of_criterion(at, criterion, subject, repeats.others(at), &located, &mut silencer);
    }
    for whole in rubric::whole(rubric, &subjects) {
        let span = match whole.at {
            Some((at, key)) => located.key(at, key).or_else(|| begin(&rubric.criteria[at], file)),
            None => located
                .root_key("criteria")
                .or_else(|| begin(rubric.criteria.first()?, file)),
        };
        let diagnostic = finding(whole.lint, whole.what, whole.label, whole.lint.help.to_owned(), span);
        silencer.take(None, whole.lint, diagnostic);
    }
    let comparable: Vec<bool> = subjects
        .iter()
        .zip(&rubric.criteria)
        .map(|(subject, criterion)| match subject {
            Some(subject) => long::long(subject).is_none(),
            None => criterion.check.is_none(),
        })
        .collect();
    for (later, earlier, hit) in overlap::overlaps(rubric, &comparable) {
        let lint = hit.lint;
        let diagnostic = place(hit, later, &rubric.criteria[later], &located);
        silencer.take_pair(later, earlier, lint, diagnostic);
    }
    foreign(&english, &located, &mut silencer);
    silencer.finish()
}

/// The lints of one criterion. Of taste and style, which overlap, the graver one speaks.
fn of_criterion(
    at: usize,
    criterion: &Criterion,
    subject: Option<&Subject<'_>>,
    others: usize,
    located: &Located<'_>,
    silencer: &mut Silencer<'_>,
) {
    let structural = Subject::new(criterion);
    let mut hits: Vec<Hit> = Vec::new();
    if let Some(subject) = subject {
        match long::long(subject) {
            Some(hit) => hits.push(hit),
            None => hits.extend(OF_WORDS.iter().filter_map(|look| look(subject))),
        }
        if others > 0 {
            hits.iter_mut()
                .for_each(|hit| hit.what.push_str(&format!(", and so do {others} of the same text")));
        }
        hits.extend(OF_NOTES.iter().filter_map(|look| look(subject)));
        let taste = hits.iter().any(|hit| hit.lint == catalogue::TASTE);
        hits.retain(|hit| !(taste && hit.lint == catalogue::NO_HARM));
    }
    hits.extend(rubric::unanchored_scale(&structural));
    for hit in hits {
        let lint = hit.lint;
        let diagnostic = place(hit, at, criterion, located);
        silencer.take(Some(at), lint, diagnostic);
    }
}

/// A hit with its place in the file.
fn place(hit: Hit, at: usize, criterion: &Criterion, located: &Located<'_>) -> Diagnostic {
    let text = match hit.key {
        "boundary" => criterion.boundary.as_deref(),
        "fail_example" => criterion.fail_example.as_deref(),
        _ => Some(criterion.question.as_str()),
    };
    let span = match (hit.range, text) {
        (Some(range), Some(text)) => located.words(at, hit.key, text, range),
        _ => located.value(at, hit.key),
    };
    finding(hit.lint, hit.what, hit.label, hit.help, span)
}

fn finding(lint: Lint, what: String, label: String, help: String, span: Option<Span>) -> Diagnostic {
    Diagnostic {
        severity: lint.severity,
        id: lint.id,
        what,
        span,
        label: Some(label),
        help,
    }
}

/// Where a criterion begins, for files without places.
fn begin(criterion: &Criterion, file: &str) -> Option<Span> {
    (criterion.line > 0).then(|| Span {
        file: file.to_owned(),
        line: criterion.line,
        column: 1,
        length: 1,
    })
}

/// One note for all criteria that no lint of words looked at.
fn foreign(english: &[bool], located: &Located<'_>, silencer: &mut Silencer<'_>) {
    let Some(first) = english.iter().position(|english| !english) else {
        return;
    };
    let count = english.iter().filter(|english| !**english).count();
    let what = format!(
        "{count} of {} criteria are not in English: their wording was not looked at",
        english.len()
    );
    let span = located
        .key(first, "question")
        .or_else(|| located.value(first, "question"));
    let label = "the first of them".to_owned();
    silencer.take(
        None,
        NOT_ENGLISH,
        finding(NOT_ENGLISH, what, label, NOT_ENGLISH.help.to_owned(), span),
    );
}

/// The cut above which two criteria overlap, for the documents: the Jaccard index of their stemmed content words.
pub const OVERLAP_CUT: f64 = overlap::CUT;
