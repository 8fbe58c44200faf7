//! Single cells with all their rows, and rows found by their key.

use std::collections::BTreeSet;

use calibrant_schema::Status;
use calibrant_schema::canonical::Hash;
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, Params, Row};

use super::entry::{Cell, Entry, Recorded, VerdictSource};
use super::names;

/// The columns of a row, codes as the names they stand for.
const COLUMNS: &str = "row, (SELECT text FROM name WHERE code = system), (SELECT text FROM name WHERE code = query), \
    (SELECT text FROM name WHERE code = sample), (SELECT text FROM name WHERE code = criterion), \
    (SELECT text FROM name WHERE code = judge), repeat, label, status, withdrawn, probability, \
    (SELECT text FROM name WHERE code = verdict_source), reason, evidence, comment, flags, raw, \
    (SELECT text FROM name WHERE code = rubric_hash), (SELECT text FROM name WHERE code = card_hash), verdict_key, \
    (SELECT text FROM name WHERE code = model_answered), (SELECT text FROM name WHERE code = finish_reason), attempts, \
    tokens_in, tokens_cached, tokens_out, cost_usd, latency_ms, position, step, \
    (SELECT text FROM name WHERE code = exercise), judged_at";

/// Every row of a cell, the oldest first.
pub(super) fn of_cell(connection: &Connection, cell: &Cell) -> rusqlite::Result<Vec<Recorded>> {
    let mut codes = [0; 5];
    let parts = [&cell.query, &cell.criterion, &cell.system, &cell.sample, &cell.judge];
    for (code, name) in codes.iter_mut().zip(parts) {
        match names::find(connection, name)? {
            Some(found) => *code = found,
            None => return Ok(Vec::new()),
        }
    }
    let [query, criterion, system, sample, judge] = codes;
    let which =
        "query = ?1 AND criterion = ?2 AND system = ?3 AND sample = ?4 AND judge = ?5 AND repeat = ?6 ORDER BY row";
    select(
        connection,
        which,
        (query, criterion, system, sample, judge, cell.repeat),
    )
}

/// Rows with a key: the newest of each cell unless it was taken back, the newest first.
pub(super) fn of_key(connection: &Connection, key: Hash) -> rusqlite::Result<Vec<Recorded>> {
    let bytes = key.as_bytes();
    let which = "verdict_key IS NOT NULL AND substr(verdict_key, 1, 8) = ?1 AND verdict_key = ?2 ORDER BY row DESC";
    let rows = select(connection, which, (&bytes[..8], &bytes[..]))?;
    let mut seen = BTreeSet::new();
    let newest = rows.into_iter().filter(|row| seen.insert(row.entry.cell.clone()));
    Ok(newest.filter(|row| !row.entry.withdrawn).collect())
}

/// When the first verdict was given, as its row says it.
pub(super) fn first_judged(connection: &Connection) -> rusqlite::Result<Option<String>> {
    connection.query_row("SELECT MIN(judged_at) FROM verdict", (), |row| row.get(0))
}

fn select(connection: &Connection, which: &str, parameters: impl Params) -> rusqlite::Result<Vec<Recorded>> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM verdict WHERE {which}"))?;
    let rows = statement.query_map(parameters, recorded)?;
    rows.collect()
}

fn recorded(row: &Row<'_>) -> rusqlite::Result<Recorded> {
    let count = |column: usize| count(row, column);
    let source: Option<String> = row.get(11)?;
    let cell = Cell {
        system: row.get(1)?,
        query: row.get(2)?,
        sample: row.get(3)?,
        criterion: row.get(4)?,
        judge: row.get(5)?,
        repeat: row.get(6)?,
    };
    let status = Status::from_code(row.get(8)?).ok_or_else(|| unreadable(8, Type::Integer))?;
    let entry = Entry {
        cell,
        label: row.get(7)?,
        status,
        withdrawn: row.get(9)?,
        probability: row.get(10)?,
        source: source.as_deref().and_then(VerdictSource::of_word),
        reason: row.get(12)?,
        evidence: row.get(13)?,
        comment: row.get(14)?,
        flags: row.get(15)?,
        raw: row.get(16)?,
        rubric_hash: hash(row, 17)?,
        card_hash: hash(row, 18)?,
        verdict_key: key(row, 19)?,
        model_answered: row.get(20)?,
        finish_reason: row.get(21)?,
        attempts: row.get(22)?,
        tokens_in: count(23)?,
        tokens_cached: count(24)?,
        tokens_out: count(25)?,
        cost_usd: row.get(26)?,
        latency_ms: count(27)?,
        position: row.get(28)?,
        step: count(29)?,
        exercise: row.get(30)?,
        judged_at: row.get(31)?,
    };
    Ok(Recorded {
        row: row.get(0)?,
        entry,
    })
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    let whole: Option<i64> = row.get(column)?;
    Ok(whole.and_then(|whole| u64::try_from(whole).ok()))
}

fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Hash>> {
    let digits: Option<String> = row.get(column)?;
    let parsed = digits.map(|digits| digits.parse().map_err(|_| unreadable(column, Type::Text)));
    parsed.transpose()
}

fn key(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Hash>> {
    let bytes: Option<[u8; 32]> = row.get(column)?;
    Ok(bytes.map(Hash::of_digest))
}

fn unreadable(column: usize, kind: Type) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, kind, Box::new(FromSqlError::InvalidType))
}
