//! Verdicts from CSV, JSON lines and Parquet: streamed, with what was detected and every mistake at its place.

use std::collections::{BTreeMap, HashMap};

use calibrant_schema::{Scale, Verdicts};

use crate::findings::Findings;
use crate::ledger::Cards;
use crate::stored::{Compression, Source};
use crate::tables::columns::RoleColumn;
use crate::tables::judgement::Shape;
use crate::tables::progress::Progress;
use crate::tables::reading::read_shaped;
use crate::tables::role::Role;

/// A table of verdicts has these columns at least.
const VERDICTS: Shape = Shape {
    required: &[Role::System, Role::Query, Role::Criterion, Role::Judge, Role::Label],
    system: None,
    judge: None,
};

/// How tables are read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Column names by role word (`--columns query=prompt_id`); all other columns are found by name.
    pub columns: BTreeMap<String, String>,
    /// The scales labels stand on.
    pub scales: Scales,
    /// Today's cards: rows of a ledger that were given to others are left out. Tables of others are never stale.
    pub cards: Option<Cards>,
    /// The judges to keep; `None` keeps all.
    pub judges: Option<Vec<String>>,
    /// The column of which each query's value is kept; `None` keeps none.
    pub values_of: Option<Role>,
    /// Counts what was read, for whoever watches.
    pub progress: Progress,
}

impl ReadOptions {
    /// Whether a column of this role is read: one that divides queries only where it is asked for.
    pub(crate) fn asks_for(&self, role: Role) -> bool {
        !role.divides() || self.values_of == Some(role)
    }
}

/// The scale of each criterion.
#[derive(Clone, Debug, Default)]
pub struct Scales {
    /// For criteria that are not in `by_criterion`.
    pub default: Scale,
    /// By criterion id.
    pub by_criterion: HashMap<String, Scale>,
    /// Who says so.
    pub origin: ScaleOrigin,
}

impl Scales {
    /// The scale of a criterion.
    #[must_use]
    pub fn of(&self, criterion: &str) -> &Scale {
        if self.by_criterion.is_empty() {
            &self.default
        } else {
            self.by_criterion.get(criterion).unwrap_or(&self.default)
        }
    }
}

/// Who says what the scale is: a number off a declared scale is no verdict, off an undeclared one it is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScaleOrigin {
    /// Nobody; 0 and 1 are taken.
    #[default]
    NotDeclared,
    /// `--scale` or the configuration.
    Flag,
    /// The rubric.
    Rubric,
}

/// The form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Delimited text under a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// Parquet; it has rows instead of lines.
    Parquet,
    /// A ledger; of each cell its current row.
    Ledger,
    /// A table in the memory of the program that calls.
    Memory,
}

/// What was taken of one file, to be shown to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The file's name as given.
    pub file: String,
    /// Its form.
    pub format: Format,
    /// The delimiter of a CSV file.
    pub delimiter: Option<char>,
    /// How it is stored.
    pub compression: Compression,
    /// The columns used, in the order of the roles; a probability and a source are listed here and not used yet.
    pub columns: Vec<RoleColumn>,
    /// Columns and keys that hold no role.
    pub ignored: Vec<String>,
    /// Rows read, those of other judges included.
    pub rows: u64,
    /// SHA-256 in hexadecimal: of the file's bytes as stored; of a table in memory its columns, however they are encoded.
    pub sha256: String,
}

/// Labels that are numbers, but not on the declared scale: they are no verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct OffScale {
    /// How many there were.
    pub count: u64,
    /// The first of them in words, with its file and line.
    pub first: Option<String>,
}

/// Verdicts of ledgers that are not read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Cells without a current verdict whose newest one was given to another card, by criterion.
    pub stale: BTreeMap<String, u64>,
    /// Rows of rounds in which a sheet is not locked yet.
    pub open: u64,
}

/// What tables of verdicts say.
#[derive(Clone, Debug)]
pub struct ReadVerdicts {
    /// The verdicts of all tables together.
    pub verdicts: Verdicts,
    /// What was taken of each file, in the order given.
    pub detected: Vec<Detected>,
    /// Labels off the declared scale.
    pub off_scale: OffScale,
    /// Rows by the rubric hash they carry; empty without such a column.
    pub rubric_hashes: BTreeMap<String, u64>,
    /// Verdicts of ledgers that are not among them.
    pub left_out: LeftOut,
    /// The value of each query in the column asked for, where it has one.
    pub query_values: BTreeMap<String, String>,
}

/// Reads tables of verdicts: CSV or JSON lines, plain, gzip or zstd, Parquet, or a ledger, all rows into one [`Verdicts`].
///
/// Each table has a row per verdict with at least system, query, criterion, judge and label; `docs/tables.md` has the columns, the
/// names they are found by, and every mistake. The order of rows and of files changes no verdict.
///
/// # Errors
/// If a file cannot be read to its end, has no rows, lacks a column, or a row is wrong: up to [`crate::MOST_SHOWN`] mistakes with their
/// places and the number of the others. A cell with two rows, and a judge in `options.judges` that no row has, are mistakes too.
pub fn read_verdicts(sources: Vec<Source>, options: &ReadOptions) -> Result<ReadVerdicts, Findings> {
    read_shaped(sources, options, &VERDICTS)
}
