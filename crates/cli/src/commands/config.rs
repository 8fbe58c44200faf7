//! `config show`.

use calibrant_project::ProjectError;
use clap::Subcommand;

use super::request::{Settings, settings};
use crate::commands::Door;
use crate::exit;

#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every setting, its value and where it came from
    Show,
}

pub(crate) fn run(args: &ConfigArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let ConfigCommand::Show = args.command;
    let Settings { config, .. } = settings(door.global, door.output)?;
    let shown = config.shown();
    door.output.result(
        || format!("{:#}\n", serde_json::json!(shown)),
        || {
            let mut table = comfy_table::Table::new();
            table
                .load_style(comfy_table::presets::NOTHING)
                .set_header(["key", "value", "from", "meaning"]);
            for row in &shown {
                let value = row.value.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
                table.add_row([row.key.clone(), value, row.source.to_string(), row.meaning.to_owned()]);
            }
            format!("{}\n", table.trim_fmt())
        },
    );
    Ok(exit::DONE)
}
