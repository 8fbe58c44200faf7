//! Flags of the commands that read verdicts and leave no run behind, and the request they make.

use std::path::PathBuf;

use calibrant_project::{ProjectError, Request, Start};

use super::request::{Settings, gold, set, set_column, settings, under};
use crate::commands::Door;

/// Which verdicts are read, and as what.
#[derive(Debug, clap::Args)]
pub(crate) struct PanelArgs {
    /// Tables of verdicts: CSV or JSONL, plain, .gz or .zst, or Parquet
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) verdicts: Vec<PathBuf>,
    /// Rubric (YAML, JSON or JSONL), or a bank.json
    #[arg(long, value_name = "FILE")]
    pub(crate) rubric: Option<PathBuf>,
    /// Use only these judges
    #[arg(long, value_name = "ID,..")]
    judges: Option<String>,
    /// Names of columns, as query=prompt_id,criterion=criterion_id
    #[arg(long, value_name = "ROLE=NAME,..", value_delimiter = ',')]
    columns: Vec<String>,
    /// Scale of the labels where no rubric declares one: binary, 1..5 or 0,0.5,1
    #[arg(long, value_name = "SCALE")]
    scale: Option<String>,
}

/// The request of these flags over the project's settings; trusted labels are named apart, by the commands that use them.
pub(crate) fn panel_request(
    args: &PanelArgs,
    trusted: Option<&str>,
    out: Option<&PathBuf>,
    door: &Door<'_>,
) -> Result<Request, ProjectError> {
    let Settings { mut config, root } = settings(door.global, door.output)?;
    for (key, text) in [("panel", &args.judges), ("scale", &args.scale)] {
        if let Some(text) = text {
            set(&mut config, key, text)?;
        }
    }
    for mapping in &args.columns {
        set_column(&mut config, mapping)?;
    }
    let inside = |key: &str| config.text(key).map(|path| under(root.as_deref(), path));
    let tables: Vec<PathBuf> = match args.verdicts.is_empty() {
        true => config
            .texts("paths.verdicts")
            .iter()
            .map(|path| under(root.as_deref(), path))
            .collect(),
        false => args.verdicts.clone(),
    };
    if tables.is_empty() {
        return Err(ProjectError::refused(
            "no-verdicts",
            "there is no table of verdicts to start from",
            "give one with --verdicts FILE, or name it as paths.verdicts in calibrant.toml",
        ));
    }
    let rubric = args.rubric.clone().or_else(|| inside("paths.rubric"));
    let out = out.cloned().unwrap_or_default();
    Ok(Request {
        rubric,
        gold: trusted.map(gold),
        command: Some(door.typed.to_owned()),
        ..Request::new(Start::Verdicts { tables, out }, config)
    })
}
