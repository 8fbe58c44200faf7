//! Agreement of judges on units: raw, beyond chance, with standard errors, intervals and the arithmetic of planning.
//!
//! [`Ratings`] is a table of labels in memory; a [`Tally`] counts it, or a stream of units of any length, in memory that does not
//! grow with the units. Coefficients of two judges read a [`PairTable`], those of a panel the [`Moments`] of a tally, and standard
//! errors and bootstraps of a panel its [`Patterns`]. All counts are whole numbers, so that a result has the same bits in any order
//! of units and on any number of threads.
//!
//! A scale has `levels` levels, whether or not each occurs; only [`gwet_ac`] and [`brennan_prediger`] depend on levels that do not.

mod alpha;
mod bootstrap;
mod flip;
mod gold;
mod icc;
mod interval;
mod moments;
mod pair;
mod pair_error;
mod panel;
mod panel_error;
mod patterns;
pub mod planner;
mod ratings;
mod rounds;
mod tally;
mod weights;

pub use alpha::{Alpha, Difference, krippendorff_alpha};
pub use bootstrap::{
    AgreementBootstrapOptions, AgreementReplicates, bootstrap_alpha, bootstrap_pair, bootstrap_panel, bootstrap_units,
};
pub use flip::{FlipModel, FlipReading, kappa_with_flips_of, read_flips};
pub use gold::{AgainstGold, Share, against_gold, phi};
pub use icc::{Anova, Icc, Intraclass};
pub use interval::{normal_interval, student_interval};
pub use moments::Moments;
pub use pair::{
    Agreement, PairTable, bias_index, cohen_kappa, pabak, prevalence_index, raw_agreement, scott_pi, weighted_kappa,
    weighted_pi,
};
pub use pair_error::{KappaError, cohen_kappa_error, weighted_kappa_error};
pub use panel::{brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac, percent_agreement, unanimity};
pub use panel_error::{
    brennan_prediger_error, fleiss_kappa_error, gwet_ac_error, krippendorff_alpha_error, percent_agreement_error,
};
pub use patterns::{Pattern, Patterns};
pub use ratings::{MISSING, Ratings};
pub use rounds::{
    PairedDifference, PairedFlags, PairedRounds, UnpairedDifference, unpaired_coefficients, unpaired_shares,
};
pub use tally::Tally;
pub use weights::Weights;
