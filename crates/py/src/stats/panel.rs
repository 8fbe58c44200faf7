//! Coefficients of a panel of any size, with gaps.

use calibrant_stats::Undefined;
use calibrant_stats::agreement::{
    self as kernel, Agreement, Difference, Moments, Patterns, Weights, bootstrap_alpha, bootstrap_panel,
    bootstrap_units,
};
use calibrant_stats::proportion::wilson_interval;
use calibrant_stats::resample::{Interval, LEVEL};
use pyo3::prelude::*;

use super::coefficient::{Asked, Coefficient, Found, Reach, finished, unknown_word, weights as weights_of};
use super::ratings::{Counted, Source, given, no_judges};
use super::shared_docs::{interval, levels, panel_ratings, raises, weights};
use crate::{calls, errors};

type PanelStatistic = fn(&Moments, &Weights) -> Result<Agreement, Undefined>;
type PanelError = fn(&Patterns, &Weights) -> Result<f64, Undefined>;

fn of_panel(
    py: Python<'_>,
    counted: &Counted,
    weights: &Weights,
    asked: &Asked,
    of: PanelStatistic,
    error: PanelError,
) -> PyResult<Coefficient> {
    let found = calls::by_size(py, asked.size(counted.size()), || {
        let patterns = counted.patterns();
        let moments = patterns.moments();
        let found = Found::of(of(&moments, weights)?, moments.units_with(1))?;
        Ok(found.with(
            asked,
            Reach::Student,
            || error(&patterns, weights),
            |options| bootstrap_panel(&patterns, weights, options, of),
        ))
    })?;
    finished(py, found)
}

/// The share of pairs of judges that agree: the mean over units with two labels or more.
///
#[doc = panel_ratings!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     When no unit has two labels.
///
/// Notes
/// -----
/// In [0, 1]. Not comparable between scales: two levels agree half the time by luck, five a fifth. For two judges and a level of .95
/// the interval is Wilson's. METHODS 34, 37, [Fleiss 1971].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(stats.percent_agreement([[1, 1, 0], [1, 1, 1], [0, 0, 0]]).value, 3)
/// 0.778
#[pyfunction]
#[pyo3(signature = (ratings, *, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn percent_agreement(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let found = calls::by_size(py, asked.size(counted.size()), || {
        let patterns = counted.patterns();
        let moments = patterns.moments();
        let units = moments.units_with(2);
        let found = Found::bare(kernel::percent_agreement(&moments)?, units);
        let error = || kernel::percent_agreement_error(&patterns);
        if matches!(asked, Asked::Analytic { level: LEVEL }) && counted.judges() == 2 {
            let (low, high) = wilson_interval(moments.unanimous_with(2), units)?;
            return Ok(found
                .with_interval(Interval { low, high }, level, "wilson")
                .with_error(error()));
        }
        let replicates = |options: &_| {
            bootstrap_units(&patterns.units(), options, |units| {
                kernel::percent_agreement(&patterns.moments_of(units))
            })
        };
        Ok(found.with(&asked, Reach::Student, error, replicates))
    })?;
    finished(py, found)
}

/// The share of units with two labels or more on which all labels are alike, in [0, 1].
///
#[doc = panel_ratings!()]
#[doc = levels!()]
///
/// Returns
/// -------
/// float
///     It falls as panels grow, however alike the judges are: compare it only between panels of one size.
///
#[doc = raises!()]
///     When no unit has two labels.
///
/// Notes
/// -----
/// METHODS 30, 64.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> stats.unanimity([[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0]])
/// 0.5
#[pyfunction]
#[pyo3(signature = (ratings, *, levels=None))]
pub(crate) fn unanimity(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let found = calls::by_size(py, counted.size(), || kernel::unanimity(&counted.moments()))?;
    found.map_err(|why| errors::undefined(py, why))
}

