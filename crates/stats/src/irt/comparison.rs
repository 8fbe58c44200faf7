//! Whether richer item parameters earn their number.

use super::Fit;

/// Two fits of the same responses, compared by marginal log likelihood at the fitted parameters, priors left out.
///
/// With 6 to 15 systems the simpler model wins by both criteria almost surely even when slopes truly differ: its choice then says that
/// systems are few, not that slopes are equal (METHODS 89).
///
/// Source: `[CR26]` eq. 13; METHODS 84.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Log likelihood of the richer model less that of the simpler.
    pub gain: f64,
    /// How many parameters more the richer model has.
    pub extra_parameters: usize,
    /// The gain per extra parameter (kappa); `None` without extra parameters.
    pub gain_per_parameter: Option<f64>,
    /// Akaike's criterion of the simpler and the richer model; smaller is better.
    pub aic: [f64; 2],
    /// Schwarz's criterion of both, with the number of observed cells as sample size.
    pub bic_cells: [f64; 2],
    /// Schwarz's criterion of both, with the number of systems as sample size.
    pub bic_systems: [f64; 2],
    /// What the gain per parameter must exceed for Akaike's criterion to prefer the richer model: 1.
    pub aic_threshold: f64,
    /// The same for [`Comparison::bic_cells`]: half the logarithm of the number of cells.
    pub bic_cells_threshold: f64,
    /// The same for [`Comparison::bic_systems`].
    pub bic_systems_threshold: f64,
}

/// Compares a simpler and a richer fit of the same responses.
///
/// `observed_cells` and `systems` are the two readings of the sample size; for pattern frequencies count them by weight.
///
/// Source: METHODS 84.
#[must_use]
pub fn compare(simple: &Fit, rich: &Fit, observed_cells: usize, systems: usize) -> Comparison {
    let gain = rich.log_likelihood - simple.log_likelihood;
    let extra_parameters = rich.parameters.saturating_sub(simple.parameters);
    let criterion = |price: f64| [simple, rich].map(|fit| price * fit.parameters as f64 - 2.0 * fit.log_likelihood);
    let (log_cells, log_systems) = ((observed_cells as f64).ln(), (systems as f64).ln());
    Comparison {
        gain,
        extra_parameters,
        gain_per_parameter: (extra_parameters > 0).then(|| gain / extra_parameters as f64),
        aic: criterion(2.0),
        bic_cells: criterion(log_cells),
        bic_systems: criterion(log_systems),
        aic_threshold: 1.0,
        bic_cells_threshold: log_cells / 2.0,
        bic_systems_threshold: log_systems / 2.0,
    }
}

impl Comparison {
    /// Whether Akaike's criterion prefers the richer model.
    #[must_use]
    pub fn aic_prefers_rich(&self) -> bool {
        self.aic[1] < self.aic[0]
    }

    /// Whether Schwarz's criterion over cells prefers the richer model.
    #[must_use]
    pub fn bic_cells_prefers_rich(&self) -> bool {
        self.bic_cells[1] < self.bic_cells[0]
    }

    /// Whether Schwarz's criterion over systems prefers the richer model.
    #[must_use]
    pub fn bic_systems_prefers_rich(&self) -> bool {
        self.bic_systems[1] < self.bic_systems[0]
    }
}
