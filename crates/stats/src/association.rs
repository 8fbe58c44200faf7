//! How two yes-or-no labels go together over the units that have both.

use crate::Undefined;

/// Counts of units by the two labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table2x2 {
    /// Both yes.
    pub both: u64,
    /// The first yes, the second no.
    pub first_only: u64,
    /// The second yes, the first no.
    pub second_only: u64,
    /// Both no.
    pub neither: u64,
}

impl Table2x2 {
    /// Adds a unit.
    pub fn add(&mut self, labels: (bool, bool)) {
        *match labels {
            (true, true) => &mut self.both,
            (true, false) => &mut self.first_only,
            (false, true) => &mut self.second_only,
            (false, false) => &mut self.neither,
        } += 1;
    }

    /// How many units there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.both + self.first_only + self.second_only + self.neither
    }

    /// How many units have equal labels.
    #[must_use]
    pub fn equal(&self) -> u64 {
        self.both + self.neither
    }
}

/// The phi coefficient: the correlation of two yes-or-no labels, in [-1, 1].
///
/// 1 when one label always tells the other, -1 when it tells the opposite, 0 when it tells nothing. Its range shrinks
/// where the two labels are yes at different rates; `equal` of `total` says what share is alike all the same.
///
/// # Errors
/// Undefined when there is no unit, or one of the labels never varies.
///
/// Source: METHODS 20; phi is Pearson's correlation of two binary variables.
pub fn phi(table: &Table2x2) -> Result<f64, Undefined> {
    let [a, b, c, d] = [table.both, table.first_only, table.second_only, table.neither].map(|count| count as f64);
    if table.total() == 0 {
        return Err(Undefined::NoUnits);
    }
    let margins = (a + b) * (c + d) * (a + c) * (b + d);
    if margins == 0.0 {
        return Err(Undefined::NoVariation);
    }
    // Rounding may leave the range by a bit where the two labels are the same.
    Ok(((a * d - b * c) / margins.sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(both: u64, first_only: u64, second_only: u64, neither: u64) -> Table2x2 {
        Table2x2 {
            both,
            first_only,
            second_only,
            neither,
        }
    }

    #[test]
    fn phi_is_the_correlation_of_the_labels() {
        assert_eq!(phi(&table(5, 0, 0, 7)), Ok(1.0));
        assert_eq!(phi(&table(0, 4, 6, 0)), Ok(-1.0));
        assert_eq!(phi(&table(2, 4, 3, 6)), Ok(0.0));
        // (3 * 4 - 1 * 2) / sqrt(4 * 6 * 5 * 5) = 10 / sqrt(600)
        let expected = 10.0 / 600f64.sqrt();
        assert!((phi(&table(3, 1, 2, 4)).expect("both labels vary") - expected).abs() < 1e-15);
    }

    #[test]
    fn without_variation_there_is_no_phi() {
        assert_eq!(phi(&table(0, 0, 0, 0)), Err(Undefined::NoUnits));
        assert_eq!(phi(&table(5, 2, 0, 0)), Err(Undefined::NoVariation));
        assert_eq!(phi(&table(0, 3, 0, 9)), Err(Undefined::NoVariation));
    }
}
