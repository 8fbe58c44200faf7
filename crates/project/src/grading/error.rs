//! Refusals of grading, each with what to do next.

use std::path::Path;

use calibrant_schema::exercise::WrongMark;
use calibrant_store::ledger::LedgerError;

use crate::error::ProjectError;

impl From<LedgerError> for ProjectError {
    fn from(error: LedgerError) -> Self {
        let id = match error {
            LedgerError::Locked { .. } => "sheet-locked",
            LedgerError::Moved { .. } => "sheet-moved",
            _ => "ledger",
        };
        Self::refused(id, error.to_string(), error.help())
    }
}

pub(super) fn needed(flag: &str, what: &str, round: u32) -> ProjectError {
    ProjectError::refused(
        "round-needs",
        format!("there is no round {round} yet, and none can be made without {what}"),
        format!("give {flag}, or name another folder of rounds with --dir"),
    )
}

pub(super) fn unknown_grader(grader: &str, known: &str) -> ProjectError {
    ProjectError::refused(
        "unknown-grader",
        format!("this round has no sheet for `{grader}`"),
        format!("its graders are {known}; a round keeps its graders"),
    )
}

pub(super) fn wrong_mark(error: &WrongMark, nth: u64) -> ProjectError {
    ProjectError::refused(
        "wrong-mark",
        format!("mark {nth}: {error}"),
        "nothing was recorded; send marks of this sheet and this round only",
    )
}

pub(super) fn unreadable(path: &Path, reason: &str) -> ProjectError {
    ProjectError::refused(
        "round-unreadable",
        format!("`{}` cannot be used: {reason}", path.display()),
        "restore the folder of the round, or start the next one with --round; marks in the ledger are untouched",
    )
}

pub(super) fn other_graders(round: u32, known: &str) -> ProjectError {
    ProjectError::refused(
        "other-graders",
        format!("round {round} was made for the graders {known}"),
        format!(
            "leave out --graders, or start the next round with --round {}",
            round + 1
        ),
    )
}

pub(super) fn changed(round: u32, what: &str) -> ProjectError {
    ProjectError::refused(
        "round-changed",
        format!("{what} since round {round} was made, and its sheets are not all locked"),
        format!(
            "take the change back to finish the round, or start the next one with --round {}",
            round + 1
        ),
    )
}

pub(super) fn other_ledger(path: &Path, round: u32) -> ProjectError {
    ProjectError::refused(
        "other-ledger",
        format!(
            "the ledger `{}` does not hold the marks of round {round}",
            path.display()
        ),
        "name the ledger the round was made with: --ledger FILE, or paths.ledger in calibrant.toml",
    )
}
