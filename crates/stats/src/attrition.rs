//! What the demand for unanimous panels costs: how many items survive it as a leaderboard grows.

use crate::Undefined;
use crate::resample::{Interval, LEVEL, draw_clusters, enough_clusters, percentile_interval};
use crate::stream::{Purpose, Stream};
use crate::watch::Watch;

/// One item's panels over the systems whose panel is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemPanel {
    /// Systems on which every selected judge gave a label.
    pub systems: u32,
    /// Of these, systems with every judge passing; with those below at most `systems`.
    pub unanimous_pass: u32,
    /// Of these, systems with every judge failing.
    pub unanimous_fail: u32,
    /// Of these, systems passed by the consensus; at most `systems`.
    pub majority_pass: u32,
}

impl ItemPanel {
    fn unanimous(&self) -> u32 {
        self.unanimous_pass + self.unanimous_fail
    }
}

/// The state of an item pool on `m` systems drawn at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttritionPoint {
    /// How many systems: `m`, at least 1.
    pub systems: u32,
    /// Items with complete panels on at least `m` systems: the divisor of the shares below.
    pub items: usize,
    /// Share of items unanimous on all `m`: R(m).
    pub retention: f64,
    /// Share of items whose consensus shows both outcomes among the `m`.
    pub distinguishability: f64,
    /// Share of items with both: unanimous on all `m`, and not all alike.
    pub joint: f64,
    /// `R(m)^(1/m)`: the unanimity rate of one system that would explain R(m) if items were alike.
    pub rate: f64,
}

/// The exact attrition curve for `m` from 1 to the most systems any item has; empty without a unit.
///
/// Averages over all subsets of `m` systems, item by item, without drawing any. An item with fewer than `m` complete panels drops out
/// of the point `m`, so points with different `items` are not over the same pool.
///
/// Source: `[CR26]` eq. 22; METHODS 75 for the companion curves.
#[must_use]
pub fn attrition_curve(items: &[ItemPanel]) -> Vec<AttritionPoint> {
    let most = items.iter().map(|item| item.systems).max().unwrap_or(0);
    let mut shares: Vec<ItemShares> = items.iter().map(ItemShares::new).collect();
    let watch = Watch::current();
    (1..=most)
        .map(|m| {
            watch.check();
            shares.iter_mut().for_each(|share| share.add_system());
            point(m, &shares)
        })
        .collect()
}

/// Chances that the first `m` systems of a random order are all of one kind, for one item, with `m` growing by steps.
struct ItemShares {
    item: ItemPanel,
    drawn: u32,
    unanimous: f64,
    unanimous_pass: f64,
    unanimous_fail: f64,
    majority_pass: f64,
    majority_fail: f64,
}

impl ItemShares {
    fn new(item: &ItemPanel) -> Self {
        Self {
            item: *item,
            drawn: 0,
            unanimous: 1.0,
            unanimous_pass: 1.0,
            unanimous_fail: 1.0,
            majority_pass: 1.0,
            majority_fail: 1.0,
        }
    }

    /// Multiplies by `(c - m) / (M - m)`: C(c, m) / C(M, m) as a product of ratios, which neither overflows nor cancels.
    fn add_system(&mut self) {
        let r = self.drawn;
        self.drawn += 1;
        if r >= self.item.systems {
            return;
        }
        let left = f64::from(self.item.systems - r);
        let ratio = |count: u32| f64::from(count.saturating_sub(r)) / left;
        self.unanimous *= ratio(self.item.unanimous());
        self.unanimous_pass *= ratio(self.item.unanimous_pass);
        self.unanimous_fail *= ratio(self.item.unanimous_fail);
        self.majority_pass *= ratio(self.item.majority_pass);
        self.majority_fail *= ratio(self.item.systems - self.item.majority_pass);
    }
}

fn point(m: u32, shares: &[ItemShares]) -> AttritionPoint {
    let present = || shares.iter().filter(|share| share.item.systems >= m);
    let items = present().count();
    let mean = |value: fn(&ItemShares) -> f64| present().map(value).sum::<f64>() / items as f64;
    let retention = mean(|s| s.unanimous);
    AttritionPoint {
        systems: m,
        items,
        retention,
        distinguishability: mean(|s| 1.0 - s.majority_pass - s.majority_fail),
        joint: mean(|s| s.unanimous - s.unanimous_pass - s.unanimous_fail),
        rate: retention.powf(1.0 / f64::from(m)),
    }
}

/// The point of the curve at which most items are unanimous and still tell systems apart; the first one of several.
///
/// # Errors
/// Undefined when no item does so at any number of systems.
///
/// Source: METHODS 78.
pub fn joint_peak(curve: &[AttritionPoint]) -> Result<AttritionPoint, Undefined> {
    let mut peak: Option<&AttritionPoint> = None;
    for point in curve {
        if point.joint > peak.map_or(0.0, |best| best.joint) {
            peak = Some(point);
        }
    }
    peak.copied().ok_or(Undefined::EmptyHardSet)
}

