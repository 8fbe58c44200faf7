//! Agreement of judges on units: raw, beyond chance, with standard errors, intervals and the arithmetic of planning.
//!
//! [`Ratings`] is a table of labels in memory; a [`Tally`] counts it, or a stream of units of any length, in memory that does not
//! grow with the units. Coefficients of two judges read a [`PairTable`], those of a panel the [`Moments`] of a tally, and standard
//! errors and bootstraps of a panel its [`Patterns`]. All counts are whole numbers, so that a result has the same bits in any order
//! of units and on any number of threads.
//!
//! A scale has `levels` levels, whether or not each occurs; only [`gwet_ac`] and [`brennan_prediger`] depend on levels that do not.

mod alpha;
mod moments;
mod pair;
mod panel;
mod patterns;
mod ratings;
mod tally;
mod weights;

pub use alpha::{Alpha, Difference, krippendorff_alpha};
pub use moments::Moments;
pub use pair::{
    Agreement, PairTable, bias_index, cohen_kappa, pabak, prevalence_index, raw_agreement, scott_pi, weighted_kappa,
    weighted_pi,
};
pub use panel::{brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac, percent_agreement, unanimity};
pub use patterns::{Pattern, Patterns};
pub use ratings::{MISSING, Ratings};
pub use tally::Tally;
pub use weights::Weights;
