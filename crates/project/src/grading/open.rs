//! A round that is open for grading, review and export.

use std::path::{Path, PathBuf};

use calibrant_schema::exercise::{Mark, Paper, PaperCriterion, PaperUnit, Sheet, SheetPlan};
use calibrant_schema::turn::turns;
use calibrant_schema::{Exercise, Rubric};
use calibrant_store::ledger::Ledger;

use super::create::{create, difference};
use super::error::{changed, other_graders, other_ledger, unknown_grader};
use super::folder::{Round, round_folder, rounds};
use super::progress::{SheetProgress, progress};
use super::request::GradingRequest;
use crate::error::ProjectError;

/// One round of grading: the one way to its papers and marks, whatever the door.
///
/// What a method hands out for a grader is that grader's own. What several graders said comes from
/// [`Grading::sheets`], which refuses until every sheet of the round is locked.
///
/// It can be shared between threads.
///
/// Source: METHODS 27-31.
#[derive(Debug)]
pub struct Grading {
    pub(super) round: Round,
    pub(super) ledger: Ledger,
    folder: PathBuf,
    criteria: Vec<PaperCriterion>,
    /// In the order of the exercise.
    units: Vec<PaperUnit>,
}

impl Grading {
    /// Opens a round, and makes it where it does not exist yet.
    ///
    /// # Errors
    /// If a round is to be made and the rubric, the responses or the graders are missing or wrong; if a round exists and was
    /// made for other graders, or with another rubric or other answers than those given while sheets are not locked; if its
    /// folder or the ledger cannot be used.
    pub fn open(request: &GradingRequest) -> Result<Grading, ProjectError> {
        let there = rounds(&request.dir)?;
        let number = request.round.or(there.last().copied()).unwrap_or(1);
        let folder = round_folder(&request.dir, number);
        let made = there.contains(&number);
        let (round, ledger) = match made {
            true => {
                let round = Round::read(&folder)?;
                let ledger = ledger_of(&request.ledger, &round.exercise)?;
                (round, ledger)
            }
            false => make(request, number)?,
        };
        let grading = Grading::of(round, ledger, folder);
        if made {
            grading.compare(request)?;
        }
        Ok(grading)
    }

    fn of(round: Round, ledger: Ledger, folder: PathBuf) -> Grading {
        let criteria = paper_criteria(&round);
        let units = paper_units(&round);
        Grading {
            round,
            ledger,
            folder,
            criteria,
            units,
        }
    }

    /// Refuses a request that does not fit the round.
    fn compare(&self, request: &GradingRequest) -> Result<(), ProjectError> {
        let number = self.exercise().round;
        let graders = graders(self.exercise());
        if !request.graders.is_empty() {
            let sorted = |names: &[String]| {
                let mut names = names.to_vec();
                names.sort_unstable();
                names
            };
            if sorted(&request.graders) != sorted(&graders) {
                return Err(other_graders(number, &graders.join(", ")));
            }
        }
        // After the last lock the rubric goes on: rulings are made from this very round.
        match self.all_locked()? {
            true => Ok(()),
            false => match difference(request, &self.round)? {
                None => Ok(()),
                Some(what) => Err(changed(number, &what)),
            },
        }
    }

    /// The map from opaque ids to systems: for whoever runs the exercise, never for a grader.
    #[must_use]
    pub fn exercise(&self) -> &Exercise {
        &self.round.exercise
    }

    /// The rubric as this round's graders see it.
    #[must_use]
    pub fn rubric(&self) -> &Rubric {
        &self.round.rubric
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The folder of the round.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All that reaches a grader.
    ///
    /// # Errors
    /// If the round has no sheet for this grader.
    pub fn paper(&self, grader: &str) -> Result<Paper, ProjectError> {
        let plan = self.plan(grader)?;
        Ok(Paper {
            exercise: self.exercise().id.clone(),
            grader: plan.grader.clone(),
            rubric: self.round.rubric.name.clone(),
            criteria: self.criteria.clone(),
            units: plan.order.iter().map(|at| self.units[*at as usize].clone()).collect(),
        })
    }

    /// What a grader did, in the order of the counters.
    ///
    /// # Errors
    /// If the round has no sheet for this grader, or the ledger cannot be read.
    pub fn marks(&self, grader: &str) -> Result<Vec<Mark>, ProjectError> {
        let plan = self.plan(grader)?;
        Ok(self.ledger.marks(&self.exercise().id, &plan.grader)?)
    }

    /// How a grader's sheet stands.
    ///
    /// # Errors
    /// As [`Grading::marks`].
    pub fn sheet(&self, grader: &str) -> Result<Sheet, ProjectError> {
        Ok(Sheet::of(&self.marks(grader)?))
    }

    /// Since when a grader's sheet is locked; `None` while it is open.
    ///
    /// # Errors
    /// As [`Grading::marks`].
    pub fn locked(&self, grader: &str) -> Result<Option<String>, ProjectError> {
        let plan = self.plan(grader)?;
        let locked = self.ledger.locked(&self.exercise().id)?;
        Ok(locked.into_iter().find(|(of, _)| *of == plan.grader).map(|(_, at)| at))
    }

    /// Whether every sheet of the round is locked.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn all_locked(&self) -> Result<bool, ProjectError> {
        let locked = self.ledger.locked(&self.exercise().id)?;
        Ok(self
            .exercise()
            .graders()
            .all(|grader| locked.iter().any(|(of, _)| of == grader)))
    }

