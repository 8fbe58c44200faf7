//! A round in the forms of other tools, once every sheet is locked.

use calibrant_store::sheets::{ExportForm, GradedSheet, export};

use super::Grading;
use crate::error::ProjectError;

/// The verdicts of a round in a form.
///
/// # Errors
/// If a sheet of the round is not locked yet, or the ledger cannot be read.
///
/// Source: PROTOCOLS 4.3, point 12.
pub fn exported(grading: &Grading, form: ExportForm) -> Result<String, ProjectError> {
    let sheets = grading.sheets()?;
    let papers = sheets
        .iter()
        .map(|(grader, _)| grading.paper(grader))
        .collect::<Result<Vec<_>, _>>()?;
    let graded: Vec<GradedSheet<'_>> = papers
        .iter()
        .zip(&sheets)
        .map(|(paper, (_, sheet))| GradedSheet { paper, sheet })
        .collect();
    Ok(export(form, grading.exercise(), &graded))
}
