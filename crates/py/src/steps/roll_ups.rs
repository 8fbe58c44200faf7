//! `roll_ups`.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::memory;
use calibrant_report::roll_ups_card;
use calibrant_schema::artifact::{Artifact as _, Header};
use calibrant_schema::roll_up::{RollUpRule, UnknownRule};
use pyo3::prelude::*;

use crate::calls::displayed;
use crate::errors;
use crate::steps::artifact::{self, Artifact, Held, artifact_methods};
use crate::steps::given::{Beside, verdicts_of};
use crate::steps::options::Asked;
use crate::steps::tables::table;
use crate::table::Table;

/// What several roll-up rules make of the same responses, and exactly which responses are between them.
///
/// Made by :func:`roll_ups`; the content of ``calibrant roll-up --json``.
///
/// Notes
/// -----
/// METHODS 46-48.
#[pyclass(extends = Artifact, frozen, module = "calibrant")]
pub(crate) struct RollUps {
    made: Arc<calibrant_schema::RollUps>,
}

struct Shown(Arc<calibrant_schema::RollUps>);

impl Held for Shown {
    fn header(&self) -> &Header {
        &self.0.header
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    fn card(&self) -> String {
        roll_ups_card(&self.0)
    }

    fn summary(&self) -> String {
        let rules: Vec<&str> = self.0.rules.iter().map(|row| row.rule.as_str()).collect();
        format!("<RollUps: {} on {} responses>", rules.join("; "), self.0.responses)
    }
}

impl RollUps {
    fn face(py: Python<'_>, made: calibrant_schema::RollUps) -> PyResult<Py<Self>> {
        let made = Arc::new(made);
        let shown = Shown(Arc::clone(&made));
        Py::new(py, (Self { made }, Artifact::over(shown)))
    }
}

artifact_methods! { RollUps, RollUps,
    /// Responses with a verdict.
    #[getter]
    fn responses(&self) -> u64 {
        self.made.responses
    }

    /// One row a rule, in the order asked for: responses passed, failed and open, and the pass rate in [0, 1] with its 95 % interval.
    #[getter]
    fn rules(&self) -> Table {
        table(&self.made.rules)
    }

    /// One row a pair of rules, over the responses that both decide; ``between`` and ``against`` list responses as JSON.
    #[getter]
    fn gaps(&self) -> Table {
        table(&self.made.gaps)
    }
}

/// Compare roll-up rules on the same responses.
///
/// Parameters
/// ----------
/// verdicts : Verdicts, frame, path or list of paths
///     The table of raw judgements; the rules see the labels by consensus.
/// rules : list of str
///     ``"all"``, ``"at_least:N"`` or ``"mandatory:ID,ID"``. With one rule, the rubric's own is the other.
/// rubric : Rubric, Bank or path, optional
///     Weights, scales and its own roll-up.
/// judges : list of str, optional
///     Use only these judges.
/// columns : dict of str to str, optional
///     Names of columns by role, as in :func:`calibrate`.
/// scale : str, optional
///     The scale where no rubric declares one, as in :func:`calibrate`.
///
/// Returns
/// -------
/// RollUps
///
/// Raises
/// ------
/// ArgumentError
///     If a rule is none.
/// StepError
///     If there are fewer than two rules, or a rule demands a criterion that is not there.
///
/// Notes
/// -----
/// METHODS 46-48. The same as ``calibrant roll-up``, byte for byte.
#[pyfunction]
#[pyo3(signature = (verdicts, rules, rubric=None, *, judges=None, columns=None, scale=None))]
fn roll_ups(
    py: Python<'_>,
    verdicts: &Bound<'_, PyAny>,
    rules: Vec<String>,
    rubric: Option<&Bound<'_, PyAny>>,
    judges: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    scale: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<RollUps>> {
    let mut request = Asked::default()
        .set("judges", "panel", judges)?
        .set("scale", "scale", scale)?
        .columns(columns)?
        .request();
    let rules = rules.iter().map(|text| rule(py, text)).collect::<PyResult<Vec<_>>>()?;
    let beside = Beside::given(rubric, None)?;
    let read = verdicts_of("verdicts", verdicts, &mut request, beside.rubric.as_deref())?;
    let made = displayed(py, "roll up", || {
        memory::roll_ups(&request, read, &rules, beside.context())
    })?;
    RollUps::face(py, made.map_err(|error| errors::of_project(py, &error))?)
}

fn rule(py: Python<'_>, text: &str) -> PyResult<RollUpRule> {
    text.parse().map_err(|unknown: UnknownRule| {
        let help = "write \"all\", \"at_least:2\" or \"mandatory:first_id,second_id\"";
        errors::argument(py, "rules", &unknown.to_string(), Some(help))
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RollUps>()?;
    module.add_function(wrap_pyfunction!(roll_ups, module)?)
}
