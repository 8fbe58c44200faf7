//! Results in YAML: the document of the JSON output, read whole.

use std::io::{BufRead, Read};

use calibrant_schema::tree::{MOST_BYTES, Node, Notation, Value as Tree, parse};

use super::json::at;
use super::results::{Row, Rows};
use super::version::{Version, unknown_version};
use crate::findings::Findings;
use crate::formats::{ReadError, ReadReport};

const HELP: &str = "write the results as JSON: `promptfoo export eval ID -o results.json`";

/// Reads a document.
pub(super) fn read(input: Box<dyn BufRead + '_>, mut rows: Rows<'_>) -> Result<ReadReport, ReadError> {
    let text = whole(input, &rows.file)?;
    let parsed = parse(&text, &rows.file, Notation::Yaml, 1);
    let (document, _) = parsed.map_err(|found| ReadError::Findings(Findings::of_text(found, &text)))?;
    let summary = document.get("results");
    let summary = summary
        .filter(|summary| summary.get("results").is_some())
        .unwrap_or(&document);
    let version = summary
        .get("version")
        .or_else(|| document.get("version"))
        .and_then(Node::to_json);
    let Some(version_known) = version.as_ref().and_then(Version::of) else {
        return Err(unknown_version(&rows.file, version.as_ref()));
    };
    rows.report.version = Some(format!("promptfoo results, version {version_known}"));
    if let Some(prompts) = summary.get("prompts").and_then(Node::to_json) {
        rows.list(&prompts);
    }
    let Some(Tree::List(results)) = summary.get("results").map(|results| &results.value) else {
        return Err(at(
            &rows.file,
            0,
            "no-results",
            "`results` holds no list of results",
            HELP,
        ));
    };
    for node in results {
        let Some(value) = node.to_json() else {
            let what = "a result holds a number that is not finite";
            return Err(at(&rows.file, node.place.line, "bad-number", what, HELP));
        };
        rows.take(Row {
            value,
            line: node.place.line,
            bytes: 0,
            number: 0,
        })?;
    }
    rows.finish()
}

/// The whole text, within the limit of texts.
pub(super) fn whole(input: Box<dyn BufRead + '_>, file: &str) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let read = input.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes);
    if let Err(reason) = read {
        let what = format!("reading broke off: {reason}");
        return Err(at(file, 0, "cannot-read", &what, "fetch or write the file again"));
    }
    if bytes.len() > MOST_BYTES {
        let what = format!("the file has more than {} MiB", MOST_BYTES >> 20);
        return Err(at(file, 0, "file-too-large", &what, HELP));
    }
    String::from_utf8(bytes).map_err(|_| at(file, 0, "not-utf8", "the file is no UTF-8", "save it as UTF-8"))
}
