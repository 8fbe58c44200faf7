//! The ledger as its users see it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use calibrant_schema::canonical::Hash;
use calibrant_schema::exercise::Mark;
use calibrant_schema::resolution::Resolution;
use rusqlite::Connection;

use super::entry::{Cell, Entry, Receipt, Recorded};
use super::error::LedgerError;
use super::file::open_writing;
use super::reading::{Reading, Selected};
use super::rounds::{Lock, MarkBatch};
use super::writer::{Work, Writer};
use super::{history, reading, rounds};

/// A ledger that is open: verdicts, marks, locks and resolutions in one file.
///
/// It can be shared between threads; other processes may have the same file open. Dropping it ends the writer after what
/// was asked of it.
///
/// ```
/// use calibrant_schema::Status;
/// use calibrant_store::ledger::{Cell, Entry, Ledger};
///
/// let folder = tempfile::tempdir()?;
/// let ledger = Ledger::open(&folder.path().join("verdicts.db"))?;
/// let cell = Cell {
///     system: "s".into(), query: "q".into(), sample: "1".into(), criterion: "c".into(), judge: "ana".into(), repeat: 1,
/// };
/// ledger.record(vec![Entry::new(cell.clone(), Status::Ok, Some(0.0))])?;
/// ledger.record(vec![Entry::new(cell.clone(), Status::Ok, Some(1.0))])?; // a change of mind
/// let labels: Vec<_> = ledger.history(&cell)?.into_iter().map(|row| row.entry.label).collect();
/// assert_eq!(labels, [Some(0.0), Some(1.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ledger {
    // The writer is ended first, so that the last connection to close finds nothing open.
    writer: Writer,
    reader: Mutex<Connection>,
    path: PathBuf,
}

impl Ledger {
    /// Opens a ledger, and makes it where there is none; its folder must exist.
    ///
    /// # Errors
    /// If the file is no ledger or of a newer version, or cannot be opened, made or written.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let writer = Writer::start(open_writing(path)?, path)?;
        Ok(Self {
            writer,
            reader: Mutex::new(open_writing(path)?),
            path: path.to_owned(),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds verdicts, all or none; returns when they are on the disk. Nothing is added for an empty list.
    ///
    /// # Errors
    /// If an entry cannot stand (a label without the status `ok`, or the other way round), or the file cannot be written.
    pub fn record(&self, entries: Vec<Entry>) -> Result<Receipt, LedgerError> {
        match entries.is_empty() {
            true => Ok(Receipt { first: 0, rows: 0 }),
            false => self.writer.add(Work::Entries(entries)),
        }
    }

    /// Adds marks of a sheet with the verdicts they amount to, all or none; returns when they are on the disk.
    ///
    /// # Errors
    /// If the sheet is locked, has other marks than the batch builds on, or a counter does not rise; if a verdict cannot
    /// stand, or the file cannot be written.
    pub fn record_marks(&self, batch: MarkBatch) -> Result<Receipt, LedgerError> {
        self.writer.add(Work::Marks(Box::new(batch)))
    }

    /// Names the sheets of a round of grading: until all of them are locked the round is open, and [`Ledger::verdicts`]
    /// leaves its verdicts out. Naming them again changes nothing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open_round(&self, exercise: &str, graders: &[String]) -> Result<(), LedgerError> {
        let (exercise, graders) = (exercise.to_owned(), graders.to_vec());
        self.writer.add(Work::Sheets { exercise, graders }).map(drop)
    }

    /// Locks a sheet: no mark is added to it from then on.
    ///
    /// # Errors
    /// If it is locked already, has other marks than the lock builds on, or the file cannot be written.
    pub fn lock(&self, lock: Lock) -> Result<(), LedgerError> {
        self.writer.add(Work::Lock(lock)).map(drop)
    }

    /// Records how a disagreement ended; a later resolution of the same disagreement takes its place.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn resolve(&self, resolution: Resolution) -> Result<(), LedgerError> {
        self.writer.add(Work::Resolution(Box::new(resolution))).map(drop)
    }

    /// The marks of a sheet, in the order of their counters, which is the order they were recorded in.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn marks(&self, exercise: &str, grader: &str) -> Result<Vec<Mark>, LedgerError> {
        self.read(|connection| rounds::marks(connection, exercise, grader))
    }

    /// The graders that a round was opened with, by name; none where the ledger does not know the round.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn sheets(&self, exercise: &str) -> Result<Vec<String>, LedgerError> {
        self.read(|connection| rounds::sheets(connection, exercise))
    }

    /// The graders of an exercise whose sheets are locked, each with the time, by name.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn locked(&self, exercise: &str) -> Result<Vec<(String, String)>, LedgerError> {
        self.read(|connection| rounds::locked(connection, exercise))
    }

    /// Every resolution, in the order they were recorded.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn resolutions(&self) -> Result<Vec<Resolution>, LedgerError> {
        self.read(rounds::resolutions)
    }

    /// Every row of a cell, the oldest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn history(&self, cell: &Cell) -> Result<Vec<Recorded>, LedgerError> {
        self.read(|connection| history::of_cell(connection, cell))
    }

    /// When the first verdict was given, as ISO 8601; `None` if no row says when.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn first_judged(&self) -> Result<Option<String>, LedgerError> {
        self.read(history::first_judged)
    }

    /// The current row of a cell: the newest whose key is today's, unless it takes a verdict back. Rows without a key were
    /// imported and are never stale.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn current(&self, cell: &Cell, key: Hash) -> Result<Option<Recorded>, LedgerError> {
        let rows = self.history(cell)?;
        let today = |row: &&Recorded| row.entry.verdict_key.is_none_or(|of_row| of_row == key);
        Ok(rows.iter().rfind(today).filter(|row| !row.entry.withdrawn).cloned())
    }

    /// Rows of any cell that answer the question with this key: the newest of each cell unless it was taken back, the
    /// newest first. What one cell was answered may be reused in another.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn find_by_key(&self, key: Hash) -> Result<Vec<Recorded>, LedgerError> {
        self.read(|connection| history::of_key(connection, key))
    }

    /// The current verdicts of the ledger; see [`Reading`].
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn verdicts(&self, reading: &Reading<'_>) -> Result<Selected, LedgerError> {
        self.read(|connection| reading::select(connection, reading))
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let connection = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        in_snapshot(&connection, read).map_err(LedgerError::database(&self.path, "read"))
    }
}

/// Reads what the file held at one moment, whatever is added meanwhile.
pub(super) fn in_snapshot<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch("BEGIN")?;
    let result = read(connection);
    // A transaction that only read has nothing to lose.
    let _ = connection.execute_batch("COMMIT");
    result
}
