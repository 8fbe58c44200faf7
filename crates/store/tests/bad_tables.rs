//! Every mistake a table can have, with the whole message pinned: one file per mistake in `testdata/tables/bad`.
//!
//! `CALIBRANT_BLESS=1` writes the messages anew; read the difference before keeping it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use calibrant_store::tables::{ReadOptions, read_verdicts};
use calibrant_store::{Findings, Source};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables/bad")
}

/// What reading says; the file goes by its own name, so that the message does not depend on the folder.
fn message(path: &Path, options: &ReadOptions) -> String {
    let name = path
        .file_name()
        .expect("a fixture has a name")
        .to_string_lossy()
        .into_owned();
    let bytes = fs::read(path).expect("a fixture is readable");
    let read = read_verdicts(vec![Source::bytes(&name, bytes)], options);
    read.map_or_else(
        |findings: Findings| findings.to_string(),
        |_| format!("{name} was read without a mistake\n"),
    )
}

#[test]
fn every_bad_table_has_its_message() {
    let bless = env::var_os("CALIBRANT_BLESS").is_some();
    let mut tables: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    tables.retain(|path| path.extension().is_none_or(|extension| extension != "stderr"));
    tables.sort();
    assert!(tables.len() >= 30, "the fixtures are in the folder");
    let mut wrong = Vec::new();
    for table in tables {
        let pinned = PathBuf::from(format!("{}.stderr", table.display()));
        let found = message(&table, &ReadOptions::default());
        if bless {
            fs::write(&pinned, &found).expect("the folder is writable");
        }
        let expected = fs::read_to_string(&pinned).unwrap_or_default();
        if found != expected {
            wrong.push(format!(
                "{}\n--- expected\n{expected}--- found\n{found}",
                table.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn flags_that_name_no_role_or_column_or_judge_are_mistakes() {
    let table = b"system,query,criterion,judge,label\nalpha,q1,c1,anna,1\n";
    let ids = |options: &ReadOptions| -> Vec<&'static str> {
        let read = read_verdicts(vec![Source::bytes("t.csv", table.to_vec())], options);
        read.expect_err("the options are wrong")
            .shown()
            .iter()
            .map(|finding| finding.diagnostic.id)
            .collect()
    };
    let columns = [("lable", "label"), ("query", "prompt")].map(|(role, column)| (role.to_owned(), column.to_owned()));
    assert_eq!(
        ids(&ReadOptions {
            columns: columns.into(),
            ..ReadOptions::default()
        }),
        ["unknown-role", "no-such-column"]
    );
    let judges = Some(vec!["anna".to_owned(), "bern".to_owned()]);
    assert_eq!(
        ids(&ReadOptions {
            judges,
            ..ReadOptions::default()
        }),
        ["unknown-judge"]
    );
}

#[test]
fn no_table_and_no_judge_are_mistakes() {
    let first_id = |sources, options: &ReadOptions| {
        read_verdicts(sources, options)
            .expect_err("there is no verdict")
            .shown()[0]
            .diagnostic
            .id
    };
    assert_eq!(first_id(Vec::new(), &ReadOptions::default()), "no-verdicts");
    let nobody = ReadOptions {
        judges: Some(Vec::new()),
        ..ReadOptions::default()
    };
    let table = b"system,query,criterion,judge,label\nalpha,q1,c1,anna,1\n".to_vec();
    assert_eq!(first_id(vec![Source::bytes("t.csv", table)], &nobody), "no-verdicts");
}

#[test]
fn a_message_about_long_ids_stays_short() {
    let row = format!("alpha,{},c1,anna,1\n", "q".repeat(10_000));
    let table = format!("system,query,criterion,judge,label\n{row}{row}");
    let read = read_verdicts(
        vec![Source::bytes("t.csv", table.into_bytes())],
        &ReadOptions::default(),
    );
    let message = read.expect_err("one cell has two rows").to_string();
    assert!(message.len() < 1_000, "{message}");
}

#[test]
fn a_missing_file_is_named_with_a_next_step() {
    let read = read_verdicts(vec![Source::Path("no/such/file.csv".into())], &ReadOptions::default());
    let message = read.expect_err("there is no such file").to_string();
    assert!(
        message.starts_with("error: cannot read `no/such/file.csv`: there is no such file"),
        "{message}"
    );
}

#[test]
fn a_line_without_end_is_refused_and_not_kept() {
    let table = vec![b'x'; calibrant_store::tables::LONGEST_LINE + 2];
    let read = read_verdicts(vec![Source::bytes("t.csv", table)], &ReadOptions::default());
    assert_eq!(
        read.expect_err("no row is that long").shown()[0].diagnostic.id,
        "line-too-long"
    );
}

#[test]
fn the_second_row_of_a_cell_is_found_across_files() {
    let table = b"system,query,criterion,judge,label\nalpha,q1,c1,anna,1\n".to_vec();
    let sources = vec![Source::bytes("a.csv", table.clone()), Source::bytes("b.csv", table)];
    let findings = read_verdicts(sources, &ReadOptions::default()).expect_err("one cell has two rows");
    let diagnostic = &findings.shown()[0].diagnostic;
    let span = diagnostic.span.as_ref().expect("the second row has a place");
    assert_eq!((span.file.as_str(), span.line), ("b.csv", 2));
    assert_eq!(diagnostic.label.as_deref(), Some("the same cell as a.csv:2"));
}
