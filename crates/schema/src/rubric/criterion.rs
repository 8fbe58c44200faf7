//! From a tree to one criterion.

use std::collections::BTreeMap;

use super::{Criterion, Places, Ruling, WhenNotApplicable};
use crate::diagnostic::Diagnostic;
use crate::scale::{Level, Scale, ScaleError};
use crate::tree::{self, Entry, Node, Place, Reader, Value};

/// The keys of a criterion, in the order they are written.
pub(super) const CRITERION_KEYS: [&str; 18] = [
    "id",
    "question",
    "pass_example",
    "fail_example",
    "boundary",
    "rulings",
    "query",
    "weight",
    "weight_owner",
    "weight_date",
    "gate",
    "monitor",
    "scale",
    "tags",
    "na",
    "harm",
    "allow",
    "check",
];

const RULING_KEYS: [&str; 3] = ["date", "text", "from"];
const LEVEL_KEYS: [&str; 2] = ["value", "anchor"];

/// The checks in code that `check:` may name.
pub(super) const CHECK_KINDS: [&str; 7] = [
    "contains",
    "starts_with",
    "ends_with",
    "regex",
    "max_words",
    "min_words",
    "json_schema",
];

/// An entry under the name it has in a rubric, which in rows of other tools is not its own.
pub(super) type Field<'n> = (&'n str, &'n Entry);

