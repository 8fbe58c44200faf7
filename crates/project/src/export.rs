//! What a project has, in the forms of other tools.

mod material;
mod target;

use std::borrow::Cow;
use std::io;

use calibrant_schema::query::Query;
use calibrant_schema::response::Response;
use calibrant_schema::{Fit, Labels, Rubric, Verdicts};
use calibrant_store::formats::{
    Form, HubTables, ItemForm, Losses, ScoresLayout, ScoresOf, write_codebook, write_health_bench, write_hugging_face,
    write_item_parameters, write_promptfoo_config, write_scores, write_wide,
};

pub use self::material::{LabelsOf, MaterialRequest, Owned, read_material};
pub use self::target::export_to_path;

use crate::error::ProjectError;

/// What there is to export; what a form does not take is left where it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material<'a> {
    /// The rubric.
    pub rubric: Option<&'a Rubric>,
    /// The queries.
    pub queries: &'a [Query],
    /// The responses.
    pub responses: &'a [Response],
    /// The verdicts of the panel.
    pub verdicts: Option<&'a Verdicts>,
    /// One label a cell: those of one judge, or the consensus of the panel.
    pub labels: Option<&'a Labels>,
    /// Item parameters.
    pub fit: Option<&'a Fit>,
}

impl ExportOptions {
    /// The layout of ratings for a file of this name.
    #[must_use]
    pub fn layout_of(path: &std::path::Path) -> ScoresLayout {
        match path.extension().is_some_and(|ending| ending == "jsonl") {
            true => ScoresLayout::Lines,
            false => ScoresLayout::List,
        }
    }
}

/// What is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOptions {
    /// The form.
    pub form: Form,
    /// The one system whose labels are written, where a form takes one.
    pub system: Option<String>,
    /// The item parameters of a fit in the place of labels, where a form takes them.
    pub parameters: Option<ItemForm>,
    /// Whose labels they are, where a form says so; `None` is the consensus.
    pub judge: Option<String>,
    /// How records of ratings stand in their file, which Inspect reads by the end of its name.
    pub layout: ScoresLayout,
}

/// What was written, as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The file itself; empty where the form is a folder.
    pub file: Vec<u8>,
    /// Files beside it, or in its folder, each with its name.
    pub others: Vec<(String, Vec<u8>)>,
    /// What does not survive.
    pub losses: Losses,
}

/// Writes what there is in a form, in memory.
///
/// # Errors
/// If the form is only read, or something is missing that it cannot do without.
pub fn export(material: Material<'_>, options: &ExportOptions) -> Result<Exported, ProjectError> {
    let of_one_system = [Form::HealthBench, Form::PromptfooConfig, Form::InspectScores];
    if options.system.is_some() && !of_one_system.contains(&options.form) {
        return Err(idle("--system", options.form, "has all systems"));
    }
    if options.parameters.is_some() && options.form != Form::Wide {
        return Err(idle("--parameters", options.form, "has no item parameters"));
    }
    match options.form {
        Form::HealthBench => rubric_text(material, options, write_health_bench),
        Form::PromptfooConfig => rubric_text(material, options, write_promptfoo_config),
        Form::InspectScores => inspect_scores(material, options),
        Form::Wide => wide(material, options),
        Form::HuggingFace => hugging_face(material),
        form => Err(only_read(form)),
    }
}

/// Writes a rubric with queries and responses as a text.
type WriteRubric = fn(&mut Vec<u8>, &Rubric, &[Query], &[Response]) -> io::Result<Losses>;

fn rubric_text(material: Material<'_>, options: &ExportOptions, write: WriteRubric) -> Result<Exported, ProjectError> {
    let rubric = rubric(material, options.form)?;
    let responses = of_system(material.responses, options)?;
    let mut file = Vec::new();
    let losses = write(&mut file, rubric, material.queries, &responses);
    Ok(Exported {
        file,
        losses: losses.expect("memory takes bytes"),
        ..Exported::default()
    })
}

/// The responses of the system asked for; of all, where none is.
fn of_system<'a>(responses: &'a [Response], options: &ExportOptions) -> Result<Cow<'a, [Response]>, ProjectError> {
    let Some(system) = &options.system else {
        return Ok(Cow::Borrowed(responses));
    };
    let of: Vec<Response> = responses.iter().filter(|of| of.system == *system).cloned().collect();
    match of.is_empty() {
        true => Err(unknown_system(system)),
        false => Ok(Cow::Owned(of)),
    }
}

