//! How much of a known truth a run recovers, and what its bank is worth against random banks.

use std::collections::BTreeMap;

use calibrant_schema::fit::GridRow;
use calibrant_schema::{Bank, Fit, Labels, Undefined};
use calibrant_stats::assembly::random_bank;
use calibrant_stats::irt;
use calibrant_stats::ranking::{rank_target, spearman};
use calibrant_stats::stream::{Purpose, Stream};

use crate::calibrate::statistics;
use crate::error::StepError;
use crate::fit::Usable;
use crate::grid::abilities;
use crate::join::RubricJoin;
use crate::reason::defined;
use crate::score::kernel_fit;

/// Random banks drawn at each size.
const DRAWS: u32 = 20;

/// Sizes of banks compared grow by this factor.
const STEP: f64 = 1.5;

/// The smallest size compared.
const SMALLEST: usize = 5;

/// What a run recovers of the abilities its verdicts were drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// Spearman correlation of the pool's abilities with the true ones.
    pub pool: Result<f64, Undefined>,
    /// The first criteria of the bank, and random criteria, at growing sizes up to the bank's.
    pub sizes: Vec<SizeRow>,
    /// Random banks behind each mean.
    pub draws: u32,
    /// The rank correlation asked of a bank of so many systems (METHODS 99).
    pub target: f64,
}

/// A bank cut to a size against random banks of that size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeRow {
    /// Criteria.
    pub size: usize,
    /// Spearman correlation of the abilities on the first criteria of the bank with the true ones.
    pub bank: Result<f64, Undefined>,
    /// Mean of the same over random banks.
    pub random: Result<f64, Undefined>,
}

impl Recovery {
    /// The smallest size compared at which a column reaches the target, if any does.
    pub fn first_reaching(&self, column: impl Fn(&SizeRow) -> &Result<f64, Undefined>) -> Option<usize> {
        self.sizes
            .iter()
            .find(|row| column(row).as_ref().is_ok_and(|value| *value >= self.target))
            .map(|row| row.size)
    }
}

/// Abilities on some of the fitted items against the truth.
struct Against<'a> {
    usable: &'a Usable,
    fit: irt::Fit,
    grid: GridRow,
    truth: &'a [f64],
}

impl Against<'_> {
    fn correlation(&self, items: &[usize]) -> Result<Result<f64, Undefined>, StepError> {
        let chosen = self.usable.responses.select(items);
        let abilities = abilities(&chosen, &self.fit.items.select(items), &self.grid)?;
        let means: Vec<f64> = abilities.iter().map(|ability| ability.mean).collect();
        Ok(defined(spearman(&means, self.truth)))
    }

    /// Mean over random banks of one size; undefined as soon as one of them is.
    fn random(&self, pool: &[usize], size: usize, seed: u64) -> Result<Result<f64, Undefined>, StepError> {
        let mut sum = 0.0;
        for draw in 0..DRAWS {
            let replicate = (size as u32).wrapping_mul(DRAWS).wrapping_add(draw);
            let mut stream = Stream::new(seed, Purpose::RandomBank, replicate);
            let items = random_bank(pool, size, &mut stream).map_err(statistics)?;
            match self.correlation(&items)? {
                Ok(value) => sum += value,
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(sum / f64::from(DRAWS)))
    }
}

/// Compares abilities with the truth, over the pool, the bank and random banks of non-constant items (METHODS 96).
///
/// `truth` has one entry per system, in the order of the labels.
///
/// # Errors
/// If the labels have no item that varies.
pub fn recovery(labels: &Labels, fit: &Fit, bank: &Bank, truth: &[f64], seed: u64) -> Result<Recovery, StepError> {
    let usable = Usable::new(labels, &RubricJoin::new(None))?;
    let against = Against {
        usable: &usable,
        fit: kernel_fit(fit)?,
        grid: fit.grid,
        truth,
    };
    let pool: Vec<usize> = (0..usable.items.len()).collect();
    let chosen = chosen(fit, bank);
    let mut rows = Vec::new();
    for size in sizes(chosen.len()) {
        rows.push(SizeRow {
            size,
            bank: against.correlation(&chosen[..size])?,
            random: against.random(&pool, size, seed)?,
        });
    }
    Ok(Recovery {
        pool: against.correlation(&pool)?,
        sizes: rows,
        draws: DRAWS,
        target: rank_target(labels.systems.len()).map_err(statistics)?,
    })
}

/// Positions of the bank's criteria among the fitted items, in the order chosen.
fn chosen(fit: &Fit, bank: &Bank) -> Vec<usize> {
    let positions: BTreeMap<(&str, &str), usize> = fit
        .items
        .iter()
        .enumerate()
        .map(|(at, item)| ((item.criterion.as_str(), item.query.as_str()), at))
        .collect();
    let position =
        |row: &calibrant_schema::bank::BankRow| positions.get(&(row.criterion.as_str(), row.query.as_str())).copied();
    bank.criteria.iter().filter_map(position).collect()
}

/// Growing sizes up to the whole, which is always among them.
fn sizes(whole: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut size = SMALLEST;
    while size < whole {
        sizes.push(size);
        size = (size as f64 * STEP).round() as usize;
    }
    sizes.push(whole);
    sizes
}
