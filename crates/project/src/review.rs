//! What there is to talk about after a round of grading: the disagreements, with the answers and what graders wrote.
//!
//! Source: METHODS 27, 39; PROTOCOLS 4.3, points 7 and 8.

use std::collections::BTreeMap;
use std::path::PathBuf;

use calibrant_schema::disagreement::{Disagreement, Disagreements, Ended, JudgeLabel};
use calibrant_schema::exercise::{CellState, Sheet};
use calibrant_schema::query::Query;
use calibrant_schema::response::Response;
use calibrant_schema::turn::{Turn, turns};
use calibrant_schema::{Criterion, Rubric, Verdicts};
use calibrant_steps::disagreements::{Beside, Systems, disagreements};
use calibrant_store::ledger::{Ledger, Reading};
use calibrant_store::read_responses;
use calibrant_store::tables::{Progress, ScaleOrigin, Scales};

use crate::error::ProjectError;
use crate::grading::Grading;
use crate::inputs::{file_hash, load_queries, load_verdicts};
use crate::request::{Request, Start};
use crate::rubric_file::RubricFile;
use crate::settle::Settled;
use crate::step::Note;

/// What is read beside the labels.
#[derive(Clone, Debug, Default)]
pub struct ReviewInputs {
    /// The rubric; needed to settle anything.
    pub rubric: Option<PathBuf>,
    /// The queries, for their prompts and the tags that disagreements share.
    pub queries: Option<PathBuf>,
    /// The responses, for the texts.
    pub responses: Option<PathBuf>,
    /// The ledger that outcomes are recorded in when the labels come from tables; a round has its own.
    pub ledger: Option<PathBuf>,
    /// Whether systems are named.
    pub systems: Systems,
}

/// The queue of disagreements with everything a joint session looks at.
#[derive(Debug)]
pub struct Review {
    /// The queue.
    pub disagreements: Disagreements,
    /// The rubric file as it was read.
    pub rubric: Option<RubricFile>,
    /// The round; `None` when the labels came from tables.
    pub round: Option<u32>,
    ledgers: Ledgers,
    /// The levels of each criterion, from the worst.
    levels: BTreeMap<String, Vec<f64>>,
    /// Prompts, by the names of the answers.
    prompts: BTreeMap<String, Vec<Turn>>,
    /// Responses, by their names.
    answers: BTreeMap<String, Vec<Turn>>,
}

impl Review {
    /// The levels of a criterion, from the worst; none if it is not among the labels.
    #[must_use]
    pub fn levels(&self, criterion: &str) -> &[f64] {
        self.levels.get(criterion).map_or(&[], Vec::as_slice)
    }

    /// The disagreement of a name.
    ///
    /// # Errors
    /// If there is none; the message names some that are open.
    pub fn find(&self, id: &str) -> Result<&Disagreement, ProjectError> {
        let all = &self.disagreements;
        all.find(id).ok_or_else(|| {
            let ids: Vec<&str> = all.open().map(|open| open.id.as_str()).take(5).collect();
            let help = match ids.is_empty() {
                true => "nothing is open; `calibrant grade review` lists what there was".to_owned(),
                false => format!(
                    "open are, among others: {}; `calibrant grade review` lists all",
                    ids.join(", ")
                ),
            };
            let id: String = id.chars().take(40).collect();
            let what = format!("there is no disagreement `{id}` among these labels");
            ProjectError::refused("no-disagreement", what, help)
        })
    }

    /// The criterion a disagreement is about, as the rubric file has it: the one of its query, else the shared one.
    #[must_use]
    pub fn criterion(&self, one: &Disagreement) -> Option<&Criterion> {
        self.rubric.as_ref().and_then(|file| file.criterion(one))
    }

    /// Takes in what settling a disagreement did, for whoever goes on with the next.
    pub fn note_ended(&mut self, settled: &Settled, ended: Ended) {
        let id = &settled.disagreement.id;
        if let Some(one) = self.disagreements.queue.iter_mut().find(|one| one.id == *id) {
            one.ended = Some(ended);
        }
        self.rubric = Some(settled.after.clone());
    }

