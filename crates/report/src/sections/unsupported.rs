//! What a reader may be tempted to conclude and these data do not support.

use std::collections::BTreeMap;

use calibrant_schema::Warning;

use crate::document::{Block, Section};
use crate::inputs::Inputs;
use crate::number::{counted, decimal};
use crate::text::Text;

use super::doubts::noted;

pub(super) fn section(inputs: &Inputs<'_>) -> Section {
    let claims: Vec<String> = [
        about_judges(inputs),
        about_systems(inputs),
        about_items(inputs),
        about_the_rest(inputs),
    ]
    .concat();
    let blocks = vec![
        Block::Paragraph(Text::prose(
            "None of the following may be concluded from these numbers.",
        )),
        Block::List(claims.iter().map(|claim| Text::prose(claim)).collect()),
    ];
    Section {
        id: "unsupported",
        title: "Not supported by these data",
        blocks,
    }
}

fn has(inputs: &Inputs<'_>, is_it: impl Fn(&Warning) -> bool) -> bool {
    noted(inputs).iter().any(|(noted, _)| is_it(&noted.warning))
}

fn about_judges(inputs: &Inputs<'_>) -> Vec<String> {
    let mut claims = Vec::new();
    match inputs.calibration.panel.judges {
        0 | 1 => {
            claims.push("That any criterion is measurable: there is one judge, and nobody to disagree.".to_owned())
        }
        2 => claims.push(
            "That a criterion is measurable by a panel: two judges show pairwise agreement and nothing more."
                .to_owned(),
        ),
        _ => claims.push(
            "That judges who agree are right: they may share a fault, and judges of one family often do.".to_owned(),
        ),
    }
    if !inputs
        .calibration
        .sweep
        .iter()
        .any(|row| row.held_out.as_deref() == Some("gold"))
    {
        claims.push("That the judges judge as trusted people would: no gold labels were given.".to_owned());
    }
    claims
}

fn about_systems(inputs: &Inputs<'_>) -> Vec<String> {
    let scores = inputs.scores;
    let mut claims = Vec::new();
    if has(inputs, |warning| *warning == Warning::Simulated) {
        claims.push("Anything about a real system, judge or criterion: the verdicts are simulated.".to_owned());
    }
    match tied_pairs(inputs) {
        Some(0) => {}
        Some(pairs) => claims.push(format!(
            "That one system is better than another of its tier: this holds for {}.",
            counted(pairs, "pair of systems", "pairs of systems")
        )),
        None => claims.push("That one system is better than another: there are no tiers.".to_owned()),
    }
    if let Some(reason) = &scores.interval.score.undefined {
        claims.push(format!(
            "That a score would be about the same on other queries: it has no interval ({reason})."
        ));
    }
    if let Some(reason) = &scores.interval.ability.undefined {
        claims.push(format!("How exact an ability is: it has no interval ({reason})."));
    } else if has(inputs, |warning| {
        matches!(
            warning,
            Warning::SimulatedCoverage { .. } | Warning::SourceInterval { .. }
        )
    }) {
        claims.push(format!(
            "That {} % of the ability intervals hold the true value: how often they do is known from simulated boards only, or known to be less.",
            decimal(100.0 * scores.interval.ability.level, 0).unwrap_or_else(|| "–".to_owned())
        ));
    }
    if has(inputs, |warning| matches!(warning, Warning::EdgeMass { .. })) {
        claims.push("How far the best or worst systems are from the rest: their abilities are cut short.".to_owned());
    }
    if has(inputs, |warning| matches!(warning, Warning::UnevenCoverage { .. })) {
        claims.push("That scores compare like with like: systems were judged on different cells.".to_owned());
    }
    claims
}

/// Pairs of systems that share a tier; `None` when a system has none.
fn tied_pairs(inputs: &Inputs<'_>) -> Option<usize> {
    let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
    for row in &inputs.scores.systems {
        *sizes.entry(row.tier?).or_default() += 1;
    }
    Some(sizes.values().map(|size| size * (size - 1) / 2).sum())
}

fn about_items(inputs: &Inputs<'_>) -> Vec<String> {
    let mut claims = Vec::new();
    match inputs.fit {
        None => claims
            .push("Anything about the difficulty or discrimination of a criterion: nothing was fitted.".to_owned()),
        Some(fit) if !fit.convergence.converged => {
            claims.push("Any ability or item parameter: the fit did not converge.".to_owned());
        }
        Some(_) => {}
    }
    if has(inputs, |warning| matches!(warning, Warning::FewSystems { .. })) {
        claims.push(format!(
            "That one criterion discriminates better than another: {} are too few for single slopes.",
            counted(inputs.scores.systems.len(), "system", "systems")
        ));
    }
    if inputs.bank.is_some() {
        claims.push(
            "That the bank ranks new systems as the pool would: it was chosen on the verdicts it is shown with, and not \
             tried on others."
                .to_owned(),
        );
    }
    claims
}

fn about_the_rest(inputs: &Inputs<'_>) -> Vec<String> {
    let mut claims = Vec::new();
    if inputs.scores.roll_up.is_none() {
        claims.push("That a response is acceptable: no roll-up was chosen, and a score is not a verdict.".to_owned());
    }
    if inputs.rubric.is_none() {
        claims.push("What the criteria ask: no rubric was given, and only their names are known here.".to_owned());
    }
    claims.push("That these are the right criteria: no number here tests what the rubric leaves out.".to_owned());
    claims
}
