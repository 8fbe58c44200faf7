//! What a grader's marks amount to.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::exercise::{Act, Mark};
use crate::status::Status;

/// What a grader settled on for one cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// A label.
    Label(f64),
    /// The criterion does not apply.
    NotApplicable,
    /// The answer does not let the grader decide.
    CannotAssess,
    /// The criterion is unclear.
    Unclear,
    /// Passed over, with the reason.
    Skipped(String),
}

impl Decision {
    /// What became of the question, as verdicts say it.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::Label(_) => Status::Ok,
            Self::NotApplicable => Status::NotApplicable,
            Self::CannotAssess => Status::CannotAssess,
            Self::Unclear => Status::Unclear,
            Self::Skipped(_) => Status::Skipped,
        }
    }

    /// The label, if there is one.
    #[must_use]
    pub fn label(&self) -> Option<f64> {
        match self {
            Self::Label(label) => Some(*label),
            _ => None,
        }
    }
}

/// The passage a decision rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// As in [`Act::Evidence`].
    pub start: u32,
    /// As in [`Act::Evidence`].
    pub end: u32,
    /// The passage.
    pub quote: String,
}

/// How one cell stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellState {
    /// What was settled on; `None` while the cell is open.
    pub decision: Option<Decision>,
    /// Whether it is flagged.
    pub flagged: bool,
    /// The comment, if there is one.
    pub comment: Option<String>,
    /// The passage, if one was marked.
    pub evidence: Option<Evidence>,
}

/// How one answer stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitState {
    /// Whether the answer as a whole is flagged.
    pub flagged: bool,
    /// The comment on the whole answer.
    pub comment: Option<String>,
    /// How long it was on the screen, in milliseconds.
    pub seen_ms: u64,
    /// Its cells that have marks, by criterion id.
    pub cells: BTreeMap<String, CellState>,
}

/// How a grader's sheet stands: the marks, folded in the order they were recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    units: BTreeMap<String, UnitState>,
    last: u64,
}

impl Sheet {
    /// The sheet after these marks, in the order they were recorded.
    #[must_use]
    pub fn of<'m>(marks: impl IntoIterator<Item = &'m Mark>) -> Sheet {
        let mut sheet = Sheet::default();
        marks.into_iter().for_each(|mark| sheet.apply(mark));
        sheet
    }

    /// Takes in one more mark.
    pub fn apply(&mut self, mark: &Mark) {
        self.last = self.last.max(mark.nth);
        let unit = self.units.entry(mark.unit.clone()).or_default();
        match &mark.criterion {
            None => unit.apply(&mark.act),
            Some(criterion) => unit.cells.entry(criterion.clone()).or_default().apply(&mark.act),
        }
    }

    /// The counter of the last mark; 0 before the first. The next mark is counted one higher.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.last
    }

    /// How an answer stands, if it has any mark.
    #[must_use]
    pub fn unit(&self, unit: &str) -> Option<&UnitState> {
        self.units.get(unit)
    }

    /// How a cell stands, if it has any mark.
    #[must_use]
    pub fn cell(&self, unit: &str, criterion: &str) -> Option<&CellState> {
        self.units.get(unit)?.cells.get(criterion)
    }

    /// What was settled on for a cell; `None` while it is open.
    #[must_use]
    pub fn decision(&self, unit: &str, criterion: &str) -> Option<&Decision> {
        self.cell(unit, criterion)?.decision.as_ref()
    }

    /// The answers that have any mark, by opaque id.
    pub fn units(&self) -> impl Iterator<Item = (&str, &UnitState)> {
        self.units.iter().map(|(unit, state)| (unit.as_str(), state))
    }
}

impl UnitState {
    fn apply(&mut self, act: &Act) {
        match act {
            Act::Flag => self.flagged = true,
            Act::Unflag => self.flagged = false,
            Act::Comment { text } => self.comment = some_text(text),
            Act::Seen { ms } => self.seen_ms = self.seen_ms.saturating_add(*ms),
            // Acts about a criterion that name none do not pass `Paper::check`.
            _ => {}
        }
    }
}

impl CellState {
    fn apply(&mut self, act: &Act) {
        match act {
            Act::Verdict { label } => self.decision = Some(Decision::Label(*label)),
            Act::NotApplicable => self.decision = Some(Decision::NotApplicable),
            Act::CannotAssess => self.decision = Some(Decision::CannotAssess),
            Act::Unclear => self.decision = Some(Decision::Unclear),
            Act::Skip { reason } => self.decision = Some(Decision::Skipped(reason.clone())),
            Act::Withdraw => self.decision = None,
            Act::Flag => self.flagged = true,
            Act::Unflag => self.flagged = false,
            Act::Comment { text } => self.comment = some_text(text),
            Act::Evidence { start, end, quote } => {
                self.evidence = some_text(quote).map(|quote| Evidence {
                    start: *start,
                    end: *end,
                    quote,
                });
            }
            Act::Seen { .. } => {}
        }
    }
}

fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
