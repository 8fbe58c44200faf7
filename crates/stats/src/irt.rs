//! Item response theory: marginal maximum a posteriori fits, abilities, standard errors, bootstraps.
//!
//! A system of ability `theta` passes an item of discrimination `a` and difficulty `b` with probability `1 / (1 + exp(-a (theta - b)))`;
//! abilities are standard normal in the population, integrated out over a [`Grid`]. What a fit maximises is the log posterior
//!
//! ```text
//! F = sum_i w_i log sum_g pi_g prod_j P_j(theta_g)^s_ij (1 - P_j(theta_g))^(n_ij - s_ij)
//!     - sum_j (log a_j)^2 / (2 * 0.5^2) - sum_j b_j^2 / (2 * 2^2)
//! ```
//!
//! with constants dropped and, for one common slope, a single slope term (METHODS 79, 80). The product over thousands of items leaves
//! the range of a floating-point number, so only its logarithm is ever formed.
//!
//! Everything that touches labels is a shard function: it takes a contiguous range of items, and what shards exchange in an iteration
//! is one number per system and node, or less. Sums over shards run in shard order, so that a result does not depend on the number of threads.

mod ability;
mod bootstrap;
mod comparison;
mod curvature;
mod em;
mod error;
mod fit;
mod influence;
mod interpolation;
pub(crate) mod kernel;
mod linear;
mod model;
mod objective;
mod observed_information;
mod projection;
mod quadrature;
mod quasi_newton;
mod refine;
mod responses;
mod screen;
mod shard;
mod standard_errors;
mod support;

pub use ability::{Ability, abilities, refined_abilities};
pub use bootstrap::{
    AbilityReplicates, BootstrapOptions, cluster_bootstrap, influence_bootstrap, parametric_bootstrap, posterior_draws,
    source_bootstrap,
};
pub use comparison::{Comparison, compare};
pub use em::{EmStep, em_step};
pub use error::IrtError;
pub use fit::{Convergence, Fit, FitOptions, GridRule, Stopped, fit};
pub use model::{Items, Model, Priors, information, probability};
pub use quadrature::Grid;
pub use responses::{LabelShard, Responses};
pub use screen::{constant_items, item_rest_correlation, linked_groups};
pub use shard::{Counts, ItemScore, Posterior, expected_counts, item_scores, node_log_likelihood, posterior};
pub use standard_errors::{ItemErrors, standard_errors};
pub use support::Support;
