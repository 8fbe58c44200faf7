//! A panel's verdicts as a command reads them that leaves labels and calibration alone: tables, rubric, gold, doubts.

use std::path::PathBuf;

use calibrant_schema::artifact::Header;
use calibrant_schema::{Rubric, Verdicts};
use calibrant_store::Document;
use calibrant_store::tables::Progress;

use crate::error::ProjectError;
use crate::freshness::VERSION;
use crate::inputs::{file_hash, load_rubric, load_verdicts};
use crate::request::{Gold, Request, Start};
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
    let mut header = Header {
        calibrant: VERSION.to_owned(),
        seed: request.seed(),
        ..Header::default()
    };
    for (at, (_, hash)) in tables.iter().enumerate() {
        let role = match at {
            0 => "verdicts".to_owned(),
            at => format!("verdicts {}", at + 1),
        };
        header.inputs.insert(role, hash.clone());
    }
    if let Some(rubric) = &rubric {
        header.inputs.insert("rubric".to_owned(), rubric.hash().to_string());
    }
    if let Some(Gold::File(path)) = &request.gold {
        header.inputs.insert("gold".to_owned(), file_hash(path)?);
    }
    if let judges @ [_, ..] = request.config.texts("panel") {
        header.settings.insert("panel".to_owned(), judges.join(", "));
    }
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
