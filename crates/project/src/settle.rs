//! One disagreement settled: in the rubric file, and in the ledger where there is one. Never by vote.
//!
//! Source: METHODS 31, 32.

use std::collections::BTreeMap;
use std::path::Path;

use calibrant_schema::disagreement::{Disagreement, Ended, REWORDED};
use calibrant_schema::resolution::{Outcome, Resolution};
use calibrant_schema::rubric::edit::{Change, CriterionName, Edit, Wording};
use calibrant_schema::rubric::{Date, Ruling};
use calibrant_store::ledger::{Cards, Ledger, Reading};
use calibrant_store::tables::{ScaleOrigin, Scales};

use crate::clock;
use crate::error::ProjectError;
use crate::review::Review;
use crate::rubric_file::RubricFile;

/// What a joint session decided about one disagreement.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// The text is added to the boundary.
    Ruling {
        /// What judges will read.
        text: String,
    },
    /// One text of the criterion is worded anew.
    Wording {
        /// Which.
        field: Wording,
        /// The new text.
        text: String,
        /// Why.
        why: String,
    },
    /// One judge slipped; the rubric stays.
    Slip {
        /// Who.
        judge: String,
        /// The label meant.
        label: f64,
        /// What happened.
        why: String,
    },
    /// The criterion goes.
    Deletion {
        /// Why.
        why: String,
    },
}

/// Who settled it, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Who.
    pub by: String,
    /// The day that the ruling carries.
    pub date: Date,
    /// The moment, as ISO 8601.
    pub at: String,
}

/// What settling a disagreement did.
#[derive(Debug)]
pub struct Settled {
    /// The disagreement.
    pub disagreement: Disagreement,
    /// How it ended.
    pub outcome: Outcome,
    /// The rubric file before.
    pub before: RubricFile,
    /// The rubric file after; the same for a slip.
    pub after: RubricFile,
    /// Verdicts of the ledger that were given to an earlier card of the criterion, as it now stands.
    pub stale: u64,
    /// Disagreements still open, this one not among them.
    pub open: usize,
}

impl Signature {
    /// Who settled it, now; the ruling carries the day given, else today's in UTC.
    #[must_use]
    pub fn now(by: &str, date: Option<Date>) -> Signature {
        let at = clock::now();
        let today = at.get(..10).and_then(|day| day.parse().ok());
        Signature {
            by: by.to_owned(),
            date: date.or(today).expect("the clock gives a day of the calendar"),
            at,
        }
    }
}

impl Settled {
    /// How the disagreement ended, as the queue says it.
    #[must_use]
    pub fn ended(&self, decided: &Decided, signature: &Signature) -> Ended {
        Ended {
            outcome: self.outcome,
            text: decided.text(),
            by: signature.by.clone(),
            at: signature.at.clone(),
        }
    }
}

impl Decided {
    /// As which outcome it counts.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Ruling { .. } => Outcome::Ruling,
            Self::Wording { .. } => Outcome::Wording,
            Self::Slip { .. } => Outcome::Slip,
            Self::Deletion { .. } => Outcome::Deletion,
        }
    }

    /// What stands in the record.
    fn text(&self) -> String {
        match self {
            Self::Ruling { text } => text.clone(),
            Self::Wording { field, why, .. } => format!("{REWORDED}`{}`: {why}", field.key()),
            Self::Slip { judge, label, why } => format!("{judge} meant {label}: {why}"),
            Self::Deletion { why } => why.clone(),
        }
    }

    fn edit(&self, criterion: CriterionName, id: &str, date: Date) -> Option<Edit> {
        let ruling = |text: String| Ruling {
            date,
            text,
            from: Some(id.to_owned()),
        };
        match self {
            Self::Ruling { text } => Some(Edit::Ruling {
                criterion,
                ruling: ruling(text.clone()),
                addition: text.clone(),
            }),
            Self::Wording { field, text, .. } => Some(Edit::Wording {
                criterion,
                field: *field,
                text: text.clone(),
                ruling: ruling(self.text()),
            }),
            Self::Deletion { .. } => Some(Edit::Deletion { criterion }),
            Self::Slip { .. } => None,
        }
    }
}

/// Settles a disagreement of a queue: edits the rubric file and records the outcome.
///
/// `shown` is the rubric file as whoever decided saw it. The record goes into the ledger of the review; the labels stay as
/// they were given, slips too, so that agreement stays as it was measured.
///
/// # Errors
/// If there is no such disagreement, it has ended already, a slip names a judge or a label that is not there, a slip has no
/// ledger to stand in, or the rubric file cannot be edited.
pub fn settle(
    review: &Review,
    shown: &RubricFile,
    id: &str,
    decided: &Decided,
    signature: &Signature,
) -> Result<Settled, ProjectError> {
    let disagreement = open(review, id)?;
    check(disagreement, decided, review)?;
    let criterion = criterion_name(shown, disagreement)?;
    let after = match decided.edit(criterion, id, signature.date) {
        Some(edit) => shown.edit(&edit)?,
        None => shown.clone(),
    };
    let mut stale = 0;
    if let Some(ledger) = review.ledger() {
        let recorded = ledger.resolve(Resolution {
            disagreement: disagreement.id.clone(),
            criterion: disagreement.criterion.clone(),
            exercise: review.disagreements.exercise.clone(),
            unit: disagreement.unit_name(),
            outcome: decided.outcome(),
            text: decided.text(),
            by: signature.by.clone(),
            rubric_before: shown.rubric.hash(),
            rubric_after: after.rubric.hash(),
            at: signature.at.clone(),
        });
        recorded.map_err(|error| unrecorded(&error.to_string(), error.help(), shown, &after))?;
        stale = stale_verdicts(ledger, &after)?
            .get(&disagreement.criterion)
            .copied()
            .unwrap_or(0);
    }
    Ok(Settled {
        disagreement: disagreement.clone(),
        outcome: decided.outcome(),
        before: shown.clone(),
        stale,
        open: review.disagreements.open().filter(|other| other.id != id).count(),
        after,
    })
}

