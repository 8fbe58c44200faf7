//! The verbs of Calibrant, pure: an artifact in, an artifact out.
//!
//! Each step turns names into arrays, asks `calibrant-stats` for numbers, and turns the numbers back into an artifact
//! with its warnings. There is one way from verdicts to labels ([`consensus()`]) and one implementation of scoring
//! ([`plan`]).

pub mod agree;
pub mod assemble;
pub mod blocks;
pub mod calibrate;
pub mod check;
pub mod consensus;
pub mod disagreements;
pub mod error;
pub mod fit;
mod grid;
pub mod join;
pub mod lint;
pub mod observe;
pub mod plan;
pub mod reason;
pub mod recovery;
pub mod roll_ups;
pub mod score;
pub mod simulate;

pub use agree::agree;
pub use assemble::assemble;
pub use calibrate::calibrate;
pub use consensus::consensus;
pub use disagreements::disagreements;
pub use error::StepError;
pub use fit::fit;
pub use join::RubricJoin;
pub use roll_ups::roll_ups;
pub use score::score;
