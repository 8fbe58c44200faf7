//! The command-line door: flags in, a request out, results printed. The only crate that prints.
//!
//! Data goes to standard output, everything else to standard error. One file per command in `commands`.

mod args;
mod commands;
mod exit;
mod output;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use calibrant_project::ProjectError;
use output::Output;

/// Runs the program on its arguments and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not mistakes: clap prints them to standard output with code 0, mistakes with 2.
            let code = u8::try_from(error.exit_code()).unwrap_or(exit::INPUT);
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let output = Output::new(&cli.global);
    let typed = args::as_typed(&arguments);
    match with_threads(commands::threads(&cli.global), || {
        commands::dispatch(&cli, &output, &typed)
    }) {
        Ok(_) if output.lost() => {
            output.failure(&ProjectError::refused(
                "output-lost",
                "what was meant for standard output could not be written",
                "make room where it goes; files of the run are complete",
            ));
            ExitCode::from(exit::INPUT)
        }
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(exit::INPUT)
        }
    }
}

/// Runs a command on as many threads as the flag, the environment or the project file ask for.
fn with_threads(threads: usize, work: impl FnOnce() -> Result<u8, ProjectError> + Send) -> Result<u8, ProjectError> {
    // More threads than processors would only wait for each other.
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(most);
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(reason) => Err(ProjectError::refused(
            "threads",
            format!("cannot start {threads} threads: {reason}"),
            "ask for fewer with --threads",
        )),
    }
}

/// The command-line interface as clap sees it, for completions, manual pages and tests.
pub fn interface() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}
