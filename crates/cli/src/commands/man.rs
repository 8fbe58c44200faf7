//! `man`.

use std::path::PathBuf;

use calibrant_project::ProjectError;

use crate::exit;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Folder for the pages, one a command
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(args: &ManArgs, output: &Output) -> Result<u8, ProjectError> {
    let written =
        std::fs::create_dir_all(&args.folder).and_then(|()| clap_mangen::generate_to(crate::interface(), &args.folder));
    written.map_err(|reason| {
        ProjectError::refused(
            "man",
            format!("cannot write manual pages to `{}`: {reason}", args.folder.display()),
            "give a folder that can be written",
        )
    })?;
    output.note(&format!("manual pages are in {}", args.folder.display()));
    Ok(exit::DONE)
}
