//! Every lint against its regression set in `testdata/lints`, and against the forms on its page in `docs/lints`.

#![expect(clippy::disallowed_methods, reason = "tests read their fixtures")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use calibrant_schema::{Rubric, Severity};
use calibrant_steps::lint::{LINTS, LintReport, lint};
use serde_json::Value;

/// What the set of a lint must at least have, of each kind.
const FEWEST_CASES: usize = 8;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn report(text: &str, file: &str) -> LintReport {
    let (rubric, _, places) = Rubric::parse_located(text, file).unwrap_or_else(|found| panic!("{text}\n{found}"));
    lint(&rubric, file, text, &places)
}

fn ids(report: &LintReport) -> BTreeSet<&'static str> {
    report.findings.iter().map(|finding| finding.id).collect()
}

#[test]
fn every_lint_finds_its_bad_cases_and_no_good_one() {
    let mut failures = Vec::new();
    // `overlap-labels` needs verdicts; its own test has them.
    for lint in LINTS.iter().filter(|lint| lint.id != "overlap-labels") {
        let path = repository(&format!("testdata/lints/{}.jsonl", lint.id));
        let text = fs::read_to_string(&path).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
        let (mut bad, mut good) = (0, 0);
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).expect("a case is JSON");
            let finds = case["finds"].as_bool().expect("a case says whether it is found");
            *(if finds { &mut bad } else { &mut good }) += 1;
            let found = ids(&report(&case["rubric"].to_string(), "case.json"));
            if found.contains(lint.id) != finds {
                failures.push(format!(
                    "{}: finds {finds}, found {found:?}: {}",
                    lint.id, case["rubric"]
                ));
            }
        }
        assert!(
            bad >= FEWEST_CASES && good >= FEWEST_CASES,
            "{}: {bad} bad and {good} good cases",
            lint.id
        );
    }
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The first YAML block below a heading.
fn block<'p>(page: &'p str, heading: &str) -> &'p str {
    let below = page.split(&format!("\n## {heading}\n")).nth(1).unwrap_or_default();
    let block = below.split("```yaml\n").nth(1).unwrap_or_default();
    block.split("```").next().unwrap_or_default()
}

#[test]
fn every_page_shows_a_form_that_is_found_and_one_that_is_not() {
    for lint in &LINTS {
        let path = repository(&format!("docs/lints/{}.md", lint.id));
        let page = fs::read_to_string(&path).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
        let [bad, good] = ["Bad", "Repaired"].map(|heading| report(block(&page, heading), "page.yaml"));
        if lint.id != "overlap-labels" {
            assert!(
                ids(&bad).contains(lint.id),
                "{}: the bad form gives {:?}",
                lint.id,
                ids(&bad)
            );
        }
        assert!(!ids(&good).contains(lint.id), "{}: the repaired form is found", lint.id);
        let warnings = good
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Warning);
        let others: Vec<&str> = warnings.map(|finding| finding.id).collect();
        assert!(others.is_empty(), "{}: the repaired form has {others:?}", lint.id);
        for heading in ["What it looks for", "When to allow it"] {
            assert!(
                page.contains(&format!("\n## {heading}\n")),
                "{}: no `{heading}`",
                lint.id
            );
        }
    }
}

#[test]
fn the_lints_are_those_of_the_pages_and_of_the_reference() {
    let ids: BTreeSet<&str> = LINTS.iter().map(|lint| lint.id).collect();
    assert_eq!(ids.len(), LINTS.len());
    assert!(LINTS.is_sorted_by_key(|lint| lint.id));
    let files = fs::read_dir(repository("docs/lints")).expect("the pages are there");
    let pages: BTreeSet<String> = files
        .map(|file| {
            file.expect("a page")
                .file_name()
                .into_string()
                .expect("pages have plain names")
        })
        .filter(|name| name != "README.md")
        .collect();
    assert_eq!(pages, ids.iter().map(|id| format!("{id}.md")).collect());
    let reference = fs::read_to_string(repository("docs/rubric.md")).expect("the reference is there");
    let table = reference
        .split("\n## Lints\n")
        .nth(1)
        .expect("the reference has a section on lints");
    let rows: BTreeSet<&str> = table
        .lines()
        .filter_map(|row| row.strip_prefix("| [`")?.split('`').next())
        .collect();
    assert_eq!(rows, ids);
    for lint in &LINTS {
        let row = format!(
            "| [`{0}`](lints/{0}.md) | {1} | {2} |",
            lint.id,
            lint.severity.as_str(),
            lint.title
        );
        assert!(table.contains(&row), "docs/rubric.md lacks the row\n{row}");
        assert!(!lint.help.is_empty() && lint.severity != Severity::Error);
    }
}