/// Items with a unanimous panel on every system and both outcomes among them, by index: the hard set.
///
/// # Errors
/// Undefined when there is none: a bank of it would be no bank.
///
/// Source: `[CR26]` Def. 1; METHODS 74, 96.
pub fn hard_set(items: &[ItemPanel]) -> Result<Vec<usize>, Undefined> {
    let hard =
        |item: &ItemPanel| item.unanimous() == item.systems && item.unanimous_pass > 0 && item.unanimous_fail > 0;
    let chosen: Vec<usize> = (0..items.len()).filter(|&j| hard(&items[j])).collect();
    if chosen.is_empty() {
        return Err(Undefined::EmptyHardSet);
    }
    Ok(chosen)
}

/// One unanimity rate for all items, fitted to an attrition curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeometricFit {
    /// The rate: R(m) is described by `rho^m`. In (0, 1].
    pub rho: f64,
    /// Share of the variance of log R explained, about its mean; undefined when R does not vary.
    pub r_squared: Result<f64, Undefined>,
    /// Root mean square of `R(m) - rho^m` over the points used.
    pub rmse: f64,
    /// Points used: those with R(m) > 0.
    pub points: usize,
}

/// Fits `log R(m) = m log rho` by least squares through the origin.
///
/// Points of one curve share their items, so the fit gives no standard error: use [`geometric_interval`]. Prefer [`beta_fit`] when
/// items differ, as they do as soon as [`AttritionPoint::rate`] rises with `m`.
///
/// # Errors
/// Undefined when no point has R(m) > 0.
///
/// Source: `[CR26]` section B.1; METHODS 76.
pub fn geometric_fit(curve: &[AttritionPoint]) -> Result<GeometricFit, Undefined> {
    let used: Vec<(f64, f64)> = curve
        .iter()
        .filter(|point| point.retention > 0.0)
        .map(|point| (f64::from(point.systems), point.retention))
        .collect();
    if used.is_empty() {
        return Err(Undefined::TooFewPoints { have: 0, need: 1 });
    }
    let points = used.len();
    let log_rho = log_rate(used.iter().copied());
    let mean_log = used.iter().map(|&(_, r)| r.ln()).sum::<f64>() / points as f64;
    let total: f64 = used.iter().map(|&(_, r)| (r.ln() - mean_log).powi(2)).sum();
    let residual: f64 = used.iter().map(|&(m, r)| (r.ln() - m * log_rho).powi(2)).sum();
    let misses = used.iter().map(|&(m, r)| (r - (m * log_rho).exp()).powi(2));
    Ok(GeometricFit {
        rho: log_rho.exp(),
        r_squared: if total > 0.0 {
            Ok(1.0 - residual / total)
        } else {
            Err(Undefined::NoVariation)
        },
        rmse: (misses.sum::<f64>() / points as f64).sqrt(),
        points,
    })
}

fn log_rate(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut cross, mut square) = (0.0, 0.0);
    for (m, retention) in points {
        cross += m * retention.ln();
        square += m * m;
    }
    cross / square
}

/// The 95 % percentile interval of the geometric rate, from `replicates` resamplings of whole items under `seed`.
///
/// # Errors
/// Undefined with fewer than ten items, or when fewer than nine in ten replicates have a rate.
///
/// Source: METHODS 76.
pub fn geometric_interval(items: &[ItemPanel], replicates: u32, seed: u64) -> Result<Interval, Undefined> {
    enough_clusters(items.len())?;
    let rows = RetentionRows::new(items);
    let drawn: Vec<Option<f64>> = Watch::current().parts(replicates, |replicate| {
        let mut stream = Stream::new(seed, Purpose::AttritionBootstrap, replicate);
        rows.resampled_rate(&draw_clusters(&mut stream, items.len()))
    });
    let rates: Vec<f64> = drawn.into_iter().flatten().collect();
    if rates.len() * 10 < replicates as usize * 9 {
        return Err(Undefined::TooFewReplicates {
            have: rates.len(),
            of: replicates as usize,
        });
    }
    percentile_interval(&rates, LEVEL)
}

/// For each item, C(c, m) / C(M, m) for `m` from 1 to the most systems of any item: 0 past its own M.
struct RetentionRows {
    most: usize,
    shares: Vec<f64>,
    /// The M of each item.
    systems: Vec<u32>,
}

impl RetentionRows {
    fn new(items: &[ItemPanel]) -> Self {
        let systems: Vec<u32> = items.iter().map(|item| item.systems).collect();
        let most = systems.iter().max().map_or(0, |&most| most as usize);
        let mut shares = vec![0.0; items.len() * most];
        for (row, item) in shares.chunks_exact_mut(most.max(1)).zip(items) {
            let mut share = ItemShares::new(item);
            for cell in &mut row[..item.systems as usize] {
                share.add_system();
                *cell = share.unanimous;
            }
        }
        Self { most, shares, systems }
    }

