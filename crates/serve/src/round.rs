//! What a server needs to know of a round of grading.

use std::fmt;

use calibrant_project::ProjectError;
use calibrant_project::grading::Grading;
use calibrant_schema::diagnostic::Paint;
use calibrant_schema::exercise::{Mark, Paper};

/// Why a round did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The sheet is locked.
    Locked,
    /// The sheet changed under the request, for example because a file was collected meanwhile: worth another attempt.
    Moved,
    /// A mark cannot stand on the sheet, in words a grader may read.
    Wrong(String),
    /// Anything else, in words for whoever runs the server; a grader does not see them.
    Failed(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked => f.write_str("the sheet is locked"),
            Self::Moved => f.write_str("the sheet was changed meanwhile"),
            Self::Wrong(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

/// A round of grading as the server sees it: sheets by grader. Every method may wait for the disk.
pub trait Round: Send + Sync + 'static {
    /// The id of the exercise.
    fn exercise(&self) -> &str;

    /// The graders, in the order they were named.
    fn graders(&self) -> Vec<String>;

    /// All that reaches a grader.
    ///
    /// # Errors
    /// If there is no such sheet.
    fn paper(&self, grader: &str) -> Result<Paper, Trouble>;

    /// The grader's own marks, rising in their counter.
    ///
    /// # Errors
    /// If they cannot be read.
    fn marks(&self, grader: &str) -> Result<Vec<Mark>, Trouble>;

    /// Whether the grader's sheet is locked.
    ///
    /// # Errors
    /// If it cannot be read.
    fn is_locked(&self, grader: &str) -> Result<bool, Trouble>;

    /// Records marks whose counters rise above the last one recorded; returns when they are on the disk.
    ///
    /// # Errors
    /// If the sheet is locked, was changed meanwhile, or cannot be written, or if a mark cannot stand on it: then none is
    /// recorded.
    fn record(&self, grader: &str, marks: Vec<Mark>) -> Result<(), Trouble>;

    /// Locks the grader's sheet.
    ///
    /// # Errors
    /// As [`Round::record`].
    fn lock(&self, grader: &str) -> Result<(), Trouble>;
}

impl Round for Grading {
    fn exercise(&self) -> &str {
        &Grading::exercise(self).id
    }

    fn graders(&self) -> Vec<String> {
        Grading::exercise(self).graders().map(str::to_owned).collect()
    }

    fn paper(&self, grader: &str) -> Result<Paper, Trouble> {
        Ok(Grading::paper(self, grader)?)
    }

    fn marks(&self, grader: &str) -> Result<Vec<Mark>, Trouble> {
        Ok(Grading::marks(self, grader)?)
    }

    fn is_locked(&self, grader: &str) -> Result<bool, Trouble> {
        Ok(self.locked(grader)?.is_some())
    }

    fn record(&self, grader: &str, marks: Vec<Mark>) -> Result<(), Trouble> {
        Grading::record(self, grader, marks)?;
        Ok(())
    }

    fn lock(&self, grader: &str) -> Result<(), Trouble> {
        Grading::lock(self, grader)?;
        Ok(())
    }
}

impl From<ProjectError> for Trouble {
    /// What a grader may know is told apart by its id; everything else may name systems or files.
    fn from(error: ProjectError) -> Self {
        match &error {
            ProjectError::Refused(diagnostic) => match diagnostic.id {
                "sheet-locked" => Self::Locked,
                "sheet-moved" => Self::Moved,
                "wrong-mark" => Self::Wrong(diagnostic.what.clone()),
                _ => Self::Failed(error.paint(Paint::Plain)),
            },
            _ => Self::Failed(error.paint(Paint::Plain)),
        }
    }
}
