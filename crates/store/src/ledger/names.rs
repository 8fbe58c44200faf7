//! Names as codes: the writer adds them, readers take them all.

use rusqlite::{Connection, OptionalExtension, Statement};
use rustc_hash::FxHashMap;

/// The codes of names on their way into the file.
pub(super) struct NameWriter<'c> {
    find: Statement<'c>,
    add: Statement<'c>,
    known: FxHashMap<String, i64>,
}

impl<'c> NameWriter<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            find: connection.prepare("SELECT code FROM name WHERE text = ?1")?,
            add: connection.prepare("INSERT INTO name (text) VALUES (?1)")?,
            known: FxHashMap::default(),
        })
    }

    /// The code of a name, added where it is new.
    pub(super) fn code(&mut self, name: &str) -> rusqlite::Result<i64> {
        if let Some(code) = self.known.get(name) {
            return Ok(*code);
        }
        let code = match self.find.query_row([name], |row| row.get(0)).optional()? {
            Some(code) => code,
            None => self.add.insert([name])?,
        };
        self.known.insert(name.to_owned(), code);
        Ok(code)
    }

    /// The code of a name that may be absent.
    pub(super) fn code_of(&mut self, name: Option<&str>) -> rusqlite::Result<Option<i64>> {
        name.map(|name| self.code(name)).transpose()
    }

    /// Forgets codes that may belong to rows which were taken back.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }
}

/// The code of a name, if the ledger has it.
pub(super) fn find(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .query_row("SELECT code FROM name WHERE text = ?1", [name], |row| row.get(0))
        .optional()
}

/// Every name at its code; codes run from 1 without gaps, and an unused place is empty.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut statement = connection.prepare("SELECT code, text FROM name ORDER BY code")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let code = usize::try_from(row.get::<_, i64>(0)?).unwrap_or_default();
        // Codes of rows that were taken back leave gaps.
        names.resize(code.max(names.len()), String::new());
        names.push(row.get(1)?);
    }
    Ok(names)
}
