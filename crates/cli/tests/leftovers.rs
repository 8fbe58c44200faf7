//! What one run leaves in a folder never slips into the results of another.

mod program;

use std::fs;
use std::path::Path;

use program::{artifact, by_system, calibrant, folder, project};

/// A table of three judges on levels 1 to 3, with each system's level spelt out.
fn graded_table() -> String {
    let mut table = String::from("system,query,criterion,judge,label\n");
    for query in 1..=6 {
        for (system, level) in [("a", 1 + query % 2), ("b", 2 + query % 2), ("c", 1), ("d", 3)] {
            for judge in 1..=3 {
                table.push_str(&format!("{system},q{query},c,j{judge},{level}\n"));
            }
        }
    }
    table
}

fn ability(folder: &Path, system: &str) -> f64 {
    let systems = by_system(&artifact(folder, "scores.json"));
    systems[system]["ability"].as_f64().expect("an ability")
}

#[test]
fn another_scale_makes_another_fit() {
    let here = folder();
    fs::write(here.path().join("t.csv"), graded_table()).expect("the table can be written");
    let run = |scale: &str, out: &str| {
        let arguments = [
            "score",
            "--verdicts",
            "t.csv",
            "--scale",
            scale,
            "--threshold",
            "0.1",
            "--out",
            out,
        ];
        calibrant(here.path(), &arguments).succeeded();
    };
    run("1..5", "used");
    run("1..3", "used");
    run("1..3", "new");
    for system in ["a", "b", "c", "d"] {
        let (used, new) = (
            ability(&here.path().join("used"), system),
            ability(&here.path().join("new"), system),
        );
        assert_eq!(used, new, "{system}");
    }
}

#[test]
fn a_rubric_with_other_signs_asks_for_another_fit() {
    let project = project();
    calibrant(project.path(), &["run"]).succeeded();
    let rubric = fs::read_to_string(project.path().join("rubric.yaml")).expect("the rubric");
    let turned = rubric.replacen("weight: 2\n", "weight: -2\n", 1);
    assert_ne!(rubric, turned);
    fs::write(project.path().join("turned.yaml"), turned).expect("the rubric can be written");
    let scored = calibrant(project.path(), &["score", "--from", "out", "--rubric", "turned.yaml"]);
    scored.refused_with("fit.json was made from a rubric with other signs");
}

#[test]
fn the_truth_of_a_demo_is_not_shown_beside_other_verdicts() {
    let project = project();
    calibrant(project.path(), &["demo", "--out", "shared"]).succeeded();
    let of_demo = fs::read_to_string(project.path().join("shared/report.md")).expect("the report");
    assert!(of_demo.contains("known truth"));
    calibrant(project.path(), &["report", "--from", "shared"]).succeeded();
    let again = fs::read_to_string(project.path().join("shared/report.md")).expect("the report");
    assert!(
        again.contains("known truth"),
        "the truth stays with the demo's own verdicts"
    );
    calibrant(
        project.path(),
        &["run", "--verdicts", "verdicts.csv", "--out", "shared"],
    )
    .succeeded();
    let of_others = fs::read_to_string(project.path().join("shared/report.md")).expect("the report");
    assert!(!of_others.contains("known truth"));
}

#[test]
fn a_rubric_of_the_run_before_is_not_that_of_this_run() {
    let project = project();
    let table = project.path().join("elsewhere");
    fs::create_dir(&table).expect("a folder");
    fs::copy(project.path().join("verdicts.csv"), table.join("v.csv")).expect("the table");
    fs::copy(project.path().join("rubric.yaml"), table.join("r.yaml")).expect("the rubric");
    fs::remove_file(project.path().join("calibrant.toml")).expect("no project any more");
    calibrant(
        &table,
        &["run", "--verdicts", "v.csv", "--rubric", "r.yaml", "--out", "out"],
    )
    .succeeded();
    calibrant(&table, &["run", "--verdicts", "v.csv", "--out", "out"]).succeeded();
    let without = fs::read(table.join("out/scores.json")).expect("the scores");
    calibrant(&table, &["score", "--from", "out"]).succeeded();
    assert!(without == fs::read(table.join("out/scores.json")).expect("the scores"));
}

#[test]
fn the_queries_of_a_run_stay_with_it() {
    let project = project();
    let queries: String = (1..=20)
        .map(|query| format!("{{\"query\": \"query-{query:02}\", \"weight\": {query}}}\n"))
        .collect();
    fs::write(project.path().join("queries.jsonl"), queries).expect("the queries can be written");
    calibrant(project.path(), &["run", "--queries", "queries.jsonl"]).succeeded();
    let weighted = fs::read(project.path().join("out/scores.json")).expect("the scores");
    calibrant(project.path(), &["score", "--from", "out"]).succeeded();
    assert!(weighted == fs::read(project.path().join("out/scores.json")).expect("the scores"));
}
