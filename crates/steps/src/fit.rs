//! `fit`: labels to item parameters and abilities.

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::fit::{
    Comparison, Convergence, DropReason, DroppedItem, Fit, GridRow, ItemRow, Model, ModelRow, SystemRow,
};
use calibrant_schema::undefined::parts;
use calibrant_schema::{Labels, Warning};
use calibrant_stats::information::{InformationTable, expected_information};
pub use calibrant_stats::irt::GridRule;
use calibrant_stats::irt::{self, Responses};

use crate::calibrate::statistics;
use crate::error::StepError;
use crate::grid::abilities;
use crate::join::RubricJoin;
use crate::observe::responses;
use crate::reason::defined;

/// Below this many systems the sentence of METHODS 89 is printed. It simulates 6 and 15; twice the larger is our bound.
const FEW_SYSTEMS: usize = 31;

/// Posterior mass in the outer nodes above which an ability is called cut short (METHODS 82).
const EDGE_MASS: f64 = 0.01;

/// A posterior narrower than this share of the node spacing is too narrow for the grid (METHODS 82).
const NARROW: f64 = 0.8;

/// Options of [`fit`].
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Model of the items and abilities reported; the other is fitted beside it for comparison.
    pub model: Model,
    /// The kernel's options: grid, priors, tolerance.
    pub kernel: irt::FitOptions,
}

impl Default for FitOptions {
    /// 2PL whatever AIC says (DESIGN 6), on the refined grid of METHODS 82.
    fn default() -> Self {
        Self {
            model: Model::TwoPl,
            kernel: irt::FitOptions::default(),
        }
    }
}

/// The items a fit can use, and those it cannot.
#[derive(Clone, Debug)]
pub struct Usable {
    /// Responses to the usable items.
    pub responses: Responses,
    /// Index of each usable item in the labels.
    pub items: Vec<usize>,
    /// The others, with the reason.
    pub dropped: Vec<DroppedItem>,
}

impl Usable {
    /// Separates the items that vary over systems from those that do not.
    ///
    /// # Errors
    /// With fewer than two systems, or no item that varies.
    pub fn new(labels: &Labels, join: &RubricJoin<'_>) -> Result<Self, StepError> {
        if labels.systems.len() < 2 {
            let system = labels.systems.iter().next().unwrap_or_default().to_owned();
            return Err(StepError::OneSystem { system });
        }
        let all = responses(labels, join)?;
        let (mut items, mut dropped) = (Vec::new(), Vec::new());
        for item in 0..all.items() {
            match unusable(&all, labels, join, item) {
                None => items.push(item),
                Some(reason) => dropped.push(DroppedItem {
                    criterion: labels.criterion(item).to_owned(),
                    query: labels.query(item).to_owned(),
                    reason,
                }),
            }
        }
        if items.is_empty() {
            return Err(StepError::NothingVaries { items: all.items() });
        }
        Ok(Self {
            responses: all.select(&items),
            items,
            dropped,
        })
    }
}

/// Why an item takes no part in a fit, if it does not: it is never scored, or tells nothing about systems.
fn unusable(responses: &Responses, labels: &Labels, join: &RubricJoin<'_>, item: usize) -> Option<DropReason> {
    if join.is_monitored(labels.query(item), labels.criterion(item)) {
        return Some(DropReason::Monitored);
    }
    constant(responses, item)
}

/// Why an item tells nothing about systems, if it does not.
fn constant(responses: &Responses, item: usize) -> Option<DropReason> {
    let successes: u64 = responses.successes(item).iter().map(|count| u64::from(*count)).sum();
    let trials: u64 = responses.trials(item).iter().map(|count| u64::from(*count)).sum();
    match (successes, trials) {
        (_, 0) => Some(DropReason::NoLabel),
        (0, _) => Some(DropReason::AllFailed),
        (passed, all) if passed == all => Some(DropReason::AllPassed),
        _ => None,
    }
}

