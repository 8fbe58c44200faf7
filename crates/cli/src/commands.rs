//! The commands, one file each.

mod agree;
mod assemble;
mod calibrate;
mod check;
mod completions;
mod config;
mod demo;
mod export;
mod fit;
mod grade;
mod import;
mod init;
mod man;
mod panel;
mod report;
mod request;
mod roll_up;
mod rubric;
mod run;
mod schema;
mod score;

pub(crate) use request::threads;

use calibrant_project::ProjectError;
use calibrant_report::blocks_text;
use calibrant_schema::Blocks;
use calibrant_schema::warning::Noted;
use clap::Subcommand;

use crate::args::{AssembleArgs, CalibrateArgs, Cli, FitArgs, Format, Global, ReportArgs};
use crate::output::Output;

/// What the program can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole road on a simulated panel with known truth: no key, no network, no file
    Demo(demo::DemoArgs),
    /// A project that runs at once, without a key
    Init(init::InitArgs),
    /// Check a rubric: every mistake and every lint with its place and the next step
    Check(check::CheckArgs),
    /// The past of a rubric: rulings, weights and who set them
    Rubric(rubric::RubricArgs),
    /// Blind grading by people: rounds, sheets, and their verdicts
    Grade(grade::GradeArgs),
    /// How alike judges apply each criterion, beyond chance; rounds, pairs, validity
    Agree(agree::AgreeArgs),
    /// From a table of verdicts to a report in one go; steps that did not change are not done again
    Run(ReportArgs),
    /// Which criteria a panel applies alike, and labels by consensus
    Calibrate(CalibrateArgs),
    /// Item parameters and abilities by item response theory
    Fit(FitArgs),
    /// A compact bank of measurable, informative criteria, with its certificate
    Assemble(AssembleArgs),
    /// Scores, abilities, intervals and tiers; also of new systems on a bank
    Score(score::NewArgs),
    /// What roll-up rules make of the same responses, and which responses are between them
    RollUp(roll_up::RollUpArgs),
    /// Pages from the artifacts: report.html and report.md
    Report(ReportArgs),
    /// Files of other tools as a project that runs at once, or as rows of a ledger
    Import(import::ImportArgs),
    /// What a project has, in the forms of other tools
    Export(export::ExportArgs),
    /// The settings in force, and where each came from
    Config(config::ConfigArgs),
    /// JSON Schema of a rubric, of the other files people write, or of an artifact
    Schema(schema::SchemaArgs),
    /// Completions for a shell, on standard output
    Completions(completions::CompletionsArgs),
    /// Manual pages, written into a folder
    Man(man::ManArgs),
}

/// What every command has besides its own arguments.
pub(crate) struct Door<'a> {
    /// Flags of every command.
    pub(crate) global: &'a Global,
    /// Where to print.
    pub(crate) output: &'a Output,
    /// The command as typed, for the report.
    pub(crate) typed: &'a str,
}

impl Door<'_> {
    /// The blocks of a run as a table below a result, set apart by an empty line; nothing where there are none.
    fn blocks(&self, blocks: Option<&Blocks>) -> String {
        blocks.map_or_else(String::new, |blocks| {
            format!("\n{}", blocks_text(blocks, self.output.style()))
        })
    }
}

/// The doubts about an artifact and about the blocks of its run.
fn with_blocks(warnings: &[Noted], blocks: Option<&Blocks>) -> Vec<Noted> {
    let of_blocks = blocks.map_or(&[][..], |blocks| &blocks.header.warnings);
    [warnings, of_blocks].concat()
}

/// Refuses the formats of findings for commands that find nothing.
fn only_check_annotates(cli: &Cli) -> Result<(), ProjectError> {
    let annotates = matches!(cli.command, Command::Check(_));
    match cli.global.format() {
        Format::Sarif | Format::Github if !annotates => Err(ProjectError::refused(
            "format",
            "`--format sarif` and `--format github` are formats of findings: only `check` has them",
            "leave --format out, or write --format json",
        )),
        _ => Ok(()),
    }
}

impl Command {
    /// Whether the command runs until it is interrupted, and then ends itself in good order.
    pub(crate) fn ends_itself(&self) -> bool {
        matches!(self, Command::Grade(args) if grade::ends_itself(args))
    }
}

/// Carries a command out; returns its exit code.
pub(crate) fn dispatch(cli: &Cli, output: &Output, typed: &str) -> Result<u8, ProjectError> {
    let door = Door {
        global: &cli.global,
        output,
        typed,
    };
    only_check_annotates(cli)?;
    match &cli.command {
        Command::Demo(args) => demo::run(args, &door),
        Command::Init(args) => init::run(args, output),
        Command::Import(args) => import::run(args, &door),
        Command::Export(args) => export::run(args, &door),
        Command::Check(args) => check::run(args, output),
        Command::Grade(args) => grade::run(args, &door),
        Command::Agree(args) => agree::run(args, &door),
        Command::Run(args) => run::run(args, &door),
        Command::Calibrate(args) => calibrate::run(args, &door),
        Command::Fit(args) => fit::run(args, &door),
        Command::Assemble(args) => assemble::run(args, &door),
        Command::Score(args) => score::run(args, &door),
        Command::RollUp(args) => roll_up::run(args, &door),
        Command::Report(args) => report::run(args, &door),
        Command::Rubric(args) => rubric::run(args, &door),
        Command::Config(args) => config::run(args, &door),
        Command::Schema(args) => schema::run(args, output),
        Command::Completions(args) => completions::run(args, output),
        Command::Man(args) => man::run(args, output),
    }
}
