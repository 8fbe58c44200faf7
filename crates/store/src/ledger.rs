//! The ledger: verdicts and marks in one SQLite file, only ever added to.
//!
//! One thread writes, and commits together what several callers wait for; nothing is called recorded before it is on
//! the disk. Several processes may have one ledger open. History stays: a verdict given anew, or taken back, is another
//! row.

mod content;
mod entry;
mod error;
mod file;
mod history;
mod names;
mod open;
mod reading;
mod rounds;
mod writer;
mod writing;

pub(crate) use content::collect_file;
pub use content::content_hash;
pub use entry::{Cell, Entry, Receipt, Recorded, VerdictSource};
pub use error::LedgerError;
pub use file::is_ledger;
pub use open::Ledger;
pub use reading::{Cards, Counts, Reading, Selected};
pub use rounds::{Lock, MarkBatch};
