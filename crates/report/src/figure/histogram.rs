//! Counts of values in bins of equal width.

/// Bins of equal width between two ends.
pub(super) struct Histogram {
    pub low: f64,
    pub width: f64,
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Counts the finite values; one outside the ends counts in the bin at that end.
    ///
    /// A value on an edge belongs to the bin above it, with an allowance for edges that binary cannot hold: 4/5 is in the bin from .8.
    pub fn of(values: impl IntoIterator<Item = f64>, low: f64, width: f64, bins: usize) -> Self {
        const ALLOWANCE: f64 = 1e-9;
        let mut counts = vec![0; bins];
        for value in values.into_iter().filter(|value| value.is_finite()) {
            let bin = ((value - low) / width + ALLOWANCE).floor().max(0.0) as usize;
            counts[bin.min(bins - 1)] += 1;
        }
        Self { low, width, counts }
    }

    /// The ends of a bin.
    pub fn ends(&self, bin: usize) -> (f64, f64) {
        (
            self.low + bin as f64 * self.width,
            self.low + (bin + 1) as f64 * self.width,
        )
    }

    /// The count of the fullest bin.
    pub fn highest(&self) -> f64 {
        self.counts.iter().copied().max().unwrap_or(0) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_belongs_to_the_bin_above_and_nothing_is_lost() {
        let histogram = Histogram::of([0.8, 4.0 / 5.0, 0.05, 1.0, -3.0, 7.0, f64::NAN], 0.0, 0.05, 20);
        assert_eq!(histogram.counts[16], 2);
        assert_eq!(
            (histogram.counts[0], histogram.counts[1], histogram.counts[19]),
            (1, 1, 2)
        );
        assert_eq!(histogram.counts.iter().sum::<usize>(), 6);
        assert_eq!(histogram.highest(), 2.0);
    }
}
