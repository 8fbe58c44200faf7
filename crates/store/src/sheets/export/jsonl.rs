//! Our own rows: what `--verdicts` reads, with the comment and the passage beside.

use calibrant_schema::exercise::Exercise;
use serde_json::json;

use super::{GradedSheet, line, settled};

pub(super) fn text(exercise: &Exercise, sheets: &[GradedSheet<'_>]) -> String {
    let mut text = String::new();
    for unit in &exercise.units {
        for cell in settled(unit, sheets) {
            let evidence = cell.state.evidence.as_ref();
            text.push_str(&line(&json!({
                "system": unit.system,
                "query": unit.query,
                "sample": unit.sample,
                "criterion": cell.criterion.criterion,
                "judge": cell.grader,
                "repeat": unit.repeat,
                "label": cell.decision.label(),
                "status": cell.decision.status().as_str(),
                "comment": cell.comment(),
                "evidence": evidence.map(|passage| passage.quote.as_str()),
                "card_hash": cell.criterion.hash,
                "exercise": exercise.id,
                "round": exercise.round,
                "unit": unit.id,
            })));
        }
    }
    text
}
