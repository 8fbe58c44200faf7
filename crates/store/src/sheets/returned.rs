//! Sheets on their way back: told apart by what they hold, read with every mistake at its place, and nothing guessed in silence.

mod page;
mod table;

use calibrant_schema::exercise::{Act, Mark};
use calibrant_schema::{Diagnostic, Diagnostics};

use super::columns::{FoundColumn, SheetColumn, layout, names_known};
use super::dialect::{DELIMITERS, Dialect, has_smart_quotes, named_delimiter, rows};
use super::encoding::{EncodingFrom, decode};
use super::grid::GridRow;
use super::roster::Roster;
use super::{archive, workbook};
use crate::findings::Findings;

/// The largest file that is read, in bytes. A sheet of 40 answers is far below a megabyte.
pub const LARGEST_SHEET: u64 = 64 << 20;

/// What a returned file is, told from its bytes and never from its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnedForm {
    /// The result of a grading page: marks as JSON.
    Page,
    /// A workbook, and the sheet of it that holds the verdicts.
    Workbook {
        /// The name of the sheet.
        sheet: String,
    },
    /// Delimited text.
    Text {
        /// The name of its encoding.
        encoding: &'static str,
        /// How the encoding was found.
        encoding_from: EncodingFrom,
        /// What stands between cells.
        delimiter: char,
        /// Whether a first line `sep=` names the delimiter.
        sep_line: bool,
        /// Whether an editor made the quotes typographic.
        smart_quotes: bool,
    },
}

/// What one row of a returned sheet says about its cell.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnedRow {
    /// The id of the answer.
    pub unit: String,
    /// The id of the criterion.
    pub criterion: String,
    /// What was decided; `None` where the verdict is empty.
    pub act: Option<Act>,
    /// The comment, empty where there is none.
    pub comment: String,
    /// Where the verdict stands: `12:5` in text, `grading!G12` in a workbook.
    pub place: String,
}

/// A returned file: whose it is, what it says, what was detected, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Returned {
    /// The file as the user named it.
    pub file: String,
    /// What it is.
    pub form: ReturnedForm,
    /// Where the header stands: a line, or a row of a sheet. `None` without one.
    pub header: Option<String>,
    /// The columns that are read.
    pub columns: Vec<FoundColumn>,
    /// Whose sheet it is, once that is known.
    pub grader: Option<String>,
    /// Rows of a table that could be read.
    pub rows: Vec<ReturnedRow>,
    /// Marks of a page that can stand on the sheet.
    pub marks: Vec<Mark>,
    /// Whether the grader said on the page that the sheet is finished.
    pub finished: bool,
    /// How many rows below the header hold anything.
    pub lines: usize,
    /// How many cells of the exercise the table has no row for.
    pub missing: usize,
    /// Every mistake, in the order of places.
    pub findings: Diagnostics,
    /// The text the findings point into, where the file is one.
    text: Option<String>,
}

impl Returned {
    /// How many verdicts there are, words for "no label" included; for a page, cells are not counted here.
    #[must_use]
    pub fn verdicts(&self) -> usize {
        self.rows.iter().filter(|row| row.act.is_some()).count()
    }

    /// How many rows have no verdict.
    #[must_use]
    pub fn open(&self) -> usize {
        self.rows.len() - self.verdicts()
    }

    /// How many rows have a comment.
    #[must_use]
    pub fn comments(&self) -> usize {
        self.rows.iter().filter(|row| !row.comment.is_empty()).count()
    }

    /// The mistakes with the lines they point at.
    #[must_use]
    pub fn shown_findings(&self) -> Findings {
        self.shown(self.findings.clone())
    }

    /// Mistakes about this file with the lines they point at.
    #[must_use]
    pub fn shown(&self, findings: Diagnostics) -> Findings {
        Findings::of_text(findings, self.text.as_deref().unwrap_or_default())
    }

    fn new(file: &str, form: ReturnedForm) -> Self {
        Self {
            file: file.to_owned(),
            form,
            header: None,
            columns: Vec::new(),
            grader: None,
            rows: Vec::new(),
            marks: Vec::new(),
            finished: false,
            lines: 0,
            missing: 0,
            findings: Diagnostics::new(),
            text: None,
        }
    }
}

