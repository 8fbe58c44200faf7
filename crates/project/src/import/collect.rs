//! Files of other tools in memory, for doors that need no folder.

use calibrant_store::formats::Collected;

use super::summary::ImportSummary;
use super::{ImportRequest, Watching, import_all};
use crate::error::ProjectError;

/// Everything that files of other tools hold, in memory.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// What was read.
    pub summary: ImportSummary,
    /// The rows, each subject once.
    pub rows: Collected,
}

/// Reads files of other tools into memory.
///
/// # Errors
/// If a file cannot be read or is in no form that is known, or rows contradict each other.
pub fn gather(request: ImportRequest, watching: Watching<'_>) -> Result<Gathered, ProjectError> {
    let mut rows = Collected::default();
    let summary = import_all(request, &mut rows, watching)?;
    Ok(Gathered { summary, rows })
}