/// Fleiss' kappa: chance squares the shares of the levels over the whole panel.
///
#[doc = panel_ratings!()]
#[doc = weights!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     When no unit has two labels, or only one label occurs.
///
/// Notes
/// -----
/// Judges may differ from unit to unit. For two judges without gaps it is Scott's pi; with `weights` its weighted form, without them
/// those of identity. Where units have unequally many labels, shares are means over units. METHODS 45, [Fleiss 1971], [Gwet 2014].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> ratings = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]]
/// >>> round(float(stats.fleiss_kappa(ratings)), 3)
/// 0.333
#[pyfunction]
#[pyo3(signature = (ratings, *, weights=None, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn fleiss_kappa(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let weights = weights_or_identity(weights, counted.levels())?;
    of_panel(
        py,
        counted,
        &weights,
        &asked,
        kernel::fleiss_kappa,
        kernel::fleiss_kappa_error,
    )
}

/// Gwet's AC1: chance is what judges would agree on units that are hard to judge.
///
#[doc = panel_ratings!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     When no unit has two labels, or on a scale of one level; name both levels where only one occurs.
///
/// Notes
/// -----
/// It stays near raw agreement when one level dominates, where kappa falls towards 0: report it beside kappa there, not instead. It
/// depends on how many levels the scale has, even if some never occur: name them. METHODS 45, [Gwet 2008].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> ratings = [[1, 1], [1, 1], [1, 1], [1, 0]]
/// >>> round(float(stats.gwet_ac1(ratings)), 3), round(float(stats.fleiss_kappa(ratings)), 3)
/// (0.68, -0.143)
#[pyfunction]
#[pyo3(signature = (ratings, *, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn gwet_ac1(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let weights = Weights::identity(counted.levels());
    of_panel(py, counted, &weights, &asked, kernel::gwet_ac, kernel::gwet_ac_error)
}

/// Gwet's AC2: AC1 with weights, for ordered levels.
///
#[doc = panel_ratings!()]
#[doc = weights!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     As for `gwet_ac1`.
///
/// Notes
/// -----
/// METHODS 45, [Gwet 2014].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> round(float(stats.gwet_ac2([[1, 2], [2, 2], [3, 3], [4, 4]], weights="quadratic")), 3)
/// 0.91
#[pyfunction]
#[pyo3(signature = (ratings, *, weights, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn gwet_ac2(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let weights = weights_of(weights, counted.levels())?;
    of_panel(py, counted, &weights, &asked, kernel::gwet_ac, kernel::gwet_ac_error)
}

/// Brennan and Prediger's coefficient: chance takes each level equally often.
///
#[doc = panel_ratings!()]
#[doc = weights!()]
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     When no unit has two labels, or on a scale of one level.
///
/// Notes
/// -----
/// For two levels it is PABAK. It depends on how many levels the scale has, even if some never occur: name them. METHODS 41,
/// [Brennan and Prediger 1981].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> ratings = [[1, 1], [1, 1], [1, 1], [1, 0]]
/// >>> float(stats.brennan_prediger(ratings))
/// 0.5
#[pyfunction]
#[pyo3(signature = (ratings, *, weights=None, levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn brennan_prediger(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let weights = weights_or_identity(weights, counted.levels())?;
    of_panel(
        py,
        counted,
        &weights,
        &asked,
        kernel::brennan_prediger,
        kernel::brennan_prediger_error,
    )
}

