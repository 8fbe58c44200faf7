//! Rows of a returned workbook, cell by cell as they lie: no range is laid out, so a far cell costs nothing.

use std::io::Cursor;
use std::rc::Rc;

use calamine::{DataRef, Reader, Xlsx};
use calibrant_schema::Diagnostic;

use super::archive;
use super::grid::{At, Content, GridCell, GridRow};
use crate::contained::contained;

/// Columns beyond these are not looked at.
const MOST_COLUMNS: u32 = 256;

/// The most cells that are kept of a workbook, and the most text in them, in bytes.
const MOST_CELLS: usize = 2_000_000;
const MOST_TEXT: usize = 256 << 20;

/// One sheet of a workbook.
pub(crate) struct WorkSheet {
    pub(crate) name: String,
    pub(crate) rows: Vec<GridRow>,
}

/// The sheets of a workbook in its order; chart sheets and sheets that cannot be read as tables are passed over.
///
/// # Errors
/// If the file has a password, unpacks too far, has a document type, is damaged, or holds more cells than a sheet of ours could.
pub(crate) fn sheets(name: &str, bytes: &[u8]) -> Result<Vec<WorkSheet>, Box<Diagnostic>> {
    let checked = archive::checked(name, bytes)?;
    let read = contained(|| read_all(name, checked));
    read.unwrap_or_else(|| Err(archive::damaged(name)))
}

fn read_all(name: &str, checked: Vec<u8>) -> Result<Vec<WorkSheet>, Box<Diagnostic>> {
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(checked)).map_err(|_| archive::damaged(name))?;
    let mut room = Room::default();
    let mut sheets = Vec::new();
    for sheet in workbook.sheet_names() {
        if let Some(rows) = read_sheet(&mut workbook, &sheet, &mut room).map_err(|()| archive::damaged(name))? {
            sheets.push(WorkSheet { name: sheet, rows });
        }
        if room.is_full() {
            return Err(Box::new(Diagnostic::error(
                "xlsx-too-large",
                format!(
                    "`{name}` holds more than {MOST_CELLS} cells or {} MB of text",
                    MOST_TEXT >> 20
                ),
                "take away what is not of the sheet, and save it anew as .xlsx",
            )));
        }
    }
    Ok(sheets)
}

/// What has been kept so far.
#[derive(Default)]
struct Room {
    cells: usize,
    text: usize,
}

impl Room {
    fn is_full(&self) -> bool {
        self.cells > MOST_CELLS || self.text > MOST_TEXT
    }
}

/// The rows of a sheet, `None` when it holds no cells by its kind.
fn read_sheet(workbook: &mut Xlsx<Cursor<Vec<u8>>>, sheet: &str, room: &mut Room) -> Result<Option<Vec<GridRow>>, ()> {
    let Ok(mut cells) = workbook.worksheet_cells_reader(sheet) else {
        return Ok(None);
    };
    let called: Rc<str> = sheet.into();
    let mut rows: Vec<(u32, GridRow)> = Vec::new();
    while let Some(cell) = cells.next_cell().map_err(|_| ())? {
        let (row, column) = cell.get_position();
        let content = content(cell.get_value());
        if column >= MOST_COLUMNS || content == Content::Empty {
            continue;
        }
        room.cells += 1;
        if let Content::Text(text) = &content {
            room.text += text.len();
        }
        if room.is_full() {
            break;
        }
        let at = At::Cell {
            sheet: Rc::clone(&called),
            column,
            row,
        };
        if rows.last().is_none_or(|(last, _)| *last != row) {
            rows.push((row, GridRow::default()));
        }
        let (_, last) = rows.last_mut().expect("a row was pushed");
        last.cells.push((column, GridCell { content, at }));
    }
    Ok(Some(rows.into_iter().map(|(_, row)| sorted(row)).collect()))
}

/// The row with its cells by column; of two cells at one place the last is kept.
fn sorted(mut row: GridRow) -> GridRow {
    row.cells.reverse();
    row.cells.sort_by_key(|(column, _)| *column);
    row.cells.dedup_by_key(|(column, _)| *column);
    row
}

fn content(value: &DataRef<'_>) -> Content {
    match value {
        DataRef::Empty => Content::Empty,
        DataRef::String(text) => text_of(text),
        DataRef::SharedString(text) => text_of(text),
        #[expect(clippy::cast_precision_loss, reason = "a level is far below 2^53")]
        DataRef::Int(number) => Content::Number(*number as f64),
        DataRef::Float(number) => Content::Number(*number),
        DataRef::Bool(truth) => Content::Truth(*truth),
        DataRef::DateTime(date) => Content::Date(date_of(date.as_f64(), *date)),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Content::Date(text.clone()),
        DataRef::Error(error) => Content::Fault(error.to_string()),
    }
}

fn text_of(text: &str) -> Content {
    if text.is_empty() {
        Content::Empty
    } else {
        Content::Text(text.replace("\r\n", "\n").replace('\r', "\n"))
    }
}

fn date_of(serial: f64, date: calamine::ExcelDateTime) -> String {
    if !(0.0..3_000_000.0).contains(&serial) {
        return serial.to_string();
    }
    let (year, month, day, ..) = date.to_ymd_hms_milli();
    format!("{year:04}-{month:02}-{day:02}")
}
