//! `labels.csv`: labels after consensus, out and back.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use calibrant_schema::labels::{Cell, CellLabel};
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Labels, Names, Scale, Status};

use crate::findings::Findings;
use crate::stored::{Source, Stored};
use crate::tables::delimited::Delimited;
use crate::tables::guard::{guarded, unguarded};
use crate::tables::label_rows::{COLUMNS, LabelRows, agreement_of, bad_cell, label_of, no_labels, not_labels};
use crate::tables::lines::{Lines, Step};
use crate::tables::row::Row;

/// Writes labels as CSV, a row per cell in the order of [`Labels::all_cells`].
///
/// `label` is the level's value on the criterion's scale, empty where `status` is not `ok`; ids are [`guarded`].
///
/// # Errors
/// If `out` cannot be written.
pub fn write_labels(labels: &Labels, out: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    let systems = guarded_names(&labels.systems);
    let samples = guarded_names(&labels.samples);
    for (item, cell) in labels.all_cells() {
        let (label, status) = match cell.label {
            CellLabel::Level(level) => (labels.scale(item).value(level).to_string(), Status::Ok),
            CellLabel::None(status) => (String::new(), status),
        };
        writer.write_record([
            systems[cell.system as usize].as_ref(),
            guarded(labels.query(item)).as_ref(),
            samples[cell.sample as usize].as_ref(),
            guarded(labels.criterion(item)).as_ref(),
            &label,
            cell.agreement.word(),
            &cell.judges.to_string(),
            &cell.agreeing.to_string(),
            status.as_str(),
        ])?;
    }
    writer.flush()
}

fn guarded_names(names: &Names) -> Vec<Cow<'_, str>> {
    names.iter().map(guarded).collect()
}

/// Reads a table of labels, `labels.csv` or `labels.parquet`; `scale_of` gives the scale of a criterion by its id.
///
/// The labels are those written, except that names and items without any cell are not in the file.
///
/// # Errors
/// If the file cannot be read, is not such a table, has no rows, or a cell has two rows.
pub fn read_labels(path: &Path, scale_of: &dyn Fn(&str) -> Scale) -> Result<Labels, Findings> {
    let source = Source::from(path);
    let name = source.name();
    let stored = source.open()?;
    if stored.is_parquet() {
        return from_parquet(&name, path, stored, scale_of);
    }
    from_delimited(name, stored, scale_of)
}

/// Reads the text of `labels.csv` as [`read_labels`] reads the file.
///
/// # Errors
/// If it is not such a table, has no rows, or a cell has two rows.
pub fn parse_labels(text: &str, scale_of: &dyn Fn(&str) -> Scale) -> Result<Labels, Findings> {
    let source = Source::bytes("labels.csv", text.as_bytes().to_vec());
    from_delimited(source.name(), source.open()?, scale_of)
}

fn from_delimited(name: String, stored: Stored, scale_of: &dyn Fn(&str) -> Scale) -> Result<Labels, Findings> {
    let mut findings = Findings::default();
    let mut row = Row::default();
    let mut rows = LabelRows::new(scale_of);
    let lines = Lines::new(name.clone(), stored, &findings);
    if let Some(mut table) = Delimited::open(lines, &mut row, &mut findings) {
        if table.header() != COLUMNS {
            return Err(not_labels(&name).into());
        }
        loop {
            match table.next(&mut row, &mut findings) {
                Step::Read => read_row(&name, &row, &mut rows, &mut findings),
                Step::Skipped => {}
                Step::End => break,
            }
        }
    }
    if rows.is_empty() && findings.is_empty() {
        findings.push(no_labels(&name), None);
    }
    findings.into_result()?;
    rows.finish(&name)
}

#[cfg(feature = "parquet")]
fn from_parquet(name: &str, path: &Path, stored: Stored, scale_of: &dyn Fn(&str) -> Scale) -> Result<Labels, Findings> {
    crate::tables::parquet::read_labels(name, path, stored, scale_of)
}

#[cfg(not(feature = "parquet"))]
fn from_parquet(name: &str, _: &Path, _: Stored, _: &dyn Fn(&str) -> Scale) -> Result<Labels, Findings> {
    Err(crate::tables::form::not_built(name).into())
}

fn read_row(file: &str, row: &Row, rows: &mut LabelRows<'_>, findings: &mut Findings) {
    let criterion = rows.criterion(unguarded(row.text(3)));
    let scale = rows.scale(criterion);
    let label = label_of(row.text(4), row.text(8), scale);
    let agreement = agreement_of(row.text(5));
    let (judges, agreeing) = (row.text(6).parse().ok(), row.text(7).parse().ok());
    let (Some(label), Some(agreement), Some(judges), Some(agreeing)) = (label, agreement, judges, agreeing) else {
        let wrong = [label.is_none(), agreement.is_none(), judges.is_none()];
        let column = wrong.iter().position(|wrong| *wrong).unwrap_or(wrong.len()) + 4;
        let mistake = bad_cell(COLUMNS[column], row.text(column), scale);
        row.report(file, column, mistake, findings);
        return;
    };
    let item = Item {
        query: rows.queries.code(unguarded(row.text(1))),
        criterion,
    };
    let cell = Cell {
        system: rows.systems.code(unguarded(row.text(0))),
        sample: rows.samples.code(unguarded(row.text(2))),
        label,
        judges,
        agreeing,
        agreement,
    };
    rows.push(item, cell);
}
