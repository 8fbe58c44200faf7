//! Blocks that cannot have a score, or lack what a step before should have left: a result of theirs, and of nobody else.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use program::{artifact, calibrant, files_below, folder};
use serde_json::Value;

/// The rows of `blocks.json` by name.
fn rows(folder: &Path) -> BTreeMap<String, Value> {
    let index = artifact(folder, "blocks.json");
    let rows = index["blocks"].as_array().expect("blocks").iter();
    rows.map(|row| (row["block"].as_str().expect("a name").to_owned(), row.clone()))
        .collect()
}

/// A rubric in which one tag holds only a penalty, one only a monitored criterion, and one both kinds that score.
const LOPSIDED: &str = "criteria:
  - {id: c1, question: Is it right?, weight: 3, tags: [good]}
  - {id: c2, question: Is it whole?, weight: 1, tags: [good]}
  - {id: c3, question: Is it rude?, weight: -2, tags: [rude]}
  - {id: c4, question: Is it long?, monitor: true, tags: [watched]}
";

/// Verdicts on the criteria of [`LOPSIDED`], with a domain for each query.
fn lopsided_table() -> String {
    let mut table = String::from("system,query,criterion,judge,label,domain\n");
    for query in 1..=12 {
        let domain = if query <= 6 { "law" } else { "tax" };
        for (at, system) in ["a", "b", "c"].into_iter().enumerate() {
            for criterion in 1..=4 {
                let label = usize::from((query * 7 + criterion * 5 + at * 3) % 5 > at + 1);
                for judge in ["j1", "j2", "j3"] {
                    table.push_str(&format!("{system},q{query},c{criterion},{judge},{label},{domain}\n"));
                }
            }
        }
    }
    table
}

/// A folder with the table and a rubric.
fn lopsided(rubric: &str) -> tempfile::TempDir {
    let here = folder();
    fs::write(here.path().join("t.csv"), lopsided_table()).expect("the table can be written");
    fs::write(here.path().join("r.yaml"), rubric).expect("the rubric can be written");
    here
}

const BY_TAG: [&str; 8] = [
    "--verdicts",
    "t.csv",
    "--rubric",
    "r.yaml",
    "--out",
    "out",
    "--by",
    "tag",
];

#[test]
fn a_block_that_has_no_score_says_so_and_the_others_go_on() {
    let here = lopsided(LOPSIDED);
    let ran = calibrant(here.path(), &[&["run"], &BY_TAG[..]].concat()).succeeded();
    assert!(
        ran.stderr.contains("tag rude: no score: no criterion of the block"),
        "{}",
        ran.stderr
    );
    let out = here.path().join("out");
    let rows = rows(&out);
    let stopped = |name: &str| {
        let stopped = &rows[name]["stopped"];
        (
            stopped["step"].clone(),
            stopped["reason"].clone(),
            stopped["detail"].clone(),
        )
    };
    assert_eq!(
        stopped("rude"),
        (
            "score".into(),
            "no_positive_weight".into(),
            "no criterion of the block has a weight above 0, so no score is defined".into()
        )
    );
    assert_eq!(
        stopped("watched"),
        (
            "fit".into(),
            "only_monitored".into(),
            "every criterion of the block is only monitored, so nothing of it is scored".into()
        )
    );
    assert!(rows["good"]["stopped"].is_null() && rows["good"]["kendall"].is_f64());
    assert_eq!(
        (&rows["rude"]["items"], &rows["rude"]["systems"]),
        (&12.into(), &3.into())
    );
    assert!(out.join("report.html").is_file() && out.join("blocks/tag/rude/calibration.json").is_file());
    assert!(!out.join("blocks/tag/rude/scores.json").exists());
    // Step by step it comes to the same, and a second run changes nothing.
    let before = files_below(&out);
    calibrant(here.path(), &[&["run"], &BY_TAG[..]].concat()).succeeded();
    assert!(before == files_below(&out));
    fs::remove_dir_all(&out).expect("the results can be removed");
    calibrant(here.path(), &[&["calibrate"], &BY_TAG[..]].concat()).succeeded();
    for step in ["fit", "assemble", "score", "report"] {
        calibrant(here.path(), &[step, "--from", "out"]).succeeded();
    }
    let results = |files: &BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
        let result = |name: &str| !name.contains("report.") && !name.ends_with("calibrant-run.json");
        let files = files.iter().filter(|(name, _)| result(name));
        files.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
    };
    assert!(results(&before) == results(&files_below(&out)));
}

