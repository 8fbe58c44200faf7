//! Files people write: rubrics, queries and responses, read whole.

use std::io::{BufRead, Read};
use std::path::Path;

use calibrant_schema::query::{Query, parse_part_of_queries, parse_queries};
use calibrant_schema::response::{Response, parse_responses};
use calibrant_schema::rubric::Places;
use calibrant_schema::{Diagnostic, Diagnostics, Rubric};

use crate::error::StoreError;
use crate::findings::Findings;
use crate::stored::{broke_off, open, unpacked_name};

/// The largest text that people write, read whole and unpacked: pools of a million criteria fit, and a gzip bomb does not.
const LARGEST_TEXT: u64 = 64 << 20;

/// The largest file of responses, for the same reason: systems wrote it, at length.
const LARGEST_RESPONSES: u64 = 1 << 30;

/// What a file says, and the file itself for messages.
#[derive(Clone, Debug)]
pub struct Document<T> {
    /// What it says.
    pub value: T,
    /// What is probably not meant.
    pub warnings: Diagnostics,
    /// The file's name as given.
    pub file: String,
    /// Its text, unpacked, for showing the lines that findings point at.
    pub text: String,
    /// SHA-256 of its bytes as stored, in hexadecimal.
    pub sha256: String,
}

/// Reads a rubric: YAML, JSON or JSON lines by the extension, below `.gz` or `.zst` where that is the last.
///
/// # Errors
/// If the file cannot be read, is no UTF-8, unpacks to more than 64 MiB, or is no rubric; every mistake in it is reported.
pub fn read_rubric(path: &Path) -> Result<Document<Rubric>, StoreError> {
    read_document(path, LARGEST_TEXT, Rubric::parse)
}

/// Reads a rubric as [`read_rubric`] does, with the places of its texts.
///
/// # Errors
/// As [`read_rubric`].
pub fn read_located_rubric(path: &Path) -> Result<Document<(Rubric, Places)>, StoreError> {
    read_document(path, LARGEST_TEXT, |text, file| {
        let (rubric, warnings, places) = Rubric::parse_located(text, file)?;
        Ok(((rubric, places), warnings))
    })
}

/// Reads `queries.jsonl`, plain, gzip or zstd.
///
/// # Errors
/// If the file cannot be read, is no UTF-8, unpacks to more than 64 MiB, or a row is wrong; every mistake in it is reported.
pub fn read_queries(path: &Path) -> Result<Document<Vec<Query>>, StoreError> {
    read_document(path, LARGEST_TEXT, parse_queries)
}

/// Reads `responses.jsonl`, plain, gzip or zstd.
///
/// # Errors
/// If the file cannot be read, is no UTF-8, unpacks to more than 1 GiB, or a row is wrong; every mistake in it is reported.
pub fn read_responses(path: &Path) -> Result<Document<Vec<Response>>, StoreError> {
    read_document(path, LARGEST_RESPONSES, parse_responses)
}

/// Reads the rubric of a block, which need not be able to score.
///
/// # Errors
/// As [`read_rubric`], apart from weights that make no score.
pub fn read_rubric_part(path: &Path) -> Result<Document<Rubric>, StoreError> {
    read_document(path, LARGEST_TEXT, Rubric::parse_part)
}

/// Reads the queries of a block, of which every one may have the weight 0.
///
/// # Errors
/// As [`read_queries`], apart from weights that are all 0.
pub fn read_queries_part(path: &Path) -> Result<Document<Vec<Query>>, StoreError> {
    read_document(path, LARGEST_TEXT, parse_part_of_queries)
}

type Parse<T> = fn(&str, &str) -> Result<(T, Diagnostics), Diagnostics>;

fn read_document<T>(path: &Path, largest: u64, parse: Parse<T>) -> Result<Document<T>, StoreError> {
    let file = path.display().to_string();
    let (text, sha256) = read_text(path, &file, largest)?;
    match parse(&text, unpacked_name(&file)) {
        Ok((value, warnings)) => Ok(Document {
            value,
            warnings,
            file,
            text,
            sha256,
        }),
        Err(diagnostics) => Err(Findings::of_text(diagnostics, &text).into()),
    }
}

fn read_text(path: &Path, file: &str, largest: u64) -> Result<(String, String), Findings> {
    let mut stored = open(path)?;
    let mut bytes = Vec::new();
    let read = (&mut stored).take(largest).read_to_end(&mut bytes);
    let rest = read.and_then(|_| stored.fill_buf().map(|rest| !rest.is_empty()));
    let line = bytes.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
    if rest.map_err(|reason| broke_off(file, &stored, line, &reason))? {
        return Err(Diagnostic::error(
            "file-too-large",
            format!("`{file}` unpacks to more than {} MiB", largest >> 20),
            "check that it is the file you mean; one of this size can be split into several",
        )
        .into());
    }
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        Diagnostic::error(
            "not-utf8",
            format!(
                "`{file}` is not UTF-8: byte {} begins no character",
                error.utf8_error().valid_up_to() + 1
            ),
            "save the file as UTF-8",
        )
    })?;
    Ok((text, stored.sha256()))
}
