//! Intraclass correlations: agreement on a scale of numbers, from the analysis of variance of units by judges.

use super::Ratings;
use crate::distribution::{f_quantile, f_upper};
use crate::resample::Interval;
use crate::{Error, Undefined};

/// Which intraclass correlation.
///
/// The source writes ICC(model, k): k = 1 for the label of one judge, k for the mean of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Icc {
    /// ICC(1,1): each unit has judges of its own; one label.
    OneWaySingle,
    /// ICC(2,1), also ICC(A,1): the same judges for all units, drawn from many; they must agree in value; one label.
    AgreementSingle,
    /// ICC(3,1), also ICC(C,1): these very judges; a judge lenient throughout costs nothing; one label.
    ConsistencySingle,
    /// ICC(1,k): as ICC(1,1), for the mean of the labels.
    OneWayMean,
    /// ICC(2,k), also ICC(A,k): as ICC(2,1), for the mean of the labels.
    AgreementMean,
    /// ICC(3,k), also ICC(C,k), Cronbach's alpha: as ICC(3,1), for the mean of the labels.
    ConsistencyMean,
}

/// The analysis of variance of a full table of units by judges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anova {
    /// Units with a label from every judge.
    pub units: usize,
    /// Units left out because a label is missing.
    pub incomplete: usize,
    /// Judges.
    pub judges: usize,
    /// Mean square between units.
    pub between_units: f64,
    /// Mean square between judges.
    pub between_judges: f64,
    /// Mean square within units.
    pub within_units: f64,
    /// Mean square that neither units nor judges explain.
    pub residual: f64,
}

/// An intraclass correlation with its interval and its test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intraclass {
    /// The correlation, at most 1; below 0 where units differ less than chance would make them.
    pub value: f64,
    /// The interval, exact for normal values; that of the agreement forms is approximate. Undefined where labels leave no residual.
    pub interval: Result<Interval, Undefined>,
    /// The F of no correlation.
    pub f: f64,
    /// The chance of a larger F without correlation.
    pub p_value: f64,
}

impl Anova {
    /// The analysis of `values`, unit by unit with one value a judge; NaN is a missing label, and its unit is left out.
    ///
    /// # Errors
    /// If the values do not fill whole units, or one is infinite.
    pub fn of_values(judges: usize, values: &[f64]) -> Result<Result<Self, Undefined>, Error> {
        let whole = values.len().checked_div(judges).unwrap_or(0) * judges;
        crate::error::same_length(("values", values.len()), ("whole units", whole))?;
        crate::error::first_bad("values", values, "finite or missing", |x| !x.is_infinite())?;
        if judges < 2 {
            return Ok(Err(Undefined::TooFewJudges { have: judges, need: 2 }));
        }
        let units = || {
            values
                .chunks_exact(judges)
                .filter(|unit| !unit.iter().any(|x| x.is_nan()))
        };
        Ok(Self::of_units(judges, values.len() / judges, units))
    }

    /// The analysis of labels whose level `l` is worth `levels[l]`.
    ///
    /// # Errors
    /// If there is not a value for each level, or one is not finite.
    pub fn of_ratings(ratings: &Ratings, levels: &[f64]) -> Result<Result<Self, Undefined>, Error> {
        crate::error::same_length(("values", levels.len()), ("levels", ratings.levels()))?;
        crate::error::all_finite("values of levels", levels)?;
        let value = |&code: &u8| levels.get(usize::from(code)).copied().unwrap_or(f64::NAN);
        let values: Vec<f64> = ratings.codes().iter().map(value).collect();
        Self::of_values(ratings.judges(), &values)
    }

    fn of_units<'a, I: Iterator<Item = &'a [f64]>>(
        judges: usize,
        all: usize,
        units: impl Fn() -> I,
    ) -> Result<Self, Undefined> {
        let count = units().count();
        if count < 2 {
            let (have, need) = (count as u64, 2);
            return Err(Undefined::TooFewUnits { have, need });
        }
        let (n, k) = (count as f64, judges as f64);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let grand = units().map(mean).sum::<f64>() / n;
        let mut judge_sums = vec![0.0; judges];
        let (mut of_units, mut within) = (0.0, 0.0);
        for unit in units() {
            let own = mean(unit);
            of_units += (own - grand).powi(2);
            within += unit.iter().map(|x| (x - own).powi(2)).sum::<f64>();
            // Sums of distances from the middle: sums of large values would lose what tells judges apart.
            judge_sums.iter_mut().zip(unit).for_each(|(sum, x)| *sum += x - grand);
        }
        let of_judges = judge_sums.iter().map(|sum| (sum / n).powi(2)).sum::<f64>();
        let (of_units, of_judges) = (k * of_units, n * of_judges);
        if of_units + within == 0.0 {
            return Err(Undefined::NoVariation);
        }
        Ok(Self {
            units: count,
            incomplete: all - count,
            judges,
            between_units: of_units / (n - 1.0),
            between_judges: of_judges / (k - 1.0),
            within_units: within / (n * (k - 1.0)),
            residual: (within - of_judges).max(0.0) / ((n - 1.0) * (k - 1.0)),
        })
    }

