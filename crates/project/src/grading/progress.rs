//! How sheets stand: for whoever runs an exercise.

use std::path::Path;

use calibrant_schema::Exercise;
use calibrant_schema::exercise::{Decision, Sheet};
use calibrant_store::ledger::Ledger;
use serde::Serialize;

use super::folder::{Round, round_folder, rounds};
use super::open::ledger_of;
use crate::error::ProjectError;

/// How one sheet stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SheetProgress {
    /// The grader.
    pub grader: String,
    /// Answers on the sheet.
    pub answers: usize,
    /// Answers of which every cell is decided or skipped.
    pub answers_done: usize,
    /// Cells, (answer, criterion).
    pub cells: usize,
    /// Cells with a decision, skips aside.
    pub decided: usize,
    /// Cells passed over with a reason.
    pub skipped: usize,
    /// Cells that are open.
    pub left: usize,
    /// Answers and cells that are flagged.
    pub flagged: usize,
    /// How long answers were on the screen, in milliseconds, as far as the door measures it.
    pub seen_ms: u64,
    /// When the last mark was made, by the grader's clock.
    pub last_mark: Option<String>,
    /// Since when the sheet is locked; `None` while it is open.
    pub locked: Option<String>,
}

/// How one round stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundProgress {
    /// The round.
    pub round: u32,
    /// The id of its exercise.
    pub exercise: String,
    /// The name of its rubric.
    pub rubric: Option<String>,
    /// The version of its rubric.
    pub rubric_version: Option<u32>,
    /// The hash of its rubric.
    pub rubric_hash: String,
    /// Its sheets, in the order of its graders.
    pub sheets: Vec<SheetProgress>,
}

impl RoundProgress {
    /// Whether every sheet is locked.
    #[must_use]
    pub fn all_locked(&self) -> bool {
        self.sheets.iter().all(|sheet| sheet.locked.is_some())
    }
}

/// How rounds stand: one, or every one in the folder, the first one first.
///
/// # Errors
/// If there is no such round, or its folder or its ledger cannot be used.
pub fn status(dir: &Path, ledger: &Path, round: Option<u32>) -> Result<Vec<RoundProgress>, ProjectError> {
    let there = rounds(dir)?;
    let wanted: Vec<u32> = there
        .iter()
        .copied()
        .filter(|of| round.is_none_or(|round| round == *of))
        .collect();
    if wanted.is_empty() {
        let which = round.map_or_else(|| "round".to_owned(), |round| format!("round {round}"));
        return Err(ProjectError::refused(
            "no-round",
            format!("there is no {which} of grading in `{}`", dir.display()),
            "make one with `calibrant grade start --rubric FILE --responses FILE --graders a,b`, or name the folder with --dir",
        ));
    }
    let of_round = |number: u32| {
        let Round { exercise, rubric, .. } = Round::read(&round_folder(dir, number))?;
        let ledger = ledger_of(ledger, &exercise)?;
        Ok(RoundProgress {
            round: number,
            rubric: rubric.name,
            rubric_version: exercise.rubric_version,
            rubric_hash: exercise.rubric_hash.to_string(),
            sheets: progress(&ledger, &exercise)?,
            exercise: exercise.id,
        })
    };
    wanted.into_iter().map(of_round).collect()
}

/// How the sheets of a round stand, in the order of its graders. Counts only: no label is among them.
///
/// # Errors
/// If the ledger cannot be read.
pub fn progress(ledger: &Ledger, exercise: &Exercise) -> Result<Vec<SheetProgress>, ProjectError> {
    let locked = ledger.locked(&exercise.id)?;
    let of_grader = |grader: &str| {
        let marks = ledger.marks(&exercise.id, grader)?;
        let at = locked.iter().find(|(of, _)| of == grader).map(|(_, at)| at.clone());
        Ok(SheetProgress {
            last_mark: marks.last().map(|mark| mark.at.clone()),
            locked: at,
            ..counted(grader, exercise, &Sheet::of(&marks))
        })
    };
    exercise.graders().map(of_grader).collect()
}

fn counted(grader: &str, exercise: &Exercise, sheet: &Sheet) -> SheetProgress {
    let mut progress = SheetProgress {
        grader: grader.to_owned(),
        answers: exercise.units.len(),
        answers_done: 0,
        cells: 0,
        decided: 0,
        skipped: 0,
        left: 0,
        flagged: 0,
        seen_ms: 0,
        last_mark: None,
        locked: None,
    };
    for unit in &exercise.units {
        let before = progress.left;
        for at in exercise.asked_of(&unit.query) {
            progress.cells += 1;
            match sheet.decision(&unit.id, &exercise.criteria[at as usize].criterion) {
                Some(Decision::Skipped(_)) => progress.skipped += 1,
                Some(_) => progress.decided += 1,
                None => progress.left += 1,
            }
        }
        progress.answers_done += usize::from(progress.left == before);
    }
    for (_, state) in sheet.units() {
        progress.seen_ms = progress.seen_ms.saturating_add(state.seen_ms);
        let cells = state.cells.values().filter(|cell| cell.flagged).count();
        progress.flagged += cells + usize::from(state.flagged);
    }
    progress
}
