//! Wide matrices of responses: a row a system, a column an item, a cell its label; and the same for R, with item parameters.
//!
//! The first row names the items, `criterion` or `criterion|query`, or two rows do, `criterion` and `query`. The first column names the
//! systems; where its head is `system#sample`, it names a sample of one behind the last `#`. A matrix that lies on its side has the systems in
//! its first row and the items in its first columns.
//!
//! Source: PROTOCOLS 7.

mod axes;
mod parameters;
mod write;

use std::collections::BTreeMap;
use std::io::Read;

use calibrant_schema::label_words::LEVEL_WORDS;
use calibrant_schema::{Diagnostic, Status};

use super::health_bench::stream;
use super::sink::Place as SinkPlace;
use super::{CriterionRow, ImportOptions, Input, Losses, ReadError, ReadReport, Sink};
use crate::findings::Findings;
use crate::ledger::{Cell, Entry};
use crate::stored::{Source, Stored};
use crate::tables::delimited::Delimited;
use crate::tables::lines::{Lines, Step};
use crate::tables::row::Row;
use crate::tables::shown;

use self::axes::{Axes, Name};

pub use parameters::{ItemForm, write_item_parameters};
pub use write::{write_codebook, write_wide};

/// A larger matrix is no matrix of responses but a table of something else: it is held while it is read.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// More levels than this are measurements, not labels.
const MOST_LEVELS: usize = 20;

/// The judge where nobody says who judged.
const UNKNOWN_JUDGE: &str = "unknown-judge";

/// The query of items that name none.
pub(super) const EVERY_ITEM: &str = "all";

/// What stands over the first column of a matrix with several samples of a system.
pub(super) const SAMPLES: &str = "system#sample";

/// What stands between a criterion and its query.
pub(super) const ITEM_MARK: char = '|';

/// Words for a cell without a label, as R, Python and spreadsheets write them.
const MISSING: [&str; 9] = ["", "na", "nan", "n/a", "null", "none", "nil", "missing", "."];

/// How a matrix lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WideLayout {
    /// A row a system.
    #[default]
    SystemsInRows,
    /// A row an item.
    ItemsInRows,
}

/// What a cell says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum WideCell {
    Missing,
    Label(f64),
    Unknown,
}

fn cell(text: &str) -> WideCell {
    let word = text.trim().to_lowercase();
    if MISSING.contains(&word.as_str()) {
        return WideCell::Missing;
    }
    for (worse, better) in LEVEL_WORDS {
        match word.as_str() {
            word if word == worse => return WideCell::Label(0.0),
            word if word == better => return WideCell::Label(1.0),
            _ => {}
        }
    }
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => WideCell::Label(number + 0.0),
        _ => WideCell::Unknown,
    }
}

/// Whether the beginning of a file has the structure of a matrix: a head, and rows whose cells are all labels but the first.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let Some(header) = lines.next() else { return false };
    let Some(delimiter) = ['\t', ';', ',']
        .into_iter()
        .find(|delimiter| header.contains(*delimiter))
    else {
        return false;
    };
    let columns = header.split(delimiter).count();
    let plain = |line: &&str| !line.trim().is_empty() && !line.contains('"');
    let Some(row) = lines.find(plain).filter(|row| !row.starts_with("query")) else {
        return false;
    };
    let mut cells = row.split(delimiter);
    let named = cells.next().is_some_and(|name| cell(name) == WideCell::Unknown);
    let labels: Vec<WideCell> = cells.map(cell).collect();
    // A row of a long table has names too, and a matrix of one column is told apart from a table of numbers by nobody.
    named && labels.len() + 1 == columns && labels.len() > 1 && !labels.contains(&WideCell::Unknown)
}

