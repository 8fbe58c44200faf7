//! Files of other tools, read into our nouns: a project folder, rows for a ledger, or rows in memory.

mod checked;
mod collect;
mod folder;
mod ledger;
mod lines;
mod open;
mod seen;
mod summary;

use std::io::Read;
use std::path::PathBuf;

use calibrant_store::formats::{Form, ImportOptions, ReadError, Sink, WideLayout, read};
use calibrant_store::{Findings, Source};

pub use self::collect::{Gathered, ImportedText, gather};
pub use self::folder::{IMPORT_FILE, import_to_folder};
pub use self::ledger::{IntoLedger, import_table_to_ledger, import_to_ledger};
pub use self::summary::{Chosen, Doubt, FileRead, IMPORT_FORMAT, ImportSummary, RowCounts, losses_json};

use self::checked::Checked;
use self::open::Opened;
use crate::error::ProjectError;

/// What is imported, and what is said of it.
#[derive(Debug, Default)]
pub struct ImportRequest {
    /// The files, in the order in which they are read.
    pub files: Vec<ImportSource>,
    /// Their form; `None` finds the form of each by its structure.
    pub form: Option<Form>,
    /// The systems that answered, where files do not name one: none, one for all files, or one a file.
    pub systems: Vec<String>,
    /// The judges, where files do not name one: none, one for all files, or one a file.
    pub judges: Vec<String>,
    /// How a wide matrix lies.
    pub wide: WideLayout,
}

impl ImportRequest {
    /// What is said of the file at this place.
    ///
    /// # Errors
    /// If there are other numbers of names than one or one a file.
    fn options(&self) -> Result<Vec<ImportOptions>, ProjectError> {
        let count = self.files.len();
        let of = |names: &[String], flag: &str| match names {
            [] => Ok(vec![None; count]),
            [one] => Ok(vec![Some(one.clone()); count]),
            many if many.len() == count => Ok(many.iter().cloned().map(Some).collect()),
            many => Err(ProjectError::refused(
                "names-of-files",
                format!(
                    "{flag} was given {} times, and the number of files is {count}",
                    many.len()
                ),
                format!("give {flag} once for all files, or once for each, in the order of the files"),
            )),
        };
        let (systems, judges) = (of(&self.systems, "--system")?, of(&self.judges, "--judge")?);
        let options = systems.into_iter().zip(judges);
        let wide = self.wide;
        Ok(options
            .map(|(system, judge)| ImportOptions { system, judge, wide })
            .collect())
    }
}

/// A file that is imported.
pub enum ImportSource {
    /// A file: plain, gzip, zstd or a zip archive; its first bytes say which.
    Path(PathBuf),
    /// Anything readable, such as standard input, under the name that messages show; a zip archive has to be a file.
    Reader {
        /// The name in messages.
        name: String,
        /// The bytes.
        input: Box<dyn Read + Send>,
    },
}

impl std::fmt::Debug for ImportSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ImportSource").field(&self.name()).finish()
    }
}

impl ImportSource {
    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Reader { name, .. } => name.clone(),
        }
    }

    fn source(self) -> Source {
        match self {
            Self::Path(path) => Source::Path(path),
            Self::Reader { name, input } => Source::Reader { name, input },
        }
    }
}

/// What is told while files are imported; an answer of `Err` ends it, with the reason.
pub type Watching<'a> = &'a mut dyn FnMut(Importing<'_>) -> Result<(), String>;

/// How far an import has come.
#[derive(Clone, Copy, Debug)]
pub enum Importing<'a> {
    /// A file is begun.
    File(&'a str),
    /// So many rows of all nouns were taken so far.
    Rows(u64),
}

/// Reads every file into the sink, which sees each row once, checked and with clean ids.
///
/// # Errors
/// If there is no file; if a file cannot be read, is in no form that is known, or in several; if rows contradict each other.
fn import_all(
    request: ImportRequest,
    sink: &mut dyn Sink,
    watching: Watching<'_>,
) -> Result<ImportSummary, ProjectError> {
    if request.files.is_empty() {
        return Err(ProjectError::refused(
            "no-files",
            "there is nothing to import",
            "name one file or more, or `-` for standard input",
        ));
    }
    if let Some(form) = request.form.filter(|form| !form.is_read()) {
        return Err(open::only_written(form));
    }
    let options = request.options()?;
    let mut checked = Checked::new(sink, watching);
    let mut files = Vec::new();
    for (file, options) in request.files.into_iter().zip(options) {
        files.push(read_file(file, request.form, &options, &mut checked)?);
    }
    checked.finish(files)
}

/// Reads one file.
fn read_file(
    file: ImportSource,
    asked: Option<Form>,
    options: &ImportOptions,
    checked: &mut Checked<'_>,
) -> Result<FileRead, ProjectError> {
    let name = file.name();
    checked.begin(&name)?;
    let opened = Opened::new(file)?;
    let candidates = opened.candidates();
    let form = match asked {
        Some(form) => form,
        None => opened.only_form(&candidates)?,
    };
    opened.fits(form)?;
    let report = read(form, opened.input(), options, checked).map_err(|error| match checked.refusal() {
        Some(refusal) => refusal,
        None => of_read_error(error, &name, form, &candidates),
    })?;
    Ok(FileRead {
        file: name,
        form,
        chosen: if asked.is_some() {
            Chosen::Asked
        } else {
            Chosen::Structure
        },
        version: report.version,
        taken: report.taken,
        losses: report.losses,
    })
}

/// What a reader refused, with the form that the file seems to have where it is another one.
fn of_read_error(error: ReadError, name: &str, form: Form, candidates: &[Form]) -> ProjectError {
    match error {
        ReadError::Findings(findings) => {
            if !candidates.is_empty() && !candidates.contains(&form) {
                return open::looks_like_another(&findings, name, form, candidates).into();
            }
            findings.into()
        }
        ReadError::WriteOnly(form) => open::only_written(form),
        ReadError::Refusal(refusal) => {
            let help = "make room, or write elsewhere; nothing was left half written";
            ProjectError::refused("import-stopped", refusal.0, help)
        }
    }
}

/// Mistakes without a place in a file.
fn refused(id: &'static str, what: String, help: &str) -> ProjectError {
    Findings::from(calibrant_schema::Diagnostic::error(id, what, help)).into()
}
