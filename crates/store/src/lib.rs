//! Things at rest: tables of verdicts, labels and responses, and the files people write, read with positions and written whole.
//!
//! The interface is synchronous. Names become codes while a table streams by; no table is held as text.

mod atomic;
mod contained;
mod document;
mod error;
mod findings;
pub mod formats;
pub mod ledger;
mod new_folder;
pub mod sheets;
mod stored;
pub mod tables;

pub use atomic::{leftover_of, stop_writing, write_atomic, write_private};
pub use document::{
    Document, read_located_rubric, read_queries, read_queries_part, read_responses, read_rubric, read_rubric_part,
};
pub use error::StoreError;
pub use findings::{Finding, Findings, MOST_SHOWN};
pub use new_folder::NewFolder;
pub use stored::{Compression, Source, Stored, open};
