//! `assemble`.

use calibrant_project::{ProjectError, Step};
use calibrant_report::bank_text;
use calibrant_schema::artifact::Artifact;

use super::request::request;
use crate::args::AssembleArgs;
use crate::commands::{Door, with_blocks};
use crate::exit;

pub(crate) fn run(args: &AssembleArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let request = request(Step::Assemble, args, door)?;
    let products = calibrant_project::run(&request, Step::Assemble, &mut |note| door.output.on(note))?;
    let bank = products.bank.expect("a request through assemble makes one");
    let blocks = products.blocks.as_ref();
    door.output.result(
        || bank.to_json(),
        || bank_text(&bank, door.output.style()) + &door.blocks(blocks),
    );
    door.output.warnings(&with_blocks(&bank.header.warnings, blocks));
    Ok(exit::DONE)
}