/// Reads a matrix.
pub(crate) fn read(input: Input<'_>, options: &ImportOptions, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let mut findings = Findings::default();
    let stored = held(&input.name, input.content)?;
    let mut row = Row::default();
    let lines = Lines::new(input.name.clone(), stored, &findings);
    let Some(mut table) = Delimited::open(lines, &mut row, &mut findings) else {
        if findings.is_empty() {
            findings.push(empty(&input.name), None);
        }
        return Err(findings.into());
    };
    let Some((axes, columns)) = Axes::open(&mut table, &mut row, options.wide, &mut findings) else {
        return Err(findings.into());
    };
    let mut matrix = Matrix {
        file: &input.name,
        sink,
        judge: options.judge.as_deref().unwrap_or(UNKNOWN_JUDGE),
        axes,
        columns,
        rows: BTreeMap::new(),
        levels: Levels::default(),
        labels: 0,
        missing: 0,
    };
    loop {
        match table.next(&mut row, &mut findings) {
            Step::Read => matrix.row(&row, &mut findings)?,
            Step::Skipped => {}
            Step::End => break,
        }
    }
    matrix.finish(&mut findings)
}

fn empty(file: &str) -> Diagnostic {
    let what = format!("`{}` holds no label", shown(file));
    let help =
        "a matrix has items in its first row, systems in its first column, and a label in a cell: 0, 1, or a level";
    Diagnostic::error("empty", what, help)
}

/// The bytes of a matrix, held.
fn held(name: &str, content: super::Content<'_>) -> Result<Stored, ReadError> {
    let mut bytes = Vec::new();
    let read = stream(content).take(MOST_BYTES + 1).read_to_end(&mut bytes);
    if let Err(reason) = read {
        let what = format!("reading `{}` broke off: {reason}", shown(name));
        let help = "check that the file is whole, and fetch it again";
        return Err(Findings::from(Diagnostic::error("broke-off", what, help)).into());
    }
    if bytes.len() as u64 > MOST_BYTES {
        let what = format!("`{}` is larger than 256 MiB", shown(name));
        let help = "a matrix is held while it is read: bring a larger table in as a long one, a row a verdict";
        return Err(Findings::from(Diagnostic::error("too-large", what, help)).into());
    }
    Ok(Source::bytes(name, bytes).open()?)
}

/// A matrix while it is read.
struct Matrix<'a> {
    file: &'a str,
    sink: &'a mut dyn Sink,
    judge: &'a str,
    axes: Axes,
    /// What stands in the first row of cells.
    columns: Vec<Name>,
    /// What stood in front of the rows.
    rows: BTreeMap<Name, u32>,
    levels: Levels,
    labels: u64,
    missing: u64,
}

