//! A report before it is printed: sections of blocks, with no mark-up in any of them.

use calibrant_schema::Undefined;

use crate::figure::Figure;
use crate::number::{count, decimal, percent, typeset};
use crate::text::Text;

/// Rows of a table that are shown at once.
const SHOWN: usize = 30;
/// Rows of a table that a report holds; the file named beside the table has the rest.
pub(crate) const HELD: usize = 300;
/// Reasons for missing numbers that are spelt out below one table.
const MARKS: &[u8] = b"abcdefgh";

/// The whole report.
pub(crate) struct Document {
    pub title: Text,
    pub lead: Vec<Text>,
    pub sections: Vec<Section>,
}

/// A heading with what stands below it.
pub(crate) struct Section {
    /// Name of the place, for links within the page.
    pub id: &'static str,
    pub title: &'static str,
    pub blocks: Vec<Block>,
}

/// A piece of a section.
pub(crate) enum Block {
    Paragraph(Text),
    Doubts(Vec<Doubt>),
    Facts(Vec<(&'static str, Text)>),
    List(Vec<Text>),
    Command(Text),
    Link { text: Text, target: String },
    Table(Table),
    Figure(Box<Figure>),
}

/// A warning as it is printed.
pub(crate) struct Doubt {
    pub weight: &'static str,
    pub message: Text,
    pub action: Text,
    /// The artifacts that carry it.
    pub from: String,
}

/// A table, with the reasons of its missing numbers.
pub(crate) struct Table {
    pub caption: String,
    /// The file that holds every row.
    pub file: &'static str,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Rows there are, held here or not.
    pub total: usize,
    pub reasons: Vec<Reason>,
    pub remarks: Vec<Text>,
}

/// A column's head and how its cells are set.
pub(crate) struct Column {
    pub head: String,
    pub kind: Kind,
}

/// How a column is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The name of the row.
    Name,
    Words,
    Number,
}

/// One row; `starts_band` sets it apart from the row above.
pub(crate) struct Row {
    pub cells: Vec<Cell>,
    pub starts_band: bool,
}

/// One cell.
pub(crate) enum Cell {
    Id(Text),
    Words(Text),
    /// A name that leads to the page `target`, which stands without the ending of its format.
    Link {
        text: Text,
        target: String,
    },
    Criterion {
        id: Text,
        question: Option<Text>,
    },
    Number {
        value: String,
        interval: Option<String>,
        mark: Option<char>,
    },
}

/// Why the numbers with this mark are missing.
pub(crate) struct Reason {
    pub mark: char,
    pub reason: Text,
}

impl Column {
    pub fn name(head: &str) -> Self {
        Self {
            head: head.to_owned(),
            kind: Kind::Name,
        }
    }

    pub fn words(head: &str) -> Self {
        Self {
            head: head.to_owned(),
            kind: Kind::Words,
        }
    }

    pub fn number(head: &str) -> Self {
        Self {
            head: head.to_owned(),
            kind: Kind::Number,
        }
    }
}

/// How a number is written.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Decimal(usize),
    Percent,
}

impl Form {
    pub fn write(self, value: f64) -> Option<String> {
        match self {
            Self::Decimal(places) => decimal(value, places).map(|shown| typeset(&shown)),
            Self::Percent => percent(value),
        }
    }
}

impl Cell {
    pub fn id(raw: &str) -> Self {
        Self::Id(Text::id(raw))
    }

    pub fn words(raw: &str) -> Self {
        Self::Words(Text::prose(raw))
    }

    pub fn count(value: usize) -> Self {
        Self::Number {
            value: count(value),
            interval: None,
            mark: None,
        }
    }
}

impl Table {
    pub fn new(caption: impl Into<String>, file: &'static str, columns: Vec<Column>) -> Self {
        Self {
            caption: caption.into(),
            file,
            columns,
            rows: Vec::new(),
            total: 0,
            reasons: Vec::new(),
            remarks: Vec::new(),
        }
    }

    pub fn push(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(
            cells.len(),
            self.columns.len(),
            "a cell for each column of {}",
            self.caption
        );
        self.rows.push(Row {
            cells,
            starts_band: false,
        });
        self.total = self.total.max(self.rows.len());
    }

    /// A number, or a dash with its reason.
    pub fn number(&mut self, value: Option<f64>, form: Form, undefined: Option<&Undefined>) -> Cell {
        match value.and_then(|value| form.write(value)) {
            Some(value) => Cell::Number {
                value,
                interval: None,
                mark: None,
            },
            None => self.missing(undefined),
        }
    }

