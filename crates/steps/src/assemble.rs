//! `assemble`: a compact bank of criteria that are measurable and informative.

use std::collections::BTreeMap;

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::bank::{BankRow, Method};
use calibrant_schema::fit::ItemRow;
use calibrant_schema::undefined::parts;
use calibrant_schema::{Bank, Calibration, Fit, Labels, Undefined, Warning};
use calibrant_stats::assembly::{self, Selection, Stop};
use calibrant_stats::attrition::hard_set;
use calibrant_stats::information::{InformationTable, utility};
use calibrant_stats::irt::Grid;
use calibrant_stats::measurability::reaches;

use crate::calibrate::{item_panels, statistics};
use crate::error::StepError;
use crate::grid::information_grid;
use crate::join::RubricJoin;
use crate::reason::reason;

/// Share of the feasible items' utility that the default budget reaches (DESIGN 6).
const DEFAULT_SHARE: f64 = 0.95;

/// Options of [`assemble`].
#[derive(Clone, Debug, PartialEq)]
pub struct AssembleOptions {
    /// How to choose.
    pub method: Method,
    /// Criteria to choose; `None` takes the smallest bank with 95 % of the feasible items' utility.
    pub budget: Option<usize>,
    /// Measurability cut; `None` takes the calibration's.
    pub threshold: Option<f64>,
}

impl Default for AssembleOptions {
    fn default() -> Self {
        Self {
            method: Method::Greedy,
            budget: None,
            threshold: None,
        }
    }
}

/// What [`assemble`] chooses from.
#[derive(Clone, Copy, Debug)]
pub struct AssembleInputs<'a> {
    /// Measurability of the criteria.
    pub calibration: &'a Calibration,
    /// Item parameters.
    pub fit: &'a Fit,
    /// Labels; only the consensus rule reads them.
    pub labels: &'a Labels,
    /// The rubric's entries.
    pub join: &'a RubricJoin<'a>,
}

/// Chooses a bank and certifies how far from the best bank of its size it can be.
///
/// Where no criterion may be chosen the bank is empty, and a warning says what stood in the way.
///
/// # Errors
/// If the threshold is not inside (0, 1), or the consensus rule is given a budget.
///
/// Source: METHODS 74, 91-97.
pub fn assemble(inputs: AssembleInputs<'_>, header: Header, options: &AssembleOptions) -> Result<Bank, StepError> {
    let threshold = options.threshold.unwrap_or(inputs.calibration.threshold);
    if !(threshold > 0.0 && threshold < 1.0) {
        return Err(StepError::Option {
            option: "threshold",
            value: threshold.to_string(),
            range: "between 0 and 1",
        });
    }
    let mut header = Header {
        format: Bank::FORMAT.to_owned(),
        ..header
    };
    header
        .settings
        .insert("method".to_owned(), options.method.word().to_owned());
    match options.method {
        Method::Consensus => consensus_bank(inputs, header, options),
        Method::Greedy | Method::Plain => {
            header.settings.insert("threshold".to_owned(), threshold.to_string());
            information_bank(inputs, header, options, threshold)
        }
    }
}

/// Measurability by (criterion, query), falling back to the criterion's pooled row.
struct Measured<'a> {
    rows: BTreeMap<(&'a str, Option<&'a str>), Option<f64>>,
}

impl<'a> Measured<'a> {
    fn new(calibration: &'a Calibration) -> Self {
        let rows = calibration
            .criteria
            .iter()
            .map(|row| ((row.criterion.as_str(), row.query.as_deref()), row.measurability))
            .collect();
        Self { rows }
    }

    fn of(&self, criterion: &str, query: &str) -> Option<f64> {
        let exact = self.rows.get(&(criterion, Some(query)));
        exact.or_else(|| self.rows.get(&(criterion, None))).copied().flatten()
    }

    /// Whether measurability is known of anything, so that a threshold means something.
    fn any(&self) -> bool {
        self.rows.values().any(Option::is_some)
    }
}

