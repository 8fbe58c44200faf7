//! Rows of a Parquet table on their way into verdicts.

use calibrant_schema::Diagnostic;

use super::column::Column;
use super::file::{ParquetFile, WRONG_CODEC};
use crate::tables::coded::{CodedColumn, Table};
use crate::tables::columns::Columns;
use crate::tables::reading::Reading;
use crate::tables::role::Role;

impl Reading<'_> {
    /// Reads a file; returns how many rows it has.
    pub(crate) fn parquet(&mut self, file: &ParquetFile, columns: &Columns) -> u32 {
        let before = self.findings.len();
        let mut found = Vec::new();
        for role in Role::ALL {
            let place = columns
                .of(role)
                .filter(|_| !matches!(role, Role::Probability | Role::VerdictSource) && self.options.asks_for(role));
            match place.map(|place| file.column(place, role)).transpose() {
                Ok(column) => found.push(column),
                Err(mistake) => {
                    let is_codec = mistake.id == WRONG_CODEC;
                    self.findings.push(*mistake, None);
                    // Columns of a file are mostly packed alike: one of them says it.
                    if is_codec {
                        break;
                    }
                    found.push(None);
                }
            }
        }
        let Ok(rows) = u32::try_from(file.rows()) else {
            self.findings.push(too_many_rows(file), None);
            return 0;
        };
        if self.findings.len() > before {
            return rows;
        }
        let is_there: Vec<bool> = found.iter().map(Option::is_some).collect();
        let mut table = Table::new(file.name(), columns, &is_there, self.options.values_of, before);
        let mut present: Vec<&mut Column> = found.iter_mut().flatten().collect();
        let walked = file.walk(&mut present, |batch, read| {
            let read_by_then = batch.first + batch.rows as u64;
            self.options
                .progress
                .batch(batch.rows as u64, file.bytes_of(read_by_then));
            self.batch(&mut table, batch, &coded(read))
        });
        self.count_hashes(&table, &coded(&present));
        if let Err(damage) = walked {
            // What a damaged file gave before it broke off may be wrong, and so may be what was said about it.
            self.findings.replace_from(before, *damage);
        }
        rows
    }
}

/// Columns as codes of the rows read last.
fn coded<'c>(columns: &'c [&mut Column]) -> Vec<&'c CodedColumn> {
    columns.iter().map(|column| &column.coded).collect()
}

fn too_many_rows(file: &ParquetFile) -> Diagnostic {
    Diagnostic::error(
        "too-many-rows",
        format!(
            "`{}` says it has {} rows, and at most 4,294,967,295 can be read",
            file.name(),
            file.rows()
        ),
        "split the file, and read a part of its criteria at a time",
    )
}
