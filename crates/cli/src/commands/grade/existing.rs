//! A round that was made before, opened by its flags alone.

use calibrant_project::ProjectError;
use calibrant_project::grading::{Grading, GradingRequest, SampleOptions};

use super::exercise_args::{Places, RoundArgs};
use crate::commands::Door;
use crate::commands::request::settings;

/// Opens the round; one that does not exist is refused with what would make it.
pub(crate) fn opened(round: &RoundArgs, door: &Door<'_>) -> Result<Grading, ProjectError> {
    let settings = settings(door.global, door.output)?;
    let Places { dir, ledger } = round.places(&settings);
    Grading::open(&GradingRequest {
        dir,
        ledger,
        round: round.round,
        rubric: None,
        responses: None,
        queries: None,
        graders: Vec::new(),
        sample: SampleOptions::default(),
    })
}