/// Reads one criterion; what is missing or wrong is reported and stands in the result as its default.
pub(super) fn read(fields: &[Field<'_>], node: &Node, reader: &mut Reader<'_>) -> Criterion {
    let place = fields.first().map_or(node.place, |(_, entry)| entry.key_place);
    let flow = matches!(node.value, Value::Map { flow: true, .. });
    let mut criterion = Criterion {
        line: place.line,
        ..Criterion::new("", "")
    };
    reader.places.begin_criterion();
    for (key, entry) in fields {
        reader.places.add(key, entry);
        read_field(&mut criterion, key, entry, flow, reader);
    }
    check_present(&criterion, fields, place, reader);
    if criterion.gate && criterion.monitor {
        let help = "a gate blocks and a monitored criterion never counts: keep one of the two";
        reader.error(
            "gate-and-monitor",
            place,
            format!("{} is both a gate and monitored", name_of(&criterion)),
            help,
        );
    }
    criterion
}

fn read_field(criterion: &mut Criterion, key: &str, entry: &Entry, flow: bool, reader: &mut Reader<'_>) {
    let node = &entry.value;
    match key {
        "id" => criterion.id = reader.id(node, "id").unwrap_or_default(),
        "question" => criterion.question = reader.text(node, "question").unwrap_or_default(),
        "pass_example" => criterion.pass_example = reader.text(node, key),
        "fail_example" => criterion.fail_example = reader.text(node, key),
        "boundary" => criterion.boundary = reader.text(node, key),
        "rulings" => criterion.rulings = read_rulings(node, reader),
        "query" => criterion.query = reader.id(node, key),
        "weight" => criterion.weight = read_weight(node, reader),
        "weight_owner" => criterion.weight_owner = reader.text(node, key),
        "weight_date" => criterion.weight_date = reader.date(node, key),
        "gate" => criterion.gate = reader.boolean(node, key).unwrap_or_default(),
        "monitor" => criterion.monitor = reader.boolean(node, key).unwrap_or_default(),
        "scale" => criterion.scale = read_scale(node, reader).unwrap_or_default(),
        "tags" => criterion.tags = reader.texts(node, key),
        "na" => criterion.na = read_na(node, reader),
        "harm" => criterion.harm = reader.text(node, key),
        "allow" => criterion.allow = read_allow(node, reader, Places::add),
        "check" => criterion.check = read_check(node, reader),
        _ => unknown_key(entry, flow, "a criterion", &CRITERION_KEYS, reader),
    }
}

/// Reports an unknown key; between braces, one without a value is more probably the rest of a text after a comma.
pub(super) fn unknown_key(entry: &Entry, flow: bool, inside: &str, known: &[&str], reader: &mut Reader<'_>) {
    if flow && entry.value.is_null() && !known.contains(&entry.key.as_str()) {
        let what = format!("`{}` stands in {inside} without a value", tree::shown(&entry.key));
        let help = "between braces a comma ends the text before it: put the whole text in quotes";
        reader.error("unknown-key", entry.key_place, what, help);
    } else {
        reader.unknown_key(entry, inside, known);
    }
}

fn check_present(criterion: &Criterion, fields: &[Field<'_>], place: Place, reader: &mut Reader<'_>) {
    for (key, empty, help) in [
        (
            "id",
            criterion.id.is_empty(),
            "add `id:` with a short name, unique in the file",
        ),
        (
            "question",
            criterion.question.is_empty(),
            "add `question:` with what a grader has to answer",
        ),
    ] {
        let entry = fields.iter().find(|(name, _)| *name == key).map(|(_, entry)| *entry);
        let reported = entry.is_some_and(|entry| {
            !entry.value.is_null() && (!matches!(entry.value.value, Value::Scalar { .. }) || !is_blank(&entry.value))
        });
        if empty && !reported {
            let what = match entry {
                Some(_) => format!("the `{key}` of {} is empty", name_of(criterion)),
                None => format!("{} has no `{key}`", name_of(criterion)),
            };
            reader.error("missing-key", entry.map_or(place, |entry| entry.key_place), what, help);
        }
    }
}

fn is_blank(node: &Node) -> bool {
    node.text().is_none_or(|text| text.trim().is_empty())
}

fn name_of(criterion: &Criterion) -> String {
    match criterion.id.as_str() {
        "" => "a criterion".to_owned(),
        id => format!("criterion `{}`", tree::shown(id)),
    }
}

/// The weight, or NaN when it was refused: then nothing more is said of the sum.
fn read_weight(node: &Node, reader: &mut Reader<'_>) -> f64 {
    if node.is_null() {
        // Nothing after the colon means that the key is not given.
        return Criterion::new("", "").weight;
    }
    let Some(weight) = reader.number(node, "weight") else {
        return f64::NAN;
    };
    if !weight.is_finite() {
        let what = format!(
            "`weight` is {}",
            if weight.is_nan() { "not a number" } else { "infinite" }
        );
        let diagnostic = Diagnostic::error(
            "weight-not-finite",
            what,
            "write a finite number; a must-pass criterion is `gate: true`",
        );
        reader.labelled(diagnostic, node.place, "a finite number is expected");
        return f64::NAN;
    }
    if weight == 0.0 {
        let help = "write `monitor: true` to keep it out of roll-up, fit and bank too, or give it a weight";
        reader.labelled(
            Diagnostic::warning("zero-weight", "a weight of 0 adds nothing to the score", help),
            node.place,
            "no influence on the score",
        );
    }
    // Minus zero is zero: it must not reach a hash.
    weight + 0.0
}

fn read_na(node: &Node, reader: &mut Reader<'_>) -> WhenNotApplicable {
    match reader.word(node, "na", &["pass", "fail", "skip"]) {
        Some("pass") => WhenNotApplicable::Pass,
        Some("fail") => WhenNotApplicable::Fail,
        _ => WhenNotApplicable::Skip,
    }
}

/// Lints silenced, each with its reason; the place of each is remembered by `note` under `allow.ID`.
pub(super) fn read_allow(
    node: &Node,
    reader: &mut Reader<'_>,
    note: fn(&mut Places, &str, &Entry),
) -> BTreeMap<String, String> {
    let mut allow = BTreeMap::new();
    if node.is_null() {
        return allow;
    }
    let help = "write the lint and why it does not apply: {compound: both halves are one act}";
    for entry in reader.map(node, "allow", help).unwrap_or_default() {
        note(&mut reader.places, &format!("allow.{}", entry.key), entry);
        match reader.text(&entry.value, &entry.key) {
            Some(reason) => {
                allow.insert(entry.key.clone(), reason);
            }
            None if entry.value.is_null() => {
                let what = format!("`allow` silences `{}` without a reason", tree::shown(&entry.key));
                reader.error("no-reason", entry.key_place, what, help);
            }
            None => {}
        }
    }
    allow
}

fn read_rulings(node: &Node, reader: &mut Reader<'_>) -> Vec<Ruling> {
    if node.is_null() {
        return Vec::new();
    }
    let help = "write `- {date: 2026-05-09, text: \"...\", from: d-17}` for each";
    let nodes = reader.list(node, "rulings", help).unwrap_or_default();
    nodes
        .iter()
        .filter_map(|node| read_ruling(node, help, reader))
        .collect()
}

fn read_ruling(node: &Node, help: &str, reader: &mut Reader<'_>) -> Option<Ruling> {
    let entries = reader.map(node, "ruling", help)?;
    let flow = matches!(node.value, Value::Map { flow: true, .. });
    let (mut date, mut text, mut from) = (None, None, None);
    for entry in entries {
        match entry.key.as_str() {
            "date" => date = reader.date(&entry.value, "date"),
            "text" => text = reader.text(&entry.value, "text"),
            "from" => from = reader.text(&entry.value, "from"),
            _ => unknown_key(entry, flow, "a ruling", &RULING_KEYS, reader),
        }
    }
    for key in ["date", "text"] {
        if !entries
            .iter()
            .any(|entry| entry.key == key && !is_blank_scalar(&entry.value))
        {
            reader.error("missing-key", node.place, format!("the ruling has no `{key}`"), help);
        }
    }
    Some(Ruling {
        date: date?,
        text: text?,
        from,
    })
}

fn is_blank_scalar(node: &Node) -> bool {
    matches!(node.value, Value::Scalar { .. }) && is_blank(node)
}

fn read_scale(node: &Node, reader: &mut Reader<'_>) -> Option<Scale> {
    let help = "write binary, 1..5, or {levels: [{value: 0, anchor: ...}, {value: 1, anchor: ...}]}";
    match &node.value {
        Value::Scalar { .. } => {
            let text = reader.text(node, "scale")?;
            text.parse()
                .map_err(|error: ScaleError| reader.error("bad-scale", node.place, error.to_string(), help))
                .ok()
        }
        Value::Map { entries, .. } => {
            for entry in entries.iter().filter(|entry| entry.key != "levels") {
                reader.unknown_key(entry, "a scale", &["levels"]);
            }
            let levels = entries.iter().find(|entry| entry.key == "levels");
            if entries.is_empty() {
                reader.error("bad-scale", node.place, "the scale has no `levels`", help);
            }
            read_levels(&levels?.value, help, reader)
        }
        Value::List(_) => reader.wrong_type(node, "scale", "binary or a mapping", help),
    }
}

fn read_levels(node: &Node, help: &str, reader: &mut Reader<'_>) -> Option<Scale> {
    let nodes = reader.list(node, "levels", help)?;
    let levels: Vec<Option<Level>> = nodes.iter().map(|node| read_level(node, help, reader)).collect();
    let levels = levels.into_iter().collect::<Option<Vec<_>>>()?;
    let help = "write the values from worst to best, each once";
    Scale::levels(levels)
        .map_err(|error| {
            let at = match &error {
                ScaleError::NotFinite { position } | ScaleError::NotIncreasing { position, .. } => {
                    nodes.get(position - 1)
                }
                _ => None,
            };
            reader.error("bad-scale", at.unwrap_or(node).place, error.to_string(), help);
        })
        .ok()
}

fn read_level(node: &Node, help: &str, reader: &mut Reader<'_>) -> Option<Level> {
    let Value::Map { entries, flow } = &node.value else {
        let value = reader.number(node, "level")?;
        return Some(Level { value, anchor: None });
    };
    let (mut value, mut anchor) = (None, None);
    for entry in entries {
        match entry.key.as_str() {
            "value" => value = reader.number(&entry.value, "value"),
            "anchor" => anchor = reader.text(&entry.value, "anchor"),
            _ => unknown_key(entry, *flow, "a level", &LEVEL_KEYS, reader),
        }
    }
    if !entries
        .iter()
        .any(|entry| entry.key == "value" && !entry.value.is_null())
    {
        reader.error("missing-key", node.place, "the level has no `value`", help);
    }
    Some(Level { value: value?, anchor })
}

fn read_check(node: &Node, reader: &mut Reader<'_>) -> Option<serde_json::Value> {
    if node.is_null() {
        return None;
    }
    let help = format!(
        "write one of {} with its argument, for example {{max_words: 200}}",
        CHECK_KINDS.join(", ")
    );
    let entries = reader.map(node, "check", &help)?;
    let [entry] = entries else {
        let what = format!("`check` has {} kinds, it must have one", entries.len());
        reader.error("bad-check", node.place, what, help);
        return None;
    };
    if !CHECK_KINDS.contains(&entry.key.as_str()) {
        let what = format!("`{}` is no kind of check", tree::shown(&entry.key));
        let help = crate::suggest::did_you_mean(&entry.key, &CHECK_KINDS);
        reader.labelled(
            Diagnostic::error("unknown-check", what, help),
            entry.key_place,
            "not a known kind",
        );
        return None;
    }
    reader.places.add(&format!("check.{}", entry.key), entry);
    let argument = read_argument(entry, reader)?;
    Some(serde_json::json!({ entry.key.as_str(): argument }))
}

/// The argument of a check: a text, for `contains` also a list of texts, a number of words, or a schema.
fn read_argument(entry: &Entry, reader: &mut Reader<'_>) -> Option<serde_json::Value> {
    let (node, kind) = (&entry.value, entry.key.as_str());
    if node.is_null() {
        let help = "write what is looked for, or the number of words";
        reader.error(
            "bad-check",
            entry.key_place,
            format!("the check `{kind}` has no argument"),
            help,
        );
        return None;
    }
    match kind {
        "max_words" | "min_words" => reader.whole(node, kind, 1).map(serde_json::Value::from),
        "contains" if matches!(node.value, Value::List(_)) => Some(reader.texts(node, kind).into()),
        "json_schema" => {
            reader.map(node, kind, "write the JSON Schema as a mapping")?;
            let schema = node.to_json();
            if schema.is_none() {
                reader.error(
                    "bad-check",
                    node.place,
                    "the schema holds a number that is not finite",
                    "write finite numbers",
                );
            }
            schema
        }
        _ => reader.text(node, kind).map(serde_json::Value::from),
    }
}
