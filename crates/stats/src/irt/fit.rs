//! Fitting item parameters: options, checks, start values and what comes back.

use super::objective::{Objective, OnGrid, items_at};
use super::quasi_newton::{End, Limits, maximise};
use super::refine::{climb, climb_refined};
use super::{Grid, IrtError, Items, Model, Priors, Responses, constant_items};
use crate::Error;
use crate::error::{all_nonnegative, same_length};

/// Whether abilities are integrated over the nodes given or over as many as the posteriors ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridRule {
    /// Exactly the nodes of [`FitOptions::grid`]: the source's form, and that of the reference values. Wrong where posteriors are
    /// narrower than the spacing.
    Fixed,
    /// The spacing is halved until no posterior SD is below 0.8 of it; nodes without posterior mass are passed over (METHODS 82).
    #[default]
    Refined,
}

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// The nodes over which abilities are integrated, or the coarsest that may be.
    pub grid: Grid,
    /// Whether more nodes are taken where posteriors are narrow.
    pub rule: GridRule,
    /// The priors on item parameters.
    pub priors: Priors,
    /// The fit stops when no derivative of F by a log discrimination or a difficulty is larger than this.
    pub gradient_tolerance: f64,
    /// The fit stops after this many iterations in any case.
    pub max_iterations: usize,
    /// How often each item counts, in the likelihood and with its priors; `None`: once each. An item of weight 0 keeps its start values.
    pub item_weights: Option<Vec<f64>>,
    /// Where to start; `None`: discriminations 1, and difficulties `-logit` of the items' pass rates clipped to [0.02, 0.98].
    pub start: Option<Items>,
}

impl Default for FitOptions {
    /// The source's grid, refined where posteriors are narrow (METHODS 82), and its priors (METHODS 80); a gradient of at most 1e-6, the tolerance of the reference values; 500 iterations,
    /// where ordinary tables take 10 to 40.
    fn default() -> Self {
        Self {
            grid: Grid::default(),
            rule: GridRule::default(),
            priors: Priors::default(),
            gradient_tolerance: 1e-6,
            max_iterations: 500,
            item_weights: None,
            start: None,
        }
    }
}

/// Why a fit stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The gradient is within its tolerance: converged.
    Gradient,
    /// The iterations ran out.
    Iterations,
    /// No step along a direction of ascent raised F: the gradient is as small as rounding lets it be.
    NoProgress,
}

/// How a fit ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Steps taken.
    pub iterations: usize,
    /// The largest absolute derivative of F at the end.
    pub gradient_max: f64,
    /// Why it stopped.
    pub stopped: Stopped,
}

impl Convergence {
    /// Whether the gradient, not the number or the size of the steps, ended the fit.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.stopped == Stopped::Gradient
    }
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The model fitted.
    pub model: Model,
    /// The nodes over which abilities were integrated.
    pub grid: Grid,
    /// The parameters of every item.
    pub items: Items,
    /// F at the parameters: marginal log likelihood plus log priors, constants dropped.
    pub log_posterior: f64,
    /// The marginal log likelihood at the parameters, without the priors and without binomial coefficients.
    pub log_likelihood: f64,
    /// How many parameters were estimated.
    pub parameters: usize,
    /// How the fit ended.
    pub convergence: Convergence,
}

/// The marginal maximum a posteriori fit of a model.
///
/// Each iteration is one E step and one scoring step of the M step; corrections learnt from earlier steps then make up for the abilities
/// being unknown, without which the common shift and stretch of all parameters would take thousands of iterations when systems are few
/// and items many. F never falls. On a table whose posteriors are narrower than the grid's spacing F has several maxima and the start
/// decides which is found (METHODS 82).
///
/// ```
/// use calibrant_stats::irt::{FitOptions, IrtError, Model, Responses, constant_items, fit};
///
/// // Three systems on four items, item by item; every system passed the last one.
/// let passed = vec![1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1];
/// let all = Responses::new(3, 4, passed, vec![1; 12])?;
/// let refused = fit(&all, Model::TwoPl, &FitOptions::default());
/// assert_eq!(refused, Err(IrtError::ConstantItem { item: 3 }));
///
/// let constant = constant_items(&all);
/// let kept: Vec<usize> = (0..all.items()).filter(|j| !constant.contains(j)).collect();
/// let fit = fit(&all.select(&kept), Model::TwoPl, &FitOptions::default())?;
/// assert!(fit.convergence.converged());
/// // The second item was passed twice, the first once: it is the easier.
/// assert!(fit.items.difficulty[1] < fit.items.difficulty[0]);
/// # Ok::<(), IrtError>(())
/// ```
///
/// A fit that did not converge is returned all the same and says so in [`Fit::convergence`].
///
/// # Errors
/// With fewer than two systems, no item, a constant item (see [`constant_items`]), or options outside their ranges.
///
/// Source: METHODS 79-82; Lange 1995, "A quasi-Newton acceleration of the EM algorithm"; Jamshidian and Jennrich 1997.
pub fn fit(responses: &Responses, model: Model, options: &FitOptions) -> Result<Fit, IrtError> {
    check(responses, options)?;
    Ok(fitted(responses, model, options))
}