/// Reads a file that came back, for the exercise of `roster`.
///
/// Nothing that is named in the file is opened or fetched. A file with mistakes comes back as well, with all of them in
/// `findings`; what is wrong with a single row leaves the other rows readable.
///
/// # Errors
/// If the file cannot be read as a sheet at all: too large, encrypted, damaged, in no encoding, or not one of the three forms.
///
/// Source: PROTOCOLS 7 and 9 (rows 6, 15).
pub fn read_returned(file: &str, bytes: &[u8], roster: &Roster<'_>) -> Result<Returned, Findings> {
    if bytes.len() as u64 > LARGEST_SHEET {
        return Err(too_large(file).into());
    }
    if archive::is_zip(bytes) {
        return Ok(read_workbook(file, bytes, roster)?);
    }
    if archive::is_ole(bytes) {
        return Err(archive::locked_away(file).into());
    }
    let decoded = decode(file, bytes)?;
    let start = decoded.text.trim_start();
    if start.starts_with('{') {
        return page::read(file, &decoded.text, roster);
    }
    if start.starts_with('<') {
        return Err(a_page(file).into());
    }
    if start.is_empty() {
        return Err(no_table(file).into());
    }
    let named = named_delimiter(&decoded.text);
    let from = named.map_or(0, |(_, from)| from);
    let smart_quotes = has_smart_quotes(&decoded.text[from..]);
    let delimiter = named.map_or_else(
        || delimiter_of(file, &decoded.text, smart_quotes),
        |(delimiter, _)| delimiter,
    );
    let dialect = Dialect {
        delimiter,
        smart_quotes,
    };
    let (rows, mistakes) = rows(file, &decoded.text, from, dialect);
    let form = ReturnedForm::Text {
        encoding: decoded.encoding,
        encoding_from: decoded.from,
        delimiter,
        sep_line: named.is_some(),
        smart_quotes,
    };
    let mut returned = Returned::new(file, form);
    mistakes.into_iter().for_each(|mistake| returned.findings.push(mistake));
    table::read(&mut returned, &rows, roster);
    returned.text = Some(decoded.text);
    Ok(returned)
}

/// The delimiter with which the most headings are known; with none, the one that stands most often in the first line.
fn delimiter_of(file: &str, text: &str, smart_quotes: bool) -> char {
    // The first lines decide, and a file without a header is not taken apart four times.
    let start: usize = text.split_inclusive('\n').take(40).map(str::len).sum();
    let tried = DELIMITERS.map(|delimiter| {
        let (rows, _) = rows(
            file,
            &text[..start],
            0,
            Dialect {
                delimiter,
                smart_quotes,
            },
        );
        let cells = rows.first().map_or(0, |row| row.cells.len());
        (names_known(&rows), cells, delimiter)
    });
    let best = tried.iter().map(|(known, cells, _)| (*known, *cells)).max();
    let first = tried.iter().find(|(known, cells, _)| Some((*known, *cells)) == best);
    first.map_or(',', |(_, _, delimiter)| *delimiter)
}

fn read_workbook(file: &str, bytes: &[u8], roster: &Roster<'_>) -> Result<Returned, Box<Diagnostic>> {
    let sheets = workbook::sheets(file, bytes)?;
    let holds_verdicts = |rows: &[GridRow]| {
        let layout = layout(rows, roster);
        layout.at(SheetColumn::Unit).is_some() && layout.at(SheetColumn::Criterion).is_some()
    };
    let candidates: Vec<_> = sheets.iter().filter(|sheet| holds_verdicts(&sheet.rows)).collect();
    let sheet = match candidates[..] {
        [] => sheets
            .iter()
            .find(|sheet| sheet.name == "grading")
            .ok_or_else(|| no_table(file))?,
        [sheet] => sheet,
        _ => {
            let names: Vec<String> = candidates.iter().map(|sheet| format!("`{}`", sheet.name)).collect();
            return Err(Box::new(Diagnostic::error(
                "sheet-twice",
                format!("`{file}` holds verdicts on more than one sheet: {}", names.join(", ")),
                "delete the copies, keep the sheet that counts, and collect the file again",
            )));
        }
    };
    let form = ReturnedForm::Workbook {
        sheet: sheet.name.clone(),
    };
    let mut returned = Returned::new(file, form);
    table::read(&mut returned, &sheet.rows, roster);
    Ok(returned)
}

fn too_large(file: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "sheet-too-large",
        format!("`{file}` is larger than {} MB, and no sheet is", LARGEST_SHEET >> 20),
        "collect the sheet that `calibrant grade sheet` made, without pictures or other sheets",
    ))
}

fn a_page(file: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "sheet-page",
        format!("`{file}` is a page and no result: verdicts given on the page are not in its file"),
        "open the page where it was graded, save the result from it, and collect that .json file",
    ))
}

fn no_table(file: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "sheet-unknown",
        format!("`{file}` is no sheet of this exercise: it has no table with its answers and criteria"),
        "collect the .xlsx or .csv that `calibrant grade sheet` made, or the .json that the page saved",
    ))
}
