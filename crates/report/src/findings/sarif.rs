//! Findings as SARIF 2.1.0.

use std::collections::BTreeMap;

use calibrant_schema::canonical::Hash;
use calibrant_schema::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::{Reported, Rule};

/// The published schema of the format.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A SARIF log of one run. Columns count Unicode code points, which `columnKind` says.
///
/// A silenced finding is a result with a suppression in the source and its reason. The fingerprint of a finding is made
/// of its id, its file, the line it points at and which of the findings alike it is: it outlives lines added above.
#[must_use]
pub fn sarif(findings: &[Reported<'_>], rules: &[Rule<'_>], version: &str) -> String {
    let mut ids: Vec<&str> = findings.iter().map(|finding| finding.diagnostic.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut met: BTreeMap<String, u32> = BTreeMap::new();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, &ids, &mut met)).collect();
    let rules: Vec<Value> = ids.iter().map(|id| rule(id, rules)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "calibrant", "semanticVersion": version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(id: &str, rules: &[Rule<'_>]) -> Value {
    match rules.iter().find(|rule| rule.id == id) {
        Some(rule) => json!({
            "id": id,
            "shortDescription": {"text": rule.title},
            "help": {"text": rule.page, "markdown": rule.page},
            "defaultConfiguration": {"level": rule.level},
        }),
        None => json!({"id": id}),
    }
}

fn result(finding: &Reported<'_>, ids: &[&str], met: &mut BTreeMap<String, u32>) -> Value {
    let diagnostic = finding.diagnostic;
    let label = diagnostic.label.as_deref().map(|label| format!(": {label}"));
    let message = format!("{}{}. {}", diagnostic.what, label.unwrap_or_default(), diagnostic.help);
    let mut result = json!({
        "ruleId": diagnostic.id,
        "ruleIndex": ids.binary_search(&diagnostic.id).expect("every id is among the rules"),
        "level": level(diagnostic.severity),
        "message": {"text": message},
        "partialFingerprints": {"calibrantFinding/v1": fingerprint(finding, met)},
    });
    if diagnostic.span.is_some() {
        result["locations"] = json!([location(diagnostic)]);
    }
    if let Some(reason) = finding.silenced {
        result["suppressions"] = json!([{"kind": "inSource", "justification": reason}]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn location(diagnostic: &Diagnostic) -> Value {
    let Some(span) = &diagnostic.span else { return json!({}) };
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&span.file)},
        "region": {
            "startLine": span.line.max(1),
            "startColumn": span.column.max(1),
            "endColumn": span.column.max(1) + span.length,
        },
    }})
}

fn fingerprint(finding: &Reported<'_>, met: &mut BTreeMap<String, u32>) -> String {
    let file = finding.diagnostic.span.as_ref().map(|span| span.file.as_str());
    let alike = json!({"id": finding.diagnostic.id, "file": file, "line": finding.line.map(str::trim)});
    let hash = Hash::of_json(&alike).short().to_string();
    let count = met.entry(hash.clone()).or_insert(0);
    *count += 1;
    format!("{hash}:{count}")
}

/// A path as a relative or file URI: forward slashes, everything else but unreserved characters as per cent codes.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    match uri.starts_with('/') {
        true => format!("file://{uri}"),
        false => uri,
    }
}