#[test]
fn findings_point_at_the_words_in_a_folded_text() {
    let text =
        "criteria:\n  - id: a\n    question: >\n      Does the reply give the fee\n      and warn of the fine?\n";
    let report = report(text, "a.yaml");
    let compound = report
        .findings
        .iter()
        .find(|finding| finding.id == "compound")
        .expect("two verbs");
    let span = compound.span.as_ref().expect("it has a place");
    assert_eq!((span.line, span.column, span.length), (5, 7, 8));
    assert!(
        compound
            .render(Some(text))
            .contains("5 |       and warn of the fine?\n  |       ^^^^^^^^")
    );
}

#[test]
fn allow_silences_with_its_reason_and_is_counted() {
    let text = "allow: {no-harm: the desk asked for it}\ncriteria:\n  - id: a\n    question: Does it give the fee and warn of the fine?\n    allow: {compound: one sentence of the law}\n  - id: b\n    question: Is it polite?\n";
    let report = report(text, "a.yaml");
    let silenced: Vec<(&str, &str)> = report
        .silenced
        .iter()
        .map(|silenced| (silenced.diagnostic.id, silenced.reason.as_str()))
        .collect();
    assert_eq!(
        silenced,
        [
            ("compound", "one sentence of the law"),
            ("no-harm", "the desk asked for it")
        ]
    );
    assert!(!ids(&report).contains("compound") && !ids(&report).contains("unused-allow"));
}

#[test]
fn lints_of_words_leave_criteria_of_code_and_other_languages_alone() {
    let text = "criteria:\n  - {id: a, question: Is it polite and does it give helpful advice?, check: {max_words: 20}}\n  - {id: b, question: \"Nennt die Antwort das Formular, ist sie polite?\"}\n";
    assert_eq!(
        ids(&report(text, "a.yaml")),
        BTreeSet::from(["missing-boundary", "missing-fail-example", "not-english"])
    );
}

proptest::proptest! {
    #[test]
    fn no_text_makes_a_lint_panic(
        question in r#"(states|Does|the reply|and|warns|\u{201c}|"|'|\(|\)|jargon|tone|ü|\u{1f600}|;|\.|in a|not|helpful|advice|,|[a-z]{1,6}| ){1,40}"#,
        weight in proptest::prelude::prop_oneof![proptest::prelude::Just(-2.0), proptest::prelude::Just(1.0)],
    ) {
        let rubric = serde_json::json!({"criteria": [
            {"id": "a", "question": format!("x {question}"), "boundary": format!("y {question}"), "weight": weight},
            {"id": "b", "question": "Is it there?"},
        ]});
        report(&rubric.to_string(), "any.json");
    }
}

#[test]
fn labels_that_go_together_are_found_and_others_are_not() {
    use calibrant_schema::verdicts::Judgement;
    use calibrant_schema::{Status, VerdictsBuilder};
    use calibrant_steps::lint::lint_labels;
    use calibrant_steps::{RubricJoin, consensus};

    let text = "criteria:\n  - {id: a, question: Does it name the form?}\n  - {id: b, question: Is the number there?, weight: 3}\n  - {id: c, question: Is it kind?, weight: 2}\n";
    let (rubric, _, places) = Rubric::parse_located(text, "a.yaml").expect("the rubric is sound");
    let table = |queries: u32| {
        let mut builder = VerdictsBuilder::default();
        for nth in 0..queries {
            let query = format!("q{nth:02}");
            // `b` follows `a` on all queries but one; `c` goes its own way.
            let labels = [
                ("a", nth % 2),
                ("b", if nth == 3 { 0 } else { nth % 2 }),
                ("c", nth / 2 % 2),
            ];
            for (criterion, level) in labels {
                let judgement = Judgement {
                    system: "s",
                    query: &query,
                    sample: "1",
                    criterion,
                    judge: "j",
                    repeat: 1,
                    level: Some(level as u8),
                    status: Status::Ok,
                    line: nth + 2,
                };
                builder.push(judgement, &calibrant_schema::Scale::Binary);
            }
        }
        builder.finish().expect("each cell once")
    };
    let found = |queries: u32| {
        let (verdicts, join) = (table(queries), RubricJoin::new(Some(&rubric)));
        lint_labels(&rubric, &consensus(&verdicts, &join), "a.yaml", text, &places)
    };
    let report = found(24);
    assert_eq!(report.findings.len(), 1, "{}", report.findings);
    let finding = report.findings.iter().next().expect("one finding");
    // 11 both, 1 a alone, 12 neither: phi = (11 * 12) / sqrt(12 * 12 * 11 * 13) = 132 / sqrt(20592).
    assert_eq!(
        finding.what,
        "the labels of `a` and `b` go together: phi 0.92, equal on 96 % of 24 responses"
    );
    assert_eq!(finding.label.as_deref(), Some("the two have 67 % of the weight"));
    assert_eq!(
        finding.span.as_ref().map(|span| (span.line, span.column)),
        Some((3, 23))
    );
    // 18 responses are too few to say anything.
    assert!(found(18).findings.is_empty());
}
