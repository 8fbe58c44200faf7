//! HealthBench on the real road: import, run, and every score as the published evaluation's own code has it.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use program::{artifact, by_system, calibrant, folder, repository};
use serde_json::Value;

/// Sums and quotients of numbers with few digits, in another order.
const ROUNDING: f64 = 1e-12;

fn fixtures() -> PathBuf {
    repository().join("testdata/formats/healthbench")
}

/// The pool and the results of three systems, imported and run by tag.
fn run_by_tag(here: &Path) {
    let named = |name: &str| fixtures().join(name).to_str().expect("UTF-8").to_owned();
    let files = [
        "pool.jsonl",
        "heron_allresults.json",
        "osprey_allresults.json",
        "sable_allresults.json",
    ]
    .map(named);
    let mut arguments = vec!["import", "--judge", "grader", "--out", "made"];
    arguments.extend(files.iter().map(String::as_str));
    calibrant(here, &arguments).succeeded();
    calibrant(here, &["run", "--config", "made/calibrant.toml", "--by", "tag"]).succeeded();
}

fn assert_near(found: &Value, expected: &Value, of: &str) {
    match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => assert!((found - expected).abs() <= ROUNDING, "{of}: {found}, not {expected}"),
        (found, expected) => assert_eq!(found, expected, "{of}"),
    }
}

#[test]
fn every_score_is_that_of_the_published_code() {
    let here = folder();
    run_by_tag(here.path());
    let out = here.path().join("made/out");
    let expected: BTreeMap<String, Value> =
        serde_json::from_slice(&fs::read(fixtures().join("expected.json")).expect("a fixture")).expect("it is JSON");

    // Of systems: the mean clipped to [0, 1].
    let scores = by_system(&artifact(&out, "scores.json"));
    for (system, published) in &expected {
        assert_near(&scores[system]["score"], &published["score"], system);
    }
    assert_eq!(scores["osprey"]["score"].as_f64(), Some(0.0), "its mean is below 0");

    // Of examples: nothing clipped.
    let responses = fs::read_to_string(out.join("responses.csv")).expect("a table");
    let mut found: BTreeMap<Vec<String>, f64> = BTreeMap::new();
    for line in responses.lines().skip(1) {
        let cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        found.insert(
            cells[..3].to_vec(),
            cells[3].parse().expect("every example has a score"),
        );
    }
    let mut below_zero = 0;
    let mut examples = 0;
    for (system, published) in &expected {
        for example in published["examples"].as_array().expect("a list") {
            let text = |at: usize| example[at].as_str().expect("a text").to_owned();
            let key = vec![system.clone(), text(0), text(1)];
            assert_near(&found[&key].into(), &example[2], &key.join(" "));
            below_zero += usize::from(found[&key] < 0.0);
            examples += 1;
        }
    }
    assert_eq!((examples, found.len()), (16, 16));
    assert!(below_zero >= 5, "penalties outweigh in some examples");

    // Of tags, of criteria and of examples alike: a tag without positive points has no score.
    let blocks = artifact(&out, "blocks.json");
    let mut tags = 0;
    for block in blocks["blocks"].as_array().expect("a list") {
        let tag = block["block"].as_str().expect("a name");
        let has_score = expected.values().any(|published| !published["means"][tag].is_null());
        let inside = out.join(block["folder"].as_str().expect("a folder"));
        assert_eq!(inside.join("scores.json").exists(), has_score, "{tag}");
        if has_score {
            let scores = by_system(&artifact(&inside, "scores.json"));
            for (system, published) in &expected {
                assert_near(
                    &scores[system]["score"],
                    &published["means"][tag],
                    &format!("{tag} of {system}"),
                );
            }
            tags += 1;
        }
    }
    assert_eq!(tags, 9);
}

#[test]
fn what_is_exported_is_imported_again_as_it_was() {
    let here = folder();
    let pool = fixtures().join("pool.jsonl");
    let import = |from: &str, to: &str| {
        calibrant(here.path(), &["import", from, "--from", "healthbench", "--out", to]).succeeded();
    };
    import(pool.to_str().expect("UTF-8"), "first");
    let export = [
        "export",
        "--to",
        "healthbench",
        "--config",
        "first/calibrant.toml",
        "--out",
        "again.jsonl",
    ];
    calibrant(here.path(), &export).succeeded();
    import("again.jsonl", "second");
    for name in ["criteria.jsonl", "queries.jsonl", "responses.jsonl"] {
        let read = |folder: &str| fs::read_to_string(here.path().join(folder).join(name)).expect("a file");
        assert_eq!(read("first"), read("second"), "{name}");
    }
}

#[test]
fn physicians_are_a_panel_whose_agreement_is_measured() {
    let here = folder();
    let meta = fixtures().join("meta.jsonl");
    let meta = meta.to_str().expect("UTF-8");
    let told = calibrant(here.path(), &["import", meta, "--out", "made"]).succeeded();
    assert!(told.stdout.contains("healthbench-meta"), "{}", told.stdout);
    let agreed = calibrant(here.path(), &["agree", "--config", "made/calibrant.toml", "--json"]).succeeded();
    let agreement: Value = serde_json::from_str(&agreed.stdout).expect("an artifact");
    let rows = agreement["coefficients"].as_array().expect("rows of coefficients");
    let defined = rows.iter().filter(|row| row["value"].is_number()).count();
    assert!(defined > 0, "some coefficient has a value");
}

#[test]
fn a_matrix_goes_out_to_r_and_comes_back() {
    let here = folder();
    run_by_tag(here.path());
    let export = ["export", "--to", "wide", "--from", "made/out", "--out"];
    calibrant(here.path(), &[&export[..], &["matrix.csv"]].concat()).succeeded();
    for form in ["slope-intercept", "slope-difficulty"] {
        let file = format!("{form}.csv");
        calibrant(here.path(), &[&export[..], &[&file, "--parameters", form]].concat()).succeeded();
    }
    let read = |name: &str| fs::read_to_string(here.path().join(name)).expect("a file");
    let matrix = read("matrix.csv");
    assert!(matrix.starts_with("system#sample,I01,I02,"), "{matrix}");
    assert_eq!(matrix.lines().count(), 1 + 4, "one row a system and sample");
    assert_eq!(read("matrix.codebook.csv").lines().count(), 1 + 16);
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        let text = read(name);
        text.lines()
            .skip(1)
            .map(|line| line.split(',').skip(1).map(number).collect())
            .collect()
    };
    let (intercepts, difficulties) = (rows("slope-intercept.csv"), rows("slope-difficulty.csv"));
    assert_eq!(intercepts.len(), 16);
    for (intercept, difficulty) in intercepts.iter().zip(&difficulties) {
        let d = -difficulty[0] * difficulty[1];
        assert!((intercept[1] - d).abs() <= ROUNDING || d.is_nan() && intercept[1].is_nan());
    }
    let import = ["import", "matrix.csv", "--from", "wide", "--out", "again"];
    let told = calibrant(here.path(), &import).succeeded();
    assert!(told.stdout.contains("64 verdicts"), "{}", told.stdout);
}
