//! `agree`: the tables of a round, and of the round before it, to an artifact and its pages.

use std::path::PathBuf;

use calibrant_report as report;
use calibrant_schema::agreement::{Agreement, Intervals};
use calibrant_schema::artifact::Artifact;
use calibrant_schema::canonical::Hash;
use calibrant_steps::RubricJoin;
use calibrant_steps::agree::{AgreeInputs, AgreeOptions, Round};

use crate::error::ProjectError;
use crate::folder::Folder;
use crate::panel::{GradedRound, Panel, read_panel, read_round};
use crate::request::Request;
use crate::step::Note;

/// The artifact's file.
pub const AGREEMENT: &str = "agreement.json";
/// Its page.
pub const AGREEMENT_HTML: &str = "agreement.html";
/// The same for pull requests.
pub const AGREEMENT_MD: &str = "agreement.md";
/// The word of this command in a folder's manifest.
pub(crate) const AGREE: &str = "agree";

/// What is asked of [`agree`].
#[derive(Clone, Debug)]
pub struct AgreeRequest {
    /// The round: its tables, rubric, judges, trusted labels and settings.
    pub round: Request,
    /// A round of grading in the place of the tables; the one before it is then the earlier round unless tables are given.
    pub graded: Option<GradedRound>,
    /// The tables of the round before.
    pub earlier: Option<Request>,
    /// Where pages and artifact go, if they are wanted.
    pub out: Option<PathBuf>,
    /// How intervals are made.
    pub intervals: Intervals,
}

/// Compares the judges of a round; with a folder, leaves the artifact and its pages there.
///
/// # Errors
/// If an input is wrong, nothing can be compared, or a file cannot be written.
pub fn agree(request: &AgreeRequest, notes: &mut dyn FnMut(Note<'_>)) -> Result<Agreement, ProjectError> {
    // A folder that is not ours is refused before an hour of bootstraps.
    let folder = request.out.as_deref().map(Folder::create).transpose()?;
    let panel = match &request.graded {
        Some(graded) => read_round(graded, &request.round)?,
        None => read_panel(&request.round, notes)?,
    };
    let before = request.graded.as_ref().map(GradedRound::before).transpose()?.flatten();
    let earlier = match (&request.earlier, before) {
        (Some(earlier), _) => Some(read_panel(earlier, notes)?),
        (None, Some(before)) => Some(read_round(&before, &request.round)?),
        (None, None) => None,
    };
    let agreement = compared(&panel, earlier.as_ref(), request.intervals, request.round.seed())?;
    if let Some(mut folder) = folder {
        let text = agreement.to_json();
        let key = Hash::of_bytes(text.as_bytes()).to_string();
        let inputs = report::AgreementInputs {
            title: request
                .round
                .config
                .text("project.name")
                .or(panel.rubric.as_ref().and_then(|rubric| rubric.name.as_deref()))
                .unwrap_or("Rubric"),
            agreement: &agreement,
            rubric: panel.rubric.as_ref(),
            command: request.round.command.as_deref(),
            figures: request.round.charts().figures(),
        };
        let files = [
            (AGREEMENT, text.into_bytes()),
            (AGREEMENT_HTML, report::agreement_html(&inputs).into_bytes()),
            (AGREEMENT_MD, report::agreement_markdown(&inputs).into_bytes()),
        ];
        folder.write_step(AGREE, key, &files)?;
    }
    Ok(agreement)
}

/// Compares the judges of a panel, and the panel with an earlier one.
pub(crate) fn compared(
    panel: &Panel,
    earlier: Option<&Panel>,
    intervals: Intervals,
    seed: u64,
) -> Result<Agreement, ProjectError> {
    let join = RubricJoin::new(panel.rubric.as_ref());
    let earlier_join = RubricJoin::new(earlier.and_then(|earlier| earlier.rubric.as_ref()));
    let mut header = panel.header.clone();
    if let Some(earlier) = earlier {
        for (role, hash) in &earlier.header.inputs {
            header.inputs.insert(format!("earlier {role}"), hash.clone());
        }
    }
    let options = AgreeOptions {
        intervals,
        seed,
        ..AgreeOptions::default()
    };
    let inputs = AgreeInputs {
        round: Round {
            verdicts: &panel.verdicts,
            join: &join,
        },
        gold: panel.gold.as_ref(),
        earlier: earlier.map(|earlier| Round {
            verdicts: &earlier.verdicts,
            join: &earlier_join,
        }),
    };
    Ok(calibrant_steps::agree(inputs, header, &options)?)
}
