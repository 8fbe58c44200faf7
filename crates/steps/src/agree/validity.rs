//! Judges against trusted labels, and against themselves: two things that agreement between judges is not.

use std::collections::BTreeMap;

use calibrant_schema::Verdicts;
use calibrant_schema::agreement::{Coefficient, CoefficientRow, Scope};
use calibrant_schema::undefined::Undefined;
use calibrant_schema::verdicts::{ANY_SYSTEM, Item};
use calibrant_stats::Undefined as Kernel;
use calibrant_stats::agreement::{MISSING, PairTable, Share, against_gold, cohen_kappa};

use super::figures::{About, Kind, Labelled, rows};
use super::interval::{Interval, Maker};
use super::sheet::{Response, Sheet};
use crate::calibrate::statistics;
use crate::consensus::{Tie, for_each_cell, judge_labels};
use crate::error::StepError;
use crate::reason::reason;

/// Trusted labels in the codes of the panel: whether the criterion is met.
pub(super) struct Gold {
    /// By query, criterion, system and sample.
    named: BTreeMap<(u32, u32, u32, u32), bool>,
    /// By query and criterion, where the label holds for every system.
    any: BTreeMap<(u32, u32), bool>,
    /// Labels there are, and those of them that speak of a cell of the panel.
    pub all: usize,
    pub matched: usize,
}

impl Gold {
    /// Several gold judges decide by majority.
    pub fn new(gold: &Verdicts, panel: &Verdicts) -> Self {
        let mut known = Self {
            named: BTreeMap::new(),
            any: BTreeMap::new(),
            all: 0,
            matched: 0,
        };
        for_each_cell(gold, |at, cell| {
            let item = gold.items()[at as usize];
            let scale = gold.scale(item.criterion);
            let votes = judge_labels(cell, scale, Tie::Lower);
            if votes.is_empty() {
                return;
            }
            let met = 2 * votes.iter().filter(|vote| scale.passes(vote.level)).count() > votes.len();
            known.all += 1;
            known.matched += usize::from(
                known
                    .add(gold, panel, item, (cell[0].system, cell[0].sample), met)
                    .is_some(),
            );
        });
        known
    }

    fn add(&mut self, gold: &Verdicts, panel: &Verdicts, item: Item, cell: (u32, u32), met: bool) -> Option<()> {
        let own = Item {
            query: panel.queries().find(gold.queries().get(item.query))?,
            criterion: panel.criteria().find(gold.criteria().get(item.criterion))?,
        };
        panel.items().binary_search(&own).ok()?;
        let system = gold.systems().get(cell.0);
        if system == ANY_SYSTEM {
            self.any.insert((own.query, own.criterion), met);
            return Some(());
        }
        let (system, sample) = (
            panel.systems().find(system)?,
            panel.samples().find(gold.samples().get(cell.1))?,
        );
        self.named.insert((own.query, own.criterion, system, sample), met);
        Some(())
    }

    fn of(&self, criterion: u32, (query, system, sample): (u32, u32, u32)) -> Option<bool> {
        let named = self.named.get(&(query, criterion, system, sample));
        named.or_else(|| self.any.get(&(query, criterion))).copied()
    }
}

/// Counts of what a judge said beside what is trusted; the first index is the trusted one, 1 for met.
#[derive(Clone, Copy, Default)]
struct Counts([[u64; 2]; 2]);

/// Each judge against trusted labels, on each criterion and over all: labels on a graded scale count as met or not.
///
/// Source: METHODS 42-44, 70 for leniency.
pub(super) fn validity(
    sheets: &[Sheet],
    panel: &Verdicts,
    gold: &Gold,
    judges: &[String],
) -> Result<Vec<CoefficientRow>, StepError> {
    let mut found = Vec::new();
    for (at, judge) in judges.iter().enumerate() {
        let judge = std::slice::from_ref(judge);
        let mut all = Counts::default();
        for sheet in sheets {
            let code = panel.criteria().find(&sheet.criterion).unwrap_or_default();
            let mut counts = Counts::default();
            for (response, row) in sheet.responses.iter().zip(sheet.rows()) {
                if let (Some(met), Some(level)) = (gold.of(code, *response), row[at].level()) {
                    let says = usize::from(sheet.scale.passes(level));
                    counts.0[usize::from(met)][says] += 1;
                    all.0[usize::from(met)][says] += 1;
                }
            }
            let about = About {
                scope: Scope::Criterion,
                criterion: Some(&sheet.criterion),
                judges: judge,
            };
            found.extend(judged(about, counts)?);
        }
        if sheets.len() > 1 {
            let about = About {
                scope: Scope::Pooled,
                criterion: None,
                judges: judge,
            };
            found.extend(judged(about, all)?);
        }
    }
    Ok(found)
}

