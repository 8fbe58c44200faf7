//! From errors of the other crates to exceptions with fields, which `calibrant/_errors.py` declares.

use calibrant_project::ProjectError;
use calibrant_schema::diagnostic::Paint;
use calibrant_schema::{Diagnostic, Diagnostics};
use calibrant_stats::irt::IrtError;
use calibrant_steps::StepError;
use calibrant_steps::reason::reason;
use calibrant_store::{Finding, Findings, StoreError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

/// Exceptions of the package by name; a class that cannot be imported is the exception itself.
fn raise<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl FnOnce(&Bound<'py, PyModule>) -> PyResult<Bound<'py, PyTuple>>,
) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let made = || -> PyResult<PyErr> {
        let module = MODULE
            .get_or_try_init(py, || py.import("calibrant._errors").map(Bound::unbind))?
            .bind(py);
        let class = module.getattr(class)?.cast_into::<PyType>()?;
        let value = class.call1(arguments(module)?)?;
        Ok(PyErr::from_value(value))
    };
    made().unwrap_or_else(|error| error)
}

/// An argument that no data could justify.
pub(crate) fn argument(py: Python<'_>, argument: &str, message: &str, help: Option<&str>) -> PyErr {
    raise(py, "ArgumentError", |_| (message, help, argument).into_pyobject(py))
}

/// What a kernel refused.
pub(crate) fn of_stats(py: Python<'_>, error: &calibrant_stats::Error) -> PyErr {
    use calibrant_stats::Error;
    let word = match error {
        Error::OutOfRange { argument, .. } => Some(*argument),
        Error::EntryOutOfRange { list, .. } => Some(*list),
        Error::Length { right, .. } => Some(*right),
        Error::PartExceedsWhole { part, .. } => Some(*part),
        Error::ItemsNotSorted { .. } => Some("items"),
        Error::NoSuchIndex { what, .. } => Some(*what),
    };
    raise(py, "ArgumentError", |_| {
        (error.to_string(), None::<&str>, word).into_pyobject(py)
    })
}

/// A statistic without a value.
pub(crate) fn undefined(py: Python<'_>, why: calibrant_stats::Undefined) -> PyErr {
    let why = reason(why);
    raise(py, "UndefinedError", |_| {
        (why.to_string(), why.reason.to_string()).into_pyobject(py)
    })
}

/// Why responses cannot be fitted.
pub(crate) fn of_irt(py: Python<'_>, error: &IrtError) -> PyErr {
    match error {
        IrtError::Argument(error) => of_stats(py, error),
        IrtError::Undefined(why) => undefined(py, *why),
        other => raise(py, "ArgumentError", |_| {
            (other.to_string(), None::<&str>, "responses").into_pyobject(py)
        }),
    }
}

/// A step without a meaning for its inputs.
pub(crate) fn of_step(py: Python<'_>, error: &StepError) -> PyErr {
    raise(py, "StepError", |_| {
        (error.to_string(), error.help(), error.reason().reason.to_string()).into_pyobject(py)
    })
}

/// Mistakes in files or tables.
pub(crate) fn of_findings(py: Python<'_>, findings: &Findings) -> PyErr {
    raise(py, "InputError", |module| {
        let shown = findings
            .shown()
            .iter()
            .map(|one| finding(module, one))
            .collect::<PyResult<Vec<_>>>()?;
        let message = findings.paint(Paint::Plain);
        (message.trim_end(), PyTuple::new(py, shown)?, findings.more()).into_pyobject(py)
    })
}

/// Mistakes in a text that is at hand.
pub(crate) fn of_diagnostics(py: Python<'_>, diagnostics: Diagnostics, text: &str) -> PyErr {
    of_findings(py, &Findings::of_text(diagnostics, text))
}

/// Findings as Python has them.
pub(crate) fn findings<'py>(py: Python<'py>, found: &[Finding]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let module = py.import("calibrant._errors")?;
    found.iter().map(|one| finding(&module, one)).collect()
}

/// One finding as the class of that name.
pub(crate) fn finding<'py>(module: &Bound<'py, PyModule>, one: &Finding) -> PyResult<Bound<'py, PyAny>> {
    let Diagnostic {
        severity,
        id,
        what,
        span,
        help,
        ..
    } = &one.diagnostic;
    let place = span.as_ref().map(|span| (span.file.as_str(), span.line, span.column));
    module.getattr("Finding")?.call1((
        *id,
        severity.as_str(),
        what,
        help,
        place.map(|place| place.0),
        place.map(|place| place.1),
        place.map(|place| place.2),
        one.line.as_deref(),
    ))
}

/// Files that could not be read or written.
pub(crate) fn of_store(py: Python<'_>, error: &StoreError) -> PyErr {
    match error {
        StoreError::Findings(findings) => of_findings(py, findings),
        StoreError::Write { path, .. } => raise(py, "FileError", |_| {
            let help = "make room or choose another folder; what stood there before is untouched";
            (error.to_string(), help, path.display().to_string()).into_pyobject(py)
        }),
    }
}

/// A file that could not be read.
pub(crate) fn unreadable(py: Python<'_>, path: &std::path::Path, reason: &std::io::Error) -> PyErr {
    raise(py, "FileError", |_| {
        let what = format!("cannot read `{}`: {reason}", path.display());
        (what, "check the path and its permissions", path.display().to_string()).into_pyobject(py)
    })
}

/// What a command refuses.
pub(crate) fn of_project(py: Python<'_>, error: &ProjectError) -> PyErr {
    match error {
        ProjectError::Findings(findings) => of_findings(py, findings),
        ProjectError::Store(error) => of_store(py, error),
        ProjectError::Step(error) => of_step(py, error),
        ProjectError::Refused(diagnostic) => {
            let mut findings = Findings::default();
            findings.push((**diagnostic).clone(), None);
            of_findings(py, &findings)
        }
    }
}
