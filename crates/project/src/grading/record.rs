//! From marks to verdicts, and the lock that ends a sheet.

use std::collections::BTreeMap;

use calibrant_schema::canonical::{VerdictKey, human_judge};
use calibrant_schema::exercise::{CellState, Decision, ExerciseUnit, Mark, Paper, Sheet};
use calibrant_store::ledger::{Cell, Entry, LedgerError, Lock, MarkBatch, VerdictSource};

use super::error::wrong_mark;
use super::open::Grading;
use crate::clock::now;
use crate::error::ProjectError;

/// How often a batch is built anew when another process added to the sheet meanwhile.
const MOST_TRIES: usize = 10;

/// What became of marks that were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// How many were new and are on the disk now.
    pub recorded: usize,
    /// How many had been recorded before.
    pub known: usize,
    /// The counter of the sheet's last mark: the next one is counted higher.
    pub last: u64,
}

/// A sheet that was locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// Cells that were decided.
    pub decided: usize,
    /// Cells that were passed over with a reason.
    pub skipped: usize,
}

impl Grading {
    /// Records marks of a grader, all or none, with the verdicts they amount to; returns when they are on the disk. A mark
    /// that was recorded before, with the same counter and content, is counted and left alone.
    ///
    /// # Errors
    /// If the round has no sheet for this grader, the sheet is locked, or a mark cannot stand on it; if a counter was used
    /// for another mark or lies below that of the last one (`sheet-moved`: someone else wrote on the sheet; read it again);
    /// if the ledger cannot be written.
    pub fn record(&self, grader: &str, marks: Vec<Mark>) -> Result<Taken, ProjectError> {
        let paper = self.paper(grader)?;
        for mark in &marks {
            paper.check(mark).map_err(|error| wrong_mark(&error, mark.nth))?;
        }
        let mut marks = marks;
        marks.sort_by_key(|mark| mark.nth);
        for _ in 1..MOST_TRIES {
            match self.try_record(&paper, &marks) {
                // Another process added marks between our look and our write.
                Err(LedgerError::Moved { last, known, .. })
                    if marks.iter().all(|mark| mark.nth > last) && last != known => {}
                result => return Ok(result?),
            }
        }
        Ok(self.try_record(&paper, &marks)?)
    }

    fn try_record(&self, paper: &Paper, marks: &[Mark]) -> Result<Taken, LedgerError> {
        let before = self.ledger.marks(&paper.exercise, &paper.grader)?;
        let mut sheet = Sheet::of(&before);
        let after = sheet.last();
        let by_counter: BTreeMap<u64, &Mark> = before.iter().map(|mark| (mark.nth, mark)).collect();
        let mut new: Vec<Mark> = Vec::new();
        for mark in marks {
            let earlier = by_counter
                .get(&mark.nth)
                .copied()
                .or(new.last().filter(|last| last.nth == mark.nth));
            match earlier {
                Some(earlier) if same(earlier, mark) => {}
                None if mark.nth > after => new.push(mark.clone()),
                _ => {
                    return Err(LedgerError::Moved {
                        grader: paper.grader.clone(),
                        last: after,
                        known: mark.nth.saturating_sub(1),
                    });
                }
            }
        }
        let taken = Taken {
            recorded: new.len(),
            known: marks.len() - new.len(),
            last: new.last().map_or(after, |mark| mark.nth),
        };
        if new.is_empty() {
            return Ok(taken);
        }
        let mut entries = Vec::new();
        for mark in &new {
            let decided = mark
                .criterion
                .as_deref()
                .and_then(|criterion| sheet.decision(&mark.unit, criterion))
                .is_some();
            sheet.apply(mark);
            if mark.criterion.is_some() && (decided || mark.act.decides()) {
                entries.extend(self.entry(paper, &sheet, mark, decided));
            }
        }
        self.ledger.record_marks(MarkBatch {
            exercise: paper.exercise.clone(),
            grader: paper.grader.clone(),
            after,
            marks: new,
            entries,
        })?;
        Ok(taken)
    }

