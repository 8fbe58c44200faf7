//! The sums over units that every point estimate of a panel's agreement is made of.

use super::ratings::{MISSING, check_shape};
use crate::{Error, Undefined};

/// Sums over units, apart for each number of labels a unit has: fixed memory, whole numbers, any number of units.
///
/// They grow with the judges and the square of the levels alone. A [`Tally`](super::Tally) keeps more (who said what, and what
/// standard errors need) and gives these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    levels: usize,
    sizes: Vec<Sums>,
}

/// Sums over the units that have one number of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sums {
    units: u64,
    unanimous: u64,
    labels: Vec<u64>,
    products: Vec<u64>,
}

impl Moments {
    /// No unit yet of up to `judges` labels on a scale of `levels`.
    ///
    /// # Errors
    /// If there is no judge, or no or too many levels.
    pub fn new(judges: usize, levels: usize) -> Result<Self, Error> {
        check_shape(judges, levels)?;
        Ok(Self::sized(judges, levels))
    }

    pub(super) fn sized(judges: usize, levels: usize) -> Self {
        let none = Sums {
            units: 0,
            unanimous: 0,
            labels: vec![0; levels],
            products: vec![0; levels * levels],
        };
        Self {
            levels,
            sizes: vec![none; judges + 1],
        }
    }

    /// Adds one unit, a code for each judge.
    ///
    /// # Errors
    /// If there are more codes than judges, or one is neither a level nor [`MISSING`].
    pub fn push(&mut self, codes: &[u8]) -> Result<(), Error> {
        let mut counts = vec![0u16; self.levels];
        for (index, &code) in codes.iter().enumerate() {
            match counts.get_mut(usize::from(code)) {
                Some(count) => *count += 1,
                None if code == MISSING => {}
                None => {
                    return Err(Error::NoSuchIndex {
                        what: "level",
                        index: usize::from(codes[index]),
                        count: self.levels,
                    });
                }
            }
        }
        crate::error::same_length(("a unit", codes.len()), ("the panel", self.judges()))?;
        self.add_counts(&counts, 1);
        Ok(())
    }

    /// Adds `units` units of which each level has these many labels.
    pub(super) fn add_counts(&mut self, counts: &[u16], units: u64) {
        if units == 0 {
            return;
        }
        let labels: usize = counts.iter().map(|&n| usize::from(n)).sum();
        let sums = &mut self.sizes[labels];
        sums.units += units;
        sums.unanimous += if counts.iter().any(|&n| n > 0 && usize::from(n) == labels) {
            units
        } else {
            0
        };
        for ((&of_c, sum), row) in counts
            .iter()
            .zip(&mut sums.labels)
            .zip(sums.products.chunks_exact_mut(self.levels))
            .filter(|((of_c, _), _)| **of_c > 0)
        {
            let of_c = u64::from(of_c) * units;
            *sum += of_c;
            for (product, &of_k) in row.iter_mut().zip(counts) {
                *product += of_c * u64::from(of_k);
            }
        }
    }

    /// Adds the units of another part.
    ///
    /// # Errors
    /// If the parts differ in judges or levels.
    pub fn merge(&mut self, part: &Self) -> Result<(), Error> {
        crate::error::same_length(("the panel", self.judges()), ("the part's panel", part.judges()))?;
        crate::error::same_length(("the scale", self.levels), ("the part's scale", part.levels))?;
        let add = |whole: &mut [u64], part: &[u64]| whole.iter_mut().zip(part).for_each(|(w, p)| *w += p);
        for (whole, part) in self.sizes.iter_mut().zip(&part.sizes) {
            whole.units += part.units;
            whole.unanimous += part.unanimous;
            add(&mut whole.labels, &part.labels);
            add(&mut whole.products, &part.products);
        }
        Ok(())
    }

    /// The most labels a unit can have.
    #[must_use]
    pub fn judges(&self) -> usize {
        self.sizes.len() - 1
    }

    /// How many levels the scale has.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// How many units have at least `least` labels.
    #[must_use]
    pub fn units_with(&self, least: usize) -> u64 {
        self.sizes.iter().skip(least).map(|sums| sums.units).sum()
    }

    /// How many units have at least `least` labels, all of them alike.
    #[must_use]
    pub fn unanimous_with(&self, least: usize) -> u64 {
        self.sizes.iter().skip(least).map(|sums| sums.unanimous).sum()
    }

    /// How many labels of each level units of at least `least` labels have.
    #[must_use]
    pub fn labels_with(&self, least: usize) -> Vec<u64> {
        let mut total = vec![0; self.levels];
        for sums in self.sizes.iter().skip(least) {
            total.iter_mut().zip(&sums.labels).for_each(|(total, n)| *total += n);
        }
        total
    }

    /// The coincidence matrix, row by row: how often two labels of one unit, by different judges, are `c` and `k`, each unit of `m`
    /// labels with the weight `1 / (m - 1)`, so that its row sums count the labels of units with two or more.
    ///
    /// Source: Krippendorff 2011.
    #[must_use]
    pub fn coincidences(&self) -> Vec<f64> {
        let mut matrix = vec![0.0; self.levels * self.levels];
        for (m, sums) in self.sizes.iter().enumerate().skip(2) {
            for (cell, entry) in matrix.iter_mut().enumerate() {
                let (c, k) = (cell / self.levels, cell % self.levels);
                let same = if c == k { sums.labels[c] } else { 0 };
                *entry += (sums.products[cell] - same) as f64 / (m - 1) as f64;
            }
        }
        matrix
    }

    /// The share of ordered pairs of labels of one unit that agree, under `weight(c, k)` with 1 on the diagonal: the mean over
    /// units with two labels or more.
    pub(super) fn observed(&self, weight: impl Fn(usize, usize) -> f64) -> Result<f64, Undefined> {
        let units = self.units_with(2);
        if units == 0 {
            return Err(Undefined::NoUnitOfTwo);
        }
        let mut sum = 0.0;
        for (m, sums) in self.sizes.iter().enumerate().skip(2).filter(|(_, sums)| sums.units > 0) {
            let alike: f64 = (0..self.levels * self.levels)
                .map(|cell| weight(cell / self.levels, cell % self.levels) * sums.products[cell] as f64)
                .sum();
            let labels: u64 = sums.labels.iter().sum();
            sum += (alike - labels as f64) / (m * (m - 1)) as f64;
        }
        Ok(sum / units as f64)
    }

    /// The share of each level: the mean over units with a label of the share it has on the unit.
    ///
    /// # Errors
    /// Undefined without a label.
    ///
    /// Source: Gwet 2014; equal to the share among all labels where units have equally many.
    pub fn shares(&self) -> Result<Vec<f64>, Undefined> {
        let units = self.units_with(1);
        if units == 0 {
            return Err(Undefined::NoLabels);
        }
        let mut shares = vec![0.0; self.levels];
        for (m, sums) in self.sizes.iter().enumerate().skip(1) {
            for (share, &labels) in shares.iter_mut().zip(&sums.labels) {
                *share += labels as f64 / m as f64;
            }
        }
        shares.iter_mut().for_each(|share| *share /= units as f64);
        Ok(shares)
    }

    /// Whether one level takes every label of the units with at least `least` labels.
    pub(super) fn one_label(&self, least: usize) -> bool {
        self.labels_with(least).iter().filter(|&&n| n > 0).count() <= 1
    }
}
