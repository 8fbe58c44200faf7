//! `calibrate`.

use calibrant_project::{ProjectError, Step};
use calibrant_report::calibration_text;
use calibrant_schema::artifact::Artifact;

use super::request::request;
use crate::args::CalibrateArgs;
use crate::commands::{Door, with_blocks};
use crate::exit;

pub(crate) fn run(args: &CalibrateArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    if args.input.from.is_some() {
        return Err(ProjectError::refused(
            "calibrate-from",
            "calibrate starts from verdicts, and a folder holds only what came of them",
            "give the table: calibrate --verdicts FILE --out DIR",
        ));
    }
    let request = request(Step::Calibrate, args, door)?;
    let products = calibrant_project::run(&request, Step::Calibrate, &mut |note| door.output.on(note))?;
    let calibration = &products.calibration;
    door.output.result(
        || calibration.to_json(),
        || calibration_text(calibration, door.output.style()) + &door.blocks(products.blocks.as_ref()),
    );
    let warnings = with_blocks(&calibration.header.warnings, products.blocks.as_ref());
    door.output.warnings(&warnings);
    Ok(exit::DONE)
}
