//! The command line inside the wheel.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Run the command line.
///
/// Parameters
/// ----------
/// arguments : list of str
///     The program's name and its arguments, as in ``sys.argv``.
///
/// Returns
/// -------
/// int
///     The exit code; they are listed in ``docs/commands.md``.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| calibrant_cli::run(arguments))
}
