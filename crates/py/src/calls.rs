//! Long calls: computed without the interpreter's lock, and ended by Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use calibrant_stats::watch::{Interrupted, Watch};
use pyo3::prelude::*;

/// How often the interpreter is asked whether somebody pressed Ctrl-C.
const LISTEN: Duration = Duration::from_millis(50);

/// Computes on the pool's threads while this one lets other threads of the interpreter run and listens for signals.
///
/// # Errors
/// If a signal handler raised, `KeyboardInterrupt` above all: the calculation ends at its next step before this returns.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let watch = Watch::new();
    let inner = watch.clone();
    py.detach(|| {
        rayon::in_place_scope(|scope| {
            let (send, receive) = channel();
            scope.spawn(move |_| {
                // The receiver waits until this is over.
                let _ = send.send(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    inner.run(work)
                })));
            });
            let mut raised = None;
            loop {
                match receive.recv_timeout(LISTEN) {
                    Ok(Ok(Ok(value))) => return raised.map_or(Ok(value), Err),
                    Ok(Ok(Err(Interrupted))) => return Err(raised.expect("only a signal interrupts")),
                    Ok(Err(panic)) => std::panic::resume_unwind(panic),
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            watch.interrupt();
                            raised = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends before it ends"),
                }
            }
        })
    })
}

/// The work from which on it is handed over, about a millisecond: two threads need 40 to 100 microseconds to meet, and the interpreter
/// lets another of its threads run every five milliseconds anyway.
const LARGE: usize = 1 << 20;

/// Computes at once where `size`, about a nanosecond each, is small, and [`detached`] where it is not.
///
/// # Errors
/// As [`detached`].
pub(crate) fn by_size<T: Send>(py: Python<'_>, size: usize, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    if size < LARGE { Ok(work()) } else { detached(py, work) }
}
