//! A rubric project at work: its configuration, its artifacts on disk and whether they are fresh, and `run`.
//!
//! What two doors need stands here; the command line only reads flags and prints.

mod agree;
mod charts;
mod check;
mod clock;
mod demo;
mod error;
pub mod export;
mod folder;
mod freshness;
pub mod grading;
pub mod import;
mod init;
mod inputs;
pub mod memory;
mod panel;
mod request;
mod review;
mod review_page;
mod road;
mod roll_ups;
mod rubric_file;
mod run;
mod settle;
mod simulated;
mod split;
mod step;
mod truth;

pub use agree::{AGREEMENT, AGREEMENT_HTML, AGREEMENT_MD, AgreeRequest, agree};
pub use calibrant_steps::disagreements::Systems;
pub use check::{Checked, Coded, CodedCriterion, check_rubric, code_answers, code_verdicts, verdict_findings};
pub use clock::today;
pub use demo::{Demo, DemoOptions, demo};
pub use error::ProjectError;
pub use folder::{ArtifactFile, Folder, LABELS, REPORT_HTML, REPORT_MD, RESPONSES};
pub use init::{Example, init};
pub use inputs::{find_project_file, reading};
pub use panel::GradedRound;
pub use request::{Gold, Origin, Request, Start, flag_of};
pub use review::{Review, ReviewInputs, review_round, review_tables};
pub use roll_ups::roll_ups;
pub use rubric_file::RubricFile;
pub use run::{Products, run};
pub use settle::{Decided, Settled, Signature, first_verdict, preview, settle, stale_verdicts};
pub use step::{BlockDone, Done, Note, Reading, Step, Work};
