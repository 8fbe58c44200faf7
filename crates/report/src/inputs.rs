//! What a report is made from.

use calibrant_schema::{Bank, Blocks, By, Calibration, Fit, Rubric, Scores};

/// The artifacts of one run, and what else its report may say.
///
/// Only `calibration` and `scores` are needed; each part that is missing is named in the report as missing.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The heading.
    pub title: &'a str,
    /// Measurability, judges and attrition.
    pub calibration: &'a Calibration,
    /// Item parameters and the comparison of models.
    pub fit: Option<&'a Fit>,
    /// The criteria chosen.
    pub bank: Option<&'a Bank>,
    /// The leaderboard.
    pub scores: &'a Scores,
    /// The text of the criteria.
    pub rubric: Option<&'a Rubric>,
    /// The command line that made the run.
    pub command: Option<&'a str>,
    /// Names of the files beside the report.
    pub files: &'a [&'a str],
    /// What is known to be true, when the verdicts are simulated.
    pub truth: Option<&'a Truth<'a>>,
    /// The blocks the run is divided into.
    pub blocks: Option<&'a Blocks>,
    /// The run this is a block of.
    pub part_of: Option<PartOf<'a>>,
}

/// Which block of which run a report is about.
#[derive(Clone, Copy, Debug)]
pub struct PartOf<'a> {
    /// What the run is divided by.
    pub by: By,
    /// The block's name.
    pub block: &'a str,
    /// The page of the whole run as a relative link, without the ending of its format.
    pub whole: &'a str,
}

/// What a simulation knows and a real run never does.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    /// The abilities the verdicts were drawn from.
    pub abilities: &'a [KnownAbility<'a>],
    /// Further findings against the truth: what it is, and what was found.
    pub rows: &'a [(&'a str, &'a str)],
}

/// The ability a simulated system was given.
#[derive(Clone, Copy, Debug)]
pub struct KnownAbility<'a> {
    /// System id.
    pub system: &'a str,
    /// Its ability on the standard normal scale.
    pub ability: f64,
}
