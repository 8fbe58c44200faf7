//! What the hash of a rubric is made of.

use serde_json::{Map, Value, json};

use super::{Criterion, Rubric};
use crate::canonical::canonical_text;

/// The JSON value whose canonical text is hashed; `docs/hashes.md` describes it.
pub(super) fn rubric(rubric: &Rubric) -> Value {
    let mut map = Map::new();
    map.insert("calibrant".into(), json!("rubric/1"));
    put_text(&mut map, "name", rubric.name.as_deref());
    if let Some(version) = rubric.version {
        map.insert("version".into(), json!(version));
    }
    if let Some(roll_up) = &rubric.roll_up {
        map.insert("roll_up".into(), json!(roll_up));
    }
    map.insert("criteria".into(), rubric.criteria.iter().map(criterion).collect());
    if !rubric.allow.is_empty() {
        map.insert("allow".into(), json!(rubric.allow));
    }
    if !rubric.violations.is_empty() {
        map.insert("violations".into(), json!(rubric.violations));
    }
    Value::Object(map)
}

fn criterion(criterion: &Criterion) -> Value {
    let mut map = Map::new();
    map.insert("id".into(), json!(criterion.id));
    put_text(&mut map, "query", criterion.query.as_deref());
    map.insert("card".into(), json!(criterion.card().hash()));
    // Adding 0 turns minus zero into zero.
    map.insert("weight".into(), json!(criterion.weight + 0.0));
    put_text(&mut map, "weight_owner", criterion.weight_owner.as_deref());
    if let Some(date) = criterion.weight_date {
        map.insert("weight_date".into(), json!(date));
    }
    map.insert("gate".into(), json!(criterion.gate));
    map.insert("monitor".into(), json!(criterion.monitor));
    map.insert("tags".into(), json!(criterion.tags));
    map.insert("na".into(), json!(criterion.na));
    put_text(&mut map, "harm", criterion.harm.as_deref());
    if !criterion.allow.is_empty() {
        map.insert("allow".into(), json!(criterion.allow));
    }
    if let Some(check) = &criterion.check {
        map.insert("check".into(), check.clone());
    }
    if !criterion.rulings.is_empty() {
        map.insert("rulings".into(), json!(criterion.rulings));
    }
    Value::Object(map)
}

fn put_text(map: &mut Map<String, Value>, key: &str, text: Option<&str>) {
    if let Some(text) = text.map(canonical_text).filter(|text| !text.is_empty()) {
        map.insert(key.into(), Value::String(text));
    }
}
