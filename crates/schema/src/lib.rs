//! The nouns of Calibrant and their text: what a rubric, a verdict, a label and an artifact are, and how they are written and read.
//!
//! Everything here is pure: text in, value out. Files live in `calibrant-store`, estimates in `calibrant-stats`.

pub mod agreement;
pub mod artifact;
pub mod bank;
pub mod blocks;
pub mod calibration;
pub mod canonical;
pub mod card;
pub mod config;
pub mod diagnostic;
pub mod disagreement;
pub mod exercise;
pub mod fit;
#[cfg(feature = "json-schema")]
pub mod json_schema;
pub mod label_words;
pub mod labels;
pub mod names;
pub mod query;
pub mod resolution;
pub mod response;
pub mod roll_up;
pub mod roll_ups;
pub mod rubric;
pub mod scale;
pub mod scores;
pub mod status;
pub mod suggest;
pub mod tree;
pub mod turn;
pub mod undefined;
pub mod verdicts;
pub mod warning;

pub use agreement::Agreement;
pub use artifact::{Header, Pool};
pub use bank::Bank;
pub use blocks::{Blocks, By};
pub use calibration::Calibration;
pub use card::Card;
pub use diagnostic::{Diagnostic, Diagnostics, Severity, Span};
pub use exercise::Exercise;
pub use fit::Fit;
pub use labels::Labels;
pub use names::Names;
pub use response::Response;
pub use roll_ups::RollUps;
pub use rubric::{Criterion, Rubric};
pub use scale::Scale;
pub use scores::Scores;
pub use status::Status;
pub use turn::Turn;
pub use undefined::Undefined;
pub use verdicts::{Verdicts, VerdictsBuilder};
pub use warning::Warning;
