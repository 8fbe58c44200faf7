//! Logs that Inspect wrote, read into our nouns, and damaged ones.

use std::io::{Cursor, Write};
use std::path::Path;

use calibrant_schema::Status;
use calibrant_schema::labels::{Agreement, Cell, CellLabel, LabelNames};
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Labels, Scale};
use calibrant_store::formats::{
    Collected, Content, Form, ImportOptions, Input, Losses, ReadError, ReadReport, ScoresLayout, ScoresOf, candidates,
    is_consistent, read, write_scores,
};
use calibrant_store::ledger::{Entry, VerdictSource};
use proptest::prelude::*;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/formats/inspect")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_with(bytes: &[u8], options: &ImportOptions) -> (Result<ReadReport, ReadError>, Collected) {
    let content = match bytes.starts_with(b"PK\x03\x04") {
        true => Content::Seekable(Box::new(Cursor::new(bytes))),
        false => Content::Stream(Box::new(bytes)),
    };
    let mut rows = Collected::default();
    let input = Input {
        name: "log.eval".to_owned(),
        content,
    };
    (read(Form::Inspect, input, options, &mut rows), rows)
}

fn log(name: &str) -> (ReadReport, Collected) {
    let (report, rows) = read_with(&bytes(name), &ImportOptions::default());
    (report.unwrap_or_else(|error| panic!("{name}: {error}")), rows)
}

fn refusal(bytes: &[u8]) -> String {
    let (report, _) = read_with(bytes, &ImportOptions::default());
    report.expect_err("it is no log").to_string()
}

fn find<'r>(rows: &'r Collected, query: &str, epoch: &str, criterion: &str) -> &'r Entry {
    let is = |row: &&Entry| (&*row.cell.query, &*row.cell.sample, &*row.cell.criterion) == (query, epoch, criterion);
    let mut found = rows.verdicts.iter().filter(is);
    let row = found
        .next()
        .unwrap_or_else(|| panic!("{query} {epoch} {criterion} has a verdict"));
    assert!(found.next().is_none(), "{query} {epoch} {criterion} has one verdict");
    row
}

fn count(losses: &Losses, what: &str) -> u64 {
    losses
        .iter()
        .filter(|loss| loss.what == what)
        .map(|loss| loss.count)
        .sum()
}

#[test]
fn a_rubric_of_four_criteria_with_two_epochs() {
    let (report, rows) = log("desk-alpha.eval");
    assert_eq!(
        report.version.as_deref(),
        Some("Inspect log, version 2 (inspect_ai 0.3.285)")
    );
    assert_eq!(
        (rows.queries.len(), rows.responses.len()),
        (64, 64),
        "each epoch names its query again"
    );
    let ids: Vec<&str> = rows.criteria.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(
        ids,
        ["gives_deadline", "invents_nothing", "names_step", "says_whom_to_call"]
    );
    assert_eq!(rows.verdicts.len(), 64 * 4);
    let missing = find(&rows, "desk-07", "2", "gives_deadline");
    assert_eq!((missing.status, missing.label), (Status::Skipped, None));
    for criterion in ids {
        let failed = find(&rows, "desk-19", "1", criterion);
        assert_eq!((failed.status, failed.label), (Status::Unparsable, None));
        assert_eq!(failed.comment.as_deref(), Some("grader_failed"));
    }
    let row = find(&rows, "desk-01", "1", "names_step");
    assert_eq!((&*row.cell.system, &*row.cell.judge), ("mockllm/alpha", "desk_rubric"));
    assert!(row.reason.as_deref().is_some_and(|reason| reason.starts_with("read: ")));
    assert!(
        row.judged_at
            .as_deref()
            .is_some_and(|time| time.starts_with("2026-01-05T09:"))
    );
    assert_eq!(
        rows.queries[0].prompt,
        Some(json!("What do I do about a parcel that came open?"))
    );
    let met = |row: &&Entry| row.label == Some(1.0);
    assert_eq!(
        rows.verdicts.iter().filter(met).count() + rows.verdicts.iter().filter(|row| row.label == Some(0.0)).count(),
        62 * 4 - 1
    );
    for what in [
        "metadata of samples",
        "metrics of the run",
        "scores reduced over epochs",
    ] {
        assert!(count(&report.losses, what) > 0, "{what}");
    }
}

