//! Tasks with annotations: a `Choices` control named for each criterion on the text `answer`, and a `TextArea` for its comment.

use calibrant_schema::exercise::Exercise;
use serde_json::{Value, json};

use super::{GradedSheet, Settled, list, settled, texts};

pub(super) fn text(exercise: &Exercise, sheets: &[GradedSheet<'_>]) -> String {
    let tasks: Vec<Value> = (1..)
        .zip(&exercise.units)
        .map(|(number, unit)| {
            let (prompt, answer) = texts(unit, sheets);
            let cells = settled(unit, sheets);
            let annotations: Vec<Value> = cells
                .chunk_by(|one, next| one.grader == next.grader)
                .map(|of_one| annotation(&unit.id, of_one, sheets))
                .collect();
            json!({
                "id": number,
                "data": {"prompt": prompt, "answer": answer, "system": unit.system, "query": unit.query, "sample": unit.sample,
                         "unit": unit.id},
                "annotations": annotations,
                "predictions": [],
            })
        })
        .collect();
    list(&tasks)
}

/// One grader's annotation of one answer. Who that is stands under `grader`: an import refuses a `completed_by` it has no account for.
fn annotation(unit: &str, cells: &[Settled<'_>], sheets: &[GradedSheet<'_>]) -> Value {
    let grader = cells[0].grader;
    let seen_ms = sheets
        .iter()
        .find(|graded| graded.paper.grader == grader)
        .and_then(|graded| graded.sheet.unit(unit))
        .map_or(0, |state| state.seen_ms);
    #[expect(clippy::cast_precision_loss, reason = "a time on one answer is far below 2^53 ms")]
    let lead_time = seen_ms as f64 / 1000.0;
    let mut result = Vec::new();
    for cell in cells {
        let name = &cell.criterion.criterion;
        result.push(json!({
            "id": format!("{unit}-{}", result.len()),
            "from_name": name, "to_name": "answer", "type": "choices", "value": {"choices": [cell.word()]},
        }));
        if let Some(comment) = cell.comment() {
            result.push(json!({
                "id": format!("{unit}-{}", result.len()),
                "from_name": format!("{name}_comment"), "to_name": "answer", "type": "textarea", "value": {"text": [comment]},
            }));
        }
    }
    json!({
        "grader": grader,
        "result": result,
        "was_cancelled": false,
        "ground_truth": false,
        "lead_time": lead_time,
    })
}
