//! The road with Parquet at both ends.

#![cfg(feature = "parquet")]

mod program;

use std::fs;
use std::path::Path;

use calibrant_schema::Scale;
use calibrant_store::tables::{TableForm, labels_table, read_labels};
use program::{artifact, calibrant, files_below};

fn names(folder: &Path) -> Vec<String> {
    program::files(folder).into_keys().collect()
}

#[test]
fn a_parquet_table_gives_the_numbers_of_the_same_csv() {
    let folder = program::folder();
    let table = program::repository().join("testdata/parquet/pyarrow_zstd.parquet");
    let csv = "system,query,criterion,judge,label\n\
        alpha,q1,cites,anna,1\nalpha,q1,cites,ben,0\nalpha,q2,=short,anna,1\nalpha,q2,=short,ben,\n\
        beta,q1,cites,anna,0\nbeta,q1,cites,ben,0\nbeta,q2,=short,anna,1\nb\u{e9}ta,q2,=short,ben,1\n";
    fs::write(folder.path().join("t.csv"), csv).expect("the folder is writable");
    let of = |table: &str, out: &str| {
        let ran = calibrant(folder.path(), &["calibrate", "--verdicts", table, "--out", out]).succeeded();
        let mut calibration = artifact(&folder.path().join(out), "calibration.json");
        calibration["inputs"] = serde_json::Value::Null;
        (calibration, ran.stderr)
    };
    let (from_csv, _) = of("t.csv", "csv");
    let (from_parquet, said) = of(program::text(&table), "parquet");
    assert_eq!(from_csv, from_parquet);
    assert!(
        said.contains("8 rows, Parquet; system, query, criterion, judge, label"),
        "{said}"
    );
}

#[test]
fn the_form_of_the_tables_is_followed_remembered_and_changed() {
    let folder = program::project();
    let out = folder.path().join("out");
    let run = |arguments: &[&str]| calibrant(folder.path(), arguments).succeeded();
    run(&["run"]);
    let csv = fs::read(out.join("scores.json")).expect("scores");
    let said = run(&["run", "--tables", "parquet"]).stderr;
    assert!(
        said.contains("calibrate: done") && said.contains("score: done"),
        "{said}"
    );
    let found = names(&out);
    for (there, gone) in [("labels.parquet", "labels.csv"), ("responses.parquet", "responses.csv")] {
        assert!(
            found.contains(&there.to_owned()) && !found.contains(&gone.to_owned()),
            "{found:?}"
        );
    }
    // The numbers are the same; only the hash of the labels they were made from is another.
    let mut scores = [csv, fs::read(out.join("scores.json")).expect("scores")]
        .map(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).expect("scores are JSON"));
    scores
        .iter_mut()
        .for_each(|scores| scores["inputs"] = serde_json::Value::Null);
    assert_eq!(scores[0], scores[1]);
    // A step that starts in the folder reads what is there, and writes in the same form.
    run(&["fit", "--from", "out", "--model", "1PL"]);
    run(&["assemble", "--from", "out"]);
    run(&["score", "--from", "out"]);
    assert!(names(&out).contains(&"responses.parquet".to_owned()));
    let said = run(&["run", "--tables", "parquet"]).stderr;
    assert!(said.contains("calibrate: unchanged"), "{said}");
    run(&["run"]);
    let found = names(&out);
    assert!(
        found.contains(&"labels.csv".to_owned()) && !found.contains(&"labels.parquet".to_owned()),
        "{found:?}"
    );
}

#[test]
fn both_forms_hold_the_same_labels() {
    let folder = program::project();
    let of = |form: &str| {
        calibrant(folder.path(), &["calibrate", "--tables", form]).succeeded();
        let scale = |_: &str| Scale::Binary;
        let path = folder.path().join("out").join(format!("labels.{form}"));
        read_labels(&path, &scale).unwrap_or_else(|findings| panic!("{findings}"))
    };
    let (csv, parquet) = (of("csv"), of("parquet"));
    assert!(csv.len() > 100);
    let bytes = |labels| labels_table(labels, TableForm::Csv).expect("CSV is always built");
    assert!(bytes(&csv) == bytes(&parquet));
}

#[test]
fn a_run_divided_by_a_column_of_a_parquet_table_has_the_blocks_of_the_same_csv() {
    let of = |form: &str| {
        let folder = program::folder();
        let table = program::repository()
            .join("testdata/parquet/divided/verdicts")
            .with_extension(form);
        // Both go by one name, so that nothing but the bytes of the table differs.
        fs::copy(table, folder.path().join("table")).expect("the fixture can be copied");
        let run = ["run", "--verdicts", "table", "--by", "domain", "--out", "out"];
        let said = calibrant(folder.path(), &run).succeeded().stderr;
        (
            files_below(&folder.path().join("out/blocks")),
            artifact(&folder.path().join("out"), "blocks.json"),
            said,
        )
    };
    let ((csv, csv_index, _), (parquet, parquet_index, said)) = (of("csv"), of("parquet"));
    assert!(
        said.contains("Parquet; system, query, criterion, judge, label, domain"),
        "{said}"
    );
    assert!(csv.len() > 20 && csv.keys().eq(parquet.keys()), "{:?}", parquet.keys());
    for (name, bytes) in &csv {
        assert!(*bytes == parquet[name], "{name}");
    }
    assert_eq!(csv_index["blocks"], parquet_index["blocks"]);
    let names = csv_index["blocks"].as_array().expect("blocks").iter();
    let names: Vec<&str> = names.map(|row| row["block"].as_str().expect("a name")).collect();
    assert_eq!(names, ["law", "medicine/cardiology", "(none)"]);
}

