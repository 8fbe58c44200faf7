//! What a returned sheet holds, whichever program wrote it: rows of cells, each with its place.

use std::rc::Rc;

use calibrant_schema::Diagnostic;
use calibrant_schema::diagnostic::Span;

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Empty,
    Text(String),
    Number(f64),
    Truth(bool),
    /// A date or time, as it is told to the user.
    Date(String),
    /// The error of a formula, such as `#NAME?`.
    Fault(String),
}

impl Content {
    /// The cell as text; numbers without a needless fraction.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Date(text) | Self::Fault(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }
}

/// Where a cell stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// In a text file: line and column in characters from 1, and a length.
    Line { line: u32, column: u32, length: u32 },
    /// In a workbook: the sheet, and column and row from 0.
    Cell { sheet: Rc<str>, column: u32, row: u32 },
}

impl At {
    /// The place as people write it: `12:5`, or `grading!D12`.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Line { line, column, .. } => format!("{line}:{column}"),
            Self::Cell { sheet, column, row } => format!("{sheet}!{}{}", column_letters(*column), row + 1),
        }
    }

    /// A finding at this place of the file.
    ///
    /// A place in a workbook has no line that could be shown, so its name opens the sentence.
    pub(crate) fn finding(&self, file: &str, id: &'static str, what: &str, help: impl Into<String>) -> Diagnostic {
        match self {
            Self::Line { line, column, length } => Diagnostic::error(id, what, help).at(Span {
                file: file.to_owned(),
                line: *line,
                column: *column,
                length: *length,
            }),
            Self::Cell { .. } => Diagnostic::error(id, format!("{file}, {}: {what}", self.told()), help),
        }
    }
}

/// The letters of a column, from 0: A, B, .., Z, AA.
pub(crate) fn column_letters(column: u32) -> String {
    let mut rest = column + 1;
    let mut letters = Vec::new();
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).expect("a remainder of 26 fits a byte");
        letters.push(char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GridCell {
    pub(crate) content: Content,
    pub(crate) at: At,
}

/// One row: cells by column, ascending; a column that holds nothing may be absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GridRow {
    pub(crate) cells: Vec<(u32, GridCell)>,
}

impl GridRow {
    pub(crate) fn cell(&self, column: u32) -> Option<&GridCell> {
        let at = self.cells.binary_search_by_key(&column, |(column, _)| *column).ok()?;
        Some(&self.cells[at].1)
    }

    /// The text of a cell, without surrounding space.
    pub(crate) fn text(&self, column: u32) -> String {
        self.cell(column)
            .map_or_else(String::new, |cell| cell.content.text().trim().to_owned())
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.cells.iter().all(|(_, cell)| cell.content.is_blank())
    }

    /// Where the row begins.
    pub(crate) fn at(&self) -> Option<&At> {
        self.cells.first().map(|(_, cell)| &cell.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_letters_of_spreadsheets() {
        let letters: Vec<String> = [0, 25, 26, 51, 52, 701, 702].map(column_letters).to_vec();
        assert_eq!(letters, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
