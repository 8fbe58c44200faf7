//! `fit`.

use calibrant_project::{ProjectError, Step};
use calibrant_report::fit_text;
use calibrant_schema::artifact::Artifact;

use super::request::request;
use crate::args::FitArgs;
use crate::commands::{Door, with_blocks};
use crate::exit;

pub(crate) fn run(args: &FitArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let request = request(Step::Fit, args, door)?;
    let products = calibrant_project::run(&request, Step::Fit, &mut |note| door.output.on(note))?;
    let fit = products.fit.expect("a request through fit makes one");
    let blocks = products.blocks.as_ref();
    door.output
        .result(|| fit.to_json(), || fit_text(&fit) + &door.blocks(blocks));
    door.output.warnings(&products.calibration.header.warnings);
    door.output.warnings(&with_blocks(&fit.header.warnings, blocks));
    Ok(exit::DONE)
}
