//! What a returned file says of a cell, beside other files and beside the ledger.

use std::collections::BTreeMap;

use calibrant_schema::Diagnostic;
use calibrant_schema::exercise::{Act, Decision, Sheet};
use calibrant_store::sheets::{Returned, ReturnedForm};

/// What one file says of one cell.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) unit: String,
    pub(super) criterion: String,
    decision: Option<Decision>,
    comment: String,
    /// The file, and the place in it.
    file: String,
    place: String,
}

/// What a file says of its cells: rows as they are, a page as its marks amount to. Cells without a word are left out.
pub(super) fn said(returned: &Returned) -> Vec<Said> {
    let cells: Vec<Said> = match returned.form {
        ReturnedForm::Page => of_page(returned),
        _ => returned
            .rows
            .iter()
            .map(|row| Said {
                unit: row.unit.clone(),
                criterion: row.criterion.clone(),
                decision: row.act.as_ref().and_then(decision),
                comment: row.comment.clone(),
                file: returned.file.clone(),
                place: row.place.clone(),
            })
            .collect(),
    };
    match returned.form {
        // A page's withdrawals count: its cells stay, decided or not.
        ReturnedForm::Page => cells,
        _ => cells
            .into_iter()
            .filter(|cell| cell.decision.is_some() || !cell.comment.is_empty())
            .collect(),
    }
}

fn of_page(returned: &Returned) -> Vec<Said> {
    let sheet = Sheet::of(&returned.marks);
    // In the order in which cells were first touched, as the page's own marks are.
    let mut order: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (at, mark) in returned.marks.iter().enumerate() {
        if let Some(criterion) = &mark.criterion {
            order.entry((&mark.unit, criterion)).or_insert(at);
        }
    }
    let mut cells: Vec<(usize, Said)> = order
        .into_iter()
        .filter_map(|((unit, criterion), at)| {
            let state = sheet.cell(unit, criterion)?;
            let cell = Said {
                unit: unit.to_owned(),
                criterion: criterion.to_owned(),
                decision: state.decision.clone(),
                comment: state.comment.clone().unwrap_or_default(),
                file: returned.file.clone(),
                place: format!("mark {}", at + 1),
            };
            Some((at, cell))
        })
        .collect();
    cells.sort_by_key(|(at, _)| *at);
    cells.into_iter().map(|(_, cell)| cell).collect()
}

fn decision(act: &Act) -> Option<Decision> {
    match act {
        Act::Verdict { label } => Some(Decision::Label(*label)),
        Act::NotApplicable => Some(Decision::NotApplicable),
        Act::CannotAssess => Some(Decision::CannotAssess),
        Act::Unclear => Some(Decision::Unclear),
        Act::Skip { reason } => Some(Decision::Skipped(reason.clone())),
        _ => None,
    }
}

fn act(decision: &Decision) -> Act {
    match decision {
        Decision::Label(label) => Act::Verdict { label: *label },
        Decision::NotApplicable => Act::NotApplicable,
        Decision::CannotAssess => Act::CannotAssess,
        Decision::Unclear => Act::Unclear,
        Decision::Skipped(reason) => Act::Skip { reason: reason.clone() },
    }
}

impl Said {
    /// Whether it is about this cell.
    pub(super) fn is_of(&self, unit: &str, criterion: &str) -> bool {
        self.unit == unit && self.criterion == criterion
    }

    /// A cell that another file of the grader decides otherwise.
    pub(super) fn against_others(&self, file: &str, others: &[Said]) -> Option<Diagnostic> {
        let other = others.iter().find(|other| {
            other.is_of(&self.unit, &self.criterion)
                && self.decision.is_some()
                && other.decision.is_some()
                && other.decision != self.decision
        })?;
        Some(Diagnostic::error(
            "sheet-conflict",
            format!(
                "{file}, {}: `{}` is decided otherwise at {} of `{}`, a file of the same grader",
                self.place, self.criterion, other.place, other.file
            ),
            "ask the grader which file counts, and collect only that one",
        ))
    }

    /// A cell that the ledger has a different decision for.
    pub(super) fn against_ledger(&self, file: &str, sheet: &Sheet, grader: &str) -> Option<Diagnostic> {
        self.changes(sheet).then(|| {
            Diagnostic::error(
                "sheet-changed",
                format!(
                    "{file}, {}: the verdict of `{grader}` on `{}` is recorded otherwise",
                    self.place, self.criterion
                ),
                "if this file is the newer one, collect it again with --replace; what was recorded stays in the history",
            )
        })
    }

    /// Whether the cell is decided here and in the ledger, and not alike.
    pub(super) fn changes(&self, sheet: &Sheet) -> bool {
        let recorded = sheet.decision(&self.unit, &self.criterion);
        self.decision.is_some() && recorded.is_some() && recorded != self.decision.as_ref()
    }

    /// What the cell says that the ledger does not.
    pub(super) fn new_acts(&self, sheet: &Sheet) -> Vec<Act> {
        let recorded = sheet.cell(&self.unit, &self.criterion);
        let decided = recorded.and_then(|cell| cell.decision.as_ref());
        let comment = recorded.and_then(|cell| cell.comment.as_deref()).unwrap_or_default();
        let decision = self
            .decision
            .as_ref()
            .filter(|decision| Some(*decision) != decided)
            .map(act);
        let said = (!self.comment.is_empty() && self.comment != comment).then(|| Act::Comment {
            text: self.comment.clone(),
        });
        decision.into_iter().chain(said).collect()
    }

    /// How much of what the cell says was recorded before: its decision, its comment.
    pub(super) fn known(&self, sheet: &Sheet) -> usize {
        let says = usize::from(self.decision.is_some()) + usize::from(!self.comment.is_empty());
        says - self.new_acts(sheet).len()
    }
}