    /// How every sheet stands, in the order of the graders: for whoever runs the exercise, never for a grader.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn progress(&self) -> Result<Vec<SheetProgress>, ProjectError> {
        progress(&self.ledger, self.exercise())
    }

    /// What all graders said, in the order of the graders.
    ///
    /// # Errors
    /// If a sheet of the round is not locked yet, or the ledger cannot be read.
    pub fn sheets(&self) -> Result<Vec<(String, Sheet)>, ProjectError> {
        let locked = self.ledger.locked(&self.exercise().id)?;
        let open = |grader: &&str| !locked.iter().any(|(of, _)| of == grader);
        let open: Vec<&str> = self.exercise().graders().filter(open).collect();
        if !open.is_empty() {
            return Err(ProjectError::refused(
                "round-open",
                format!(
                    "round {} is still being graded by {}",
                    self.exercise().round,
                    open.join(", ")
                ),
                "nothing of it is shown before every sheet is locked: marks seen early are not independent",
            ));
        }
        let graders = self.exercise().graders();
        graders
            .map(|grader| Ok((grader.to_owned(), self.sheet(grader)?)))
            .collect()
    }

    pub(super) fn plan(&self, grader: &str) -> Result<&SheetPlan, ProjectError> {
        self.exercise().sheet(grader).ok_or_else(|| {
            let known: Vec<&str> = self.exercise().graders().collect();
            unknown_grader(grader, &known.join(", "))
        })
    }
}

/// Makes a round: the ledger knows it before its folder stands, so that no folder is without a ledger.
fn make(request: &GradingRequest, number: u32) -> Result<(Round, Ledger), ProjectError> {
    let round = create(request, number)?;
    let folder = request.ledger.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|reason| ProjectError::system(folder, "make", &reason))?;
    }
    let ledger = Ledger::open(&request.ledger)?;
    ledger.open_round(&round.exercise.id, &graders(&round.exercise))?;
    round.write(&request.dir)?;
    Ok((round, ledger))
}

/// The ledger of a round that exists: another one, or a new one, would hold none of its marks.
pub(super) fn ledger_of(path: &Path, exercise: &Exercise) -> Result<Ledger, ProjectError> {
    let ledger = match path.exists() {
        true => Some(Ledger::open(path)?),
        false => None,
    };
    let Some(ledger) = ledger else {
        return Err(other_ledger(path, exercise.round));
    };
    if ledger.sheets(&exercise.id)?.is_empty() {
        return Err(other_ledger(path, exercise.round));
    }
    Ok(ledger)
}

fn graders(exercise: &Exercise) -> Vec<String> {
    exercise.graders().map(str::to_owned).collect()
}

fn paper_criteria(round: &Round) -> Vec<PaperCriterion> {
    let asked = round.exercise.criteria.iter();
    asked
        .map(|asked| {
            let mut criteria = round.rubric.criteria.iter();
            let of = criteria.find(|of| of.id == asked.criterion && of.query == asked.query);
            PaperCriterion {
                criterion: asked.criterion.clone(),
                hash: asked.card_hash,
                card: of.expect("a round is checked when it is read").card(),
            }
        })
        .collect()
}

fn paper_units(round: &Round) -> Vec<PaperUnit> {
    let units = round.exercise.units.iter().zip(&round.texts);
    units
        .map(|(unit, text)| PaperUnit {
            unit: unit.id.clone(),
            prompt: text
                .prompt
                .as_ref()
                .map(|prompt| turns(prompt, "user"))
                .unwrap_or_default(),
            response: turns(&text.response, "assistant"),
            criteria: round.exercise.asked_of(&unit.query),
        })
        .collect()
}
