//! The clinical example holds together: rubric, answers, simulated verdicts, and the sheet that is shipped with it.

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_project::{Example, init};
use calibrant_report::sheet::offline;
use calibrant_schema::exercise::Paper;
use calibrant_schema::query::parse_queries;
use calibrant_schema::response::parse_responses;
use calibrant_schema::{Rubric, Turn};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clinical")
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn rubric() -> Rubric {
    let (rubric, warnings) = Rubric::parse_yaml(&text("rubric.yaml"), "rubric.yaml").expect("a sound rubric");
    assert!(warnings.is_empty(), "{}", warnings.render(None));
    rubric
}

#[test]
fn the_weights_are_worth_4_9_criteria() {
    // METHODS 130 and 116: weights 4, 3, 3, 2, 1, 1 and K_eff = 196 / 40.
    let weights: Vec<f64> = rubric().criteria.iter().map(|criterion| criterion.weight).collect();
    assert_eq!(weights, [4.0, 3.0, 3.0, 2.0, 1.0, 1.0]);
    let (sum, squares): (f64, f64) = (weights.iter().sum(), weights.iter().map(|weight| weight * weight).sum());
    assert_eq!((sum * sum, squares), (196.0, 40.0));
}

#[test]
fn every_criterion_has_its_examples_its_ruling_and_its_owner() {
    for criterion in rubric().criteria {
        let boundary = criterion.boundary.as_deref().unwrap_or_default();
        assert!(
            boundary.contains("PASS") && boundary.contains("FAIL"),
            "{}",
            criterion.id
        );
        assert!(
            criterion.pass_example.is_some() && criterion.fail_example.is_some(),
            "{}",
            criterion.id
        );
        assert!(
            criterion.weight_owner.is_some() && criterion.weight_date.is_some(),
            "{}",
            criterion.id
        );
    }
}

#[test]
fn forty_answers_to_ten_questions_have_two_simulated_verdicts_on_each_criterion() {
    let (queries, _) = parse_queries(&text("queries.jsonl"), "queries.jsonl").expect("sound queries");
    let (responses, _) = parse_responses(&text("responses.jsonl"), "responses.jsonl").expect("sound responses");
    assert_eq!((queries.len(), responses.len()), (10, 40));
    assert_eq!(text("verdicts.csv").lines().count(), 1 + 40 * 6 * 2);
    assert!(
        text("verdicts.csv")
            .lines()
            .skip(1)
            .all(|line| line.contains(",simulated-"))
    );
    for file in ["README.md", "rubric.yaml", "calibrant.toml"] {
        assert!(text(file).to_lowercase().contains("medical advice"), "{file}");
    }
}

/// The paper in a page, as the page itself reads it.
fn paper_in(page: &str) -> Paper {
    let start = page.find("id=\"data\">").expect("the page has its data") + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").expect("the data end");
    let data: serde_json::Value = serde_json::from_str(&page[start..end]).expect("JSON");
    serde_json::from_value(data["paper"].clone()).expect("a paper")
}

#[test]
fn the_shipped_sheet_is_what_the_command_writes_today() {
    let page = text("sheet.html");
    let paper = paper_in(&page);
    let made = offline(&paper);
    if std::env::var_os("CALIBRANT_BLESS").is_some() {
        fs::write(folder().join("sheet.html"), &made).expect("the example can be written");
    } else {
        assert!(page == made, "write it anew with CALIBRANT_BLESS=1");
    }
    // Its cards are those of the rubric, its answers those of the responses.
    let cards: Vec<_> = paper.criteria.iter().map(|criterion| criterion.card.clone()).collect();
    let expected: Vec<_> = rubric()
        .criteria
        .iter()
        .map(calibrant_schema::Criterion::card)
        .collect();
    assert_eq!(cards, expected);
    let (responses, _) = parse_responses(&text("responses.jsonl"), "responses.jsonl").expect("sound responses");
    let sorted = |mut texts: Vec<Vec<Turn>>| {
        texts.sort_by(|one, other| one[0].text.cmp(&other[0].text));
        texts
    };
    let shown = sorted(paper.units.iter().map(|unit| unit.response.clone()).collect());
    assert_eq!(
        shown,
        sorted(responses.iter().map(calibrant_schema::Response::turns).collect())
    );
    assert!(!page.contains("draft-") && !page.contains("medical information team"));
}

#[test]
fn init_writes_it_as_it_is_shipped() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let files = init(place.path(), Example::Clinical).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(files.len(), 6);
    for name in files {
        assert_eq!(
            fs::read_to_string(place.path().join(name)).expect(name),
            text(name),
            "{name}"
        );
    }
}