    /// A number with its error, `1.20 ± 0.31`; an error that is missing is marked, not left out.
    ///
    /// The reasons are that of a missing number and that of a missing error.
    pub fn with_error(&mut self, value: Option<f64>, error: Option<f64>, reasons: [&Undefined; 2]) -> Cell {
        let form = Form::Decimal(2);
        let Some(value) = value.and_then(|value| form.write(value)) else {
            return self.missing(Some(reasons[0]));
        };
        match error.and_then(|error| form.write(error)) {
            Some(error) => Cell::Number {
                value,
                interval: Some(format!("± {error}")),
                mark: None,
            },
            None => Cell::Number {
                value,
                interval: None,
                mark: self.mark(&reasons[1].detail),
            },
        }
    }

    /// A number with its interval; an interval that is missing is marked, not left out.
    pub fn with_interval(
        &mut self,
        value: Option<f64>,
        ends: (Option<f64>, Option<f64>),
        form: Form,
        undefined: Option<&Undefined>,
    ) -> Cell {
        let Some(value) = value.and_then(|value| form.write(value)) else {
            return self.missing(undefined);
        };
        let ends = ends
            .0
            .and_then(|low| form.write(low))
            .zip(ends.1.and_then(|high| form.write(high)));
        match ends {
            Some((low, high)) => Cell::Number {
                value,
                interval: Some(format!("[{low}, {high}]")),
                mark: None,
            },
            None => {
                let reason = undefined.map_or_else(|| format!("no interval is recorded in {}", self.file), words);
                Cell::Number {
                    value,
                    interval: None,
                    mark: self.mark(&reason),
                }
            }
        }
    }

    /// A dash that points at its reason.
    pub fn missing(&mut self, undefined: Option<&Undefined>) -> Cell {
        let reason = undefined.map_or_else(
            || format!("no value and no reason are recorded in {}", self.file),
            words,
        );
        Cell::Number {
            value: "–".to_owned(),
            interval: None,
            mark: self.mark(&reason),
        }
    }

    /// The mark of a reason; the last mark stands for all reasons beyond the ones spelt out.
    fn mark(&mut self, reason: &str) -> Option<char> {
        let reason = Text::prose(reason);
        if let Some(known) = self.reasons.iter().find(|known| known.reason == reason) {
            return Some(known.mark);
        }
        let next = self.reasons.len();
        if next >= MARKS.len() {
            return self.reasons.last().map(|last| last.mark);
        }
        let reason = if next + 1 == MARKS.len() {
            Text::prose(&format!("other reasons, see {}", self.file))
        } else {
            reason
        };
        self.reasons.push(Reason {
            mark: char::from(MARKS[next]),
            reason,
        });
        Some(char::from(MARKS[next]))
    }

    /// The rows that are shown at once.
    pub fn shown(&self) -> &[Row] {
        &self.rows[..self.rows.len().min(SHOWN)]
    }

    /// The rows that are folded away.
    pub fn folded(&self) -> &[Row] {
        &self.rows[self.rows.len().min(SHOWN)..]
    }

    /// Rows that only the file holds.
    pub fn left_out(&self) -> usize {
        self.total - self.rows.len()
    }
}

fn words(undefined: &Undefined) -> String {
    undefined.detail.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_number_is_a_dash_with_its_reason() {
        let mut table = Table::new("Scores", "scores.json", vec![Column::number("Score")]);
        let reason = Undefined::new("no_labels", "no labelled cell");
        for value in [None, Some(f64::NAN)] {
            let cell = table.number(value, Form::Decimal(3), Some(&reason));
            assert!(matches!(cell, Cell::Number { ref value, mark: Some('a'), .. } if value == "–"));
        }
        assert_eq!(table.reasons.len(), 1);
    }

    #[test]
    fn reasons_beyond_the_marks_point_at_the_file() {
        let mut table = Table::new("Scores", "scores.json", vec![Column::number("Score")]);
        for index in 0..100 {
            table.missing(Some(&Undefined::new("x", format!("reason {index}"))));
        }
        assert_eq!(table.reasons.len(), MARKS.len());
        assert_eq!(
            table.reasons[MARKS.len() - 1].reason.as_str(),
            "other reasons, see scores.json"
        );
    }
}
