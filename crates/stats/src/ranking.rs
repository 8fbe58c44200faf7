//! Rank correlation, with ties.

use std::cmp::Ordering;

use crate::Undefined;
use crate::beta::incomplete_beta;

/// Ranks from 1, ties sharing the mean of their ranks, in the order of `values`.
#[must_use]
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| compare(values[i], values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for tied in order.chunk_by(|&i, &j| values[i] == values[j]) {
        for &i in tied {
            ranks[i] = below as f64 + (tied.len() as f64 + 1.0) / 2.0;
        }
        below += tied.len();
    }
    ranks
}

/// Spearman's rank correlation of two lists of one length, in [-1, 1]; tied values share ranks.
///
/// # Errors
/// Undefined for fewer than two pairs, or when one list is constant.
///
/// # Panics
/// If the lists differ in length.
///
/// Source: Spearman 1904; METHODS 55, 107.
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    check(x, y)?;
    let (x, y) = (ranks(x), ranks(y));
    let centre = (x.len() as f64 + 1.0) / 2.0;
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(&y) {
        xy += (x - centre) * (y - centre);
        xx += (x - centre).powi(2);
        yy += (y - centre).powi(2);
    }
    if xx == 0.0 || yy == 0.0 {
        return Err(Undefined::NoVariation);
    }
    // One root of the product: equal sums give exactly 1.
    Ok(xy / (xx * yy).sqrt())
}

/// Two-sided p-value of a Spearman correlation `rho` over `n` systems, from Student's t with n - 2 degrees of freedom.
///
/// # Errors
/// Undefined for fewer than three systems.
///
/// Source: METHODS 111; the n must stand beside the number.
pub fn spearman_p_value(rho: f64, n: usize) -> Result<f64, Undefined> {
    enough(n, 3)?;
    // P(|T| > t) = I(df / (df + t^2); df/2, 1/2), and df / (df + t^2) = 1 - rho^2.
    let freedom = n as f64 - 2.0;
    Ok(incomplete_beta(freedom / 2.0, 0.5, (1.0 - rho) * (1.0 + rho)))
}

/// Kendall's tau-b of two lists of one length, in [-1, 1].
///
/// # Errors
/// Undefined for fewer than two pairs, or when one list is constant.
///
/// # Panics
/// If the lists differ in length.
///
/// Source: Kendall 1945; counted in n log n steps as Knight 1966; METHODS 127.
pub fn kendall_tau_b(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    check(x, y)?;
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| compare(x[i], x[j]).then(compare(y[i], y[j])));
    let tied_x = tied_pairs(&order, |&i, &j| x[i] == x[j]);
    let tied_both = tied_pairs(&order, |&i, &j| x[i] == x[j] && y[i] == y[j]);
    let mut sorted: Vec<f64> = order.iter().map(|&i| y[i]).collect();
    let swaps = sort_counting_swaps(&mut sorted);
    let tied_y = tied_pairs(&sorted, |a, b| a == b);
    let pairs = pairs(x.len());
    if tied_x == pairs || tied_y == pairs {
        return Err(Undefined::NoVariation);
    }
    // Concordant minus discordant: all pairs, without those tied in either list, without twice the discordant ones.
    let balance = pairs as f64 - tied_x as f64 - tied_y as f64 + tied_both as f64 - 2.0 * swaps as f64;
    Ok(balance / (((pairs - tied_x) as f64).sqrt() * ((pairs - tied_y) as f64).sqrt()))
}

/// The rank correlation with the full pool that a smaller bank must keep: `min(.95, 1 - 12 / (M^3 - M))`, for `M` systems.
///
/// With few systems it is the largest correlation below 1. Compare with a tolerance of 1e-9.
///
/// # Errors
/// Undefined for fewer than two systems.
///
/// Source: `[CR26]` 3.5; METHODS 99.
pub fn rank_target(systems: usize) -> Result<f64, Undefined> {
    enough(systems, 2)?;
    let m = systems as f64;
    Ok((1.0 - 12.0 / (m * m * m - m)).min(0.95))
}

fn check(x: &[f64], y: &[f64]) -> Result<(), Undefined> {
    assert_eq!(x.len(), y.len(), "ranked lists have one length");
    enough(x.len(), 2)
}

fn enough(have: usize, need: usize) -> Result<(), Undefined> {
    if have < need {
        return Err(Undefined::TooFewSystems { have, need });
    }
    Ok(())
}

/// As `total_cmp`, but 0 and -0 are equal, as they are for `==`.
fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.total_cmp(&b))
}

fn pairs(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}

fn tied_pairs<T>(sorted: &[T], tied: impl Fn(&T, &T) -> bool) -> u64 {
    sorted.chunk_by(tied).map(|run| pairs(run.len())).sum()
}

/// Sorts by merging and returns how many pairs stood in strictly falling order.
fn sort_counting_swaps(values: &mut [f64]) -> u64 {
    let n = values.len();
    let mut swaps = 0;
    let mut merged = values.to_vec();
    let mut width = 1;
    while width < n {
        // Every block of `width` values is sorted.
        for start in (0..n).step_by(2 * width) {
            let middle = (start + width).min(n);
            let end = (start + 2 * width).min(n);
            let (left, right) = (&values[start..middle], &values[middle..end]);
            swaps += merge(left, right, &mut merged[start..end]);
        }
        values.copy_from_slice(&merged);
        width *= 2;
    }
    swaps
}

fn merge(left: &[f64], right: &[f64], merged: &mut [f64]) -> u64 {
    let (mut l, mut r) = (0, 0);
    let mut swaps = 0;
    for place in merged {
        if r == right.len() || (l < left.len() && compare(left[l], right[r]) != Ordering::Greater) {
            *place = left[l];
            l += 1;
        } else {
            *place = right[r];
            swaps += (left.len() - l) as u64;
            r += 1;
        }
    }
    swaps
}
