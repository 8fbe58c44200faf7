//! `export`.

use std::path::PathBuf;

use calibrant_project::ProjectError;
use calibrant_project::export::{ExportOptions, LabelsOf, MaterialRequest, export, export_to_path, read_material};
use calibrant_project::import::losses_json;
use calibrant_store::formats::{Form, ItemForm, Losses};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::import::{losses_text, shown};
use super::request::{Settings, set, set_column, settings, under};
use crate::commands::Door;
use crate::exit;

/// What stands for standard output.
const STANDARD_OUTPUT: &str = "-";

#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// The form
    #[arg(long, value_name = "FORM", value_parser = forms())]
    to: Form,
    /// File to write, `-` for standard output; for hugging-face a new folder
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Rubric (YAML, JSON or JSONL) [default: paths.rubric of the project file, or that of --from]
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,
    /// Queries (JSONL) [default: paths.queries of the project file, or those of --from]
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Responses (JSONL) [default: paths.responses of the project file]
    #[arg(long, value_name = "FILE")]
    responses: Option<PathBuf>,
    /// Tables of verdicts [default: paths.verdicts of the project file, unless --from is given]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    verdicts: Vec<PathBuf>,
    /// Folder of a run, for its labels and item parameters
    #[arg(long, value_name = "DIR", conflicts_with = "verdicts")]
    from: Option<PathBuf>,
    /// Only the responses and labels of this system
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// The labels of this judge [default: those of consensus]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["consensus", "from"])]
    judge: Option<String>,
    /// The labels that the panel agrees on
    #[arg(long)]
    consensus: bool,
    /// The item parameters of a fit, in the place of labels; wide alone
    #[arg(long, value_name = "slope-intercept|slope-difficulty", value_parser = item_forms())]
    parameters: Option<ItemForm>,
    /// Names of columns, as query=prompt_id,criterion=criterion_id
    #[arg(long, value_name = "ROLE=NAME,..", value_delimiter = ',')]
    columns: Vec<String>,
    /// Scale of the labels where no rubric declares one: binary, 1..5 or 0,0.5,1
    #[arg(long, value_name = "SCALE")]
    scale: Option<String>,
}

fn forms() -> impl TypedValueParser<Value = Form> {
    let forms = Form::ALL.into_iter().filter(|form| form.is_written()).map(Form::word);
    PossibleValuesParser::new(forms).map(|word| Form::of_word(&word).expect("the parser lets known words through"))
}

fn item_forms() -> impl TypedValueParser<Value = ItemForm> {
    PossibleValuesParser::new(ItemForm::ALL.map(ItemForm::word)).map(|word| {
        let known = ItemForm::ALL.into_iter().find(|form| form.word() == word);
        known.expect("the parser lets known words through")
    })
}

pub(crate) fn run(args: &ExportArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let request = request(args, door)?;
    let owned = read_material(&request, &mut |note| door.output.on(note))?;
    let options = ExportOptions {
        form: args.to,
        system: args.system.clone(),
        parameters: args.parameters,
        judge: args.judge.clone(),
        layout: ExportOptions::layout_of(&args.out),
    };
    if args.out.as_os_str() == STANDARD_OUTPUT {
        return to_standard_output(&owned.material(), &options, door);
    }
    let (files, losses) = export_to_path(owned.material(), &options, &args.out)?;
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    door.output.result(
        || {
            let json = json!({
                "format": "calibrant.export/1",
                "form": args.to.word(),
                "written": names,
                "losses": losses_json(&losses),
            });
            format!("{json:#}\n")
        },
        || {
            let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
            format!(
                "{}wrote {} as {}\n",
                losses_text(&losses),
                names.join(", "),
                args.to.word()
            )
        },
    );
    Ok(exit::DONE)
}

/// One text goes to standard output; what is lost is said beside it.
fn to_standard_output(
    material: &calibrant_project::export::Material<'_>,
    options: &ExportOptions,
    door: &Door<'_>,
) -> Result<u8, ProjectError> {
    if options.form == Form::HuggingFace {
        return Err(ProjectError::refused(
            "several-files",
            "a data set is a folder, and standard output takes one text",
            "name a new folder with --out DIR",
        ));
    }
    let exported = export(*material, options)?;
    let text = String::from_utf8(exported.file).expect("every form but the folder is text");
    door.output.data(&text);
    note_losses(&exported.losses, door);
    for (name, _) in &exported.others {
        door.output.note(&format!(
            "{name} is not written: name a file with --out to have it beside the other"
        ));
    }
    Ok(exit::DONE)
}

fn note_losses(losses: &Losses, door: &Door<'_>) {
    door.output.note(losses_text(losses).trim_end());
}

/// What is exported, by flags over the settings of the project.
fn request(args: &ExportArgs, door: &Door<'_>) -> Result<MaterialRequest, ProjectError> {
    let Settings { mut config, root } = settings(door.global, door.output)?;
    if let Some(scale) = &args.scale {
        set(&mut config, "scale", scale)?;
    }
    for mapping in &args.columns {
        set_column(&mut config, mapping)?;
    }
    let inside = |key: &str| config.text(key).map(|path| under(root.as_deref(), path));
    let named = |flag: &Option<PathBuf>, key: &str| flag.clone().or_else(|| inside(key));
    // A folder of a run holds its own rubric and queries; the project's are for its tables.
    let own = |flag: &Option<PathBuf>, key: &str| match args.from {
        Some(_) => flag.clone(),
        None => named(flag, key),
    };
    let verdicts = match (args.verdicts.as_slice(), &args.from) {
        ([], None) => {
            let tables = config.texts("paths.verdicts").iter();
            tables.map(|path| under(root.as_deref(), path)).collect()
        }
        (given, _) => given.to_vec(),
    };
    let (rubric, queries) = (own(&args.rubric, "paths.rubric"), own(&args.queries, "paths.queries"));
    let responses = named(&args.responses, "paths.responses");
    Ok(MaterialRequest {
        form: args.to,
        rubric,
        queries,
        responses,
        verdicts,
        config,
        from: args.from.clone(),
        labels: match &args.judge {
            Some(judge) => LabelsOf::Judge(judge.clone()),
            None => LabelsOf::Consensus,
        },
    })
}
