//! What kappa becomes when two judges flip labels at random: low agreement, or rare failure?

use calibrant_stats::agreement::{FlipModel as Model, kappa_with_flips_of as kernel_others, read_flips as kernel_read};
use pyo3::prelude::*;

use super::coefficient::word;
use super::measurability::share;
use super::ratings::given;
use super::result::result;
use super::shared_docs::{levels, pair_ratings, raises};
use crate::{arrays, errors};

/// Two judges who each flip the true label of a unit, pass or fail, with one chance, independently.
///
/// Parameters
/// ----------
/// flip : float
///     The chance, in [0, 1/2].
///
/// Raises
/// ------
/// ArgumentError
///     If it is out of its range.
///
/// Notes
/// -----
/// With chance and prevalence of one and the same table, its kappa is Scott's pi of that table again: it says something new only with
/// the flip rate of other criteria, or at another prevalence. METHODS 41, 132.
///
/// Examples
/// --------
/// The same judges, where half of the units pass and where nearly all do:
///
/// >>> from calibrant import stats
/// >>> judges = stats.FlipModel(0.05)
/// >>> [round(judges.kappa(p), 2) for p in (0.5, 0.95)]
/// [0.81, 0.45]
#[pyclass(frozen, module = "calibrant.stats")]
pub(crate) struct FlipModel(Model);

#[pymethods]
impl FlipModel {
    #[new]
    fn new(py: Python<'_>, flip: f64) -> PyResult<Self> {
        Ok(Self(Model::new(flip).map_err(|error| errors::of_stats(py, &error))?))
    }

    /// The judges who agree on a share `observed` of the units.
    ///
    /// Parameters
    /// ----------
    /// observed : float
    ///     The share of units on which they agree, in [0.5, 1].
    ///
    /// Returns
    /// -------
    /// FlipModel
    ///     Judges who flip labels as often as that takes.
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     Below one half, which independent flips cannot reach.
    #[staticmethod]
    fn from_agreement(py: Python<'_>, observed: f64) -> PyResult<Self> {
        share(py, "observed", observed)?;
        Ok(Self(
            Model::from_agreement(observed).map_err(|why| errors::undefined(py, why))?,
        ))
    }

    /// The chance that one judge flips a label, in [0, 1/2].
    #[getter]
    fn flip(&self) -> f64 {
        self.0.flip
    }

    /// The share of units on which the judges agree, at any prevalence.
    #[getter]
    fn agreement(&self) -> f64 {
        self.0.agreement()
    }

    /// The share of passes that these judges give where a share `prevalence` in [0, 1] truly passes.
    ///
    /// Parameters
    /// ----------
    /// prevalence : float
    ///     The share of units that truly pass, in [0, 1].
    ///
    /// Returns
    /// -------
    /// float
    ///     A share, in [0, 1].
    fn passes(&self, py: Python<'_>, prevalence: f64) -> PyResult<f64> {
        share(py, "prevalence", prevalence)?;
        Ok(self.0.passes(prevalence))
    }

    /// The true share of passes behind the share `passes` in [0, 1] that these judges give.
    ///
    /// Parameters
    /// ----------
    /// passes : float
    ///     The share of units that they pass, in [0, 1].
    ///
    /// Returns
    /// -------
    /// float
    ///     A share, in [0, 1].
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     Where no prevalence gives that share.
    fn prevalence(&self, py: Python<'_>, passes: f64) -> PyResult<f64> {
        share(py, "passes", passes)?;
        self.0.prevalence(passes).map_err(|why| errors::undefined(py, why))
    }

    /// The kappa of these judges where a share `prevalence` in [0, 1] of the units truly passes.
    ///
    /// Parameters
    /// ----------
    /// prevalence : float
    ///     The share of units that truly pass, in [0, 1].
    ///
    /// Returns
    /// -------
    /// float
    ///     Cohen's kappa, in [0, 1].
    ///
    /// Raises
    /// ------
    /// UndefinedError
    ///     Where all labels are alike.
    fn kappa(&self, py: Python<'_>, prevalence: f64) -> PyResult<f64> {
        share(py, "prevalence", prevalence)?;
        self.0.kappa(prevalence).map_err(|why| errors::undefined(py, why))
    }

