//! Samples as the real lm-eval logs them.

use std::path::Path;

use calibrant_schema::Status;
use calibrant_store::formats::{
    Collected, Content, Form, ImportOptions, Input, Losses, ReadError, ReadReport, candidates, read,
};

fn name(task: &str) -> String {
    format!("testdata/formats/lm_eval/desk__small/samples_{task}_2026-01-02T03-04-05.000000.jsonl")
}

fn bytes(task: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name(task));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn take(name: &str, bytes: &[u8], options: &ImportOptions) -> Result<(Collected, ReadReport), ReadError> {
    let input = Input {
        name: name.to_owned(),
        content: Content::Stream(Box::new(bytes)),
    };
    let mut sink = Collected::default();
    let report = read(Form::LmEval, input, options, &mut sink)?;
    Ok((sink, report))
}

fn samples(task: &str) -> (Collected, ReadReport) {
    let read = take(&name(task), &bytes(task), &ImportOptions::default());
    read.unwrap_or_else(|error| panic!("{task}: {error}"))
}

fn lost(losses: &Losses, what: &str) -> u64 {
    losses
        .iter()
        .filter(|loss| loss.what == what)
        .map(|loss| loss.count)
        .sum()
}

fn labels(sink: &Collected, criterion: &str) -> Vec<(Option<f64>, Status)> {
    let rows = sink.verdicts.iter().filter(|row| row.cell.criterion == criterion);
    rows.map(|row| (row.label, row.status)).collect()
}

const MET: (Option<f64>, Status) = (Some(1.0), Status::Ok);
const UNMET: (Option<f64>, Status) = (Some(0.0), Status::Ok);
const NONE: (Option<f64>, Status) = (None, Status::Failed);

#[test]
fn each_filter_is_a_criterion_and_the_whole_answer_the_response() {
    let (sink, report) = samples("desk_gen");
    let ids: Vec<&str> = sink.criteria.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, ["desk_gen.exact_match@loose", "desk_gen.exact_match@strict"]);
    assert_eq!(labels(&sink, "desk_gen.exact_match@strict"), [MET, UNMET, UNMET]);
    assert_eq!(labels(&sink, "desk_gen.exact_match@loose"), [UNMET; 3]);
    let first = &sink.verdicts[0];
    assert_eq!(
        (first.cell.system.as_str(), first.cell.judge.as_str()),
        ("desk__small", "lm-eval")
    );
    assert_eq!(first.evidence.as_deref(), Some("14 days"), "what the filter took");
    assert_eq!(sink.responses[0].body, "You may keep it. The answer is 14 days");
    let samples: Vec<&str> = sink.responses.iter().map(|row| row.sample.as_str()).collect();
    assert_eq!(samples, ["1", "2", "1", "2", "1", "2"], "the model was asked twice");
    assert_eq!(sink.queries[0].prompt, Some("Q: For how long is a loan?\nA:".into()));
    assert_eq!(sink.queries[0].query, "desk_gen-0-0b47c4ee");
    assert_eq!(sink.queries[0].domain.as_deref(), Some("desk_gen"));
    assert_eq!(lost(&report.losses, "targets"), 6);
}

#[test]
fn of_choices_the_likeliest_is_the_response_and_no_number_is_no_label() {
    let (sink, report) = samples("desk_choice");
    let said: Vec<_> = sink.responses.iter().map(|row| row.body.clone()).collect();
    assert_eq!(said, ["14 days", "14 days"], "the third has no likelihoods");
    // lm-eval itself writes `acc` 1 for the document whose likelihoods are no numbers.
    assert_eq!(labels(&sink, "desk_choice.acc"), [MET, MET, NONE]);
    assert_eq!(lost(&report.losses, "values of `brier_score`"), 3);
    assert!(!sink.criteria.iter().any(|row| row.id.contains("brier")));
}

