//! Artifacts written by earlier versions keep loading, and files of another kind or version are refused by name.
//!
//! `testdata/artifacts/v1` holds what `init` and `run` wrote when the formats were frozen. It is never made again.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_schema::artifact::Artifact;
use calibrant_schema::{Agreement, Bank, Calibration, Fit, Scores};
use program::{artifact, calibrant};
use serde_json::Value;

fn old() -> PathBuf {
    program::repository().join("testdata/artifacts/v1")
}

/// A copy of the old folder as `out` in a folder of its own.
fn copy_of_old() -> tempfile::TempDir {
    let folder = program::folder();
    fs::create_dir(folder.path().join("out")).expect("a folder for the copy");
    for (name, bytes) in program::files(&old()) {
        fs::write(folder.path().join("out").join(name), bytes).expect("a copy");
    }
    folder
}

fn load<A: Artifact>(name: &str) -> (Value, Value) {
    let text = fs::read_to_string(old().join(name)).expect("an old artifact");
    let read = A::from_json(&text, name).unwrap_or_else(|finding| panic!("{name}: {}", finding.what));
    let written = serde_json::from_str(&read.to_json()).expect("an artifact is JSON");
    (serde_json::from_str(&text).expect("an old artifact is JSON"), written)
}

/// Panics unless everything in `old` is in `new`; new fields may have come.
fn assert_kept(old: &Value, new: &Value, place: &str) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                let found = new.get(key).unwrap_or_else(|| panic!("{place}.{key} is lost"));
                assert_kept(value, found, &format!("{place}.{key}"));
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            assert_eq!(old.len(), new.len(), "{place}");
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                assert_kept(old, new, &format!("{place}[{at}]"));
            }
        }
        _ => assert_eq!(old, new, "{place}"),
    }
}

#[test]
fn old_files_load_and_lose_nothing() {
    for (name, (before, after)) in [
        ("calibration.json", load::<Calibration>("calibration.json")),
        ("fit.json", load::<Fit>("fit.json")),
        ("bank.json", load::<Bank>("bank.json")),
        ("scores.json", load::<Scores>("scores.json")),
        ("agreement.json", load::<Agreement>("agreement.json")),
    ] {
        assert!(
            before["format"].as_str().is_some_and(|format| format.ends_with("/1")),
            "{name}"
        );
        assert_kept(&before, &after, name);
    }
}

#[test]
fn an_old_folder_is_a_start() {
    let folder = copy_of_old();
    let out = folder.path().join("out");
    for step in ["fit", "assemble", "score", "report"] {
        calibrant(folder.path(), &[step, "--from", "out"]).succeeded();
    }
    // The numbers need not be the old ones to the last bit; the systems and items are.
    let ids = |folder: &Path| {
        program::by_system(&artifact(folder, "scores.json"))
            .into_keys()
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&out), ids(&old()));
}

#[test]
fn an_old_bank_is_a_rubric_and_a_measure() {
    let folder = copy_of_old();
    calibrant(folder.path(), &["check", "out/bank.json"]).succeeded();
    calibrant(folder.path(), &["init", "project", "--quiet"]).succeeded();
    let table = "project/verdicts.csv";
    let arguments = ["score", "--bank", "out/bank.json", "--verdicts", table, "--out", "new"];
    calibrant(folder.path(), &arguments).succeeded();
    let scores = artifact(&folder.path().join("new"), "scores.json");
    assert!(scores["systems"][0]["bank_ability"].is_f64(), "{scores}");
}

/// The old folder with one text of a file replaced.
fn altered(name: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = copy_of_old();
    let path = folder.path().join("out").join(name);
    let text = fs::read_to_string(&path).expect("an old artifact");
    assert!(text.contains(from), "{name} has `{from}`");
    fs::write(&path, text.replace(from, to)).expect("the artifact can be written");
    folder
}

#[test]
fn a_newer_format_is_refused_by_name() {
    for (name, format, command) in [
        ("calibration.json", "calibrant.calibration", "fit"),
        ("fit.json", "calibrant.fit", "assemble"),
        ("bank.json", "calibrant.bank", "score"),
        ("scores.json", "calibrant.scores", "report"),
        ("calibrant-run.json", "calibrant.run", "report"),
    ] {
        let folder = altered(name, &format!("{format}/1"), &format!("{format}/2"));
        let ran = calibrant(folder.path(), &[command, "--from", "out"]);
        for words in [format!("`{format}/2`"), format!("`{format}/1`"), "help: ".to_owned()] {
            assert!(
                ran.stderr.contains(&words),
                "{name}: `{words}` is not in\n{}",
                ran.stderr
            );
        }
        assert_eq!(ran.code, 2, "{name}");
    }
}

#[test]
fn an_artifact_of_another_kind_is_refused_by_name() {
    let folder = altered("fit.json", "calibrant.fit/1", "calibrant.bank/1");
    calibrant(folder.path(), &["assemble", "--from", "out"]).refused_with("`calibrant.fit/1` is needed here");
}

#[test]
fn an_artifact_cut_short_is_refused_with_its_place() {
    let folder = copy_of_old();
    let path = folder.path().join("out/fit.json");
    let text = fs::read_to_string(&path).expect("an old artifact");
    fs::write(&path, &text[..text.len() / 2]).expect("the artifact can be written");
    calibrant(folder.path(), &["assemble", "--from", "out"]).refused_with("out/fit.json:");
}
