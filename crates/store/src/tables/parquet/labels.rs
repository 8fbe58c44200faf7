//! `labels.parquet`: labels after consensus, out and back.

use std::path::Path;

use calibrant_schema::labels::{Cell, CellLabel};
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Labels, Names, Status};
use parquet::data_type::ByteArray;
use rustc_hash::FxHashMap;

use super::column::Column;
use super::file::ParquetFile;
use super::write::{Cells, table};
use crate::findings::Findings;
use crate::stored::Stored;
use crate::tables::coded::{Batch, Walk};
use crate::tables::label_rows::{COLUMNS, LabelRows, ScaleOf, agreement_of, bad_cell, label_of, no_labels, not_labels};
use crate::tables::role::Role;

/// What the columns of a table of labels hold, as far as types go.
const TYPES: [Role; COLUMNS.len()] = [
    Role::System,
    Role::Query,
    Role::Sample,
    Role::Criterion,
    Role::Label,
    Role::Status,
    Role::Repeat,
    Role::Repeat,
    Role::Status,
];

pub(crate) fn write_labels(labels: &Labels) -> Vec<u8> {
    let cells: Vec<(usize, &Cell)> = labels.all_cells().collect();
    let texts = |names: &Names| names.iter().map(text).collect::<Vec<_>>();
    let (systems, queries) = (texts(&labels.systems), texts(&labels.queries));
    let (samples, criteria) = (texts(&labels.samples), texts(&labels.criteria));
    let item = |row: usize| labels.items[cells[row].0];
    let label = |row: usize| match cells[row].1.label {
        CellLabel::Level(level) => Some(labels.scale(cells[row].0).value(level)),
        CellLabel::None(_) => None,
    };
    let status = |row: usize| match cells[row].1.label {
        CellLabel::Level(_) => Status::Ok,
        CellLabel::None(status) => status,
    };
    let columns = [
        Cells::Text(&|row| systems[cells[row].1.system as usize].clone()),
        Cells::Text(&|row| queries[item(row).query as usize].clone()),
        Cells::Text(&|row| samples[cells[row].1.sample as usize].clone()),
        Cells::Text(&|row| criteria[item(row).criterion as usize].clone()),
        Cells::OptionalNumber(&label),
        Cells::Text(&|row| cells[row].1.agreement.word().into()),
        Cells::Whole(&|row| cells[row].1.judges.into()),
        Cells::Whole(&|row| cells[row].1.agreeing.into()),
        Cells::Text(&|row| status(row).as_str().into()),
    ];
    let columns: Vec<(&str, Cells<'_>)> = COLUMNS.into_iter().zip(columns).collect();
    table(cells.len(), &columns)
}

fn text(name: &str) -> ByteArray {
    name.as_bytes().to_vec().into()
}

pub(crate) fn read_labels(name: &str, path: &Path, stored: Stored, scale_of: ScaleOf<'_>) -> Result<Labels, Findings> {
    let (file, _) = ParquetFile::open(name, Some(path), stored)?;
    if file.columns() != COLUMNS {
        return Err(not_labels(name).into());
    }
    let columns = TYPES.iter().enumerate().map(|(place, role)| file.column(place, *role));
    let mut columns = columns.collect::<Result<Vec<Column>, _>>()?;
    let mut present: Vec<&mut Column> = columns.iter_mut().collect();
    let mut table = Table {
        file: name,
        rows: LabelRows::new(scale_of),
        codes: Default::default(),
        labels: FxHashMap::default(),
        findings: Findings::default(),
    };
    file.walk(&mut present, |batch, read| table.batch(batch, read))?;
    let Table { rows, mut findings, .. } = table;
    if rows.is_empty() && findings.is_empty() {
        findings.push(no_labels(name), None);
    }
    findings.into_result()?;
    rows.finish(name)
}

/// A file being read.
struct Table<'a> {
    file: &'a str,
    rows: LabelRows<'a>,
    /// By column, what the code of a text stands for among the labels; `None` where it was not met yet.
    codes: [Vec<Option<u32>>; COLUMNS.len()],
    /// What a label and a status say together about a criterion.
    labels: FxHashMap<[u32; 3], CellLabel>,
    findings: Findings,
}

impl Table<'_> {
    fn batch(&mut self, batch: Batch, read: &mut [&mut Column]) -> Walk {
        for (codes, column) in self.codes.iter_mut().zip(read.iter()) {
            codes.resize(column.coded.texts.lock().len(), None);
        }
        for at in 0..batch.rows {
            if let Err(column) = self.row(read, at) {
                let criterion = self
                    .rows
                    .criterion(read[3].coded.texts.lock().get(read[3].coded.codes[at]));
                let text = read[column]
                    .coded
                    .texts
                    .lock()
                    .get(read[column].coded.codes[at])
                    .to_owned();
                let mut mistake = bad_cell(COLUMNS[column], &text, self.rows.scale(criterion));
                let row = batch.first + at as u64 + 1;
                mistake.what = format!("`{}`, row {row}: {}", self.file, mistake.what);
                self.findings.push(mistake, None);
            }
        }
        Walk::On
    }

    /// Takes in a row; the place of the column that is wrong otherwise.
    fn row(&mut self, read: &[&mut Column], at: usize) -> Result<(), usize> {
        let rows = &mut self.rows;
        let system = learned(&mut self.codes[0], read[0], at, |text| Some(rows.systems.code(text))).ok_or(0_usize)?;
        let query = learned(&mut self.codes[1], read[1], at, |text| Some(rows.queries.code(text))).ok_or(1_usize)?;
        let sample = learned(&mut self.codes[2], read[2], at, |text| Some(rows.samples.code(text))).ok_or(2_usize)?;
        let criterion = learned(&mut self.codes[3], read[3], at, |text| Some(rows.criterion(text))).ok_or(3_usize)?;
        let agreement = learned(&mut self.codes[5], read[5], at, |text| {
            agreement_of(text).map(|agreement| agreement as u32)
        });
        let agreement = calibrant_schema::labels::Agreement::ALL[agreement.ok_or(5_usize)? as usize];
        let count = |text: &str| text.parse::<u16>().ok().map(u32::from);
        let judges = learned(&mut self.codes[6], read[6], at, count).ok_or(6_usize)?;
        let agreeing = learned(&mut self.codes[7], read[7], at, count).ok_or(7_usize)?;
        let key = [read[4].coded.codes[at], read[8].coded.codes[at], criterion];
        let label = match self.labels.get(&key) {
            Some(label) => *label,
            None => {
                let (label, status) = (read[4].coded.texts.lock(), read[8].coded.texts.lock());
                let said = label_of(label.get(key[0]), status.get(key[1]), rows.scale(criterion)).ok_or(4_usize)?;
                self.labels.insert(key, said);
                said
            }
        };
        let cell = Cell {
            system,
            sample,
            label,
            judges: judges as u16,
            agreeing: agreeing as u16,
            agreement,
        };
        rows.push(Item { query, criterion }, cell);
        Ok(())
    }
}

/// What the text of a cell stands for, worked out once for each text; `None` for a cell without one, and where there is nothing it can be.
fn learned(
    codes: &mut [Option<u32>],
    column: &Column,
    at: usize,
    learn: impl FnOnce(&str) -> Option<u32>,
) -> Option<u32> {
    let code = column.coded.codes[at];
    let known = codes.get_mut(code as usize)?;
    if known.is_none() {
        *known = learn(column.coded.texts.lock().get(code));
    }
    *known
}
