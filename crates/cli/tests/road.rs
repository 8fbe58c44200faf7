//! The road step by step: what is done again and what is not, folders that start in the middle, new systems on a bank.

mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use program::{artifact, by_system, calibrant};
use serde_json::Value;

/// Sums of the same terms in the same order; only the table around them differs.
const ROUNDING: f64 = 1e-12;

/// When each file of the results was written.
fn written(folder: &Path) -> BTreeMap<String, SystemTime> {
    let out = folder.join("out");
    let modified = |name: &String| fs::metadata(out.join(name)).and_then(|file| file.modified());
    program::files(&out)
        .into_keys()
        .map(|name| {
            let time = modified(&name).expect("a file of the results");
            (name, time)
        })
        .collect()
}

/// Runs the project again and returns (steps done, steps left alone, files written).
fn run_again(folder: &Path, arguments: &[&str]) -> (Vec<String>, Vec<String>, BTreeSet<String>) {
    let before = written(folder);
    let ran = calibrant(folder, &[&["run"], arguments].concat()).succeeded();
    let after = written(folder);
    let changed = after.iter().filter(|(name, time)| before.get(*name) != Some(time));
    let steps = |ending: &str| {
        let lines = ran.stderr.lines();
        lines
            .filter_map(|line| Some(line.strip_suffix(ending)?.to_owned()))
            .collect()
    };
    (
        steps(": done"),
        steps(": unchanged, not done again"),
        changed.map(|(name, _)| name.clone()).collect(),
    )
}

fn project_after_run() -> tempfile::TempDir {
    let project = program::project();
    calibrant(project.path(), &["run"]).succeeded();
    project
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn nothing_changed_and_nothing_is_written() {
    let project = project_after_run();
    let before = program::files(&project.path().join("out"));
    let (done, unchanged, changed) = run_again(project.path(), &[]);
    assert_eq!(done, Vec::<String>::new());
    assert_eq!(unchanged, words(&["calibrate", "fit", "assemble", "score", "report"]));
    assert_eq!(changed, BTreeSet::new());
    assert!(program::files(&project.path().join("out")) == before);
}

#[test]
fn a_threshold_leaves_the_fit_alone() {
    let project = project_after_run();
    let kept = |name: &str| artifact(&project.path().join("out"), name)["criteria"].clone();
    let before = (kept("calibration.json"), kept("bank.json"));
    let (done, unchanged, changed) = run_again(project.path(), &["--threshold", "0.9"]);
    assert_eq!(done, words(&["calibrate", "assemble", "score", "report"]));
    assert_eq!(unchanged, words(&["fit"]));
    assert!(!changed.contains("fit.json"), "{changed:?}");
    assert!(
        changed.contains("bank.json") && changed.contains("scores.json"),
        "{changed:?}"
    );
    assert_ne!(before.0, kept("calibration.json"), "which criteria are kept");
    assert_ne!(before.1, kept("bank.json"));
}

#[test]
fn a_weight_leaves_the_fit_alone_and_a_sign_does_not() {
    let project = project_after_run();
    let rubric = project.path().join("rubric.yaml");
    let reweigh = |from: &str, to: &str| {
        let text = fs::read_to_string(&rubric).expect("the rubric");
        assert!(text.contains(from), "the rubric that init writes has `{from}`");
        fs::write(&rubric, text.replace(from, to)).expect("the rubric can be written");
    };
    let scores = || artifact(&project.path().join("out"), "scores.json");
    let before = scores();
    reweigh("weight: 2\n", "weight: 9\n");
    let (done, unchanged, changed) = run_again(project.path(), &[]);
    assert_eq!(unchanged, words(&["fit"]));
    assert_eq!(done, words(&["calibrate", "assemble", "score", "report"]));
    assert!(!changed.contains("fit.json"), "{changed:?}");
    let after = scores();
    for (system, row) in by_system(&before) {
        let now = &by_system(&after)[&system];
        assert_ne!(row["score"], now["score"], "score of `{system}`");
        assert_eq!(row["ability"], now["ability"], "ability of `{system}`");
    }
    // A penalty is met when something went wrong: the fit must read it the other way round.
    reweigh("weight: 9\n", "weight: -2\n");
    let (done, _, _) = run_again(project.path(), &[]);
    assert_eq!(done, words(&["calibrate", "fit", "assemble", "score", "report"]));
}

#[test]
fn a_damaged_artifact_is_made_again() {
    let project = project_after_run();
    let fit = project.path().join("out/fit.json");
    let good = fs::read(&fit).expect("the fit");
    let mut damaged = good.clone();
    let last = damaged.len() / 2;
    damaged[last] ^= 1;
    fs::write(&fit, &damaged).expect("the fit can be written");
    let (done, _, _) = run_again(project.path(), &[]);
    assert!(done.contains(&"fit".to_owned()), "{done:?}");
    assert!(fs::read(&fit).expect("the fit") == good, "the fit is what it was");
    fs::remove_file(&fit).expect("the fit can be removed");
    let (done, _, _) = run_again(project.path(), &[]);
    assert!(done.contains(&"fit".to_owned()), "{done:?}");
    assert!(fs::read(&fit).expect("the fit") == good);
}

#[test]
fn steps_one_by_one_make_what_run_makes() {
    let project = project_after_run();
    let at_once = program::files(&project.path().join("out"));
    calibrant(project.path(), &["calibrate", "--out", "steps"]).succeeded();
    for step in ["fit", "assemble", "score", "report"] {
        calibrant(project.path(), &[step, "--from", "steps"]).succeeded();
    }
    let step_by_step = program::files(&project.path().join("steps"));
    assert!(at_once.keys().eq(step_by_step.keys()));
    for (name, bytes) in &at_once {
        // The pages show the command, and the manifest hashes the pages.
        if !name.starts_with("report.") && name != "calibrant-run.json" {
            assert!(*bytes == step_by_step[name], "`{name}` differs");
        }
    }
}

#[test]
fn a_step_alone_does_not_touch_what_came_before() {
    let project = project_after_run();
    let before = program::files(&project.path().join("out"));
    calibrant(project.path(), &["assemble", "--from", "out", "--budget", "5"]).succeeded();
    let after = program::files(&project.path().join("out"));
    assert_eq!(artifact(&project.path().join("out"), "bank.json")["budget"], 5);
    for name in ["labels.csv", "calibration.json", "fit.json", "scores.json"] {
        assert!(before[name] == after[name], "`{name}` differs");
    }
    // What was made from the bank before is not shown beside the one of now.
    let report = calibrant(project.path(), &["report", "--from", "out"]);
    report.refused_with("scores.json was made from another bank");
    calibrant(project.path(), &["score", "--from", "out"]).succeeded();
    calibrant(project.path(), &["report", "--from", "out"]).succeeded();
}

#[test]
fn new_systems_on_a_bank_score_as_they_did_in_the_full_run() {
    let project = project_after_run();
    let out = project.path().join("out");
    let full = by_system(&artifact(&out, "scores.json"));
    let bank: BTreeSet<(String, String)> = artifact(&out, "bank.json")["criteria"]
        .as_array()
        .expect("the bank's criteria")
        .iter()
        .map(|row| (word(row, "query"), word(row, "criterion")))
        .collect();
    let table = fs::read_to_string(project.path().join("verdicts.csv")).expect("the table");
    // The new systems are judged on the bank only.
    let new: Vec<&str> = table
        .lines()
        .enumerate()
        .filter(|(at, line)| {
            let columns: Vec<&str> = line.split(',').collect();
            *at == 0
                || (["system-2", "system-5"].contains(&columns[0])
                    && bank.contains(&(columns[1].to_owned(), columns[2].to_owned())))
        })
        .map(|(_, line)| line)
        .collect();
    fs::write(project.path().join("new.csv"), new.join("\n")).expect("the table can be written");
    let arguments = [
        "score",
        "--bank",
        "out/bank.json",
        "--verdicts",
        "new.csv",
        "--out",
        "new",
    ];
    calibrant(project.path(), &arguments).succeeded();
    let alone = by_system(&artifact(&project.path().join("new"), "scores.json"));
    assert_eq!(alone.keys().collect::<Vec<_>>(), ["system-2", "system-5"]);
    for (system, row) in &alone {
        for field in ["bank_score", "bank_ability"] {
            let (alone, full) = (number(row, field), number(&full[system], field));
            assert!(
                (alone - full).abs() <= ROUNDING,
                "`{field}` of `{system}`: {alone} and {full}"
            );
        }
        assert!(row["score"].is_null() && row["undefined"]["score"].is_object(), "{row}");
    }
}

fn word(row: &Value, field: &str) -> String {
    row[field].as_str().expect("text").to_owned()
}

fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or_else(|| panic!("`{field}` of {row}"))
}

