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
