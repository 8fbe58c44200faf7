//! `grade export`.

use std::path::{Path, PathBuf};

use calibrant_project::ProjectError;
use calibrant_project::grading::exported;
use calibrant_store::sheets::ExportForm;
use calibrant_store::write_atomic;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::exercise_args::RoundArgs;
use super::existing::opened;
use crate::commands::Door;
use crate::exit;

/// What `grade export` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    round: RoundArgs,
    /// The form
    #[arg(long = "as", value_name = "FORM", default_value = "jsonl", value_parser = forms())]
    form: ExportForm,
    /// File to write [default: verdicts.jsonl, label-studio.json, argilla.json or prodigy.jsonl]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn forms() -> impl TypedValueParser<Value = ExportForm> {
    PossibleValuesParser::new(ExportForm::ALL.map(|(word, _)| word)).map(|word| {
        let known = ExportForm::ALL.iter().find(|(of, _)| *of == word);
        known.expect("the parser lets known words through").1
    })
}

pub(crate) fn run(args: &ExportArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let grading = opened(&args.round, door)?;
    let text = exported(&grading, args.form)?;
    let file = args.out.clone().unwrap_or_else(|| args.form.file_name().into());
    write_new(&file, &text)?;
    let round = grading.exercise().round;
    door.output.result(
        || {
            format!(
                "{:#}\n",
                serde_json::json!({"round": round, "file": file.display().to_string()})
            )
        },
        || format!("round {round}: {}\n", file.display()),
    );
    Ok(exit::DONE)
}

/// Writes a file that is not there, or holds this very text: what else stands there may be somebody's work.
fn write_new(file: &Path, text: &str) -> Result<(), ProjectError> {
    match std::fs::read(file) {
        Ok(there) if there == text.as_bytes() => Ok(()),
        Ok(_) => Err(ProjectError::refused(
            "file-exists",
            format!("`{}` is there already and holds something else", file.display()),
            "name another file with --out, or move that one away",
        )),
        Err(_) => Ok(write_atomic(file, text.as_bytes())?),
    }
}
