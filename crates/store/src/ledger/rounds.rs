//! Rounds of grading in the ledger: marks, locks and resolutions.

use calibrant_schema::exercise::Mark;
use calibrant_schema::resolution::{Outcome, Resolution};
use rusqlite::{Connection, Row};

use super::entry::Entry;
use super::names;

/// Marks of one sheet, and the verdicts they amount to: recorded together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkBatch {
    /// The id of the exercise.
    pub exercise: String,
    /// Whose sheet it is.
    pub grader: String,
    /// The counter of the sheet's last mark as the sender knows it; 0 for a sheet without marks.
    pub after: u64,
    /// The marks, with rising counters above `after`.
    pub marks: Vec<Mark>,
    /// The verdicts they amount to.
    pub entries: Vec<Entry>,
}

/// A sheet that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The id of the exercise.
    pub exercise: String,
    /// Whose sheet it is.
    pub grader: String,
    /// The counter of the sheet's last mark as the sender knows it.
    pub after: u64,
    /// When, as ISO 8601.
    pub at: String,
}

/// The marks of a sheet, in the order they were recorded.
pub(super) fn marks(connection: &Connection, exercise: &str, grader: &str) -> rusqlite::Result<Vec<Mark>> {
    let (Some(exercise), Some(grader)) = (names::find(connection, exercise)?, names::find(connection, grader)?) else {
        return Ok(Vec::new());
    };
    let mut statement = connection.prepare(
        "SELECT (SELECT text FROM name WHERE code = unit), (SELECT text FROM name WHERE code = criterion), act, at, nth \
         FROM mark WHERE exercise = ?1 AND grader = ?2 ORDER BY nth",
    )?;
    let marks = statement.query_map((exercise, grader), |row| {
        let act: String = row.get(2)?;
        let act = serde_json::from_str(&act).map_err(|reason| unreadable(2, reason))?;
        Ok(Mark {
            unit: row.get(0)?,
            criterion: row.get(1)?,
            act,
            at: row.get(3)?,
            nth: u64::try_from(row.get::<_, i64>(4)?).unwrap_or_default(),
        })
    })?;
    marks.collect()
}

fn unreadable(column: usize, reason: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(reason))
}

/// The graders that a round was opened with, by name.
pub(super) fn sheets(connection: &Connection, exercise: &str) -> rusqlite::Result<Vec<String>> {
    let Some(exercise) = names::find(connection, exercise)? else {
        return Ok(Vec::new());
    };
    let mut statement = connection
        .prepare("SELECT text FROM sheet JOIN name ON name.code = sheet.grader WHERE exercise = ?1 ORDER BY text")?;
    let sheets = statement.query_map([exercise], |row| row.get(0))?;
    sheets.collect()
}

/// The graders whose sheets are locked, with the time, by name.
pub(super) fn locked(connection: &Connection, exercise: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let Some(exercise) = names::find(connection, exercise)? else {
        return Ok(Vec::new());
    };
    let mut statement = connection
        .prepare("SELECT text, at FROM lock JOIN name ON name.code = lock.grader WHERE exercise = ?1 ORDER BY text")?;
    let locked = statement.query_map([exercise], |row| Ok((row.get(0)?, row.get(1)?)))?;
    locked.collect()
}

/// Every resolution, in the order they were recorded.
pub(super) fn resolutions(connection: &Connection) -> rusqlite::Result<Vec<Resolution>> {
    let mut statement = connection.prepare(
        "SELECT disagreement, criterion, exercise, unit, outcome, text, by, rubric_before, rubric_after, at \
         FROM resolution ORDER BY row",
    )?;
    let resolutions = statement.query_map([], |row| {
        let word: String = row.get(4)?;
        let outcome = Outcome::of_word(&word)
            .ok_or_else(|| unreadable(4, std::io::Error::other(format!("`{word}` is no outcome"))))?;
        Ok(Resolution {
            disagreement: row.get(0)?,
            criterion: row.get(1)?,
            exercise: row.get(2)?,
            unit: row.get(3)?,
            outcome,
            text: row.get(5)?,
            by: row.get(6)?,
            rubric_before: hash(row, 7)?,
            rubric_after: hash(row, 8)?,
            at: row.get(9)?,
        })
    })?;
    resolutions.collect()
}

fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<calibrant_schema::canonical::Hash> {
    let digits: String = row.get(column)?;
    digits.parse().map_err(|reason| unreadable(column, reason))
}
