//! `completions`.

use calibrant_project::ProjectError;
use clap_complete::Shell;

use crate::exit;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, output: &Output) -> Result<u8, ProjectError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::interface(), "calibrant", &mut script);
    output.data(&String::from_utf8_lossy(&script));
    Ok(exit::DONE)
}