impl Matrix<'_> {
    fn row(&mut self, row: &Row, findings: &mut Findings) -> Result<(), ReadError> {
        let Some(name) = self.axes.row_name(row) else {
            let help = "give every row a name in its first column";
            row.report(
                self.file,
                0,
                Diagnostic::error("no-name", "the row has no name", help),
                findings,
            );
            return Ok(());
        };
        if let Some(first) = self.rows.get(&name) {
            let what = format!("`{}` has two rows, first on line {first}", shown(&name.to_string()));
            let help =
                "keep one of the two; samples of a system are told apart behind `#`, under the head `system#sample`";
            row.report(self.file, 0, Diagnostic::error("two-rows", what, help), findings);
            return Ok(());
        }
        self.rows.insert(name.clone(), row.line);
        self.sink.at(SinkPlace::Line(row.line));
        for column in 0..self.columns.len() {
            let at = column + self.axes.names;
            match cell(row.text(at)) {
                WideCell::Missing => self.missing += 1,
                WideCell::Label(label) => {
                    self.levels.add(label);
                    self.labels += 1;
                    if findings.is_empty() {
                        let entry = self.entry(&name, column, label);
                        self.sink.verdict(entry)?;
                    }
                }
                WideCell::Unknown => {
                    let what = format!("`{}` is no label", shown(row.text(at)));
                    let help = "write 0, 1, the value of a level, or nothing where there is no label";
                    row.report(self.file, at, Diagnostic::error("bad-label", what, help), findings);
                }
            }
        }
        Ok(())
    }

    fn entry(&self, row: &Name, column: usize, label: f64) -> Entry {
        let (system, item) = match self.axes.layout {
            WideLayout::SystemsInRows => (row, &self.columns[column]),
            WideLayout::ItemsInRows => (&self.columns[column], row),
        };
        let cell = Cell {
            system: system.first.clone(),
            query: item.second.clone().unwrap_or_else(|| EVERY_ITEM.to_owned()),
            sample: system.second.clone().unwrap_or_else(|| "1".to_owned()),
            criterion: item.first.clone(),
            judge: self.judge.to_owned(),
            repeat: 1,
        };
        Entry::new(cell, Status::Ok, Some(label))
    }

    /// Hands the items over, and says what was taken for what.
    fn finish(self, findings: &mut Findings) -> Result<ReadReport, ReadError> {
        let levels = self.levels.scale(self.file, findings);
        if findings.is_empty() && self.labels == 0 {
            findings.push(empty(self.file), None);
        }
        std::mem::take(findings).into_result()?;
        let items: Vec<&Name> = match self.axes.layout {
            WideLayout::SystemsInRows => self.columns.iter().collect(),
            WideLayout::ItemsInRows => self.rows.keys().collect(),
        };
        for item in &items {
            self.sink.criterion(CriterionRow {
                id: item.first.clone(),
                query: item.second.clone(),
                weight: 1.0,
                levels: levels.clone(),
                ..CriterionRow::default()
            })?;
        }
        let mut taken = vec![format!(
            "{} of the matrix are items, of weight 1; the judge of all labels is `{}`",
            match self.axes.layout {
                WideLayout::SystemsInRows => "columns",
                WideLayout::ItemsInRows => "rows",
            },
            shown(self.judge)
        )];
        taken.push(match items.iter().any(|item| item.second.is_some()) {
            true => format!(
                "what stands behind `{ITEM_MARK}` in an item's name is its query, and the criterion belongs to it"
            ),
            false => format!("items name no query: all criteria are of one query, `{EVERY_ITEM}`"),
        });
        if let Some(levels) = &levels {
            let levels: Vec<String> = levels.iter().map(f64::to_string).collect();
            taken.push(format!(
                "cells are other than 0 and 1: the levels of every criterion are {}",
                levels.join(", ")
            ));
        }
        if self.missing > 0 {
            taken.push(format!(
                "{} cells are empty or say NA: they are no verdicts",
                self.missing
            ));
        }
        Ok(ReadReport {
            version: None,
            taken,
            losses: Losses::default(),
        })
    }
}

/// The levels met in cells, ascending.
#[derive(Default)]
struct Levels(Vec<f64>);

impl Levels {
    fn add(&mut self, value: f64) {
        if let Err(at) = self.0.binary_search_by(|level| level.total_cmp(&value)) {
            // One more than is allowed says enough.
            if self.0.len() <= MOST_LEVELS {
                self.0.insert(at, value);
            }
        }
    }

    /// The levels of every criterion, where they are not 0 and 1: the whole numbers from the least to the greatest, or those met.
    fn scale(&self, file: &str, findings: &mut Findings) -> Option<Vec<f64>> {
        let (mut low, mut high) = (self.0.first().copied()?, self.0.last().copied()?);
        if self.0.len() == 1 {
            // One level is no scale.
            (low, high) = (low.min(0.0), high.max(1.0));
        }
        if self.0.iter().all(|level| *level == 0.0 || *level == 1.0) {
            return None;
        }
        let is_whole = self.0.iter().all(|level| level.fract() == 0.0);
        if is_whole && high - low < MOST_LEVELS as f64 {
            return Some((0..=(high - low) as u32).map(|step| low + f64::from(step)).collect());
        }
        if self.0.len() > MOST_LEVELS {
            let what = format!("`{}` has more than {MOST_LEVELS} different labels", shown(file));
            let help =
                "labels are levels of a scale; scores that vary freely are no labels: cut them into levels first";
            findings.push(Diagnostic::error("no-scale", what, help), None);
        }
        Some(if self.0.len() == 1 {
            vec![low, high]
        } else {
            self.0.clone()
        })
    }
}

#[cfg(test)]
mod tests;
