//! Records with fields `prompt` and `answer` and a question for each criterion, every grader's response in it.

use std::collections::BTreeMap;

use calibrant_schema::canonical::Hash;
use calibrant_schema::exercise::Exercise;
use serde_json::{Value, json};

use super::{GradedSheet, list, settled, texts};

pub(super) fn text(exercise: &Exercise, sheets: &[GradedSheet<'_>]) -> String {
    let records: Vec<Value> = exercise
        .units
        .iter()
        .map(|unit| {
            let (prompt, answer) = texts(unit, sheets);
            let mut responses: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            let mut graders: BTreeMap<&str, String> = BTreeMap::new();
            for cell in settled(unit, sheets) {
                let user = user_id(cell.grader);
                graders.insert(cell.grader, user.clone());
                let mut respond = |question: String, value: &str| {
                    let response = json!({"value": value, "user_id": user, "status": "submitted"});
                    responses.entry(question).or_default().push(response);
                };
                respond(cell.criterion.criterion.clone(), &cell.word());
                if let Some(comment) = cell.comment() {
                    respond(format!("{}_comment", cell.criterion.criterion), comment);
                }
            }
            json!({
                "id": unit.id,
                "status": "completed",
                "fields": {"prompt": prompt, "answer": answer},
                "metadata": {"system": unit.system, "query": unit.query, "sample": unit.sample, "graders": graders},
                "suggestions": {},
                "responses": responses,
                "vectors": {},
            })
        })
        .collect();
    list(&records)
}

/// An id in the form of a UUID that is always the same for a name: users are UUIDs there and names here.
fn user_id(grader: &str) -> String {
    let digits = Hash::of_json(&json!({"calibrant": "user/1", "name": grader})).to_string();
    // Version 8 is that of ids made by a rule of one's own.
    format!(
        "{}-{}-8{}-8{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[13..16],
        &digits[17..20],
        &digits[20..32]
    )
}
