//! `run`.

use calibrant_project::{ProjectError, REPORT_HTML, Step};
use calibrant_report::{bank_text, leaderboard_text};
use calibrant_schema::artifact::Artifact;

use super::request::request;
use crate::args::ReportArgs;
use crate::commands::Door;
use crate::exit;

pub(crate) fn run(args: &ReportArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let request = request(Step::Report, args, door)?;
    let products = calibrant_project::run(&request, Step::Report, &mut |note| door.output.on(note))?;
    let warnings = products.warnings();
    let (scores, bank) = (
        products.scores.expect("run makes scores"),
        products.bank.expect("run makes a bank"),
    );
    door.output.result(
        || scores.to_json(),
        || {
            let page = products.folder.file(REPORT_HTML);
            format!(
                "{}\n{}{}\nreport: {}\n",
                leaderboard_text(&scores, door.output.style()),
                bank_text(&bank, door.output.style()),
                door.blocks(products.blocks.as_ref()),
                page.display()
            )
        },
    );
    door.output.warnings(&warnings);
    Ok(exit::DONE)
}
