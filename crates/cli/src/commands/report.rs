//! `report`.

use calibrant_project::{ProjectError, REPORT_HTML, REPORT_MD, Step};

use super::request::request;
use crate::args::ReportArgs;
use crate::commands::Door;
use crate::exit;

pub(crate) fn run(args: &ReportArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let request = request(Step::Report, args, door)?;
    let products = calibrant_project::run(&request, Step::Report, &mut |note| door.output.on(note))?;
    let path = |name: &str| products.folder.file(name).display().to_string();
    door.output.result(
        || {
            format!(
                "{:#}\n",
                serde_json::json!({"html": path(REPORT_HTML), "markdown": path(REPORT_MD)})
            )
        },
        || format!("{}\n{}\n", path(REPORT_HTML), path(REPORT_MD)),
    );
    Ok(exit::DONE)
}
