//! Roll-up rules beside each other on the responses of a table.

use calibrant_schema::RollUps;
use calibrant_schema::roll_up::RollUpRule;
use calibrant_steps::{RubricJoin, consensus};

use crate::error::ProjectError;
use crate::panel::{Panel, read_panel};
use crate::request::Request;
use crate::step::Note;

/// Compares rules on the labels by consensus of a request's tables; with one rule given, the rubric's own is the other.
///
/// Nothing is written.
///
/// # Errors
/// If an input is wrong, or fewer than two rules with an outcome are there to compare.
pub fn roll_ups(
    request: &Request,
    rules: &[RollUpRule],
    notes: &mut dyn FnMut(Note<'_>),
) -> Result<RollUps, ProjectError> {
    compared_rules(read_panel(request, notes)?, rules)
}

/// Compares rules on the labels by consensus of a panel.
pub(crate) fn compared_rules(panel: Panel, rules: &[RollUpRule]) -> Result<RollUps, ProjectError> {
    let join = RubricJoin::new(panel.rubric.as_ref());
    let own = panel.rubric.as_ref().and_then(|rubric| rubric.roll_up.as_ref());
    let mut rules = rules.to_vec();
    if let ([_], Some(own)) = (&rules[..], own) {
        rules.insert(0, own.rule.clone());
    }
    let labels = consensus(&panel.verdicts, &join);
    let mut header = panel.header;
    let consensus = "majority, a tie takes the worse outcome".to_owned();
    header.settings.insert("consensus".to_owned(), consensus);
    let words: Vec<String> = rules.iter().map(ToString::to_string).collect();
    header.settings.insert("rules".to_owned(), words.join("; "));
    Ok(calibrant_steps::roll_ups(&labels, &join, &rules, header)?)
}
