//! From a rubric to YAML.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Criterion, Rubric, WhenNotApplicable};
use crate::roll_up::{RollUp, RollUpRule};
use crate::scale::Scale;

/// Lines of folded text are wrapped before this column.
const WIDTH: usize = 80;

/// The rubric as YAML; defaults are left out.
pub(super) fn print(rubric: &Rubric) -> String {
    let mut out = String::new();
    if let Some(name) = &rubric.name {
        put(&mut out, "", "rubric", &scalar(name));
    }
    if let Some(version) = rubric.version {
        put(&mut out, "", "version", &version.to_string());
    }
    if let Some(roll_up) = &rubric.roll_up {
        put(&mut out, "", "roll_up", &roll_up_text(roll_up));
    }
    if !rubric.allow.is_empty() {
        put(&mut out, "", "allow", &silenced(&rubric.allow));
    }
    out.push_str("criteria:\n");
    for (index, criterion) in rubric.criteria.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        put_criterion(&mut out, criterion);
    }
    if !rubric.violations.is_empty() {
        out.push_str("violations:\n");
    }
    for violation in &rubric.violations {
        let detectors = list(&violation.detected_by);
        let _ = writeln!(
            out,
            "  - {{id: {}, loss: {}, detected_by: {detectors}}}",
            scalar(&violation.id),
            number(violation.loss)
        );
    }
    out
}

fn put(out: &mut String, indent: &str, key: &str, value: &str) {
    let _ = writeln!(out, "{indent}{key}: {value}");
}

pub(super) fn roll_up_text(roll_up: &RollUp) -> String {
    let rule = match &roll_up.rule {
        RollUpRule::All => "rule: all".to_owned(),
        RollUpRule::Weighted => "rule: weighted".to_owned(),
        RollUpRule::AtLeast(least) => format!("at_least: {least}"),
        RollUpRule::Mandatory(ids) => format!("mandatory: {}", list(ids)),
    };
    let reason = roll_up
        .reason
        .as_deref()
        .map(|reason| format!(", reason: {}", quoted(reason)))
        .unwrap_or_default();
    let date = roll_up.date.map(|date| format!(", date: {date}")).unwrap_or_default();
    format!("{{{rule}{reason}{date}}}")
}

/// Lints silenced, each with its reason.
fn silenced(allow: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = allow
        .iter()
        .map(|(lint, reason)| format!("{}: {}", scalar(lint), quoted(reason)))
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

fn put_criterion(out: &mut String, criterion: &Criterion) {
    let _ = writeln!(out, "  - id: {}", scalar(&criterion.id));
    let indent = "    ";
    let texts = [
        ("question", Some(&criterion.question)),
        ("pass_example", criterion.pass_example.as_ref()),
        ("fail_example", criterion.fail_example.as_ref()),
        ("boundary", criterion.boundary.as_ref()),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            put(out, indent, key, &folded(text));
        }
    }
    if !criterion.rulings.is_empty() {
        let _ = writeln!(out, "{indent}rulings:");
    }
    for ruling in &criterion.rulings {
        let from = ruling
            .from
            .as_deref()
            .map(|from| format!(", from: {}", scalar(from)))
            .unwrap_or_default();
        let _ = writeln!(
            out,
            "      - {{date: {}, text: {}{from}}}",
            ruling.date,
            quoted(&ruling.text)
        );
    }
    put_settings(out, indent, criterion);
}

fn put_settings(out: &mut String, indent: &str, criterion: &Criterion) {
    if let Some(query) = &criterion.query {
        put(out, indent, "query", &scalar(query));
    }
    if criterion.weight != 1.0 {
        put(out, indent, "weight", &number(criterion.weight));
    }
    if let Some(owner) = &criterion.weight_owner {
        put(out, indent, "weight_owner", &scalar(owner));
    }
    if let Some(date) = criterion.weight_date {
        put(out, indent, "weight_date", &date.to_string());
    }
    for (key, set) in [("gate", criterion.gate), ("monitor", criterion.monitor)] {
        if set {
            put(out, indent, key, "true");
        }
    }
    if let Scale::Levels(_) = criterion.scale {
        put(out, indent, "scale", &scale_text(&criterion.scale));
    }
    if !criterion.tags.is_empty() {
        put(out, indent, "tags", &list(&criterion.tags));
    }
    match criterion.na {
        WhenNotApplicable::Pass => put(out, indent, "na", "pass"),
        WhenNotApplicable::Fail => put(out, indent, "na", "fail"),
        WhenNotApplicable::Skip => {}
    }
    if let Some(harm) = &criterion.harm {
        put(out, indent, "harm", &folded(harm));
    }
    if !criterion.allow.is_empty() {
        put(out, indent, "allow", &silenced(&criterion.allow));
    }
    if let Some(check) = &criterion.check {
        put(out, indent, "check", &json(check));
    }
}

fn scale_text(scale: &Scale) -> String {
    let Scale::Levels(levels) = scale else {
        return "binary".to_owned();
    };
    let levels: Vec<String> = levels
        .iter()
        .map(|level| {
            let anchor = level
                .anchor
                .as_deref()
                .map(|anchor| format!(", anchor: {}", quoted(anchor)))
                .unwrap_or_default();
            format!("{{value: {}{anchor}}}", number(level.value))
        })
        .collect();
    format!("{{levels: [{}]}}", levels.join(", "))
}

fn list(texts: &[String]) -> String {
    format!(
        "[{}]",
        texts.iter().map(|text| scalar(text)).collect::<Vec<_>>().join(", ")
    )
}

/// The shortest decimal that reads back as the same number.
pub(super) fn number(value: f64) -> String {
    format!("{value}")
}

/// Text without quotes where no reader can take it for anything else, else in quotes.
pub(super) fn scalar(text: &str) -> String {
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let reserved = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    if word && !reserved.contains(&text.to_ascii_lowercase().as_str()) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A double-quoted scalar on one line.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if crate::diagnostic::visible(c).count() == 1 => out.push(c),
            _ if u32::from(c) <= 0xffff => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// A long text of plain words as a folded block below its key, anything else in quotes or bare.
fn folded(text: &str) -> String {
    let plain = !text.is_empty()
        && text.split(' ').all(|word| !word.is_empty())
        && text
            .chars()
            .all(|c| c == ' ' || (!c.is_whitespace() && crate::diagnostic::visible(c).count() == 1));
    if !plain || text.chars().count() < WIDTH / 2 {
        return quoted(text);
    }
    let mut out = String::from(">-");
    let mut column = WIDTH;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column + 1 + length > WIDTH {
            out.push_str("\n      ");
            column = 6;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

/// JSON as a flow value of YAML, with the escapes that both read alike.
fn json(value: &serde_json::Value) -> String {
    use serde_json::Value as Json;
    match value {
        Json::String(text) => quoted(text),
        Json::Array(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(", ")),
        Json::Object(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), json(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}
