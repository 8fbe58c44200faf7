//! One row of a table, CSV or JSON: its text, and where each cell stands in it.

use std::ops::Range;

use calibrant_schema::{Diagnostic, Span};

use crate::findings::Findings;
use crate::tables::lines::without_line_end;

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

fn count(text: &str) -> u32 {
    text.chars().count() as u32
}
