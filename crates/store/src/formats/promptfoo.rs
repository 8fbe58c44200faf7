//! promptfoo: results of its runs in, its configurations in and out.
//!
//! What is what: an assertion is a criterion, a test with its variables a query, a provider (with a prompt, where several are compared) a
//! system, and the provider that grades a judge; assertions that code decides have the judge `code`. The form of the files is that of
//! promptfoo 0.121.20; `docs/formats/promptfoo.md` says what is taken for what.

mod assertion;
mod check;
mod config;
mod criteria;
mod json;
mod names;
mod results;
mod template;
mod tests;
mod verdict;
mod version;
mod write;
mod yaml;

use std::io::{BufRead, BufReader};

pub use write::write_promptfoo_config;

use super::detect::first_keys;
use super::{Content, ImportOptions, Input, ReadError, ReadReport, Sink};

/// How many bytes at the head of a file decide what it is.
const HEAD: usize = 4096;

/// Reads results: what `promptfoo eval -o` or `promptfoo export` wrote as JSON, JSON lines or YAML.
pub(crate) fn read(input: Input<'_>, options: &ImportOptions, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let mut stream: Box<dyn BufRead + '_> = match input.content {
        Content::Stream(stream) => stream,
        Content::Seekable(file) => Box::new(BufReader::new(file)),
    };
    let rows = results::Rows::new(&input.name, options, sink);
    let head = match stream.fill_buf() {
        Ok(head) => head[..head.len().min(HEAD)].to_vec(),
        Err(reason) => {
            let what = format!("reading broke off: {reason}");
            return Err(json::at(
                &input.name,
                0,
                "cannot-read",
                &what,
                "fetch or write the file again",
            ));
        }
    };
    let text = String::from_utf8_lossy(head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head)).into_owned();
    if head.starts_with("\u{feff}".as_bytes()) {
        stream.consume(3);
    }
    match text.trim_start().chars().next() {
        Some('{') => json::read(stream, rows),
        _ if has_key(&text, "results") || has_key(&text, "evalId") => yaml::read(stream, rows),
        first => Err(other_output(&input.name, first)),
    }
}

/// Reads a configuration: its tests and assertions.
pub(crate) fn read_config(input: Input<'_>, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let stream: Box<dyn BufRead + '_> = match input.content {
        Content::Stream(stream) => stream,
        Content::Seekable(file) => Box::new(BufReader::new(file)),
    };
    config::read(stream, &input.name, sink)
}

/// What to say of an output that does not hold what is needed.
fn other_output(file: &str, first: Option<char>) -> ReadError {
    let what = match first {
        None => "the file is empty",
        Some('<') => "this looks like an HTML or XML output of promptfoo",
        Some(_) => {
            "this is no JSON, JSON lines or YAML output of promptfoo; its CSV output does not say which assertion passed"
        }
    };
    let help = "write the results as JSON: `promptfoo eval -o results.json`, or `promptfoo export eval ID -o results.json` for a run that is over";
    json::at(file, 0, "other-output", what, help)
}

/// Whether a line begins with this key, as YAML writes it.
fn has_key(text: &str, key: &str) -> bool {
    text.lines()
        .any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
}

/// Whether the head of a file looks like results of promptfoo.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with('{') {
        return has_key(start, "evalId") && has_key(start, "results");
    }
    let keys = first_keys(start);
    let has = |key: &str| keys.iter().any(|known| known == key);
    (has("evalId") && has("results"))
        || (has("promptIdx") && has("testCase"))
        || (has("gradingResult") && has("provider"))
}

/// Whether the head of a file looks like a configuration of promptfoo.
pub(crate) fn looks_like_config(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let keys = ["prompts", "providers", "targets", "tests", "defaultTest", "scenarios"];
    let of_json = if start.starts_with('{') {
        first_keys(start)
    } else {
        Vec::new()
    };
    let has = |key: &&&str| has_key(start, key) || of_json.iter().any(|known| known == **key);
    !looks_like(head) && keys.iter().filter(has).count() >= 2
}
