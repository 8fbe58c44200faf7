//! Posteriors seen through orthonormal polynomials: how functions of ability vary under them, in a few numbers a system.

use rayon::prelude::*;

use super::kernel::{self, ItemAt, Level};
use super::linear::dot;
use super::objective::Objective;
use super::shard::item_at;
use super::{Items, Posterior};

/// Polynomials under each system's posterior, from degree 1 up, orthonormal and without mean.
///
/// The covariance of two functions of ability under a posterior is the sum, over degrees, of the products of their projections. What item
/// responses bring is analytic in ability: at distance `pi / a` of the real line it has its nearest poles, so that projections fall off
/// like powers of `a sd / pi`, and posteriors narrow enough for the grid need few degrees.
pub(super) struct Projection {
    degrees: usize,
    /// Mass times polynomial at every node of the support, or what stands for it at interpolated points: systems x degrees x stride.
    rows: Vec<f64>,
    /// Posterior SD of each system, the projection of ability itself on degree 1.
    pub deviations: Vec<f64>,
}

impl Projection {
    /// At most `degrees` polynomials; fewer where a posterior has fewer nodes, whose further rows are 0.
    pub(super) fn new(objective: &Objective<'_>, posterior: &Posterior, degrees: usize) -> Self {
        let nodes = objective.support.nodes();
        let stride = nodes.len();
        let mut rows = vec![0.0; objective.responses.systems() * degrees * stride];
        let of_system = |(i, rows): (usize, &mut [f64])| {
            let window = objective.support.window(i);
            let rows = rows.chunks_exact_mut(stride).map(|row| &mut row[window.clone()]);
            match objective.support.interpolation(i) {
                None => {
                    let masses = &posterior.masses(i)[window.clone()];
                    let polynomials = orthonormal(&nodes[window.clone()], masses, degrees);
                    for (row, polynomial) in rows.zip(polynomials) {
                        row.copy_from_slice(&times(masses, &polynomial));
                    }
                }
                Some(interpolation) => {
                    let masses = posterior.at_nodes(i);
                    let polynomials = orthonormal(interpolation.nodes(), masses, degrees);
                    for (row, polynomial) in rows.zip(polynomials) {
                        interpolation.pull_back(&times(masses, &polynomial), row);
                    }
                }
            }
        };
        rows.par_chunks_exact_mut(degrees * stride)
            .enumerate()
            .for_each(of_system);
        let (_, deviations) = posterior.moments(&objective.support);
        Self {
            degrees,
            rows,
            deviations,
        }
    }

    /// How many polynomials each system has.
    pub(super) fn degrees(&self) -> usize {
        self.degrees
    }

    /// The projections of one item's log likelihood under each system's posterior: systems x degrees.
    pub(super) fn log_likelihood(
        &self,
        objective: &Objective<'_>,
        items: &Items,
        j: usize,
        scratch: &mut Scratch,
    ) -> Vec<f64> {
        let item = item_at(items, objective.item_weights, j);
        let item = ItemAt { weight: 1.0, ..item };
        kernel::log_probabilities(
            Level::detect(),
            item,
            objective.support.nodes(),
            &mut scratch.first,
            &mut scratch.second,
        );
        self.of_cells(objective, |i, row, window| {
            let successes = f64::from(objective.responses.successes(j)[i]);
            let failures = f64::from(objective.responses.trials(j)[i]) - successes;
            let (pass, fail) = (&scratch.first[window.clone()], &scratch.second[window]);
            successes * dot(row, pass) + failures * dot(row, fail)
        })
    }

    /// The projections of one item's derivatives by (log a, b): systems x degrees each.
    pub(super) fn scores(
        &self,
        objective: &Objective<'_>,
        items: &Items,
        j: usize,
        scratch: &mut Scratch,
    ) -> [Vec<f64>; 2] {
        let item = item_at(items, None, j);
        let nodes = objective.support.nodes();
        kernel::probabilities(Level::detect(), item, nodes, &mut scratch.first);
        let weighted = scratch.second.iter_mut().zip(&scratch.first).zip(nodes);
        for ((x, p), theta) in weighted {
            *x = p * (theta - item.b);
        }
        let trials = |i: usize| f64::from(objective.responses.trials(j)[i]);
        // The residual is successes - trials P; constants have no projection, and ability has its SD on degree 1 alone.
        let difficulty = self.of_cells(objective, |i, row, window| {
            item.a * trials(i) * dot(row, &scratch.first[window])
        });
        let mut slope = self.of_cells(objective, |i, row, window| {
            -item.a * trials(i) * dot(row, &scratch.second[window])
        });
        for (i, cell) in slope.chunks_exact_mut(self.degrees).enumerate() {
            cell[0] += item.a * f64::from(objective.responses.successes(j)[i]) * self.deviations[i];
        }
        [slope, difficulty]
    }