/// The endings of the tables of a run and of its blocks, each once for labels and once for responses.
fn forms(out: &Path) -> Vec<(String, String)> {
    let tables = files_below(out).into_keys().filter_map(|name| {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
        let (table, ending) = file.split_once('.')?;
        ["labels", "responses"]
            .contains(&table)
            .then(|| (format!("{folder} {table}"), ending.to_owned()))
    });
    tables.collect()
}

#[test]
fn blocks_follow_the_form_of_the_tables() {
    let folder = program::folder();
    let here = folder.path();
    let table = program::repository().join("testdata/parquet/divided/verdicts.parquet");
    fs::copy(table, here.join("t.parquet")).expect("the fixture can be copied");
    let run = |more: &[&str]| {
        let run = ["run", "--verdicts", "t.parquet", "--by", "domain", "--out", "out"];
        calibrant(here, &[&run[..], more].concat()).succeeded().stderr
    };
    let out = here.join("out");
    let new = |more: &[&str]| {
        let used = files_below(&out);
        fs::rename(&out, here.join("used")).expect("the results can be moved");
        run(more);
        let new = files_below(&out);
        fs::remove_dir_all(&out).expect("the results can be removed");
        fs::rename(here.join("used"), &out).expect("the results can be moved");
        assert!(used.keys().eq(new.keys()), "{:?}", used.keys());
        assert!(used == new, "a used folder holds what a new one would");
    };
    let all = |form: &str| {
        let found = forms(&out);
        assert_eq!(found.len(), 8, "{found:?}");
        assert!(found.iter().all(|(_, ending)| ending == form), "{found:?}");
    };
    run(&[]);
    all("csv");
    run(&["--tables", "parquet"]);
    all("parquet");
    new(&["--tables", "parquet"]);
    // What did not change is left alone, and a table that is gone is made again.
    let whole = files_below(&out);
    let said = run(&["--tables", "parquet"]);
    assert!(
        said.contains("calibrate: unchanged") && said.contains("domain law: unchanged"),
        "{said}"
    );
    fs::remove_file(out.join("blocks/domain/law/labels.parquet")).expect("a table can be removed");
    let said = run(&["--tables", "parquet"]);
    assert!(said.contains("domain law: calibrate"), "{said}");
    assert!(whole == files_below(&out));
    // Steps that start in the folder read what is there, and write in the same form.
    for step in ["fit", "assemble", "score", "report"] {
        let said = calibrant(here, &[step, "--from", "out"]).succeeded().stderr;
        assert!(said.contains("domain law"), "{said}");
    }
    calibrant(here, &["score", "--from", "out", "--replicates", "50"]).succeeded();
    all("parquet");
    let page = fs::read_to_string(out.join("blocks/domain/law/report.md")).expect("the page");
    assert!(
        page.contains("labels.parquet") && page.contains("responses.parquet"),
        "{page}"
    );
    assert!(
        !page.contains("labels.csv") && !page.contains("responses.csv"),
        "{page}"
    );
    run(&[]);
    all("csv");
    new(&[]);
    // Without blocks nothing of theirs stays.
    run(&["--tables", "parquet"]);
    let undivided = ["run", "--verdicts", "t.parquet", "--tables", "parquet", "--out", "out"];
    calibrant(here, &undivided).succeeded();
    assert!(!out.join("blocks").exists());
    assert_eq!(forms(&out).len(), 2);
}

#[test]
fn a_table_of_a_run_that_was_killed_before_it_was_recorded_goes_with_the_next() {
    let project = program::project();
    let out = project.path().join("out");
    calibrant(project.path(), &["run"]).succeeded();
    let whole = files_below(&out);
    // As a run with `--tables parquet` leaves the folder that dies between two files of a step.
    for step in ["calibrate", "score"] {
        let mut manifest = artifact(&out, "calibrant-run.json");
        manifest["under_way"] = step.into();
        fs::write(out.join("calibrant-run.json"), manifest.to_string()).expect("the folder is writable");
        let left = match step {
            "calibrate" => "labels.parquet",
            _ => "responses.parquet",
        };
        fs::write(out.join(left), "PAR1").expect("the folder is writable");
        calibrant(project.path(), &["run"]).succeeded();
        assert!(whole == files_below(&out), "{:?}", files_below(&out).keys());
    }
}