/// Conger's kappa: chance multiplies the shares of labels of each two judges, so that judges may differ in leniency.
///
#[doc = panel_ratings!()]
#[doc = weights!()]
#[doc = levels!()]
///
/// Returns
/// -------
/// Coefficient
///     ``float(result)`` is its value. It has no standard error: none is implemented.
///
#[doc = raises!()]
///     When no unit has two labels, or only one label occurs.
///
/// Notes
/// -----
/// For two judges without gaps it is Cohen's kappa. Prefer it to Fleiss' when the same judges label all units. [Conger 1980],
/// [Gwet 2014].
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> ratings = [[1, 1], [1, 0], [0, 0], [1, 1], [0, 0], [0, 1]]
/// >>> round(float(stats.conger_kappa(ratings)), 3), round(float(stats.cohen_kappa(ratings)), 3)
/// (0.333, 0.333)
#[pyfunction]
#[pyo3(signature = (ratings, *, weights=None, levels=None))]
pub(crate) fn conger_kappa(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<Coefficient> {
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let weights = weights_or_identity(weights, counted.levels())?;
    let found = match &counted.source {
        Source::Patterns(_) => return Err(no_judges(py)),
        Source::Pair(table) => kernel::weighted_kappa(table, &weights).map(|found| (found, table.units())),
        Source::Tally(tally) => calls::by_size(py, counted.size() * tally.judges() * tally.judges(), || {
            let found = kernel::conger_kappa(tally, &weights)?;
            Ok((found, tally.moments().units_with(1)))
        })?,
    };
    finished(py, found.and_then(|(agreement, units)| Found::of(agreement, units)))
}

fn weights_or_identity(weights: Option<&Bound<'_, PyAny>>, levels: usize) -> PyResult<Weights> {
    weights.map_or_else(|| Ok(Weights::identity(levels)), |weights| weights_of(weights, levels))
}

/// Krippendorff's alpha: one minus observed over expected disagreement, for any number of judges, gaps and kind of scale.
///
#[doc = panel_ratings!()]
/// difference : {"nominal", "ordinal", "interval", "ratio"}
///     How far two labels lie apart. ``"interval"`` and ``"ratio"`` use the values of the levels.
#[doc = levels!()]
#[doc = interval!()]
///
#[doc = raises!()]
///     When no unit has two labels, or only one label occurs.
///
/// Notes
/// -----
/// Units with fewer than two labels are left out. One dissent among labels otherwise all alike gives about 0, not about 1: alpha asks
/// whether judges tell units apart, and such labels do not show it. METHODS 40, 45, [Krippendorff 2011].
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from calibrant import stats
/// >>> nan = np.nan
/// >>> ratings = np.array([[1, 1, nan], [2, 2, 3], [3, 3, 3], [nan, 2, 2], [1, 2, 1]])
/// >>> [round(float(stats.krippendorff_alpha(ratings, difference=d)), 3) for d in ("nominal", "ordinal")]
/// [0.571, 0.769]
#[pyfunction]
#[pyo3(signature = (ratings, *, difference="nominal", levels=None, interval="analytic", level=0.95, replicates=1000, seed=0))]
pub(crate) fn krippendorff_alpha(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    difference: &str,
    levels: Option<&Bound<'_, PyAny>>,
    interval: Option<&str>,
    level: f64,
    replicates: u32,
    seed: u64,
) -> PyResult<Coefficient> {
    let asked = Asked::new(py, interval, level, replicates, seed)?;
    let given = given(ratings, None, levels)?;
    let counted: &Counted = &given;
    let difference = difference_of(py, difference, &counted.values)?;
    let found = calls::by_size(py, asked.size(counted.size()), || {
        let patterns = counted.patterns();
        let moments = patterns.moments();
        let alpha = kernel::krippendorff_alpha(&moments, difference)?;
        let found = Found::bare(alpha.value?, moments.units_with(2));
        let found = found.made_of(alpha.observed_disagreement, alpha.expected_disagreement);
        Ok(found.with(
            &asked,
            Reach::Student,
            || kernel::krippendorff_alpha_error(&patterns, difference),
            |options| bootstrap_alpha(&patterns, difference, options),
        ))
    })?;
    finished(py, found)
}

fn difference_of<'a>(py: Python<'_>, word: &str, values: &'a [f64]) -> PyResult<Difference<'a>> {
    match word {
        "nominal" => Ok(Difference::Nominal),
        "ordinal" => Ok(Difference::Ordinal),
        "interval" => Ok(Difference::Interval(values)),
        "ratio" if values.iter().any(|&value| value < 0.0) => {
            let message = "levels below 0 have no ratio";
            let help = "take difference=\"interval\"";
            Err(errors::argument(py, "difference", message, Some(help)))
        }
        "ratio" => Ok(Difference::Ratio(values)),
        other => {
            let known = ["nominal", "ordinal", "interval", "ratio"];
            Err(unknown_word(py, "difference", other, &known))
        }
    }
}
