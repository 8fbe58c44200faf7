//! A queue of candidates that recomputes a gain only when an old one no longer decides.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Pool;

/// Candidates by a number their present gain cannot exceed.
pub(super) struct Queue {
    heap: BinaryHeap<Entry>,
    removed: Vec<bool>,
}

struct Entry {
    most: f64,
    item: usize,
}

impl Queue {
    pub(super) fn new(pool: &Pool) -> Self {
        let candidates = pool.informative.iter().zip(&pool.most);
        let entries: Vec<Entry> = candidates.map(|(&item, &most)| Entry::after(item, most)).collect();
        Self {
            heap: BinaryHeap::from(entries),
            removed: vec![false; pool.table.items()],
        }
    }

    /// Takes out the candidate of the largest present gain, the lowest index among equals.
    pub(super) fn best(&mut self, pool: &Pool, held: &[f64]) -> Option<(usize, f64)> {
        let mut fresh = Vec::new();
        let mut best: Option<(usize, f64)> = None;
        // No entry still in the heap has a present gain above its `most`.
        while let Some(entry) = self.heap.pop() {
            if best.is_some_and(|(_, gain)| entry.most < gain) {
                self.heap.push(entry);
                break;
            }
            let gain = pool.gain(entry.item, held);
            if best.is_none_or(|(item, most)| gain > most || (gain == most && entry.item < item)) {
                best = Some((entry.item, gain));
            }
            fresh.push(Entry::after(entry.item, gain));
        }
        let chosen = best.map(|(item, _)| item);
        self.heap
            .extend(fresh.into_iter().filter(|entry| Some(entry.item) != chosen));
        best
    }

    pub(super) fn remove(&mut self, item: usize) {
        self.removed[item] = true;
    }

    /// The sum of the `count` largest present gains, or of all if there are fewer.
    pub(super) fn largest_gains(&mut self, pool: &Pool, held: &[f64], count: usize) -> f64 {
        let mut fresh = Vec::new();
        let mut descending = BinaryHeap::new();
        // `descending` holds the `count` largest gains seen, its top the smallest of them.
        while let Some(entry) = self.heap.pop() {
            if self.removed[entry.item] {
                continue;
            }
            let full = descending.len() >= count;
            let beaten = descending.peek().is_none_or(|least: &Smallest| entry.most <= least.0);
            if full && beaten {
                self.heap.push(entry);
                break;
            }
            let gain = pool.gain(entry.item, held);
            fresh.push(Entry::after(entry.item, gain));
            descending.push(Smallest(gain));
            if descending.len() > count {
                descending.pop();
            }
        }
        self.heap.extend(fresh);
        let mut gains: Vec<f64> = descending.into_iter().map(|gain| gain.0).collect();
        gains.sort_unstable_by(|x, y| y.total_cmp(x));
        gains.iter().sum()
    }
}

impl Entry {
    /// Gains only fall as information is held; the margin covers the rounding of a sum of a few hundred positive terms.
    fn after(item: usize, gain: f64) -> Self {
        const MARGIN: f64 = 1e-12;
        Self {
            most: gain * (1.0 + MARGIN),
            item,
        }
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.most.total_cmp(&other.most).then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

/// A gain that sorts the smaller one to the top of a heap.
struct Smallest(f64);

impl Ord for Smallest {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl PartialOrd for Smallest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Smallest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Smallest {}
