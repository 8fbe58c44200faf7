//! The short text that each command prints: plain, as wide as the terminal, with hidden characters made visible.

mod agreement;
mod blocks;
mod columns;
mod disagreements;
mod history;
mod leaderboard;
mod roll_ups;
mod steps;

pub use agreement::agreement_text;
pub use blocks::blocks_text;
pub use disagreements::{Looked, disagreement_text, disagreements_text};
pub use history::history_text;
pub use leaderboard::leaderboard_text;
pub use roll_ups::roll_ups_text;
pub use steps::{bank_text, calibration_text, fit_text};

use calibrant_schema::warning::Noted;

use crate::text::Text;

/// A name of at most about `longest` characters.
fn id(raw: &str, longest: usize) -> String {
    without_commands(&Text::short_id(raw, longest))
}

/// A sentence.
fn prose(raw: &str) -> String {
    without_commands(&Text::prose(raw))
}

/// Build servers obey `##[...]` wherever it is printed and `::...::` at the start of a line. The first is taken apart
/// here; the second cannot occur, because every line of this module starts with a word or number of its own.
fn without_commands(text: &Text) -> String {
    text.as_str().replace("##[", "# #[")
}

/// A name as the texts of this crate show it in a terminal: at most about `longest` characters, nothing hidden in it.
#[must_use]
pub fn short_name(raw: &str, longest: usize) -> String {
    id(raw, longest)
}

/// How terminal text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal; text that is wider gives up its least important columns.
    pub width: usize,
}

impl Default for Style {
    /// 100 columns, which also suits a log file.
    fn default() -> Self {
        Self { width: 100 }
    }
}

/// The warnings with their next actions, the gravest first and each once; empty when there is none.
///
/// Two lines a warning: `warning: message` and, indented, `next: action`.
#[must_use]
pub fn warnings_text(warnings: &[Noted]) -> String {
    let mut known: Vec<&Noted> = Vec::new();
    for noted in warnings {
        if !known.contains(&noted) {
            known.push(noted);
        }
    }
    known.sort_by_key(|noted| crate::sections::severity(&noted.warning));
    let lines = |noted: &&Noted| format!("warning: {}\n  next: {}\n", prose(&noted.message), prose(&noted.action));
    known.iter().map(lines).collect()
}
