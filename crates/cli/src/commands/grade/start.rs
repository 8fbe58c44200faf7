//! `grade start`.

use calibrant_project::ProjectError;
use calibrant_project::grading::Grading;

use super::exercise_args::ExerciseArgs;
use crate::commands::Door;
use crate::exit;

/// What `grade start` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct StartArgs {
    #[command(flatten)]
    exercise: ExerciseArgs,
}

pub(crate) fn run(args: &StartArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let grading = Grading::open(&args.exercise.request(door)?)?;
    let exercise = grading.exercise();
    let sheets = grading.progress()?;
    let cells = sheets.first().map_or(0, |sheet| sheet.cells);
    let graders: Vec<&str> = exercise.graders().collect();
    let folder = grading.folder().display().to_string();
    door.output.result(
        || {
            let shown = serde_json::json!({
                "round": exercise.round,
                "exercise": exercise.id,
                "folder": folder,
                "ledger": grading.ledger().path().display().to_string(),
                "answers": exercise.units.iter().filter(|unit| unit.repeat == 1).count(),
                "criteria": exercise.criteria.len(),
                "cells": cells,
                "graders": graders,
            });
            format!("{shown:#}\n")
        },
        || {
            let twice = exercise.units.iter().filter(|unit| unit.repeat > 1).count();
            let again = match twice {
                0 => String::new(),
                twice => format!(" ({twice} of them twice)"),
            };
            format!(
                "round {}: {} answers{again}, {} criteria, {cells} cells a sheet; graders {}\n{folder}\n",
                exercise.round,
                exercise.units.len() - twice,
                exercise.criteria.len(),
                graders.join(", "),
            )
        },
    );
    door.output
        .note("keep the folder from graders: it says which system gave which answer");
    Ok(exit::DONE)
}