#[test]
fn two_systems_share_queries_and_criteria() {
    let ((_, alpha), (_, beta)) = (log("desk-alpha.eval"), log("desk-beta.eval"));
    assert_eq!(alpha.criteria, beta.criteria);
    let sorted = |rows: &Collected| {
        let mut queries: Vec<String> = rows.queries.iter().map(|query| format!("{query:?}")).collect();
        queries.sort();
        queries
    };
    assert_eq!(sorted(&alpha), sorted(&beta));
    assert!(beta.verdicts.iter().all(|row| row.cell.system == "mockllm/beta"));
}

#[test]
fn a_grader_gives_partial_credit_a_level_and_no_label_where_it_failed() {
    let (report, rows) = log("graded.json");
    assert_eq!(rows.criteria.len(), 1);
    assert_eq!(rows.criteria[0].levels, Some(vec![0.0, 0.5, 1.0]));
    let mut labels: Vec<(&str, &str, Option<f64>)> = rows
        .verdicts
        .iter()
        .map(|row| (&*row.cell.query, &*row.cell.sample, row.label))
        .collect();
    labels.sort_by_key(|row| (row.1, row.0));
    let odd = "ünïcode \u{200b}/../x";
    let expected = [
        ("ice", "1", Some(0.0)),
        ("salt", "1", Some(1.0)),
        (odd, "1", Some(0.5)),
        ("ice", "2", None),
        ("salt", "2", Some(1.0)),
        (odd, "2", Some(0.5)),
    ];
    assert_eq!(labels, expected);
    assert_eq!(find(&rows, "ice", "2", "model_graded_qa").status, Status::Unparsable);
    let row = find(&rows, "ice", "1", "model_graded_qa");
    assert_eq!(
        (&*row.cell.judge, row.source),
        ("mockllm/grader", Some(VerdictSource::Text))
    );
    assert_eq!(row.model_answered.as_deref(), Some("mockllm/grader"));
    assert_eq!(row.reason.as_deref(), Some("Not so.\nGRADE: I"));
    assert!(
        report.taken.iter().any(|sentence| sentence.contains("`P` is 0.5")),
        "{:?}",
        report.taken
    );
    assert_eq!(rows.responses[0].body, json!("Magic."));
    let prompt = rows.queries[2].prompt.as_ref().expect("it was asked");
    assert_eq!(
        prompt[1]["content"],
        "Ist „Öl“ schwerer als Wasser? \u{1f9ea}\u{0} <script>alert(1)</script>"
    );
}

#[test]
fn an_archive_and_json_of_one_log_say_the_same() {
    for name in ["graded", "ends"] {
        let ((_, packed), (_, plain)) = (log(&format!("{name}.eval")), log(&format!("{name}.json")));
        let sorted = |rows: &Collected| {
            let mut told: Vec<String> = rows.verdicts.iter().map(|row| format!("{row:?}")).collect();
            told.extend(rows.responses.iter().map(|row| format!("{row:?}")));
            told.extend(rows.queries.iter().map(|row| format!("{row:?}")));
            told.sort();
            (told, rows.criteria.clone())
        };
        assert_eq!(sorted(&packed), sorted(&plain), "{name}");
    }
}

