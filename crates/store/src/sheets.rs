//! Grading sheets as files: out to people as workbooks and CSV, back from whatever program they used, and on to other tools.

mod archive;
mod columns;
mod csv_sheet;
mod dialect;
mod encoding;
mod export;
mod file_name;
mod grid;
mod lines;
mod returned;
mod roster;
mod words;
mod workbook;
mod xlsx_sheet;

pub use columns::{ColumnFrom, FoundColumn, SheetColumn};
pub use csv_sheet::csv_sheet;
pub use encoding::EncodingFrom;
pub use export::{ExportForm, GradedSheet, export};
pub use file_name::file_stem;
pub use returned::{LARGEST_SHEET, Returned, ReturnedForm, ReturnedRow, read_returned};
pub use roster::Roster;
pub use words::offered_words;
pub use xlsx_sheet::xlsx_sheet;

/// A grading sheet as the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many texts were cut to what a cell holds.
    pub cut: usize,
}
