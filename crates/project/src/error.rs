//! Why a command cannot be done, in words that name the next step.

use std::io;
use std::path::Path;

use calibrant_schema::Diagnostic;
use calibrant_schema::diagnostic::Paint;
use calibrant_steps::StepError;
use calibrant_store::{Findings, StoreError};

/// A refusal or a failure; every one is wrong usage or input to its door (exit code 2).
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Mistakes in files.
    #[error("{0}")]
    Findings(Findings),
    /// A file could not be written.
    #[error("{0}")]
    Store(StoreError),
    /// A step has no meaning for these inputs.
    #[error("{0}")]
    Step(#[from] StepError),
    /// Anything else, in the one shape of messages.
    #[error("{}", .0.what)]
    Refused(Box<Diagnostic>),
}

impl ProjectError {
    /// A refusal without a place.
    pub fn refused(id: &'static str, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused(Box::new(Diagnostic::error(id, what, help)))
    }

    /// A file or folder the system does not let us read or make.
    pub(crate) fn system(path: &Path, doing: &str, reason: &io::Error) -> Self {
        Self::refused(
            "system",
            format!("cannot {doing} `{}`: {reason}", path.display()),
            "check the path and its permissions",
        )
    }

    /// The whole message as text.
    pub fn paint(&self, paint: Paint) -> String {
        match self {
            Self::Findings(findings) => findings.paint(paint),
            Self::Store(StoreError::Findings(findings)) => findings.paint(paint),
            Self::Store(error) => {
                let help = "make room or choose another folder with --out; what stood there before is untouched";
                Diagnostic::error("not-written", error.to_string(), help).paint(None, paint)
            }
            Self::Step(error) => error.diagnostic().paint(None, paint),
            Self::Refused(diagnostic) => diagnostic.paint(None, paint),
        }
    }
}

impl From<Findings> for ProjectError {
    fn from(findings: Findings) -> Self {
        Self::Findings(findings)
    }
}

impl From<StoreError> for ProjectError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Findings(findings) => Self::Findings(findings),
            other => Self::Store(other),
        }
    }
}

impl From<Box<Diagnostic>> for ProjectError {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Refused(diagnostic)
    }
}