    /// The rate when item `j` is drawn `counts[j]` times.
    fn resampled_rate(&self, counts: &[u32]) -> Option<f64> {
        let mut unanimous = vec![0.0; self.most];
        // Items drawn whose M is exactly m, and then at least m.
        let mut drawn = vec![0u64; self.most + 1];
        for ((row, &count), &systems) in self
            .shares
            .chunks_exact(self.most.max(1))
            .zip(counts)
            .zip(&self.systems)
        {
            drawn[systems as usize] += u64::from(count);
            let count = f64::from(count);
            for (sum, &share) in unanimous.iter_mut().zip(row) {
                *sum += count * share;
            }
        }
        for m in (0..self.most).rev() {
            drawn[m] += drawn[m + 1];
        }
        let mut points = (1..).zip(unanimous).filter(|&(_, sum)| sum > 0.0).peekable();
        points.peek()?;
        let share = |(m, sum): (u32, f64)| (f64::from(m), sum / drawn[m as usize] as f64);
        Some(log_rate(points.map(share)).exp())
    }
}

/// Which moments of the items' unanimity rates a beta distribution is matched to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moments {
    /// R(1) and R(2) over the items with at least two systems: free of sampling noise. The default of METHODS 77.
    #[default]
    Factorial,
    /// Mean and variance of the raw rates, as the source does; sampling noise counts as difference between items.
    Raw,
}

/// Unanimity rates that differ between items by a beta distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaFit {
    /// First shape, above 0.
    pub a: f64,
    /// Second shape, above 0.
    pub b: f64,
    /// Root mean square of R(m) minus [`BetaFit::retention`] over the points of the curve.
    pub rmse: f64,
}

impl BetaFit {
    /// The beta distribution with mean `first` and mean square `second`, judged against `curve`.
    ///
    /// # Errors
    /// Undefined when the moments leave no variance (prefer [`geometric_fit`]), or as much as only rates of 0 and 1 have.
    ///
    /// Source: METHODS 77: `s = mu (1 - mu) / (R2 - mu^2) - 1`, `a = mu s`, `b = (1 - mu) s`.
    pub fn matching(first: f64, second: f64, curve: &[AttritionPoint]) -> Result<Self, Undefined> {
        let variance = second - first * first;
        if variance <= 0.0 {
            return Err(Undefined::NoHeterogeneity);
        }
        let size = first * (1.0 - first) / variance - 1.0;
        if size <= 0.0 {
            return Err(Undefined::AllOrNothing);
        }
        Ok(Self::judged(first * size, (1.0 - first) * size, curve))
    }

    /// The beta distribution with shapes `a` and `b`, both positive, judged against `curve`.
    #[must_use]
    pub fn judged(a: f64, b: f64, curve: &[AttritionPoint]) -> Self {
        let fit = Self { a, b, rmse: 0.0 };
        let misses = curve.iter().map(|p| (p.retention - fit.retention(p.systems)).powi(2));
        let rmse = (misses.sum::<f64>() / curve.len().max(1) as f64).sqrt();
        Self { rmse, ..fit }
    }

    /// Predicted share of items unanimous on `m` systems: the product of `(a + r) / (a + b + r)` over `r < m`.
    ///
    /// Source: METHODS 77.
    #[must_use]
    pub fn retention(&self, m: u32) -> f64 {
        (0..m)
            .map(|r| (self.a + f64::from(r)) / (self.a + self.b + f64::from(r)))
            .product()
    }
}

/// Fits a beta distribution to the items' unanimity rates by `moments`.
///
/// # Errors
/// Undefined when no item has complete panels on enough systems (two for factorial moments, one for raw), when items differ no more
/// than sampling makes them, or when every item is unanimous always or never.
///
/// Source: `[CR26]` section B.1; METHODS 77.
pub fn beta_fit(items: &[ItemPanel], moments: Moments) -> Result<BetaFit, Undefined> {
    let need = match moments {
        Moments::Factorial => 2,
        Moments::Raw => 1,
    };
    let used: Vec<(f64, f64)> = items
        .iter()
        .filter(|item| item.systems >= need)
        .map(|item| (f64::from(item.unanimous()), f64::from(item.systems)))
        .collect();
    if used.is_empty() {
        return Err(Undefined::TooFewSystemsPerItem { need });
    }
    let mean =
        |value: &dyn Fn(f64, f64) -> f64| used.iter().map(|&(c, m)| value(c, m)).sum::<f64>() / used.len() as f64;
    let first = mean(&|c, m| c / m);
    let second = match moments {
        Moments::Factorial => mean(&|c, m| c * (c - 1.0) / (m * (m - 1.0))),
        Moments::Raw => mean(&|c, m| (c / m).powi(2)),
    };
    BetaFit::matching(first, second, &attrition_curve(items))
}
