//! From a round of grading to a report: marks in the ledger are verdicts of a run, once every sheet is locked.

mod program;

use std::fs;
use std::path::Path;

use calibrant_project::grading::{Grading, GradingRequest, SampleOptions};
use calibrant_schema::Status;
use calibrant_schema::exercise::{Act, Mark};
use calibrant_store::ledger::{Cell, Entry, Ledger};
use program::{artifact, calibrant};

const RUBRIC: &str = "criteria:\n  - id: dated\n    question: Is it dated?\n  - id: kind\n    question: Is it kind?\n";

/// A folder with a round of two graders over twelve answers.
fn round() -> tempfile::TempDir {
    let folder = program::folder();
    let mut responses = String::new();
    for (system, query) in (0..4).flat_map(|system| (0..3).map(move |query| (system, query))) {
        responses +=
            &format!("{{\"system\": \"s{system}\", \"query\": \"q{query}\", \"response\": \"{system} {query}\"}}\n");
    }
    fs::write(folder.path().join("rubric.yaml"), RUBRIC).expect("the folder is writable");
    fs::write(folder.path().join("responses.jsonl"), responses).expect("the folder is writable");
    let start = [
        "grade",
        "start",
        "--rubric",
        "rubric.yaml",
        "--responses",
        "responses.jsonl",
        "--graders",
        "ana,ben",
    ];
    calibrant(folder.path(), &start).succeeded();
    folder
}

fn opened(folder: &Path) -> Grading {
    let request = GradingRequest {
        dir: folder.join("grading"),
        ledger: folder.join("verdicts.db"),
        round: None,
        rubric: None,
        responses: None,
        queries: None,
        graders: Vec::new(),
        sample: SampleOptions::default(),
    };
    Grading::open(&request).unwrap_or_else(|error| panic!("{error}"))
}

/// Decides every cell of a sheet by what is known of its answer, and locks it.
fn grade(grading: &Grading, grader: &str, label: impl Fn(&str, &str) -> bool) {
    let mut marks = Vec::new();
    for unit in &grading.exercise().units {
        for criterion in ["dated", "kind"] {
            let label = f64::from(u8::from(label(&unit.system, criterion)));
            marks.push(Mark {
                unit: unit.id.clone(),
                criterion: Some(criterion.to_owned()),
                act: Act::Verdict { label },
                at: "2026-05-09T08:00:00Z".to_owned(),
                nth: marks.len() as u64 + 1,
            });
        }
    }
    grading.record(grader, marks).expect("marks of this sheet");
    grading.lock(grader).expect("every cell is decided");
}

const RUN: [&str; 7] = [
    "run",
    "--verdicts",
    "verdicts.db",
    "--rubric",
    "rubric.yaml",
    "--out",
    "out",
];

#[test]
fn a_round_becomes_verdicts_when_its_last_sheet_is_locked() {
    let folder = round();
    let grading = opened(folder.path());
    grade(&grading, "ana", |system, criterion| {
        system > "s1" || criterion == "kind" && system > "s0"
    });
    calibrant(folder.path(), &RUN).refused_with("a sheet is not locked yet");
    grade(&grading, "ben", |system, _| system > "s1");
    // The ledger is still open: what was written last stands in its journal.
    assert!(folder.path().join("verdicts.db-wal").exists());
    let ran = calibrant(folder.path(), &RUN).succeeded();
    assert!(ran.stderr.contains("verdicts.db: 48 rows, ledger"), "{}", ran.stderr);
    let calibration = artifact(&folder.path().join("out"), "calibration.json");
    assert_eq!(calibration["panel"]["verdicts"], 48);
    let judges: Vec<&str> = calibration["judges"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["judge"].as_str())
        .collect();
    assert_eq!(judges, ["ana", "ben"]);
    let hash = calibration["inputs"]["verdicts"].clone();
    drop(grading);
    assert!(
        !folder.path().join("verdicts.db-wal").exists(),
        "closing empties the journal"
    );
    let again = calibrant(folder.path(), &RUN).succeeded();
    assert!(again.stderr.contains("calibrate: unchanged"), "{}", again.stderr);

    let ledger = Ledger::open(&folder.path().join("verdicts.db")).expect("it opens");
    let cell = Cell {
        system: "s0".to_owned(),
        query: "q0".to_owned(),
        sample: "1".to_owned(),
        criterion: "dated".to_owned(),
        judge: "model".to_owned(),
        repeat: 1,
    };
    ledger
        .record(vec![Entry::new(cell, Status::Ok, Some(1.0))])
        .expect("recorded");
    let with_one_more = calibrant(folder.path(), &RUN).succeeded();
    assert!(
        with_one_more.stderr.contains("calibrate: done"),
        "{}",
        with_one_more.stderr
    );
    let calibration = artifact(&folder.path().join("out"), "calibration.json");
    assert_eq!(calibration["panel"]["verdicts"], 49);
    assert_ne!(calibration["inputs"]["verdicts"], hash);
}

#[test]
fn verdicts_on_an_earlier_wording_are_left_out_and_counted() {
    let folder = round();
    let grading = opened(folder.path());
    grade(&grading, "ana", |system, criterion| {
        system > "s1" || criterion == "kind" && system > "s0"
    });
    grade(&grading, "ben", |system, _| system > "s1");
    drop(grading);
    let reworded = RUBRIC.replace("Is it dated?", "Is it dated by day and month?\n    weight: 3");
    fs::write(folder.path().join("rubric.yaml"), &reworded).expect("the folder is writable");
    let ran = calibrant(folder.path(), &RUN).succeeded();
    let words = "verdicts given to an earlier wording of their criterion: 24 (24 of `dated`); they are left out";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    assert_eq!(
        artifact(&folder.path().join("out"), "calibration.json")["panel"]["verdicts"],
        24
    );
    // The wording goes back, the weight stays: nothing is stale, and nothing is said of another rubric.
    fs::write(
        folder.path().join("rubric.yaml"),
        reworded.replace(" by day and month", ""),
    )
    .expect("the folder is writable");
    let ran = calibrant(folder.path(), &RUN).succeeded();
    assert!(
        !ran.stderr.contains("earlier wording") && !ran.stderr.contains("another rubric"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        artifact(&folder.path().join("out"), "calibration.json")["panel"]["verdicts"],
        48
    );
}

#[test]
fn a_database_that_is_no_ledger_is_refused() {
    let folder = program::folder();
    // The header of an SQLite file, and nothing of a ledger behind it.
    let mut bytes = b"SQLite format 3\0".to_vec();
    bytes.resize(4096, 0);
    fs::write(folder.path().join("table.csv"), bytes).expect("the folder is writable");
    calibrant(folder.path(), &["run", "--verdicts", "table.csv", "--out", "out"]).refused_with("table.csv");
    let ledger = Ledger::open(&folder.path().join("verdicts.db")).expect("a new ledger");
    drop(ledger);
    calibrant(folder.path(), &["run", "--verdicts", "verdicts.db", "--out", "out"]).refused_with("no verdict to read");
}