    /// The curve of kappa by prevalence: an array of the shape of `prevalences`, NaN where `kappa` is undefined.
    ///
    /// Parameters
    /// ----------
    /// prevalences : array_like of float
    ///     Shares of units that truly pass, in [0, 1].
    ///
    /// Returns
    /// -------
    /// ndarray of float64
    ///     Of the shape of `prevalences`; NaN where all labels are alike.
    fn kappa_curve(&self, py: Python<'_>, prevalences: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let array = arrays::numbers(prevalences, "prevalences")?;
        for &prevalence in array.entries() {
            share(py, "prevalences", prevalence)?;
        }
        let curve = self.0.kappa_curve(array.entries());
        let values = curve.iter().map(|(_, kappa)| kappa.unwrap_or(f64::NAN)).collect();
        arrays::shaped_out(py, values, array.shape())
    }

    fn __repr__(&self) -> String {
        format!("FlipModel({})", self.0.flip)
    }
}

result! {
    /// What a table of two judges on pass and fail says under `FlipModel`.
    ///
    /// Attributes
    /// ----------
    /// model : FlipModel
    ///     With the flip rate of this table.
    /// passes : float
    ///     The share of passes over both judges.
    /// prevalence : float or None
    ///     The true share of passes behind it; None where the flip rate cannot give that share.
    /// kappa_at_half : float
    ///     The kappa of these judges at a prevalence of one half: PABAK.
    /// reason : str or None
    ///     Why there is no prevalence.
    FlipReading {
        model: Py<FlipModel>,
        passes: f64,
        prevalence: Option<f64>,
        kappa_at_half: f64,
        reason: Option<String>,
    }
}

/// Reads the flip rate and the true prevalence off the labels of two judges on two levels, the higher of which is pass.
///
#[doc = pair_ratings!()]
#[doc = levels!()]
///
/// Returns
/// -------
/// FlipReading
///
#[doc = raises!()]
///     Without a unit, on any scale but one of two levels, and where the judges agree on less than half of the units.
///
/// Notes
/// -----
/// METHODS 41.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> ratings = stats.Ratings.from_table([[4, 4], [4, 88]])
/// >>> reading = stats.read_flips(ratings)
/// >>> round(reading.model.flip, 3), round(reading.kappa_at_half, 2)
/// (0.042, 0.84)
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, levels=None))]
pub(crate) fn read_flips(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<FlipReading> {
    let table = given(ratings, other, levels)?.pair(py)?;
    let found = kernel_read(&table).map_err(|why| errors::undefined(py, why))?;
    Ok(FlipReading {
        model: Py::new(py, FlipModel(found.model))?,
        passes: found.passes,
        prevalence: found.prevalence.ok(),
        kappa_at_half: found.kappa_at_half,
        reason: found.prevalence.err().map(word),
    })
}

/// The kappa that judges with the flip rate of other criteria would have at the prevalence of these labels.
///
#[doc = pair_ratings!()]
/// others : FlipModel
///     With the median flip rate over the other criteria.
#[doc = levels!()]
///
/// Returns
/// -------
/// float
///     Where it is as low as the kappa observed, failure is rare; where it is clearly higher, this criterion is judged worse.
///
#[doc = raises!()]
///     As `read_flips`, and where the prevalence is undefined.
///
/// Notes
/// -----
/// METHODS 41.
///
/// Examples
/// --------
/// >>> from calibrant import stats
/// >>> ratings = stats.Ratings.from_table([[4, 4], [4, 88]])
/// >>> round(stats.kappa_with_flips_of(ratings, others=stats.FlipModel(0.05)), 2)
/// 0.41
#[pyfunction]
#[pyo3(signature = (ratings, other=None, *, others, levels=None))]
pub(crate) fn kappa_with_flips_of(
    py: Python<'_>,
    ratings: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    others: &FlipModel,
    levels: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let table = given(ratings, other, levels)?.pair(py)?;
    kernel_others(&table, others.0).map_err(|why| errors::undefined(py, why))
}
