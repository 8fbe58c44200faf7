//! Every warning of every artifact, once, with its next action, the gravest first.

use calibrant_schema::warning::Noted;
use calibrant_schema::{Header, Warning};

use crate::document::{Block, Doubt, Section};
use crate::inputs::Inputs;
use crate::text::Text;

use super::headers;

/// How much a doubt weighs, the gravest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// The numbers may not mean what they seem to mean.
    Grave,
    /// Some conclusions do not hold.
    Limits,
    /// Worth knowing.
    Note,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Self::Grave => "Grave",
            Self::Limits => "Limits the result",
            Self::Note => "Note",
        }
    }
}

/// The section, or `None` when no artifact carries a warning.
pub(super) fn section(inputs: &Inputs<'_>) -> Option<Section> {
    doubts_of(&headers(inputs))
}

/// The section of these openings, or `None` when none carries a warning.
pub(crate) fn doubts_of(headers: &[(&'static str, &Header)]) -> Option<Section> {
    let doubts: Vec<Doubt> = noted_in(headers)
        .into_iter()
        .map(|(noted, from)| doubt(noted, &from))
        .collect();
    if doubts.is_empty() {
        return None;
    }
    Some(Section {
        id: "doubts",
        title: "What to doubt",
        blocks: vec![Block::Doubts(doubts)],
    })
}

/// Every warning once, with the artifacts that carry it, the gravest first.
pub(super) fn noted<'a>(inputs: &Inputs<'a>) -> Vec<(&'a Noted, Vec<&'static str>)> {
    noted_in(&headers(inputs))
}

fn noted_in<'a>(headers: &[(&'static str, &'a Header)]) -> Vec<(&'a Noted, Vec<&'static str>)> {
    let mut known: Vec<(&Noted, Vec<&'static str>)> = Vec::new();
    for (name, header) in headers {
        for noted in &header.warnings {
            match known.iter_mut().find(|(other, _)| *other == noted) {
                Some((_, from)) if from.contains(name) => {}
                Some((_, from)) => from.push(*name),
                None => known.push((noted, vec![*name])),
            }
        }
    }
    known.sort_by_key(|(noted, _)| severity(&noted.warning));
    known
}

fn doubt(noted: &Noted, from: &[&str]) -> Doubt {
    Doubt {
        weight: severity(&noted.warning).word(),
        message: Text::prose(&noted.message),
        action: Text::prose(&noted.action),
        from: from.join(", "),
    }
}

/// How much a warning weighs, as a word for programs: `grave`, `limits` or `note`, as reports order them.
#[must_use]
pub fn weight_of(warning: &Warning) -> &'static str {
    match severity(warning) {
        Severity::Grave => "grave",
        Severity::Limits => "limits",
        Severity::Note => "note",
    }
}

/// How much a warning weighs; it names every variant, so that a new one is weighed too.
pub(crate) fn severity(warning: &Warning) -> Severity {
    match warning {
        Warning::Simulated
        | Warning::OneJudge { .. }
        | Warning::NotConverged { .. }
        | Warning::EmptyBank { .. }
        | Warning::OtherRubric { .. }
        | Warning::SeveralRubrics { .. }
        | Warning::GoldUnmatched { .. }
        | Warning::NotInRubric { .. }
        | Warning::OffScale { .. }
        | Warning::ScaleChanged { .. }
        | Warning::UnlinkedSystems { .. } => Severity::Grave,
        Warning::TwoJudges
        | Warning::IncompletePanels { .. }
        | Warning::UnevenCoverage { .. }
        | Warning::ThresholdOutOfReach { .. }
        | Warning::ThresholdNotApplied { .. }
        | Warning::FewSystems { .. }
        | Warning::UnconvergedReplicates { .. }
        | Warning::EdgeMass { .. }
        | Warning::NarrowPosteriors { .. }
        | Warning::FewClusters { .. }
        | Warning::SimulatedCoverage { .. }
        | Warning::SourceInterval { .. }
        | Warning::ThinBank { .. }
        | Warning::VerdictsWithoutLabel { .. }
        | Warning::NeverJudged { .. }
        | Warning::OneBlock { .. }
        | Warning::OverlappingBlocks { .. }
        | Warning::StoppedBlocks { .. }
        | Warning::StaleVerdicts { .. }
        | Warning::OpenRounds { .. }
        | Warning::CriteriaChanged { .. }
        | Warning::LooksLikeTaste { .. }
        | Warning::OneLabelOnly { .. }
        | Warning::RareLabels { .. }
        | Warning::Unknown
        | Warning::ConcentratedWeights { .. } => Severity::Limits,
        Warning::Ties { .. }
        | Warning::ItemsWithoutBlock { .. }
        | Warning::ConstantItems { .. }
        | Warning::ScreenedItems { .. }
        | Warning::NoItemErrors { .. }
        | Warning::EmptyHardSet
        | Warning::ClippedScores { .. } => Severity::Note,
    }
}
