//! Intraclass correlations.

use std::collections::BTreeMap;

use calibrant_stats::agreement::{Anova, Icc};
use pyo3::prelude::*;

use super::coefficient::{check_level, defined, unknown_word};
use super::result::result;
use crate::{arrays, calls, errors};

result! {
    /// An intraclass correlation with its interval, its test and the analysis of variance behind it.
    ///
    /// Attributes
    /// ----------
    /// value : float
    ///     At most 1; below 0 where units differ less than chance would make them.
    /// low, high : float or None
    ///     The interval at `level`; None where labels leave no residual.
    /// level : float
    ///     The level asked for.
    /// f, p_value : float
    ///     The F of no correlation, and the chance of a larger one.
    /// form : str
    ///     Which of the six.
    /// units, incomplete, judges : int
    ///     Units with a label from every judge, units left out because one is missing, and judges.
    /// between_units, between_judges, within_units, residual : float
    ///     The mean squares.
    /// reasons : dict of str to str
    ///     Why a field is None, by field.
    IntraclassCorrelation float(value) {
        value: f64,
        low: Option<f64>,
        high: Option<f64>,
        level: f64,
        f: f64,
        p_value: f64,
        form: &'static str,
        units: usize,
        incomplete: usize,
        judges: usize,
        between_units: f64,
        between_judges: f64,
        within_units: f64,
        residual: f64,
        reasons: BTreeMap<&'static str, String>,
    }
}

/// The six forms by their names in the sources.
const FORMS: [(&str, Icc); 6] = [
    ("1,1", Icc::OneWaySingle),
    ("2,1", Icc::AgreementSingle),
    ("3,1", Icc::ConsistencySingle),
    ("1,k", Icc::OneWayMean),
    ("2,k", Icc::AgreementMean),
    ("3,k", Icc::ConsistencyMean),
];

/// An intraclass correlation: agreement on a scale of numbers, from the analysis of variance of units by judges.
///
/// Parameters
/// ----------
/// ratings : array_like of float, shape (units, judges)
///     Any numbers; NaN is a missing label, and its unit is left out.
/// form : {"1,1", "2,1", "3,1", "1,k", "2,k", "3,k"}
///     1: each unit has judges of its own. 2: the same judges for all units, and they must agree in value. 3: a judge lenient
///     throughout costs nothing. Then 1 for the label of one judge, k for the mean of all of them; ``"3,k"`` is Cronbach's alpha.
/// level : float
///     The level of the interval, in (0, 1).
///
/// Returns
/// -------
/// IntraclassCorrelation
///     ``float(result)`` is its value.
///
/// Raises
/// ------
/// ArgumentError
///     If there are not units by judges, a label is infinite, or a keyword is out of its range.
/// UndefinedError
///     With fewer than two complete units or two judges, or where nothing varies.
///
/// Notes
/// -----
/// The intervals are exact for normal values; those of the agreement forms are approximate. METHODS 45, [Shrout and Fleiss 1979],
/// [McGraw and Wong 1996].
///
/// Examples
/// --------
/// The six targets and four judges of the source:
///
/// >>> from calibrant import stats
/// >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
/// >>> [round(float(stats.icc(ratings, form=form)), 2) for form in ("1,1", "2,1", "3,1", "3,k")]
/// [0.17, 0.29, 0.71, 0.91]
#[pyfunction]
#[pyo3(signature = (ratings, *, form="2,1", level=0.95))]
pub(crate) fn icc(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    form: &str,
    level: f64,
) -> PyResult<IntraclassCorrelation> {
    check_level(py, level)?;
    let Some(&(form, wanted)) = FORMS.iter().find(|(name, _)| *name == form) else {
        return Err(unknown_word(py, "form", form, &FORMS.map(|(name, _)| name)));
    };
    let array = arrays::numbers(ratings, "ratings")?;
    let (_, judges, values) = array.table(py, "ratings", "units by judges")?;
    let anova = calls::by_size(py, 8 * values.len(), || Anova::of_values(judges, values))?;
    let anova = anova.map_err(|error| errors::of_stats(py, &error))?;
    let found = anova.and_then(|anova| Ok((anova, anova.icc(wanted, level)?)));
    let (anova, icc) = found.map_err(|why| errors::undefined(py, why))?;
    let mut reasons = BTreeMap::new();
    let interval = defined(&mut reasons, &["low", "high"], icc.interval);
    Ok(IntraclassCorrelation {
        value: icc.value,
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        level,
        f: icc.f,
        p_value: icc.p_value,
        form,
        units: anova.units,
        incomplete: anova.incomplete,
        judges: anova.judges,
        between_units: anova.between_units,
        between_judges: anova.between_judges,
        within_units: anova.within_units,
        residual: anova.residual,
        reasons,
    })
}
