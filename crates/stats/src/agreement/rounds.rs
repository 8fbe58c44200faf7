//! Whether two rounds of grading differ by more than chance: on other units, or on the same ones.

use std::collections::BTreeMap;

use super::{Agreement, AgreementBootstrapOptions, AgreementReplicates, PairTable, bootstrap_units};
use crate::distribution::{fair_coin_at_most, normal_reach, normal_two_sided};
use crate::proportion::wilson_interval;
use crate::resample::Interval;
use crate::{Error, Undefined};

/// A difference between two estimates that share no unit: the second less the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnpairedDifference {
    /// The second less the first.
    pub difference: f64,
    /// The standard error of the difference: the root of the sum of the squares of both.
    pub standard_error: f64,
    /// The interval of the difference.
    pub interval: Interval,
    /// The difference in standard errors; undefined where the standard error is 0.
    pub z: Result<f64, Undefined>,
    /// The chance of a `z` as far from 0 without a difference; undefined with `z`.
    pub p_value: Result<f64, Undefined>,
}

/// The difference between two shares of different units, such as raw agreement in two rounds: `agreed` of `units` each.
///
/// The standard error of the difference is about the root of 2 larger than that of one round, against which a difference is not to be
/// read. The interval is at .95; it does not need the normal approximation near 0 and 1, z does.
///
/// # Errors
/// Undefined where a round has no unit.
///
/// Source: METHODS 35; the interval is Newcombe 1998a, method 10.
pub fn unpaired_shares(first: (u64, u64), second: (u64, u64)) -> Result<UnpairedDifference, Undefined> {
    let (p, p_low, p_high, p_variance) = share(first)?;
    let (q, q_low, q_high, q_variance) = share(second)?;
    let difference = q - p;
    let interval = Interval {
        low: difference - (q - q_low).hypot(p_high - p),
        high: difference + (q_high - q).hypot(p - p_low),
    };
    Ok(unpaired(difference, (p_variance + q_variance).sqrt(), interval))
}

/// The difference between two coefficients with known standard errors whose rounds share no unit, with its interval at `level`.
///
/// Each estimate is a value and its standard error.
///
/// Source: METHODS 34, 35.
#[must_use]
pub fn unpaired_coefficients(first: (f64, f64), second: (f64, f64), level: f64) -> UnpairedDifference {
    let (difference, error) = (second.0 - first.0, first.1.hypot(second.1));
    let reach = error * normal_reach(level);
    let interval = Interval {
        low: difference - reach,
        high: difference + reach,
    };
    unpaired(difference, error, interval)
}

fn unpaired(difference: f64, standard_error: f64, interval: Interval) -> UnpairedDifference {
    let z = if standard_error > 0.0 {
        Ok(difference / standard_error)
    } else {
        Err(Undefined::NoSpread)
    };
    UnpairedDifference {
        difference,
        standard_error,
        interval,
        z,
        p_value: z.map(normal_two_sided),
    }
}

fn share((hits, units): (u64, u64)) -> Result<(f64, f64, f64, f64), Undefined> {
    let (low, high) = wilson_interval(hits, units)?;
    let n = units as f64;
    let p = hits.min(units) as f64 / n;
    Ok((p, low, high, p * (1.0 - p) / n))
}

/// Two yes-or-no answers about the same units, such as "did the judges agree" in two rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairedFlags {
    /// Units with yes both times.
    pub both: u64,
    /// Units with yes the first time only.
    pub only_first: u64,
    /// Units with yes the second time only.
    pub only_second: u64,
    /// Units with no both times.
    pub neither: u64,
}

/// The difference between two shares of the same units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedDifference {
    /// The second share less the first.
    pub difference: f64,
    /// Its interval at .95.
    pub interval: Interval,
    /// The exact two-sided p-value of no difference: units that changed are throws of a fair coin.
    pub exact_p_value: f64,
    /// The mid-p value: the exact one less half the chance of what was seen. Less conservative, and the one to report.
    pub mid_p_value: f64,
}

impl PairedFlags {
    /// Counts two lists of flags of one length.
    ///
    /// # Errors
    /// If the lists differ in length.
    pub fn of(first: &[bool], second: &[bool]) -> Result<Self, Error> {
        crate::error::same_length(("the first round", first.len()), ("the second round", second.len()))?;
        let mut flags = Self::default();
        for pair in first.iter().zip(second) {
            *match pair {
                (true, true) => &mut flags.both,
                (true, false) => &mut flags.only_first,
                (false, true) => &mut flags.only_second,
                (false, false) => &mut flags.neither,
            } += 1;
        }
        Ok(flags)
    }

