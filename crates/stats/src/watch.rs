//! Long calculations watched from outside: counted, and interrupted between two of their steps.
//!
//! A door that must answer while it computes runs a calculation under a [`Watch`]. The calculation calls [`Watch::step`] once a
//! replicate or iteration; when somebody called [`Watch::interrupt`], that call unwinds to [`Watch::run`]. Without a watch a step
//! costs one comparison. Results never depend on it.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

thread_local! {
    static CURRENT: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// Somebody asked for the calculation to end; nothing came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

#[derive(Debug, Default)]
struct State {
    interrupted: AtomicBool,
    done: AtomicU64,
}

/// A calculation under watch; clones watch the same one.
#[derive(Clone, Debug, Default)]
pub struct Watch(Option<Arc<State>>);

impl Watch {
    /// A watch over the next calculation.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// The watch that this thread's calculation is under, for the steps of its parts on other threads; without one, a watch that
    /// does nothing.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.with_borrow(|current| current.clone().unwrap_or(Self(None)))
    }

    /// Asks the calculation to end at its next step.
    pub fn interrupt(&self) {
        if let Some(state) = &self.0 {
            state.interrupted.store(true, Ordering::Relaxed);
        }
    }

    /// Steps done so far: replicates and iterations, of all parts together.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.0.as_ref().map_or(0, |state| state.done.load(Ordering::Relaxed))
    }

    /// Counts a step; ends the calculation if it is interrupted.
    ///
    /// The unwinding passes no `panic` hook and is caught by [`Self::run`], also from threads of the pool.
    pub fn step(&self) {
        let Some(state) = &self.0 else { return };
        state.done.fetch_add(1, Ordering::Relaxed);
        if state.interrupted.load(Ordering::Relaxed) {
            panic::resume_unwind(Box::new(Interrupted));
        }
    }

    /// Runs a calculation under this watch, on this thread.
    ///
    /// # Errors
    /// If it was interrupted.
    pub fn run<T>(&self, calculation: impl FnOnce() -> T) -> Result<T, Interrupted> {
        let before = CURRENT.replace(Some(self.clone()));
        // What an interrupted calculation leaves half done is dropped with it.
        let result = panic::catch_unwind(AssertUnwindSafe(calculation));
        CURRENT.set(before);
        match result {
            Ok(value) => Ok(value),
            Err(payload) if payload.is::<Interrupted>() => Err(Interrupted),
            Err(payload) => panic::resume_unwind(payload),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_calculation_ends_at_its_next_step() {
        let watch = Watch::new();
        let steps = watch.run(|| {
            let inner = Watch::current();
            inner.step();
            inner.interrupt();
            inner.step();
            unreachable!("the step before ends it");
        });
        assert_eq!(steps, Err::<(), _>(Interrupted));
        assert_eq!(watch.done(), 2);
    }

    #[test]
    fn without_a_watch_a_step_is_nothing() {
        Watch::current().step();
        Watch::current().interrupt();
        Watch::current().step();
        assert_eq!(Watch::current().done(), 0);
    }

    #[test]
    fn another_panic_passes_through() {
        let caught = panic::catch_unwind(|| Watch::new().run(|| panic!("broken invariant")));
        assert!(caught.is_err());
        Watch::current().step();
    }
}
