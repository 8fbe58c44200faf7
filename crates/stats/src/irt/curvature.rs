//! The complete-data information matrix: one 2 x 2 block per item, or an arrow when all items share the discrimination.

use super::Model;

/// A symmetric positive definite matrix over (log a, b) of all items, as sparse as the complete data make it.
///
/// Coordinates are ordered as in the objective: all log discriminations (one when shared), then all difficulties.
#[derive(Clone, Debug)]
pub(super) struct Curvature {
    model: Model,
    /// Per item; with a shared discrimination the first entry alone is used.
    pub slope: Vec<f64>,
    pub mixed: Vec<f64>,
    pub difficulty: Vec<f64>,
}

impl Curvature {
    /// Entries per item; a shared discrimination takes one slope entry.
    pub(super) fn new(model: Model, slope: Vec<f64>, mixed: Vec<f64>, difficulty: Vec<f64>) -> Self {
        Self {
            model,
            slope,
            mixed,
            difficulty,
        }
    }

    /// How many coordinates there are.
    pub(super) fn size(&self) -> usize {
        self.slope.len() + self.difficulty.len()
    }

    /// Whether the matrix is positive definite.
    pub(super) fn is_positive_definite(&self) -> bool {
        let difficulties = self.difficulty.iter().all(|&c| c > 0.0);
        difficulties
            && match self.model {
                Model::OnePl => self.shared_schur() > 0.0,
                Model::TwoPl => (0..self.difficulty.len()).all(|j| self.determinant(j) > 0.0),
            }
    }

    /// Replaces `v` by the solution `x` of `matrix x = v`.
    pub(super) fn solve(&self, v: &mut [f64]) {
        let (slopes, difficulties) = v.split_at_mut(self.slope.len());
        match self.model {
            Model::OnePl => {
                let mut right = slopes[0];
                for (j, q) in difficulties.iter_mut().enumerate() {
                    *q /= self.difficulty[j];
                    right -= self.mixed[j] * *q;
                }
                slopes[0] = right / self.shared_schur();
                for (j, q) in difficulties.iter_mut().enumerate() {
                    *q -= self.mixed[j] / self.difficulty[j] * slopes[0];
                }
            }
            Model::TwoPl => {
                for (j, (p, q)) in slopes.iter_mut().zip(difficulties).enumerate() {
                    let (a, b, c) = (self.slope[j], self.mixed[j], self.difficulty[j]);
                    let determinant = self.determinant(j);
                    (*p, *q) = ((c * *p - b * *q) / determinant, (a * *q - b * *p) / determinant);
                }
            }
        }
    }

    /// The diagonal of the inverse.
    pub(super) fn inverse_diagonal(&self) -> Vec<f64> {
        let items = 0..self.difficulty.len();
        match self.model {
            Model::OnePl => {
                let schur = self.shared_schur();
                let mut diagonal = vec![1.0 / schur];
                diagonal.extend(items.map(|j| {
                    let ratio = self.mixed[j] / self.difficulty[j];
                    1.0 / self.difficulty[j] + ratio * ratio / schur
                }));
                diagonal
            }
            Model::TwoPl => {
                let slopes = items.clone().map(|j| self.difficulty[j] / self.determinant(j));
                let difficulties = items.clone().map(|j| self.slope[j] / self.determinant(j));
                slopes.chain(difficulties).collect()
            }
        }
    }

    /// The matrix written out, row by row.
    pub(super) fn dense(&self) -> Vec<f64> {
        let (slopes, items) = (self.slope.len(), self.difficulty.len());
        let size = slopes + items;
        let mut matrix = vec![0.0; size * size];
        for j in 0..items {
            let (at_slope, at_difficulty) = (j.min(slopes - 1), slopes + j);
            matrix[at_slope * size + at_slope] = self.slope[at_slope];
            matrix[at_slope * size + at_difficulty] = self.mixed[j];
            matrix[at_difficulty * size + at_slope] = self.mixed[j];
            matrix[at_difficulty * size + at_difficulty] = self.difficulty[j];
        }
        matrix
    }

    fn determinant(&self, j: usize) -> f64 {
        self.slope[j] * self.difficulty[j] - self.mixed[j] * self.mixed[j]
    }

    /// What the shared discrimination's entry leaves after the difficulties are eliminated.
    fn shared_schur(&self) -> f64 {
        let eliminated = self.mixed.iter().zip(&self.difficulty);
        self.slope[0] - eliminated.map(|(b, c)| b * b / c).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Well-conditioned systems of six unknowns in double precision.
    const EXACT: f64 = 1e-13;

    fn curvature(model: Model) -> Curvature {
        let slope = match model {
            Model::OnePl => vec![9.0],
            Model::TwoPl => vec![4.0, 5.0, 6.0],
        };
        Curvature::new(model, slope, vec![1.0, -2.0, 0.5], vec![2.0, 3.0, 1.0])
    }

    #[test]
    fn solutions_and_the_inverse_satisfy_the_dense_matrix() {
        for model in [Model::OnePl, Model::TwoPl] {
            let curvature = curvature(model);
            assert!(curvature.is_positive_definite());
            let (size, dense) = (curvature.size(), curvature.dense());
            let diagonal = curvature.inverse_diagonal();
            for k in 0..size {
                let mut x = vec![0.0; size];
                x[k] = 1.0;
                curvature.solve(&mut x);
                assert!((x[k] - diagonal[k]).abs() <= EXACT);
                for row in 0..size {
                    let product: f64 = (0..size).map(|c| dense[row * size + c] * x[c]).sum();
                    let unit = if row == k { 1.0 } else { 0.0 };
                    assert!((product - unit).abs() <= EXACT);
                }
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_found() {
        for model in [Model::OnePl, Model::TwoPl] {
            let mut curvature = curvature(model);
            // More than the square root of slope times difficulty, in either form.
            curvature.mixed[0] = 4.5;
            assert!(!curvature.is_positive_definite());
        }
    }
}
