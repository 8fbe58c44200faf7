//! The folder of a round: complete, and made whole or not at all.

use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};

use calibrant_schema::artifact::Artifact;
use calibrant_schema::canonical::{query_hash, response_hash};
use calibrant_schema::{Diagnostics, Exercise, Rubric};
use calibrant_store::write_private;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::unreadable;
use crate::error::ProjectError;

/// The map from opaque ids to systems; it never reaches a grader.
const EXERCISE: &str = "exercise.json";
/// The rubric as graders see it.
const RUBRIC: &str = "rubric.yaml";
/// The answers as graders see them, under their opaque ids.
const UNITS: &str = "units.jsonl";

/// A round as its folder holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Who grades what.
    pub exercise: Exercise,
    /// The rubric as graders see it.
    pub rubric: Rubric,
    /// The texts of the units, in the order of the exercise.
    pub(super) texts: Vec<UnitText>,
}

/// What is graded, under an opaque id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct UnitText {
    pub(super) unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prompt: Option<Value>,
    pub(super) response: Value,
}

/// The folder of a round, `round-N` in the folder of rounds.
#[must_use]
pub fn round_folder(dir: &Path, round: u32) -> PathBuf {
    dir.join(format!("round-{round}"))
}

/// The rounds in a folder, the first one first; none where there is no folder.
///
/// # Errors
/// If the folder cannot be listed.
pub fn rounds(dir: &Path) -> Result<Vec<u32>, ProjectError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(reason) => return Err(ProjectError::system(dir, "list", &reason)),
    };
    let mut rounds = Vec::new();
    for entry in entries {
        let name = entry
            .map_err(|reason| ProjectError::system(dir, "list", &reason))?
            .file_name();
        let number: Option<u32> = name.to_str().and_then(|name| name.strip_prefix("round-")?.parse().ok());
        // `round-01` and `round-+1` are not ours.
        rounds.extend(number.filter(|number| *name == *format!("round-{number}")));
    }
    rounds.sort_unstable();
    Ok(rounds)
}

impl Round {
    /// Reads the folder of a round.
    ///
    /// # Errors
    /// If a file of it is missing or is not what it was when the round was made.
    pub fn read(folder: &Path) -> Result<Round, ProjectError> {
        let text = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(|reason| unreadable(&path, &reason.to_string()))
        };
        let path = folder.join(EXERCISE);
        let exercise = Exercise::from_json(&text(EXERCISE)?, &path.display().to_string())
            .map_err(|broken| unreadable(&path, &broken.what))?;
        let rubric = Rubric::parse_part(&text(RUBRIC)?, RUBRIC)
            .map_err(|found: Diagnostics| unreadable(&folder.join(RUBRIC), &found.summary()))?
            .0;
        let lines = text(UNITS)?;
        let texts = lines
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<Vec<UnitText>, _>>();
        let texts = texts.map_err(|reason| unreadable(&folder.join(UNITS), &reason.to_string()))?;
        let round = Round {
            exercise,
            rubric,
            texts,
        };
        round
            .check()
            .map_err(|(name, reason)| unreadable(&folder.join(name), reason))?;
        Ok(round)
    }

    /// Whether rubric and texts are those that the exercise was made with.
    fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let exercise = &self.exercise;
        if exercise.id != exercise.sealed_id() {
            return Err((
                EXERCISE,
                "it was changed after the round was made, and no longer says what was graded",
            ));
        }
        if self.rubric.hash() != exercise.rubric_hash {
            return Err((RUBRIC, "it is not the rubric this round was made with"));
        }
        let asked = exercise.criteria.iter().all(|asked| {
            let mut criteria = self.rubric.criteria.iter();
            criteria
                .any(|of| of.id == asked.criterion && of.query == asked.query && of.card().hash() == asked.card_hash)
        });
        if !asked {
            return Err((EXERCISE, "its criteria are not those of its rubric"));
        }
        let same = self.texts.len() == exercise.units.len()
            && exercise.units.iter().zip(&self.texts).all(|(unit, text)| {
                unit.id == text.unit
                    && unit.query_hash == text.prompt.as_ref().map(query_hash)
                    && unit.response_hash == response_hash(&text.response)
            });
        if !same {
            return Err((UNITS, "its answers are not those this round was made with"));
        }
        let units = exercise.units.len();
        let orders = exercise.sheets.iter().all(|sheet| {
            let mut order = sheet.order.clone();
            order.sort_unstable();
            order.len() == units && order.iter().enumerate().all(|(at, of)| at == *of as usize)
        });
        if !orders {
            return Err((EXERCISE, "the order of a sheet leaves answers out or has one twice"));
        }
        Ok(())
    }

    /// Writes the folder of a new round, for its owner alone; complete or not at all.
    ///
    /// # Errors
    /// If the folder exists, or cannot be written.
    pub(super) fn write(&self, dir: &Path) -> Result<(), ProjectError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |reason: std::io::Error| ProjectError::system(&path, "make", &reason)
        };
        private_folder().recursive(true).create(dir).map_err(failed(dir))?;
        let target = round_folder(dir, self.exercise.round);
        let making = dir.join(format!(".round-{}-{}", self.exercise.round, self.exercise.id));
        private_folder().create(&making).map_err(failed(&making))?;
        let written = self.write_files(&making).and_then(|()| {
            // Fails when another process made the round meanwhile: a folder with files in it is never replaced.
            fs::rename(&making, &target).map_err(failed(&target))
        });
        if written.is_err() {
            // The first reason is the one to report.
            let _ = fs::remove_dir_all(&making);
        }
        written
    }

    fn write_files(&self, folder: &Path) -> Result<(), ProjectError> {
        let mut units = String::new();
        for text in &self.texts {
            units.push_str(&serde_json::to_string(text).expect("texts are JSON"));
            units.push('\n');
        }
        write_private(&folder.join(RUBRIC), self.rubric.to_yaml().as_bytes())?;
        write_private(&folder.join(UNITS), units.as_bytes())?;
        write_private(&folder.join(EXERCISE), self.exercise.to_json().as_bytes())?;
        Ok(())
    }
}

/// Makes folders that their owner alone can look into.
fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are set where the system has them"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}