/// 1PL and 2PL by marginal maximum a posteriori, standard errors, comparison, abilities and their doubts.
///
/// # Errors
/// With fewer than two systems, or no item that varies over systems.
///
/// Source: METHODS 79-84, 89.
pub fn fit(labels: &Labels, join: &RubricJoin<'_>, header: Header, options: &FitOptions) -> Result<Fit, StepError> {
    let usable = Usable::new(labels, join)?;
    let kernel = &options.kernel;
    let two = irt::fit(&usable.responses, irt::Model::TwoPl, kernel).map_err(statistics)?;
    let one = irt::fit(&usable.responses, irt::Model::OnePl, &after(&two, kernel)).map_err(statistics)?;
    let chosen = match options.model {
        Model::OnePl => &one,
        Model::TwoPl => &two,
    };
    let errors = irt::standard_errors(&usable.responses, chosen, kernel);
    let grid = grid_row(&chosen.grid, kernel.rule);
    let abilities = abilities(&usable.responses, &chosen.items, &grid)?;
    let mut warnings = fit_warnings(labels, &usable, options, &[&one, &two]);
    warnings.extend(ability_warnings(labels, &abilities, &grid));
    if let Err(why) = &errors {
        warnings.push(Warning::NoItemErrors { why: why.to_string() });
    }
    let items = item_rows(labels, &usable, chosen, errors.ok().as_deref(), kernel)?;
    warnings.extend(screen_warning(&items));
    let mut header = Header {
        format: Fit::FORMAT.to_owned(),
        ..header
    };
    settings(&mut header, options);
    header.warnings.extend(warnings.into_iter().map(Into::into));
    Ok(Fit {
        header,
        model: options.model,
        grid,
        log_likelihood: chosen.log_likelihood,
        log_posterior: chosen.log_posterior,
        convergence: convergence(chosen, kernel.gradient_tolerance),
        items,
        dropped: usable.dropped.clone(),
        systems: labels
            .systems
            .iter()
            .zip(&abilities)
            .map(|(system, ability)| SystemRow {
                system: system.to_owned(),
                ability: ability.mean,
                standard_error: ability.standard_error,
                edge_mass: ability.edge_mass,
            })
            .collect(),
        comparison: comparison(&one, &two, &usable.responses, kernel.gradient_tolerance),
    })
}

fn settings(header: &mut Header, options: &FitOptions) {
    let priors = options.kernel.priors;
    for (key, value) in [
        ("model", options.model.word().to_owned()),
        ("grid", grid_word(options.kernel.rule).to_owned()),
        ("prior of ability", "N(0, 1)".to_owned()),
        (
            "prior of log discrimination",
            format!("N(0, {}^2)", priors.log_discrimination_sd),
        ),
        ("prior of difficulty", format!("N(0, {}^2)", priors.difficulty_sd)),
    ] {
        header.settings.insert(key.to_owned(), value);
    }
}

/// Options for the second model: on a refined grid it starts from the items of the first, which are near but for their scale.
fn after(first: &irt::Fit, kernel: &irt::FitOptions) -> irt::FitOptions {
    match kernel.rule {
        GridRule::Fixed => kernel.clone(),
        GridRule::Refined => irt::FitOptions {
            start: Some(first.items.clone()),
            ..kernel.clone()
        },
    }
}

/// The word in flags and files.
fn grid_word(rule: GridRule) -> &'static str {
    match rule {
        GridRule::Fixed => "fixed",
        GridRule::Refined => "refined",
    }
}

fn grid_row(grid: &irt::Grid, rule: GridRule) -> GridRow {
    let nodes = grid.nodes();
    GridRow {
        nodes: nodes.len(),
        low: nodes[0],
        high: nodes[nodes.len() - 1],
        refined: rule == GridRule::Refined,
    }
}

fn convergence(fit: &irt::Fit, tolerance: f64) -> Convergence {
    Convergence {
        converged: fit.convergence.converged(),
        iterations: fit.convergence.iterations,
        gradient: fit.convergence.gradient_max,
        tolerance,
        stopped: match fit.convergence.stopped {
            irt::Stopped::Gradient => "gradient",
            irt::Stopped::Iterations => "iterations",
            irt::Stopped::NoProgress => "no progress",
        }
        .to_owned(),
    }
}

fn item_rows(
    labels: &Labels,
    usable: &Usable,
    fit: &irt::Fit,
    errors: Option<&[irt::ItemErrors]>,
    kernel: &irt::FitOptions,
) -> Result<Vec<ItemRow>, StepError> {
    let (a, b) = (&fit.items.discrimination, &fit.items.difficulty);
    let table = InformationTable::two_pl(a, b, kernel.grid.nodes()).map_err(statistics)?;
    let information = expected_information(&table, kernel.grid.weights()).map_err(statistics)?;
    let rest = irt::item_rest_correlation(&usable.responses);
    let rows = usable.items.iter().enumerate().map(|(at, item)| {
        let successes: u64 = usable
            .responses
            .successes(at)
            .iter()
            .map(|count| u64::from(*count))
            .sum();
        let trials: u64 = usable.responses.trials(at).iter().map(|count| u64::from(*count)).sum();
        let (item_rest, item_rest_undefined) = parts(defined(rest[at]));
        ItemRow {
            criterion: labels.criterion(*item).to_owned(),
            query: labels.query(*item).to_owned(),
            discrimination: a[at],
            discrimination_error: errors.map(|errors| errors[at].discrimination),
            difficulty: b[at],
            difficulty_error: errors.map(|errors| errors[at].difficulty),
            information: information[at],
            responses: trials,
            pass_rate: successes as f64 / trials as f64,
            screened_out: item_rest.is_some_and(|correlation| correlation <= 0.0),
            item_rest,
            item_rest_undefined,
        }
    });
    Ok(rows.collect())
}

