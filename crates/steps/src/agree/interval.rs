//! Intervals of figures of agreement, and of what two rounds differ by.

use std::collections::BTreeMap;

use calibrant_schema::Undefined;
use calibrant_schema::agreement::{Change, ChangeMethod, Coefficient, Intervals};
use calibrant_stats::Undefined as Kernel;
use calibrant_stats::agreement::{
    AgreementBootstrapOptions, Anova, Difference, Icc, Intraclass, MISSING, PairTable, PairedFlags, Patterns, Ratings,
    Weights, bootstrap_units, brennan_prediger_error, cohen_kappa_error, fleiss_kappa_error, gwet_ac_error,
    krippendorff_alpha_error, normal_interval, percent_agreement_error, student_interval, unpaired_coefficients,
    unpaired_shares, weighted_kappa_error,
};
use calibrant_stats::proportion::wilson_interval;
use calibrant_stats::resample::LEVEL;

use super::figures::{Counted, Labelled, value};
use crate::error::StepError;
use crate::reason::reason;

/// An interval, and how it was made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval {
    pub low: f64,
    pub high: f64,
    pub method: String,
}

impl Interval {
    /// The interval of a share.
    pub fn wilson(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            method: "Wilson".to_owned(),
        }
    }

    fn of(interval: calibrant_stats::resample::Interval, method: &str) -> Self {
        Self {
            low: interval.low,
            high: interval.high,
            method: method.to_owned(),
        }
    }
}

/// How intervals are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Maker {
    pub kind: Intervals,
    pub seed: u64,
    pub replicates: u32,
}

impl Maker {
    /// The 95 % interval of a coefficient that has a value.
    pub fn interval(
        &self,
        coefficient: Coefficient,
        table: &Labelled,
        counted: &Counted,
    ) -> Result<Interval, Undefined> {
        let (alike, units) = (counted.moments.unanimous_with(2), counted.units());
        if is_share_of_units(coefficient, table) {
            let (low, high) = wilson_interval(alike, units).map_err(reason)?;
            return Ok(Interval::wilson(low, high));
        }
        if coefficient == Coefficient::Icc {
            let known = icc(table).map_err(reason)?;
            return known
                .interval
                .map(|known| Interval::of(known, "F distribution"))
                .map_err(reason);
        }
        if alike == units {
            // Neither a formula nor a resample of these labels has any spread: an interval from 1 to 1 would claim certainty.
            return Err(Undefined::new(
                "no_disagreement",
                format!(
                    "all labels agree on the {units} units, which shows no spread: read the interval of raw agreement"
                ),
            ));
        }
        if coefficient == Coefficient::ChanceAgreement {
            return Err(no_interval());
        }
        Ok(self.spread(coefficient, table, counted).map_err(reason)?.0)
    }

    /// The interval of a coefficient with its standard error.
    fn spread(&self, coefficient: Coefficient, table: &Labelled, counted: &Counted) -> Result<(Interval, f64), Kernel> {
        match self.kind {
            Intervals::Analytic => analytic(coefficient, table, counted),
            Intervals::Bootstrap => {
                let kinds = Kinds::of(table);
                let replicates = bootstrap_units(&kinds.units, &self.options(), |drawn| {
                    value(coefficient, table, &kinds.counted(table, drawn))
                })?;
                let interval = Interval::of(replicates.interval, "bootstrap");
                Ok((interval, replicates.standard_error))
            }
        }
    }

    fn options(&self) -> AgreementBootstrapOptions {
        AgreementBootstrapOptions {
            replicates: self.replicates,
            seed: self.seed,
            ..AgreementBootstrapOptions::default()
        }
    }
}

/// Refuses labels that all agree: neither a formula nor a resample of them has any spread, and an interval from 1 to 1 would
/// claim certainty.
fn shows_spread(counted: &Counted) -> Result<(), Undefined> {
    let (alike, units) = (counted.moments.unanimous_with(2), counted.units());
    if alike < units {
        return Ok(());
    }
    Err(Undefined::new(
        "no_disagreement",
        format!("all labels agree on the {units} units, which shows no spread: read the interval of raw agreement"),
    ))
}

/// Whether a coefficient counts units, so that its interval is that of a share.
fn is_share_of_units(coefficient: Coefficient, table: &Labelled) -> bool {
    matches!(
        (coefficient, table.judges),
        (Coefficient::RawAgreement, 2) | (Coefficient::Unanimity, _)
    )
}

/// ICC(2,1) of a table: judges are a sample of judges, and must agree in value.
pub(super) fn icc(table: &Labelled) -> Result<Intraclass, Kernel> {
    let ratings = Ratings::new(table.judges, table.levels, &table.codes).expect("the table was counted before");
    let anova = Anova::of_ratings(&ratings, &table.values).expect("levels have finite values");
    anova?.icc(Icc::AgreementSingle, LEVEL)
}

fn no_interval() -> Undefined {
    Undefined::new("no_interval", "no interval is made for this figure")
}

