//! `grade`: blind grading by people, one file a subcommand.

mod address_args;
mod collect;
mod exercise_args;
mod existing;
mod export;
mod plan;
mod review;
mod review_page;
mod rule;
mod serve;
mod session;
mod sheet;
mod start;
mod status;

use calibrant_project::ProjectError;
use clap::Subcommand;

use crate::commands::Door;

/// What `grade` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct GradeArgs {
    #[command(subcommand)]
    command: GradeCommand,
}

#[derive(Debug, Subcommand)]
enum GradeCommand {
    /// Make a round: draw answers, and give each grader a sheet with an order of its own
    Start(start::StartArgs),
    /// Serve every grader's sheet as a page, one personal link each, until Ctrl-C
    Serve(serve::ServeArgs),
    /// Sheets to send out: offline pages, workbooks and CSV, one a grader
    Sheet(sheet::SheetArgs),
    /// Bring sheets back: results of pages, workbooks and CSV, each mistake at its place
    Collect(collect::CollectArgs),
    /// Verdicts of a round whose sheets are all locked, in the forms of other tools
    Export(export::ExportArgs),
    /// How every sheet stands: done, left, skipped, flagged, time, locked or not; no label
    Status(status::StatusArgs),
    /// The disagreements to talk over, by criterion and size, with what they share
    Review(review::ReviewArgs),
    /// How one disagreement ended: written into the rubric file and recorded
    Rule(rule::RuleArgs),
    /// How many answers a round needs
    Plan(plan::PlanArgs),
}

pub(crate) fn run(args: &GradeArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    match &args.command {
        GradeCommand::Start(args) => start::run(args, door),
        GradeCommand::Serve(args) => serve::run(args, door),
        GradeCommand::Sheet(args) => sheet::run(args, door),
        GradeCommand::Collect(args) => collect::run(args, door),
        GradeCommand::Export(args) => export::run(args, door),
        GradeCommand::Status(args) => status::run(args, door),
        GradeCommand::Review(args) => review::run(args, door),
        GradeCommand::Rule(args) => rule::run(args, door),
        GradeCommand::Plan(args) => plan::run(args, door.output),
    }
}

/// Whether the subcommand runs until it is interrupted, and then ends itself in good order.
pub(crate) fn ends_itself(args: &GradeArgs) -> bool {
    match &args.command {
        GradeCommand::Serve(_) => true,
        GradeCommand::Review(args) => args.is_served(),
        _ => false,
    }
}
