//! A row a verdict: `accept` and `reject` for two levels, `choice` with options for more, `ignore` where there is no label.

use calibrant_schema::Scale;
use calibrant_schema::canonical::Hash;
use calibrant_schema::exercise::{Decision, Exercise};
use serde_json::{Value, json};

use super::{GradedSheet, Settled, line, settled, texts};
use crate::sheets::words::offered_words;

pub(super) fn text(exercise: &Exercise, sheets: &[GradedSheet<'_>]) -> String {
    let mut text = String::new();
    for unit in &exercise.units {
        let (prompt, answer) = texts(unit, sheets);
        let input = number(&json!({"prompt": prompt, "answer": answer}));
        for cell in settled(unit, sheets) {
            let criterion = &cell.criterion.criterion;
            let mut row = json!({
                "text": answer,
                "prompt": prompt,
                "label": criterion,
                "answer": answered(&cell),
                "meta": {"system": unit.system, "query": unit.query, "sample": unit.sample, "verdict": cell.word(),
                         "comment": cell.comment()},
                "_input_hash": input,
                "_task_hash": number(&json!({"input": input, "label": criterion})),
                "_session_id": format!("{}-{}", exercise.id, cell.grader),
                "_annotator_id": cell.grader,
                "_view_id": "classification",
            });
            if let Scale::Levels(levels) = &cell.criterion.card.scale {
                let options = offered_words(&cell.criterion.card.scale).into_iter().take(levels.len());
                row["options"] = options.map(|word| json!({"id": word, "text": word})).collect();
                row["accept"] = accepted(&cell);
                row["_view_id"] = json!("choice");
            }
            text.push_str(&line(&row));
        }
    }
    text
}

fn answered(cell: &Settled<'_>) -> &'static str {
    match (cell.decision, &cell.criterion.card.scale) {
        (Decision::Label(label), Scale::Binary) if *label == 0.0 => "reject",
        (Decision::Label(_), _) => "accept",
        _ => "ignore",
    }
}

fn accepted(cell: &Settled<'_>) -> Value {
    match cell.decision {
        Decision::Label(_) => json!([cell.word()]),
        _ => json!([]),
    }
}

/// A number of 32 bits that stands for a value, as tasks are told apart there.
fn number(value: &Value) -> i32 {
    let digits = Hash::of_json(value).to_string();
    u32::from_str_radix(&digits[..8], 16)
        .expect("a hash is hexadecimal")
        .cast_signed()
}
