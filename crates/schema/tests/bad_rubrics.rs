//! Every rubric in `testdata/rubrics/bad` is refused and every one in `warned` is read, with exactly the message beside it.
//!
//! `CALIBRANT_BLESS=1` writes the messages instead of comparing them.

#![expect(clippy::disallowed_methods, reason = "tests read their fixtures and the environment")]

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_schema::Rubric;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/rubrics")
        .join(name)
}

/// The YAML files of a folder, in the order of their names.
fn rubrics(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(name)).expect("the fixtures are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    paths
}

/// Compares a message with the file beside its rubric; says what differs.
fn compare(path: &Path, message: &str) -> Option<String> {
    let beside = path.with_extension("stderr");
    if std::env::var_os("CALIBRANT_BLESS").is_some_and(|value| value == "1") {
        fs::write(&beside, message).expect("the message is written");
        return None;
    }
    let expected = fs::read_to_string(&beside).unwrap_or_default();
    (expected != message).then(|| format!("{}\n--- expected\n{expected}--- found\n{message}", path.display()))
}

fn file_name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("fixture names are text")
}

#[test]
fn bad_rubrics_are_refused_with_their_message() {
    let paths = rubrics("bad");
    assert!(paths.len() > 60, "only {} fixtures found", paths.len());
    let mut failures = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).expect("a fixture is text");
        match Rubric::parse(&text, file_name(path)) {
            Ok(_) => failures.push(format!("{} was read without an error", path.display())),
            Err(found) => failures.extend(compare(path, &found.render(Some(&text)))),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn warned_rubrics_are_read_with_their_warning() {
    let mut failures = Vec::new();
    for path in rubrics("warned") {
        let text = fs::read_to_string(&path).expect("a fixture is text");
        match Rubric::parse(&text, file_name(&path)) {
            Ok((_, found)) if found.is_empty() => failures.push(format!("{} has no warning", path.display())),
            Ok((_, found)) => failures.extend(compare(&path, &found.render(Some(&text)))),
            Err(found) => failures.push(format!("{} is refused:\n{found}", path.display())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn one_mistake_gives_one_error() {
    // Follow-up errors send people to places that are right. `many_mistakes` counts its own.
    for path in rubrics("bad") {
        let text = fs::read_to_string(&path).expect("a fixture is text");
        let found = Rubric::parse(&text, file_name(&path)).expect_err("the fixture is bad");
        let errors = found
            .iter()
            .filter(|diagnostic| diagnostic.severity == calibrant_schema::Severity::Error)
            .count();
        match file_name(&path) {
            "many_mistakes.yaml" => assert_eq!(errors, 14, "{found}"),
            name => assert_eq!(errors, 1, "{name}: {}", found.render(Some(&text))),
        }
        for diagnostic in &found {
            assert!(!diagnostic.help.is_empty(), "{} has no next step", diagnostic.what);
        }
    }
}

#[test]
fn every_finding_is_documented() {
    let docs = fs::read_to_string(folder("../../docs/rubric.md")).expect("the reference is there");
    for path in rubrics("bad").into_iter().chain(rubrics("warned")) {
        let text = fs::read_to_string(&path).expect("a fixture is text");
        let found = match Rubric::parse(&text, file_name(&path)) {
            Ok((_, found)) | Err(found) => found,
        };
        for diagnostic in &found {
            assert!(
                docs.contains(&format!("| `{}` |", diagnostic.id)),
                "docs/rubric.md lacks `{}`",
                diagnostic.id
            );
        }
    }
}

#[test]
fn a_file_too_large_to_be_written_by_hand_is_refused() {
    let text = format!("criteria: []\n#{}", "x".repeat(16 << 20));
    let found = Rubric::parse(&text, "large.yaml").expect_err("the file is too large");
    assert_eq!(
        found.iter().map(|diagnostic| diagnostic.id).collect::<Vec<_>>(),
        ["too-large"]
    );
}
