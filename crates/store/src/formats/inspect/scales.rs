//! The scales of criteria, as the grades that were given show them.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::scale::MOST_LEVELS;

/// The most criteria of a log.
const MOST_CRITERIA: usize = 100_000;

/// Grades met, by criterion, as the bits of their numbers.
#[derive(Default)]
pub(super) struct Scales(BTreeMap<String, BTreeSet<u64>>);

impl Scales {
    /// Takes a grade into the scale of its criterion, as long as a scale can hold it.
    pub(super) fn admits(&mut self, criterion: &str, label: f64) -> bool {
        if !self.0.contains_key(criterion) && self.0.len() >= MOST_CRITERIA {
            return false;
        }
        let levels = self.0.entry(criterion.to_owned()).or_default();
        let bits = label.to_bits();
        // Two places are left for 0 and 1, which a scale of shares has in any case.
        levels.contains(&bits) || (levels.len() + 2 < MOST_LEVELS && levels.insert(bits))
    }

    /// The levels of a criterion; `None` for 0 and 1.
    pub(super) fn levels(&self, criterion: &str) -> Option<Vec<f64>> {
        self.0.get(criterion).and_then(scale)
    }
}

/// The levels of a scale that has these grades; `None` for 0 and 1.
fn scale(grades: &BTreeSet<u64>) -> Option<Vec<f64>> {
    let mut levels: Vec<f64> = grades.iter().map(|bits| f64::from_bits(*bits)).collect();
    let share = levels.iter().all(|level| (0.0..=1.0).contains(level));
    if share {
        levels.extend([0.0, 1.0]);
    } else if levels.len() < 2 {
        levels.push(0.0);
    }
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    (levels != [0.0, 1.0]).then_some(levels)
}
