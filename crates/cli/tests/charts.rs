//! `--charts`: figures in the page, specifications beside it, or neither.

mod program;

use std::fs;
use std::path::Path;

use program::{artifact, calibrant, files, project};

fn page(folder: &Path) -> String {
    fs::read_to_string(folder.join("out/report.html")).expect("the report")
}

#[test]
fn specifications_are_files_of_the_run_and_go_when_they_are_not_asked_for() {
    let project = project();
    let out = project.path().join("out");
    calibrant(project.path(), &["run", "--charts", "vega-lite"]).succeeded();
    let charts = files(&out.join("charts"));
    let recorded = artifact(&out, "calibrant-run.json")["steps"]["report"]["files"].clone();
    for name in charts.keys() {
        assert!(
            recorded[format!("charts/{name}")].is_string(),
            "{name} is not in the manifest"
        );
    }
    assert!(charts.contains_key("leaderboard.vl.json"), "{:?}", charts.keys());
    let drawn = page(project.path());
    assert!(drawn.contains("<svg"));

    // A file of someone else in the folder stays, and ours go.
    fs::write(out.join("charts/own.txt"), "own").expect("a file");
    calibrant(project.path(), &["report", "--from", "out"]).succeeded();
    assert_eq!(files(&out.join("charts")).into_keys().collect::<Vec<_>>(), ["own.txt"]);
    assert!(page(project.path()).contains("<svg"));

    calibrant(project.path(), &["report", "--from", "out", "--charts", "none"]).succeeded();
    assert!(!page(project.path()).contains("<svg"));
}

#[test]
fn item_curves_come_from_the_labels_of_the_folder_too() {
    let project = project();
    calibrant(project.path(), &["run"]).succeeded();
    let whole = page(project.path());
    calibrant(project.path(), &["report", "--from", "out", "--charts", "none"]).succeeded();
    calibrant(project.path(), &["report", "--from", "out"]).succeeded();
    let again = page(project.path());
    let curves = |page: &str| page.split("figure-item-curves").nth(1).map(str::len);
    assert!(curves(&whole).is_some());
    let figures = |page: &str| page.split("<figure").skip(1).map(str::to_owned).collect::<Vec<_>>();
    // Only the command line at the end of the page differs.
    assert_eq!(figures(&whole)[..8], figures(&again)[..8]);
}

/// The figures find the items that could be chosen from the artifacts alone: as many as the bank says there were.
#[test]
fn the_pool_of_the_figures_is_the_pool_of_the_bank() {
    let project = project();
    let out = project.path().join("demo");
    calibrant(project.path(), &["demo", "--out", "demo"]).succeeded();
    let feasible = artifact(&out, "bank.json")["feasible"].as_u64().expect("a count");
    let page = fs::read_to_string(out.join("report.html")).expect("the report");
    assert!(
        page.contains(&format!("All {feasible} items that could be chosen")),
        "{feasible}"
    );
}

#[test]
fn charts_are_a_setting_like_any_other() {
    let project = project();
    calibrant(project.path(), &["run", "--charts", "png"]).refused_with("--charts cannot be `png`");
    let file = project.path().join("calibrant.toml");
    let text = fs::read_to_string(&file).expect("the project file");
    fs::write(&file, format!("{text}\n[report]\ncharts = \"none\"\n")).expect("the project file");
    calibrant(project.path(), &["run"]).succeeded();
    assert!(!page(project.path()).contains("<svg"));
    let score = calibrant(project.path(), &["score", "--charts", "svg"]);
    assert_eq!(score.code, 2, "score draws nothing: {score:?}");
}