    /// Reads the rubric file again, for whoever is about to be shown it.
    ///
    /// # Errors
    /// If there is none, it cannot be read, or is no rubric now; what was read before then stays.
    pub fn read_rubric_again(&mut self) -> Result<&RubricFile, ProjectError> {
        let Some(before) = &self.rubric else {
            return Err(ProjectError::refused(
                "no-rubric",
                "there is no rubric file to write into",
                "name it with --rubric FILE, or as paths.rubric in calibrant.toml",
            ));
        };
        let read = RubricFile::read(&before.path)?;
        Ok(self.rubric.insert(read))
    }

    /// What was asked; nothing where nobody knows.
    #[must_use]
    pub fn prompt(&self, one: &Disagreement) -> &[Turn] {
        self.prompts.get(&one.unit_name()).map_or(&[], Vec::as_slice)
    }

    /// The answer a disagreement is about; nothing where nobody knows.
    #[must_use]
    pub fn answer(&self, one: &Disagreement) -> &[Turn] {
        self.answers.get(&one.unit_name()).map_or(&[], Vec::as_slice)
    }

    /// The ledger that outcomes are recorded in.
    #[must_use]
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledgers.open()
    }
}

impl Ledgers {
    fn open(&self) -> Option<&Ledger> {
        match self {
            Self::None => None,
            Self::Own(ledger) => Some(ledger),
            Self::Round(grading) => Some(grading.ledger()),
        }
    }
}

