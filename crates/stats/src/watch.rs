//! Long calculations watched from outside: counted, and interrupted between two of their steps.
//!
//! A door that must answer while it computes runs a calculation under a [`Watch`]. The calculation asks for [`Watch::current`] once and
//! calls [`Watch::step`] once an iteration, or has [`Watch::parts`] do replicates on the pool; when somebody called
//! [`Watch::interrupt`], the next of these calls unwinds to [`Watch::run`]. Without a watch a step costs one comparison. Results never
//! depend on it.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

thread_local! {
    static CURRENT: RefCell<Watch> = const { RefCell::new(Watch::none()) };
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
#[derive(Clone, Debug)]
pub struct Watch {
    state: Option<Arc<State>>,
    counts: Counts,
}

/// Whether steps are counted: those of the outermost loop are, what happens inside of one of its parts is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    Yes,
    No,
}

impl Watch {
    /// A watch over the next calculation.
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "two new watches are two calculations, not a default"
    )]
    pub fn new() -> Self {
        Self {
            state: Some(Arc::default()),
            counts: Counts::Yes,
        }
    }

    const fn none() -> Self {
        Self {
            state: None,
            counts: Counts::No,
        }
    }

    /// The watch that this thread's calculation is under; without one, a watch that does nothing.
    ///
    /// Ask for it before the work goes to the pool, and again only inside of one of its [`Watch::parts`]: a thread of the pool that waits for one
    /// calculation may lend itself to another.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Asks the calculation to end at its next step.
    pub fn interrupt(&self) {
        if let Some(state) = &self.state {
            state.interrupted.store(true, Ordering::Relaxed);
        }
    }

    /// Steps done so far: replicates or iterations of outermost loops, on all threads together.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.state
            .as_ref()
            .map_or(0, |state| state.done.load(Ordering::Relaxed))
    }

    /// Counts a step; ends the calculation if it is interrupted.
    ///
    /// The unwinding passes no `panic` hook and is caught by [`Self::run`], also from threads of the pool.
    pub fn step(&self) {
        if let (Some(state), Counts::Yes) = (&self.state, self.counts) {
            state.done.fetch_add(1, Ordering::Relaxed);
        }
        self.check();
    }

    /// Ends the calculation if it is interrupted, as [`Self::step`] does, and counts nothing: for loops inside of a step.
    pub fn check(&self) {
        if self.is_interrupted() {
            panic::resume_unwind(Box::new(Interrupted));
        }
    }

    fn is_interrupted(&self) -> bool {
        let interrupted = |state: &Arc<State>| state.interrupted.load(Ordering::Relaxed);
        self.state.as_ref().is_some_and(interrupted)
    }

    /// Does `count` parts of the calculation on the pool, each one step; what they return, in their order.
    ///
    /// Kernels called inside are under this watch and no other, and their steps are not counted on top.
    pub fn parts<T: Send>(&self, count: u32, part: impl Fn(u32) -> T + Sync) -> Vec<T> {
        // The pool goes through all of what is left when a part unwinds, however much; of `None` it takes the first as its end.
        let done = |at| (!self.is_interrupted()).then(|| self.part(|| part(at)));
        let all: Option<Vec<T>> = (0..count).into_par_iter().map(done).collect();
        all.unwrap_or_else(|| panic::resume_unwind(Box::new(Interrupted)))
    }

    fn part<T>(&self, part: impl FnOnce() -> T) -> T {
        self.step();
        let inside = Self {
            counts: Counts::No,
            ..self.clone()
        };
        let _back = Back(CURRENT.replace(inside));
        part()
    }

    /// Runs a calculation under this watch, on this thread.
    ///
    /// # Errors
    /// If it was interrupted.
    pub fn run<T>(&self, calculation: impl FnOnce() -> T) -> Result<T, Interrupted> {
        let _back = Back(CURRENT.replace(self.clone()));
        // What an interrupted calculation leaves half done is dropped with it.
        match panic::catch_unwind(AssertUnwindSafe(calculation)) {
            Ok(value) => Ok(value),
            Err(payload) if payload.is::<Interrupted>() => Err(Interrupted),
            Err(payload) => panic::resume_unwind(payload),
        }
    }
}

/// The watch this thread was under before, put back also when a calculation unwinds.
struct Back(Watch);

impl Drop for Back {
    fn drop(&mut self) {
        CURRENT.set(std::mem::replace(&mut self.0, Watch::none()));
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
    fn a_part_is_one_step_whatever_it_does() {
        let (watch, other) = (Watch::new(), Watch::new());
        let parts = watch.run(|| {
            let inner = Watch::current();
            // A thread of the pool may be in the middle of another calculation.
            other
                .run(|| inner.part(|| Watch::current().step()))
                .expect("nobody interrupts");
            inner.part(|| Watch::current().step());
            Watch::current().step();
        });
        assert_eq!((parts, watch.done(), other.done()), (Ok(()), 3, 0));
    }

    #[test]
    fn an_interrupted_part_leaves_the_thread_as_it_was() {
        let watch = Watch::new();
        let ended = watch.run(|| {
            Watch::current().part(|| {
                watch.interrupt();
                Watch::current().check();
            });
        });
        assert_eq!(ended, Err(Interrupted));
        Watch::current().step();
        assert_eq!(watch.done(), 1);
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