#[test]
fn values_of_every_kind() {
    let (report, rows) = log("odd.json");
    let label = |query: &str| find(&rows, query, "1", "odd").label;
    let labels = ["true", "half", "five", "yes", "digits", "none", "negative"].map(label);
    assert_eq!(labels, [1.0, 1.0, 5.0, 1.0, 0.25, 0.0, -2.0].map(Some));
    let status = |query: &str| find(&rows, query, "1", "odd").status;
    assert_eq!(
        ["word", "nan", "infinite"].map(status),
        [Status::Unparsable, Status::Skipped, Status::Unparsable]
    );
    assert_eq!(find(&rows, "word", "1", "odd").comment.as_deref(), Some("maybe"));
    assert_eq!(find(&rows, "infinite", "1", "odd").comment.as_deref(), Some("Infinity"));
    let listed = ["odd/1", "odd/2", "odd/3"].map(|criterion| find(&rows, "list", "1", criterion).label);
    assert_eq!(listed, [1.0, 0.0, 1.0].map(Some));
    let named = ["clear", "short", "a/b\n"].map(|criterion| find(&rows, "dict", "1", criterion).label);
    assert_eq!(named, [1.0, 0.5, 1.0].map(Some));
    assert_eq!(find(&rows, "dict", "1", "kind").status, Status::Skipped);
    let edited = find(&rows, "half", "1", "odd");
    assert_eq!(
        (edited.source, edited.reason.as_deref()),
        (Some(VerdictSource::Human), Some("read again: met"))
    );
    assert_eq!(count(&report.losses, "earlier values of edited scores"), 1);
    assert_eq!(
        find(&rows, "true", "1", "odd").evidence.as_deref(),
        Some("I say"),
        "a passage of the response"
    );
    assert_eq!(find(&rows, "true", "1", "second").evidence, None);
    let levels = rows
        .criteria
        .iter()
        .find(|row| row.id == "odd")
        .and_then(|row| row.levels.clone());
    assert_eq!(
        levels,
        Some(vec![-2.0, 0.0, 0.25, 1.0, 5.0]),
        "grades stand as they were given"
    );
}

#[test]
fn samples_that_broke_or_met_a_limit_say_so() {
    let (report, rows) = log("ends.eval");
    let broke = find(&rows, "breaks", "1", "match");
    assert_eq!(
        (broke.status, broke.label, broke.flags.as_deref()),
        (Status::Skipped, None, Some("error"))
    );
    assert!(
        broke
            .comment
            .as_deref()
            .is_some_and(|why| why.contains("the kettle is empty")),
        "{broke:?}"
    );
    assert!(
        !rows.responses.iter().any(|row| row.query == "breaks"),
        "nothing was answered"
    );
    let long = find(&rows, "long", "1", "match");
    assert_eq!((long.label, long.flags.as_deref()), (Some(1.0), Some("limit-message")));
    assert_eq!(find(&rows, "fine", "1", "match").source, Some(VerdictSource::Code));
    let picture = rows
        .queries
        .iter()
        .find(|query| query.query == "picture")
        .expect("it was asked");
    let prompt = picture.prompt.as_ref().expect("it was asked");
    assert_eq!(
        prompt[0]["content"],
        json!([{"type": "text", "text": "What is this?"}, {"type": "image"}])
    );
    assert!(count(&report.losses, "images, sounds, files and other parts that are no text") > 0);
    assert!(
        count(&report.losses, "prompts that a solver changed") > 0,
        "a system message was put before it"
    );
}

#[test]
fn a_run_that_was_killed_has_the_samples_that_were_finished() {
    let (report, rows) = log("cut-off.eval");
    assert_eq!(rows.responses.len(), 3);
    assert!(
        report.taken.iter().any(|sentence| sentence.contains("had not ended")),
        "{:?}",
        report.taken
    );
}

#[test]
fn choices_stand_under_the_question() {
    let (_, rows) = log("choices.eval");
    let first = rows
        .queries
        .iter()
        .find(|query| query.query == "1")
        .expect("it was asked");
    assert_eq!(
        first.prompt,
        Some(json!(
            "Which form extends the time to file?\n\nA) Form 12\nB) Form 48\nC) Form 7"
        ))
    );
    let labels: Vec<Option<f64>> = ["1", "2", "3", "4"]
        .iter()
        .map(|query| find(&rows, query, "1", "choice").label)
        .collect();
    assert_eq!(labels, [1.0, 1.0, 0.0, 1.0].map(Some));
}

#[test]
fn a_user_names_the_system_and_the_judge() {
    let options = ImportOptions {
        system: Some("mine".into()),
        judge: Some("reviewer".into()),
        ..ImportOptions::default()
    };
    let (report, rows) = read_with(&bytes("desk-beta.eval"), &options);
    report.expect("it is a log");
    assert!(
        rows.verdicts
            .iter()
            .all(|row| row.cell.system == "mine" && row.cell.judge == "reviewer")
    );
    let (_, graded) = read_with(&bytes("graded.json"), &options);
    assert!(
        graded.verdicts.iter().all(|row| row.cell.judge == "mockllm/grader"),
        "the log names this one"
    );
}