/// What settling a disagreement would change in the rubric file, line by line; nothing for a slip. Nothing is written.
///
/// # Errors
/// As [`settle`], except that nothing is looked up on disk.
pub fn preview(
    review: &Review,
    shown: &RubricFile,
    id: &str,
    decided: &Decided,
    date: Date,
) -> Result<Vec<Change>, ProjectError> {
    let disagreement = open(review, id)?;
    check(disagreement, decided, review)?;
    let criterion = criterion_name(shown, disagreement)?;
    match decided.edit(criterion, id, date) {
        Some(edit) => Ok(shown.plan(&edit)?.changes(&shown.text)),
        None => Ok(Vec::new()),
    }
}

/// The rubric is written and the ledger is not: whoever reads this must know both.
fn unrecorded(error: &str, help: &str, before: &RubricFile, after: &RubricFile) -> ProjectError {
    let what = match before.text == after.text {
        true => format!("the outcome was not recorded: {error}"),
        false => format!(
            "`{}` was edited, but the outcome was not recorded in the ledger: {error}",
            after.path.display()
        ),
    };
    ProjectError::refused("not-recorded", what, help)
}

fn open<'r>(review: &'r Review, id: &str) -> Result<&'r Disagreement, ProjectError> {
    let found = review.find(id)?;
    match &found.ended {
        None => Ok(found),
        Some(ended) => Err(ProjectError::refused(
            "settled",
            format!(
                "`{id}` ended on {} as a {}: {}",
                ended.at,
                ended.outcome.word(),
                ended.text
            ),
            "settle another one; what was settled can be changed in the rubric file",
        )),
    }
}

fn check(disagreement: &Disagreement, decided: &Decided, review: &Review) -> Result<(), ProjectError> {
    let Decided::Slip { judge, label, .. } = decided else {
        return Ok(());
    };
    let id = &disagreement.id;
    let Some(given) = disagreement.labels.iter().find(|given| given.judge == *judge) else {
        let judges: Vec<&str> = disagreement.labels.iter().map(|given| given.judge.as_str()).collect();
        return Err(ProjectError::refused(
            "no-judge",
            format!("`{judge}` gave no label at `{id}`"),
            format!("name the one who slipped: {}", judges.join(" or ")),
        ));
    };
    if given.label == *label {
        return Err(ProjectError::refused(
            "no-slip",
            format!("{label} is the label `{judge}` gave at `{id}`, so there was no slip"),
            "give the label that was meant with --label",
        ));
    }
    if !review.levels(&disagreement.criterion).contains(label) {
        return Err(ProjectError::refused(
            "off-scale",
            format!("{label} is not on the scale of `{}`", disagreement.criterion),
            "give a label of its scale with --label",
        ));
    }
    if review.ledger().is_none() {
        return Err(ProjectError::refused(
            "no-ledger",
            "a slip leaves the rubric as it is, so it needs a ledger to stand in",
            "name one with --ledger FILE",
        ));
    }
    Ok(())
}

/// The criterion of the disagreement: the one of its query, else the shared one.
fn criterion_name(shown: &RubricFile, disagreement: &Disagreement) -> Result<CriterionName, ProjectError> {
    match shown.criterion(disagreement) {
        Some(criterion) => Ok(CriterionName {
            id: criterion.id.clone(),
            query: criterion.query.clone(),
        }),
        None => Err(ProjectError::refused(
            "no-criterion",
            format!(
                "`{}` has no criterion `{}`",
                shown.path.display(),
                disagreement.criterion
            ),
            "name the rubric that was graded with; a criterion that was deleted settles all its disagreements",
        )),
    }
}

/// Verdicts of a ledger that were given to another card than the rubric's, by criterion.
///
/// # Errors
/// If the ledger cannot be read.
pub fn stale_verdicts(ledger: &Ledger, rubric: &RubricFile) -> Result<BTreeMap<String, u64>, ProjectError> {
    let criteria = &rubric.rubric.criteria;
    let scales = Scales {
        origin: ScaleOrigin::Rubric,
        by_criterion: criteria.iter().map(|one| (one.id.clone(), one.scale.clone())).collect(),
        ..Scales::default()
    };
    let cards = Cards::of(&rubric.rubric);
    let reading = Reading {
        exercise: None,
        judges: None,
        cards: Some(&cards),
        scales: &scales,
    };
    let selected = ledger.verdicts(&reading)?;
    Ok(selected.counts.stale)
}

/// The day of the first verdict of a ledger; `None` if no row says when it was given.
///
/// # Errors
/// If the file is not there or cannot be read.
pub fn first_verdict(ledger: &Path) -> Result<Option<Date>, ProjectError> {
    if !ledger.is_file() {
        // A ledger is made where there is none, and an empty one would say that nothing was ever judged.
        return Err(ProjectError::refused(
            "no-ledger",
            format!("there is no ledger `{}`", ledger.display()),
            "check the path, or give the day with --first-verdict 2026-05-02",
        ));
    }
    let first = Ledger::open(ledger)?.first_judged()?;
    Ok(first.and_then(|at| at.get(..10)?.parse().ok()))
}
