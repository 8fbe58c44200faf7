//! One act of a grader: the only thing that comes back from a page, a file, a spreadsheet or a terminal.

use serde::{Deserialize, Serialize};

/// One act of a grader.
///
/// Acts are kept for ever: a change of mind is another mark, never a change of the first.
///
/// ```
/// use calibrant_schema::exercise::{Act, Mark};
///
/// let line = r#"{"unit": "0f", "criterion": "dated", "act": "verdict", "label": 1, "at": "2026-05-09T08:00:00Z", "nth": 7}"#;
/// let mark: Mark = serde_json::from_str(line).expect("the form of a mark");
/// assert_eq!(mark.act, Act::Verdict { label: 1.0 });
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// The opaque id of the answer.
    pub unit: String,
    /// The criterion; absent when the act is about the whole answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// What was done.
    #[serde(flatten)]
    pub act: Act,
    /// When, as ISO 8601 in UTC, by the clock of whoever sent it: for information only.
    pub at: String,
    /// The sender's counter, from 1, rising with every mark of a sheet: a mark sent twice is recorded once.
    pub nth: u64,
}

/// What a grader did. In JSON the word stands under `act`, its values beside it.
///
/// The first five decide a cell; a later one replaces them, and [`Act::Withdraw`] takes the decision back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Act {
    /// Gave a label. About a criterion.
    Verdict {
        /// The level's value on the scale of the criterion.
        label: f64,
    },
    /// The criterion does not apply to this answer. About a criterion.
    NotApplicable,
    /// The answer does not let the grader decide. About a criterion.
    CannotAssess,
    /// The criterion is unclear. About a criterion.
    Unclear,
    /// Passed over. About a criterion.
    Skip {
        /// Why.
        reason: String,
    },
    /// Took the decision back: the cell is open again. About a criterion.
    Withdraw,
    /// Set a flag, to come back to. About a criterion or the answer.
    Flag,
    /// Took the flag away. About a criterion or the answer.
    Unflag,
    /// Wrote a comment, in place of the one before; an empty one takes it away. About a criterion or the answer.
    Comment {
        /// The comment.
        text: String,
    },
    /// Marked the passage a decision rests on, in place of the one before; an empty one takes it away. About a criterion.
    Evidence {
        /// Where the passage begins, in Unicode code points from 0, in the texts of the response's turns joined by line feeds.
        start: u32,
        /// Where it ends: the first code point after it.
        end: u32,
        /// The passage.
        quote: String,
    },
    /// Had the answer on the screen. About the answer.
    Seen {
        /// For how long, in milliseconds, since the last such mark.
        ms: u64,
    },
}

impl Act {
    /// The word under `act`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Act::Verdict { .. } => "verdict",
            Act::NotApplicable => "not_applicable",
            Act::CannotAssess => "cannot_assess",
            Act::Unclear => "unclear",
            Act::Skip { .. } => "skip",
            Act::Withdraw => "withdraw",
            Act::Flag => "flag",
            Act::Unflag => "unflag",
            Act::Comment { .. } => "comment",
            Act::Evidence { .. } => "evidence",
            Act::Seen { .. } => "seen",
        }
    }

    /// Whether the act decides a cell, or takes the decision back.
    #[must_use]
    pub fn decides(&self) -> bool {
        matches!(
            self,
            Act::Verdict { .. }
                | Act::NotApplicable
                | Act::CannotAssess
                | Act::Unclear
                | Act::Skip { .. }
                | Act::Withdraw
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_act_comes_back_from_json() {
        let acts = [
            Act::Verdict { label: 0.1 },
            Act::NotApplicable,
            Act::CannotAssess,
            Act::Unclear,
            Act::Skip {
                reason: "two readings".to_owned(),
            },
            Act::Withdraw,
            Act::Flag,
            Act::Unflag,
            Act::Comment {
                text: "</script>\u{0}".to_owned(),
            },
            Act::Evidence {
                start: 3,
                end: 9,
                quote: "28 May".to_owned(),
            },
            Act::Seen { ms: u64::MAX },
        ];
        for (nth, act) in (1..).zip(acts) {
            let mark = Mark {
                unit: "0f".to_owned(),
                criterion: act.decides().then(|| "dated".to_owned()),
                act,
                at: "2026-05-09T08:00:00Z".to_owned(),
                nth,
            };
            let json = serde_json::to_value(&mark).expect("a mark is JSON");
            assert_eq!(json["act"], mark.act.word());
            assert_eq!(serde_json::from_value::<Mark>(json).expect("the same form"), mark);
        }
    }
}