fn information_table(fit: &Fit, grid: &Grid) -> Result<InformationTable, StepError> {
    let a: Vec<f64> = fit.items.iter().map(|item| item.discrimination).collect();
    let b: Vec<f64> = fit.items.iter().map(|item| item.difficulty).collect();
    InformationTable::two_pl(&a, &b, grid.nodes()).map_err(statistics)
}

fn information_bank(
    inputs: AssembleInputs<'_>,
    mut header: Header,
    options: &AssembleOptions,
    threshold: f64,
) -> Result<Bank, StepError> {
    let AssembleInputs {
        calibration, fit, join, ..
    } = inputs;
    let measured = Measured::new(calibration);
    let applied = measured.any().then_some(threshold);
    let measurable = |item: &&ItemRow| {
        !measured.any()
            || measured
                .of(&item.criterion, &item.query)
                .is_some_and(|mean| reaches(mean, threshold))
    };
    let usable = |item: &ItemRow| {
        item.information > 0.0 && !item.screened_out && !join.is_monitored(&item.query, &item.criterion)
    };
    let candidates: Vec<usize> = (0..fit.items.len())
        .filter(|at| measurable(&&fit.items[*at]) && usable(&fit.items[*at]))
        .collect();
    if candidates.is_empty() {
        let measurable = fit.items.iter().filter(measurable).count();
        header.warnings.push(
            Warning::EmptyBank {
                measurable,
                items: fit.items.len(),
                threshold: applied,
            }
            .into(),
        );
        let why = reason(calibrant_stats::Undefined::NoCandidates);
        return Ok(empty_bank(inputs, header, options.method, applied, why));
    }
    if !measured.any() {
        header.warnings.push(Warning::ThresholdNotApplied { threshold }.into());
    }
    let grid = information_grid(&fit.grid)?;
    let table = information_table(fit, &grid)?;
    let stop = options.budget.map_or(Stop::Share(DEFAULT_SHARE), Stop::Budget);
    let choose = match options.method {
        Method::Plain => assembly::plain,
        Method::Greedy | Method::Consensus => assembly::greedy,
    };
    let selection = choose(&table, grid.weights(), &candidates, stop).map_err(statistics)?;
    let criteria = selection.order.iter().zip(&selection.gains).map(|(at, gain)| {
        let item = &fit.items[*at];
        bank_row(item_key(item), Some(item), Some(*gain), &measured, join)
    });
    let criteria: Vec<BankRow> = criteria.collect();
    header
        .warnings
        .extend(thin_bank(&criteria, calibration).map(Into::into));
    Ok(Bank {
        header,
        method: options.method,
        model: Some(fit.model),
        grid: Some(fit.grid),
        budget: criteria.len(),
        budget_rule: budget_rule(options.budget, candidates.len()),
        threshold: applied,
        feasible: candidates.len(),
        pool: calibration.panel.items,
        utility: Some(selection.utility),
        feasible_utility: Some(selection.total_utility),
        // No bank tells more than all that may be chosen.
        optimum_bound: Some(selection.optimum_bound.min(selection.total_utility)),
        bound_argument: Some(bound_argument(&selection)),
        utility_undefined: None,
        criteria,
    })
}

/// What there is to say when nothing may be chosen.
fn empty_bank(
    inputs: AssembleInputs<'_>,
    header: Header,
    method: Method,
    threshold: Option<f64>,
    why: Undefined,
) -> Bank {
    Bank {
        header,
        method,
        model: Some(inputs.fit.model),
        grid: Some(inputs.fit.grid),
        budget: 0,
        budget_rule: "nothing may be chosen".to_owned(),
        threshold,
        feasible: 0,
        pool: inputs.calibration.panel.items,
        utility: None,
        feasible_utility: None,
        optimum_bound: None,
        bound_argument: None,
        utility_undefined: Some(why),
        criteria: Vec::new(),
    }
}

fn budget_rule(asked: Option<usize>, feasible: usize) -> String {
    match asked {
        Some(budget) if budget > feasible => format!("{budget} asked for, only {feasible} feasible"),
        Some(_) => "asked for".to_owned(),
        None => "the smallest with .95 of the utility of all feasible items".to_owned(),
    }
}