#[test]
fn logs_are_known_by_their_structure() {
    for name in [
        "desk-alpha.eval",
        "graded.eval",
        "cut-off.eval",
        "ends.eval",
        "graded.json",
        "odd.json",
    ] {
        assert_eq!(candidates(&bytes(name)), [Form::Inspect], "{name}");
    }
}

fn small(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut log = json!({
        "version": 2, "status": "success", "eval": {"model": "m", "task": "t", "scorers": [{"name": "s"}]},
        "samples": [{"id": "a", "epoch": 1, "input": "?", "scores": {"s": {"value": 1}}}],
    });
    change(&mut log);
    // The keys of an object of serde_json are sorted, and samples rest on what stands before them.
    let map = log.as_object().expect("it is an object");
    let keys = ["version", "status", "eval", "samples", "reductions"];
    let parts: Vec<String> = keys
        .iter()
        .filter_map(|key| map.get(*key).map(|value| format!("\"{key}\": {value}")))
        .collect();
    format!("{{{}}}", parts.join(", ")).into_bytes()
}

#[test]
fn what_is_wrong_is_told_with_what_to_do() {
    let cases: [(Vec<u8>, &str); 9] = [
        (small(|log| log["version"] = json!(3)), "version 3; version 2 is known"),
        (
            small(|log| drop(log.as_object_mut().expect("one").remove("version"))),
            "states no version",
        ),
        (small(|log| log["eval"] = json!({})), "which model was evaluated"),
        (small(|log| log["samples"] = json!([])), "no samples"),
        (
            small(|log| log["samples"][0]["id"] = json!(null)),
            "sample 1: the sample has no `id`",
        ),
        (small(|log| log["samples"][0]["epoch"] = json!(0)), "no number from 1"),
        (
            b"{\"version\": 2, \"samples\": [], \"eval\": {}}".to_vec(),
            "stand before `eval`",
        ),
        (
            b"{\"version\": 2, \"eval\": {\"model\": \"m\"}, \"samples\": [{\"id\"".to_vec(),
            "ends in the middle",
        ),
        (b"[1]".to_vec(), "no JSON that Inspect writes"),
    ];
    for (bytes, expected) in cases {
        let told = refusal(&bytes);
        assert!(told.contains(expected) && told.contains("help"), "{expected}: {told}");
    }
}

#[test]
fn a_score_without_a_value_speaks_for_the_criteria_of_its_scorer_alone() {
    let bytes = small(|log| {
        log["eval"]["scorers"] = json!([{"name": "rubric"}, {"name": "match"}]);
        log["samples"] = json!([
            {"id": "a", "epoch": 1, "input": "?", "scores": {"rubric": {"value": null}, "match": {"value": null, "reason": "scoring_failed"}}},
            {"id": "b", "epoch": 1, "input": "?", "scores": {"rubric": {"value": {"x": 1, "y": 0}}}},
        ]);
    });
    let (report, rows) = read_with(&bytes, &ImportOptions::default());
    report.expect("it is a log");
    let of_a: Vec<(&str, &str, Status)> = rows
        .verdicts
        .iter()
        .filter(|row| row.cell.query == "a")
        .map(|row| (&*row.cell.criterion, &*row.cell.judge, row.status))
        .collect();
    let expected = [
        ("match", "match", Status::Failed),
        ("x", "rubric", Status::Skipped),
        ("y", "rubric", Status::Skipped),
    ];
    assert_eq!(of_a, expected);
    let ids: Vec<&str> = rows.criteria.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, ["match", "x", "y"]);
}

/// An archive with these entries.
fn packed(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        let options = SimpleFileOptions::default().compression_method(method);
        archive.start_file(*name, options).expect("it can be begun");
        archive.write_all(content).expect("memory takes bytes");
    }
    archive.finish().expect("memory takes bytes").into_inner()
}

const HEADER: &[u8] = br#"{"version": 2, "status": "success", "eval": {"model": "m", "scorers": [{"name": "s"}]}}"#;
const SAMPLE: &[u8] = br#"{"id": "a", "epoch": 1, "input": "?", "scores": {"s": {"value": 1}}}"#;

