//! What a lint looks at, and what it says.

use std::ops::Range;
use std::sync::LazyLock;

use calibrant_schema::{Criterion, Scale};
use regex::Regex;

use super::catalogue::Lint;
use super::text::Text;

/// A criterion under a lint.
pub(super) struct Subject<'a> {
    pub(super) criterion: &'a Criterion,
    /// Its question.
    pub(super) text: Text<'a>,
    /// Whether it is written as a statement, "Names the form", and not as a question.
    pub(super) statement: bool,
}

impl<'a> Subject<'a> {
    pub(super) fn new(criterion: &'a Criterion) -> Subject<'a> {
        let text = Text::new(&criterion.question);
        let statement = !is_question(&text.masked);
        Subject {
            criterion,
            text,
            statement,
        }
    }

    /// Whether meeting it is good.
    pub(super) fn rewards(&self) -> bool {
        self.criterion.weight > 0.0
    }

    /// The part of the question that a match covers, without white space around it.
    pub(super) fn shown(&self, range: &Range<usize>) -> &'a str {
        self.text.raw.get(range.clone()).unwrap_or_default().trim()
    }

    /// Whether the boundary rules on one of the words of a match.
    pub(super) fn ruled_on(&self, range: &Range<usize>) -> bool {
        let Some(boundary) = self.criterion.boundary.as_deref() else {
            return false;
        };
        let of_match = super::text::stems(self.shown(range));
        super::examples::rules(boundary) && super::text::stems(boundary).intersection(&of_match).next().is_some()
    }

    pub(super) fn is_binary(&self) -> bool {
        self.criterion.scale == Scale::Binary
    }
}

/// One finding before it has a place.
pub(super) struct Hit {
    pub(super) lint: Lint,
    /// The key whose text, or value, it is about.
    pub(super) key: &'static str,
    /// Which bytes of the text; `None` for the value as a whole.
    pub(super) range: Option<Range<usize>>,
    pub(super) what: String,
    pub(super) label: String,
    pub(super) help: String,
}

impl Hit {
    /// A finding about words of the question.
    pub(super) fn at(lint: Lint, range: Range<usize>, what: String, label: impl Into<String>) -> Hit {
        Hit {
            lint,
            key: "question",
            range: Some(range),
            what,
            label: label.into(),
            help: lint.help.to_owned(),
        }
    }

    /// The same finding about another key.
    pub(super) fn of_key(self, key: &'static str) -> Hit {
        Hit { key, ..self }
    }

    /// The same finding with a better next step.
    pub(super) fn helped(self, help: impl Into<String>) -> Hit {
        Hit {
            help: help.into(),
            ..self
        }
    }
}

/// A pattern over masked text, which is in lower case.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is one of ours")
}

/// The pattern's first match, without white space at its ends.
pub(super) fn first(pattern: &Regex, text: &str) -> Option<Range<usize>> {
    let found = pattern.find(text)?;
    let inside = found.as_str();
    let start = found.start() + (inside.len() - inside.trim_start().len());
    Some(start..start + inside.trim().len())
}

/// Whether a masked text is a question.
fn is_question(masked: &str) -> bool {
    static OPENS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:does|do|did|is|are|was|were|has|have|had|can|could|will|would|should|may|must|what|how|which|why|who|to what)\b",
        )
    });
    masked.contains('?') || OPENS.is_match(masked)
}
