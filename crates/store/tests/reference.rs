//! `docs/tables.md` says what the code does: names of columns, label words, and every mistake of the fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_schema::label_words::{LEVEL_WORDS, MISSING_WORDS, STATUS_WORDS};
use calibrant_store::Source;
use calibrant_store::tables::{ReadOptions, Role, read_verdicts};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn reference() -> String {
    fs::read_to_string(repository("docs/tables.md")).expect("the reference is in the repository")
}

#[test]
fn every_name_of_a_column_is_listed_with_its_role() {
    let reference = reference();
    for role in Role::ALL {
        let begins = format!("| `{role}` |");
        let line = reference
            .lines()
            .find(|line| line.starts_with(&begins))
            .expect("every role has its line");
        for alias in role.aliases() {
            assert!(line.contains(&format!("`{alias}`")), "{alias} is missing in: {line}");
        }
    }
}

#[test]
fn every_label_word_is_listed() {
    let reference = reference();
    let levels = LEVEL_WORDS.iter().flat_map(|(worse, better)| [*worse, *better]);
    let words = levels
        .chain(STATUS_WORDS.iter().map(|(word, _)| *word))
        .chain(MISSING_WORDS);
    for word in words {
        assert!(reference.contains(&format!("`{word}`")), "{word} is missing");
    }
}

#[test]
fn every_mistake_of_the_fixtures_is_explained() {
    let reference = reference();
    for entry in fs::read_dir(repository("testdata/tables/bad")).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            continue;
        }
        let findings =
            read_verdicts(vec![Source::Path(path)], &ReadOptions::default()).expect_err("every fixture is wrong");
        for finding in findings.shown() {
            let id = finding.diagnostic.id;
            assert!(reference.contains(&format!("| `{id}` |")), "{id} is not explained");
        }
    }
}