/// The disagreements among the labels of tables.
///
/// # Errors
/// If a file cannot be read, or table and rubric have nothing in common.
pub fn review_tables(
    request: &Request,
    inputs: &ReviewInputs,
    notes: &mut dyn FnMut(Note<'_>),
) -> Result<Review, ProjectError> {
    let rubric = read_rubric(inputs, notes)?;
    let tables = match &request.start {
        Start::Verdicts { tables, .. } => tables.as_slice(),
        Start::Folder(_) => &[],
    };
    let tables = tables.iter().map(|table| Ok((table.clone(), file_hash(table)?)));
    let tables = tables.collect::<Result<Vec<_>, ProjectError>>()?;
    let known = rubric.as_ref().map(|file| &file.rubric);
    let loaded = load_verdicts(request, &tables, known, Progress::default())?;
    loaded.detected.iter().for_each(|detected| notes(Note::Read(detected)));
    let ledgers = match inputs.ledger.as_deref().map(Ledger::open).transpose()? {
        Some(ledger) => Ledgers::Own(ledger),
        None => Ledgers::None,
    };
    assemble(&loaded.verdicts, ledgers, rubric, inputs, notes)
}

/// The disagreements of a round of grading.
///
/// # Errors
/// If a file cannot be read, or a sheet of the round is not locked: nobody sees a label of another before that.
pub fn review_round(
    grading: Grading,
    inputs: &ReviewInputs,
    notes: &mut dyn FnMut(Note<'_>),
) -> Result<Review, ProjectError> {
    let sheets = grading.sheets()?;
    let rubric = read_rubric(inputs, notes)?;
    let known = rubric.as_ref().map_or(grading.rubric(), |file| &file.rubric);
    let scales = scales_of(known);
    let reading = Reading {
        exercise: Some(&grading.exercise().id),
        judges: None,
        // What was graded is talked about, also when a ruling has changed the card since.
        cards: None,
        scales: &scales,
    };
    let verdicts = known_only(&grading.ledger().verdicts(&reading)?.verdicts, known);
    let texts = grading.paper(sheets.first().map_or("", |(grader, _)| grader))?.units;
    let mut review = assemble(&verdicts, Ledgers::Round(Box::new(grading)), rubric, inputs, notes)?;
    for unit in texts {
        review.prompts.insert(unit.unit.clone(), unit.prompt);
        review.answers.insert(unit.unit, unit.response);
    }
    add_comments(&mut review, &sheets);
    Ok(review)
}

/// The verdicts on criteria that the rubric still has.
fn known_only(verdicts: &Verdicts, rubric: &Rubric) -> Verdicts {
    let ids: Vec<&str> = rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
    let items = verdicts.items();
    verdicts.keep(|row| ids.contains(&verdicts.criteria().get(items[row.item as usize].criterion)))
}

fn scales_of(rubric: &Rubric) -> Scales {
    let criteria = &rubric.criteria;
    Scales {
        origin: ScaleOrigin::Rubric,
        by_criterion: criteria.iter().map(|one| (one.id.clone(), one.scale.clone())).collect(),
        ..Scales::default()
    }
}

/// Where outcomes are recorded.
#[derive(Debug)]
enum Ledgers {
    /// Nowhere but in the rubric.
    None,
    /// In a ledger beside tables.
    Own(Ledger),
    /// In the ledger of the round.
    Round(Box<Grading>),
}

fn read_rubric(inputs: &ReviewInputs, notes: &mut dyn FnMut(Note<'_>)) -> Result<Option<RubricFile>, ProjectError> {
    let file = inputs.rubric.as_deref().map(RubricFile::read).transpose()?;
    if let Some(file) = &file {
        notes(Note::Doubts(&file.warnings, &file.text));
    }
    Ok(file)
}

/// Finds the disagreements and everything beside them.
fn assemble(
    verdicts: &Verdicts,
    ledgers: Ledgers,
    rubric: Option<RubricFile>,
    inputs: &ReviewInputs,
    notes: &mut dyn FnMut(Note<'_>),
) -> Result<Review, ProjectError> {
    let queries = load_queries(inputs.queries.as_ref())?;
    if let Some(document) = &queries {
        notes(Note::Doubts(&document.warnings, &document.text));
    }
    let queries: Vec<Query> = queries.map(|document| document.value).unwrap_or_default();
    let responses = inputs.responses.as_deref().map(read_responses).transpose()?;
    if let Some(document) = &responses {
        notes(Note::Doubts(&document.warnings, &document.text));
    }
    let responses: Vec<Response> = responses.map(|document| document.value).unwrap_or_default();
    let known = rubric.as_ref().map(|file| &file.rubric);
    let exercise = match &ledgers {
        Ledgers::Round(grading) => Some(grading.exercise()),
        _ => None,
    };
    let beside = Beside {
        rubric: known,
        queries: &queries,
        exercise,
        systems: inputs.systems,
    };
    let mut all = disagreements(verdicts, &beside);
    let resolutions = ledgers.open().map(Ledger::resolutions).transpose()?;
    all.settle(&resolutions.unwrap_or_default(), known);
    let levels = (0u32..).zip(verdicts.criteria().iter()).map(|(code, name)| {
        let scale = verdicts.scale(code);
        let levels = (0..scale.level_count()).filter_map(|level| u8::try_from(level).ok());
        (name.to_owned(), levels.map(|level| scale.value(level)).collect())
    });
    let mut review = Review {
        disagreements: all,
        round: exercise.map(|exercise| exercise.round),
        levels: levels.collect(),
        prompts: BTreeMap::new(),
        answers: BTreeMap::new(),
        rubric,
        ledgers,
    };
    let unit = |one: &Response| format!("{}/{}/{}", one.system, one.query, one.sample);
    for one in &responses {
        let prompt = queries
            .iter()
            .find(|query| query.query == one.query)
            .and_then(|query| query.prompt.as_ref());
        review
            .prompts
            .extend(prompt.map(|prompt| (unit(one), turns(prompt, "user"))));
        review.answers.insert(unit(one), one.turns());
    }
    Ok(review)
}

/// Puts what graders wrote and marked beside their labels.
fn add_comments(review: &mut Review, sheets: &[(String, Sheet)]) {
    for (grader, sheet) in sheets {
        for one in &mut review.disagreements.queue {
            add_comment(&mut one.labels, grader, sheet.cell(&one.unit, &one.criterion));
        }
        for one in &mut review.disagreements.without_label {
            let cell = sheet.cell(&one.unit, &one.criterion);
            add_comment(&mut one.labels, grader, cell);
            let said = one.reasons.iter_mut().find(|reason| reason.judge == *grader);
            if let (Some(reason), Some(cell)) = (said, cell) {
                reason.comment.clone_from(&cell.comment);
            }
        }
    }
}

fn add_comment(labels: &mut [JudgeLabel], grader: &str, cell: Option<&CellState>) {
    let label = labels.iter_mut().find(|label| label.judge == grader);
    if let (Some(label), Some(cell)) = (label, cell) {
        label.comment.clone_from(&cell.comment);
        label.evidence = cell.evidence.iter().cloned().collect();
    }
}