#[test]
fn a_metric_with_one_value_off_the_scale_gives_no_label() {
    let (sink, report) = samples("desk_own");
    assert_eq!(
        labels(&sink, "desk_own.is_short"),
        [UNMET, MET, NONE],
        "`NaN` is missing"
    );
    assert_eq!(lost(&report.losses, "missing values of `is_short`"), 1);
    assert_eq!(lost(&report.losses, "values of `length`"), 3);
    assert_eq!(sink.criteria.len(), 1);
    let some = String::from_utf8(bytes("desk_own")).expect("UTF-8");
    let some = some
        .replace("\"length\": 38.0", "\"length\": 1.0")
        .replace("\"length\": 14.0", "\"length\": 0.0");
    let (sink, _) = take(&name("desk_own"), some.as_bytes(), &ImportOptions::default()).expect("it is right");
    assert!(
        sink.verdicts
            .iter()
            .all(|row| row.cell.criterion == "desk_own.is_short"),
        "32 decides for all"
    );
}

#[test]
fn the_likelihood_of_a_text_is_no_response() {
    let (sink, report) = samples("desk_text");
    assert_eq!(
        (sink.responses.len(), sink.verdicts.len(), sink.queries.len()),
        (0, 0, 3)
    );
    assert_eq!(lost(&report.losses, "documents without an answer in words"), 3);
}

#[test]
fn a_chat_is_messages() {
    let (sink, _) = samples("desk_chat");
    let turns = sink.queries[0].turns();
    assert_eq!(
        (turns[0].role.as_str(), turns[0].text.as_str()),
        ("user", "Q: For how long is a loan?\nA:")
    );
}

#[test]
fn older_rows_are_read_and_others_named() {
    let row = r#"{"doc_id": 7, "doc": {"q": "a"}, "target": "b", "arguments": [["Q: a", {"until": []}]], "resps": [["c"]], "filtered_resps": ["c"], "acc": 1.0}"#;
    let options = ImportOptions {
        system: Some("m".to_owned()),
        ..ImportOptions::default()
    };
    let (sink, _) =
        take("old.jsonl", row.as_bytes(), &options).expect("rows without hashes and lists of metrics are read");
    assert_eq!(
        (
            sink.responses[0].system.as_str(),
            sink.verdicts[0].cell.criterion.as_str()
        ),
        ("m", "acc")
    );
    let refused = |name: &str, text: &str, options: &ImportOptions| match take(name, text.as_bytes(), options) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{name} was read"),
    };
    let other = refused("x/old.jsonl", "{\"doc_id\": 1}\n", &options);
    assert!(
        other.contains("old.jsonl:1:1") && other.contains("no `arguments`") && other.contains("--log_samples"),
        "{other}"
    );
    assert!(refused("old.jsonl", row, &ImportOptions::default()).contains("--system"));
    let twice = refused("x.jsonl", &format!("{row}\n{row}\n"), &options);
    assert!(
        twice.contains("x.jsonl:2:1") && twice.contains("first on line 1"),
        "{twice}"
    );
    assert!(refused("x.jsonl", "", &options).contains("no sample"));
}

#[test]
fn a_log_is_known_by_its_head() {
    assert_eq!(candidates(&bytes("desk_gen")), [Form::LmEval]);
    let promptfoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats/promptfoo");
    for (file, form) in [
        ("desk.json", Form::Promptfoo),
        ("desk.jsonl", Form::Promptfoo),
        ("plain.results.yaml", Form::Promptfoo),
        ("desk.yaml", Form::PromptfooConfig),
        ("exported.yaml", Form::PromptfooConfig),
    ] {
        let head = std::fs::read(promptfoo.join(file)).expect("the file is there");
        assert_eq!(candidates(&head[..head.len().min(3000)]), [form], "{file}");
    }
    for file in ["desk.csv", "rubric.yaml", "queries.jsonl", "responses.jsonl"] {
        let head = std::fs::read(promptfoo.join(file)).expect("the file is there");
        assert_eq!(candidates(&head), [], "{file}");
    }
}
