//! Files of other tools in memory, for doors that need no folder.

use calibrant_schema::Rubric;
use calibrant_store::formats::{Collected, criterion_line, query_line, verdict_line};

use super::folder::{CRITERIA, QUERIES, RUBRIC, VERDICTS, shared_criteria};
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

/// What a file of an imported folder says, without the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedText {
    /// The name that the file has in a folder; its extension says the notation.
    pub name: &'static str,
    /// What it says.
    pub text: String,
}

impl Gathered {
    /// The criteria as a folder has them: a rubric of shared criteria, or rows where each belongs to a query; none without any.
    ///
    /// # Errors
    /// If a criterion is none of ours, such as one whose check cannot be.
    pub fn rubric(&self) -> Result<Option<ImportedText>, ProjectError> {
        let criteria = &self.rows.criteria;
        let Some(rows) = lines(criteria, criterion_line) else {
            return Ok(None);
        };
        if criteria.iter().any(|row| row.query.is_some()) {
            return Ok(Some(ImportedText {
                name: CRITERIA,
                text: rows,
            }));
        }
        let rubric = Rubric {
            criteria: shared_criteria(&rows)?,
            ..Rubric::default()
        };
        Ok(Some(ImportedText {
            name: RUBRIC,
            text: rubric.to_yaml(),
        }))
    }

    /// The queries as rows of a folder; none without any.
    #[must_use]
    pub fn queries(&self) -> Option<ImportedText> {
        let text = lines(&self.rows.queries, query_line)?;
        Some(ImportedText { name: QUERIES, text })
    }

    /// The verdicts as rows of a folder; none without any.
    #[must_use]
    pub fn verdicts(&self) -> Option<ImportedText> {
        let text = lines(&self.rows.verdicts, verdict_line)?;
        Some(ImportedText { name: VERDICTS, text })
    }
}

/// Rows as lines of a text; none where there are no rows.
fn lines<R>(rows: &[R], line: impl Fn(&R) -> String) -> Option<String> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&line(row));
        text.push('\n');
    }
    (!text.is_empty()).then_some(text)
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
