//! The road with Parquet at both ends.

#![cfg(feature = "parquet")]

mod program;

use std::fs;
use std::path::Path;

use calibrant_schema::Scale;
use calibrant_store::tables::{TableForm, labels_table, read_labels};
use program::{artifact, calibrant};

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
