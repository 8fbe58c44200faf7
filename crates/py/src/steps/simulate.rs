//! `simulate_panel`.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::memory;
use calibrant_schema::Verdicts;
use calibrant_steps::simulate::{SimulationOptions, simulated_panel};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::calls::displayed;
use crate::errors;
use crate::steps::artifact::write;
use crate::steps::tables::table;
use crate::table::Table;

/// Simulated verdicts, and the truth they were drawn from.
///
/// Made by :func:`simulate_panel`. Steps take it in the place of verdicts, and their artifacts say that everything is simulated.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct SimulatedPanel {
    pub verdicts: Arc<Verdicts>,
    abilities: Vec<Ability>,
    items: Vec<Item>,
}

#[derive(Serialize, Deserialize)]
struct Ability {
    system: String,
    ability: f64,
}

#[derive(Serialize, Deserialize)]
struct Item {
    query: String,
    criterion: String,
    discrimination: f64,
    difficulty: f64,
    judge_error: f64,
}

#[pymethods]
impl SimulatedPanel {
    /// The true ability of each system, by system.
    #[getter]
    fn abilities(&self) -> Table {
        table(&self.abilities)
    }

    /// What is true of each item: discrimination, difficulty, and the chance in [0, 1/2] that a judge errs on it.
    #[getter]
    fn items(&self) -> Table {
        table(&self.items)
    }

    /// Write the verdicts as a table, CSV.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike
    ///     The file; one that is there is replaced.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If it cannot be written.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        write(py, &path, &memory::simulated_table(&self.verdicts))
    }

    fn __len__(&self) -> usize {
        self.verdicts.len()
    }

    fn __repr__(&self) -> String {
        let verdicts = &self.verdicts;
        format!(
            "<SimulatedPanel: {} verdicts, {} systems, {} items, {} judges>",
            verdicts.len(),
            verdicts.systems().len(),
            verdicts.items().len(),
            verdicts.judges().len()
        )
    }
}

/// The most verdicts that are drawn at once.
const MOST: u128 = 100_000_000;

/// Draw verdicts of a panel with known truth: every judge labels every system on every criterion, and errs.
///
/// Parameters
/// ----------
/// systems : int, default 15
///     Systems, 1 or more.
/// queries : int, default 104
///     Queries, 1 or more.
/// criteria : int, default 6
///     Criteria of each query; each belongs to one query.
/// judges : int, default 3
///     Judges, 1 or more.
/// seed : int, default 0
///     The seed; the same one draws the same panel.
///
/// Returns
/// -------
/// SimulatedPanel
///
/// Raises
/// ------
/// ArgumentError
///     If a number is 0, or more than 100 million verdicts are asked for.
///
/// Notes
/// -----
/// The defaults are the shape of the main block of [CR26]; ``calibrant demo`` draws the same panel.
#[pyfunction]
#[pyo3(signature = (*, systems=15, queries=104, criteria=6, judges=3, seed=0))]
fn simulate_panel(
    py: Python<'_>,
    systems: usize,
    queries: usize,
    criteria: usize,
    judges: usize,
    seed: u64,
) -> PyResult<SimulatedPanel> {
    let asked = [
        ("systems", systems),
        ("queries", queries),
        ("criteria", criteria),
        ("judges", judges),
    ];
    if let Some((argument, _)) = asked.iter().find(|(_, count)| *count == 0) {
        let what = format!("{argument} is 0");
        return Err(errors::argument(py, argument, &what, Some("ask for 1 or more")));
    }
    let verdicts = asked
        .iter()
        .try_fold(1u128, |all, (_, count)| all.checked_mul(*count as u128));
    if verdicts.is_none_or(|verdicts| verdicts > MOST) {
        let help = "ask for at most 100 million verdicts: systems times queries times criteria times judges";
        return Err(errors::argument(
            py,
            "systems",
            "the panel is too large to be drawn at once",
            Some(help),
        ));
    }
    let options = SimulationOptions {
        systems,
        queries,
        criteria,
        judges,
        seed,
        ..SimulationOptions::default()
    };
    let drawn = displayed(py, "simulate", || simulated_panel(&options))?;
    Ok(SimulatedPanel {
        verdicts: Arc::new(drawn.verdicts),
        abilities: drawn
            .abilities
            .into_iter()
            .map(|(system, ability)| Ability { system, ability })
            .collect(),
        items: drawn
            .items
            .into_iter()
            .map(|(query, criterion, discrimination, difficulty, judge_error)| Item {
                query,
                criterion,
                discrimination,
                difficulty,
                judge_error,
            })
            .collect(),
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SimulatedPanel>()?;
    module.add_function(wrap_pyfunction!(simulate_panel, module)?)
}
