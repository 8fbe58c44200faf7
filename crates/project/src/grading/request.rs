//! What is asked for when a round is opened or made.

use std::path::PathBuf;

/// Which round of grading, and what it is made from where it does not exist yet.
#[derive(Clone, Debug)]
pub struct GradingRequest {
    /// The folder that rounds lie in.
    pub dir: PathBuf,
    /// The ledger.
    pub ledger: PathBuf,
    /// The round; the newest there is, else the first, when `None`.
    pub round: Option<u32>,
    /// The rubric: needed to make a round; a round that exists is compared with it when given.
    pub rubric: Option<PathBuf>,
    /// What systems answered: needed to make a round, compared as the rubric is.
    pub responses: Option<PathBuf>,
    /// What was asked; graders then see it beside the answer.
    pub queries: Option<PathBuf>,
    /// Who grades, in the order to be named: needed to make a round; must be those of a round that exists.
    pub graders: Vec<String>,
    /// How answers are drawn for a new round.
    pub sample: SampleOptions,
}

/// How the answers of a round are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// How many answers; all of them when there are fewer.
    pub answers: usize,
    /// How many of them are shown a second time, far from the first: whether graders agree with themselves.
    pub retest: usize,
    /// Which answers a later round takes.
    pub units: Units,
    /// Draws the sample and the orders.
    pub seed: u64,
}

impl Default for SampleOptions {
    /// 40 answers, none twice, new ones in later rounds. Source: METHODS 29.
    fn default() -> Self {
        Self {
            answers: 40,
            retest: 0,
            units: Units::New,
            seed: 0,
        }
    }
}

/// Which answers a later round takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Answers that no round before took, as far as they last: graders cannot remember them.
    New,
    /// Those of the round before: the rounds can then be compared pairwise, but graders may remember what they discussed.
    Same,
}
