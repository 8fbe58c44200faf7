//! What a ledger says, as a table among tables, and its hash.

use std::path::Path;

use calibrant_schema::VerdictsBuilder;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use super::error::LedgerError;
use super::file::open_reading;
use super::open::in_snapshot;
use super::reading::{Counts, Reading, collect};

/// What a table of verdicts reads of a ledger, in the order of the rows.
const READ: [&str; 4] = [
    "SELECT code, text FROM name ORDER BY code",
    "SELECT row, system, query, sample, criterion, judge, repeat, label, status, withdrawn, rubric_hash, card_hash, \
     verdict_key, exercise FROM verdict ORDER BY row",
    "SELECT exercise, grader FROM sheet ORDER BY exercise, grader",
    "SELECT exercise, grader FROM lock ORDER BY exercise, grader",
];

/// The hash of the names, verdicts, sheets and locks of a ledger, in hexadecimal: `ledger/1` of `docs/hashes.md`.
///
/// The bytes of the file do not do: what was written last may stand in the journal beside it, and moves from there into the
/// file without any verdict changing.
///
/// # Errors
/// If the file is no ledger or of a newer version, or cannot be read.
pub fn content_hash(path: &Path) -> Result<String, LedgerError> {
    let connection = open_reading(path)?;
    in_snapshot(&connection, digest).map_err(LedgerError::database(path, "read"))
}

/// Adds the current verdicts of a ledger to a table that is being read, as [`collect`] does; returns what was met and the hash
/// of the content, `known` where it was hashed before.
pub(crate) fn collect_file(
    path: &Path,
    wanted: &Reading<'_>,
    keeps: impl FnMut(&str) -> bool,
    builder: &mut VerdictsBuilder,
    lines_before: u32,
    known: Option<String>,
) -> Result<(Counts, String), LedgerError> {
    let connection = open_reading(path)?;
    let read = |connection: &Connection| {
        let hash = match known {
            Some(hash) => hash,
            None => digest(connection)?,
        };
        Ok((collect(connection, wanted, keeps, builder, lines_before)?, hash))
    };
    in_snapshot(&connection, read).map_err(LedgerError::database(path, "read"))
}

/// The digest over every value read: a byte for its kind, texts and bytes with their length before them.
fn digest(connection: &Connection) -> rusqlite::Result<String> {
    let mut hasher = Sha256::new();
    hasher.update(b"ledger/1");
    for query in READ {
        let mut statement = connection.prepare(query)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                take_in(&mut hasher, row.get_ref(column)?);
            }
        }
        hasher.update(b"\n");
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn take_in(hasher: &mut Sha256, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => hasher.update(b"n"),
        ValueRef::Integer(whole) => {
            hasher.update(b"i");
            hasher.update(whole.to_le_bytes());
        }
        ValueRef::Real(number) => {
            hasher.update(b"r");
            hasher.update(number.to_le_bytes());
        }
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            hasher.update(b"t");
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
    }
}
