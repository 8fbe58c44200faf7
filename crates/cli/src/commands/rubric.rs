//! `rubric log`.

use std::path::PathBuf;

use calibrant_project::{ProjectError, RubricFile, first_verdict};
use calibrant_report::history_text;
use calibrant_schema::rubric::Date;
use calibrant_schema::rubric::history::history;
use clap::Subcommand;

use crate::commands::Door;
use crate::exit;

#[derive(Debug, clap::Args)]
pub(crate) struct RubricArgs {
    #[command(subcommand)]
    command: RubricCommand,
}

#[derive(Debug, Subcommand)]
enum RubricCommand {
    /// Rulings and weights as one history: what was decided, when, by whom, and whether before outputs were seen
    Log(LogArgs),
}

#[derive(Debug, clap::Args)]
struct LogArgs {
    /// Rubric (YAML, JSON or JSONL)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Ledger whose first verdict weights and roll-up have to be older than
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Day of the first verdict, where no ledger knows it
    #[arg(long, value_name = "DATE", conflicts_with = "ledger")]
    first_verdict: Option<Date>,
}

pub(crate) fn run(args: &RubricArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let RubricCommand::Log(args) = &args.command;
    let file = RubricFile::read(&args.file)?;
    let first = match &args.ledger {
        Some(ledger) => first_verdict(ledger)?,
        None => args.first_verdict,
    };
    let past = history(&file.rubric, first);
    let json = || {
        format!(
            "{}\n",
            serde_json::to_string_pretty(&past).expect("a history is plain data")
        )
    };
    door.output.result(json, || history_text(&past));
    Ok(exit::DONE)
}
