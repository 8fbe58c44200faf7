//! Sheets of a round as files, one a grader and form.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use calibrant_report::sheet::offline;
use calibrant_schema::exercise::Paper;
use calibrant_store::sheets::{csv_sheet, file_stem, xlsx_sheet};
use calibrant_store::write_atomic;

use super::Grading;
use crate::error::ProjectError;

/// What a sheet is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SheetForm {
    /// One page that is opened from disk.
    Html,
    /// A workbook.
    Xlsx,
    /// CSV for people.
    Csv,
}

impl SheetForm {
    /// Every form, with its word, which is also the ending of its files.
    pub const ALL: [(&'static str, Self); 3] = [("html", Self::Html), ("xlsx", Self::Xlsx), ("csv", Self::Csv)];

    fn word(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, form)| *form == self);
        known.expect("the table has every form").0
    }
}

/// A sheet that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSheet {
    /// Whose it is.
    pub grader: String,
    /// The file.
    pub path: PathBuf,
    /// How many texts were cut to what a cell holds; the whole of them is in the page.
    pub cut: usize,
}

/// Writes the sheets of `graders`, of all when empty, in these forms into `folder`.
///
/// Where a text had to be cut, the grader's page is written too, asked for or not: the cut text names it. A file that is
/// there already and holds the same is left alone. The same round gives the same bytes.
///
/// # Errors
/// If the round has no sheet for a grader; if a file is there already and holds something else, which may be verdicts; if a file
/// cannot be written. What was refused is found before the first file is written.
pub fn write_sheets(
    grading: &Grading,
    graders: &[String],
    forms: &[SheetForm],
    folder: &Path,
) -> Result<Vec<WrittenSheet>, ProjectError> {
    let all: Vec<String> = grading.exercise().graders().map(str::to_owned).collect();
    let graders = if graders.is_empty() { &all } else { graders };
    let mut files: BTreeMap<PathBuf, (WrittenSheet, Vec<u8>)> = BTreeMap::new();
    for grader in graders {
        for (sheet, bytes) in of_grader(&grading.paper(grader)?, forms, folder) {
            files.insert(sheet.path.clone(), (sheet, bytes));
        }
    }
    for (path, (_, bytes)) in &files {
        refuse_other(path, bytes)?;
    }
    fs::create_dir_all(folder).map_err(|reason| ProjectError::system(folder, "make the folder", &reason))?;
    let mut written = Vec::new();
    for (path, (sheet, bytes)) in files {
        write_atomic(&path, &bytes)?;
        written.push(sheet);
    }
    Ok(written)
}

fn of_grader(paper: &Paper, forms: &[SheetForm], folder: &Path) -> Vec<(WrittenSheet, Vec<u8>)> {
    let stem = file_stem(&paper.grader);
    let page = format!("{stem}.html");
    let file = |form: SheetForm, cut: usize, bytes: Vec<u8>| {
        let sheet = WrittenSheet {
            grader: paper.grader.clone(),
            path: folder.join(format!("{stem}.{}", form.word())),
            cut,
        };
        (sheet, bytes)
    };
    let mut files = Vec::new();
    if forms.contains(&SheetForm::Xlsx) {
        let sheet = xlsx_sheet(paper, &page);
        files.push(file(SheetForm::Xlsx, sheet.cut, sheet.bytes));
    }
    if forms.contains(&SheetForm::Csv) {
        let sheet = csv_sheet(paper, &page);
        files.push(file(SheetForm::Csv, sheet.cut, sheet.bytes));
    }
    if forms.contains(&SheetForm::Html) || files.iter().any(|(sheet, _)| sheet.cut > 0) {
        files.push(file(SheetForm::Html, 0, offline(paper).into_bytes()));
    }
    files
}

/// A file of the name that holds something else may hold a grader's work.
fn refuse_other(path: &Path, bytes: &[u8]) -> Result<(), ProjectError> {
    match fs::read(path) {
        Ok(there) if there == bytes => Ok(()),
        Ok(_) => Err(ProjectError::refused(
            "sheet-exists",
            format!(
                "`{}` is there already and holds something else: it may hold verdicts",
                path.display()
            ),
            "collect it first if it does, then move it away; or give another folder with --out",
        )),
        Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(reason) => Err(ProjectError::system(path, "read", &reason)),
    }
}
