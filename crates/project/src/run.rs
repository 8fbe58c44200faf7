//! The road from verdicts to a report, as far as a request goes.

use calibrant_schema::warning::Noted;
use calibrant_schema::{Bank, Blocks, Calibration, Fit, Scores};

use crate::error::ProjectError;
use crate::folder::Folder;
use crate::request::{Request, Start};
use crate::road::{Parts, Road};
use crate::step::{Note, Step};

/// What a request left behind.
#[derive(Debug)]
pub struct Products {
    /// The folder.
    pub folder: Folder,
    /// The calibration.
    pub calibration: Calibration,
    /// The fit, when the request went that far.
    pub fit: Option<Fit>,
    /// The bank, when the request went that far or was given one.
    pub bank: Option<Bank>,
    /// The scores, when the request went that far.
    pub scores: Option<Scores>,
    /// The blocks, when the run is divided.
    pub blocks: Option<Blocks>,
}

impl Products {
    /// The doubts of every artifact, in the order of the road.
    pub fn warnings(&self) -> Vec<Noted> {
        let headers = [
            Some(&self.calibration.header),
            self.fit.as_ref().map(|fit| &fit.header),
            self.bank.as_ref().map(|bank| &bank.header),
            self.scores.as_ref().map(|scores| &scores.header),
            self.blocks.as_ref().map(|blocks| &blocks.header),
        ];
        headers
            .into_iter()
            .flatten()
            .flat_map(|header| header.warnings.clone())
            .collect()
    }
}

/// Carries a request out, up to and including `last`.
///
/// # Errors
/// If an input is wrong, a step has no meaning for it, or a file cannot be written. Steps finished before stay finished.
pub fn run(request: &Request, last: Step, notes: &mut dyn FnMut(Note<'_>)) -> Result<Products, ProjectError> {
    let mut road = Road::start(request, notes)?;
    if let Start::Folder(_) = request.start {
        road.folder.must_be_whole(last)?;
    }
    let calibration = road.calibrate(notes)?;
    let division = road.divide(notes)?;
    let new_systems = request.bank.is_some();
    let fit = match last >= Step::Fit && !new_systems {
        true => Some(road.fit(&calibration, last, notes)?),
        false => None,
    };
    let bank = match &fit {
        Some(fit) if last >= Step::Assemble => Some(road.assemble(&calibration, fit, last, notes)?),
        _ => road.given_bank()?,
    };
    let scores = match last >= Step::Score {
        true => Some(road.score(&calibration, fit.as_ref(), bank.as_ref(), last, notes)?),
        false => None,
    };
    let blocks = match &division {
        Some(division) => {
            let known = scores.clone().or_else(|| road.current_scores());
            Some(road.carry_out_blocks(division, last, known.as_ref(), notes)?)
        }
        None => None,
    };
    if let (Some(scores), true) = (&scores, last >= Step::Report) {
        let parts = Parts {
            calibration: &calibration,
            fit: fit.as_ref(),
            bank: bank.as_ref(),
            scores,
            blocks: blocks.as_ref(),
        };
        road.report(&parts, notes)?;
    }
    Ok(Products {
        folder: road.folder,
        calibration,
        fit,
        bank,
        scores,
        blocks,
    })
}
