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
    /// Whether there are figures.
    pub figures: Figures,
    /// How systems did on items of the bank, for item curves; the first [`ITEM_CURVES`](crate::ITEM_CURVES) of the bank are enough.
    pub responses: &'a [ItemResponses<'a>],
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

/// Whether a report has figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Figures {
    /// It has.
    #[default]
    Drawn,
    /// Tables and sentences alone.
    LeftOut,
}

/// How systems did on one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemResponses<'a> {
    /// Criterion id.
    pub criterion: &'a str,
    /// Query id.
    pub query: &'a str,
    /// One entry for each system with an ability.
    pub systems: Vec<SystemResponses>,
}

/// How one system did on an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SystemResponses {
    /// The system's ability.
    pub ability: f64,
    /// Trials with the good outcome, at most `trials`.
    pub passed: u32,
    /// Trials with a label; 0 where the system was not judged on the item.
    pub trials: u32,
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
