//! `grade sheet`.

use std::path::PathBuf;

use calibrant_project::ProjectError;
use calibrant_project::grading::{Grading, SheetForm, WrittenSheet, write_sheets};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::exercise_args::ExerciseArgs;
use crate::commands::Door;
use crate::exit;

/// What `grade sheet` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct SheetArgs {
    #[command(flatten)]
    exercise: ExerciseArgs,
    /// What each sheet is written as
    #[arg(long = "as", value_name = "FORM,..", value_delimiter = ',', default_value = "html,xlsx", value_parser = forms())]
    forms: Vec<SheetForm>,
    /// Folder of the sheets
    #[arg(long, value_name = "DIR", default_value = "sheets")]
    out: PathBuf,
}

fn forms() -> impl TypedValueParser<Value = SheetForm> {
    PossibleValuesParser::new(SheetForm::ALL.map(|(word, _)| word)).map(|word| {
        let known = SheetForm::ALL.iter().find(|(of, _)| *of == word);
        known.expect("the parser lets known words through").1
    })
}

pub(crate) fn run(args: &SheetArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let grading = Grading::open(&args.exercise.request(door)?)?;
    let written = write_sheets(&grading, &[], &args.forms, &args.out)?;
    let exercise = grading.exercise();
    door.output.result(
        || {
            let sheets: Vec<serde_json::Value> = written
                .iter()
                .map(|sheet| serde_json::json!({"grader": sheet.grader, "file": sheet.path.display().to_string(), "cut": sheet.cut}))
                .collect();
            format!(
                "{:#}\n",
                serde_json::json!({"round": exercise.round, "exercise": exercise.id, "sheets": sheets})
            )
        },
        || {
            let lines: String = written.iter().map(|sheet| format!("{}\n", line(sheet))).collect();
            format!("round {}: {} answers\n{lines}", exercise.round, exercise.units.len())
        },
    );
    door.output
        .note("send each grader only his or her own files; bring them back with: calibrant grade collect FILE..");
    Ok(exit::DONE)
}

fn line(sheet: &WrittenSheet) -> String {
    let cut = match sheet.cut {
        0 => String::new(),
        1 => ", 1 text cut to a cell; the whole is in the page".to_owned(),
        cut => format!(", {cut} texts cut to a cell; the whole is in the page"),
    };
    format!("{}: {}{cut}", sheet.grader, sheet.path.display())
}
