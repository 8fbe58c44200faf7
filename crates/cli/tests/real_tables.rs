//! Other real tables in one command: each runs, or is refused with what is missing.

mod program;

use std::path::{Path, PathBuf};

use program::{Ran, artifact, calibrant, data, text};
use serde_json::Value;

fn run(folder: &Path, table: &Path, arguments: &[&str]) -> Ran {
    calibrant(
        folder,
        &[&["run", "--verdicts", text(table), "--out", "out"], arguments].concat(),
    )
}

fn table(file: &str) -> Option<PathBuf> {
    data("real_tables", file)
}

/// Ids of the warnings of an artifact.
fn warnings(artifact: &Value) -> Vec<&str> {
    let noted = artifact["warnings"].as_array().expect("warnings");
    noted
        .iter()
        .map(|warning| warning["id"].as_str().expect("an id"))
        .collect()
}

#[test]
fn graded_ratings_run_once_their_scale_is_declared() {
    let Some(table) = table("hanna/labels.csv.gz") else {
        return;
    };
    let folder = program::folder();
    run(folder.path(), &table, &[]).refused_with("--scale 1..5");
    run(folder.path(), &table, &["--scale", "1..5"]).succeeded();
    let out = folder.path().join("out");
    // SOURCE.md: 11 systems, raters that hardly agree ("a rubric that should be rejected").
    let scores = artifact(&out, "scores.json");
    assert_eq!(scores["systems"].as_array().expect("systems").len(), 11);
    assert_eq!(scores["systems"][0]["system"], "Human");
    let kept = |row: &Value| row["kept"] == true;
    assert!(
        !artifact(&out, "calibration.json")["criteria"]
            .as_array()
            .expect("criteria")
            .iter()
            .any(kept)
    );
    assert_eq!(artifact(&out, "bank.json")["criteria"], serde_json::json!([]));
}

#[test]
fn one_judge_runs_without_the_threshold() {
    let Some(table) = table("zeroeval/labels.csv.gz") else {
        return;
    };
    let folder = program::folder();
    // Twenty replicates are the fewest: nothing here looks at an interval.
    run(folder.path(), &table, &["--replicates", "20"]).succeeded();
    let out = folder.path().join("out");
    assert!(warnings(&artifact(&out, "calibration.json")).contains(&"one-judge"));
    assert!(warnings(&artifact(&out, "bank.json")).contains(&"threshold-not-applied"));
    let scores = program::by_system(&artifact(&out, "scores.json"));
    assert_eq!(scores.len(), 59);
    // SOURCE.md: o1-preview .963, in the block it was judged on.
    let best = scores["o1-preview-2024-09-12"]["score"].as_f64().expect("a score");
    assert!((best - 0.963).abs() <= 5e-4, "{best}");
}

#[test]
fn uneven_coverage_is_said() {
    let Some(table) = table("xsum_factuality/labels.csv.gz") else {
        return;
    };
    let folder = program::folder();
    run(folder.path(), &table, &[]).succeeded();
    let out = folder.path().join("out");
    assert!(warnings(&artifact(&out, "scores.json")).contains(&"uneven-coverage"));
    let scores = program::by_system(&artifact(&out, "scores.json"));
    // SOURCE.md: `factual` was judged on 4 of the 5 systems, and not on the reference summaries.
    assert!(scores["Gold"]["coverage"].as_f64().expect("a share") < 0.7);
}

#[test]
fn one_system_is_refused_where_systems_are_compared() {
    for file in ["crowd/labels_bluebird.csv.gz", "llmbar/labels.csv.gz"] {
        let Some(table) = table(file) else { return };
        let folder = program::folder();
        run(folder.path(), &table, &[]).refused_with("all labels are of one system");
        let calibrated = folder.path().join("out");
        let calibration = artifact(&calibrated, "calibration.json");
        assert_eq!(calibration["panel"]["systems"], 1, "{file}: what calibrate made stays");
        let arguments = ["calibrate", "--verdicts", text(&table), "--out", "out"];
        calibrant(folder.path(), &arguments).succeeded();
    }
}

#[test]
fn a_gold_file_takes_part_in_nothing_but_the_held_out_kappa() {
    let (Some(table), Some(gold)) = (
        table("crowd/labels_bluebird.csv.gz"),
        table("crowd/gold_bluebird.csv.gz"),
    ) else {
        return;
    };
    let folder = program::folder();
    let calibrate = |out: &str, more: &[&str]| {
        let arguments = [&["calibrate", "--verdicts", text(&table), "--out", out], more].concat();
        calibrant(folder.path(), &arguments).succeeded();
        artifact(&folder.path().join(out), "calibration.json")
    };
    let (without, with) = (calibrate("without", &[]), calibrate("with", &["--gold", text(&gold)]));
    assert_eq!(without["criteria"], with["criteria"]);
    assert_eq!(without["judges"], with["judges"]);
    let held_out = &with["sweep"][0];
    // SOURCE.md: majority vote agrees with gold on .7593 of 108 items, so the kappa is well above 0 and below 1.
    let kappa = held_out["held_out_kappa"].as_f64().expect("a kappa");
    assert!(kappa > 0.3 && kappa < 0.7, "{held_out}");
}
