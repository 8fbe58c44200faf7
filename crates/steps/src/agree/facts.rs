//! What is counted before anything is corrected for chance: units, labels by judge, what carries no label, disagreements
//! by size.

use std::collections::BTreeMap;

use calibrant_schema::agreement::{CriterionFacts, Precision, PrevalenceRow, SizeRow, WithoutLabel};
use calibrant_schema::undefined::Undefined;
use calibrant_schema::{Scale, Status, Verdicts};
use calibrant_stats::agreement::planner::standard_error;
use calibrant_stats::proportion::wilson_interval;

use super::sheet::{Sheet, Statement, WholeAnswers};

/// Counts of one criterion.
pub(super) fn criterion_facts(sheet: &Sheet) -> CriterionFacts {
    let counted = |what: &dyn Fn(&[Statement]) -> bool| sheet.rows().filter(|row| what(row)).count() as u64;
    let labels = |row: &[Statement]| row.iter().filter(|said| said.level().is_some()).count();
    let not_applicable = |row: &[Statement]| row.iter().filter(|said| **said == Statement::NotApplicable).count();
    CriterionFacts {
        criterion: sheet.criterion.clone(),
        queries: sheet.queries,
        units: counted(&|row| labels(row) >= 2),
        complete: counted(&|row| labels(row) == sheet.judges),
        not_applicable: counted(&|row| not_applicable(row) > 0),
        not_applicable_alike: counted(&|row| not_applicable(row) >= 2 && labels(row) == 0),
        levels: levels(&sheet.scale),
    }
}

/// Level values of a scale that is not {0, 1}.
pub(super) fn levels(scale: &Scale) -> Option<Vec<f64>> {
    match scale {
        Scale::Binary => None,
        Scale::Levels(levels) => Some(levels.iter().map(|level| level.value).collect()),
    }
}

/// How often each judge says that the criterion is met, on the units it labelled.
pub(super) fn prevalence(sheet: &Sheet, judges: &[String]) -> Vec<PrevalenceRow> {
    let row = |(at, judge): (usize, &String)| {
        let mut counts = vec![0u64; sheet.scale.level_count()];
        for level in sheet.rows().filter_map(|row| row[at].level()) {
            counts[usize::from(level)] += 1;
        }
        let labels: u64 = counts.iter().sum();
        let met = |(level, count): (u8, &u64)| if sheet.scale.passes(level) { *count } else { 0 };
        let met: u64 = (0u8..).zip(&counts).map(met).sum();
        let interval = wilson_interval(met, labels).ok();
        PrevalenceRow {
            criterion: sheet.criterion.clone(),
            judge: judge.clone(),
            labels,
            met,
            levels: counts,
            prevalence: (labels > 0).then(|| met as f64 / labels as f64),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        }
    };
    judges.iter().enumerate().map(row).collect()
}

/// Verdicts that carry no label, by criterion, judge and status.
pub(super) fn without_label(verdicts: &Verdicts) -> Vec<WithoutLabel> {
    let mut counts: BTreeMap<(u32, u32, Status), u64> = BTreeMap::new();
    for row in verdicts.rows().filter(|row| row.status != Status::Ok) {
        let criterion = verdicts.items()[row.item as usize].criterion;
        *counts.entry((criterion, row.judge, row.status)).or_default() += 1;
    }
    let rows = counts.iter().map(|((criterion, judge, status), count)| WithoutLabel {
        criterion: verdicts.criteria().get(*criterion).to_owned(),
        judge: verdicts.judges().get(*judge).to_owned(),
        status: status.as_str().to_owned(),
        verdicts: *count,
    });
    rows.collect()
}

/// Pairs of labels on a graded criterion by the levels they join, agreements first, then by how far they are apart.
///
/// Source: METHODS 39, 129.
pub(super) fn sizes(sheet: &Sheet) -> Vec<SizeRow> {
    if sheet.scale == Scale::Binary {
        return Vec::new();
    }
    let mut counts: BTreeMap<(u8, u8), u64> = BTreeMap::new();
    for row in sheet.rows() {
        let labels: Vec<u8> = row.iter().filter_map(|said| said.level()).collect();
        for (at, first) in labels.iter().enumerate() {
            for second in &labels[at + 1..] {
                *counts
                    .entry(((*first).min(*second), (*first).max(*second)))
                    .or_default() += 1;
            }
        }
    }
    let mut rows: Vec<((u8, u8), u64)> = counts.into_iter().collect();
    rows.sort_by_key(|((lower, higher), _)| (higher - lower, *lower));
    let row = |((lower, higher), count): ((u8, u8), u64)| SizeRow {
        criterion: sheet.criterion.clone(),
        size: u64::from(higher - lower),
        lower: sheet.scale.value(lower),
        higher: sheet.scale.value(higher),
        count,
    };
    rows.into_iter().map(row).collect()
}

/// What this many responses can show of raw agreement on whole answers (METHODS 29).
pub(super) fn precision(whole: &WholeAnswers, agreement: Result<f64, Undefined>) -> Precision {
    let responses = whole.comparable();
    let share = agreement.as_ref().ok().copied();
    Precision {
        responses,
        agreement: share,
        standard_error: share.and_then(|p| standard_error(p, responses).ok()),
        to_halve: 4 * responses,
        to_quarter: 16 * responses,
        undefined: agreement.err(),
    }
}
