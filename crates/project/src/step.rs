//! The steps of the road and what a door may show of them.

use calibrant_schema::{Calibration, Diagnostics};
use calibrant_store::tables::Detected;

/// A step of the road, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Verdicts to labels and measurability.
    Calibrate,
    /// Labels to item parameters.
    Fit,
    /// Items to a bank.
    Assemble,
    /// Labels to scores.
    Score,
    /// Artifacts to pages.
    Report,
}

impl Step {
    /// The command's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Calibrate => "calibrate",
            Self::Fit => "fit",
            Self::Assemble => "assemble",
            Self::Score => "score",
            Self::Report => "report",
        }
    }
}

/// Whether a step was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// Its files were written.
    Made,
    /// Its files were already there, made from the same inputs and settings.
    Unchanged,
}

/// What a door may show while a request is carried out.
#[derive(Clone, Copy, Debug)]
pub enum Note<'a> {
    /// A table was read, and this is how it was understood.
    Read(&'a Detected),
    /// Doubts about a file people write, with the file's text.
    Doubts(&'a Diagnostics, &'a str),
    /// Over what measurability is estimated, as found.
    Pooled(&'a Calibration),
    /// A step is over.
    Step(Step, Done),
}
