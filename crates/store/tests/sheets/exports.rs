//! Exports: read back by the reader of tables, and in the forms that the other tools read.

use std::collections::HashMap;

use calibrant_schema::Exercise;
use calibrant_schema::exercise::{Act, Mark, Paper, Sheet};
use calibrant_store::Source;
use calibrant_store::sheets::{ExportForm, GradedSheet, export};
use calibrant_store::tables::{ReadOptions, read_verdicts};
use serde_json::{Value, json};

use super::paper::paper;

/// The exercise of the paper: answer k is of system s-k to one query.
fn exercise(paper: &Paper) -> Exercise {
    let units: Vec<Value> = paper
        .units
        .iter()
        .enumerate()
        .map(|(at, unit)| {
            json!({"id": unit.unit, "system": format!("s-{at}"), "query": "q1", "sample": "1", "response_hash": "0".repeat(64)})
        })
        .collect();
    let criteria: Vec<Value> = paper
        .criteria
        .iter()
        .map(|criterion| json!({"criterion": criterion.criterion, "card_hash": criterion.hash}))
        .collect();
    let whole = json!({
        "format": "calibrant.exercise/1", "calibrant": "0.1.0", "inputs": {}, "seed": 0, "settings": {}, "warnings": [],
        "id": paper.exercise, "round": 1, "rubric_hash": "1".repeat(64), "criteria": criteria, "units": units,
        "sheets": [{"grader": "ana", "order": []}, {"grader": "ben", "order": []}],
    });
    serde_json::from_value(whole).expect("an exercise")
}

/// One grader decided the first three answers on both criteria, the other one cell.
fn sheets(paper: &Paper) -> [Sheet; 2] {
    let mark = |nth: u64, unit: usize, criterion: &str, act: Act| Mark {
        unit: paper.units[unit].unit.clone(),
        criterion: Some(criterion.to_owned()),
        act,
        at: "2026-05-09T08:00:00Z".to_owned(),
        nth,
    };
    let ana = [
        mark(1, 0, "dated", Act::Verdict { label: 1.0 }),
        mark(2, 0, "3-5", Act::Verdict { label: 0.5 }),
        mark(3, 1, "dated", Act::Verdict { label: 0.0 }),
        mark(4, 1, "3-5", Act::NotApplicable),
        mark(5, 2, "dated", Act::CannotAssess),
        mark(
            6,
            0,
            "dated",
            Act::Comment {
                text: "=see 3".to_owned(),
            },
        ),
    ];
    let ben = [mark(1, 0, "dated", Act::Verdict { label: 0.0 })];
    [Sheet::of(&ana), Sheet::of(&ben)]
}

fn exported(form: ExportForm) -> String {
    let ana = paper();
    let ben = Paper {
        grader: "ben".to_owned(),
        ..paper()
    };
    let [of_ana, of_ben] = sheets(&ana);
    let graded = [
        GradedSheet {
            paper: &ana,
            sheet: &of_ana,
        },
        GradedSheet {
            paper: &ben,
            sheet: &of_ben,
        },
    ];
    export(form, &exercise(&ana), &graded)
}

#[test]
fn our_rows_are_a_table_of_verdicts() {
    let text = exported(ExportForm::Jsonl);
    assert_eq!(text.lines().count(), 6);
    let options = ReadOptions {
        scales: calibrant_store::tables::Scales {
            by_criterion: HashMap::from([("3-5".to_owned(), "0,0.5,1".parse().expect("a scale"))]),
            ..Default::default()
        },
        ..ReadOptions::default()
    };
    let read = read_verdicts(vec![Source::bytes("verdicts.jsonl", text.into_bytes())], &options);
    let read = read.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.verdicts.len(), 6);
}

fn json_of(form: ExportForm) -> Value {
    serde_json::from_str(&exported(form)).expect("one JSON value")
}

#[test]
fn label_studio_has_a_task_an_answer_and_an_annotation_a_grader() {
    let tasks = json_of(ExportForm::LabelStudio);
    assert_eq!(tasks.as_array().map(Vec::len), Some(8));
    let first = &tasks[0]["annotations"];
    assert_eq!(
        (first[0]["grader"].as_str(), first[1]["grader"].as_str()),
        (Some("ana"), Some("ben"))
    );
    let result = &first[0]["result"];
    assert_eq!(result[0]["value"]["choices"], json!(["yes"]));
    assert_eq!(result[1]["from_name"], "dated_comment");
    assert_eq!(result[2]["value"]["choices"], json!(["0.5"]));
    assert_eq!(tasks[7]["annotations"], json!([]));
}

#[test]
fn argilla_has_a_record_an_answer_and_users_as_uuids() {
    let records = json_of(ExportForm::Argilla);
    let responses = &records[0]["responses"]["dated"];
    assert_eq!(
        (responses[0]["value"].as_str(), responses[1]["value"].as_str()),
        (Some("yes"), Some("no"))
    );
    let user = responses[0]["user_id"].as_str().expect("a user");
    let lengths: Vec<usize> = user.split('-').map(str::len).collect();
    assert_eq!(lengths, [8, 4, 4, 4, 12]);
    assert_eq!(records[0]["metadata"]["graders"]["ana"], user);
}

#[test]
fn prodigy_accepts_rejects_and_ignores() {
    let text = exported(ExportForm::Prodigy);
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect();
    let answers: Vec<&str> = rows.iter().filter_map(|row| row["answer"].as_str()).collect();
    assert_eq!(answers, ["accept", "accept", "reject", "reject", "ignore", "ignore"]);
    assert_eq!(rows[1]["accept"], json!(["0.5"]));
    assert_eq!(rows[0]["_input_hash"], rows[2]["_input_hash"]);
    assert_ne!(rows[0]["_task_hash"], rows[1]["_task_hash"]);
}