fn unknown_system(system: &str) -> ProjectError {
    ProjectError::refused(
        "unknown-system",
        format!("there is nothing of a system `{system}`"),
        "name a system as the files write it, or leave --system out",
    )
}

/// The labels of one system as ratings of a log's samples.
fn inspect_scores(material: Material<'_>, options: &ExportOptions) -> Result<Exported, ProjectError> {
    let from = "--verdicts TABLE, or --from with the folder of a run";
    let labels = material
        .labels
        .ok_or_else(|| missing(Form::InspectScores, "labels", from))?;
    let systems: Vec<&str> = labels.systems.iter().collect();
    let system = match (&options.system, systems.as_slice()) {
        (Some(asked), known) if known.contains(&asked.as_str()) => asked.as_str(),
        (Some(asked), _) => return Err(unknown_system(asked)),
        (None, [only]) => *only,
        (None, several) => {
            let what = format!("a log has one system, and there are labels of {}", several.len());
            return Err(ProjectError::refused(
                "several-systems",
                what,
                "name one with --system NAME",
            ));
        }
    };
    let of = ScoresOf {
        system,
        layout: options.layout,
        judge: Some(options.judge.as_deref().unwrap_or("consensus")),
    };
    let mut file = Vec::new();
    let losses = write_scores(&mut file, labels, of).expect("memory takes bytes");
    Ok(Exported {
        file,
        losses,
        ..Exported::default()
    })
}

/// The matrix of labels with its code book, or the item parameters of a fit.
fn wide(material: Material<'_>, options: &ExportOptions) -> Result<Exported, ProjectError> {
    let mut exported = Exported::default();
    match options.parameters {
        None => {
            let from = "--verdicts TABLE, or --from with the folder of a run";
            let labels = material.labels.ok_or_else(|| missing(Form::Wide, "labels", from))?;
            exported.losses = write_wide(&mut exported.file, labels).expect("memory takes bytes");
        }
        Some(form) => {
            let from = "--from with the folder of a run that fitted";
            let fit = material
                .fit
                .ok_or_else(|| missing(Form::Wide, "item parameters", from))?;
            let losses = write_item_parameters(&mut exported.file, fit, material.labels, form);
            exported.losses = losses.expect("memory takes bytes");
            let told = format!("{}\n", form.told());
            exported.others.push(("txt".to_owned(), told.into_bytes()));
        }
    }
    let mut book = Vec::new();
    write_codebook(&mut book, material.labels, material.fit, material.rubric).expect("memory takes bytes");
    exported.others.push(("codebook.csv".to_owned(), book));
    Ok(exported)
}

fn hugging_face(material: Material<'_>) -> Result<Exported, ProjectError> {
    let tables = HubTables {
        rubric: material.rubric,
        queries: material.queries,
        responses: material.responses,
        verdicts: material.verdicts,
        labels: material.labels,
    };
    let written = write_hugging_face(tables);
    let (others, losses) = written.map_err(|reason| {
        let help = "give a rubric, queries, responses or a table of verdicts";
        ProjectError::refused("export-needs", format!("no data set is made: {reason}"), help)
    })?;
    Ok(Exported {
        others,
        losses,
        ..Exported::default()
    })
}

/// The rubric, which a form cannot do without.
fn rubric(material: Material<'_>, form: Form) -> Result<&Rubric, ProjectError> {
    material
        .rubric
        .ok_or_else(|| missing(form, "a rubric", "--rubric FILE, or paths.rubric in calibrant.toml"))
}

/// What was asked for and would change nothing.
fn idle(flag: &str, form: Form, because: &str) -> ProjectError {
    ProjectError::refused(
        "idle-flag",
        format!("{flag} changes nothing: the form {} {because}", form.word()),
        format!("leave {flag} out"),
    )
}

fn missing(form: Form, what: &str, from: &str) -> ProjectError {
    ProjectError::refused(
        "export-needs",
        format!("the form {} cannot do without {what}", form.word()),
        format!("give {from}"),
    )
}

fn only_read(form: Form) -> ProjectError {
    let written: Vec<&str> = Form::ALL
        .into_iter()
        .filter(|form| form.is_written())
        .map(Form::word)
        .collect();
    ProjectError::refused(
        "form-not-written",
        format!("files of the form {} are read and not written", form.word()),
        format!("the forms that are written are {}", written.join(", ")),
    )
}
