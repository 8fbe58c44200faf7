//! Coefficients of one table of labels: which ones it has, their values, and the rows they become.

use calibrant_schema::agreement::{Coefficient, CoefficientRow, Scope};
use calibrant_schema::{Scale, Undefined};
use calibrant_stats::Undefined as Kernel;
use calibrant_stats::agreement::{
    Agreement, Difference, MISSING, Moments, PairTable, Ratings, Tally, Weights, brennan_prediger, cohen_kappa,
    fleiss_kappa, gwet_ac, krippendorff_alpha, percent_agreement, scott_pi, unanimity, weighted_kappa,
};

use super::interval::Interval;
use super::sheet::{Sheet, WholeAnswers};
use crate::calibrate::statistics;
use crate::error::StepError;
use crate::reason::reason;

/// What the labels of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two levels.
    Binary,
    /// Levels in an order.
    Graded,
    /// Categories without an order whose number is not a scale's: patterns of whole answers.
    Patterns,
}

/// A table of labels as kernels read it.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    pub kind: Kind,
    pub judges: usize,
    pub levels: usize,
    /// By unit and judge; [`MISSING`] where there is no label.
    pub codes: Vec<u8>,
    /// What each level is worth, where levels are worth something.
    pub values: Vec<f64>,
    /// The response of each unit, where several units of one response are in the table; else none.
    pub clusters: Vec<u32>,
    /// What keeps chance from being taken out, as in patterns of other criteria.
    pub no_chance: Option<Undefined>,
}

impl Labelled {
    /// The labels of a sheet, of the judges in these columns.
    pub fn of_sheet(sheet: &Sheet, judges: &[usize]) -> Self {
        let codes = sheet.labels(judges).into_iter().map(|level| level.unwrap_or(MISSING));
        Self::of_codes(&sheet.scale, judges.len(), codes.collect())
    }

    /// Labels on a scale.
    pub fn of_codes(scale: &Scale, judges: usize, codes: Vec<u8>) -> Self {
        let levels = scale.level_count();
        Self {
            kind: if levels == 2 { Kind::Binary } else { Kind::Graded },
            judges,
            levels,
            codes,
            values: (0..levels).map(|level| scale.value(level as u8)).collect(),
            clusters: Vec::new(),
            no_chance: None,
        }
    }

    /// Whole answers of the judges in these columns.
    ///
    /// Where patterns of different responses cannot be compared, or are more than a code holds, they are numbered within
    /// each response: that says who agrees, and leaves nothing to take chance from.
    pub fn of_whole(whole: &WholeAnswers, judges: &[usize]) -> Self {
        let row = |row: &[Option<u32>]| -> Vec<Option<u32>> { judges.iter().map(|judge| row[*judge]).collect() };
        let no_chance = if !whole.same_criteria {
            Some(Undefined::new(
                "other_criteria",
                "responses are asked different criteria, so whole answers are no common categories",
            ))
        } else if whole.categories >= usize::from(MISSING) {
            Some(Undefined::new(
                "many_patterns",
                format!(
                    "{} patterns of whole answers are too many for categories",
                    whole.categories
                ),
            ))
        } else {
            None
        };
        let code = |row: Vec<Option<u32>>| -> Vec<u8> {
            let number = |pattern: u32| match &no_chance {
                None => pattern as u8,
                Some(_) => row.iter().position(|other| *other == Some(pattern)).unwrap_or(0) as u8,
            };
            row.iter().map(|pattern| pattern.map_or(MISSING, number)).collect()
        };
        Self {
            kind: Kind::Patterns,
            judges: judges.len(),
            levels: match &no_chance {
                None => whole.categories.max(1),
                Some(_) => judges.len().max(1),
            },
            codes: whole.rows().flat_map(|said| code(row(said))).collect(),
            values: Vec::new(),
            clusters: Vec::new(),
            no_chance,
        }
    }

    /// Several tables of the same judges as one, each with the number of the response of each of its units; none where
    /// their scales differ.
    pub fn pooled<'a>(tables: impl IntoIterator<Item = (&'a Self, Vec<u32>)>) -> Option<Self> {
        let mut tables = tables.into_iter();
        let (first, clusters) = tables.next()?;
        let mut pooled = first.clone();
        pooled.clusters = clusters;
        for (table, clusters) in tables {
            if (table.levels, &table.values) != (pooled.levels, &pooled.values) {
                return None;
            }
            pooled.codes.extend_from_slice(&table.codes);
            pooled.clusters.extend(clusters);
        }
        Some(pooled)
    }

    /// Everything that coefficients need, counted.
    pub fn counted(&self) -> Result<Counted, StepError> {
        let ratings = Ratings::new(self.judges, self.levels, &self.codes).map_err(statistics)?;
        let tally = ratings.tally();
        Ok(Counted {
            moments: tally.moments(),
            pair: match self.judges {
                2 => Some(tally.pair(0, 1).map_err(statistics)?),
                _ => None,
            },
            tally: Some(tally),
        })
    }

    /// The figures that this table has when all its judges are taken together.
    pub fn coefficients(&self) -> Vec<Coefficient> {
        use Coefficient as C;
        let mut list = vec![C::RawAgreement];
        if self.judges > 2 {
            list.push(C::Unanimity);
        }
        list.push(C::ChanceAgreement);
        list.extend(match self.judges {
            0..=2 => [C::CohenKappa, C::ScottPi].as_slice(),
            _ => &[C::FleissKappa],
        });
        if self.kind == Kind::Graded && self.judges == 2 {
            list.extend([C::KappaLinear, C::KappaQuadratic]);
        }
        list.extend(match self.kind {
            Kind::Binary => [C::AlphaNominal, C::Ac1, C::Pabak].as_slice(),
            Kind::Graded => &[C::AlphaOrdinal, C::AlphaInterval, C::Ac2, C::Icc],
            Kind::Patterns => &[C::AlphaNominal],
        });
        list
    }

    /// The figures of two of many judges.
    pub fn pair_coefficients(&self) -> Vec<Coefficient> {
        use Coefficient as C;
        let mut list = vec![C::RawAgreement, C::CohenKappa, C::ScottPi];
        if self.kind == Kind::Graded {
            list.push(C::KappaQuadratic);
        }
        list
    }
}

