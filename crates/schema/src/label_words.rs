//! The one table of words that may stand in a label column.

use crate::scale::Scale;
use crate::status::Status;

/// Words for the two levels of a two-level scale: the worse, then the better.
///
/// Case, surrounding space and surrounding quotes do not matter. The last two rows are how spreadsheets in German
/// and French write truth values.
pub const LEVEL_WORDS: [(&str, &str); 9] = [
    ("no", "yes"),
    ("n", "y"),
    ("not met", "met"),
    ("not_met", "met"),
    ("unmet", "met"),
    ("fail", "pass"),
    ("false", "true"),
    ("falsch", "wahr"),
    ("faux", "vrai"),
];

/// Words that say why there is no label.
pub const STATUS_WORDS: [(&str, Status); 10] = [
    ("n/a", Status::NotApplicable),
    ("na", Status::NotApplicable),
    ("not applicable", Status::NotApplicable),
    ("not_applicable", Status::NotApplicable),
    ("cannot assess", Status::CannotAssess),
    ("cannot_assess", Status::CannotAssess),
    ("unclear", Status::Unclear),
    ("skipped", Status::Skipped),
    ("refused", Status::Refused),
    ("unparsable", Status::Unparsable),
];

/// Words other programs write where a value is missing; they do not say why, so they are refused.
pub const MISSING_WORDS: [&str; 6] = ["nan", "null", "none", "nil", "missing", "undefined"];

/// What a label cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParsedLabel {
    /// A level of the scale, as its index.
    Level(u8),
    /// No label, and why. An empty cell is `Skipped`: a status column, where there is one, says more.
    NoLabel(Status),
}

/// Why a label cell cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// A word that means "missing" in another program.
    #[error(
        "label `{word}` does not say why there is no label; leave the cell empty and give a status, such as refused or failed"
    )]
    Missing {
        /// The word as it was read.
        word: String,
    },
    /// A number that is not on the default scale of 0 and 1.
    #[error(
        "label `{number}` is not on the scale, which is 0 or 1 here; if the labels are graded, declare it: --scale 1..5"
    )]
    OffBinaryScale {
        /// The number as it was read.
        number: String,
    },
    /// A yes-or-no word on a scale of more than two levels.
    #[error("label `{word}` does not say which of {levels} levels is meant; write the level's value")]
    WordOnLevels {
        /// The word as it was read.
        word: String,
        /// How many levels the scale has.
        levels: usize,
    },
    /// Neither a number nor a word of the table.
    #[error(
        "label `{word}` is not understood; use a number of the scale, or one of: {}",
        known_words()
    )]
    Unknown {
        /// The word as it was read, cut after 40 characters.
        word: String,
    },
}

/// Every word of the table, pairs first, for messages and documentation.
#[must_use]
pub fn known_words() -> String {
    let pairs = LEVEL_WORDS.iter().map(|(worse, better)| format!("{better}/{worse}"));
    let statuses = STATUS_WORDS.iter().map(|(word, _)| (*word).to_owned());
    pairs.chain(statuses).collect::<Vec<_>>().join(", ")
}

/// Reads one label cell.
///
/// Numbers must be a value of `scale`, exactly. Off a declared graded scale a number is no verdict
/// ([`Status::Unparsable`], never clamped); off the scale of 0 and 1, which is also what is taken when nothing was
/// declared, it is an error, because the table is then more probably graded than wrong. Words are read by
/// [`LEVEL_WORDS`] on two-level scales and by [`STATUS_WORDS`].
///
/// # Errors
/// If the cell holds a word that means "missing", a word that is not in the table, a yes-or-no word on more than two
/// levels, or a number off the scale of 0 and 1.
///
/// ```
/// use calibrant_schema::Scale;
/// use calibrant_schema::label_words::{ParsedLabel, parse_label};
///
/// assert_eq!(parse_label("MET", &Scale::Binary)?, ParsedLabel::Level(1));
/// assert!(parse_label("3", &Scale::Binary).is_err());
/// # Ok::<(), calibrant_schema::label_words::LabelError>(())
/// ```
///
/// Source: DESIGN 5.
pub fn parse_label(text: &str, scale: &Scale) -> Result<ParsedLabel, LabelError> {
    let word = bare(text);
    if word.is_empty() {
        return Ok(ParsedLabel::NoLabel(Status::Skipped));
    }
    if let Some(number) = number(word) {
        return level_of_number(number, word, scale);
    }
    let lower = word.to_lowercase();
    let lower = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(level) = level_of_word(&lower) {
        return match scale.level_count() {
            2 => Ok(ParsedLabel::Level(level)),
            levels => Err(LabelError::WordOnLevels {
                word: cut(word),
                levels,
            }),
        };
    }
    if let Some((_, status)) = STATUS_WORDS.iter().find(|(known, _)| *known == lower) {
        return Ok(ParsedLabel::NoLabel(*status));
    }
    if MISSING_WORDS.contains(&lower.as_str()) {
        return Err(LabelError::Missing { word: cut(word) });
    }
    Err(LabelError::Unknown { word: cut(word) })
}

/// The text without surrounding space and one pair of surrounding quotes.
fn bare(text: &str) -> &str {
    const QUOTES: [(char, char); 4] = [
        ('"', '"'),
        ('\'', '\''),
        ('\u{201c}', '\u{201d}'),
        ('\u{2018}', '\u{2019}'),
    ];
    let text = text.trim();
    for (open, close) in QUOTES {
        let inner = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner {
            return inner.trim();
        }
    }
    text
}

/// A finite number in plain decimal or exponent form; words such as `inf` and `nan` are no numbers here.
fn number(word: &str) -> Option<f64> {
    let digits = word.trim_start_matches(['+', '-']);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

fn level_of_number(number: f64, word: &str, scale: &Scale) -> Result<ParsedLabel, LabelError> {
    match (scale.level_of(number), scale) {
        (Some(level), _) => Ok(ParsedLabel::Level(level)),
        (None, Scale::Binary) => Err(LabelError::OffBinaryScale { number: cut(word) }),
        (None, Scale::Levels(_)) => Ok(ParsedLabel::NoLabel(Status::Unparsable)),
    }
}

fn level_of_word(lower: &str) -> Option<u8> {
    LEVEL_WORDS.iter().find_map(|(worse, better)| match lower {
        _ if lower == *worse => Some(0),
        _ if lower == *better => Some(1),
        _ => None,
    })
}

/// The first 40 characters, control characters escaped: cells are quoted in messages and are other people's text.
fn cut(word: &str) -> String {
    let mut shown: String = word.chars().take(40).flat_map(crate::diagnostic::visible).collect();
    if word.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}
