//! Tables in memory, as Arrow record batches: the columns of another program's frame, read where they lie.
//!
//! A text column that is a dictionary already is looked at once a distinct text, as a Parquet file is; any other column is coded once.
//! How the rows are cut into batches, and how texts are encoded, changes nothing in what comes out, the hash included.

mod column;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Schema};
use calibrant_schema::Diagnostic;
use sha2::{Digest, Sha256};

use self::column::{ArrowColumn, may_hold, words};
use crate::stored::Compression;
use crate::tables::coded::{BATCH, Batch, CodedColumn, Table, Walk};
use crate::tables::columns::Columns;
use crate::tables::reading::Reading;
use crate::tables::role::Role;
use crate::tables::shown::{shown, shown_sentence};
use crate::tables::verdicts::{Detected, Format};

/// Record batches of one schema, under the name that messages show.
pub(crate) type Batches = Box<dyn RecordBatchReader>;

impl Reading<'_> {
    /// Reads a table in memory; returns how many rows it has.
    pub(crate) fn arrow_table(&mut self, name: &str, batches: Batches) -> u32 {
        let schema = batches.schema();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let columns = match Columns::find(&names, &self.options.columns, self.shape.required) {
            Ok(columns) => columns,
            Err(mistakes) => {
                for mut mistake in mistakes {
                    mistake.what = format!("`{name}`: {}", mistake.what);
                    self.findings.push(mistake, None);
                }
                return 0;
            }
        };
        let Some(mut read) = self.arrow_columns(name, &schema, &columns) else {
            return 0;
        };
        let rows = self.arrow_rows(name, batches, &columns, &mut read);
        let hash = read.hash();
        let (used, not_asked): (Vec<_>, Vec<_>) = columns
            .found()
            .into_iter()
            .partition(|found| self.options.asks_for(found.role));
        let mut ignored = columns.ignored();
        ignored.extend(not_asked.into_iter().map(|found| found.column));
        self.add_detected(Detected {
            file: name.to_owned(),
            format: Format::Memory,
            delimiter: None,
            compression: Compression::Plain,
            columns: used,
            ignored,
            rows,
            sha256: hash,
        });
        u32::try_from(rows).unwrap_or(u32::MAX)
    }

    /// The columns with a role, in the order of roles; `None` when one of them cannot hold it, which was reported.
    fn arrow_columns(&mut self, name: &str, schema: &Schema, columns: &Columns) -> Option<Read> {
        let before = self.findings.len();
        let mut read = Read::default();
        for role in Role::ALL {
            let place = columns
                .of(role)
                .filter(|_| !matches!(role, Role::Probability | Role::VerdictSource) && self.options.asks_for(role));
            read.present.push(place.is_some());
            let Some(place) = place else { continue };
            let field = schema.field(place);
            if may_hold(field.data_type(), role) {
                read.columns.push(ArrowColumn::new(role, place));
            } else {
                self.findings
                    .push(wrong_type(name, field.name(), field.data_type(), role), None);
            }
        }
        (self.findings.len() == before).then_some(read)
    }

    fn arrow_rows(&mut self, name: &str, batches: Batches, columns: &Columns, read: &mut Read) -> u64 {
        let before = self.findings.len();
        let mut table = Table::new(name, columns, &read.present, self.options.values_of, before);
        let mut rows = 0;
        for batch in batches {
            let walked = match batch {
                Ok(batch) => self.arrow_batch(&mut table, &batch, rows, read),
                Err(reason) => {
                    // What came before it may be wrong too.
                    self.findings.replace_from(before, broke_off(name, &reason));
                    return rows;
                }
            };
            match walked {
                Ok(read_rows) => rows += read_rows,
                Err(Stop) => return rows,
            }
        }
        if rows == 0 && self.findings.len() == before {
            self.findings.push(no_rows(name), None);
        }
        let coded: Vec<&CodedColumn> = read.columns.iter().map(|column| &column.coded).collect();
        self.count_hashes(&table, &coded);
        rows
    }

    /// Reads one batch, a stretch of rows at a time; returns how many it has.
    fn arrow_batch(
        &mut self,
        table: &mut Table<'_>,
        batch: &RecordBatch,
        before: u64,
        read: &mut Read,
    ) -> Result<u64, Stop> {
        let last_row = before + batch.num_rows() as u64;
        if last_row > u64::from(u32::MAX) {
            self.findings.push(too_many_rows(), None);
            return Err(Stop);
        }
        for column in &mut read.columns {
            column.open(batch.column(column.place));
        }
        let mut from = 0;
        while from < batch.num_rows() {
            let rows = BATCH.min(batch.num_rows() - from);
            for column in &mut read.columns {
                column.read(batch.column(column.place), from..from + rows);
            }
            let part = Batch {
                first: before + from as u64,
                rows,
                group: None,
            };
            let coded: Vec<&CodedColumn> = read.columns.iter().map(|column| &column.coded).collect();
            if self.batch(table, part, &coded) == Walk::Enough || self.options.progress.is_stopped() {
                return Err(Stop);
            }
            self.options.progress.batch(rows as u64, 0);
            from += rows;
        }
        Ok(batch.num_rows() as u64)
    }
}

/// The rest of the table is not looked at.
struct Stop;

/// The columns being read.
#[derive(Default)]
struct Read {
    /// By role, whether its column is read.
    present: Vec<bool>,
    /// Those that are, in the order of roles.
    columns: Vec<ArrowColumn>,
}

impl Read {
    /// SHA-256 over the columns with a role: of each its role, its distinct texts in the order met, and the codes of its rows.
    fn hash(self) -> String {
        let mut hash = Sha256::new();
        for column in self.columns {
            hash.update(column.role.word());
            hash.update([0]);
            hash.update(column.finish());
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn wrong_type(name: &str, column: &str, kind: &DataType, role: Role) -> Diagnostic {
    let help = match role {
        Role::Label => "give labels as text, numbers or truth values, one row a verdict",
        Role::Status | Role::RubricHash => "give it as text",
        _ => "give ids as text or whole numbers",
    };
    Diagnostic::error(
        "column-type",
        format!(
            "the column `{}` of `{name}`, taken for the {role}, holds {}",
            shown(column),
            words(kind)
        ),
        help,
    )
}

fn broke_off(name: &str, reason: &ArrowError) -> Diagnostic {
    Diagnostic::error(
        "table-broke-off",
        format!(
            "`{name}` cannot be read to its end: {}",
            shown_sentence(&reason.to_string())
        ),
        "look at what makes the table; nothing of it was kept",
    )
}

fn no_rows(name: &str) -> Diagnostic {
    Diagnostic::error(
        "no-rows",
        format!("`{name}` has columns and no rows"),
        "check that what makes it found any verdicts",
    )
}

fn too_many_rows() -> Diagnostic {
    Diagnostic::error(
        "too-many-rows",
        "at most 4,294,967,295 rows can be read",
        "split the table, and read a part of its criteria at a time",
    )
}
