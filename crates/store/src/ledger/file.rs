//! The file of a ledger: whose it is, which version it has, and how it is opened.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::error::LedgerError;

/// What every SQLite file begins with.
const SQLITE_MAGIC: [u8; 16] = *b"SQLite format 3\0";

/// Says in the header of the file that it is ours: `CALB`.
const APPLICATION: i32 = i32::from_be_bytes(*b"CALB");

/// What makes each version out of the one before; never edited once released, only added to.
const MIGRATIONS: [&str; 1] = [include_str!("0001.sql")];

/// How long a process waits for another one that writes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether a file is an SQLite file, whatever its name.
#[must_use]
pub fn is_ledger(path: &Path) -> bool {
    let mut magic = [0; 16];
    path.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut magic))
            .is_ok()
        && magic == SQLITE_MAGIC
}

/// Opens a ledger to add to it, and makes it where there is none.
pub(super) fn open_writing(path: &Path) -> Result<Connection, LedgerError> {
    if is_new(path)? {
        make_private(path)?;
    } else if !is_ledger(path) {
        return Err(not_ours(path, "it is no SQLite file"));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(LedgerError::database(path, "open"))?;
    prepare(&connection, path)?;
    Ok(connection)
}

/// Opens a ledger to read it: nothing is made, and nothing in the file is changed.
pub(super) fn open_reading(path: &Path) -> Result<Connection, LedgerError> {
    if !is_ledger(path) {
        return Err(not_ours(path, "it is no SQLite file"));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags)
        .and_then(|connection| connection.busy_timeout(PATIENCE).map(|()| connection))
        .and_then(|connection| version(&connection).map(|version| (connection, version)));
    let (connection, version) = match opened {
        Ok(opened) => opened,
        // In a folder that cannot be written there is no place for the index of the journal; without a journal none is needed.
        Err(_) if !journal(path).exists() => {
            let connection = open_unchanging(path).map_err(LedgerError::database(path, "read"))?;
            let version = version(&connection).map_err(LedgerError::database(path, "read"))?;
            (connection, version)
        }
        Err(reason) => return Err(LedgerError::database(path, "read")(reason)),
    };
    check_owner(&connection, path)?;
    check_version(version, path)?;
    match version {
        0 => Err(not_ours(path, "it is empty")),
        _ => Ok(connection),
    }
}

/// The journal of writes that are not in the file yet.
fn journal(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Opens a file that nobody writes.
fn open_unchanging(path: &Path) -> rusqlite::Result<Connection> {
    let mut name = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => name.push(char::from(*byte)),
            byte => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(name, flags)
}

fn is_new(path: &Path) -> Result<bool, LedgerError> {
    match std::fs::metadata(path) {
        Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(reason) => Err(cannot_open(path, &reason)),
        Ok(about) if !about.is_file() => Err(not_ours(path, "it is no file")),
        Ok(about) => Ok(about.len() == 0),
    }
}

/// Makes the file for its owner alone: comments in it may be about people.
fn make_private(path: &Path) -> Result<(), LedgerError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map(drop)
        .map_err(|reason| cannot_open(path, &reason))
}

fn prepare(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let failed = || LedgerError::database(path, "open");
    connection.busy_timeout(PATIENCE).map_err(failed())?;
    check_version(version(connection).map_err(failed())?, path)?;
    check_owner(connection, path)?;
    connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0))
        .map_err(failed())?;
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF")
        .map_err(failed())?;
    migrate(connection).map_err(failed())
}

/// Brings the file to the newest version, in one transaction: of two processes that open a new file, the second finds it made.
fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    if version(connection)? as usize == MIGRATIONS.len() {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let made = version(connection).and_then(|from| {
        for migration in MIGRATIONS.iter().skip(from as usize) {
            connection.execute_batch(migration)?;
        }
        let known = MIGRATIONS.len();
        connection.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {known}; COMMIT"
        ))
    });
    if made.is_err() {
        // The first reason is the one to report.
        let _ = connection.execute_batch("ROLLBACK");
    }
    made
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn check_version(found: u32, path: &Path) -> Result<(), LedgerError> {
    let known = MIGRATIONS.len() as u32;
    match found > known {
        true => Err(LedgerError::Newer {
            path: path.to_owned(),
            found,
            known,
        }),
        false => Ok(()),
    }
}

/// A file is ours when its header says so, or when nothing is in it yet.
fn check_owner(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let failed = LedgerError::database(path, "open");
    let application: i32 = connection
        .query_row("PRAGMA application_id", [], |row| row.get(0))
        .map_err(&failed)?;
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(&failed)?;
    match application == APPLICATION || (application == 0 && tables == 0) {
        true => Ok(()),
        false => Err(not_ours(path, "it is a database of another program")),
    }
}

fn not_ours(path: &Path, reason: &str) -> LedgerError {
    LedgerError::NotOurs {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

fn cannot_open(path: &Path, reason: &std::io::Error) -> LedgerError {
    LedgerError::Database {
        path: path.to_owned(),
        doing: "open",
        reason: reason.to_string(),
    }
}