fn fitted(responses: &Responses, model: Model, options: &FitOptions) -> Fit {
    let start = start_coordinates(responses, model, options);
    let limits = limits(options);
    let (end, grid) = match options.rule {
        GridRule::Fixed => {
            let objective = objective(responses, model, options, &options.grid);
            (maximise(&mut OnGrid(objective), start, &limits), options.grid.clone())
        }
        GridRule::Refined => climb_refined(responses, model, options, start, &limits),
    };
    ended(responses, model, &end, grid)
}

/// A fit of checked arguments on exactly these nodes, with the posterior mean of every system's ability.
pub(super) fn fit_on(responses: &Responses, model: Model, options: &FitOptions, grid: &Grid) -> (Fit, Vec<f64>) {
    let start = start_coordinates(responses, model, options);
    let end = climb(objective(responses, model, options, grid), start, &limits(options));
    (ended(responses, model, &end, grid.clone()), end.at.means)
}

fn start_coordinates(responses: &Responses, model: Model, options: &FitOptions) -> Vec<f64> {
    let objective = objective(responses, model, options, &options.grid);
    match &options.start {
        Some(items) => objective.coordinates(items),
        None => objective.coordinates(&start_items(responses)),
    }
}

fn limits(options: &FitOptions) -> Limits {
    Limits {
        gradient_tolerance: options.gradient_tolerance,
        max_iterations: options.max_iterations,
    }
}

fn ended(responses: &Responses, model: Model, end: &End, grid: Grid) -> Fit {
    Fit {
        model,
        items: items_at(model, &end.x, responses.items()),
        grid,
        log_posterior: end.at.log_posterior,
        log_likelihood: end.at.log_likelihood,
        parameters: model.parameters(responses.items()),
        convergence: end.convergence,
    }
}

/// Discriminations 1, difficulties `-logit` of the pass rates clipped to [0.02, 0.98]; no item may be constant.
fn start_items(responses: &Responses) -> Items {
    let difficulty = |j: usize| {
        let (mut passed, mut tried) = (0.0, 0.0);
        let cells = responses.successes(j).iter().zip(responses.trials(j));
        for (i, (&s, &n)) in cells.enumerate() {
            passed += responses.system_weight(i) * f64::from(s);
            tried += responses.system_weight(i) * f64::from(n);
        }
        let rate: f64 = passed / tried;
        let rate = rate.clamp(0.02, 0.98);
        -(rate / (1.0 - rate)).ln()
    };
    Items {
        discrimination: vec![1.0; responses.items()],
        difficulty: (0..responses.items()).map(difficulty).collect(),
    }
}

/// F over all nodes of a grid.
pub(super) fn objective<'a>(
    responses: &'a Responses,
    model: Model,
    options: &'a FitOptions,
    grid: &'a Grid,
) -> Objective<'a> {
    Objective {
        responses,
        model,
        grid,
        support: grid.support(responses.systems()),
        priors: options.priors,
        item_weights: options.item_weights.as_deref(),
    }
}

/// Checks everything about a fit that could be wrong.
pub(super) fn check(responses: &Responses, options: &FitOptions) -> Result<(), IrtError> {
    if responses.systems() < 2 {
        return Err(IrtError::TooFewSystems {
            have: responses.systems(),
        });
    }
    if responses.items() == 0 {
        return Err(IrtError::NoItems);
    }
    if let Some(&item) = constant_items(responses).first() {
        return Err(IrtError::ConstantItem { item });
    }
    options.priors.check()?;
    check_item_weights(options.item_weights.as_deref(), responses.items())?;
    if let Some(start) = &options.start {
        start.check(responses.items())?;
    }
    if options.gradient_tolerance.is_nan() || options.gradient_tolerance <= 0.0 {
        return Err(IrtError::Argument(Error::OutOfRange {
            argument: "the gradient tolerance",
            value: options.gradient_tolerance,
            range: "positive",
        }));
    }
    Ok(())
}

/// Checks that there is one finite weight of at least 0 per item.
pub(super) fn check_item_weights(weights: Option<&[f64]>, items: usize) -> Result<(), Error> {
    let Some(weights) = weights else {
        return Ok(());
    };
    same_length(("the item weights", weights.len()), ("the items", items))?;
    all_nonnegative("the item weights", weights)
}
