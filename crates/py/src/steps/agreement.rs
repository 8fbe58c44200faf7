//! `agree`.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_project::memory;
use calibrant_report::agreement_card;
use calibrant_schema::agreement::Intervals;
use calibrant_schema::artifact::{Artifact as _, Header};
use calibrant_schema::suggest::nearest;
use pyo3::prelude::*;

use crate::calls::displayed;
use crate::errors;
use crate::steps::artifact::{self, Artifact, Held, artifact_methods, part};
use crate::steps::given::{Beside, Trusted, rubric_of, verdicts_of};
use crate::steps::options::Asked;
use crate::steps::tables::table;
use crate::table::Table;

/// How alike judges apply the criteria, beyond chance, and how two rounds of judging compare.
///
/// Made by :func:`agree`; the content of ``agreement.json``, field by field in ``docs/artifacts.md``. Agreement between judges, test-retest of one
/// judge and validity against trusted labels are three tables, because they are three things.
///
/// Notes
/// -----
/// METHODS 30, 33-46.
#[pyclass(extends = Artifact, frozen, module = "calibrant")]
pub(crate) struct Agreement {
    made: Arc<calibrant_schema::Agreement>,
}

struct Shown(Arc<calibrant_schema::Agreement>);

impl Held for Shown {
    fn header(&self) -> &Header {
        &self.0.header
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    fn card(&self) -> String {
        agreement_card(&self.0, None)
    }

    fn summary(&self) -> String {
        let (criteria, judges) = (self.0.criteria.len(), self.0.judges.len());
        format!(
            "<Agreement: {judges} judges, {criteria} criteria, {} responses>",
            self.0.responses
        )
    }
}

impl Agreement {
    fn face(py: Python<'_>, made: calibrant_schema::Agreement) -> PyResult<Py<Self>> {
        let made = Arc::new(made);
        let shown = Shown(Arc::clone(&made));
        Py::new(py, (Self { made }, Artifact::over(shown)))
    }
}

artifact_methods! { Agreement, Agreement,
    /// How intervals of chance-corrected figures were made: ``"bootstrap"`` or ``"analytic"``.
    #[getter]
    fn intervals(&self) -> &'static str {
        self.made.intervals.word()
    }

    /// The judges compared, by name.
    #[getter]
    fn judges(&self) -> Vec<String> {
        self.made.judges.clone()
    }

    /// Responses with a label of at least one judge.
    #[getter]
    fn responses(&self) -> u64 {
        self.made.responses
    }

    /// Criteria decided by code, which take no part.
    #[getter]
    fn decided_by_code(&self) -> Vec<String> {
        self.made.decided_by_code.clone()
    }

    /// What is compared on each criterion, by name.
    #[getter]
    fn criteria(&self) -> Table {
        table(&self.made.criteria)
    }

    /// All judges together: per criterion, then over whole responses, then pooled over criteria; a row a coefficient.
    ///
    /// Returns
    /// -------
    /// Table
    ///     ``scope``, ``criterion``, ``judges`` joined by ``;``, ``coefficient``, ``units``, ``value`` with ``low`` and ``high`` of its 95 % interval, ``method``
    ///     of the interval, and the reason where there is no value or none of its interval.
    ///
    /// Notes
    /// -----
    /// METHODS 36-40.
    #[getter]
    fn coefficients(&self) -> Table {
        table(&self.made.coefficients)
    }

    /// Each pair of judges, in rows like ``coefficients``; empty with two judges.
    #[getter]
    fn pairs(&self) -> Table {
        table(&self.made.pairs)
    }

    /// How often each judge says that a criterion is met.
    #[getter]
    fn prevalence(&self) -> Table {
        table(&self.made.prevalence)
    }

    /// Verdicts that carry no label, by criterion, judge and status.
    #[getter]
    fn without_label(&self) -> Table {
        table(&self.made.without_label)
    }

    /// Disagreements of pairs of judges on graded criteria, by how far they are apart and across which levels.
    #[getter]
    fn sizes(&self) -> Table {
        table(&self.made.sizes)
    }

    /// Test-retest: how alike one judge is to itself over repeats.
    #[getter]
    fn repeats(&self) -> Table {
        table(&self.made.repeats)
    }

    /// Judges against trusted labels.
    #[getter]
    fn validity(&self) -> Table {
        table(&self.made.validity)
    }

    /// Poor judges or rare failures, for each binary criterion.
    ///
    /// Notes
    /// -----
    /// METHODS 41.
    #[getter]
    fn readings(&self) -> Table {
        table(&self.made.readings)
    }

