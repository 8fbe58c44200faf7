//! Scores: from the labels of a response to the score of a system, and their intervals.

use std::sync::Arc;

use calibrant_stats::score::{
    Clip, Observation, Outcome, PlanItem, ResponseScore, RollUp, ScorePlan as Plan, WhenNotApplicable,
    k_eff as kernel_k_eff,
};
use calibrant_stats::score_bootstrap::{ScoreBootstrapOptions, ScoreReplicates as Drawn, score_bootstrap};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use super::coefficient::{check_level, check_replicates, unknown_word, word};
use super::result::result;
use crate::{arrays, calls, errors};

/// Weights, penalties, gates and the roll-up over the items of all queries: from labels to scores.
///
/// Parameters
/// ----------
/// weights : array_like of float, shape (items,)
///     Below 0 an item is a penalty, taken when its criterion is met.
/// queries : array_like of int, shape (items,), optional
///     The query of each item, from 0, ascending; all of one query without them.
/// query_weights : array_like of float, shape (queries,), optional
///     At least 0, of any sum; all alike without them.
/// gates, mandatory, monitored : array_like of bool, shape (items,), optional
///     Whose failure is reported apart and blocks; which ``roll_up="mandatory"`` demands; which are neither scored nor rolled up.
/// not_applicable : {"skip", "pass", "fail"}
///     What an item counts as where a judge says it does not apply.
/// roll_up : {"weighted", "all", "mandatory"} or int
///     The rule from criteria to one outcome: the score alone, every criterion, every mandatory one, or at least so many.
/// clip : {"mean", "example", "none"}
///     Where scores are cut to [0, 1]: those of systems, of every response, nowhere.
///
/// Raises
/// ------
/// ArgumentError
///     If a weight is not finite, items are not sorted by query, or lists differ in length.
///
/// Notes
/// -----
/// The only implementation of scoring; steps, banks and rewards use it too. METHODS 4, 7, 46-49, [CR26] eq. 1.
///
/// Examples
/// --------
/// Points 7, 5, 10 and a penalty of 6; met, not met, met, and the penalty met: (7 + 10 - 6) / 22.
///
/// >>> from calibrant import stats
/// >>> plan = stats.ScorePlan([7, 5, 10, -6])
/// >>> plan.response(0, [1, 0, 1, 1]).score
/// 0.5
#[pyclass(frozen, module = "calibrant.stats")]
pub(crate) struct ScorePlan(Arc<Plan>);

/// The most queries that a plan makes room for where their weights are not given.
const MOST_QUERIES: usize = 1 << 24;

result! {
    /// What the labels of one response amount to.
    ///
    /// Attributes
    /// ----------
    /// score : float or None
    ///     At most 1; below 0 where penalties outweigh. None when no positive weight applies and is labelled.
    /// outcome, all_passed, gates : str
    ///     ``"pass"``, ``"fail"``, ``"undetermined"`` or ``"no_rule"``: of the roll-up, of the rule that all pass, and of the gates.
    /// gates_failed : list of int
    ///     Positions of the gates that failed, among all items.
    /// coverage : float
    ///     The share of scored items that a judge labelled or called not applicable.
    /// reason : str or None
    ///     Why there is no score.
    ResponseResult {
        score: Option<f64>,
        outcome: &'static str,
        all_passed: &'static str,
        gates: &'static str,
        gates_failed: Vec<usize>,
        coverage: f64,
        reason: Option<String>,
    }
}

result! {
    /// Scores of systems over their queries.
    ///
    /// Attributes
    /// ----------
    /// score : ndarray of float64, shape (systems,)
    ///     The weighted mean over the queries with a score; NaN without one.
    /// coverage : ndarray of float64, shape (systems,)
    ///     The share of the query weight that has a score.
    /// queries_scored : ndarray of int64, shape (systems,)
    ///     How many queries have one.
    /// reasons : list of str or None
    ///     Why a score is NaN, system by system.
    SystemScores {
        score: Py<PyArray1<f64>>,
        coverage: Py<PyArray1<f64>>,
        queries_scored: Py<PyArray1<i64>>,
        reasons: Vec<Option<String>>,
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Undetermined => "undetermined",
        Outcome::NoRule => "no_rule",
    }
}

