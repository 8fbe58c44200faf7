//! What a coefficient of agreement comes with: its standard error, its interval, and what it is made of.

use std::collections::BTreeMap;

use calibrant_stats::Undefined;
use calibrant_stats::agreement::{
    Agreement, AgreementBootstrapOptions, AgreementReplicates, Weights, normal_interval, student_interval,
};
use calibrant_stats::resample::Interval;
use calibrant_steps::reason::reason;
use numpy::PyArray1;
use pyo3::prelude::*;

use super::result::result;
use crate::{arrays, errors};

result! {
    /// A coefficient of agreement with its interval.
    ///
    /// ``float(coefficient)`` is its value. A standard error or interval that these data do not define is None, with the reason in
    /// `reasons`; a value that they do not define raises `UndefinedError` instead.
    ///
    /// Attributes
    /// ----------
    /// value : float
    ///     At most 1.
    /// standard_error : float or None
    ///     Of the value.
    /// low, high : float or None
    ///     The interval at `level`; `high` at most 1.
    /// level : float
    ///     The level asked for.
    /// method : str or None
    ///     ``"normal"``, ``"student"``, ``"wilson"`` or ``"bootstrap"``; None without an interval.
    /// observed, expected : float or None
    ///     What the value is made of: agreement and the agreement of chance, or for alpha disagreement and that of chance.
    /// units : int
    ///     Units that the value rests on.
    /// null_standard_error : float or None
    ///     For the test that a kappa of two judges is 0.
    /// replicates : ndarray of float64, shape (replicates,), or None
    ///     The values of the bootstrap that have one.
    /// reasons : dict of str to str
    ///     Why a field is None, by field; the words are those of artifacts.
    Coefficient float(value) {
        value: f64,
        standard_error: Option<f64>,
        low: Option<f64>,
        high: Option<f64>,
        level: f64,
        method: Option<&'static str>,
        observed: Option<f64>,
        expected: Option<f64>,
        units: u64,
        null_standard_error: Option<f64>,
        replicates: Option<Py<PyArray1<f64>>>,
        reasons: BTreeMap<&'static str, String>,
    }
}

/// The stable word of a reason, as artifacts have it.
pub(crate) fn word(why: Undefined) -> String {
    reason(why).reason
}

/// How an interval was asked for.
#[derive(Clone, Copy)]
pub(crate) enum Asked {
    Nothing,
    Analytic { level: f64 },
    Bootstrap(AgreementBootstrapOptions),
}

impl Asked {
    /// From the keywords `interval`, `level`, `replicates` and `seed`.
    pub(crate) fn new(
        py: Python<'_>,
        interval: Option<&str>,
        level: f64,
        replicates: u32,
        seed: u64,
    ) -> PyResult<Self> {
        check_level(py, level)?;
        check_replicates(py, replicates)?;
        match interval {
            None => Ok(Self::Nothing),
            Some("analytic") => Ok(Self::Analytic { level }),
            Some("bootstrap") => Ok(Self::Bootstrap(AgreementBootstrapOptions {
                replicates,
                seed,
                level,
            })),
            Some(other) => Err(unknown_word(py, "interval", other, &["analytic", "bootstrap"])),
        }
    }

    /// About how many nanoseconds it takes, where one statistic takes `size`.
    pub(crate) fn size(&self, size: usize) -> usize {
        match self {
            Self::Nothing | Self::Analytic { .. } => size,
            Self::Bootstrap(options) => size.saturating_mul(50).saturating_mul(options.replicates as usize),
        }
    }
}

pub(crate) fn check_level(py: Python<'_>, level: f64) -> PyResult<()> {
    if 0.0 < level && level < 1.0 {
        return Ok(());
    }
    let message = format!("level is {level}, which is not strictly between 0 and 1");
    Err(errors::argument(py, "level", &message, None))
}

/// The most replicates of a bootstrap: they stay in memory.
const MOST_REPLICATES: u32 = 1_000_000;

pub(crate) fn check_replicates(py: Python<'_>, replicates: u32) -> PyResult<()> {
    if (1..=MOST_REPLICATES).contains(&replicates) {
        return Ok(());
    }
    let message = format!("replicates is {replicates}, which is not between 1 and {MOST_REPLICATES}");
    Err(errors::argument(py, "replicates", &message, None))
}

/// A word that is none of those a keyword takes.
pub(crate) fn unknown_word(py: Python<'_>, argument: &str, word: &str, known: &[&str]) -> PyErr {
    let message = format!("{argument} is \"{word}\", which is none of its words");
    let quoted: Vec<String> = known.iter().map(|word| format!("\"{word}\"")).collect();
    let help = format!("write one of {}", quoted.join(", "));
    errors::argument(py, argument, &message, Some(&help))
}

/// Agreement weights as keywords give them.
pub(crate) fn weights(given: &Bound<'_, PyAny>, levels: usize) -> PyResult<Weights> {
    let py = given.py();
    if let Ok(word) = given.extract::<String>() {
        return match word.as_str() {
            "identity" => Ok(Weights::identity(levels)),
            "linear" => Ok(Weights::linear(levels)),
            "quadratic" => Ok(Weights::quadratic(levels)),
            other => Err(unknown_word(py, "weights", other, &["identity", "linear", "quadratic"])),
        };
    }
    let array = arrays::numbers(given, "weights")?;
    let (rows, columns, entries) = array.table(py, "weights", "levels by levels")?;
    arrays::same_length(py, ("weights", rows), ("the scale", levels))?;
    arrays::same_length(py, ("a row of weights", columns), ("the scale", levels))?;
    Weights::new(levels, entries.to_vec()).map_err(|error| errors::of_stats(py, &error))
}