fn comparison(one: &irt::Fit, two: &irt::Fit, responses: &Responses, tolerance: f64) -> Comparison {
    let compared = irt::compare(one, two, responses.observed_cells(), responses.systems());
    let row = |at: usize, model: Model, fit: &irt::Fit| ModelRow {
        model,
        parameters: fit.parameters,
        log_likelihood: fit.log_likelihood,
        log_posterior: fit.log_posterior,
        aic: compared.aic[at],
        bic_responses: compared.bic_cells[at],
        bic_systems: compared.bic_systems[at],
        convergence: convergence(fit, tolerance),
    };
    let prefers = |rich: bool| if rich { Model::TwoPl } else { Model::OnePl };
    Comparison {
        models: vec![row(0, Model::OnePl, one), row(1, Model::TwoPl, two)],
        gain: compared.gain,
        extra_parameters: compared.extra_parameters,
        gain_per_parameter: compared.gain_per_parameter,
        responses: responses.observed_cells() as u64,
        systems: responses.systems(),
        aic_prefers: prefers(compared.aic_prefers_rich()),
        bic_responses_prefers: prefers(compared.bic_cells_prefers_rich()),
        bic_systems_prefers: prefers(compared.bic_systems_prefers_rich()),
    }
}

fn fit_warnings(labels: &Labels, usable: &Usable, options: &FitOptions, fits: &[&irt::Fit]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let systems = labels.systems.len();
    if systems < FEW_SYSTEMS {
        warnings.push(Warning::FewSystems { systems });
    }
    warnings.extend(unlinked(labels, &usable.responses));
    let constant = usable
        .dropped
        .iter()
        .filter(|item| matches!(item.reason, DropReason::AllPassed | DropReason::AllFailed))
        .count();
    if constant > 0 {
        warnings.push(Warning::ConstantItems {
            count: constant,
            of: labels.items.len(),
        });
    }
    for (fit, model) in fits.iter().zip(["1PL", "2PL"]) {
        if !fit.convergence.converged() {
            warnings.push(Warning::NotConverged {
                model: model.to_owned(),
                gradient: fit.convergence.gradient_max,
                tolerance: options.kernel.gradient_tolerance,
            });
        }
    }
    warnings
}

/// A warning when the systems that have labels fall into groups without a common item.
pub(crate) fn unlinked(labels: &Labels, responses: &Responses) -> Option<Warning> {
    let groups = irt::linked_groups(responses);
    let answered = |i: &usize| (0..responses.items()).any(|item| responses.trials(item)[*i] > 0);
    let placed: Vec<usize> = (0..groups.len()).filter(answered).collect();
    let first = *placed.first()?;
    let other = *placed.iter().find(|i| groups[**i] != groups[first])?;
    let mut names: Vec<usize> = placed.iter().map(|i| groups[*i]).collect();
    names.sort_unstable();
    names.dedup();
    Some(Warning::UnlinkedSystems {
        groups: names.len(),
        system: labels.systems.get(first as u32).to_owned(),
        other: labels.systems.get(other as u32).to_owned(),
    })
}

fn ability_warnings(labels: &Labels, abilities: &[irt::Ability], grid: &GridRow) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let at_edge: Vec<(&str, f64)> = labels
        .systems
        .iter()
        .zip(abilities.iter().map(|ability| ability.edge_mass))
        .filter(|(_, mass)| *mass > EDGE_MASS)
        .collect();
    if let Some((system, mass)) = at_edge.iter().max_by(|left, right| left.1.total_cmp(&right.1)) {
        warnings.push(Warning::EdgeMass {
            system: (*system).to_owned(),
            mass: *mass,
            systems: at_edge.len(),
        });
    }
    if grid.refined {
        return warnings;
    }
    let spacing = (grid.high - grid.low) / (grid.nodes - 1) as f64;
    let narrow = || {
        abilities
            .iter()
            .map(|ability| ability.standard_error)
            .filter(|error| *error < NARROW * spacing)
    };
    if let Some(smallest) = narrow().min_by(f64::total_cmp) {
        warnings.push(Warning::NarrowPosteriors {
            systems: narrow().count(),
            smallest,
            spacing,
        });
    }
    warnings
}

fn screen_warning(items: &[ItemRow]) -> Option<Warning> {
    let screened: Vec<&ItemRow> = items.iter().filter(|item| item.screened_out).collect();
    let first = screened.first()?;
    Some(Warning::ScreenedItems {
        count: screened.len(),
        example: first.criterion.clone(),
        query: first.query.clone(),
    })
}
