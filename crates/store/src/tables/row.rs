//! One row of a table, CSV, JSON or Parquet: its text, and where each cell stands in it.

use std::ops::Range;
use std::sync::Arc;

use calibrant_schema::{Diagnostic, Span};

use crate::findings::Findings;
use crate::tables::lines::without_line_end;
use crate::tables::shown::shown;

/// One row; the same buffers serve all rows of a table.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// The text as it stands in the file, over several lines where a quoted cell holds line ends.
    pub(crate) raw: String,
    /// Line of its beginning, from 1.
    pub(crate) line: u32,
    /// The text of cells that are not a stretch of `raw`, one after the other.
    pub(crate) unquoted: String,
    /// The cells by column; `None` where the row has no such cell.
    pub(crate) cells: Vec<Option<Cell>>,
    /// Where it stands in a file that has no lines.
    pub(crate) number: Option<RowNumber>,
}

/// The place of a row in a file without lines.
#[derive(Clone, Debug)]
pub(crate) struct RowNumber {
    /// Which row of the file it is, from 1.
    pub(crate) row: u64,
    /// Which part of the file it is in, from 1, where it has parts.
    pub(crate) group: Option<usize>,
    /// The names of the file's columns.
    pub(crate) names: Arc<[String]>,
}

/// One cell of a row.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Its stretch of `raw`, quotes included.
    pub(crate) place: Range<usize>,
    /// What it says.
    pub(crate) value: Value,
}

/// Where the text of a cell is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A stretch of `raw`.
    Raw(Range<usize>),
    /// A stretch of `unquoted`.
    Unquoted(Range<usize>),
    /// JSON `null`.
    Null,
    /// A JSON object or array.
    Nested,
}

impl Row {
    pub(crate) fn clear(&mut self) {
        self.raw.clear();
        self.unquoted.clear();
        self.cells.clear();
    }

    /// The text of a cell; empty for `null` and where there is no cell.
    pub(crate) fn text(&self, column: usize) -> &str {
        match self.cell(column).map(|cell| &cell.value) {
            Some(Value::Raw(range)) => &self.raw[range.clone()],
            Some(Value::Unquoted(range)) => &self.unquoted[range.clone()],
            Some(Value::Null | Value::Nested) | None => "",
        }
    }

    pub(crate) fn cell(&self, column: usize) -> Option<&Cell> {
        self.cells.get(column)?.as_ref()
    }

    /// A mistake at a cell, or at the whole line where there is no cell.
    pub(crate) fn report(&self, file: &str, column: usize, mistake: Diagnostic, findings: &mut Findings) {
        if let Some(number) = &self.number {
            findings.push(number.place(file, column, mistake), None);
            return;
        }
        let place = self
            .cell(column)
            .map_or(0..self.first_line().len(), |cell| cell.place.clone());
        self.report_at(file, place, mistake, findings);
    }

    /// A mistake at a stretch of `raw`.
    pub(crate) fn report_at(&self, file: &str, place: Range<usize>, mistake: Diagnostic, findings: &mut Findings) {
        let before = &self.raw[..place.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = self.raw[line_start..].split('\n').next().map_or("", without_line_end);
        let end = place.end.min(line_start + line.len()).max(place.start);
        let span = Span {
            file: file.to_owned(),
            line: self.line + before.matches('\n').count() as u32,
            column: count(&self.raw[line_start..place.start]) + 1,
            length: count(&self.raw[place.start..end]),
        };
        findings.push(mistake.at(span), Some(line));
    }

    fn first_line(&self) -> &str {
        self.raw.split('\n').next().map_or("", without_line_end)
    }
}

impl RowNumber {
    /// A mistake with its place in words.
    fn place(&self, file: &str, column: usize, mut mistake: Diagnostic) -> Diagnostic {
        let column = self.names.get(column).map(|name| format!(", column `{}`", shown(name)));
        mistake.what = format!(
            "`{file}`, row {}{}{}: {}",
            self.row,
            self.group
                .map(|group| format!(" (row group {group})"))
                .unwrap_or_default(),
            column.unwrap_or_default(),
            mistake.what
        );
        mistake
    }
}

fn count(text: &str) -> u32 {
    text.chars().count() as u32
}
