//! A panel's verdicts as a command reads them that leaves labels and calibration alone: tables, rubric, gold, doubts.

use std::path::PathBuf;

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::canonical::Hash;
use calibrant_schema::{Rubric, Verdicts};
use calibrant_store::Document;
use calibrant_store::ledger::Reading;
use calibrant_store::tables::Progress;

use crate::error::ProjectError;
use crate::grading::{Grading, GradingRequest, SampleOptions, rounds};
use crate::inputs::{file_hash, load_rubric, load_verdicts, read_options, select_panel};
use crate::request::{Gold, Request, Start};
use crate::road::verdict_roles;
use crate::step::Note;

/// What was read, and the opening of the artifact that is made from it.
pub(crate) struct Panel {
    pub(crate) rubric: Option<Rubric>,
    pub(crate) verdicts: Verdicts,
    pub(crate) gold: Option<Verdicts>,
    /// Hashes of the inputs, and the doubts met while reading.
    pub(crate) header: Header,
}

/// Reads everything a request names; the folder for results is not looked at.
pub(crate) fn read_panel(request: &Request, notes: &mut dyn FnMut(Note<'_>)) -> Result<Panel, ProjectError> {
    let document: Option<Document<Rubric>> = load_rubric(request.rubric.as_ref())?;
    if let Some(document) = &document {
        notes(Note::Doubts(&document.warnings, &document.text));
    }
    let rubric = document.map(|document| document.value);
    let tables = hashed(tables(request))?;
    let gold = match &request.gold {
        Some(Gold::File(path)) => Some(file_hash(path)?),
        _ => None,
    };
    let mut header = request.opening(&[
        ("rubric", rubric.as_ref().map(|rubric| rubric.hash().to_string())),
        ("gold", gold),
    ]);
    header
        .inputs
        .extend(verdict_roles(tables.iter().map(|(_, hash)| hash.clone())));
    request.note_panel(&mut header);
    let loaded = load_verdicts(request, &tables, rubric.as_ref(), Progress::default())?;
    loaded.detected.iter().for_each(|detected| notes(Note::Read(detected)));
    header.warnings = loaded.warnings.into_iter().map(Into::into).collect();
    Ok(Panel {
        rubric,
        verdicts: loaded.verdicts,
        gold: loaded.gold,
        header,
    })
}

/// A round of grading that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedRound {
    /// The folder that rounds lie in.
    pub dir: PathBuf,
    /// The ledger.
    pub ledger: PathBuf,
    /// The round, from 1.
    pub round: u32,
}

impl GradedRound {
    /// The round before, if there is one.
    ///
    /// # Errors
    /// If the folder of rounds cannot be listed.
    pub(crate) fn before(&self) -> Result<Option<Self>, ProjectError> {
        let before = self.round.checked_sub(1);
        let there = rounds(&self.dir)?;
        Ok(before
            .filter(|round| there.contains(round))
            .map(|round| Self { round, ..self.clone() }))
    }
}

/// What the graders of a round said, under the rubric they saw. Nothing of it is read before every sheet is locked.
pub(crate) fn read_round(of: &GradedRound, request: &Request) -> Result<Panel, ProjectError> {
    if !rounds(&of.dir)?.contains(&of.round) {
        return Err(ProjectError::refused(
            "no-round",
            format!("there is no round {} in `{}`", of.round, of.dir.display()),
            "name a round that was graded, or the folder of rounds with --dir",
        ));
    }
    let grading = Grading::open(&GradingRequest {
        dir: of.dir.clone(),
        ledger: of.ledger.clone(),
        round: Some(of.round),
        rubric: None,
        responses: None,
        queries: None,
        graders: Vec::new(),
        sample: SampleOptions::default(),
    })?;
    // Refused while a sheet is open.
    grading.sheets()?;
    let rubric = grading.rubric().clone();
    let options = read_options(request, Some(&rubric));
    let exercise = grading.exercise();
    let selected = grading.ledger().verdicts(&Reading {
        exercise: Some(&exercise.id),
        judges: None,
        cards: None,
        scales: &options.scales,
    })?;
    let mut header = request.opening(&[]);
    let hash = Hash::of_bytes(exercise.to_json().as_bytes()).to_string();
    header.inputs.insert("exercise".to_owned(), hash);
    header.inputs.insert("rubric".to_owned(), rubric.hash().to_string());
    header.settings.insert("round".to_owned(), of.round.to_string());
    Ok(Panel {
        verdicts: select_panel(request, selected.verdicts)?,
        rubric: Some(rubric),
        gold: None,
        header,
    })
}

fn tables(request: &Request) -> &[PathBuf] {
    match &request.start {
        Start::Verdicts { tables, .. } => tables,
        Start::Folder(_) => &[],
    }
}

fn hashed(tables: &[PathBuf]) -> Result<Vec<(PathBuf, String)>, ProjectError> {
    tables
        .iter()
        .map(|table| Ok((table.clone(), file_hash(table)?)))
        .collect()
}