/// Formulas for large samples.
fn analytic(coefficient: Coefficient, table: &Labelled, counted: &Counted) -> Result<(Interval, f64), Kernel> {
    use Coefficient as C;
    let pair = counted.pair.as_ref().ok_or(Kernel::NoUnitOfTwo);
    let patterns = counted.tally.as_ref().ok_or(Kernel::NoLabels)?.patterns();
    let (identity, quadratic) = (Weights::identity(table.levels), Weights::quadratic(table.levels));
    let alpha = |difference| krippendorff_alpha_error(&patterns, difference);
    let error = match coefficient {
        C::CohenKappa => cohen_kappa_error(pair?)?.standard_error?,
        C::KappaLinear => weighted_kappa_error(pair?, &Weights::linear(table.levels))?.standard_error?,
        C::KappaQuadratic => weighted_kappa_error(pair?, &quadratic)?.standard_error?,
        C::ScottPi | C::FleissKappa => fleiss_kappa_error(&patterns, &identity)?,
        C::AlphaNominal => alpha(Difference::Nominal)?,
        C::AlphaOrdinal => alpha(Difference::Ordinal)?,
        C::AlphaInterval => alpha(Difference::Interval(&table.values))?,
        C::Ac1 => gwet_ac_error(&patterns, &identity)?,
        C::Ac2 => gwet_ac_error(&patterns, &quadratic)?,
        C::Pabak => brennan_prediger_error(&patterns, &identity)?,
        _ => percent_agreement_error(&patterns)?,
    };
    let known = value(coefficient, table, counted)?;
    let interval = match coefficient {
        C::CohenKappa | C::KappaLinear | C::KappaQuadratic => normal_interval(known, error, LEVEL),
        _ => student_interval(known, error, counted.units(), LEVEL),
    };
    Ok((Interval::of(interval, "analytic"), error))
}

/// The distinct rows of labels of a table, and how to count a table that has so many of each.
struct Rows {
    distinct: Vec<Vec<u8>>,
    /// Which pattern of counts each row is, in the order of `template`.
    patterns: Vec<usize>,
    template: Patterns,
}

impl Rows {
    fn of(distinct: Vec<Vec<u8>>, levels: usize) -> Self {
        let counts: Vec<Vec<u16>> = distinct.iter().map(|row| level_counts(row, levels)).collect();
        let flat: Vec<u16> = counts.iter().flatten().copied().collect();
        let template = Patterns::from_counts(levels, &flat).expect("counts fill whole units of the scale");
        let known = template.as_slice();
        let place = |counts: &Vec<u16>| {
            let found = known.binary_search_by(|pattern| pattern.counts.as_ref().cmp(counts));
            found.expect("the pattern was made from this row")
        };
        Self {
            patterns: counts.iter().map(place).collect(),
            distinct,
            template,
        }
    }

    /// Counts of a table with so many units of each row.
    fn counted(&self, judges: usize, levels: usize, units: &[u64]) -> Counted {
        let mut of_pattern = vec![0; self.template.as_slice().len()];
        for (pattern, count) in self.patterns.iter().zip(units) {
            of_pattern[*pattern] += count;
        }
        Counted {
            moments: self.template.moments_of(&of_pattern),
            pair: (judges == 2).then(|| self.pair(levels, units)),
            tally: None,
        }
    }

    fn pair(&self, levels: usize, units: &[u64]) -> PairTable {
        let mut counts = vec![0; levels * levels];
        for (row, count) in self.distinct.iter().zip(units) {
            let (first, second) = (usize::from(row[0]), usize::from(row[1]));
            if first < levels && second < levels {
                counts[first * levels + second] += count;
            }
        }
        PairTable::new(levels, counts).expect("the table is square")
    }
}

/// What is drawn in a bootstrap: clusters of units that belong together, told apart by their labels alone.
struct Kinds {
    /// How often each kind of cluster occurs.
    units: Vec<u64>,
    /// Of each kind, the rows in it and how many of each.
    content: Vec<Vec<(usize, u64)>>,
    rows: Rows,
}

impl Kinds {
    fn of(table: &Labelled) -> Self {
        let mut numbers: BTreeMap<&[u8], usize> = BTreeMap::new();
        for row in table.codes.chunks(table.judges) {
            let next = numbers.len();
            numbers.entry(row).or_insert(next);
        }
        let mut clusters: BTreeMap<u32, BTreeMap<usize, u64>> = BTreeMap::new();
        for (unit, row) in table.codes.chunks(table.judges).enumerate() {
            let cluster = table.clusters.get(unit).copied().unwrap_or(unit as u32);
            *clusters.entry(cluster).or_default().entry(numbers[row]).or_default() += 1;
        }
        let mut kinds: BTreeMap<Vec<(usize, u64)>, u64> = BTreeMap::new();
        for rows in clusters.into_values() {
            *kinds.entry(rows.into_iter().collect()).or_default() += 1;
        }
        let mut distinct = vec![Vec::new(); numbers.len()];
        for (row, number) in &numbers {
            distinct[*number] = row.to_vec();
        }
        let (content, units) = kinds.into_iter().unzip();
        Self {
            units,
            content,
            rows: Rows::of(distinct, table.levels),
        }
    }