    /// What this many responses can show, as in the file.
    #[getter]
    fn precision<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.precision)
    }

    /// This round beside an earlier one, as in the file; None without one.
    #[getter]
    fn rounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.made.rounds)
    }
}

/// Compare the judges of a table, people and models alike.
///
/// Parameters
/// ----------
/// verdicts : Verdicts, frame, path or list of paths
///     The table of raw judgements. Files are read on the scales of the rubric.
/// rubric : Rubric, Bank or path, optional
///     Scales, and which criteria code decides; criteria of the table that it does not have are left out, under a warning.
/// gold : list of str, Verdicts or path, optional
///     Trusted labels, against which each judge is held; they take no part in agreement.
/// judges : list of str, optional
///     Use only these judges.
/// earlier : Verdicts, frame, path or list of paths, optional
///     The round before, to compare with.
/// earlier_rubric : Rubric, Bank or path, optional
///     The rubric of the round before; without one that of this round, or none where ``earlier_scale`` is given.
/// earlier_scale : str, optional
///     The scale of the round before where files are read; without one that of this round.
/// intervals : {"bootstrap", "analytic"}
///     Intervals by drawing responses anew, or from standard errors for large samples.
/// seed : int, default 0
///     The seed of the bootstrap.
/// columns : dict of str to str, optional
///     Names of columns by role, as in :func:`calibrate`.
/// scale : str, optional
///     The scale where no rubric declares one, as in :func:`calibrate`.
///
/// Returns
/// -------
/// Agreement
///
/// Raises
/// ------
/// ArgumentError
///     If an option has a value it cannot have.
/// InputError
///     If a table or a file has mistakes.
/// StepError
///     If nothing can be compared: one judge without repeats or trusted labels, or judges without a common unit.
///
/// Notes
/// -----
/// METHODS 30, 33-46. The same as ``calibrant agree``, byte for byte.
#[pyfunction]
#[pyo3(signature = (verdicts, rubric=None, *, gold=None, judges=None, earlier=None, earlier_rubric=None, earlier_scale=None, intervals=None, seed=None, columns=None, scale=None))]
#[expect(clippy::too_many_arguments, reason = "an argument for each option")]
fn agree(
    py: Python<'_>,
    verdicts: &Bound<'_, PyAny>,
    rubric: Option<&Bound<'_, PyAny>>,
    gold: Option<&Bound<'_, PyAny>>,
    judges: Option<&Bound<'_, PyAny>>,
    earlier: Option<&Bound<'_, PyAny>>,
    earlier_rubric: Option<&Bound<'_, PyAny>>,
    earlier_scale: Option<&Bound<'_, PyAny>>,
    intervals: Option<&str>,
    seed: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    scale: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<Agreement>> {
    let asked = |scale: Option<&Bound<'_, PyAny>>| {
        Asked::default()
            .set("judges", "panel", judges)?
            .set("seed", "seed", seed)?
            .set("scale", "scale", scale)?
            .columns(columns)
    };
    let (named, gold) = Trusted::parts(gold)?;
    let mut request = asked(scale)?.gold(named).request();
    let intervals = intervals_of(py, intervals)?;
    let beside = Beside::given(rubric, None)?;
    let read = verdicts_of("verdicts", verdicts, &mut request, beside.rubric.as_deref())?;
    let rubric_before = match (earlier_rubric, earlier_scale) {
        (Some(rubric), _) => Some(rubric_of(rubric)?),
        (None, Some(_)) => None,
        (None, None) => beside.rubric.clone(),
    };
    let earlier = match earlier {
        None => None,
        Some(earlier) => {
            let mut before = asked(earlier_scale.or(scale))?.request();
            let read = verdicts_of("earlier", earlier, &mut before, rubric_before.as_deref())?;
            Some((read, rubric_before.as_deref()))
        }
    };
    let made = displayed(py, "agree", || {
        memory::agree(&request, read, gold, earlier, intervals, beside.context())
    })?;
    Agreement::face(py, made.map_err(|error| errors::of_project(py, &error))?)
}

fn intervals_of(py: Python<'_>, word: Option<&str>) -> PyResult<Intervals> {
    let known = [Intervals::Bootstrap, Intervals::Analytic];
    let Some(word) = word else {
        return Ok(Intervals::default());
    };
    known.into_iter().find(|known| known.word() == word).ok_or_else(|| {
        let words = known.map(Intervals::word);
        let meant = nearest(word, words).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        let help = format!("write one of {}{meant}", words.join(", "));
        errors::argument(py, "intervals", &format!("intervals cannot be `{word}`"), Some(&help))
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Agreement>()?;
    module.add_function(wrap_pyfunction!(agree, module)?)
}