/// One observation of each cell: NaN is missing, and a flag says not applicable.
fn observations(py: Python<'_>, values: &[f64], not_applicable: Option<&[bool]>) -> PyResult<Vec<Observation>> {
    let one = |(cell, &value): (usize, &f64)| match not_applicable {
        Some(flags) if flags[cell] => Ok(Observation::NotApplicable),
        _ if value.is_nan() => Ok(Observation::Missing),
        _ if (0.0..=1.0).contains(&value) => Ok(Observation::Value(value)),
        _ => {
            let message = format!("values: entry {cell} is {value}, which is neither in [0, 1] nor missing");
            Err(errors::argument(py, "values", &message, None))
        }
    };
    values.iter().enumerate().map(one).collect()
}

#[pymethods]
impl ScorePlan {
    #[new]
    #[pyo3(signature = (
        weights, queries=None, query_weights=None, *, gates=None, mandatory=None, monitored=None, not_applicable="skip",
        roll_up=None, clip="mean",
    ))]
    fn new(
        py: Python<'_>,
        weights: &Bound<'_, PyAny>,
        queries: Option<&Bound<'_, PyAny>>,
        query_weights: Option<&Bound<'_, PyAny>>,
        gates: Option<&Bound<'_, PyAny>>,
        mandatory: Option<&Bound<'_, PyAny>>,
        monitored: Option<&Bound<'_, PyAny>>,
        not_applicable: &str,
        roll_up: Option<&Bound<'_, PyAny>>,
        clip: &str,
    ) -> PyResult<Self> {
        let weights = arrays::list(weights, "weights")?;
        let items = weights.len();
        let queries: Vec<u32> = match queries {
            Some(queries) => arrays::whole(queries, "queries")?,
            None => vec![0; items],
        };
        arrays::same_length(py, ("queries", queries.len()), ("weights", items))?;
        let count = queries.iter().max().map_or(0, |&last| last as usize + 1);
        let query_weights = match query_weights {
            Some(weights) => arrays::list(weights, "query_weights")?,
            None if count > MOST_QUERIES => {
                let message = format!("queries name a query past the first {MOST_QUERIES}");
                return Err(errors::argument(
                    py,
                    "queries",
                    &message,
                    Some("number the queries from 0 without gaps"),
                ));
            }
            None => vec![1.0; count],
        };
        let when_not_applicable = not_applicable_of(py, not_applicable)?;
        let flags = |given: Option<&Bound<'_, PyAny>>, name: &'static str| -> PyResult<Vec<bool>> {
            let flags = given.map_or_else(|| Ok(vec![false; items]), |given| arrays::flags(given, name))?;
            arrays::same_length(py, (name, flags.len()), ("weights", items))?;
            Ok(flags)
        };
        let gates = flags(gates, "gates")?;
        let (mandatory, monitored) = (flags(mandatory, "mandatory")?, flags(monitored, "monitored")?);
        let item = |item: usize| PlanItem {
            gate: gates[item],
            mandatory: mandatory[item],
            monitored: monitored[item],
            when_not_applicable,
            ..PlanItem::new(queries[item], weights[item])
        };
        let items = (0..items).map(item).collect();
        let plan = Plan::new(items, query_weights, roll_up_of(py, roll_up)?, clip_of(py, clip)?);
        Ok(Self(Arc::new(plan.map_err(|error| errors::of_stats(py, &error))?)))
    }

    /// How many queries there are.
    #[getter]
    fn queries(&self) -> usize {
        self.0.queries()
    }

    /// How many items there are.
    #[getter]
    fn items(&self) -> usize {
        self.0.items().len()
    }

    /// Scores one response to a query.
    ///
    /// Parameters
    /// ----------
    /// query : int
    ///     By position, from 0.
    /// values : array_like of float, shape (items of the query,)
    ///     Labels as values in [0, 1]; a criterion is met from .5 up. NaN is a missing label.
    /// not_applicable : array_like of bool, shape (items of the query,), optional
    ///     Where a judge said that the criterion does not apply.
    ///
    /// Returns
    /// -------
    /// ResponseResult
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If there is no such query, or not a value for each of its items.
    #[pyo3(signature = (query, values, *, not_applicable=None))]
    fn response(
        &self,
        py: Python<'_>,
        query: usize,
        values: &Bound<'_, PyAny>,
        not_applicable: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ResponseResult> {
        if query >= self.0.queries() {
            let (what, index, count) = ("query", query, self.0.queries());
            let error = calibrant_stats::Error::NoSuchIndex { what, index, count };
            return Err(errors::of_stats(py, &error));
        }
        let items = self.0.items_of(query).len();
        let values = arrays::list(values, "values")?;
        arrays::same_length(py, ("values", values.len()), ("the query", items))?;
        let flags = not_applicable
            .map(|given| arrays::flags(given, "not_applicable"))
            .transpose()?;
        if let Some(flags) = &flags {
            arrays::same_length(py, ("not_applicable", flags.len()), ("the query", items))?;
        }
        let found = self.0.response(query, &observations(py, &values, flags.as_deref())?);
        Ok(ResponseResult {
            score: found.score.ok(),
            outcome: outcome(found.outcome),
            all_passed: outcome(found.all_passed),
            gates: outcome(found.gates),
            gates_failed: found.gates_failed,
            coverage: found.coverage,
            reason: found.score.err().map(word),
        })
    }

    /// Scores every system on every query.
    ///
    /// Parameters
    /// ----------
    /// values : array_like of float, shape (systems, items)
    ///     Labels as values in [0, 1]; NaN is a missing label.
    /// not_applicable : array_like of bool, shape (systems, items), optional
    ///     Where a judge said that the criterion does not apply.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (systems, queries)
    ///     The score of each response; NaN where it is undefined, as `response` explains.
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If there is not a value for each item.
    #[pyo3(signature = (values, *, not_applicable=None))]
    fn query_scores(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        not_applicable: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyArray2<f64>>> {
        let array = arrays::numbers(values, "values")?;
        let (systems, items, values) = array.table(py, "values", "systems by items")?;
        arrays::same_length(py, ("a row of values", items), ("the plan", self.0.items().len()))?;
        let flags = not_applicable.map(|given| {
            let array = arrays::numbers(given, "not_applicable")?;
            let (_, columns, entries) = array.table(py, "not_applicable", "systems by items")?;
            arrays::same_length(py, ("a row of not_applicable", columns), ("the plan", items))?;
            arrays::same_length(py, ("not_applicable", entries.len()), ("values", values.len()))?;
            arrays::flag_entries(py, entries, "not_applicable")
        });
        let observed = observations(py, values, flags.transpose()?.as_deref())?;
        let plan = &self.0;
        let scores = calls::by_size(py, 16 * values.len(), || {
            let cells = (0..systems).flat_map(|system| (0..plan.queries()).map(move |query| (system, query)));
            let score = |(system, query): (usize, usize)| -> ResponseScore {
                let range = plan.items_of(query);
                plan.response(
                    query,
                    &observed[system * items + range.start..system * items + range.end],
                )
            };
            cells
                .map(|cell| score(cell).score.unwrap_or(f64::NAN))
                .collect::<Vec<f64>>()
        })?;
        arrays::table_out(py, scores, plan.queries())
    }

    /// Scores systems from the scores of their queries.
    ///
    /// Parameters
    /// ----------
    /// query_scores : array_like of float, shape (systems, queries)
    ///     NaN where a query has no score; of several samples of a query, give their mean.
    ///
    /// Returns
    /// -------
    /// SystemScores
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If there is not a score for each query.
    fn systems(&self, py: Python<'_>, query_scores: &Bound<'_, PyAny>) -> PyResult<SystemScores> {
        let scores = self.table_of(query_scores)?;
        let rows = scores.chunks_exact(self.0.queries().max(1));
        let found: Vec<_> = rows.map(|row| self.0.system(row)).collect();
        Ok(SystemScores {
            score: arrays::out(py, found.iter().map(|one| one.score.unwrap_or(f64::NAN)).collect()),
            coverage: arrays::out(py, found.iter().map(|one| one.coverage).collect()),
            queries_scored: arrays::out(py, found.iter().map(|one| one.queries_scored as i64).collect()),
            reasons: found.iter().map(|one| one.score.err().map(word)).collect(),
        })
    }

    /// How scores would move with other queries like these: whole clusters of queries drawn again, the same for every system.
    ///
    /// Parameters
    /// ----------
    /// query_scores : array_like of float, shape (systems, queries)
    ///     NaN where a query has no score.
    /// clusters : array_like of int, shape (queries,), optional
    ///     The cluster of each query; each is one of its own without them.
    /// replicates, seed : int
    ///     Same seed, same replicates, on any number of threads.
    ///
    /// Returns
    /// -------
    /// ScoreReplicates
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If there is not a score and a cluster for each query.
    /// UndefinedError
    ///     With fewer than ten clusters.
    /// KeyboardInterrupt
    ///     On Ctrl-C.
    ///
    /// Notes
    /// -----
    /// METHODS 102.
    #[pyo3(signature = (query_scores, clusters=None, *, replicates=2000, seed=0))]
    fn bootstrap(
        &self,
        py: Python<'_>,
        query_scores: &Bound<'_, PyAny>,
        clusters: Option<&Bound<'_, PyAny>>,
        replicates: u32,
        seed: u64,
    ) -> PyResult<ScoreReplicates> {
        check_replicates(py, replicates)?;
        let scores = self.table_of(query_scores)?;
        let queries = self.0.queries();
        let clusters: Vec<u32> = match clusters {
            Some(clusters) => arrays::whole(clusters, "clusters")?,
            None => (0..queries as u32).collect(),
        };
        arrays::same_length(py, ("clusters", clusters.len()), ("the plan's queries", queries))?;
        let options = ScoreBootstrapOptions { replicates, seed };
        let drawn = calls::detached(py, || score_bootstrap(&self.0, &scores, &clusters, options))?;
        let systems = scores.len().checked_div(queries).unwrap_or(0);
        let drawn = drawn.map_err(|why| errors::undefined(py, why))?;
        Ok(ScoreReplicates { drawn, systems })
    }

    fn __repr__(&self) -> String {
        format!(
            "ScorePlan(items={}, queries={})",
            self.0.items().len(),
            self.0.queries()
        )
    }
}

impl ScorePlan {
    fn table_of(&self, query_scores: &Bound<'_, PyAny>) -> PyResult<Vec<Option<f64>>> {
        let py = query_scores.py();
        let array = arrays::numbers(query_scores, "query_scores")?;
        let (_, queries, scores) = array.table(py, "query_scores", "systems by queries")?;
        arrays::same_length(
            py,
            ("a row of query_scores", queries),
            ("the plan's queries", self.0.queries()),
        )?;
        if let Some(cell) = scores.iter().position(|score| score.is_infinite()) {
            let message = format!("query_scores: entry {cell} is infinite");
            return Err(errors::argument(py, "query_scores", &message, None));
        }
        Ok(scores.iter().map(|&score| (!score.is_nan()).then_some(score)).collect())
    }
}

fn not_applicable_of(py: Python<'_>, word: &str) -> PyResult<WhenNotApplicable> {
    match word {
        "skip" => Ok(WhenNotApplicable::Skip),
        "pass" => Ok(WhenNotApplicable::Pass),
        "fail" => Ok(WhenNotApplicable::Fail),
        other => Err(unknown_word(py, "not_applicable", other, &["skip", "pass", "fail"])),
    }
}

fn roll_up_of(py: Python<'_>, rule: Option<&Bound<'_, PyAny>>) -> PyResult<RollUp> {
    let Some(rule) = rule else {
        return Ok(RollUp::Weighted);
    };
    if let Ok(least) = rule.extract::<u32>() {
        return Ok(RollUp::AtLeast(least));
    }
    match rule.extract::<String>().as_deref() {
        Ok("weighted") => Ok(RollUp::Weighted),
        Ok("all") => Ok(RollUp::All),
        Ok("mandatory") => Ok(RollUp::Mandatory),
        _ => {
            let message = "roll_up is neither one of its words nor a number of criteria";
            let help = "write \"weighted\", \"all\", \"mandatory\", or how many criteria must pass";
            Err(errors::argument(py, "roll_up", message, Some(help)))
        }
    }
}

fn clip_of(py: Python<'_>, word: &str) -> PyResult<Clip> {
    match word {
        "mean" => Ok(Clip::Mean),
        "example" => Ok(Clip::Example),
        "none" => Ok(Clip::None),
        other => Err(unknown_word(py, "clip", other, &["mean", "example", "none"])),
    }
}

/// Scores of all systems on the same queries drawn again, replicate by replicate.
#[pyclass(frozen, module = "calibrant.stats")]
pub(crate) struct ScoreReplicates {
    drawn: Drawn,
    systems: usize,
}

#[pymethods]
impl ScoreReplicates {
    /// The scores, an array of shape (replicates, systems); NaN where none of a system's queries was drawn.
    #[getter]
    fn values(&self, py: Python<'_>) -> PyResult<Py<PyArray2<f64>>> {
        let rows = (0..self.drawn.replicates()).flat_map(|replicate| self.drawn.row(replicate));
        let values = rows.map(|score| score.unwrap_or(f64::NAN)).collect();
        arrays::table_out(py, values, self.systems)
    }

    /// The percentile interval of the score of one system, expanded for the number of clusters.
    ///
    /// Parameters
    /// ----------
    /// system : int
    ///     Its row, from 0.
    /// level : float, default 0.95
    ///     The share of intervals meant to hold the score, in (0, 1).
    ///
    /// Returns
    /// -------
    /// tuple of float
    ///     Its two ends.
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     When fewer than ten clusters hold a score of the system, or fewer than nine in ten replicates do.
    #[pyo3(signature = (system, *, level=0.95))]
    fn interval(&self, py: Python<'_>, system: usize, level: f64) -> PyResult<(f64, f64)> {
        check_level(py, level)?;
        self.check(py, system)?;
        let found = self
            .drawn
            .interval(system, level)
            .map_err(|why| errors::undefined(py, why))?;
        Ok((found.low, found.high))
    }

    /// The interval of the score of system `i` less that of system `j`, paired within replicates.
    ///
    /// Parameters
    /// ----------
    /// i, j : int
    ///     Their rows, from 0.
    /// level : float, default 0.95
    ///     The share of intervals meant to hold the difference, in (0, 1).
    ///
    /// Returns
    /// -------
    /// tuple of float
    ///     Its two ends.
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     As `interval`, for either system.
    #[pyo3(signature = (i, j, *, level=0.95))]
    fn difference(&self, py: Python<'_>, i: usize, j: usize, level: f64) -> PyResult<(f64, f64)> {
        check_level(py, level)?;
        self.check(py, i.max(j))?;
        let found = self
            .drawn
            .difference(i, j, level)
            .map_err(|why| errors::undefined(py, why))?;
        Ok((found.low, found.high))
    }

    fn __repr__(&self) -> String {
        format!(
            "ScoreReplicates(replicates={}, systems={})",
            self.drawn.replicates(),
            self.systems
        )
    }
}

impl ScoreReplicates {
    fn check(&self, py: Python<'_>, system: usize) -> PyResult<()> {
        if system < self.systems {
            return Ok(());
        }
        let (what, index, count) = ("system", system, self.systems);
        let error = calibrant_stats::Error::NoSuchIndex { what, index, count };
        Err(errors::of_stats(py, &error))
    }
}

/// How many equally weighted criteria a score with these weights is worth.
///
/// Parameters
/// ----------
/// weights : array_like of float, shape (criteria,)
///     Finite; their absolute values count.
///
/// Returns
/// -------
/// float
///     Below half the number of criteria, one of them decides too much: consider a gate.
///
/// Raises
/// ------
/// UndefinedError
///     When no weight differs from 0.
///
/// Notes
/// -----
/// METHODS 25, 116.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.k_eff([10, 1, 1, 1, 1, 1]), 2)
/// 2.14
#[pyfunction]
pub(crate) fn k_eff(py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<f64> {
    let weights = super::ranking::finite(weights, "weights")?;
    kernel_k_eff(&weights).map_err(|why| errors::undefined(py, why))
}
