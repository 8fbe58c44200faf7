//! Trusted labels, matched with the cells of the panel.

use calibrant_schema::labels::{Cell, CellLabel};
use calibrant_schema::verdicts::ANY_SYSTEM;
use calibrant_schema::{Labels, Verdicts};

use super::Groups;
use crate::consensus::{Tie, for_each_cell, judge_labels};

/// Gold labels and the cells they speak of.
pub(super) struct GoldLabels {
    /// (item, position of the cell in it, whether gold says met).
    cells: Vec<(usize, usize, bool)>,
    /// Gold labels that speak of no labelled cell.
    pub(super) unmatched: usize,
    /// Gold labels.
    pub(super) all: usize,
}

impl GoldLabels {
    /// Matches gold with labels by system, query, sample and criterion; several gold judges decide by majority.
    pub(super) fn new(gold: &Verdicts, labels: &Labels) -> Self {
        let mut matched = Self {
            cells: Vec::new(),
            unmatched: 0,
            all: 0,
        };
        for_each_cell(gold, |at, rows| {
            let item = gold.items()[at as usize];
            let scale = gold.scale(item.criterion);
            let votes = judge_labels(rows, scale, Tie::Lower);
            if votes.is_empty() {
                return;
            }
            let met = 2 * votes.iter().filter(|vote| scale.passes(vote.level)).count() > votes.len();
            let (query, criterion) = (gold.queries().get(item.query), gold.criteria().get(item.criterion));
            let (system, sample) = (gold.systems().get(rows[0].system), gold.samples().get(rows[0].sample));
            let before = matched.cells.len();
            if let Some(found) = labels.find(query, criterion) {
                let cells = labels.cells(found).iter().enumerate();
                let spoken_of = cells.filter(|(_, cell)| is_of(labels, cell, system, sample));
                matched
                    .cells
                    .extend(spoken_of.map(|(position, _)| (found, position, met)));
            }
            matched.all += 1;
            matched.unmatched += usize::from(matched.cells.len() == before);
        });
        matched
    }

    /// (group, consensus met, gold met) of every cell that has both.
    pub(super) fn pairs(&self, labels: &Labels, groups: &Groups) -> Vec<(usize, bool, bool)> {
        let pair = |&(item, position, met): &(usize, usize, bool)| match labels.cells(item)[position].label {
            CellLabel::Level(level) => Some((groups.group(item as u32), labels.scale(item).passes(level), met)),
            CellLabel::None(_) => None,
        };
        self.cells.iter().filter_map(pair).collect()
    }
}

/// Whether gold of a system and sample speaks of a labelled cell; gold without a system speaks of every system's.
fn is_of(labels: &Labels, cell: &Cell, system: &str, sample: &str) -> bool {
    let named = labels.systems.get(cell.system) == system && labels.samples.get(cell.sample) == sample;
    matches!(cell.label, CellLabel::Level(_)) && (system == ANY_SYSTEM || named)
}