#[test]
fn a_bank_is_a_rubric() {
    let project = project_after_run();
    let chosen = artifact(&project.path().join("out"), "bank.json")["criteria"]
        .as_array()
        .expect("the bank's criteria")
        .len();
    calibrant(project.path(), &["check", "out/bank.json"]).succeeded();
    calibrant(project.path(), &["run", "--rubric", "out/bank.json", "--out", "again"]).succeeded();
    let panel = &artifact(&project.path().join("again"), "calibration.json")["panel"];
    assert_eq!(panel["items"], chosen, "only the bank's items are scored");
}

#[test]
fn data_goes_to_standard_output_and_nothing_else_does() {
    let project = program::project();
    let ran = calibrant(project.path(), &["run", "--json"]).succeeded();
    let scores: Value = serde_json::from_str(&ran.stdout).expect("standard output is one artifact");
    assert_eq!(scores, artifact(&project.path().join("out"), "scores.json"));
    let quiet = calibrant(project.path(), &["run", "--quiet"]).succeeded();
    assert_eq!(quiet.stderr, "");
    calibrant(
        project.path(),
        &["run", "--verdicts", "nowhere.csv", "--out", "elsewhere"],
    )
    .refused_with("nowhere.csv");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let project = project_after_run();
    let mut child = Command::new(env!("CARGO_BIN_EXE_calibrant"))
        .args(["fit", "--json", "--from", "out"])
        .current_dir(project.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // As `head -c 1` does: read a little of what is longer than a pipe holds, and leave.
    let mut first = [0; 1];
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut first).expect("the first byte");
    drop(stdout);
    let output = child.wait_with_output().expect("the program ends");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    assert!(!complaint.contains("panicked"), "{complaint}");
    assert_eq!(first, *b"{");
}

#[test]
fn completions_and_manual_pages_are_whole() {
    let folder = program::folder();
    for shell in ["bash", "zsh", "fish"] {
        let script = calibrant(folder.path(), &["completions", shell]).succeeded().stdout;
        for command in ["calibrate", "assemble", "score", "report"] {
            assert!(script.contains(command), "{shell} completes `{command}`");
        }
    }
    calibrant(folder.path(), &["man", "pages"]).succeeded();
    let pages = program::files(&folder.path().join("pages"));
    let interface = calibrant_cli::interface();
    for command in interface.get_subcommands() {
        let name = format!("calibrant-{}.1", command.get_name());
        assert!(pages.contains_key(&name), "no page `{name}` among {:?}", pages.keys());
    }
}
