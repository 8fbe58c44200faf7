//! `score`.

use std::path::PathBuf;

use calibrant_project::{ProjectError, Request, Step};
use calibrant_report::leaderboard_text;
use calibrant_schema::artifact::Artifact;

use super::request::request;
use crate::args::ScoreArgs;
use crate::commands::Door;
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

pub(crate) fn run(args: &NewArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let request = Request {
        bank: args.bank.clone(),
        ..request(Step::Score, &args.road, door)?
    };
    let products = calibrant_project::run(&request, Step::Score, &mut |note| door.output.on(note))?;
    let scores = products.scores.expect("a request through score makes scores");
    door.output
        .result(|| scores.to_json(), || leaderboard_text(&scores, door.output.style()));
    door.output.warnings(&scores.header.warnings);
    Ok(exit::DONE)
}
