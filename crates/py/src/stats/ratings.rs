//! Labels of a panel as every coefficient of agreement takes them: an array, two lists, or counted once and asked often.

use std::ops::Deref;

use calibrant_stats::Undefined;
use calibrant_stats::agreement::{MISSING, Moments, PairTable, Patterns, Ratings as Codes, Tally};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use super::coding::{CodingError, codes_of, count_codes, distinct, first_guess, one_past_largest};
use crate::arrays::{self, Array};
use crate::{calls, errors};

/// What was counted.
pub(crate) enum Source {
    /// Who gave which label to which unit.
    Tally(Tally),
    /// A table of two judges.
    Pair(PairTable),
    /// How many judges gave each level, whoever they were.
    Patterns(Patterns),
}

/// Labels counted, with the values of the levels, ascending.
pub(crate) struct Counted {
    pub(crate) source: Source,
    pub(crate) values: Vec<f64>,
}

impl Counted {
    pub(crate) fn patterns(&self) -> Patterns {
        match &self.source {
            Source::Tally(tally) => tally.patterns(),
            Source::Pair(table) => table.patterns(),
            Source::Patterns(patterns) => patterns.clone(),
        }
    }

    pub(crate) fn moments(&self) -> Moments {
        self.patterns().moments()
    }

    pub(crate) fn levels(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn judges(&self) -> usize {
        match &self.source {
            Source::Tally(tally) => tally.judges(),
            Source::Pair(_) => 2,
            Source::Patterns(patterns) => patterns.judges(),
        }
    }

    fn units(&self) -> u64 {
        match &self.source {
            Source::Tally(tally) => tally.units(),
            Source::Pair(table) => table.units(),
            Source::Patterns(patterns) => patterns.units().iter().sum(),
        }
    }

    /// About how many nanoseconds a point estimate takes once labels are counted.
    pub(crate) fn size(&self) -> usize {
        match &self.source {
            // A table of all ways to label a unit has at most so many cells.
            Source::Tally(tally) => (tally.units() as usize).min(1 << 16) * tally.levels(),
            Source::Pair(table) => table.counts().len(),
            Source::Patterns(patterns) => patterns.as_slice().len() * patterns.levels(),
        }
    }

    /// The table of two judges.
    pub(crate) fn pair(&self, py: Python<'_>) -> PyResult<PairTable> {
        match &self.source {
            Source::Pair(table) => Ok(table.clone()),
            Source::Tally(tally) if tally.judges() == 2 => tally.pair(0, 1).map_err(|e| errors::of_stats(py, &e)),
            Source::Tally(tally) => {
                let message = format!("this is about two judges, and ratings has {}", tally.judges());
                let help = "choose two columns, as in ratings[:, [0, 1]], or take a coefficient for panels";
                Err(errors::argument(py, "ratings", &message, Some(help)))
            }
            Source::Patterns(_) => Err(no_judges(py)),
        }
    }

    /// The labels of each judge by level.
    fn labels_of(&self, py: Python<'_>, judge: usize) -> PyResult<Vec<u64>> {
        match &self.source {
            Source::Tally(tally) => tally.labels_of(judge).map_err(|error| errors::of_stats(py, &error)),
            Source::Pair(table) if judge == 0 => Ok(table.rows()),
            Source::Pair(table) if judge == 1 => Ok(table.columns()),
            Source::Pair(_) => Err(errors::argument(py, "judge", "judge is neither 0 nor 1 of two", None)),
            Source::Patterns(_) => Err(no_judges(py)),
        }
    }
}

pub(crate) fn no_judges(py: Python<'_>) -> PyErr {
    let message = "this asks who gave which label, and counts of labels do not say";
    errors::argument(py, "ratings", message, Some("give the labels, units by judges"))
}

/// Labels counted for this call, or before it.
pub(crate) enum Given<'py> {
    Now(Counted),
    Before(Bound<'py, Ratings>),
}

impl Deref for Given<'_> {
    type Target = Counted;

    fn deref(&self) -> &Counted {
        match self {
            Self::Now(counted) => counted,
            Self::Before(ratings) => &ratings.get().0,
        }
    }
}

