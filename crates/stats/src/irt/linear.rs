//! The little linear algebra that fits and standard errors need, with sums in a fixed order.

use rayon::prelude::*;

use crate::watch::Watch;

/// The inner product, in eight lanes that are added at the end.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in left.iter().zip(right) {
        for l in 0..LANES {
            lanes[l] += left[l] * right[l];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(l, r)| l * r).sum();
    lanes.iter().sum::<f64>() + rest
}

/// Adds `scale` times `direction` to `v`.
pub(super) fn add(v: &mut [f64], scale: f64, direction: &[f64]) {
    for (x, d) in v.iter_mut().zip(direction) {
        *x += scale * d;
    }
}

/// The largest absolute value, 0 of nothing.
pub(super) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// The smallest value, infinite of nothing.
pub(super) fn least(v: &[f64]) -> f64 {
    v.iter().copied().fold(f64::INFINITY, f64::min)
}

/// A lower triangular matrix, row by row in a square.
pub(super) struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors a symmetric matrix of `size` rows whose lower triangle is given; `None` when it is not positive definite.
    pub(super) fn new(mut matrix: Vec<f64>, size: usize) -> Option<Self> {
        let watch = Watch::current();
        for row in 0..size {
            watch.check();
            let (above, rest) = matrix.split_at_mut(row * size);
            let current = &mut rest[..size];
            for column in 0..row {
                let other = &above[column * size..(column + 1) * size];
                let sum = current[column] - dot(&current[..column], &other[..column]);
                current[column] = sum / other[column];
            }
            let square = current[row] - dot(&current[..row], &current[..row]);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            current[row] = square.sqrt();
        }
        Some(Self { size, lower: matrix })
    }

    /// Replaces the rows `right`, one per row of the factor, by the solution of `lower x = right`.
    pub(super) fn solve_rows(&self, right: &mut [Vec<f64>]) {
        let watch = Watch::current();
        for row in 0..self.size {
            watch.check();
            let (solved, rest) = right.split_at_mut(row);
            let factors = &self.lower[row * self.size..(row + 1) * self.size];
            let current = &mut rest[0];
            for (factor, other) in factors.iter().zip(solved) {
                add(current, -factor, other);
            }
            let pivot = factors[row];
            for x in current.iter_mut() {
                *x /= pivot;
            }
        }
    }

    /// The factor times a vector.
    pub(super) fn multiply(&self, v: &[f64]) -> Vec<f64> {
        let row = |r: usize| dot(&self.lower[r * self.size..=r * self.size + r], &v[..=r]);
        (0..self.size).map(row).collect()
    }

    /// The solution `x` of `matrix x = right`.
    pub(super) fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        let row = |r: usize| &self.lower[r * self.size..(r + 1) * self.size];
        for r in 0..self.size {
            let sum = right[r] - dot(&row(r)[..r], &right[..r]);
            right[r] = sum / row(r)[r];
        }
        for r in (0..self.size).rev() {
            right[r] /= row(r)[r];
            let (above, current) = right.split_at_mut(r);
            add(above, -current[0], &row(r)[..r]);
        }
        right
    }

    /// The diagonal of the inverse of the factored matrix.
    pub(super) fn inverse_diagonal(&self) -> Vec<f64> {
        let watch = Watch::current();
        let column = |start: usize| {
            watch.check();
            let mut x = vec![0.0; self.size];
            for row in start..self.size {
                let factors = &self.lower[row * self.size..(row + 1) * self.size];
                let unit = if row == start { 1.0 } else { 0.0 };
                x[row] = (unit - dot(&factors[start..row], &x[start..row])) / factors[row];
            }
            dot(&x, &x)
        };
        (0..self.size).into_par_iter().map(column).collect()
    }
}
