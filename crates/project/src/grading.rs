//! Blind grading by people: rounds, sheets, and the way from marks to verdicts.
//!
//! A round lies in a folder of its own, complete: who grades what in which order, the rubric and the answers as graders see
//! them. Marks and the verdicts they amount to go to the ledger. Every door goes through [`Grading`].

mod collect;
mod create;
mod draw;
mod error;
mod export;
mod folder;
mod open;
mod progress;
mod record;
mod request;
mod sheets;
#[cfg(test)]
mod tests;

pub use collect::{CollectOptions, CollectedFile, OnChanges, OnMistakes, collect};
pub use export::exported;
pub use folder::{Round, round_folder, rounds};
pub use open::Grading;
pub use progress::{RoundProgress, SheetProgress, progress, status};
pub use record::{Locked, Taken};
pub use request::{GradingRequest, SampleOptions, Units};
pub use sheets::{SheetForm, WrittenSheet, write_sheets};
