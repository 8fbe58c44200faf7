//! How far the reading of tables has come, for whoever watches from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::stored::Stored;

/// Rows between two looks at the bytes: often enough for an eye, seldom enough to cost nothing.
const EVERY: u64 = 4_096;

/// Counters of rows and stored bytes read, shared by all clones, and a way to end the reading; no result depends on them.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    rows: AtomicU64,
    bytes: AtomicU64,
    /// Bytes of the files read to their end.
    before: AtomicU64,
    stopped: AtomicBool,
}

impl Progress {
    /// Rows read so far, over all files.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.counters.rows.load(Ordering::Relaxed)
    }

    /// Bytes read so far as they lie on disk, packed or not, over all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.counters.bytes.load(Ordering::Relaxed)
    }

    /// Asks the reading to end; it then gives no verdicts, but the finding `interrupted`.
    pub fn stop(&self) {
        self.counters.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the reading is to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.counters.stopped.load(Ordering::Relaxed)
    }

    /// Counts one row.
    pub(crate) fn row(&self, stored: &Stored) {
        let rows = self.counters.rows.fetch_add(1, Ordering::Relaxed) + 1;
        if rows.is_multiple_of(EVERY) {
            self.count(stored.bytes_read());
        }
    }

    /// Counts rows that were read at once, from a file of which `bytes` are read by then.
    #[cfg(any(feature = "arrow", feature = "parquet"))]
    pub(crate) fn batch(&self, rows: u64, bytes: u64) {
        self.counters.rows.fetch_add(rows, Ordering::Relaxed);
        self.count(bytes);
    }

    /// Counts a file of `bytes` bytes that was read to its end.
    pub(crate) fn file_done(&self, bytes: u64) {
        self.count(bytes);
        self.counters.before.store(self.bytes(), Ordering::Relaxed);
    }

    fn count(&self, bytes: u64) {
        let before = self.counters.before.load(Ordering::Relaxed);
        self.counters.bytes.store(before + bytes, Ordering::Relaxed);
    }
}
