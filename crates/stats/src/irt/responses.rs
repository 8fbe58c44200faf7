//! Responses: how often each system passed each item, in how many trials.

use std::collections::BTreeMap;
use std::ops::Range;

use super::IrtError;
use crate::Error;
use crate::error::{all_nonnegative, same_length};

/// A table of systems x items; each cell has successes in trials, and no trials means that nothing was observed.
///
/// Cells are stored item by item: the cell of system `i` and item `j` stands at `j * systems + i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Responses {
    systems: usize,
    items: usize,
    successes: Vec<u16>,
    trials: Vec<u16>,
    /// The number of trials that most cells have.
    usual_trials: u16,
    system_weights: Option<Vec<f64>>,
}

impl Responses {
    /// A table from `systems * items` cells, item by item.
    ///
    /// # Errors
    /// If a list has another length, or a cell more successes than trials.
    pub fn new(systems: usize, items: usize, successes: Vec<u16>, trials: Vec<u16>) -> Result<Self, IrtError> {
        let cells = ("the cells (systems x items)", systems * items);
        same_length(("the successes", successes.len()), cells)?;
        same_length(("the trials", trials.len()), cells)?;
        if let Some(cell) = successes.iter().zip(&trials).position(|(s, n)| s > n) {
            return Err(IrtError::SuccessesExceedTrials {
                system: cell % systems,
                item: cell / systems,
                successes: successes[cell],
                trials: trials[cell],
            });
        }
        Ok(Self {
            systems,
            items,
            successes,
            usual_trials: most_frequent(&trials),
            trials,
            system_weights: None,
        })
    }

    /// The same table where system `i` stands for `weights[i]` systems with these responses (pattern frequencies).
    ///
    /// # Errors
    /// If there is not one finite weight of at least 0 per system.
    pub fn with_system_weights(mut self, weights: Vec<f64>) -> Result<Self, IrtError> {
        same_length(("the system weights", weights.len()), ("the systems", self.systems))?;
        all_nonnegative("the system weights", &weights)?;
        self.system_weights = Some(weights);
        Ok(self)
    }

    /// The table of some items only, in the order of `items`; an item may come more than once.
    ///
    /// # Panics
    /// If an index points past the last item.
    #[must_use]
    pub fn select(&self, items: &[usize]) -> Self {
        let pick = |cells: &[u16]| -> Vec<u16> {
            let columns = items.iter().map(|&j| &cells[self.cells_of(j)]);
            columns.flatten().copied().collect()
        };
        Self {
            systems: self.systems,
            items: items.len(),
            successes: pick(&self.successes),
            trials: pick(&self.trials),
            usual_trials: self.usual_trials,
            system_weights: self.system_weights.clone(),
        }
    }

    /// How many systems there are.
    #[must_use]
    pub fn systems(&self) -> usize {
        self.systems
    }

    /// How many items there are.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// The successes of every system on one item.
    #[must_use]
    pub fn successes(&self, item: usize) -> &[u16] {
        &self.successes[self.cells_of(item)]
    }

    /// The trials of every system on one item.
    #[must_use]
    pub fn trials(&self, item: usize) -> &[u16] {
        &self.trials[self.cells_of(item)]
    }

    /// How many systems with these responses each row stands for; `None` means one each.
    #[must_use]
    pub fn system_weights(&self) -> Option<&[f64]> {
        self.system_weights.as_deref()
    }

    /// How many cells were observed, weights not counted.
    #[must_use]
    pub fn observed_cells(&self) -> usize {
        self.trials.iter().filter(|&&n| n > 0).count()
    }

    /// The items in `range` as one shard.
    ///
    /// # Errors
    /// If the range does not lie within the items.
    pub fn shard(&self, range: Range<usize>) -> Result<LabelShard<'_>, IrtError> {
        if range.start > range.end || range.end > self.items {
            return Err(IrtError::Argument(Error::NoSuchIndex {
                what: "item",
                index: range.start.max(range.end),
                count: self.items,
            }));
        }
        Ok(LabelShard { responses: self, range })
    }

    /// All items in shards of `size`, in item order; the last may be smaller.
    pub(super) fn shards(&self, size: usize) -> impl ExactSizeIterator<Item = LabelShard<'_>> {
        (0..self.items.div_ceil(size)).map(move |k| LabelShard {
            responses: self,
            range: k * size..((k + 1) * size).min(self.items),
        })
    }

    /// The same trials with other successes, asked for by (system, item, trials) in the order of cells.
    pub(super) fn with_successes(&self, mut draw: impl FnMut(usize, usize, u16) -> u16) -> Self {
        let cells = self.trials.iter().enumerate();
        let successes = cells.map(|(k, &n)| draw(k % self.systems, k / self.systems, n).min(n));
        Self {
            successes: successes.collect(),
            ..self.clone()
        }
    }

    /// The number of trials that most cells have; 0 in a sparse table.
    pub(super) fn usual_trials(&self) -> u16 {
        self.usual_trials
    }

    /// The systems with another number of trials on an item, each with how many more it has.
    pub(super) fn unusual_trials(&self, item: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let usual = self.usual_trials;
        let trials = self.trials(item);
        // A whole row compares at the width of a register; most rows have nothing unusual.
        let some = trials.iter().fold(false, |some, &n| some | (n != usual));
        let row = if some { trials } else { &[] };
        let unusual = row.iter().enumerate().filter(move |(_, n)| **n != usual);
        unusual.map(move |(i, &n)| (i, f64::from(n) - f64::from(usual)))
    }

    pub(super) fn system_weight(&self, system: usize) -> f64 {
        self.system_weights.as_ref().map_or(1.0, |w| w[system])
    }

    fn cells_of(&self, item: usize) -> Range<usize> {
        item * self.systems..(item + 1) * self.systems
    }
}

/// The value that occurs most often, the smallest of several; 0 of nothing.
fn most_frequent(trials: &[u16]) -> u16 {
    let mut counts = BTreeMap::new();
    let mut runs = trials.chunk_by(|left, right| left == right);
    runs.by_ref()
        .for_each(|run| *counts.entry(run[0]).or_insert(0) += run.len());
    let most = counts
        .iter()
        .max_by_key(|(trials, count)| (**count, std::cmp::Reverse(**trials)));
    most.map_or(0, |(trials, _)| *trials)
}

/// A contiguous range of the items of one table of responses.
///
/// Functions of a shard take the parameters of all items of its table and read those of the shard. A worker that holds some of the items
/// only makes a table of them and takes it whole.
#[derive(Clone, Debug)]
pub struct LabelShard<'a> {
    responses: &'a Responses,
    range: Range<usize>,
}

impl<'a> LabelShard<'a> {
    /// The items of the table that the shard holds.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// How many items the shard holds.
    #[must_use]
    pub fn items(&self) -> usize {
        self.range.len()
    }

    /// The table that the shard is a part of.
    #[must_use]
    pub fn responses(&self) -> &'a Responses {
        self.responses
    }
}
