//! The Python door: arrays and tables in, results out, the command line with it. Conversions and documentation; what it computes
//! stands in the other crates.

mod arrays;
mod arrow;
mod calls;
mod command_line;
mod errors;
mod formats;
mod labels;
mod progress;
mod rows;
mod rubric;
mod stats;
mod steps;
mod table;
mod table_html;
mod verdicts;

use pyo3::prelude::*;

/// The native half of the package `calibrant`.
#[pymodule]
fn _calibrant(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(command_line::main, module)?)?;
    stats::register(module)?;
    rubric::register(module)?;
    verdicts::register(module)?;
    labels::register(module)?;
    steps::register(module)?;
    formats::register(module)?;
    Ok(())
}
