//! Arrays in, numbers out: every statistic of Calibrant, with no names, files, clocks or global randomness.
//!
//! A caller turns names into indices before it comes here and back into names afterwards. Random draws come from numbered
//! [`stream`]s, so that a result depends on its inputs and its seed alone, on any number of threads. A statistic that the data do
//! not define is an [`Undefined`] with its reason, never 0, 1 or NaN; a wrong argument is an [`Error`] that says which one.
//!
//! Local variables carry the letters of the sources in ASCII, public names the words:
//!
//! | letter | word | meaning | equation |
//! |---|---|---|---|
//! | `i`, `M` | system | what answered; how many | `[CR26]` 2.1 |
//! | `j`, `J` | item | a criterion on one query; how many | `[CR26]` 2.1 |
//! | `k`, `K` | judge | who applies a rubric; how many | `[CR26]` 2.1 |
//! | `n`, `N` | query | what was asked; how many | `[CR26]` 2.1 |
//! | `g`, `G` | node | a point of the ability grid; how many | `[CR26]` 3.4 |
//! | `theta` | ability | where a system stands on the latent scale | `[CR26]` 2.3 |
//! | `a` | discrimination | how sharply an item separates abilities | `[CR26]` 2.3 |
//! | `b` | difficulty | the ability at which an item is passed half the time | `[CR26]` 2.3 |
//! | `I` | information | what an item tells at an ability | `[CR26]` eq. 8 |
//! | `nu` | expected information | information averaged over abilities | `[CR26]` eq. 16 |
//! | `U` | utility | log-coverage of a bank | `[CR26]` eq. 17 |
//! | `B` | budget | how many items a bank may hold | `[CR26]` eq. 15 |
//! | `q` | measurability | posterior that judges apply a criterion alike | `[CR26]` eq. 12 |
//! | `tau` | threshold | the measurability an item needs | `[CR26]` eq. 15 |
//! | `rho` | unanimity rate | chance that a panel agrees on one unit | `[CR26]` Prop. 1 |
//! | `eps` | judge error | chance that one judge gives the wrong label | `[CR26]` Prop. 1 |
//! | `R(m)` | retention | share of items unanimous on `m` systems | `[CR26]` eq. 22 |
//! | `po`, `pe` | observed, expected | agreement; the agreement of chance | `[RR]`, METHODS 37 |
//! | `w` | weight | an item's share in a score | `[CR26]` eq. 1 |
//! | `omega` | query weight | a query's share in a system's score | `[CR26]` eq. 1 |
//! | `S` | score | the number after the roll-up | `[CR26]` eq. 1 |
//! | `F` | log posterior | what the calibration maximises | METHODS 80 |

mod beta;
mod binomial;
mod distribution;
mod error;
mod undefined;

pub mod agreement;
pub mod assembly;
pub mod association;
pub mod attenuation;
pub mod attrition;
pub mod information;
pub mod irt;
pub mod judge_error;
pub mod measurability;
pub mod proportion;
pub mod ranking;
pub mod resample;
pub mod score;
pub mod score_bootstrap;
pub mod simulate;
pub mod spread;
pub mod stream;
pub mod tiers;
pub mod watch;

pub use error::Error;
pub use undefined::Undefined;