#[test]
fn weights_given_later_may_take_a_score_from_a_block_and_give_it_back() {
    let here = lopsided(&LOPSIDED.replace("weight: -2", "weight: 2"));
    calibrant(here.path(), &[&["run"], &BY_TAG[..]].concat()).succeeded();
    let out = here.path().join("out");
    let before = files_below(&out);
    assert!(rows(&out)["rude"]["stopped"].is_null());
    let other = LOPSIDED.replace("weight: -2", "weight: 0");
    fs::write(here.path().join("other.yaml"), other).expect("the rubric can be written");
    let other = ["--from", "out", "--rubric", "other.yaml"];
    calibrant(here.path(), &[&["assemble"], &other[..]].concat()).succeeded();
    calibrant(here.path(), &[&["score"], &other[..]].concat()).succeeded();
    assert_eq!(rows(&out)["rude"]["stopped"]["reason"], "no_positive_weight");
    assert!(!out.join("blocks/tag/rude/scores.json").exists());
    calibrant(here.path(), &[&["run"], &BY_TAG[..]].concat()).succeeded();
    assert!(before == files_below(&out));
}

#[test]
fn a_block_left_without_index_or_fit_does_not_stop_later_commands() {
    let here = lopsided(LOPSIDED);
    calibrant(here.path(), &[&["run"], &BY_TAG[..]].concat()).succeeded();
    let out = here.path().join("out");
    let before = files_below(&out);
    // What a command leaves that was refused before it wrote the index.
    fs::remove_file(out.join("blocks.json")).expect("a file can be removed");
    fs::remove_file(out.join("blocks/tag/good/fit.json")).expect("a file can be removed");
    calibrant(here.path(), &["score", "--from", "out"]).succeeded();
    let row = rows(&out)["good"].clone();
    assert_eq!(
        (&row["stopped"]["step"], &row["stopped"]["reason"]),
        (&"fit".into(), &"not_done".into())
    );
    calibrant(here.path(), &["fit", "--from", "out"]).succeeded();
    assert!(rows(&out)["good"]["stopped"].is_null());
    calibrant(here.path(), &[&["run"], &BY_TAG[..]].concat()).succeeded();
    assert!(before == files_below(&out));
}

#[test]
fn a_part_of_the_inputs_that_cannot_stand_alone_is_a_result_of_its_block() {
    // Each domain has queries of weight 0 only in one of them, and criteria of its own.
    let here = lopsided("criteria:\n  - {id: c1, question: Is it right?}\n  - {id: c2, question: Is it whole?}\n");
    let weights: String = (1..=12)
        .map(|query| format!("{{\"query\": \"q{query}\", \"weight\": {}}}\n", u8::from(query > 6)))
        .collect();
    fs::write(here.path().join("q.jsonl"), weights).expect("the queries can be written");
    let run = [
        "run",
        "--verdicts",
        "t.csv",
        "--rubric",
        "r.yaml",
        "--out",
        "out",
        "--by",
        "domain",
        "--queries",
        "q.jsonl",
    ];
    calibrant(here.path(), &run).succeeded();
    let out = here.path().join("out");
    let law = rows(&out)["law"].clone();
    assert_eq!(
        (&law["stopped"]["step"], &law["stopped"]["reason"]),
        (&"score".into(), &"no_query_weight".into())
    );
    assert!(rows(&out)["tax"]["stopped"].is_null());
    // A rubric of the block that was broken by hand is the block's own matter as well.
    let own = out.join("blocks/domain/tax/rubric.yaml");
    fs::write(own, "criteria: 3\n").expect("the rubric of the block can be written");
    calibrant(here.path(), &["report", "--from", "out"]).succeeded();
    let tax = rows(&out)["tax"].clone();
    assert_eq!(tax["stopped"]["reason"], "inputs_of_block");
    calibrant(here.path(), &run).succeeded();
    assert!(rows(&out)["tax"]["stopped"].is_null());
}
