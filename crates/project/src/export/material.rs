//! What there is to export, read from files.

use std::path::{Path, PathBuf};

use calibrant_schema::calibration::Calibration;
use calibrant_schema::config::Config;
use calibrant_schema::query::Query;
use calibrant_schema::response::Response;
use calibrant_schema::{Fit, Labels, Rubric, Verdicts};
use calibrant_steps::{RubricJoin, consensus};
use calibrant_store::formats::Form;
use calibrant_store::read_responses;

use super::Material;
use crate::error::ProjectError;
use crate::folder::{ArtifactFile, Folder, QUERIES};
use crate::inputs::{load_queries, load_rubric};
use crate::panel::read_panel;
use crate::request::{Request, Start};
use crate::step::Note;

/// Whose labels are exported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LabelsOf {
    /// What the panel agrees on, by the consensus of every run.
    #[default]
    Consensus,
    /// One judge.
    Judge(String),
}

/// Where what is exported lies.
#[derive(Clone, Debug)]
pub struct MaterialRequest {
    /// The form; tables are read only for one that has labels.
    pub form: Form,
    /// The settings in force.
    pub config: Config,
    /// The rubric.
    pub rubric: Option<PathBuf>,
    /// The queries.
    pub queries: Option<PathBuf>,
    /// The responses.
    pub responses: Option<PathBuf>,
    /// Tables of verdicts.
    pub verdicts: Vec<PathBuf>,
    /// A folder of artifacts: its labels, fit, rubric and queries stand where none of these are named.
    pub from: Option<PathBuf>,
    /// Whose labels.
    pub labels: LabelsOf,
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Owned {
    rubric: Option<Rubric>,
    queries: Vec<Query>,
    responses: Vec<Response>,
    verdicts: Option<Verdicts>,
    labels: Option<Labels>,
    fit: Option<Fit>,
}

impl Owned {
    /// What there is to export.
    #[must_use]
    pub fn material(&self) -> Material<'_> {
        Material {
            rubric: self.rubric.as_ref(),
            queries: &self.queries,
            responses: &self.responses,
            verdicts: self.verdicts.as_ref(),
            labels: self.labels.as_ref(),
            fit: self.fit.as_ref(),
        }
    }
}

/// Reads what there is to export; what is told is how tables were understood, and doubts about files.
///
/// # Errors
/// If a file is wrong, or a folder is not one of a run.
pub fn read_material(request: &MaterialRequest, notes: &mut dyn FnMut(Note<'_>)) -> Result<Owned, ProjectError> {
    let mut owned = Owned {
        queries: queries(request.queries.as_ref(), notes)?,
        responses: responses(request.responses.as_deref(), notes)?,
        ..Owned::default()
    };
    if request.verdicts.is_empty() || !has_labels(request.form) {
        if let Some(document) = load_rubric(request.rubric.as_ref())? {
            notes(Note::Doubts(&document.warnings, &document.text));
            owned.rubric = Some(document.value);
        }
    } else {
        let panel = read_panel(&panel_request(request)?, notes)?;
        owned.labels = Some(consensus(&panel.verdicts, &RubricJoin::new(panel.rubric.as_ref())));
        owned.verdicts = Some(panel.verdicts);
        owned.rubric = panel.rubric;
    }
    if let Some(from) = &request.from {
        read_folder(from, request, &mut owned)?;
    }
    Ok(owned)
}

/// Whether a form has labels.
fn has_labels(form: Form) -> bool {
    matches!(form, Form::InspectScores | Form::Wide | Form::HuggingFace)
}

/// The request for the tables: one judge is a panel of one, whose repeats become its label.
fn panel_request(request: &MaterialRequest) -> Result<Request, ProjectError> {
    let mut config = request.config.clone();
    if let LabelsOf::Judge(judge) = &request.labels {
        let of_flag = config.set_flag("panel", judge);
        of_flag
            .map_err(|error| ProjectError::refused("flag", error.to_string(), "name a judge as the table writes it"))?;
    }
    let start = Start::Verdicts {
        tables: request.verdicts.clone(),
        out: PathBuf::new(),
    };
    Ok(Request {
        rubric: request.rubric.clone(),
        ..Request::new(start, config)
    })
}

/// Fills what is not there yet from a folder of artifacts.
fn read_folder(from: &Path, request: &MaterialRequest, owned: &mut Owned) -> Result<(), ProjectError> {
    let folder = Folder::open(from)?;
    let calibration: Calibration = folder.read()?;
    if owned.rubric.is_none() {
        owned.rubric = folder.read_rubric(&calibration)?;
    }
    if owned.queries.is_empty() && folder.has(QUERIES) {
        owned.queries = queries(Some(&folder.file(QUERIES)), &mut |_| {})?;
    }
    if owned.labels.is_none() {
        if let LabelsOf::Judge(judge) = &request.labels {
            return Err(ProjectError::refused(
                "labels-of-a-folder",
                format!("a folder of artifacts has the labels of consensus, and not those of the judge `{judge}`"),
                "give the table of verdicts with --verdicts FILE",
            ));
        }
        owned.labels = Some(folder.read_labels(&calibration)?);
    }
    if folder.has(Fit::FILE) {
        owned.fit = Some(folder.read()?);
    }
    Ok(())
}

fn queries(path: Option<&PathBuf>, notes: &mut dyn FnMut(Note<'_>)) -> Result<Vec<Query>, ProjectError> {
    let Some(document) = load_queries(path)? else {
        return Ok(Vec::new());
    };
    notes(Note::Doubts(&document.warnings, &document.text));
    Ok(document.value)
}

fn responses(path: Option<&Path>, notes: &mut dyn FnMut(Note<'_>)) -> Result<Vec<Response>, ProjectError> {
    let Some(path) = path else { return Ok(Vec::new()) };
    let document = read_responses(path)?;
    notes(Note::Doubts(&document.warnings, &document.text));
    Ok(document.value)
}