#[test]
fn deflated_and_stored_entries_are_read_whatever_they_are_called() {
    for method in [CompressionMethod::Deflated, CompressionMethod::Stored] {
        let entries: [(&str, &[u8]); 3] = [
            ("header.json", HEADER),
            ("samples/../../etc/a_epoch_1.json", SAMPLE),
            ("samples/note.txt", b"?"),
        ];
        let (report, rows) = read_with(&packed(&entries, method), &ImportOptions::default());
        report.expect("it is a log");
        assert_eq!(rows.verdicts.len(), 1);
    }
}

#[test]
fn a_damaged_entry_is_named_and_the_others_are_read() {
    let entries: [(&str, &[u8]); 3] = [
        ("header.json", HEADER),
        ("samples/b_epoch_1.json", b"{\"id\": "),
        ("samples/a_epoch_1.json", SAMPLE),
    ];
    let (report, rows) = read_with(
        &packed(&entries, CompressionMethod::Deflated),
        &ImportOptions::default(),
    );
    let told = report.expect_err("one entry is damaged").to_string();
    assert!(
        told.contains("samples/b_epoch_1.json: the JSON ends in the middle"),
        "{told}"
    );
    assert_eq!(rows.verdicts.len(), 1);
}

#[test]
fn an_archive_without_a_header_or_an_end_is_told() {
    let told = refusal(&packed(
        &[("samples/a_epoch_1.json", SAMPLE)],
        CompressionMethod::Stored,
    ));
    assert!(
        told.contains("neither `header.json` nor `_journal/start.json`"),
        "{told}"
    );
    let whole = bytes("choices.eval");
    let told = refusal(&whole[..whole.len() / 2]);
    assert!(told.contains("inspect log recover"), "{told}");
}

#[test]
fn a_flipped_bit_in_a_zstd_entry_is_found() {
    let whole = bytes("choices.eval");
    let mut archive = ZipArchive::new(Cursor::new(&whole)).expect("it is an archive");
    let starts: Vec<usize> = (0..archive.len())
        .filter_map(|at| {
            let entry = archive.by_index_raw(at).expect("there is an entry");
            let is_sample = entry.name_raw().starts_with(b"samples/");
            is_sample.then(|| entry.data_start().expect("it has a place") as usize)
        })
        .collect();
    let mut damaged = whole.clone();
    damaged[starts[0] + 60] ^= 4;
    let told = refusal(&damaged);
    assert!(told.contains("samples/"), "{told}");
}

