//! How far a long call is, for whoever waits for it.

use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors;

/// A display of one call, or none.
pub(crate) struct Watched {
    display: Option<Py<PyAny>>,
    /// Whether the display is ours, to be taken away when the call is over.
    ours: bool,
    what: String,
    total: Option<u64>,
    count: Option<Box<dyn Fn() -> u64 + Send>>,
    last: Option<(String, u64)>,
}

impl Watched {
    /// Nothing is shown.
    pub(crate) fn silent() -> Self {
        Self {
            display: None,
            ours: false,
            what: String::new(),
            total: None,
            count: None,
            last: None,
        }
    }

    /// The display that the argument `progress` asks for: None chooses by where the program runs, False shows nothing, a callable is
    /// called with what is done, how much of it, and of how many.
    ///
    /// # Errors
    /// If the argument is none of these.
    pub(crate) fn new(
        py: Python<'_>,
        progress: Option<Bound<'_, PyAny>>,
        what: &str,
        total: Option<u64>,
    ) -> PyResult<Self> {
        let automatic = || -> PyResult<Option<Py<PyAny>>> {
            let display = py.import("calibrant._progress")?.call_method0("automatic")?;
            Ok((!display.is_none()).then(|| display.unbind()))
        };
        let (display, ours) = match progress {
            None => (automatic()?, true),
            Some(given) => match given.cast::<PyBool>() {
                Ok(wanted) if wanted.is_true() => (automatic()?, true),
                Ok(_) => (None, false),
                Err(_) if given.is_callable() => (Some(given.unbind()), false),
                Err(_) => {
                    let what = "`progress` is neither None, a truth value nor a callable";
                    return Err(errors::argument(
                        py,
                        "progress",
                        what,
                        Some("leave it out, or write progress=False"),
                    ));
                }
            },
        };
        Ok(Self {
            display,
            ours,
            what: what.to_owned(),
            total,
            count: None,
            last: None,
        })
    }

    /// The same display, with a counter of its own instead of the steps of the calculation.
    pub(crate) fn counting(mut self, count: impl Fn() -> u64 + Send + 'static) -> Self {
        self.count = Some(Box::new(count));
        self
    }

    /// Shows how far the call is, if that changed.
    ///
    /// # Errors
    /// What the callable raised.
    pub(crate) fn show(&mut self, py: Python<'_>, steps: u64) -> PyResult<()> {
        let Some(display) = &self.display else { return Ok(()) };
        let done = self.count.as_ref().map_or(steps, |count| count());
        let now = (self.what.clone(), done);
        if self.last.as_ref() != Some(&now) || self.ours {
            display.call1(py, (&self.what, done, self.total))?;
            self.last = Some(now);
        }
        Ok(())
    }

    /// Takes a display of ours away.
    pub(crate) fn close(&self, py: Python<'_>) {
        if let (Some(display), true) = (&self.display, self.ours) {
            // A display that cannot be taken away is no reason to lose the result.
            let _ = display.call_method0(py, "close");
        }
    }
}
