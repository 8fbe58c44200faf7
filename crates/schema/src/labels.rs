//! Verdicts after consensus: one label per system, item and sample.

use serde::{Deserialize, Serialize};

use crate::names::Names;
use crate::scale::Scale;
use crate::status::Status;
use crate::verdicts::Item;

/// What the panel settled on for one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellLabel {
    /// A level of the criterion's scale, as an index.
    Level(u8),
    /// No label, and why: the commonest status among the judgements.
    None(Status),
}

/// How a cell's label came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// No judge gave a label.
    None,
    /// One judge alone.
    Single,
    /// Two or more judges, all alike.
    Unanimous,
    /// More than half of the judges for this label.
    Majority,
    /// Graded labels without a majority: the label is their median.
    Median,
    /// An even split: as many for as against, or two different middle levels; the label is the worse outcome.
    Tie,
}

impl Agreement {
    /// Every way, in the order of the codes.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Single,
        Self::Unanimous,
        Self::Majority,
        Self::Median,
        Self::Tie,
    ];

    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Single => "single",
            Self::Unanimous => "unanimous",
            Self::Majority => "majority",
            Self::Median => "median",
            Self::Tie => "tie",
        }
    }
}

/// One system's label on one item in one sample: one trial of the (system, item) cell.
///
/// Item response theory reads a (system, item) cell as successes of trials, a sample being a trial; scores read the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Code of the system.
    pub system: u32,
    /// Code of the sample.
    pub sample: u32,
    /// The label.
    pub label: CellLabel,
    /// Judges that gave a label.
    pub judges: u16,
    /// Judges that gave the label chosen.
    pub agreeing: u16,
    /// How the label came about.
    pub agreement: Agreement,
}

/// Labels of all systems on all items; cells are sorted by (item, system, sample).
///
/// `fit`, `assemble` and `score` read this and never [`crate::Verdicts`]: there is one way from verdicts to labels.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The systems.
    pub systems: Names,
    /// The queries.
    pub queries: Names,
    /// The sample ids.
    pub samples: Names,
    /// The criterion ids.
    pub criteria: Names,
    /// The scale of each criterion.
    pub scales: Vec<Scale>,
    /// The (query, criterion) pairs, sorted by query, then criterion.
    pub items: Vec<Item>,
    starts: Vec<usize>,
    cells: Vec<Cell>,
}

impl Labels {
    /// Puts labels together from (item index, cell) pairs in any order.
    ///
    /// `items` must be sorted, and every index in range.
    pub fn new(names: LabelNames, scales: Vec<Scale>, items: Vec<Item>, mut cells: Vec<(u32, Cell)>) -> Self {
        debug_assert!(items.is_sorted(), "items are sorted by (query, criterion)");
        cells.sort_unstable_by_key(|(item, cell)| (*item, cell.system, cell.sample));
        let mut starts = vec![0; items.len() + 1];
        for (item, _) in &cells {
            starts[*item as usize + 1] += 1;
        }
        for item in 0..items.len() {
            starts[item + 1] += starts[item];
        }
        Self {
            systems: names.systems,
            queries: names.queries,
            samples: names.samples,
            criteria: names.criteria,
            scales,
            items,
            starts,
            cells: cells.into_iter().map(|(_, cell)| cell).collect(),
        }
    }

    /// The cells of one item, sorted by (system, sample).
    pub fn cells(&self, item: usize) -> &[Cell] {
        &self.cells[self.starts[item]..self.starts[item + 1]]
    }

    /// All cells with the index of their item, in order.
    pub fn all_cells(&self) -> impl Iterator<Item = (usize, &Cell)> {
        (0..self.items.len()).flat_map(|item| self.cells(item).iter().map(move |cell| (item, cell)))
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The scale of an item's criterion.
    pub fn scale(&self, item: usize) -> &Scale {
        &self.scales[self.items[item].criterion as usize]
    }

    /// The criterion id of an item.
    pub fn criterion(&self, item: usize) -> &str {
        self.criteria.get(self.items[item].criterion)
    }

    /// The query id of an item.
    pub fn query(&self, item: usize) -> &str {
        self.queries.get(self.items[item].query)
    }

    /// The index of the item of these names.
    pub fn find(&self, query: &str, criterion: &str) -> Option<usize> {
        let item = Item {
            query: self.queries.find(query)?,
            criterion: self.criteria.find(criterion)?,
        };
        self.items.binary_search(&item).ok()
    }
}

/// The four dictionaries of [`Labels`].
#[derive(Clone, Debug)]
pub struct LabelNames {
    /// The systems.
    pub systems: Names,
    /// The queries.
    pub queries: Names,
    /// The sample ids.
    pub samples: Names,
    /// The criterion ids.
    pub criteria: Names,
}
