//! Rubrics and queries as files, plain and packed.

use std::fs;
use std::io::Write;

use calibrant_store::{StoreError, read_queries, read_rubric};
use flate2::Compression;
use flate2::write::GzEncoder;

const RUBRIC: &str = "criteria:\n  - id: names_a_date\n    question: Does the answer name the date of the filing?\n";

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory takes bytes");
    encoder.finish().expect("memory takes bytes")
}

fn first_id(error: StoreError) -> &'static str {
    match error {
        StoreError::Findings(findings) => findings.shown()[0].diagnostic.id,
        StoreError::Write { .. } => panic!("nothing is written here"),
    }
}

#[test]
fn a_packed_rubric_is_read_by_the_name_below() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rubric.yaml.gz");
    fs::write(&path, packed(&format!("\u{feff}{RUBRIC}"))).expect("the folder is writable");
    let document = read_rubric(&path).expect("the rubric is right");
    assert_eq!(document.value.criteria[0].id, "names_a_date");
    assert_eq!(document.text, RUBRIC);
}

#[test]
fn queries_are_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("queries.jsonl");
    fs::write(&path, "{\"query\": \"00123\", \"prompt\": \"When?\"}\n").expect("the folder is writable");
    assert_eq!(read_queries(&path).expect("one query").value[0].query, "00123");
}

#[test]
fn files_that_are_cut_or_no_text_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rubric.yaml");
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("the folder is writable");
        first_id(read_rubric(&path).expect_err("the file is wrong"))
    };
    let whole = packed(RUBRIC);
    assert_eq!(refused(&whole[..whole.len() - 9]), "gzip-truncated");
    assert_eq!(refused(b"criteria: \xff"), "not-utf8");
    assert_eq!(
        first_id(read_rubric(folder.path()).expect_err("a folder is no file")),
        "cannot-read"
    );
    // Sixty-five mebibytes of blanks pack to some kilobytes.
    assert_eq!(refused(&packed(&" ".repeat(65 << 20))), "file-too-large");
}
