//! The steps and their artifacts.

mod agreement;
mod artifact;
mod bank;
mod blocks;
mod calibration;
mod check;
mod disagreements;
mod fit;
mod given;
mod options;
mod roll_ups;
mod run;
mod scores;
mod simulate;
mod tables;

use pyo3::prelude::*;

/// Adds the classes of artifacts and the functions of the steps.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    artifact::register(module)?;
    calibration::register(module)?;
    fit::register(module)?;
    bank::register(module)?;
    scores::register(module)?;
    agreement::register(module)?;
    roll_ups::register(module)?;
    disagreements::register(module)?;
    blocks::register(module)?;
    check::register(module)?;
    simulate::register(module)?;
    run::register(module)
}