    /// The verdict that a cell amounts to after a mark; none where an open cell was opened again.
    fn entry(&self, paper: &Paper, sheet: &Sheet, mark: &Mark, decided: bool) -> Option<Entry> {
        let criterion = mark.criterion.as_deref()?;
        let unit = self.exercise().unit(&mark.unit)?;
        let state = sheet.cell(&mark.unit, criterion)?;
        let asked = paper.units.iter().find(|of| of.unit == mark.unit)?;
        let place = asked
            .criteria
            .iter()
            .position(|of| paper.criteria[*of as usize].criterion == criterion)?;
        let card_hash = paper.criteria[asked.criteria[place] as usize].hash;
        let key = VerdictKey {
            query: unit.query_hash,
            response: unit.response_hash,
            card: card_hash,
            prompt: None,
            judge: &human_judge(&paper.grader),
            repeat: unit.repeat.into(),
        };
        let row = row(cell(unit, criterion, &paper.grader), state, decided)?;
        Some(Entry {
            source: Some(VerdictSource::Human),
            rubric_hash: Some(self.exercise().rubric_hash),
            card_hash: Some(card_hash),
            verdict_key: Some(key.hash()),
            position: u32::try_from(place).ok(),
            exercise: Some(paper.exercise.clone()),
            judged_at: Some(mark.at.clone()),
            ..row
        })
    }

    /// Locks a grader's sheet: it is done, and no mark is added to it any more.
    ///
    /// # Errors
    /// If cells are open: each is decided, or skipped with a reason, before a sheet is done. If the round has no sheet for
    /// this grader, it is locked already, or the ledger cannot be written.
    pub fn lock(&self, grader: &str) -> Result<Locked, ProjectError> {
        let paper = self.paper(grader)?;
        for _ in 1..MOST_TRIES {
            match self.try_lock(&paper)? {
                Err(LedgerError::Moved { .. }) => {}
                result => return Ok(result?),
            }
        }
        Ok(self.try_lock(&paper)??)
    }

    fn try_lock(&self, paper: &Paper) -> Result<Result<Locked, LedgerError>, ProjectError> {
        let sheet = self.sheet(&paper.grader)?;
        let mut done = Locked { decided: 0, skipped: 0 };
        for unit in &paper.units {
            for at in &unit.criteria {
                match sheet.decision(&unit.unit, &paper.criteria[*at as usize].criterion) {
                    Some(Decision::Skipped(_)) => done.skipped += 1,
                    Some(_) => done.decided += 1,
                    None => {}
                }
            }
        }
        let left = paper.cells() - done.decided - done.skipped;
        if left > 0 {
            return Err(ProjectError::refused(
                "sheet-undecided",
                format!(
                    "the sheet of `{}` has {left} of {} cells without a decision",
                    paper.grader,
                    paper.cells()
                ),
                "decide them, or skip each with a reason; then the sheet can be locked",
            ));
        }
        let lock = Lock {
            exercise: paper.exercise.clone(),
            grader: paper.grader.clone(),
            after: sheet.last(),
            at: now(),
        };
        Ok(self.ledger.lock(lock).map(|()| done))
    }
}

/// Whether two marks are the same act; the clock of a sender may run on between two attempts.
fn same(a: &Mark, b: &Mark) -> bool {
    (&a.unit, &a.criterion, &a.act) == (&b.unit, &b.criterion, &b.act)
}

fn cell(unit: &ExerciseUnit, criterion: &str, grader: &str) -> Cell {
    Cell {
        system: unit.system.clone(),
        query: unit.query.clone(),
        sample: unit.sample.clone(),
        criterion: criterion.to_owned(),
        judge: grader.to_owned(),
        repeat: unit.repeat,
    }
}

/// What a cell says: its decision with everything beside it, or that an earlier decision was taken back.
fn row(cell: Cell, state: &CellState, decided: bool) -> Option<Entry> {
    let evidence = state.evidence.as_ref().map(|evidence| evidence.quote.clone());
    let beside = |entry: Entry| Entry {
        comment: state.comment.clone(),
        evidence,
        flags: state.flagged.then(|| "flagged".to_owned()),
        ..entry
    };
    match &state.decision {
        Some(decision) => Some(beside(Entry {
            reason: match decision {
                Decision::Skipped(reason) => Some(reason.clone()),
                _ => None,
            },
            ..Entry::new(cell, decision.status(), decision.label())
        })),
        None => decided.then(|| Entry {
            withdrawn: true,
            ..Entry::new(cell, calibrant_schema::Status::Skipped, None)
        }),
    }
}