/// How far an interval reaches from a standard error.
#[derive(Clone, Copy)]
pub(crate) enum Reach {
    /// As a normal variable.
    Normal,
    /// As Student's t over the units.
    Student,
}

/// A coefficient as kernels give it, before it is an object of the interpreter.
pub(crate) struct Found {
    value: f64,
    observed: Option<f64>,
    expected: Option<f64>,
    units: u64,
    null_standard_error: Option<f64>,
    spread: Option<Spread>,
    replicates: Option<Vec<f64>>,
    level: f64,
}

/// A standard error, an interval, and how they were made.
struct Spread {
    error: Result<f64, Undefined>,
    interval: Result<Interval, Undefined>,
    method: &'static str,
}

impl Found {
    /// A value without an interval.
    pub(crate) fn bare(value: f64, units: u64) -> Self {
        Self {
            value,
            observed: None,
            expected: None,
            units,
            null_standard_error: None,
            spread: None,
            replicates: None,
            level: calibrant_stats::resample::LEVEL,
        }
    }

    pub(crate) fn of(agreement: Agreement, units: u64) -> Result<Self, Undefined> {
        Ok(Self {
            observed: Some(agreement.observed),
            expected: Some(agreement.expected),
            ..Self::bare(agreement.value?, units)
        })
    }

    pub(crate) fn made_of(self, observed: f64, expected: f64) -> Self {
        Self {
            observed: Some(observed),
            expected: Some(expected),
            ..self
        }
    }

    pub(crate) fn with_null_error(self, error: f64) -> Self {
        Self {
            null_standard_error: Some(error),
            ..self
        }
    }

    /// With an interval known already.
    pub(crate) fn with_interval(self, interval: Interval, level: f64, method: &'static str) -> Self {
        Self {
            spread: Some(Spread {
                error: Err(Undefined::NoSpread),
                interval: Ok(interval),
                method,
            }),
            level,
            ..self
        }
    }

    pub(crate) fn with_error(mut self, error: Result<f64, Undefined>) -> Self {
        if let Some(spread) = &mut self.spread {
            spread.error = error;
        }
        self
    }

    /// With the interval asked for, from the standard error or from replicates.
    pub(crate) fn with(
        mut self,
        asked: &Asked,
        reach: Reach,
        error: impl FnOnce() -> Result<f64, Undefined>,
        replicates: impl FnOnce(&AgreementBootstrapOptions) -> Result<AgreementReplicates, Undefined>,
    ) -> Self {
        match asked {
            Asked::Nothing => {}
            Asked::Analytic { level } => {
                let error = error();
                let interval = error.map(|error| match reach {
                    Reach::Normal => normal_interval(self.value, error, *level),
                    Reach::Student => student_interval(self.value, error, self.units, *level),
                });
                let method = match reach {
                    Reach::Normal => "normal",
                    Reach::Student => "student",
                };
                self.spread = Some(Spread {
                    error,
                    interval,
                    method,
                });
                self.level = *level;
            }
            Asked::Bootstrap(options) => {
                let drawn = replicates(options);
                let spread = drawn.as_ref().map(|drawn| (drawn.standard_error, drawn.interval));
                let spread = spread.map_err(|why| *why);
                self.spread = Some(Spread {
                    error: spread.map(|spread| spread.0),
                    interval: spread.map(|spread| spread.1),
                    method: "bootstrap",
                });
                self.replicates = drawn.ok().map(|drawn| drawn.values);
                self.level = options.level;
            }
        }
        self
    }

    pub(crate) fn coefficient(self, py: Python<'_>) -> Coefficient {
        let mut reasons = BTreeMap::new();
        let (mut standard_error, mut interval, mut method) = (None, None, None);
        if let Some(spread) = self.spread {
            standard_error = defined(&mut reasons, &["standard_error"], spread.error);
            interval = defined(&mut reasons, &["low", "high"], spread.interval);
            method = interval.is_some().then_some(spread.method);
        }
        Coefficient {
            value: self.value,
            standard_error,
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            level: self.level,
            method,
            observed: self.observed,
            expected: self.expected,
            units: self.units,
            null_standard_error: self.null_standard_error,
            replicates: self.replicates.map(|values| arrays::out(py, values)),
            reasons,
        }
    }
}

/// A value, or None and its reason under the names of fields.
pub(crate) fn defined<T>(
    reasons: &mut BTreeMap<&'static str, String>,
    fields: &[&'static str],
    value: Result<T, Undefined>,
) -> Option<T> {
    match value {
        Ok(value) => Some(value),
        Err(why) => {
            for &field in fields {
                reasons.insert(field, word(why));
            }
            None
        }
    }
}

/// A coefficient for the interpreter, or why there is none.
pub(crate) fn finished(py: Python<'_>, found: Result<Found, Undefined>) -> PyResult<Coefficient> {
    match found {
        Ok(found) => Ok(found.coefficient(py)),
        Err(why) => Err(errors::undefined(py, why)),
    }
}
