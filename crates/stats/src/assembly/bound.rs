//! What no bank of a size can exceed, at the prefix of a selection where that says most.

use super::Pool;
use super::queue::Queue;
use crate::information::add;
use crate::watch::Watch;

/// A number that the utility of no set of the budgeted size exceeds.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) value: f64,
    pub(super) prefix: usize,
}

/// Prefixes from `first` to before `end` whose sums of gains are unknown but at least `gains`, the sum at `end`.
#[derive(Clone, Copy)]
struct Open {
    first: usize,
    end: usize,
    gains: f64,
}

/// The least of U(S_i) plus the `budget` largest gains at S_i, over all prefixes S_i of `order`; the shortest of equals.
///
/// Every prefix bounds the best set of `budget` candidates: by diminishing returns that set adds to S_i at most the sum of its own
/// gains there. The whole budget counts at every prefix, not what is left of it. `utilities[i]` is U(S_i).
///
/// Most prefixes need no sum of gains: utility only rises along the order and that sum only falls, so that no value in a range is
/// below the utility at its first prefix plus the sum after its last. The range that could hold the least is halved until none could.
pub(super) fn optimum_bound(pool: &Pool, order: &[usize], utilities: &[f64], budget: usize) -> Bound {
    let end = order.len();
    // Gains only fall along the order, so that the largest at any prefix are at least the least of those at the end.
    let (gains, floor) = largest_gains(pool, &order[..end], budget, 0.0);
    let mut least = Bound {
        value: utilities[end] + gains,
        prefix: end,
    };
    let mut open = vec![Open { first: 0, end, gains }];
    let watch = Watch::current();
    while let Some(range) = take_lowest(&mut open, utilities, least.value) {
        watch.check();
        let prefix = range.first.midpoint(range.end - 1);
        let (gains, _) = largest_gains(pool, &order[..prefix], budget, floor);
        let value = utilities[prefix] + gains;
        if value < least.value || (value == least.value && prefix < least.prefix) {
            least = Bound { value, prefix };
        }
        open.push(Open {
            end: prefix,
            gains,
            ..range
        });
        open.push(Open {
            first: prefix + 1,
            ..range
        });
    }
    least
}

/// Takes out the range whose values could be lowest; none if none could be as low as `least`.
fn take_lowest(open: &mut Vec<Open>, utilities: &[f64], least: f64) -> Option<Open> {
    // Far above the rounding of sums, and too little to leave many ranges open.
    const SLACK: f64 = 1e-9;
    let floor = |range: &Open| utilities[range.first] + range.gains;
    open.retain(|range| range.first < range.end && floor(range) <= least * (1.0 + SLACK));
    let lowest = (0..open.len()).min_by(|&i, &j| floor(&open[i]).total_cmp(&floor(&open[j])))?;
    Some(open.swap_remove(lowest))
}

/// The sum of the largest gains once the items of `bank` are held, and the least of them; none of them is below `floor`.
fn largest_gains(pool: &Pool, bank: &[usize], budget: usize, floor: f64) -> (f64, f64) {
    let mut held = vec![0.0; pool.table.nodes()];
    let mut taken = vec![false; pool.table.items()];
    for &item in bank {
        add(&mut held, pool.table.row(item));
        taken[item] = true;
    }
    Queue::after(pool, &held, &taken, floor).largest_gains(pool, &held, budget)
}