    /// One number for each system and degree, from the row of mass times polynomial in the system's window.
    fn of_cells(
        &self,
        objective: &Objective<'_>,
        value: impl Fn(usize, &[f64], std::ops::Range<usize>) -> f64,
    ) -> Vec<f64> {
        let stride = objective.support.stride();
        let rows = self.rows.chunks_exact(stride).enumerate();
        rows.map(|(at, row)| {
            let i = at / self.degrees;
            let window = objective.support.window(i);
            value(i, &row[window.clone()], window)
        })
        .collect()
    }
}

fn times(masses: &[f64], polynomial: &[f64]) -> Vec<f64> {
    masses
        .iter()
        .zip(polynomial)
        .map(|(mass, value)| mass * value)
        .collect()
}

/// Two rows of the length of a support, overwritten by every projection.
pub(super) struct Scratch {
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Scratch {
    pub(super) fn new(objective: &Objective<'_>) -> Self {
        let row = vec![0.0; objective.support.stride()];
        Self {
            first: row.clone(),
            second: row,
        }
    }
}

/// The values, at the nodes, of polynomials of degrees 1 to `degrees` that are orthonormal under the masses.
///
/// The recurrence of Stieltjes, with every polynomial orthogonalised twice against those before it, so that rounding does not bring them
/// together (Gautschi 2004, section 2.2.3).
fn orthonormal(nodes: &[f64], masses: &[f64], degrees: usize) -> Vec<Vec<f64>> {
    /// A remainder below this share of its length is rounding: the posterior has no further node.
    const NOTHING: f64 = 1e-10;
    let inner = |x: &[f64], y: &[f64]| -> f64 {
        let products = x.iter().zip(y).zip(masses);
        products.map(|((x, y), mass)| mass * x * y).sum()
    };
    let total: f64 = masses.iter().sum();
    let mean = nodes.iter().zip(masses).map(|(x, mass)| x * mass).sum::<f64>() / total;
    let mut found = vec![vec![total.sqrt().recip(); nodes.len()]];
    for _ in 0..degrees {
        let last = found.last().expect("the constant is there");
        let mut next: Vec<f64> = last.iter().zip(nodes).map(|(p, x)| p * (x - mean)).collect();
        let before = inner(&next, &next).sqrt();
        for _ in 0..2 {
            for other in &found {
                let share = inner(&next, other);
                next.iter_mut().zip(other).for_each(|(x, y)| *x -= share * y);
            }
        }
        let length = inner(&next, &next).sqrt();
        if length.is_nan() || length <= NOTHING * before {
            break;
        }
        next.iter_mut().for_each(|x| *x /= length);
        found.push(next);
    }
    found.remove(0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_orthonormal_and_end_with_the_nodes() {
        // Ten products of numbers of order 1, orthogonalised twice.
        const ROUNDING: f64 = 1e-12;
        let nodes: Vec<f64> = (0..6).map(|k| f64::from(k) * 0.2).collect();
        let masses = [0.05, 0.1, 0.3, 0.3, 0.2, 0.05];
        let found = orthonormal(&nodes, &masses, 9);
        assert_eq!(found.len(), 5, "six nodes carry the constant and five more");
        for (k, x) in found.iter().enumerate() {
            let mean: f64 = x.iter().zip(masses).map(|(x, mass)| x * mass).sum();
            assert!(mean.abs() <= ROUNDING);
            for (l, y) in found.iter().enumerate() {
                let product: f64 = x.iter().zip(y).zip(masses).map(|((x, y), mass)| mass * x * y).sum();
                let expected = if k == l { 1.0 } else { 0.0 };
                assert!((product - expected).abs() <= ROUNDING, "degrees {k} and {l}: {product}");
            }
        }
    }
}