    /// How many units there are.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// The difference between the two shares, with McNemar's test in its exact and mid-p forms.
    ///
    /// # Errors
    /// Undefined without a unit.
    ///
    /// Source: McNemar 1947; Fagerland, Lydersen and Laake 2013 (mid-p); the interval is Newcombe 1998b, method 10; METHODS 35.
    pub fn difference(&self) -> Result<PairedDifference, Undefined> {
        let n = self.units();
        let (q, q_low, q_high, _) = share((self.both + self.only_second, n))?;
        let (p, p_low, p_high, _) = share((self.both + self.only_first, n))?;
        let difference = (self.only_second as f64 - self.only_first as f64) / n as f64;
        let together = self.corrected_phi();
        let reach = |x: f64, y: f64| (x * x - 2.0 * together * x * y + y * y).max(0.0).sqrt();
        let (exact_p_value, mid_p_value) = self.mcnemar();
        Ok(PairedDifference {
            difference,
            interval: Interval {
                low: difference - reach(q - q_low, p_high - p),
                high: difference + reach(q_high - q, p - p_low),
            },
            exact_p_value,
            mid_p_value,
        })
    }

    fn mcnemar(&self) -> (f64, f64) {
        let changed = self.only_first + self.only_second;
        let fewer = self.only_first.min(self.only_second) as i64;
        let at_most = fair_coin_at_most(fewer, changed);
        let exactly = at_most - fair_coin_at_most(fewer - 1, changed);
        if self.only_first == self.only_second {
            return (1.0, 1.0);
        }
        ((2.0 * at_most).min(1.0), 2.0 * at_most - exactly)
    }

    /// The correlation of the two flags, pulled towards 0 where it is positive; 0 where a share is 0 or 1.
    fn corrected_phi(&self) -> f64 {
        let [a, b, c, d] = [self.both, self.only_first, self.only_second, self.neither].map(|n| n as f64);
        let margins = (a + b) * (c + d) * (a + c) * (b + d);
        let cross = a * d - b * c;
        match cross > 0.0 {
            _ if margins == 0.0 => 0.0,
            true => (cross - (a + b + c + d) / 2.0).max(0.0) / margins.sqrt(),
            false => cross / margins.sqrt(),
        }
    }
}

/// Two rounds of the same two judges on the same units, for differences of coefficients that chance enters.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedRounds {
    levels: [usize; 2],
    /// The distinct ways to label a unit in both rounds, in ascending order, and how many units each has.
    ways: Vec<([u8; 4], u64)>,
}

impl PairedRounds {
    /// Codes of judges A and B in the first round and again in the second, unit by unit; a code of `levels` or more is missing.
    ///
    /// The scales may differ in levels.
    ///
    /// # Errors
    /// If the lists differ in length.
    pub fn new(levels: [usize; 2], first: [&[u8]; 2], second: [&[u8]; 2]) -> Result<Self, Error> {
        let columns = [first[0], first[1], second[0], second[1]];
        for column in columns {
            crate::error::same_length(("a judge's round", column.len()), ("judge A's first", first[0].len()))?;
        }
        let mut ways: BTreeMap<[u8; 4], u64> = BTreeMap::new();
        for unit in 0..first[0].len() {
            *ways.entry(columns.map(|column| column[unit])).or_default() += 1;
        }
        let ways = ways.into_iter().collect();
        Ok(Self { levels, ways })
    }

    /// The tables of both rounds.
    #[must_use]
    pub fn tables(&self) -> [PairTable; 2] {
        let units: Vec<u64> = self.ways.iter().map(|(_, units)| *units).collect();
        self.tables_of(&units)
    }

    /// The second round's coefficient less the first's, such as [`cohen_kappa`](super::cohen_kappa) of both, by a bootstrap that draws
    /// the same units for both.
    ///
    /// # Errors
    /// As [`bootstrap_units`], and where a round has no value.
    ///
    /// Source: METHODS 34, 35.
    pub fn difference(
        &self,
        options: &AgreementBootstrapOptions,
        coefficient: impl Fn(&PairTable) -> Result<Agreement, Undefined> + Sync,
    ) -> Result<(f64, AgreementReplicates), Undefined> {
        let of = |tables: [PairTable; 2]| Ok(coefficient(&tables[1])?.value? - coefficient(&tables[0])?.value?);
        let found = of(self.tables())?;
        let units: Vec<u64> = self.ways.iter().map(|(_, units)| *units).collect();
        let replicates = bootstrap_units(&units, options, |units| of(self.tables_of(units)))?;
        Ok((found, replicates))
    }

    fn tables_of(&self, units: &[u64]) -> [PairTable; 2] {
        [0, 1].map(|round| {
            let levels = self.levels[round];
            let mut counts = vec![0; levels * levels];
            for ((codes, _), &units) in self.ways.iter().zip(units) {
                let (a, b) = (usize::from(codes[2 * round]), usize::from(codes[2 * round + 1]));
                if a < levels && b < levels {
                    counts[a * levels + b] += units;
                }
            }
            PairTable::of_counts(levels, counts)
        })
    }
}
