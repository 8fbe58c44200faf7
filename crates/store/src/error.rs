//! What can go wrong with files.

use std::io;
use std::path::PathBuf;

use crate::findings::Findings;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The input is wrong: every mistake with its place and the next step.
    #[error("{0}")]
    Findings(Findings),
    /// A file could not be written; what stood there before is untouched.
    #[error("cannot write `{}`: {reason}", path.display())]
    Write {
        /// The file meant.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

impl From<Findings> for StoreError {
    fn from(findings: Findings) -> Self {
        Self::Findings(findings)
    }
}
