//! The result in plain words.

use calibrant_schema::{Scores, Warning};

use crate::inputs::Inputs;
use crate::number::{counted, decimal, percent};
use crate::text::Text;

use super::doubts::{Severity, noted, severity};
use super::listed;

/// The sentences below the title: what kind of data it is, and what it says.
pub(super) fn lead(inputs: &Inputs<'_>) -> Vec<Text> {
    let simulated = noted(inputs)
        .iter()
        .any(|(noted, _)| noted.warning == Warning::Simulated);
    let mut lead = Vec::new();
    if let Some(part) = &inputs.part_of {
        lead.push(Text::prose(&format!(
            "Only the {} {}, one block of a larger run.",
            part.by.name(),
            Text::id(part.block)
        )));
    }
    if simulated {
        lead.push(Text::prose(
            "The verdicts are simulated: nothing here is about a real system.",
        ));
    }
    lead.push(Text::prose(&format!("{} {}", basis(inputs), tiers(inputs.scores))));
    let grave = noted(inputs)
        .iter()
        .any(|(noted, _)| noted.warning != Warning::Simulated && severity(&noted.warning) == Severity::Grave);
    if grave {
        lead.push(Text::prose("Read “What to doubt” first: it holds a grave doubt."));
    }
    lead
}

/// What was judged.
fn basis(inputs: &Inputs<'_>) -> String {
    let panel = &inputs.calibration.panel;
    format!(
        "{} judged {} on {} ({}).",
        counted(panel.judges, "judge", "judges"),
        counted(panel.systems, "system", "systems"),
        counted(panel.items, "item", "items"),
        counted(panel.verdicts, "verdict", "verdicts"),
    )
}

/// How many tiers, who is on top, and how much the intervals separate.
fn tiers(scores: &Scores) -> String {
    let systems = scores.systems.len();
    let Some(lowest) = scores.systems.iter().filter_map(|row| row.tier).max() else {
        let reason = scores
            .tiers_undefined
            .as_ref()
            .map_or("no reason is recorded", |reason| reason.detail.as_str());
        return format!("They cannot be put in tiers: {reason}.");
    };
    let top: Vec<&str> = scores
        .systems
        .iter()
        .filter(|row| row.tier == Some(1))
        .map(|row| row.system.as_str())
        .collect();
    let placed = scores.systems.iter().filter(|row| row.tier.is_some()).count();
    let pairs = placed * placed.saturating_sub(1) / 2;
    let separated = separated(scores.pairs_separated, pairs);
    if systems == 1 {
        return "With one system there is nothing to compare.".to_owned();
    }
    if lowest == 1 {
        return format!(
            "All {} are in one tier: no neighbours are told apart. {separated}",
            counted(systems, "system", "systems")
        );
    }
    let members = if top.len() == 1 {
        format!("the top tier is {} alone", listed(&top))
    } else {
        format!(
            "the top tier holds {}: {}",
            counted(top.len(), "system", "systems"),
            listed(&top)
        )
    };
    format!("They fall into {lowest} tiers; {members}. {separated}")
}

/// How many pairs the intervals tell apart; the share is that count over all pairs.
fn separated(share: Option<f64>, pairs: usize) -> String {
    let all = counted(pairs, "pair", "pairs");
    match share.and_then(|share| decimal(share * pairs as f64, 0).zip(percent(share))) {
        Some((apart, share)) => format!("The intervals tell {apart} of the {all} of systems apart ({share})."),
        None => format!("How many of the {all} of systems are told apart is unknown."),
    }
}
