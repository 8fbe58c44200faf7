//! A queue of candidates that recomputes a gain only when an old one no longer decides.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::{Pool, shares};
use crate::watch::Watch;

/// Candidates by a number their present gain cannot exceed.
pub(super) struct Queue {
    heap: BinaryHeap<Entry>,
    /// Gains recomputed since all bounds were.
    recomputed: usize,
}

struct Entry {
    most: f64,
    item: usize,
}

impl Queue {
    /// Every informative candidate that is not `taken` and could gain as much as `floor`, by what it can gain once `held`.
    pub(super) fn after(pool: &Pool, held: &[f64], taken: &[bool], floor: f64) -> Self {
        let most = pool.most_gain(held);
        let free: Vec<usize> = pool.informative.iter().copied().filter(|&item| !taken[item]).collect();
        let entries = free.into_par_iter().map(|item| Entry::after(item, most(item)));
        let entries: Vec<Entry> = entries.filter(|entry| entry.most >= floor).collect();
        Self {
            heap: BinaryHeap::from(entries),
            recomputed: 0,
        }
    }

    /// Takes out the candidate of the largest present gain, the lowest index among equals.
    pub(super) fn best(&mut self, pool: &Pool, held: &[f64]) -> Option<(usize, f64)> {
        self.tighten(pool, held);
        let shares = shares(held);
        let mut fresh = Vec::new();
        let mut best: Option<(usize, f64)> = None;
        // No entry still in the heap has a present gain above its `most`.
        while let Some(entry) = self.heap.pop() {
            if best.is_some_and(|(_, gain)| entry.most < gain) {
                self.heap.push(entry);
                break;
            }
            let gain = pool.gain(entry.item, &shares);
            if best.is_none_or(|(item, most)| gain > most || (gain == most && entry.item < item)) {
                best = Some((entry.item, gain));
            }
            fresh.push(Entry::after(entry.item, gain));
        }
        self.recomputed += fresh.len();
        let chosen = best.map(|(item, _)| item);
        self.heap
            .extend(fresh.into_iter().filter(|entry| Some(entry.item) != chosen));
        best
    }

    /// Lowers every bound to what `held` leaves, once recomputing gains one by one has cost more than that.
    fn tighten(&mut self, pool: &Pool, held: &[f64]) {
        // A bound costs about a tenth of a gain recomputed and queued again; it is worth less while the old gains still say more.
        const SHARE: usize = 3;
        if self.recomputed * SHARE <= self.heap.len() {
            return;
        }
        self.recomputed = 0;
        let most = pool.most_gain(held);
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries
            .par_iter_mut()
            .for_each(|entry| entry.most = entry.most.min(Entry::after(entry.item, most(entry.item)).most));
        self.heap = BinaryHeap::from(entries);
    }

    /// The sum of the `count` largest present gains, and the least of them; the sum of all, and 0, if there are fewer.
    pub(super) fn largest_gains(mut self, pool: &Pool, held: &[f64], count: usize) -> (f64, f64) {
        let shares = shares(held);
        let watch = Watch::current();
        let mut descending = BinaryHeap::new();
        // `descending` holds the `count` largest gains seen, its top the smallest of them.
        while let Some(entry) = self.heap.pop() {
            watch.check();
            let full = descending.len() >= count;
            let beaten = descending.peek().is_none_or(|least: &Smallest| entry.most <= least.0);
            if full && beaten {
                break;
            }
            descending.push(Smallest(pool.gain(entry.item, &shares)));
            if descending.len() > count {
                descending.pop();
            }
        }
        let mut gains: Vec<f64> = descending.into_iter().map(|gain| gain.0).collect();
        gains.sort_unstable_by(|x, y| y.total_cmp(x));
        let least = if gains.len() < count {
            0.0
        } else {
            gains.last().copied().unwrap_or(0.0)
        };
        (gains.iter().sum(), least)
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
