//! Flags of the commands that read verdicts and leave no run behind, and the request they make.

use std::path::PathBuf;

use calibrant_project::{Gold, GradedRound, ProjectError, Request, Start};

use super::request::{Settings, set, set_column, settings, under};
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

/// The round of grading that flags and settings name.
pub(crate) fn graded_round(
    round: &RoundArgs,
    request: &Request,
    door: &Door<'_>,
) -> Result<Option<GradedRound>, ProjectError> {
    let Some(number) = round.round else { return Ok(None) };
    let root = settings(door.global, door.output)?.root;
    let path = |flag: &Option<PathBuf>, key: &str, default: &str| match flag {
        Some(path) => path.clone(),
        None => under(root.as_deref(), request.config.text(key).unwrap_or(default)),
    };
    Ok(Some(GradedRound {
        dir: path(&round.dir, "paths.grading", "grading"),
        ledger: path(&round.ledger, "paths.ledger", "verdicts.db"),
        round: number,
    }))
}

/// Which round of grading is read in the place of tables.
#[derive(Debug, clap::Args)]
pub(crate) struct RoundArgs {
    /// A round of grading of the project, in the place of --verdicts; compared with the round before it
    #[arg(long, value_name = "N", conflicts_with = "verdicts")]
    round: Option<u32>,
    /// Folder of the rounds [default: paths.grading of the project file]
    #[arg(long, value_name = "DIR", requires = "round")]
    dir: Option<PathBuf>,
    /// Ledger of the marks [default: paths.ledger of the project file]
    #[arg(long, value_name = "FILE", requires = "round")]
    ledger: Option<PathBuf>,
}

impl RoundArgs {
    /// Whether a round is asked for.
    pub(crate) fn is_given(&self) -> bool {
        self.round.is_some()
    }
}

/// Whether a command has verdicts from elsewhere when no table is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// It needs one.
    Needed,
    /// It reads a round of grading.
    NotNeeded,
}

/// The rubric that the flags or the project name.
pub(crate) fn rubric_path(args: &PanelArgs, door: &Door<'_>) -> Result<Option<PathBuf>, ProjectError> {
    let Settings { config, root } = settings(door.global, door.output)?;
    let inside = config.text("paths.rubric").map(|path| under(root.as_deref(), path));
    Ok(args.rubric.clone().or(inside))
}

/// The request of these flags over the project's settings; trusted labels are named apart, by the commands that use them.
pub(crate) fn panel_request(
    args: &PanelArgs,
    trusted: Option<&str>,
    (out, needed): (Option<&PathBuf>, Tables),
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
    if tables.is_empty() && needed == Tables::Needed {
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
        gold: trusted.map(Gold::of_text),
        command: Some(door.typed.to_owned()),
        ..Request::new(Start::Verdicts { tables, out }, config)
    })
}
