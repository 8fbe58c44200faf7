//! What a cell says to a score and to a fit: a value, a statement that the criterion does not apply, or nothing.

use calibrant_schema::labels::{Cell, CellLabel};
use calibrant_schema::rubric::WhenNotApplicable;
use calibrant_schema::{Labels, Status};
use calibrant_stats::irt::Responses;
use calibrant_stats::score::{self, Observation, meets};

use crate::calibrate::statistics;
use crate::error::StepError;
use crate::join::RubricJoin;

/// The value of a cell's label in [0, 1], met at or above the midpoint.
pub fn observation(labels: &Labels, item: usize, cell: &Cell) -> Observation {
    match cell.label {
        CellLabel::Level(level) => Observation::Value(labels.scale(item).unit(level)),
        CellLabel::None(Status::NotApplicable) => Observation::NotApplicable,
        CellLabel::None(_) => Observation::Missing,
    }
}

/// The same rule in the words of the kernel.
pub fn when_not_applicable(rule: WhenNotApplicable) -> score::WhenNotApplicable {
    match rule {
        WhenNotApplicable::Pass => score::WhenNotApplicable::Pass,
        WhenNotApplicable::Fail => score::WhenNotApplicable::Fail,
        WhenNotApplicable::Skip => score::WhenNotApplicable::Skip,
    }
}

/// Items by system as successes of trials, samples being trials of their own.
///
/// A success is the good outcome: met, or not met for a penalty. A graded label is met at its midpoint (METHODS 56);
/// "not applicable" passes or fails as the rubric says, a penalty included.
///
/// # Errors
/// If the kernel refuses the table: a cell with more than 65,535 samples.
pub fn responses(labels: &Labels, join: &RubricJoin<'_>) -> Result<Responses, StepError> {
    let systems = labels.systems.len();
    let mut successes = vec![0u16; labels.items.len() * systems];
    let mut trials = vec![0u16; labels.items.len() * systems];
    for (item, cell) in labels.all_cells() {
        let Some(succeeds) = succeeds(labels, join, item, cell) else {
            continue;
        };
        let at = item * systems + cell.system as usize;
        trials[at] = trials[at].checked_add(1).ok_or_else(|| too_many(labels, item, cell))?;
        successes[at] += u16::from(succeeds);
    }
    Responses::new(systems, labels.items.len(), successes, trials).map_err(statistics)
}

/// Successes and trials of each system on one item, as a fit counts them; (0, 0) where it was not judged.
///
/// The rule is that of [`responses`].
pub fn item_responses(labels: &Labels, join: &RubricJoin<'_>, item: usize) -> Vec<(u32, u32)> {
    let mut counts = vec![(0, 0); labels.systems.len()];
    for cell in labels.cells(item) {
        if let Some(succeeds) = succeeds(labels, join, item, cell) {
            let (passed, trials) = &mut counts[cell.system as usize];
            *passed += u32::from(succeeds);
            *trials += 1;
        }
    }
    counts
}

/// Whether a cell is a success, or `None` when it is no trial.
fn succeeds(labels: &Labels, join: &RubricJoin<'_>, item: usize, cell: &Cell) -> Option<bool> {
    let (query, criterion) = (labels.query(item), labels.criterion(item));
    match observation(labels, item, cell) {
        Observation::Value(value) => Some(meets(value) != join.is_penalty(query, criterion)),
        Observation::NotApplicable => match join.when_not_applicable(query, criterion) {
            WhenNotApplicable::Pass => Some(true),
            WhenNotApplicable::Fail => Some(false),
            WhenNotApplicable::Skip => None,
        },
        Observation::Missing => None,
    }
}

/// Samples are counted in sixteen bits.
fn too_many(labels: &Labels, item: usize, cell: &Cell) -> StepError {
    StepError::TooManySamples {
        system: labels.systems.get(cell.system).to_owned(),
        query: labels.query(item).to_owned(),
    }
}