/// Counts of a table.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// Counts of everything, where they were made from labels and not drawn.
    pub tally: Option<Tally>,
    pub moments: Moments,
    /// Who said what, where two judges are all there are.
    pub pair: Option<PairTable>,
}

impl Counted {
    /// Units with two labels or more.
    pub fn units(&self) -> u64 {
        self.moments.units_with(2)
    }

    /// Share of the labels that are the upper of two levels, among those that [`Counted::beyond_chance`] counts.
    pub fn share_met(&self) -> f64 {
        match &self.pair {
            Some(pair) if pair.units() > 0 => (pair.rows()[1] + pair.columns()[1]) as f64 / (2 * pair.units()) as f64,
            _ => self.moments.shares().map_or(0.0, |shares| shares[1]),
        }
    }

    /// Agreement beyond that of shared label shares, with its parts: Scott's pi of two judges, Fleiss' kappa of more.
    ///
    /// Of two judges only units that both labelled count. With gaps the two differ, and Fleiss' kappa may fall below -1.
    pub fn beyond_chance(&self, levels: usize) -> Result<Agreement, Kernel> {
        match &self.pair {
            Some(pair) => scott_pi(pair),
            None => fleiss_kappa(&self.moments, &Weights::identity(levels)),
        }
    }
}

/// The value of a coefficient.
pub(super) fn value(coefficient: Coefficient, table: &Labelled, counted: &Counted) -> Result<f64, Kernel> {
    use Coefficient as C;
    let moments = &counted.moments;
    let pair = counted.pair.as_ref().ok_or(Kernel::NoUnitOfTwo);
    let alpha = |difference| krippendorff_alpha(moments, difference)?.value;
    match coefficient {
        C::RawAgreement => percent_agreement(moments),
        C::Unanimity => unanimity(moments),
        C::ChanceAgreement => Ok(counted.beyond_chance(table.levels)?.expected),
        C::CohenKappa => cohen_kappa(pair?)?.value,
        C::ScottPi => scott_pi(pair?)?.value,
        C::KappaLinear => weighted_kappa(pair?, &Weights::linear(table.levels))?.value,
        C::KappaQuadratic => weighted_kappa(pair?, &Weights::quadratic(table.levels))?.value,
        C::FleissKappa => fleiss_kappa(moments, &Weights::identity(table.levels))?.value,
        C::AlphaNominal => alpha(Difference::Nominal),
        C::AlphaOrdinal => alpha(Difference::Ordinal),
        C::AlphaInterval => alpha(Difference::Interval(&table.values)),
        C::Ac1 => gwet_ac(moments, &Weights::identity(table.levels))?.value,
        C::Ac2 => gwet_ac(moments, &Weights::quadratic(table.levels))?.value,
        C::Pabak => brennan_prediger(moments, &Weights::identity(table.levels))?.value,
        C::Icc => Ok(super::interval::icc(table)?.value),
        C::Sensitivity | C::Specificity | C::Leniency | C::PassRateDifference => Err(Kernel::NoUnits),
    }
}

/// What a row is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub scope: Scope,
    pub criterion: Option<&'a str>,
    pub judges: &'a [String],
}

impl About<'_> {
    /// A row of a figure with its interval, or the reasons there is none.
    pub fn row(
        &self,
        coefficient: Coefficient,
        units: u64,
        value: Result<f64, Undefined>,
        interval: Result<Interval, Undefined>,
    ) -> CoefficientRow {
        let (known, interval) = match &value {
            Ok(known) => (Some(*known), interval),
            Err(why) => (None, Err(why.clone())),
        };
        CoefficientRow {
            scope: self.scope,
            criterion: self.criterion.map(str::to_owned),
            judges: self.judges.to_vec(),
            coefficient,
            units,
            value: known,
            low: interval.as_ref().ok().map(|interval| interval.low),
            high: interval.as_ref().ok().map(|interval| interval.high),
            method: interval.as_ref().ok().map(|interval| interval.method.clone()),
            undefined: interval.err(),
        }
    }
}

/// Rows of some coefficients of a table.
pub(super) fn rows(
    about: About<'_>,
    table: &Labelled,
    coefficients: &[Coefficient],
    intervals: &super::interval::Maker,
) -> Result<Vec<CoefficientRow>, StepError> {
    let counted = table.counted()?;
    let row = |coefficient: &Coefficient| {
        let wants_chance = !matches!(coefficient, Coefficient::RawAgreement | Coefficient::Unanimity);
        let known = match &table.no_chance {
            Some(why) if wants_chance => Err(why.clone()),
            _ => value(*coefficient, table, &counted).map_err(reason),
        };
        let interval = match &known {
            Ok(_) => intervals.interval(*coefficient, table, &counted),
            Err(why) => Err(why.clone()),
        };
        about.row(*coefficient, counted.units(), known, interval)
    };
    Ok(coefficients.iter().map(row).collect())
}