    /// The counts of a table that has so many clusters of each kind.
    fn counted(&self, table: &Labelled, drawn: &[u64]) -> Counted {
        let mut of_row = vec![0u64; self.rows.distinct.len()];
        for (rows, times) in self.content.iter().zip(drawn).filter(|(_, times)| **times > 0) {
            for (row, count) in rows {
                of_row[*row] += count * times;
            }
        }
        self.rows.counted(table.judges, table.levels, &of_row)
    }
}

/// How many judges gave each level.
fn level_counts(row: &[u8], levels: usize) -> Vec<u16> {
    let mut counts = vec![0; levels];
    for code in row.iter().filter(|code| usize::from(**code) < levels) {
        counts[usize::from(*code)] += 1;
    }
    counts
}

/// Adds to a change between rounds of other responses its interval, and the difference in standard errors of a difference.
///
/// Source: METHODS 35: `sqrt(SE1^2 + SE2^2)`, which is larger than the error of one sheet.
pub(super) fn unpaired(
    change: &mut Change,
    (before, after): (&Labelled, &Labelled),
    coefficient: Coefficient,
    maker: &Maker,
) -> Result<(), StepError> {
    change.method = ChangeMethod::Unpaired;
    let counts = [before.counted()?, after.counted()?];
    let difference = if is_share_of_units(coefficient, before) && is_share_of_units(coefficient, after) {
        let [first, second] = [&counts[0], &counts[1]].map(|of| (of.moments.unanimous_with(2), of.units()));
        unpaired_shares(first, second).map_err(reason)
    } else {
        let with_error = |table: &Labelled, counted: &Counted| {
            shows_spread(counted)?;
            let (_, error) = maker.spread(coefficient, table, counted).map_err(reason)?;
            Ok((value(coefficient, table, counted).map_err(reason)?, error))
        };
        match (with_error(before, &counts[0]), with_error(after, &counts[1])) {
            (Ok(first), Ok(second)) => Ok(unpaired_coefficients(first, second, LEVEL)),
            (Err(why), _) | (_, Err(why)) => Err(why),
        }
    };
    match difference {
        Ok(difference) => {
            (change.low, change.high) = (Some(difference.interval.low), Some(difference.interval.high));
            (change.z, change.p) = (difference.z.ok(), difference.p_value.ok());
        }
        Err(why) => change.undefined = Some(why),
    }
    Ok(())
}

/// Adds to a change between rounds of the same responses its interval: for a share of responses that of paired shares, with
/// the exact test of McNemar; for the others by drawing responses. `pairs` are the units of one response in both rounds.
///
/// Source: METHODS 35; McNemar 1947.
pub(super) fn paired(
    change: &mut Change,
    (before, after): (&Labelled, &Labelled),
    pairs: &[(usize, usize)],
    coefficient: Coefficient,
    maker: &Maker,
) {
    change.method = ChangeMethod::Paired;
    let row = |table: &Labelled, unit: usize| table.codes[unit * table.judges..][..table.judges].to_vec();
    let mut kinds: BTreeMap<(Vec<u8>, Vec<u8>), u64> = BTreeMap::new();
    for (first, second) in pairs {
        *kinds.entry((row(before, *first), row(after, *second))).or_default() += 1;
    }
    let units: Vec<u64> = kinds.values().copied().collect();
    let (first, second): (Vec<Vec<u8>>, Vec<Vec<u8>>) = kinds.into_keys().unzip();
    if is_share_of_units(coefficient, before) && is_share_of_units(coefficient, after) {
        match changed(&first, &second, &units).difference() {
            Ok(found) => {
                (change.low, change.high) = (Some(found.interval.low), Some(found.interval.high));
                change.p = Some(found.exact_p_value);
            }
            Err(why) => change.undefined = Some(reason(why)),
        }
        return;
    }
    let (first, second) = (Rows::of(first, before.levels), Rows::of(second, after.levels));
    let of = |rows: &Rows, table: &Labelled, drawn: &[u64]| {
        value(coefficient, table, &rows.counted(table.judges, table.levels, drawn))
    };
    let replicates = bootstrap_units(&units, &maker.options(), |drawn| {
        Ok(of(&second, after, drawn)? - of(&first, before, drawn)?)
    });
    match replicates {
        Ok(replicates) => {
            (change.low, change.high) = (Some(replicates.interval.low), Some(replicates.interval.high));
        }
        Err(why) => change.undefined = Some(reason(why)),
    }
}

/// Whether labels were alike before, and whether they are after.
fn changed(first: &[Vec<u8>], second: &[Vec<u8>], units: &[u64]) -> PairedFlags {
    let alike = |row: &Vec<u8>| {
        let mut labels = row.iter().filter(|code| **code != MISSING);
        let known = labels.next();
        labels.all(|label| Some(label) == known)
    };
    let mut flags = PairedFlags::default();
    for ((before, after), units) in first.iter().zip(second).zip(units) {
        *match (alike(before), alike(after)) {
            (true, true) => &mut flags.both,
            (true, false) => &mut flags.only_first,
            (false, true) => &mut flags.only_second,
            (false, false) => &mut flags.neither,
        } += units;
    }
    flags
}
