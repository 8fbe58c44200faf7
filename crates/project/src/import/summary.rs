//! What was imported, in words and as JSON.

use std::collections::BTreeMap;

use calibrant_schema::Diagnostic;
use calibrant_store::formats::{Form, Losses};
use serde_json::{Value, json};

/// The format of the summary.
pub const IMPORT_FORMAT: &str = "calibrant.import/1";

/// What was read, taken for what, and lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportSummary {
    /// The files in the order in which they were read.
    pub files: Vec<FileRead>,
    /// How many rows of each noun; what is said twice counts once.
    pub rows: RowCounts,
    /// Verdicts by status; statuses that none has are left out.
    pub statuses: BTreeMap<String, u64>,
    /// The systems, in order.
    pub systems: Vec<String>,
    /// The judges, in order.
    pub judges: Vec<String>,
    /// What does not survive, over all files.
    pub losses: Losses,
}

/// One file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRead {
    /// Its name as given.
    pub file: String,
    /// Its form.
    pub form: Form,
    /// Who says so.
    pub chosen: Chosen,
    /// The version that it states.
    pub version: Option<String>,
    /// What was taken for what.
    pub taken: Vec<String>,
    /// What of it does not survive.
    pub losses: Losses,
}

/// Who says which form a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The caller.
    Asked,
    /// The structure at the beginning of the file.
    Structure,
}

impl Chosen {
    /// The word in the summary.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Structure => "structure",
        }
    }
}

/// How many rows there are of each noun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Criteria.
    pub criteria: u64,
    /// Queries.
    pub queries: u64,
    /// Responses.
    pub responses: u64,
    /// Verdicts, those without a label included.
    pub verdicts: u64,
}

/// Something about the files that were written that is probably not meant, with the line it points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What, where, and what to do next.
    pub diagnostic: Diagnostic,
    /// The line.
    pub line: Option<String>,
}

impl ImportSummary {
    /// The summary as JSON, `calibrant.import/1`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let files: Vec<Value> = self.files.iter().map(file_json).collect();
        json!({
            "format": IMPORT_FORMAT,
            "files": files,
            "criteria": self.rows.criteria,
            "queries": self.rows.queries,
            "responses": self.rows.responses,
            "verdicts": self.rows.verdicts,
            "statuses": self.statuses,
            "systems": self.systems,
            "judges": self.judges,
            "losses": losses_json(&self.losses),
        })
    }
}

fn file_json(file: &FileRead) -> Value {
    json!({
        "file": file.file,
        "form": file.form.word(),
        "chosen": file.chosen.word(),
        "version": file.version,
        "taken": file.taken,
        "losses": losses_json(&file.losses),
    })
}

/// Losses as a list of objects: what, why, how many.
#[must_use]
pub fn losses_json(losses: &Losses) -> Value {
    losses
        .iter()
        .map(|loss| json!({"what": loss.what, "why": loss.why, "count": loss.count}))
        .collect()
}