#[test]
fn a_bomb_ends_at_the_limit_and_takes_no_memory() {
    // 96 MiB of one text under a key that is kept, packed into 100 kB.
    let mut sample = br#"{"id": "a", "epoch": 1, "input": ""#.to_vec();
    sample.resize(sample.len() + (96 << 20), b'x');
    sample.extend_from_slice(br#""}"#);
    let bomb = packed(
        &[("header.json", HEADER), ("samples/a_epoch_1.json", &sample)],
        CompressionMethod::Deflated,
    );
    assert!(bomb.len() < 200_000);
    let told = refusal(&bomb);
    assert!(
        told.contains("samples/a_epoch_1.json") && told.contains("more than 64 MiB"),
        "{told}"
    );
}

#[test]
fn what_is_passed_over_may_be_large() {
    let mut sample = br#"{"id": "a", "epoch": 1, "input": "?", "events": [{"x": ""#.to_vec();
    sample.resize(sample.len() + (70 << 20), b'x');
    sample.extend_from_slice(br#""}], "scores": {"s": {"value": true}}}"#);
    let log = packed(
        &[("header.json", HEADER), ("samples/a_epoch_1.json", &sample)],
        CompressionMethod::Deflated,
    );
    let (report, rows) = read_with(&log, &ImportOptions::default());
    assert_eq!(
        count(&report.expect("events are passed over").losses, "events of runs"),
        1
    );
    assert_eq!(rows.verdicts.len(), 1);
}

fn labels() -> Labels {
    let names = LabelNames {
        systems: ["m", "other"].into_iter().collect(),
        queries: ["1", "b"].into_iter().collect(),
        samples: ["1", "2", "late"].into_iter().collect(),
        criteria: ["clear", "short"].into_iter().collect(),
    };
    let items = (0..2)
        .flat_map(|query| (0..2).map(move |criterion| Item { query, criterion }))
        .collect();
    let cell = |system, sample, label| Cell {
        system,
        sample,
        label,
        judges: 2,
        agreeing: 2,
        agreement: Agreement::Unanimous,
    };
    let cells = vec![
        (0, cell(0, 0, CellLabel::Level(1))),
        (1, cell(0, 0, CellLabel::Level(0))),
        (0, cell(0, 1, CellLabel::Level(0))),
        (1, cell(0, 1, CellLabel::None(Status::Failed))),
        (2, cell(0, 2, CellLabel::Level(1))),
        (3, cell(0, 0, CellLabel::None(Status::Refused))),
        (2, cell(1, 0, CellLabel::Level(1))),
    ];
    Labels::new(names, vec![Scale::Binary, Scale::Binary], items, cells)
}

#[test]
fn ratings_are_a_record_a_sample_and_epoch() {
    let labels = labels();
    let mut of = ScoresOf {
        system: "m",
        layout: ScoresLayout::Lines,
        judge: Some("consensus"),
    };
    let mut lines = Vec::new();
    let losses = write_scores(&mut lines, &labels, of).expect("memory takes bytes");
    let expected = "{\"id\": \"1\", \"epoch\": 1, \"value\": {\"clear\": 1.0, \"short\": 0.0}, \"metadata\": {\"judge\": \"consensus\"}}\n\
                    {\"id\": \"1\", \"epoch\": 2, \"value\": {\"clear\": 0.0, \"short\": NaN}, \"metadata\": {\"judge\": \"consensus\"}}\n";
    assert_eq!(String::from_utf8(lines).expect("it is a text"), expected);
    assert_eq!(count(&losses, "labels of samples that are no epoch"), 1);
    assert_eq!(count(&losses, "samples without any label"), 1);
    assert_eq!(count(&losses, "reasons why there is no label: failed"), 1);
    of.layout = ScoresLayout::List;
    let mut list = Vec::new();
    write_scores(&mut list, &labels, of).expect("memory takes bytes");
    let list = String::from_utf8(list).expect("it is a text").replace("NaN", "null");
    let list: Value = serde_json::from_str(&list).expect("it is a list");
    assert_eq!(list.as_array().map(Vec::len), Some(2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_said_or_survived(
        file in prop::sample::select(vec!["choices.eval", "ends.eval", "cut-off.eval", "ends.json", "odd.json"]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, prop::collection::vec(any::<u8>(), 0..6)), 1..5),
    ) {
        let mut bytes = bytes(file);
        for (at, length, piece) in changes {
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, piece);
        }
        check(&bytes)?;
    }

    #[test]
    fn damage_inside_of_entries_is_said_or_survived(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..6_usize, prop::sample::select(vec!["", "{", "}", "[", "]", "\"", ",", "NaN", "-", "null", "1e999", "\\u0000", "attachment://x"])), 1..4),
        which in any::<prop::sample::Index>(),
    ) {
        let json = String::from_utf8(bytes("ends.json")).expect("it is a text");
        let document: Value = serde_json::from_str(&json).expect("it has no numbers that are not finite");
        let samples = document["samples"].as_array().expect("it has samples").clone();
        let mut content = samples[which.index(samples.len())].to_string().into_bytes();
        for (at, length, piece) in changes {
            let at = at.index(content.len());
            let end = (at + length).min(content.len());
            content.splice(at..end, piece.bytes());
        }
        check(&packed(&[("header.json", HEADER), ("samples/x_epoch_1.json", &content)], CompressionMethod::Deflated))?;
    }
}

/// Reads bytes twice: the same rows and words, rows that can stand, and a refusal that says what to do.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let _ = candidates(bytes);
    let told = |report: &Result<ReadReport, ReadError>| match report {
        Ok(report) => format!("{report:?}"),
        Err(error) => error.to_string(),
    };
    let (report, rows) = read_with(bytes, &ImportOptions::default());
    let (again, rows_again) = read_with(bytes, &ImportOptions::default());
    prop_assert_eq!(told(&report), told(&again));
    prop_assert_eq!(&rows, &rows_again);
    prop_assert!(rows.verdicts.iter().all(is_consistent));
    if let Err(error) = report {
        let error = error.to_string();
        prop_assert!(error.contains("help"), "{error}");
        prop_assert!(!error.chars().any(|c| c.is_control() && c != '\n'), "{error:?}");
    }
    Ok(())
}
