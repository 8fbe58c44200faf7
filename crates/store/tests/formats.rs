//! Any bytes, read as any form, and what a fixture becomes when bytes of it are changed: an answer, never a panic.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use calibrant_store::formats::{
    Collected, Content, Form, ImportOptions, Input, ReadError, ReadReport, candidates, is_consistent, read, seen,
};
use proptest::prelude::*;

/// Reads bytes as a form; every verdict handed over must be able to stand.
fn read_as(form: Form, bytes: &[u8]) -> Result<ReadReport, ReadError> {
    let content = match bytes.starts_with(b"PK") {
        true => Content::Seekable(Box::new(Cursor::new(bytes))),
        false => Content::Stream(Box::new(Cursor::new(bytes))),
    };
    let input = Input {
        name: "input".to_owned(),
        content,
    };
    let mut rows = Collected::default();
    let report = read(form, input, &ImportOptions::default(), &mut rows);
    assert!(
        rows.verdicts.iter().all(is_consistent),
        "labels stand where the status is `ok`"
    );
    assert!(
        rows.criteria.iter().all(|row| row.weight.is_finite()),
        "weights are finite"
    );
    report
}

/// Files of other tools beside this repository's tests, with what makes them left out.
fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    let mut found = Vec::new();
    let folders = fs::read_dir(root).expect("the fixtures are there");
    for folder in folders.flatten().filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(folder.path()).expect("a folder can be listed").flatten() {
            let path = file.path();
            let makes = path
                .extension()
                .is_none_or(|of| ["py", "mjs", "sh", "md"].iter().any(|word| of == *word));
            if path.is_file() && !makes {
                found.push((path.clone(), fs::read(&path).expect("a fixture can be read")));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "there are fixtures");
    found
}

/// A refusal says what to do next, or names the form that is only written.
fn is_told(error: &ReadError) -> bool {
    match error {
        ReadError::Findings(findings) => {
            findings
                .shown()
                .iter()
                .all(|finding| !finding.diagnostic.help.is_empty())
                && !findings.is_empty()
        }
        ReadError::Refusal(_) => false,
        ReadError::WriteOnly(form) => !form.is_read(),
    }
}

#[test]
fn every_fixture_is_read_or_refused_in_words_under_every_form() {
    for (path, bytes) in fixtures() {
        for form in Form::ALL {
            if let Err(error) = read_as(form, &bytes) {
                assert!(is_told(&error), "{} as {}: {error}", path.display(), form.word());
            }
        }
    }
}

#[test]
fn no_file_seems_to_be_of_two_forms_and_what_is_found_is_not_refused_for_its_form() {
    for (path, bytes) in fixtures() {
        let found = candidates(&bytes[..bytes.len().min(calibrant_store::formats::HEAD)]);
        assert!(found.len() < 2, "{}: {found:?}", path.display());
        assert!(!seen(&bytes).is_empty());
    }
}

fn form() -> impl Strategy<Value = Form> {
    proptest::sample::select(Form::ALL.to_vec())
}

/// Pieces that files of other tools are made of, so that mutations reach beyond the first bracket.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\n",
        "\"",
        "null",
        "NaN",
        "1e999",
        "-0",
        "\"\\ud800\"",
        "PK\x03\x04",
        "results:",
        "- ",
        "\"version\"",
        "\"rubrics\"",
        "\"prompt\"",
        "\"points\"",
        "\"doc_id\"",
        "\"binary_labels\"",
        "\"eval\"",
        "tests:",
        "\u{feff}",
    ];
    prop_oneof![
        proptest::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_answered(pieces in proptest::collection::vec(piece(), 0..40), form in form()) {
        let bytes = pieces.concat();
        let _ = candidates(&bytes);
        let _ = seen(&bytes);
        if let Err(error) = read_as(form, &bytes) {
            prop_assert!(is_told(&error), "{error}");
        }
    }

    #[test]
    fn a_fixture_with_changed_bytes_is_answered(
        which in any::<proptest::sample::Index>(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), piece()), 1..4),
        cut in proptest::option::of(any::<proptest::sample::Index>()),
        form in form(),
    ) {
        let fixtures = fixtures();
        let mut bytes = which.get(&fixtures).1.clone();
        for (at, piece) in changes {
            let at = at.index(bytes.len() + 1);
            let end = (at + piece.len()).min(bytes.len());
            bytes.splice(at..end, piece);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        if let Err(error) = read_as(form, &bytes) {
            prop_assert!(is_told(&error), "{error}");
        }
    }
}
