//! Long calls: computed without the interpreter's lock, shown while they run, and ended by Ctrl-C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use calibrant_stats::watch::{Interrupted, Watch};
use pyo3::prelude::*;

use crate::progress::Watched;

/// How often the interpreter is asked whether somebody pressed Ctrl-C.
const LISTEN: Duration = Duration::from_millis(50);

/// What a calculation came to: a value, an interruption, or the panic of a bug.
type Outcome<T> = Result<Result<T, Interrupted>, Box<dyn Any + Send>>;

/// Computes on the pool's threads while this one lets other threads of the interpreter run and listens for signals.
///
/// # Errors
/// If a signal handler raised, `KeyboardInterrupt` above all: the calculation ends at its next step before this returns.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    watched(py, Watched::silent(), || (), work)
}

/// Computes as [`detached`] does, and shows that it does where somebody waits: in notebooks, on terminals, or as `set_progress` says.
///
/// # Errors
/// As [`detached`], and what the display raised.
pub(crate) fn displayed<T: Send>(py: Python<'_>, what: &str, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    watched(py, Watched::new(py, None, what, None)?, || (), work)
}

/// Computes as [`detached`] does and shows how far it is; `stop` ends what does not count steps under the watch.
///
/// # Errors
/// If a signal handler or the display raised.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    mut shown: Watched,
    stop: impl Fn() + Send,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let watch = Watch::new();
    let inner = watch.clone();
    let result = py.detach(|| {
        rayon::in_place_scope(|scope| {
            let (send, receive) = channel();
            scope.spawn(move |_| {
                // The receiver waits until this is over.
                let _ = send.send(catch_unwind(AssertUnwindSafe(|| inner.run(work))));
            });
            wait(&receive, &watch, &mut shown, stop)
        })
    });
    shown.close(py);
    result
}

/// Waits for the outcome; the first exception meanwhile ends the calculation and is what comes of it.
fn wait<T>(receive: &Receiver<Outcome<T>>, watch: &Watch, shown: &mut Watched, stop: impl Fn()) -> PyResult<T> {
    let mut raised = None;
    loop {
        match receive.recv_timeout(LISTEN) {
            Ok(Ok(Ok(value))) => return raised.map_or(Ok(value), Err),
            Ok(Ok(Err(Interrupted))) => return Err(raised.expect("only an exception interrupts")),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                let listened = Python::attach(|py| py.check_signals().and_then(|()| shown.show(py, watch.done())));
                if let Err(error) = listened {
                    watch.interrupt();
                    stop();
                    raised = Some(error);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends before it ends"),
        }
    }
}

/// The work from which on it is handed over, about a millisecond: two threads need 40 to 100 microseconds to meet, and the interpreter
/// lets another of its threads run every five milliseconds anyway.
const LARGE: usize = 1 << 20;

/// Computes at once where `size`, about a nanosecond each, is small, and [`detached`] where it is not.
///
/// # Errors
/// As [`detached`].
pub(crate) fn by_size<T: Send>(py: Python<'_>, size: usize, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    if size < LARGE {
        Ok(work())
    } else {
        displayed(py, "computing", work)
    }
}
