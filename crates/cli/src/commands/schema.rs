//! `schema`.

use calibrant_project::ProjectError;
use clap::ValueEnum;

use crate::exit;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// What the schema is of
    #[arg(value_enum, value_name = "NAME")]
    name: Name,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    /// rubric.yaml, for editors
    Rubric,
    /// A line of queries.jsonl
    Queries,
    /// calibrant.toml
    Config,
    /// calibration.json
    Calibration,
    /// fit.json
    Fit,
    /// bank.json
    Bank,
    /// scores.json
    Scores,
    /// blocks.json, of a run divided with --by
    Blocks,
    /// agreement.json
    Agreement,
    /// What `roll-up --json` prints
    RollUps,
    /// calibrant-run.json, the manifest of a run's folder
    CalibrantRun,
}

pub(crate) fn run(args: &SchemaArgs, output: &Output) -> Result<u8, ProjectError> {
    output.data(match args.name {
        Name::Rubric => include_str!("../../../../schemas/rubric.schema.json"),
        Name::Queries => include_str!("../../../../schemas/queries.schema.json"),
        Name::Config => include_str!("../../../../schemas/config.schema.json"),
        Name::Calibration => include_str!("../../../../schemas/calibration.schema.json"),
        Name::Fit => include_str!("../../../../schemas/fit.schema.json"),
        Name::Bank => include_str!("../../../../schemas/bank.schema.json"),
        Name::Scores => include_str!("../../../../schemas/scores.schema.json"),
        Name::Blocks => include_str!("../../../../schemas/blocks.schema.json"),
        Name::Agreement => include_str!("../../../../schemas/agreement.schema.json"),
        Name::RollUps => include_str!("../../../../schemas/roll-ups.schema.json"),
        Name::CalibrantRun => include_str!("../../../../schemas/calibrant-run.schema.json"),
    });
    Ok(exit::DONE)
}
