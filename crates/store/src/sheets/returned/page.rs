//! The result that a grading page saves: marks as JSON.

use calibrant_schema::Diagnostic;
use calibrant_schema::diagnostic::Span;
use calibrant_schema::exercise::Mark;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::table::{other_exercise, other_grader};
use super::{Returned, ReturnedForm};
use crate::findings::Findings;
use crate::sheets::roster::Roster;
use crate::sheets::words::cut;

/// What the file of a page holds.
const FORMAT: &str = "calibrant.marks/1";

#[derive(Deserialize)]
struct Page<'a> {
    format: String,
    exercise: String,
    grader: String,
    #[serde(default)]
    finished: bool,
    #[serde(borrow)]
    marks: Vec<&'a RawValue>,
}

pub(super) fn read(file: &str, text: &str, roster: &Roster<'_>) -> Result<Returned, Findings> {
    let page: Page<'_> = serde_json::from_str(text).map_err(|error| {
        let what = format!("this is no result of a grading page: {}", reason(&error));
        let help = "save the result from the page again, and collect the .json file as it is";
        let span = Span {
            file: file.to_owned(),
            line: u32::try_from(error.line()).unwrap_or(u32::MAX),
            column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
            length: 1,
        };
        Findings::from(Diagnostic::error("sheet-json", what, help).at(span))
    })?;
    let mut returned = Returned::new(file, ReturnedForm::Page);
    returned.finished = page.finished;
    returned.lines = page.marks.len();
    if page.format != FORMAT {
        let what = format!(
            "`{file}` has the format `{}`, and `{FORMAT}` is needed here",
            cut(&page.format)
        );
        let help = "save the result from the page again, with the same version of the program";
        returned.findings.push(Diagnostic::error("sheet-json", what, help));
        return Ok(returned);
    }
    if page.exercise != roster.exercise() {
        returned
            .findings
            .push(other_exercise(file, None, &page.exercise, roster));
        return Ok(returned);
    }
    if !roster.graders().contains(&page.grader.as_str()) {
        returned.findings.push(other_grader(file, None, &page.grader, roster));
        return Ok(returned);
    }
    returned.grader = Some(page.grader);
    for (at, raw) in page.marks.iter().enumerate() {
        match mark_of(raw, roster) {
            Ok(mark) => returned.marks.push(mark),
            Err(reason) => {
                let what = format!("mark {} of `{file}` cannot stand on this sheet: {reason}", at + 1);
                let help = "save the result from the page again; a file that was changed by hand is not taken";
                returned.findings.push(Diagnostic::error("sheet-mark", what, help));
            }
        }
    }
    Ok(returned)
}

fn mark_of(raw: &RawValue, roster: &Roster<'_>) -> Result<Mark, String> {
    let mark: Mark = serde_json::from_str(raw.get()).map_err(|error| reason(&error))?;
    roster.check(&mark).map_err(|wrong| wrong.to_string())?;
    Ok(mark)
}

/// The library's reason without its place.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    text.chars()
        .take(200)
        .flat_map(calibrant_schema::diagnostic::visible)
        .collect()
}
