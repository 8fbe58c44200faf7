//! The lints on the 2,974 criteria of HealthBench: how many findings each gives, which `docs/lints/README.md` repeats.

mod program;

use std::collections::BTreeMap;
use std::fs;

use program::{calibrant, data, folder, repository, text};

/// Findings per lint; a change here is a change of the table in `docs/lints/README.md`.
const FINDINGS: [(&str, usize); 12] = [
    ("compound", 82),
    ("heavy-criterion", 1),
    ("missing-boundary", 1),
    ("missing-fail-example", 1),
    ("negated-penalty", 236),
    ("no-harm", 79),
    ("overlap", 14),
    ("polarity", 4),
    ("statement-form", 1),
    ("stock-phrase", 4),
    ("vague-word", 36),
    ("weight-concentration", 0),
];

#[test]
fn findings_per_lint_on_healthbench() {
    let Some(packed) = data(
        "findings_per_lint_on_healthbench",
        "healthbench_rubrics/raw_sample.jsonl.gz",
    ) else {
        return;
    };
    let folder = folder();
    let ran = calibrant(folder.path(), &["check", text(&packed), "--json"]).succeeded();
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("findings are JSON");
    assert_eq!(found["files"][0]["criteria"], 2194);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in found["findings"].as_array().expect("a list") {
        *counts.entry(finding["id"].as_str().expect("an id")).or_default() += 1;
    }
    // What the reading itself warns of is no lint.
    counts.remove("repeated-row");
    counts.remove("unused-key");
    let expected: BTreeMap<&str, usize> = FINDINGS.iter().copied().filter(|(_, count)| *count > 0).collect();
    assert_eq!(counts, expected);
    let page = fs::read_to_string(repository().join("docs/lints/README.md")).expect("the page is there");
    for (id, count) in FINDINGS.iter().filter(|(_, count)| *count > 0) {
        assert!(
            page.contains(&format!("| `{id}` | {count} |")),
            "docs/lints/README.md lacks {id}: {count}"
        );
    }
}

#[test]
fn the_page_of_a_lint_is_in_the_program() {
    let folder = folder();
    let ran = calibrant(folder.path(), &["check", "--explain", "vacuity"]).succeeded();
    let page = fs::read_to_string(repository().join("docs/lints/vacuity.md")).expect("the page is there");
    assert_eq!(ran.stdout, page);
}

/// A rubric whose every text tries to speak to a runner of workflows.
const HOSTILE: &str = r#"criteria:
  - id: "::error::id ##[error]"
    question: "::stop-commands::x\n::add-mask::y\r\n::set-env name=a::b and states it"
    boundary: "\n::warning::z"
    allow: {"::debug::w": "::notice::v"}
  - id: "b\u202e"
    question: Is it helpful information%0A::error::u?
"#;

#[test]
fn nothing_a_rubric_says_is_a_workflow_command() {
    let folder = folder();
    fs::write(folder.path().join("hostile.yaml"), HOSTILE).expect("the rubric is written");
    for format in ["table", "github", "json", "sarif"] {
        let ran = calibrant(folder.path(), &["check", "hostile.yaml", "--format", format]).succeeded();
        assert!(!ran.stdout.is_empty());
        assert!(format == "github" || !ran.stdout.contains("##["), "{format}");
        for line in ran.stdout.split(['\n', '\r']) {
            let ours = format == "github"
                && line
                    .split_once(" file=hostile.yaml,")
                    .is_some_and(|(command, _)| matches!(command, "::warning" | "::notice"));
            assert!(ours || !line.trim_start().starts_with("::"), "{format}: {line}");
            assert!(format != "github" || ours || line.is_empty(), "{line}");
        }
    }
}

#[test]
fn a_sarif_log_has_what_code_scanning_needs() {
    let folder = folder();
    fs::write(
        folder.path().join("a.yaml"),
        "criteria:\n  - id: a\n    question: Is the \u{1f600} reply kind and is it polite?\n",
    )
    .expect("the rubric is written");
    let ran = calibrant(folder.path(), &["check", "a.yaml", "--format", "sarif"]).succeeded();
    let log: serde_json::Value = serde_json::from_str(&ran.stdout).expect("SARIF is JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["markdown"].as_str().expect("a page").starts_with("# `"));
        assert!(result["partialFingerprints"]["calibrantFinding/v1"].is_string());
        assert_eq!(
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "a.yaml"
        );
    }
    let polite = run["results"]
        .as_array()
        .expect("results")
        .iter()
        .find(|result| result["ruleId"] == "no-harm");
    let region = &polite.expect("polite is style")["locations"][0]["physicalLocation"]["region"];
    // Code points, not UTF-16: the face counts once.
    assert_eq!(
        (region["startColumn"].as_u64(), region["endColumn"].as_u64()),
        (Some(45), Some(51))
    );
}
