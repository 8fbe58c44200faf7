//! `score`.

use std::path::PathBuf;

use calibrant_project::{ProjectError, Request, Step};
use calibrant_report::leaderboard_text;
use calibrant_schema::artifact::Artifact;

use super::request::request;
use crate::args::{ScoreArgs, StepArgs};
use crate::commands::{Door, with_blocks};
use crate::exit;

/// The road, or new systems on a bank.
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    #[command(flatten)]
    road: ScoreArgs,
    /// Score new systems on this bank.json: only its criteria need verdicts
    #[arg(long, value_name = "FILE", requires = "verdicts")]
    bank: Option<PathBuf>,
}

impl NewArgs {
    /// What the run is to be divided by, if it is.
    fn road_by(&self) -> Option<&str> {
        self.road.input().by.as_deref().filter(|by| *by != "none")
    }
}

pub(crate) fn run(args: &NewArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    if let (Some(_), Some(by)) = (&args.bank, args.road_by()) {
        return Err(ProjectError::refused(
            "bank-by",
            format!("`--by {by}` divides a run, and --bank scores new systems on one bank"),
            "score them on the bank of each block instead: --bank DIR/blocks/../bank.json --out ..",
        ));
    }
    let request = Request {
        bank: args.bank.clone(),
        ..request(Step::Score, &args.road, door)?
    };
    let products = calibrant_project::run(&request, Step::Score, &mut |note| door.output.on(note))?;
    let scores = products.scores.expect("a request through score makes scores");
    let blocks = products.blocks.as_ref();
    door.output.result(
        || scores.to_json(),
        || leaderboard_text(&scores, door.output.style()) + &door.blocks(blocks),
    );
    door.output.warnings(&with_blocks(&scores.header.warnings, blocks));
    Ok(exit::DONE)
}
