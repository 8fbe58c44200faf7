//! What no bank of a size can exceed, at the prefix of a selection where that says most.

use super::Pool;
use super::queue::Queue;
use crate::information::add;

/// A number that the utility of no set of the budgeted size exceeds.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) value: f64,
    pub(super) prefix: usize,
}

/// The sum of the largest gains once the first `prefix` items are held.
#[derive(Clone, Copy)]
struct Largest {
    prefix: usize,
    gains: f64,
}

/// The least of U(S_i) plus the `budget` largest gains at S_i, over all prefixes S_i of `order`; the shortest of equals.
///
/// Every prefix bounds the best set of `budget` candidates: by diminishing returns that set adds to S_i at most the sum of its own
/// gains there. The whole budget counts at every prefix, not what is left of it. `utilities[i]` is U(S_i).
///
/// Most prefixes need no sum of gains: utility only rises along the order and that sum only falls, so that between two prefixes
/// whose sums are known no value is below the utility after the first plus the sum at the second. What this leaves open is halved.
pub(super) fn optimum_bound(pool: &Pool, order: &[usize], utilities: &[f64], budget: usize) -> Bound {
    let mut known: Vec<Largest> = Vec::new();
    let mut asked = vec![0, order.len()];
    asked.dedup();
    loop {
        known.extend(largest_gains(pool, order, budget, &asked));
        known.sort_unstable_by_key(|largest| largest.prefix);
        let least = least(&known, utilities);
        asked = open(&known, utilities, least.value);
        if asked.is_empty() {
            return least;
        }
    }
}

fn least(known: &[Largest], utilities: &[f64]) -> Bound {
    let mut least = Bound {
        value: f64::INFINITY,
        prefix: 0,
    };
    for &Largest { prefix, gains } in known {
        let value = utilities[prefix] + gains;
        if value < least.value {
            least = Bound { value, prefix };
        }
    }
    least
}

/// The middles of the gaps in which a value could still be as low as `least`, ascending.
fn open(known: &[Largest], utilities: &[f64], least: f64) -> Vec<usize> {
    // Far above the rounding of sums, and too little to leave many gaps open.
    const SLACK: f64 = 1e-9;
    let gaps = known.windows(2).filter(|gap| gap[1].prefix - gap[0].prefix > 1);
    let could = gaps.filter(|gap| utilities[gap[0].prefix + 1] + gap[1].gains <= least * (1.0 + SLACK));
    could.map(|gap| gap[0].prefix.midpoint(gap[1].prefix)).collect()
}

/// The sums at some prefixes, which ascend.
fn largest_gains(pool: &Pool, order: &[usize], budget: usize, prefixes: &[usize]) -> Vec<Largest> {
    let mut held = vec![0.0; pool.table.nodes()];
    let mut queue = Queue::new(pool);
    let mut done = 0;
    let mut at = |&prefix: &usize| {
        for &item in &order[done..prefix] {
            add(&mut held, pool.table.row(item));
            queue.remove(item);
        }
        done = prefix;
        let gains = queue.largest_gains(pool, &held, budget);
        Largest { prefix, gains }
    };
    prefixes.iter().map(&mut at).collect()
}
