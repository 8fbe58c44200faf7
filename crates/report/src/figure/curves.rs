//! What the figures of information share: the abilities they run over, and the sums of the items' curves there.
//!
//! Nothing is estimated here: item parameters come from the artifacts, and the curves are their formulas.

use std::collections::BTreeMap;

use calibrant_schema::Bank;
use calibrant_schema::bank::{BankRow, Method};
use calibrant_schema::fit::ItemRow;
use calibrant_stats::irt::information;
use calibrant_stats::measurability::reaches;

use crate::inputs::Inputs;
use crate::text::Text;

/// The ends of the abilities drawn: those of the fit's grid.
pub(super) const LOW: f64 = -4.0;
pub(super) const HIGH: f64 = 4.0;
/// Steps a unit of ability is drawn in.
const STEPS: usize = 10;
/// Of the abilities drawn, each of this many stands in a table.
pub(super) const IN_TABLE: usize = 5;
/// Letters of an item's name in a drawing.
const NAME: usize = 34;

/// An item with its two parameters.
#[derive(Clone, Copy)]
pub(super) struct Parameters {
    pub discrimination: f64,
    pub difficulty: f64,
}

/// Information along ability, of the bank and of what it was chosen from.
pub(super) struct Curves {
    pub abilities: Vec<f64>,
    pub bank: Vec<f64>,
    pub bank_items: usize,
    /// Sum over the items that could be chosen, and how many they are; `None` without a fit.
    pub pool: Option<(Vec<f64>, usize)>,
    /// What the items of the pool have in common, after "items that".
    pub pool_items: &'static str,
}

impl Curves {
    /// `None` when no item of the bank has parameters.
    pub fn of(bank: &Bank, inputs: &Inputs<'_>) -> Option<Self> {
        let abilities = abilities();
        let chosen: Vec<Parameters> = bank_items(bank, inputs).into_iter().map(|(_, _, item)| item).collect();
        if chosen.is_empty() {
            return None;
        }
        let pool = choosable(bank, inputs);
        Some(Self {
            bank: sums(&chosen, &abilities),
            bank_items: chosen.len(),
            pool: (!pool.is_empty()).then(|| (sums(&pool, &abilities), pool.len())),
            pool_items: match bank.method {
                Method::Consensus => "were fitted",
                Method::Greedy | Method::Plain => "could be chosen",
            },
            abilities,
        })
    }

    /// Pairs of ability and a function of the information there.
    pub fn along(&self, values: &[f64], function: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let pairs = self.abilities.iter().zip(values);
        pairs.map(|(ability, value)| (*ability, function(*value))).collect()
    }
}

/// The abilities that curves are drawn over.
pub(super) fn abilities() -> Vec<f64> {
    let steps = (HIGH - LOW) as usize * STEPS;
    (0..=steps).map(|step| LOW + step as f64 / STEPS as f64).collect()
}

fn sums(items: &[Parameters], abilities: &[f64]) -> Vec<f64> {
    let at = |theta: &f64| {
        let tells = |item: &Parameters| information(item.discrimination, item.difficulty, *theta);
        items.iter().map(tells).sum()
    };
    abilities.iter().map(at).collect()
}

/// The items of the bank that have parameters, each with its number in the bank.
pub(super) fn bank_items<'a>(bank: &'a Bank, inputs: &Inputs<'_>) -> Vec<(usize, &'a BankRow, Parameters)> {
    let fitted: BTreeMap<(&str, &str), &ItemRow> = inputs
        .fit
        .iter()
        .flat_map(|fit| &fit.items)
        .map(|item| ((item.query.as_str(), item.criterion.as_str()), item))
        .collect();
    let parameters = |row: &BankRow| {
        let of_fit = fitted.get(&(row.query.as_str(), row.criterion.as_str()));
        let item = Parameters {
            discrimination: row.discrimination.or(of_fit.map(|item| item.discrimination))?,
            difficulty: row.difficulty.or(of_fit.map(|item| item.difficulty))?,
        };
        (item.discrimination.is_finite() && item.difficulty.is_finite()).then_some(item)
    };
    let numbered = bank.criteria.iter().enumerate();
    numbered
        .filter_map(|(at, row)| Some((at + 1, row, parameters(row)?)))
        .collect()
}

/// The items a bank with this threshold could have been chosen from: measurable, informative, kept by the screen (METHODS 94).
fn choosable(bank: &Bank, inputs: &Inputs<'_>) -> Vec<Parameters> {
    let measured: BTreeMap<(Option<&str>, &str), Option<f64>> = inputs
        .calibration
        .criteria
        .iter()
        .map(|row| ((row.query.as_deref(), row.criterion.as_str()), row.measurability))
        .collect();
    let measurable = |item: &ItemRow| {
        let Some(threshold) = bank.threshold else { return true };
        let own = measured.get(&(Some(item.query.as_str()), item.criterion.as_str()));
        let shared = || measured.get(&(None, item.criterion.as_str()));
        let mean = own.or_else(shared).copied().flatten();
        mean.is_some_and(|mean| reaches(mean, threshold))
    };
    // A consensus bank is chosen by unanimity, past threshold and screen: it is held against all items.
    let everything = bank.method == Method::Consensus;
    let items = inputs.fit.iter().flat_map(|fit| &fit.items);
    items
        .filter(|item| everything || (item.information > 0.0 && !item.screened_out && measurable(item)))
        .map(|item| Parameters {
            discrimination: item.discrimination,
            difficulty: item.difficulty,
        })
        .collect()
}

/// Where the systems of the leaderboard stand.
pub(super) fn positions<'a>(inputs: &Inputs<'a>) -> Vec<(&'a str, f64)> {
    let systems = inputs.scores.systems.iter();
    systems
        .filter_map(|row| Some((row.system.as_str(), row.ability.or(row.bank_ability)?)))
        .filter(|(_, ability)| ability.is_finite())
        .collect()
}

/// An item's name for a drawing: its criterion, and its query where the bank has several.
pub(super) fn item_name(row: &BankRow, with_query: bool) -> Text {
    let criterion = Text::short_id(&row.criterion, NAME);
    match with_query && row.query != row.criterion {
        true => Text::prose(&format!("{criterion} on {}", Text::short_id(&row.query, NAME / 2))),
        false => criterion,
    }
}

/// Whether the bank's items belong to more than one query.
pub(super) fn several_queries(bank: &Bank) -> bool {
    bank.criteria.windows(2).any(|pair| pair[0].query != pair[1].query)
}