    /// One of the six intraclass correlations, with its interval at `level` in (0, 1).
    ///
    /// # Errors
    /// Undefined where units and judges leave nothing to divide by.
    ///
    /// Source: Shrout and Fleiss 1979; the interval of the agreement forms is that of McGraw and Wong 1996, table 7; METHODS 45.
    pub fn icc(&self, form: Icc, level: f64) -> Result<Intraclass, Undefined> {
        let (n, k) = (self.units as f64, self.judges as f64);
        let (units, judges, within, residual) = (
            self.between_units,
            self.between_judges,
            self.within_units,
            self.residual,
        );
        let (above, below) = match form {
            Icc::OneWaySingle => (units - within, units + (k - 1.0) * within),
            Icc::OneWayMean => (units - within, units),
            Icc::AgreementSingle => (
                units - residual,
                units + (k - 1.0) * residual + k * (judges - residual) / n,
            ),
            Icc::AgreementMean => (units - residual, units + (judges - residual) / n),
            Icc::ConsistencySingle => (units - residual, units + (k - 1.0) * residual),
            Icc::ConsistencyMean => (units - residual, units),
        };
        if below == 0.0 {
            return Err(Undefined::NoVariation);
        }
        let (noise, degrees) = match form {
            Icc::OneWaySingle | Icc::OneWayMean => (within, n * (k - 1.0)),
            _ => (residual, (n - 1.0) * (k - 1.0)),
        };
        let f = units / noise;
        let value = above / below;
        let interval = match form {
            _ if noise == 0.0 => Err(Undefined::NoSpread),
            Icc::AgreementSingle => Ok(self.of_agreement(value, level)),
            Icc::AgreementMean => {
                let single = self.icc(Icc::AgreementSingle, level)?.value;
                Ok(stepped(self.of_agreement(single, level), k))
            }
            Icc::OneWaySingle | Icc::ConsistencySingle => Ok(of_ratio(f, n - 1.0, degrees, k, level)),
            Icc::OneWayMean | Icc::ConsistencyMean => Ok(stepped(of_ratio(f, n - 1.0, degrees, k, level), k)),
        };
        Ok(Intraclass {
            value,
            interval,
            f,
            p_value: if noise == 0.0 {
                0.0
            } else {
                f_upper(f, n - 1.0, degrees)
            },
        })
    }

    /// The interval of ICC(2,1), whose degrees of freedom are Satterthwaite's.
    fn of_agreement(&self, value: f64, level: f64) -> Interval {
        let (n, k) = (self.units as f64, self.judges as f64);
        let (units, judges, residual) = (self.between_units, self.between_judges, self.residual);
        let ratio = judges / residual;
        let by_unit = n * (1.0 + (k - 1.0) * value) - k * value;
        let above = (k - 1.0) * (n - 1.0) * (k * value * ratio + by_unit).powi(2);
        let degrees = above / ((n - 1.0) * (k * value * ratio).powi(2) + by_unit.powi(2));
        let upper = 0.5 + 0.5 * level;
        let (f_low, f_high) = (f_quantile(upper, n - 1.0, degrees), f_quantile(upper, degrees, n - 1.0));
        let rest = k * judges + (k * n - k - n) * residual;
        Interval {
            low: n * (units - f_low * residual) / (f_low * rest + n * units),
            high: n * (f_high * units - residual) / (rest + n * f_high * units),
        }
    }
}

/// The interval of an intraclass correlation of one label that is a ratio of two mean squares alone.
fn of_ratio(f: f64, above: f64, below: f64, k: f64, level: f64) -> Interval {
    let upper = 0.5 + 0.5 * level;
    let (low, high) = (f / f_quantile(upper, above, below), f * f_quantile(upper, below, above));
    Interval {
        low: (low - 1.0) / (low + k - 1.0),
        high: (high - 1.0) / (high + k - 1.0),
    }
}

/// From one label to the mean of `k`, by Spearman and Brown.
fn stepped(single: Interval, k: f64) -> Interval {
    let step = |x: f64| k * x / (1.0 + (k - 1.0) * x);
    Interval {
        low: step(single.low),
        high: step(single.high),
    }
}
