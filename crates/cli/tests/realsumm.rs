//! The one real panel of the shape the road is made for, in one command, against its authors' scores and its SOURCE.md.

mod program;

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

/// reference_scores.csv has six decimals.
const SIX_DECIMALS: f64 = 5.001e-7;
/// SOURCE.md prints four decimals.
const FOUR_DECIMALS: f64 = 5.001e-5;

/// Runs the table of the data folder with further arguments; returns (calibration, scores).
fn run(test: &str, arguments: &[&str]) -> Option<(Value, Value)> {
    let table = program::data(test, "realsumm/labels.csv.gz")?;
    let folder = program::folder();
    let command = [&["run", "--verdicts", program::text(&table), "--out", "out"], arguments].concat();
    program::calibrant(folder.path(), &command).succeeded();
    let out = folder.path().join("out");
    Some((
        program::artifact(&out, "calibration.json"),
        program::artifact(&out, "scores.json"),
    ))
}

/// (authors' score, score by strict majority of all slots) of each system.
fn reference() -> Option<BTreeMap<String, (f64, f64)>> {
    let text = fs::read_to_string(program::data("realsumm", "realsumm/reference_scores.csv")?).expect("the scores");
    let rows = text.lines().skip(1).map(|line| {
        let columns: Vec<&str> = line.split(',').collect();
        let number = |at: usize| columns[at].parse().expect("a number");
        (columns[0].to_owned(), (number(2), number(3)))
    });
    Some(rows.collect())
}

#[test]
fn scores_are_the_authors() {
    let Some(reference) = reference() else { return };
    let Some((_, scores)) = run("realsumm", &[]) else {
        return;
    };
    let systems = program::by_system(&scores);
    assert_eq!((systems.len(), reference.len()), (25, 25));
    for (system, (authors, majority)) in &reference {
        let score = systems[system]["score"].as_f64().expect("a score");
        assert!(
            (score - majority).abs() <= SIX_DECIMALS,
            "{system}: {score} and {majority}"
        );
        let is_authors = (score - authors).abs() <= SIX_DECIMALS;
        // SOURCE.md: the authors' file holds the score of ext:bart_out under the name of this one.
        assert_eq!(is_authors, system != "abs:bart_out", "{system}: {score} and {authors}");
    }
}

#[test]
fn attrition_and_sweep_are_those_of_the_source() {
    let Some((calibration, _)) = run("realsumm", &["--judges", "w1,w2,w3"]) else {
        return;
    };
    let rows = |field: &str| calibration[field].as_array().expect("rows").clone();
    let attrition: BTreeMap<u64, f64> = rows("attrition")
        .iter()
        .map(|row| {
            (
                row["systems"].as_u64().expect("systems"),
                row["retention"].as_f64().expect("retention"),
            )
        })
        .collect();
    for (systems, expected) in [
        (1, 0.7879),
        (2, 0.6337),
        (4, 0.4321),
        (6, 0.3120),
        (8, 0.2358),
        (10, 0.1847),
        (12, 0.1488),
        (16, 0.1029),
        (25, 0.0540),
    ] {
        let found = attrition[&systems];
        assert!(
            (found - expected).abs() <= FOUR_DECIMALS,
            "R({systems}) is {found}, not {expected}"
        );
    }
    let sweep = rows("sweep");
    let at = |threshold: f64| {
        let row = sweep.iter().find(|row| row["threshold"] == threshold);
        row.unwrap_or_else(|| panic!("no row at {threshold}"))
    };
    for (threshold, kept, kappa) in [
        (0.0, 1056, Some(0.7160)),
        (0.5, 1019, Some(0.7330)),
        (0.6, 929, Some(0.7628)),
        (0.65, 870, None),
        (0.7, 782, Some(0.8027)),
        (0.8, 479, Some(0.8786)),
        (0.9, 151, Some(0.9667)),
    ] {
        assert_eq!(at(threshold)["kept"], kept, "kept at {threshold}");
        if let Some(expected) = kappa {
            let found = at(threshold)["pairwise_kappa"].as_f64().expect("a kappa");
            assert!(
                (found - expected).abs() <= FOUR_DECIMALS,
                "kappa at {threshold} is {found}, not {expected}"
            );
        }
    }
    let kept = rows("criteria").iter().filter(|row| row["kept"] == true).count();
    assert_eq!(kept, 479, "kept at the default threshold of 0.8");
}

#[test]
fn its_pool_is_its_rubric() {
    let Some(rubric) = program::data("realsumm", "realsumm/criteria.jsonl.gz") else {
        return;
    };
    let with = run("realsumm", &["--rubric", program::text(&rubric)]);
    let without = run("realsumm", &[]);
    let (Some((_, with)), Some((_, without))) = (with, without) else {
        return;
    };
    // SOURCE.md: weight 1 for all, so a score with the pool is the score without.
    let without = program::by_system(&without);
    for (system, row) in program::by_system(&with) {
        assert_eq!(row["score"], without[&system]["score"], "{system}");
    }
}