fn judged(about: About<'_>, Counts([[tn, fp], [fneg, tp]]): Counts) -> Result<Vec<CoefficientRow>, StepError> {
    use Coefficient as C;
    let units = tn + fp + fneg + tp;
    let share = |coefficient, share: Result<Share, Kernel>, none: &str| {
        let none = |_| Undefined::new("no_units", none);
        let units = share.map_or(0, |share| share.of);
        let interval = share.map(|share| Interval::wilson(share.interval.low, share.interval.high));
        about.row(
            coefficient,
            units,
            share.map(|share| share.value()).map_err(none),
            interval.map_err(none),
        )
    };
    let table = PairTable::new(2, vec![tn, fp, fneg, tp]).map_err(statistics)?;
    let found = match against_gold(&table) {
        Ok(found) => found,
        Err(_) => return Ok(Vec::new()),
    };
    let paired = Interval {
        low: found.leniency.interval.low,
        high: found.leniency.interval.high,
        method: "Newcombe, paired".to_owned(),
    };
    let no_interval = || Err(Undefined::new("no_interval", "no interval is made for this figure"));
    let kappa = PairTable::new(2, vec![tn, fp, fneg, tp]).map_err(statistics)?;
    let kappa = cohen_kappa(&kappa)
        .and_then(|agreement| agreement.value)
        .map_err(reason);
    let (judge, trusted) = ((fp + tp) as f64 / units as f64, (fneg + tp) as f64 / units as f64);
    let inner = |share: f64| share > 0.0 && share < 1.0;
    let leniency = match inner(judge) && inner(trusted) {
        true => Ok((judge / (1.0 - judge)).ln() - (trusted / (1.0 - trusted)).ln()),
        false => Err(Undefined::new(
            "no_variation",
            "the judge or the trusted labels call all alike, which has no log odds",
        )),
    };
    Ok(vec![
        share(C::Sensitivity, found.sensitivity, "no trusted label is met"),
        share(C::Specificity, found.specificity, "every trusted label is met"),
        about.row(C::PassRateDifference, units, Ok(found.leniency.difference), Ok(paired)),
        about.row(C::Leniency, units, leniency, no_interval()),
        share(C::RawAgreement, Share::new(tn + tp, units), "no unit"),
        about.row(C::CohenKappa, units, kappa, no_interval()),
    ])
}

/// How alike each judge is to itself over repeats: test-retest, which temperature 0 raises and validity does not follow.
///
/// Source: METHODS 44.
pub(super) fn repeats(
    verdicts: &Verdicts,
    judges: &[String],
    intervals: &Maker,
) -> Result<Vec<CoefficientRow>, StepError> {
    let mut found = Vec::new();
    for (at, judge) in judges.iter().enumerate() {
        let tables = repeated(verdicts, at as u32);
        let judge = std::slice::from_ref(judge);
        for Repeated { criterion, table, .. } in &tables {
            let about = About {
                scope: Scope::Criterion,
                criterion: Some(criterion),
                judges: judge,
            };
            found.extend(rows(about, table, &of_repeats(table), intervals)?);
        }
        let several = tables.len() > 1;
        let pooled = Labelled::pooled(tables.iter().map(|of| (&of.table, of.clusters.clone())));
        if let Some(pooled) = pooled.filter(|_| several) {
            let about = About {
                scope: Scope::Pooled,
                criterion: None,
                judges: judge,
            };
            found.extend(rows(about, &pooled, &of_repeats(&pooled), intervals)?);
        }
    }
    Ok(found)
}

fn of_repeats(table: &Labelled) -> [Coefficient; 2] {
    [
        Coefficient::RawAgreement,
        match table.kind {
            Kind::Graded => Coefficient::AlphaOrdinal,
            Kind::Binary | Kind::Patterns => Coefficient::AlphaNominal,
        },
    ]
}

/// The labels of one judge on one criterion, with a column a repeat.
struct Repeated {
    criterion: String,
    table: Labelled,
    /// The number of the response of each unit.
    clusters: Vec<u32>,
}

/// The labels of one judge by criterion; only criteria with a cell that it labelled twice.
fn repeated(verdicts: &Verdicts, judge: u32) -> Vec<Repeated> {
    let most = verdicts
        .rows()
        .filter(|row| row.judge == judge)
        .map(|row| row.repeat)
        .max();
    let columns = usize::from(most.unwrap_or(0));
    if columns < 2 {
        return Vec::new();
    }
    let mut codes: BTreeMap<u32, (Vec<u8>, Vec<u32>)> = BTreeMap::new();
    let mut responses: BTreeMap<Response, u32> = BTreeMap::new();
    for_each_cell(verdicts, |at, cell| {
        let mut labels = vec![MISSING; columns];
        let own = cell.iter().filter(|row| row.judge == judge && row.repeat > 0);
        let mut given = 0;
        for row in own {
            if let Some(level) = row.level {
                labels[usize::from(row.repeat) - 1] = level;
                given += 1;
            }
        }
        if given >= 2 {
            let item = verdicts.items()[at as usize];
            let next = responses.len() as u32;
            let response = *responses
                .entry((item.query, cell[0].system, cell[0].sample))
                .or_insert(next);
            let (codes, clusters) = codes.entry(item.criterion).or_default();
            codes.extend(labels);
            clusters.push(response);
        }
    });
    let table = |(criterion, (codes, clusters)): (u32, (Vec<u8>, Vec<u32>))| Repeated {
        criterion: verdicts.criteria().get(criterion).to_owned(),
        table: Labelled::of_codes(verdicts.scale(criterion), columns, codes),
        clusters,
    };
    codes.into_iter().map(table).collect()
}
