//! Edits of rubric files as text: one change, and every other byte stays.
//!
//! A file is never printed anew. The change is spliced in at the place of the value; the result is read again and must be
//! the old rubric with exactly this change, else the edit is refused and the lines to add by hand are named.

mod apply;
mod changes;
mod entries;
mod layout;
mod removal;
mod spelling;
mod splice;
mod texts;

use serde::{Deserialize, Serialize};

use super::{Criterion, Rubric, Ruling};
use crate::diagnostic::Diagnostics;
use crate::roll_up::RollUp;

pub use apply::apply;
pub use changes::Change;

/// A criterion of a rubric by its id and, where several queries have one of that id, its query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionName {
    /// The id.
    pub id: String,
    /// The query it belongs to; `None` for one that is shared by all queries, or the only one of its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

impl CriterionName {
    /// The criterion of this id, whatever its query.
    pub fn new(id: impl Into<String>) -> CriterionName {
        CriterionName {
            id: id.into(),
            query: None,
        }
    }

    fn names(&self, criterion: &Criterion) -> bool {
        criterion.id == self.id && (self.query.is_none() || criterion.query == self.query)
    }
}

/// A text of a criterion that judges see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// The question.
    Question,
    /// The response that meets it.
    PassExample,
    /// The near miss.
    FailExample,
    /// The ruling on the cases between.
    Boundary,
}

impl Wording {
    /// All of them, in the order they are written.
    pub const ALL: [Wording; 4] = [
        Wording::Question,
        Wording::PassExample,
        Wording::FailExample,
        Wording::Boundary,
    ];

    /// The key in the file.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Wording::Question => "question",
            Wording::PassExample => "pass_example",
            Wording::FailExample => "fail_example",
            Wording::Boundary => "boundary",
        }
    }

    /// The text of a criterion.
    #[must_use]
    pub fn of(self, criterion: &Criterion) -> Option<&str> {
        match self {
            Wording::Question => Some(&criterion.question),
            Wording::PassExample => criterion.pass_example.as_deref(),
            Wording::FailExample => criterion.fail_example.as_deref(),
            Wording::Boundary => criterion.boundary.as_deref(),
        }
    }

    fn set(self, criterion: &mut Criterion, text: String) {
        match self {
            Wording::Question => criterion.question = text,
            Wording::PassExample => criterion.pass_example = Some(text),
            Wording::FailExample => criterion.fail_example = Some(text),
            Wording::Boundary => criterion.boundary = Some(text),
        }
    }
}

/// One change of a rubric. Each raises its version.
///
/// Source: METHODS 6, 32, 48.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Adds `addition` to the end of a boundary, and the ruling to the history below it.
    Ruling {
        /// The criterion it is about.
        criterion: CriterionName,
        /// What goes into the history.
        ruling: Ruling,
        /// What judges will read at the end of the boundary.
        addition: String,
    },
    /// Replaces one text that judges see; the ruling says why.
    Wording {
        /// The criterion it is about.
        criterion: CriterionName,
        /// Which text.
        field: Wording,
        /// The new text.
        text: String,
        /// What goes into the history.
        ruling: Ruling,
    },
    /// Removes a criterion.
    Deletion {
        /// Which one.
        criterion: CriterionName,
    },
    /// Sets the rule from criteria to one outcome.
    RollUp {
        /// The rule with its reason and date.
        roll_up: RollUp,
    },
}

impl Edit {
    /// The criterion it changes or removes.
    #[must_use]
    pub fn criterion(&self) -> Option<&CriterionName> {
        match self {
            Edit::Ruling { criterion, .. } | Edit::Wording { criterion, .. } | Edit::Deletion { criterion } => {
                Some(criterion)
            }
            Edit::RollUp { .. } => None,
        }
    }
}

/// A rubric file after an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// The whole new text.
    pub text: String,
    /// What it says.
    pub rubric: Rubric,
    /// The bytes of the old text that were replaced, in order and apart; an empty range is an insertion.
    pub replaced: Vec<std::ops::Range<usize>>,
    /// What stands in their place, one text a range.
    pub inserted: Vec<String>,
}

/// Why a rubric file was left as it is.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The text is no rubric.
    #[error("the rubric has mistakes of its own:\n{0}")]
    Unreadable(Diagnostics),
    /// No criterion has this name.
    #[error("the rubric has no criterion `{}`{}", shown(&.name.id), .nearest.as_ref().map(|id| format!("; did you mean `{}`?", shown(id))).unwrap_or_default())]
    NoCriterion {
        /// What was asked for.
        name: CriterionName,
        /// The id nearest to it.
        nearest: Option<String>,
    },
    /// Several queries have a criterion of this id.
    #[error("{count} criteria have the id `{}`, one for each of {count} queries; name the query too", shown(.id))]
    SeveralQueries {
        /// The id.
        id: String,
        /// How many have it.
        count: usize,
    },
    /// The criterion is the only one.
    #[error("`{}` is the only criterion, and a rubric has at least one", shown(.id))]
    OnlyCriterion {
        /// The criterion.
        id: String,
    },
    /// Something else in the file names the criterion, so it cannot go.
    #[error("line {line} names `{}` in {holder}; change that first", shown(.id))]
    StillNamed {
        /// The criterion.
        id: String,
        /// What names it: the roll-up, or a violation.
        holder: String,
        /// The line that names it, from 1.
        line: u32,
    },
    /// The change itself is empty or cannot stand in a file.
    #[error("{reason}")]
    Unusable {
        /// What is wrong with it.
        reason: String,
    },
    /// The change cannot be made without touching more than it should.
    #[error("{reason} (line {line}); nothing was changed. To do by hand: {by_hand}")]
    Refused {
        /// Why.
        reason: String,
        /// The line of the obstacle, from 1.
        line: u32,
        /// What to write, and where.
        by_hand: String,
    },
}

fn shown(text: &str) -> String {
    crate::tree::shown(text)
}
