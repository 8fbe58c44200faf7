//! How much two labels agree that are not the same.

use crate::Error;

/// Agreement weights between levels: 1 for equal labels, less for others, down to 0 for none.
///
/// Symmetric. Weights make disagreement by one step cost less than by two: use them where the levels of a scale are ordered.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    levels: usize,
    weights: Vec<f64>,
}

impl Weights {
    /// Labels agree when they are equal: the weights of the unweighted coefficients.
    #[must_use]
    pub fn identity(levels: usize) -> Self {
        Self::from_distance(levels, |distance, _| if distance == 0.0 { 1.0 } else { 0.0 })
    }

    /// Agreement falls in proportion to the steps between two levels: `1 - |c - k| / (levels - 1)`.
    ///
    /// Source: Cicchetti and Allison 1971; what other programs call `linear`.
    #[must_use]
    pub fn linear(levels: usize) -> Self {
        Self::from_distance(levels, |distance, most| 1.0 - distance / most)
    }

    /// Agreement falls with the square of the steps between two levels: `1 - (c - k)^2 / (levels - 1)^2`.
    ///
    /// Source: Fleiss and Cohen 1973; what other programs call `quadratic`.
    #[must_use]
    pub fn quadratic(levels: usize) -> Self {
        Self::from_distance(levels, |distance, most| 1.0 - (distance / most).powi(2))
    }

    /// Any agreement weights, row by row: symmetric, in [0, 1], and 1 on the diagonal.
    ///
    /// # Errors
    /// If the weights do not fill a square, or one breaks these rules.
    ///
    /// Source: Cohen 1968.
    pub fn new(levels: usize, weights: Vec<f64>) -> Result<Self, Error> {
        crate::error::same_length(("weights", weights.len()), ("square", levels * levels))?;
        for (index, &value) in weights.iter().enumerate() {
            let (c, k) = (index / levels, index % levels);
            let range = if c == k && value != 1.0 {
                "1, as the weight of equal labels is"
            } else if !(0.0..=1.0).contains(&value) {
                "between 0 and 1"
            } else if value != weights[k * levels + c] {
                "equal to the weight of the same two levels the other way round"
            } else {
                continue;
            };
            return Err(Error::EntryOutOfRange {
                list: "weights",
                index,
                value,
                range,
            });
        }
        Ok(Self { levels, weights })
    }

    /// Weights from disagreement weights, row by row: symmetric, at least 0, and 0 on the diagonal; the largest means no agreement.
    ///
    /// # Errors
    /// If the weights do not fill a square, one is negative or not finite, or the result breaks the rules of [`Weights::new`].
    ///
    /// Source: Cohen 1968, `1 - v / v_max`.
    pub fn from_disagreement(levels: usize, disagreement: &[f64]) -> Result<Self, Error> {
        crate::error::all_nonnegative("disagreement weights", disagreement)?;
        let most = disagreement.iter().copied().fold(0.0, f64::max);
        let scale = if most > 0.0 { most } else { 1.0 };
        Self::new(levels, disagreement.iter().map(|v| 1.0 - v / scale).collect())
    }

    fn from_distance(levels: usize, weight: impl Fn(f64, f64) -> f64) -> Self {
        let most = levels.saturating_sub(1).max(1) as f64;
        let cells = 0..levels * levels;
        let weights = cells.map(|cell| weight((cell / levels).abs_diff(cell % levels) as f64, most));
        Self {
            levels,
            weights: weights.collect(),
        }
    }

    /// How many levels the scale has.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// How much the labels `c` and `k` agree, in [0, 1].
    ///
    /// # Panics
    /// If there is no such level.
    #[must_use]
    pub fn of(&self, c: usize, k: usize) -> f64 {
        assert!(c < self.levels && k < self.levels, "both are levels of the scale");
        self.weights[c * self.levels + k]
    }

    /// `sum_ck w(c, k) x(c) y(k)`.
    pub(super) fn mean(&self, x: &[f64], y: &[f64]) -> f64 {
        let rows = self.weights.chunks_exact(self.levels.max(1));
        rows.zip(x)
            .map(|(row, x)| x * row.iter().zip(y).map(|(w, y)| w * y).sum::<f64>())
            .sum()
    }

    /// `sum_k w(c, k) x(k)` for each level `c`.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.weights.chunks_exact(self.levels.max(1));
        rows.map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum()).collect()
    }

    /// The sum of all weights.
    pub(super) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Checks that these weights are for a scale of `levels`.
    pub(super) fn check(&self, levels: usize) {
        assert_eq!(self.levels, levels, "the weights are those of the scale");
    }
}
