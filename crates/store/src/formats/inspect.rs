//! Inspect: logs of evals in, files of ratings that its `precomputed_scores` takes out.
//!
//! A sample is a query, its epoch the sample of a response, the model of the log the system, a scorer (or a key of its value) a criterion,
//! and the model that a scorer asks, or the scorer itself, the judge. Logs have version 2, as inspect_ai 0.3.285 writes them, in an archive
//! or as JSON; `docs/formats/inspect.md` says what is taken for what.

mod archive;
mod document;
mod header;
mod literals;
mod messages;
mod row;
mod rows;
mod sample;
mod scales;
mod score;
mod told;
mod waiting;
mod write;

use std::io::{BufRead, BufReader};

use calibrant_schema::{Diagnostic, Span};

pub use write::{ScoresLayout, ScoresOf, write_scores};

use super::detect::{ZIP_MAGIC, first_keys};
use super::{Content, ImportOptions, Input, ReadError, ReadReport, Sink};
use crate::findings::Findings;

/// What reading a log may take.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Unpacked bytes of one entry of an archive.
    entry: u64,
    /// Unpacked bytes of all entries.
    total: u64,
    /// Bytes of one sample, or of the header, that are kept in memory; events and the like are passed over and count for nothing.
    kept: u64,
}

/// Far above what agents leave behind in a day, and an end to what an archive of kilobytes may ask for.
const LIMITS: Limits = Limits {
    entry: 4 << 30,
    total: 64 << 30,
    kept: 64 << 20,
};

/// Reads a log, `.eval` or JSON.
pub(crate) fn read(input: Input<'_>, options: &ImportOptions, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    read_within(input, options, sink, LIMITS)
}

fn read_within(
    input: Input<'_>,
    options: &ImportOptions,
    sink: &mut dyn Sink,
    limits: Limits,
) -> Result<ReadReport, ReadError> {
    match input.content {
        Content::Seekable(mut file) => {
            let mut magic = [0; ZIP_MAGIC.len()];
            let read = file.read_exact(&mut magic);
            if let Err(reason) = file.rewind() {
                return Err(mistake(
                    &input.name,
                    "cannot-read",
                    format!("reading broke off: {reason}"),
                    AGAIN,
                ));
            }
            match read.is_ok() && magic == ZIP_MAGIC {
                true => archive::read(&input.name, file, options, sink, limits),
                false => document::read(&input.name, &mut BufReader::new(file), options, sink, limits),
            }
        }
        Content::Stream(mut stream) => {
            if stream.fill_buf().is_ok_and(|head| head.starts_with(&ZIP_MAGIC)) {
                let what = "an archive is looked into at places, and this one comes through a pipe";
                return Err(mistake(
                    &input.name,
                    "archive-in-a-pipe",
                    what,
                    "save it to a file and give that",
                ));
            }
            document::read(&input.name, &mut stream, options, sink, limits)
        }
    }
}

/// Whether the head of a file looks like a log: an archive whose first entry is one of a log, or JSON with its keys.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    if head.starts_with(&ZIP_MAGIC) {
        return archive::looks_like(head);
    }
    let text = String::from_utf8_lossy(head);
    let keys = first_keys(text.trim_start_matches('\u{feff}').trim_start());
    let has = |key: &str| keys.iter().any(|known| known == key);
    has("version") && has("eval")
}

/// What to do about a file that is damaged.
const AGAIN: &str = "copy the log again from where Inspect wrote it";

/// One mistake about a file; what it says names the entry or line.
fn mistake(file: &str, id: &'static str, what: impl Into<String>, help: impl Into<String>) -> ReadError {
    ReadError::Findings(Findings::from(diagnostic(file, 0, id, what, help)))
}

/// A mistake on a line of a file; 0 for the file.
fn diagnostic(file: &str, line: u32, id: &'static str, what: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(id, what.into(), help.into()).at(Span {
        file: file.to_owned(),
        line,
        column: u32::from(line > 0),
        length: 0,
    })
}
