//! The one thread that writes: it commits together what waits, and answers only when that is on the disk.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use calibrant_schema::resolution::Resolution;
use rusqlite::Connection;

use super::entry::{Entry, Receipt};
use super::error::LedgerError;
use super::rounds::{Lock, MarkBatch};
use super::writing::{Adder, Refused};

/// The most jobs committed together, so that the first of them does not wait for ever.
const MOST_JOBS: usize = 4096;

/// The most rows committed together, for the same reason.
const MOST_ROWS: usize = 100_000;

/// Something to add.
pub(super) enum Work {
    Entries(Vec<Entry>),
    Marks(Box<MarkBatch>),
    Sheets { exercise: String, graders: Vec<String> },
    Lock(Lock),
    Resolution(Box<Resolution>),
}

impl Work {
    fn rows(&self) -> usize {
        match self {
            Self::Entries(entries) => entries.len(),
            Self::Marks(batch) => batch.marks.len() + batch.entries.len(),
            Self::Sheets { .. } | Self::Lock(_) | Self::Resolution(_) => 1,
        }
    }
}

type Answer = Result<Receipt, LedgerError>;

struct Job {
    work: Work,
    reply: Sender<Answer>,
}

/// The thread, and the way to it.
#[derive(Debug)]
pub(super) struct Writer {
    /// `None` once the ledger is being closed.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

impl Writer {
    pub(super) fn start(connection: Connection, path: &Path) -> Result<Self, LedgerError> {
        let (jobs, waiting) = channel();
        let of_thread = path.to_owned();
        let thread = thread::Builder::new()
            .name("ledger".to_owned())
            .spawn(move || write(&connection, &of_thread, &waiting))
            .map_err(|reason| LedgerError::Database {
                path: path.to_owned(),
                doing: "open",
                reason: reason.to_string(),
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            path: path.to_owned(),
        })
    }

    /// Adds something; returns when it is on the disk.
    pub(super) fn add(&self, work: Work) -> Answer {
        let (reply, answer) = channel();
        let stopped = || LedgerError::Database {
            path: self.path.clone(),
            doing: "write to",
            reason: "its writer has stopped".to_owned(),
        };
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job { work, reply }).map_err(|_| stopped())?;
        answer.recv().map_err(|_| stopped())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // What waited was answered; a panic of the thread was reported by it.
            let _ = thread.join();
        }
    }
}

fn write(connection: &Connection, path: &Path, waiting: &Receiver<Job>) {
    let mut adder = match Adder::new(connection) {
        Ok(adder) => adder,
        Err(reason) => {
            let failed = LedgerError::database(path, "write to");
            let reason = failed(reason).to_string();
            while let Ok(job) = waiting.recv() {
                let _ = job.reply.send(Err(LedgerError::Database {
                    path: path.to_owned(),
                    doing: "write to",
                    reason: reason.clone(),
                }));
            }
            return;
        }
    };
    while let Ok(first) = waiting.recv() {
        let mut jobs = vec![first];
        let mut rows = jobs[0].work.rows();
        while jobs.len() < MOST_JOBS && rows < MOST_ROWS {
            let Ok(job) = waiting.try_recv() else { break };
            rows += job.work.rows();
            jobs.push(job);
        }
        let answers = commit(connection, path, &mut adder, &jobs);
        for (job, answer) in jobs.iter().zip(answers) {
            // Whoever asked may have gone away; the rows are recorded all the same.
            let _ = job.reply.send(answer);
        }
    }
}

/// Adds all jobs in one transaction. A job that is refused adds nothing and does not hinder the others.
fn commit(connection: &Connection, path: &Path, adder: &mut Adder<'_>, jobs: &[Job]) -> Vec<Answer> {
    let run = |sql: &str| connection.execute_batch(sql);
    if let Err(reason) = run("BEGIN IMMEDIATE") {
        return failed(path, &reason, jobs.len());
    }
    let mut answers = Vec::with_capacity(jobs.len());
    for job in jobs {
        match job_in_savepoint(connection, adder, &job.work) {
            Ok(answer) => answers.push(answer),
            Err(reason) => return taken_back(connection, path, adder, &reason, jobs.len()),
        }
    }
    match run("COMMIT") {
        Ok(()) => answers,
        Err(reason) => taken_back(connection, path, adder, &reason, jobs.len()),
    }
}

/// Adds one job; the outer error is of the database, after which the whole transaction is taken back.
fn job_in_savepoint(connection: &Connection, adder: &mut Adder<'_>, work: &Work) -> rusqlite::Result<Answer> {
    connection.execute_batch("SAVEPOINT job")?;
    let added = match work {
        Work::Entries(entries) => adder.entries(entries),
        Work::Marks(batch) => adder.marks(batch),
        Work::Sheets { exercise, graders } => adder.sheets(exercise, graders),
        Work::Lock(lock) => adder.lock(lock),
        Work::Resolution(resolution) => adder.resolution(resolution),
    };
    match added {
        Ok(receipt) => {
            connection.execute_batch("RELEASE job")?;
            Ok(Ok(receipt))
        }
        Err(Refused::Ours(error)) => {
            adder.forget();
            connection.execute_batch("ROLLBACK TO job; RELEASE job")?;
            Ok(Err(error))
        }
        Err(Refused::Database(reason)) => Err(reason),
    }
}

fn taken_back(
    connection: &Connection,
    path: &Path,
    adder: &mut Adder<'_>,
    reason: &rusqlite::Error,
    jobs: usize,
) -> Vec<Answer> {
    adder.forget();
    // A full disk may have ended the transaction already.
    let _ = connection.execute_batch("ROLLBACK");
    failed(path, reason, jobs)
}

fn failed(path: &Path, reason: &rusqlite::Error, jobs: usize) -> Vec<Answer> {
    let of_one = || {
        Err(LedgerError::Database {
            path: path.to_owned(),
            doing: "write to",
            reason: reason.to_string(),
        })
    };
    (0..jobs).map(|_| of_one()).collect()
}
