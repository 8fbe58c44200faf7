//! What can go wrong with a ledger.

use std::path::{Path, PathBuf};

/// Why a ledger could not be opened, read or added to.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file is no ledger of ours.
    #[error("`{}` is not a ledger of this program: {reason}", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
    /// The file was made by a newer version.
    #[error("`{}` has version {found} of the ledger, and this program knows versions up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// The database refused.
    #[error("cannot {doing} the ledger `{}`: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What it said.
        reason: String,
    },
    /// The file is damaged.
    #[error("cannot {doing} the ledger `{}`: the file is damaged ({reason})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        reason: String,
    },
    /// A row says something no verdict can say.
    #[error("{what}")]
    WrongEntry {
        /// What is wrong, with the cell.
        what: String,
    },
    /// The sheet is locked: its grader said it is done.
    #[error("the sheet of `{grader}` is locked since {at}")]
    Locked {
        /// The grader.
        grader: String,
        /// Since when.
        at: String,
    },
    /// The sheet has marks that the sender did not know of.
    #[error("the sheet of `{grader}` has {last} marks, and the sender knew of {known}")]
    Moved {
        /// The grader.
        grader: String,
        /// The counter of its last mark.
        last: u64,
        /// The counter the sender built on.
        known: u64,
    },
}

impl LedgerError {
    /// What to do about it, in one line.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotOurs { .. } => {
                "name another file with --ledger or paths.ledger; a new one is made where there is none"
            }
            Self::Newer { .. } => "use the version of calibrant that wrote it; nothing was changed",
            Self::Damaged { .. } => {
                "put back a copy of the file; what it still holds, the `sqlite3` program's `.recover` can write to another file"
            }
            Self::Database { .. } => {
                "check the path, its permissions and the room on the disk; what was recorded before is untouched"
            }
            Self::WrongEntry { .. } => "nothing of the batch was recorded; mend the row and record it again",
            Self::Locked { .. } => "a sheet that is done stays as it is; a change of mind belongs in the next round",
            Self::Moved { .. } => "read the sheet again, then send what is still missing with the next numbers",
        }
    }

    pub(super) fn database<'p>(path: &'p Path, doing: &'static str) -> impl Fn(rusqlite::Error) -> Self + use<'p> {
        move |error| {
            let (path, reason) = (path.to_owned(), error.to_string());
            match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DatabaseCorrupt) => Self::Damaged { path, doing, reason },
                _ => Self::Database { path, doing, reason },
            }
        }
    }
}
