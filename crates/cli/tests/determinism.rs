//! Same inputs and seed, same bytes: on one thread and two, in any order of rows, in a new folder or a used one.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The manifest holds keys of steps, and keys hold the hash of the table as it was stored.
const MANIFEST: &str = "calibrant-run.json";

/// Runs the project of a folder and returns the files of `out`.
fn run(folder: &Path, arguments: &[&str]) -> BTreeMap<String, Vec<u8>> {
    program::calibrant(folder, &[&["run", "--out", "out", "--quiet"], arguments].concat()).succeeded();
    program::files(&folder.join("out"))
}

fn assert_same_bytes(left: &BTreeMap<String, Vec<u8>>, right: &BTreeMap<String, Vec<u8>>) {
    assert!(left.keys().eq(right.keys()), "{:?} and {:?}", left.keys(), right.keys());
    for (name, bytes) in left {
        assert!(*bytes == right[name], "`{name}` differs");
    }
}

/// Without the pages, which show the command as it was typed.
fn without_pages(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    files.retain(|name, _| !name.starts_with("report.") && name != MANIFEST);
    files
}

#[test]
fn threads_do_not_show() {
    let project = program::project();
    let one = without_pages(run(project.path(), &["--threads", "1"]));
    fs::remove_dir_all(project.path().join("out")).expect("the results can be removed");
    let two = without_pages(run(project.path(), &["--threads", "2"]));
    assert_eq!(
        one.len(),
        7,
        "labels, rubric, four artifacts, responses: {:?}",
        one.keys()
    );
    assert_same_bytes(&one, &two);
}

#[test]
fn the_same_command_gives_the_same_pages() {
    let (left, right) = (program::project(), program::project());
    assert_same_bytes(&run(left.path(), &[]), &run(right.path(), &[]));
}

#[test]
fn the_order_of_rows_does_not_show() {
    let project = program::project();
    let table = project.path().join("verdicts.csv");
    let before = without_pages(run(project.path(), &[]));
    let text = fs::read_to_string(&table).expect("the table");
    fs::write(&table, shuffled(&text)).expect("the table can be written");
    fs::remove_dir_all(project.path().join("out")).expect("the results can be removed");
    let after = without_pages(run(project.path(), &[]));
    assert!(before.keys().eq(after.keys()));
    for (name, bytes) in &before {
        assert!(
            without_inputs(name, bytes) == without_inputs(name, &after[name]),
            "`{name}` differs"
        );
    }
}

/// The rows in steps of 1,103, which is prime and no divisor of their number, so that every row appears once.
fn shuffled(table: &str) -> String {
    const STEP: usize = 1_103;
    let lines: Vec<&str> = table.lines().collect();
    let rows = &lines[1..];
    assert_ne!(rows.len() % STEP, 0);
    let mut text = format!("{}\n", lines[0]);
    for at in 0..rows.len() {
        text.push_str(rows[at * STEP % rows.len()]);
        text.push('\n');
    }
    text
}

/// A JSON artifact without the hashes of what it was made from; other files as they are.
fn without_inputs(name: &str, bytes: &[u8]) -> Vec<u8> {
    if !name.ends_with(".json") {
        return bytes.to_owned();
    }
    let mut artifact: Value = serde_json::from_slice(bytes).expect("an artifact");
    let object = artifact.as_object_mut().expect("an artifact is an object");
    object.remove("inputs").expect("an artifact names its inputs");
    artifact.to_string().into_bytes()
}

#[test]
fn another_seed_moves_intervals_and_nothing_else() {
    let project = program::project();
    let scores = |seed: &str| {
        run(project.path(), &["--seed", seed]);
        program::artifact(&project.path().join("out"), "scores.json")
    };
    let (one, two) = (scores("1"), scores("2"));
    let (left, right) = (program::by_system(&one), program::by_system(&two));
    let fields = [
        "score",
        "information_score",
        "ability",
        "bank_score",
        "bank_ability",
        "coverage",
        "pass_rate",
    ];
    let mut moved = 0;
    for (system, row) in &left {
        for field in fields {
            assert!(!row[field].is_null(), "`{field}` of `{system}` has a value here");
            assert_eq!(row[field], right[system][field], "`{field}` of `{system}`");
        }
        for field in ["score_low", "score_high", "ability_low", "ability_high"] {
            moved += usize::from(row[field] != right[system][field]);
        }
    }
    // Twenty queries of six systems: a bound that stays the same to the last bit is rare.
    assert!(moved >= 12, "only {moved} of 24 bounds moved with the seed");
}

#[test]
fn a_used_folder_ends_like_a_new_one() {
    let used = program::project();
    run(used.path(), &[]);
    for arguments in [
        &["--threshold", "0.7"][..],
        &["--seed", "5"],
        &["--model", "1PL"],
        &["--budget", "9"],
        &["--judges", "judge-1,judge-2"],
    ] {
        let new = program::project();
        let (after, fresh) = (run(used.path(), arguments), run(new.path(), arguments));
        assert_same_bytes(&without_pages(after), &without_pages(fresh));
    }
}
