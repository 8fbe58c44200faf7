//! The steps of the road and what a door may show of them.

use calibrant_schema::blocks::Stopped;
use calibrant_schema::{By, Calibration, Diagnostics};
use calibrant_store::tables::{Detected, Progress};

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
    /// Every step, in order.
    pub const ALL: [Self; 5] = [Self::Calibrate, Self::Fit, Self::Assemble, Self::Score, Self::Report];

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
    /// Work begins that may take a while; a door may show that it goes on until the next note.
    Begins(Work<'a>),
    /// Everything asked of a block is over.
    Block(BlockDone<'a>),
}

/// Work that may take a while.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The step it belongs to.
    pub step: Step,
    /// The block it is for, if it is not for the whole.
    pub block: Option<&'a str>,
    /// The tables being read, while they are.
    pub reading: Option<Reading<'a>>,
}

/// Tables being read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Counters that move while the tables are read.
    pub progress: &'a Progress,
    /// Bytes of all of them as they lie on disk.
    pub bytes: u64,
}

/// What was done for a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockDone<'a> {
    /// What the run is divided by.
    pub by: By,
    /// Its name.
    pub block: &'a str,
    /// The steps whose files were written; none where nothing changed.
    pub made: &'a [Step],
    /// The step that has no meaning for it, and why.
    pub stopped: Option<&'a Stopped>,
    /// Its place among the blocks, from 1, and how many there are.
    pub place: (usize, usize),
}