/// What a coefficient was given, as counts.
pub(crate) fn given<'py>(
    ratings: &Bound<'py, PyAny>,
    other: Option<&Bound<'py, PyAny>>,
    levels: Option<&Bound<'py, PyAny>>,
) -> PyResult<Given<'py>> {
    let Ok(before) = ratings.cast::<Ratings>() else {
        return counted(ratings, other, levels).map(Given::Now);
    };
    if other.is_some() || levels.is_some() {
        let message = "ratings are counted already, with their levels: give them alone";
        return Err(errors::argument(ratings.py(), "ratings", message, None));
    }
    Ok(Given::Before(before.clone()))
}

fn counted(
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<Counted> {
    let py = ratings.py();
    let levels = levels.map(|levels| checked_levels(levels)).transpose()?;
    if let Some(other) = other {
        return of_two_lists(ratings, other, levels.as_deref());
    }
    let words = "units by judges; labels of two judges may also come as two lists";
    let (source, values) = match Labels::read(ratings, "ratings")? {
        Labels::Codes(codes) => {
            let (_, judges, codes) = codes.table(py, "ratings", words)?;
            calls::by_size(py, codes.len(), || count_codes(codes, judges, levels.as_deref()))?
        }
        Labels::Numbers(labels) => {
            let (_, judges, labels) = labels.table(py, "ratings", words)?;
            calls::by_size(py, labels.len(), || {
                let (codes, values) = codes_of(labels, levels.as_deref())?;
                let tally = Codes::new(judges, values.len(), &codes)?.tally();
                Ok((tally, values))
            })?
        }
    }
    .map_err(|error| coding_error(py, error))?;
    let source = Source::Tally(source);
    Ok(Counted { source, values })
}

/// Labels as they came: bytes are codes with 255 for a missing label, everything else is numbers with NaN.
pub(crate) enum Labels<'py> {
    Codes(Array<'py, u8>),
    Numbers(Array<'py, f64>),
}

impl<'py> Labels<'py> {
    pub(crate) fn read(value: &Bound<'py, PyAny>, argument: &str) -> PyResult<Self> {
        let value = &arrays::plain(value)?;
        if let Some(codes) = arrays::in_place::<u8>(value) {
            return Ok(Self::Codes(codes));
        }
        // Bytes that do not lie in place keep their meaning when they are copied.
        let kind = value.getattr("dtype").and_then(|dtype| dtype.getattr("str"));
        let exact = value.is_exact_instance_of::<numpy::PyUntypedArray>();
        match kind.and_then(|kind| kind.extract::<String>()) {
            Ok(kind) if exact && (kind == "|u1" || kind == "|b1") => {
                let bytes = value.call_method1("astype", ("uint8",))?;
                arrays::array(&bytes, argument).map(Self::Codes)
            }
            _ => arrays::numbers(value, argument).map(Self::Numbers),
        }
    }

    /// The labels of a list as numbers.
    fn to_numbers(&self, py: Python<'_>, argument: &str) -> PyResult<Vec<f64>> {
        match self {
            Self::Numbers(numbers) => Ok(numbers.list(py, argument)?.to_vec()),
            Self::Codes(codes) => {
                let number = |&code: &u8| if code == MISSING { f64::NAN } else { f64::from(code) };
                Ok(codes.list(py, argument)?.iter().map(number).collect())
            }
        }
    }
}

/// Two lists of one length, unit by unit.
fn of_two_lists(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, levels: Option<&[f64]>) -> PyResult<Counted> {
    let py = a.py();
    let (a, b) = (Labels::read(a, "ratings")?, Labels::read(b, "other")?);
    let (table, values) = match (&a, &b) {
        (Labels::Codes(a), Labels::Codes(b)) => {
            let (a, b) = (a.list(py, "ratings")?, b.list(py, "other")?);
            arrays::same_length(py, ("ratings", a.len()), ("other", b.len()))?;
            if let Some(pair) = calls::by_size(py, a.len(), || pair_of_codes(a, b, levels))? {
                pair
            } else {
                pair_of_numbers(py, &numbers_of_codes(a), &numbers_of_codes(b), levels)?
            }
        }
        _ => {
            let (a, b) = (a.to_numbers(py, "ratings")?, b.to_numbers(py, "other")?);
            arrays::same_length(py, ("ratings", a.len()), ("other", b.len()))?;
            pair_of_numbers(py, &a, &b, levels)?
        }
    };
    Ok(Counted {
        source: Source::Pair(table),
        values,
    })
}

fn numbers_of_codes(codes: &[u8]) -> Vec<f64> {
    let number = |&code: &u8| if code == MISSING { f64::NAN } else { f64::from(code) };
    codes.iter().map(number).collect()
}

/// The table of codes that are levels already: 0, 1, 2 and so on, each of which occurs or is given.
fn pair_of_codes(a: &[u8], b: &[u8], levels: Option<&[f64]>) -> Option<(PairTable, Vec<f64>)> {
    let mut values = levels.map_or_else(|| codes_up_to(first_guess(a).max(first_guess(b))), <[f64]>::to_vec);
    if values != codes_up_to(values.len()) {
        return None;
    }
    let mut table = PairTable::of_codes(values.len(), a, b).ok()?;
    // Where every unit counts, every code is a level: only gaps make it worth while to look.
    if table.units() < a.len() as u64 {
        let most = usize::from(one_past_largest(a).max(one_past_largest(b)));
        if most > values.len() {
            values = codes_up_to(most);
            table = PairTable::of_codes(most, a, b).ok().filter(|_| levels.is_none())?;
        }
    }
    (levels.is_some() || all_occur(&table, a, b)).then_some((table, values))
}

fn codes_up_to(most: usize) -> Vec<f64> {
    (0..most).map(|code| code as f64).collect()
}

/// Whether somebody gave each level of the table.
fn all_occur(table: &PairTable, a: &[u8], b: &[u8]) -> bool {
    let counted = table.rows().into_iter().zip(table.columns());
    let mut occurs: Vec<bool> = counted.map(|(a, b)| a + b > 0).collect();
    if !occurs.contains(&false) {
        return true;
    }
    // A level may occur only where the other judge gave no label.
    for &code in a.iter().chain(b).filter(|&&code| code != MISSING) {
        occurs[usize::from(code)] = true;
    }
    !occurs.contains(&false)
}

fn pair_of_numbers(py: Python<'_>, a: &[f64], b: &[f64], levels: Option<&[f64]>) -> PyResult<(PairTable, Vec<f64>)> {
    let table = calls::by_size(py, 8 * a.len(), || {
        let levels = match levels {
            Some(levels) => levels.to_vec(),
            None => distinct(&[distinct(a)?, distinct(b)?].concat())?,
        };
        let (first, values) = codes_of(a, Some(&levels))?;
        let (second, _) = codes_of(b, Some(&levels))?;
        Ok((PairTable::of_codes(values.len(), &first, &second)?, values))
    })?;
    table.map_err(|error| coding_error(py, error))
}

/// Levels as they may be given: finite, ascending, at least one and at most 255.
fn checked_levels(levels: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let py = levels.py();
    let levels = arrays::list(levels, "levels")?;
    let ascending = levels.windows(2).all(|pair| pair[0] < pair[1]);
    if levels.is_empty() || levels.len() > 255 || !ascending || !levels.iter().all(|level| level.is_finite()) {
        let message = "levels are not 1 to 255 finite numbers in ascending order";
        return Err(errors::argument(py, "levels", message, None));
    }
    Ok(levels)
}

fn coding_error(py: Python<'_>, error: CodingError) -> PyErr {
    let (message, help) = match error {
        CodingError::Kernel(error) => return errors::of_stats(py, &error),
        CodingError::TooManyLevels => (
            "ratings hold more than 255 different labels".to_owned(),
            "for measurements take `icc`, which needs no levels",
        ),
        CodingError::Infinite => (
            "ratings hold an infinite label".to_owned(),
            "give NaN for a missing label",
        ),
        CodingError::NoLevel(label) => (
            format!("ratings hold the label {label}, which is none of the levels given"),
            "name every level in `levels`, and give NaN for a missing label",
        ),
    };
    errors::argument(py, "ratings", &message, Some(help))
}

/// Labels of a panel, counted once and asked often.
///
/// Every coefficient of agreement takes the labels themselves; with many coefficients of many labels, count them once.
///
/// Parameters
/// ----------
/// ratings : array_like of shape (units, judges), or (units,) with `other`
///     Labels. NaN is a missing label; in ``uint8`` arrays 255 is. A C-contiguous ``uint8`` array whose levels are 0, 1, 2, ... is
///     read in place.
/// other : array_like of shape (units,), optional
///     Labels of a second judge; `ratings` are then those of the first. Units that either left out do not count.
/// levels : array_like, optional
///     The levels of the scale, ascending. Without them, those that occur.
///
/// Raises
/// ------
/// ArgumentError
///     If the labels do not have that shape, there are more than 255 levels, or a label is none of `levels`.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from calibrant import stats
/// >>> counted = stats.Ratings(np.array([[0, 0, 1], [1, 1, 1], [0, np.nan, 0]]))
/// >>> counted.units, counted.judges, counted.levels.tolist()
/// (3, 3, [0.0, 1.0])
/// >>> round(float(stats.krippendorff_alpha(counted)), 3)
/// 0.562
#[pyclass(frozen, module = "calibrant.stats")]
pub(crate) struct Ratings(pub(crate) Counted);

#[pymethods]
impl Ratings {
    #[new]
    #[pyo3(signature = (ratings, other=None, *, levels=None))]
    fn new(
        ratings: &Bound<'_, PyAny>,
        other: Option<&Bound<'_, PyAny>>,
        levels: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        counted(ratings, other, levels).map(Self)
    }

    /// Labels given as counts: how many judges gave each level, unit by unit, whoever they were.
    ///
    /// Parameters
    /// ----------
    /// counts : array_like of int, shape (units, levels)
    ///     At most 65535 labels a unit.
    /// levels : array_like of shape (levels,), optional
    ///     The values of the levels, ascending; 0, 1, 2, ... without them.
    ///
    /// Returns
    /// -------
    /// Ratings
    ///     For the coefficients of panels; those that ask who gave which label refuse it.
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If a count is no whole number, or the levels are not one a column.
    ///
    /// Examples
    /// --------
    /// >>> from calibrant import stats
    /// >>> round(float(stats.fleiss_kappa(stats.Ratings.from_counts([[3, 0], [1, 2], [0, 3]]))), 3)
    /// 0.55
    #[staticmethod]
    #[pyo3(signature = (counts, *, levels=None))]
    fn from_counts(counts: &Bound<'_, PyAny>, levels: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let py = counts.py();
        let array = arrays::numbers(counts, "counts")?;
        let (_, width, entries) = array.table(py, "counts", "units by levels")?;
        let counts: Vec<u16> = arrays::whole_entries(py, entries, "counts")?;
        let values = values_of(py, levels, width)?;
        let total = |unit: &[u16]| unit.iter().map(|&n| usize::from(n)).sum::<usize>();
        if counts
            .chunks(width.max(1))
            .any(|unit| total(unit) > usize::from(u16::MAX))
        {
            let message = "counts hold a unit of more than 65535 labels";
            return Err(errors::argument(py, "counts", message, None));
        }
        let patterns = Patterns::from_counts(width, &counts).map_err(|error| errors::of_stats(py, &error))?;
        let source = Source::Patterns(patterns);
        Ok(Self(Counted { source, values }))
    }

    /// Labels of two judges given as a table of counts, also called a contingency table or confusion matrix.
    ///
    /// Parameters
    /// ----------
    /// table : array_like of int, shape (levels, levels)
    ///     How often the first judge gave one level (rows) and the second another (columns), over the same units.
    /// levels : array_like of shape (levels,), optional
    ///     The values of the levels, ascending; 0, 1, 2, ... without them.
    ///
    /// Returns
    /// -------
    /// Ratings
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If the table is no square of whole numbers.
    ///
    /// Examples
    /// --------
    /// Agreement on 85 % of 100 units, twice, and yet not the same kappa [Feinstein and Cicchetti 1990]:
    ///
    /// >>> from calibrant import stats
    /// >>> balanced = stats.Ratings.from_table([[40, 9], [6, 45]])
    /// >>> skewed = stats.Ratings.from_table([[80, 10], [5, 5]])
    /// >>> [round(float(stats.cohen_kappa(r)), 2) for r in (balanced, skewed)]
    /// [0.7, 0.32]
    #[staticmethod]
    #[pyo3(signature = (table, *, levels=None))]
    fn from_table(table: &Bound<'_, PyAny>, levels: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let py = table.py();
        let array = arrays::numbers(table, "table")?;
        let (_, width, entries) = array.table(py, "table", "a square of counts")?;
        let counts: Vec<u64> = arrays::whole_entries(py, entries, "table")?;
        let values = values_of(py, levels, width)?;
        let table = PairTable::new(width, counts).map_err(|error| errors::of_stats(py, &error))?;
        let source = Source::Pair(table);
        Ok(Self(Counted { source, values }))
    }

    /// Units, those without a label included.
    #[getter]
    fn units(&self) -> u64 {
        self.0.units()
    }

    /// Judges; of labels given as counts, the most labels a unit has.
    #[getter]
    fn judges(&self) -> usize {
        self.0.judges()
    }

    /// The values of the levels, ascending: an array of float64.
    #[getter]
    fn levels(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::out(py, self.0.values.clone())
    }

    /// How often one judge gave each level (rows) and another each (columns), over the units that both labelled.
    ///
    /// Parameters
    /// ----------
    /// a, b : int
    ///     Judges by position, from 0, and not the same.
    ///
    /// Returns
    /// -------
    /// ndarray of int64, shape (levels, levels)
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If there is no such judge, or labels were given as counts.
    ///
    /// Examples
    /// --------
    /// >>> from calibrant import stats
    /// >>> stats.Ratings([[0, 1], [1, 1], [0, 0]]).table().tolist()
    /// [[1, 1], [0, 1]]
    #[pyo3(signature = (a=0, b=1))]
    fn table(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<Py<PyArray2<i64>>> {
        let table = match &self.0.source {
            Source::Pair(table) if (a, b) == (0, 1) => table.clone(),
            Source::Pair(table) if (a, b) == (1, 0) => table.transposed(),
            Source::Pair(_) => {
                return Err(errors::argument(
                    py,
                    "b",
                    "a and b are not the two judges, 0 and 1",
                    None,
                ));
            }
            Source::Tally(tally) => tally.pair(a, b).map_err(|error| errors::of_stats(py, &error))?,
            Source::Patterns(_) => return Err(no_judges(py)),
        };
        let counts = table.counts().iter().map(|&n| n as i64).collect();
        arrays::table_out(py, counts, table.levels())
    }

    /// The share of each level among the labels of one judge, in [0, 1].
    ///
    /// Parameters
    /// ----------
    /// judge : int
    ///     By position, from 0.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (levels,)
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     For a judge without a label.
    /// ArgumentError
    ///     If there is no such judge, or labels were given as counts.
    ///
    /// Examples
    /// --------
    /// >>> from calibrant import stats
    /// >>> stats.Ratings([[0, 1], [1, 1]]).prevalence(0).tolist()
    /// [0.5, 0.5]
    fn prevalence(&self, py: Python<'_>, judge: usize) -> PyResult<Py<PyArray1<f64>>> {
        let labels = self.0.labels_of(py, judge)?;
        match labels.iter().sum::<u64>() {
            0 => Err(errors::undefined(py, Undefined::NoLabels)),
            all => Ok(arrays::out(py, labels.iter().map(|&n| n as f64 / all as f64).collect())),
        }
    }

    fn __repr__(&self) -> String {
        let counted = &self.0;
        let levels = counted.levels();
        format!(
            "Ratings(units={}, judges={}, levels={levels})",
            counted.units(),
            counted.judges()
        )
    }
}

fn values_of(py: Python<'_>, levels: Option<&Bound<'_, PyAny>>, width: usize) -> PyResult<Vec<f64>> {
    let Some(levels) = levels else {
        return Ok((0..width).map(|level| level as f64).collect());
    };
    let values = checked_levels(levels)?;
    arrays::same_length(py, ("levels", values.len()), ("the columns", width))?;
    Ok(values)
}
