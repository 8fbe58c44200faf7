//! The boundary that a panic of a library which decodes other people's files does not cross.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is ours to report.
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what decodes a file; `None` when it panicked.
///
/// The state a panic leaves is dropped with the file, so nothing half-made is looked at afterwards.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    silence_contained();
    CONTAINED.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(false);
    done.ok()
}

/// A panic that is contained is reported as an error with a next step, and not also as a bug of ours on standard error.
fn silence_contained() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CONTAINED.get() {
                others(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_inside_is_nothing_and_one_outside_is_not_touched() {
        assert_eq!(contained(|| 1), Some(1));
        assert_eq!(contained(|| -> i32 { panic!("a page contradicts itself") }), None);
        assert!(!CONTAINED.get());
    }
}
