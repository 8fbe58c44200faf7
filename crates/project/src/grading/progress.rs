//! How sheets stand: for whoever runs an exercise.

use calibrant_schema::Exercise;
use calibrant_schema::exercise::{Decision, Sheet};
use calibrant_store::ledger::Ledger;
use serde::Serialize;

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
