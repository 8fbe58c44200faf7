//! Statements that add rows.

use calibrant_schema::canonical::Hash;
use calibrant_schema::resolution::Resolution;
use rusqlite::{Connection, OptionalExtension, Statement, params};

use super::entry::{Entry, Receipt};
use super::error::LedgerError;
use super::names::NameWriter;
use super::rounds::{Lock, MarkBatch};

const ADD_VERDICT: &str = "INSERT INTO verdict (system, query, sample, criterion, judge, repeat, label, status, withdrawn, \
    probability, verdict_source, reason, evidence, comment, flags, raw, rubric_hash, card_hash, verdict_key, model_answered, \
    finish_reason, attempts, tokens_in, tokens_cached, tokens_out, cost_usd, latency_ms, position, step, exercise, judged_at) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, \
    ?25, ?26, ?27, ?28, ?29, ?30, ?31)";

/// Why a job added nothing: a refusal of ours, or of the database.
pub(super) enum Refused {
    Ours(LedgerError),
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(reason: rusqlite::Error) -> Self {
        Self::Database(reason)
    }
}

impl From<LedgerError> for Refused {
    fn from(error: LedgerError) -> Self {
        Self::Ours(error)
    }
}

/// Statements that add rows, made once for a connection.
pub(super) struct Adder<'c> {
    names: NameWriter<'c>,
    verdict: Statement<'c>,
    mark: Statement<'c>,
    last: Statement<'c>,
    sheet: Statement<'c>,
    locked: Statement<'c>,
    lock: Statement<'c>,
    resolution: Statement<'c>,
}

impl<'c> Adder<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            names: NameWriter::new(connection)?,
            verdict: connection.prepare(ADD_VERDICT)?,
            mark: connection.prepare(
                "INSERT INTO mark (exercise, grader, nth, unit, criterion, act, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?,
            last: connection.prepare("SELECT max(nth) FROM mark WHERE exercise = ?1 AND grader = ?2")?,
            sheet: connection.prepare("INSERT OR IGNORE INTO sheet (exercise, grader) VALUES (?1, ?2)")?,
            locked: connection.prepare("SELECT at FROM lock WHERE exercise = ?1 AND grader = ?2")?,
            lock: connection.prepare("INSERT INTO lock (exercise, grader, at) VALUES (?1, ?2, ?3)")?,
            resolution: connection.prepare(
                "INSERT INTO resolution (disagreement, criterion, exercise, unit, outcome, text, by, rubric_before, \
                 rubric_after, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
        })
    }

    /// Forgets names of rows that were taken back.
    pub(super) fn forget(&mut self) {
        self.names.forget();
    }

    pub(super) fn entries(&mut self, entries: &[Entry]) -> Result<Receipt, Refused> {
        let mut receipt = Receipt { first: 0, rows: 0 };
        for entry in entries {
            entry.check()?;
            let row = self.entry(entry)?;
            if receipt.rows == 0 {
                receipt.first = row;
            }
            receipt.rows += 1;
        }
        Ok(receipt)
    }

    fn entry(&mut self, entry: &Entry) -> rusqlite::Result<i64> {
        let Self { names, verdict, .. } = self;
        let hash_code =
            |names: &mut NameWriter<'_>, hash: Option<Hash>| hash.map(|hash| names.code(&hash.to_string())).transpose();
        let count = |count: Option<u64>| count.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        verdict.insert(params![
            names.code(&entry.cell.system)?,
            names.code(&entry.cell.query)?,
            names.code(&entry.cell.sample)?,
            names.code(&entry.cell.criterion)?,
            names.code(&entry.cell.judge)?,
            entry.cell.repeat,
            entry.label,
            entry.status.code(),
            entry.withdrawn,
            entry.probability,
            names.code_of(entry.source.map(super::entry::VerdictSource::word))?,
            entry.reason,
            entry.evidence,
            entry.comment,
            entry.flags,
            entry.raw,
            hash_code(names, entry.rubric_hash)?,
            hash_code(names, entry.card_hash)?,
            entry.verdict_key.as_ref().map(|key| key.as_bytes().as_slice()),
            names.code_of(entry.model_answered.as_deref())?,
            names.code_of(entry.finish_reason.as_deref())?,
            entry.attempts,
            count(entry.tokens_in),
            count(entry.tokens_cached),
            count(entry.tokens_out),
            entry.cost_usd,
            count(entry.latency_ms),
            entry.position,
            count(entry.step),
            names.code_of(entry.exercise.as_deref())?,
            entry.judged_at,
        ])
    }

    /// Adds marks and the verdicts they amount to; refused when the sheet is locked or has other marks than the sender knew.
    pub(super) fn marks(&mut self, batch: &MarkBatch) -> Result<Receipt, Refused> {
        let (exercise, grader) = self.open_sheet(&batch.exercise, &batch.grader, batch.after)?;
        let mut last = batch.after;
        for mark in &batch.marks {
            let nth = i64::try_from(mark.nth).ok().filter(|_| mark.nth > last);
            let nth = nth.ok_or_else(|| LedgerError::Moved {
                grader: batch.grader.clone(),
                last,
                known: mark.nth.saturating_sub(1),
            })?;
            last = mark.nth;
            let unit = self.names.code(&mark.unit)?;
            let criterion = self.names.code_of(mark.criterion.as_deref())?;
            let act = serde_json::to_string(&mark.act).expect("an act is JSON");
            self.mark
                .execute(params![exercise, grader, nth, unit, criterion, act, mark.at])?;
        }
        self.entries(&batch.entries)
    }

    /// Adds the sheets of a round; those that are there stay.
    pub(super) fn sheets(&mut self, exercise: &str, graders: &[String]) -> Result<Receipt, Refused> {
        let exercise = self.names.code(exercise)?;
        for grader in graders {
            let grader = self.names.code(grader)?;
            self.sheet.execute((exercise, grader))?;
        }
        Ok(Receipt { first: 0, rows: 0 })
    }

    pub(super) fn lock(&mut self, lock: &Lock) -> Result<Receipt, Refused> {
        let (exercise, grader) = self.open_sheet(&lock.exercise, &lock.grader, lock.after)?;
        self.lock.execute(params![exercise, grader, lock.at])?;
        Ok(Receipt { first: 0, rows: 0 })
    }

    /// The codes of a sheet that is not locked and has the marks the sender knows.
    fn open_sheet(&mut self, exercise: &str, grader: &str, known: u64) -> Result<(i64, i64), Refused> {
        let codes = (self.names.code(exercise)?, self.names.code(grader)?);
        if let Some(at) = self.locked.query_row(codes, |row| row.get(0)).optional()? {
            let grader = grader.to_owned();
            return Err(LedgerError::Locked { grader, at }.into());
        }
        let last: Option<i64> = self.last.query_row(codes, |row| row.get(0))?;
        let last = last.and_then(|last| u64::try_from(last).ok()).unwrap_or_default();
        match last == known {
            true => Ok(codes),
            false => Err(LedgerError::Moved {
                grader: grader.to_owned(),
                last,
                known,
            }
            .into()),
        }
    }

    pub(super) fn resolution(&mut self, resolution: &Resolution) -> Result<Receipt, Refused> {
        let row = self.resolution.insert(params![
            resolution.disagreement,
            resolution.criterion,
            resolution.exercise,
            resolution.unit,
            resolution.outcome.word(),
            resolution.text,
            resolution.by,
            resolution.rubric_before.to_string(),
            resolution.rubric_after.to_string(),
            resolution.at,
        ])?;
        Ok(Receipt { first: row, rows: 1 })
    }
}
