//! `import`.

mod print;

use std::io;
use std::path::PathBuf;

use calibrant_project::ProjectError;
use calibrant_project::import::{
    ImportRequest, ImportSource, Importing, import_table_to_ledger, import_to_folder, import_to_ledger,
};
use calibrant_schema::Scale;
use calibrant_store::Source;
use calibrant_store::formats::{Form, WideLayout};
use clap::ArgGroup;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::request::{set, settings};
use crate::commands::Door;
use crate::exit;

use print::Printed;
pub(super) use print::{losses_text, shown};

/// What stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The word for tables of verdicts, which are no files of another tool.
const TABLE: &str = "table";

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("target").required(true).args(["out", "into"]))]
pub(crate) struct ImportArgs {
    /// Files of one tool or of several: plain, .gz, .zst or .zip; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The form of all files [default: found by the structure of each, and said]
    #[arg(long, value_name = "FORM", value_parser = forms())]
    from: Option<From>,
    /// The system, where a file does not name one; once for all files, or once for each
    #[arg(long, value_name = "NAME")]
    system: Vec<String>,
    /// The judge, where a file does not name one; once for all files, or once for each
    #[arg(long, value_name = "NAME")]
    judge: Vec<String>,
    /// A wide matrix has a row an item and a column a system, and not the other way round
    #[arg(long)]
    items_in_rows: bool,
    /// Folder of the project to write: new, empty, or written by an import and not changed since
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Ledger that the verdicts are added to; what it says already is not added again
    #[arg(long, value_name = "LEDGER")]
    into: Option<PathBuf>,
    /// Scale of the labels of a table: binary, 1..5 or 0,0.5,1
    #[arg(long, value_name = "SCALE", requires = "into")]
    scale: Option<String>,
}

/// What files are imported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Form(Form),
    Table,
}

fn forms() -> impl TypedValueParser<Value = From> {
    let forms = Form::ALL.into_iter().filter(|form| form.is_read()).map(Form::word);
    PossibleValuesParser::new(forms.chain([TABLE])).map(|word| match Form::of_word(&word) {
        Ok(form) => From::Form(form),
        Err(_) => From::Table,
    })
}

pub(crate) fn run(args: &ImportArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    only_one_standard_input(&args.files)?;
    match (args.from, &args.out, &args.into) {
        (Some(From::Table), Some(_), _) => Err(table_needs_no_import(args)),
        (Some(From::Table), None, Some(ledger)) => table(args, ledger, door),
        (_, Some(out), _) => {
            refuse_scale(args)?;
            let (summary, written, doubts) = import_to_folder(request(args), out, &mut unwatched)?;
            Printed::folder(&summary, out, &written, &doubts).print(door.output);
            Ok(exit::DONE)
        }
        (_, None, Some(ledger)) => {
            refuse_scale(args)?;
            let (summary, into) = import_to_ledger(request(args), ledger, &mut unwatched)?;
            Printed::ledger(&summary, ledger, into).print(door.output);
            Ok(exit::DONE)
        }
        (_, None, None) => unreachable!("the parser asks for --out or --into"),
    }
}

/// What the flags ask for.
fn request(args: &ImportArgs) -> ImportRequest {
    let files = args.files.iter().map(|file| match file.as_os_str() == STANDARD_INPUT {
        true => ImportSource::Reader {
            name: "standard input".to_owned(),
            input: Box::new(io::stdin()),
        },
        false => ImportSource::Path(file.clone()),
    });
    ImportRequest {
        files: files.collect(),
        form: match args.from {
            Some(From::Form(form)) => Some(form),
            Some(From::Table) | None => None,
        },
        systems: args.system.clone(),
        judges: args.judge.clone(),
        wide: match args.items_in_rows {
            true => WideLayout::ItemsInRows,
            false => WideLayout::SystemsInRows,
        },
    }
}

/// An import runs until it is done or the program is ended.
fn unwatched(_: Importing<'_>) -> Result<(), String> {
    Ok(())
}

fn table(args: &ImportArgs, ledger: &std::path::Path, door: &Door<'_>) -> Result<u8, ProjectError> {
    for (flag, given) in [("--system", &args.system), ("--judge", &args.judge)] {
        if !given.is_empty() {
            let what = format!("{flag} names what a file leaves open, and a table of verdicts leaves nothing open");
            return Err(ProjectError::refused("idle-flag", what, format!("leave {flag} out")));
        }
    }
    let mut config = settings(door.global, door.output)?.config;
    if let Some(scale) = &args.scale {
        set(&mut config, "scale", scale)?;
    }
    let scale: Option<Scale> = config.scale().cloned();
    let tables = args.files.iter().map(|file| match file.as_os_str() == STANDARD_INPUT {
        true => Source::Reader {
            name: "standard input".to_owned(),
            input: Box::new(io::stdin()),
        },
        false => Source::Path(file.clone()),
    });
    let (detected, into, losses) = import_table_to_ledger(tables.collect(), scale, ledger)?;
    for detected in &detected {
        door.output.on(calibrant_project::Note::Read(detected));
    }
    Printed::table(&detected, ledger, into, &losses).print(door.output);
    Ok(exit::DONE)
}

fn only_one_standard_input(files: &[PathBuf]) -> Result<(), ProjectError> {
    let standard = files.iter().filter(|file| file.as_os_str() == STANDARD_INPUT);
    match standard.count() {
        0 | 1 => Ok(()),
        _ => Err(ProjectError::refused(
            "standard-input-twice",
            "standard input can be read once",
            "write `-` once, or give files",
        )),
    }
}

fn refuse_scale(args: &ImportArgs) -> Result<(), ProjectError> {
    match args.scale {
        None => Ok(()),
        Some(_) => Err(ProjectError::refused(
            "idle-flag",
            "--scale declares the scale of a table, and files of other tools say theirs",
            "leave --scale out, or read a table of verdicts with --from table",
        )),
    }
}

fn table_needs_no_import(args: &ImportArgs) -> ProjectError {
    let files: Vec<String> = args
        .files
        .iter()
        .map(|file| crate::args::quoted(&file.to_string_lossy()))
        .collect();
    ProjectError::refused(
        "table-needs-no-import",
        "a table of verdicts is read as it is, and needs no project folder",
        format!(
            "write calibrant run --verdicts {} --out DIR, or --into LEDGER to add its rows to a ledger",
            files.join(" ")
        ),
    )
}
