//! `disagreements`.

use calibrant_project::{Systems, memory};
use calibrant_report::disagreements_card;
use pyo3::prelude::*;

use crate::calls::displayed;
use crate::errors;
use crate::steps::artifact::{part, plain};
use crate::steps::given::{Beside, verdicts_of};
use crate::steps::options::Asked;
use crate::steps::tables::table_met;
use crate::table::Table;

/// Answers to which judges gave one criterion different labels, and what they have in common.
///
/// Made by :func:`disagreements`, in the order in which they are worth talking about.
///
/// Notes
/// -----
/// METHODS 39, 129.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct Disagreements {
    made: calibrant_schema::disagreement::Disagreements,
}

#[pymethods]
impl Disagreements {
    /// The judges compared, by name.
    #[getter]
    fn judges(&self) -> Vec<String> {
        self.made.judges.clone()
    }

    /// What became of each criterion, in the order of the rubric, as plain Python.
    #[getter]
    fn criteria<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.criteria)
    }

    /// The disagreements: by criterion, the largest first; a row each, labels as JSON.
    #[getter]
    fn queue(&self) -> Table {
        table_met(&self.made.queue)
    }

    /// Where a judge gave no label and said why.
    #[getter]
    fn without_label(&self) -> Table {
        table_met(&self.made.without_label)
    }

    /// All of it as JSON, as ``calibrant grade review --json`` prints it.
    fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.made).expect("disagreements serialise");
        text.push('\n');
        text
    }

    /// All of it as plain Python.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.to_json())
    }

    fn __len__(&self) -> usize {
        self.made.queue.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Disagreements: {} of {} judges on {} criteria>",
            self.made.queue.len(),
            self.made.judges.len(),
            self.made.criteria.len()
        )
    }

    fn _repr_html_(&self) -> String {
        disagreements_card(&self.made)
    }
}

/// List what judges differ on.
///
/// Parameters
/// ----------
/// verdicts : Verdicts, frame, path or list of paths
///     The table of raw judgements.
/// rubric : Rubric, Bank or path, optional
///     Its order is that of the list; rulings that name a disagreement end it.
/// queries : Queries or path, optional
///     Tags that disagreements can share.
/// systems : {"hidden", "named"}
///     Whether systems are named: who answered is no argument.
/// judges : list of str, optional
///     Use only these judges.
/// columns : dict of str to str, optional
///     Names of columns by role, as in :func:`calibrate`.
/// scale : str, optional
///     The scale where no rubric declares one, as in :func:`calibrate`.
///
/// Returns
/// -------
/// Disagreements
///
/// Raises
/// ------
/// ArgumentError
///     If an option has a value it cannot have.
/// InputError
///     If a table or a file has mistakes.
/// StepError
///     If table and rubric have nothing in common.
///
/// Notes
/// -----
/// METHODS 39, 129. The same as ``calibrant grade review --json`` on tables.
#[pyfunction]
#[pyo3(signature = (verdicts, rubric=None, *, queries=None, systems="hidden", judges=None, columns=None, scale=None))]
#[expect(clippy::too_many_arguments, reason = "an argument for each option")]
fn disagreements(
    py: Python<'_>,
    verdicts: &Bound<'_, PyAny>,
    rubric: Option<&Bound<'_, PyAny>>,
    queries: Option<&Bound<'_, PyAny>>,
    systems: &str,
    judges: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    scale: Option<&Bound<'_, PyAny>>,
) -> PyResult<Disagreements> {
    let systems = match systems {
        "hidden" => Systems::Hidden,
        "named" => Systems::Named,
        other => {
            let what = format!("systems cannot be `{other}`");
            return Err(errors::argument(
                py,
                "systems",
                &what,
                Some("write one of hidden, named"),
            ));
        }
    };
    let mut request = Asked::default()
        .set("judges", "panel", judges)?
        .set("scale", "scale", scale)?
        .columns(columns)?
        .request();
    let beside = Beside::given(rubric, queries)?;
    let read = verdicts_of("verdicts", verdicts, &mut request, beside.rubric.as_deref())?;
    let made = displayed(py, "review", || {
        memory::disagreements(&request, read, systems, beside.context())
    })?;
    let made = made.map_err(|error| errors::of_project(py, &error))?;
    Ok(Disagreements { made })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Disagreements>()?;
    module.add_function(wrap_pyfunction!(disagreements, module)?)
}