fn bound_argument(selection: &Selection) -> String {
    if selection.total_utility <= selection.optimum_bound {
        return "no bank has a larger utility than all feasible items together".to_owned();
    }
    format!(
        "least over greedy prefixes S of U(S) + the sum of the {} largest gains at S (METHODS 97, cardinality case); least at |S| = {}",
        selection.order.len(),
        selection.bound_prefix
    )
}

fn thin_bank(criteria: &[BankRow], calibration: &Calibration) -> Option<Warning> {
    let mut queries: Vec<&str> = criteria.iter().map(|row| row.query.as_str()).collect();
    queries.sort_unstable();
    queries.dedup();
    (queries.len() < calibration.panel.queries).then_some(Warning::ThinBank {
        queries: queries.len(),
        of: calibration.panel.queries,
    })
}

fn item_key(item: &ItemRow) -> (&str, &str) {
    (&item.criterion, &item.query)
}

fn bank_row(
    (criterion, query): (&str, &str),
    item: Option<&ItemRow>,
    gain: Option<f64>,
    measured: &Measured<'_>,
    join: &RubricJoin<'_>,
) -> BankRow {
    BankRow {
        criterion: criterion.to_owned(),
        query: query.to_owned(),
        weight: join.weight(query, criterion),
        discrimination: item.map(|item| item.discrimination),
        difficulty: item.map(|item| item.difficulty),
        information: item.map(|item| item.information),
        gain,
        measurability: measured.of(criterion, query),
        entry: join
            .entry(query, criterion)
            .map(|entry| serde_json::to_value(entry).expect("a criterion serialises")),
    }
}

/// The hard set: unanimous on every system and not constant, uniform weights, in the order of (query, criterion).
fn consensus_bank(
    inputs: AssembleInputs<'_>,
    mut header: Header,
    options: &AssembleOptions,
) -> Result<Bank, StepError> {
    let AssembleInputs {
        calibration,
        fit,
        labels,
        join,
    } = inputs;
    if options.budget.is_some() {
        return Err(StepError::ConsensusBudget);
    }
    let measured = Measured::new(calibration);
    let by_key: BTreeMap<(&str, &str), usize> = fit
        .items
        .iter()
        .enumerate()
        .map(|(at, item)| (item_key(item), at))
        .collect();
    let chosen = hard_set(&item_panels(labels, calibration.panel.judges)).map(|items| {
        let scored = |item: &usize| !join.is_monitored(labels.query(*item), labels.criterion(*item));
        items.into_iter().filter(scored).collect::<Vec<usize>>()
    });
    if chosen.is_err() {
        header.warnings.push(Warning::EmptyHardSet.into());
    }
    let why = chosen.as_ref().err().map(|why| reason(*why));
    let chosen = chosen.unwrap_or_default();
    let fitted: Vec<usize> = chosen
        .iter()
        .filter_map(|item| by_key.get(&(labels.criterion(*item), labels.query(*item))).copied())
        .collect();
    let value: Result<f64, Undefined> = match why {
        Some(why) => Err(why),
        None => {
            let grid = information_grid(&fit.grid)?;
            Ok(utility(&information_table(fit, &grid)?, grid.weights(), &fitted).map_err(statistics)?)
        }
    };
    let criteria: Vec<BankRow> = chosen
        .iter()
        .map(|item| {
            let key = (labels.criterion(*item), labels.query(*item));
            bank_row(key, by_key.get(&key).map(|at| &fit.items[*at]), None, &measured, join)
        })
        .collect();
    header
        .warnings
        .extend(thin_bank(&criteria, calibration).map(Into::into));
    let (utility, utility_undefined) = parts(value);
    Ok(Bank {
        header,
        method: Method::Consensus,
        model: None,
        grid: Some(fit.grid),
        budget: criteria.len(),
        budget_rule: "every item that is unanimous on all complete panels and not constant".to_owned(),
        threshold: None,
        feasible: criteria.len(),
        pool: calibration.panel.items,
        utility,
        feasible_utility: None,
        optimum_bound: None,
        bound_argument: None,
        utility_undefined,
        criteria,
    })
}
