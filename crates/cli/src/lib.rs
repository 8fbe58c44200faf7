//! The command-line door: flags in, a request out, results printed. The only crate that prints.
//!
//! Data goes to standard output, everything else to standard error. One file per command in `commands`.

mod args;
mod commands;
mod exit;
mod interrupt;
mod output;
mod progress;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use args::Cli;
use calibrant_project::ProjectError;
use output::Output;

/// Runs the program on its arguments, the first of which is its name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(mut error) => {
            suggest_verdicts(&mut error, &arguments);
            // Help and version are not mistakes: clap prints them to standard output with code 0, mistakes with 2.
            let code = u8::try_from(error.exit_code()).unwrap_or(exit::INPUT);
            let _ = error.print();
            return code;
        }
    };
    let output = Arc::new(Output::new(&cli.global));
    if !cli.command.ends_itself() {
        interrupt::watch(&output);
    }
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
            exit::INPUT
        }
        Ok(code) => code,
        Err(failure) => {
            output.failure(&failure);
            exit::INPUT
        }
    }
}

/// Tells whoever wrote a table without its flag how it is given.
fn suggest_verdicts(error: &mut clap::Error, arguments: &[OsString]) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let interface = interface();
    let command = arguments.iter().find_map(|word| interface.find_subcommand(word));
    let takes_verdicts = command.is_some_and(|command| command.get_arguments().any(|flag| flag.get_id() == "verdicts"));
    if takes_verdicts && Path::new(word).is_file() {
        let tip = format!("a table of verdicts is given as `--verdicts {}`", args::quoted(word));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
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
