//! The `calibrant` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    calibrant_cli::run(std::env::args_os()).into()
}
