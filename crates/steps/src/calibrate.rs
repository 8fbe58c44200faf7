//! `calibrate`: verdicts to labels and to what they say about criteria and judges.

mod attrition;
mod gold;
mod judges;
mod sweep;

use std::collections::BTreeMap;

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::calibration::{CriterionRow, Panel, Prior};
use calibrant_schema::labels::{Agreement, CellLabel};
use calibrant_schema::undefined::parts;
use calibrant_schema::verdicts::{Item, Verdict};
use calibrant_schema::{Calibration, Labels, Pool, Scale, Status, Verdicts, Warning};
use calibrant_stats::measurability::{BetaPrior, Measurability, fewest_units, measurability};
use calibrant_stats::watch::Watch;

pub(crate) use attrition::item_panels;
use gold::GoldLabels;

use crate::consensus::{Tie, Vote, add_judge_labels, consensus, for_each_cell};
use crate::error::StepError;
use crate::join::RubricJoin;
use crate::reason::reason;

/// Options of [`calibrate`].
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrateOptions {
    /// Measurability cut in (0, 1); `[CR26]` section 4.2 reports .80.
    pub threshold: f64,
    /// Over what measurability is estimated; `None` pools the criteria that are shared by queries and no others.
    pub pool: Option<Pool>,
    /// Beta prior; uniform in `[CR26]` eq. 21.
    pub prior: BetaPrior,
    /// Seed of the attrition bootstrap.
    pub seed: u64,
    /// Replicates of the attrition bootstrap.
    pub replicates: u32,
}

impl Default for CalibrateOptions {
    fn default() -> Self {
        Self {
            threshold: 0.8,
            pool: None,
            prior: BetaPrior::default(),
            seed: 0,
            replicates: 300,
        }
    }
}

/// Below this share of cells with every judge's label, attrition is over a selection and a warning says so.
const COMPLETE: f64 = 0.9;

/// One cell's votes, the unit that agreement is counted on.
#[derive(Clone, Copy, Debug)]
struct Unit<'a> {
    item: u32,
    tie: Tie,
    votes: &'a [Vote],
}

impl Unit<'_> {
    /// Whether its votes, without those of a judge `left_out`, number at least two, and whether those are alike.
    fn agreement(&self, left_out: Option<u32>) -> Option<bool> {
        let mut levels = self
            .votes
            .iter()
            .filter(|vote| Some(vote.judge) != left_out)
            .map(|vote| vote.level);
        let (first, second) = (levels.next()?, levels.next()?);
        Some(first == second && levels.all(|level| level == first))
    }
}

/// The units of a table that judges were asked, in the order of its cells, with all votes in one list: panels are small and cells are many.
#[derive(Debug, Default)]
struct Units {
    /// (item, way of ties, end of its votes) of each unit.
    cells: Vec<(u32, Tie, usize)>,
    votes: Vec<Vote>,
    /// The judges asked: all but those that spoke of nothing but what code decides.
    judges: Vec<u32>,
}

impl Units {
    fn new(verdicts: &Verdicts, ties: &[Tie], join: &RubricJoin<'_>) -> Self {
        let mut units = Self {
            judges: judges_asked(verdicts, join),
            ..Self::default()
        };
        let by_code = items_of_code(verdicts, join);
        for_each_cell(verdicts, |item, rows: &[Verdict]| {
            if by_code[item as usize] {
                return;
            }
            let scale = verdicts.scale(verdicts.items()[item as usize].criterion);
            let tie = ties[item as usize];
            add_judge_labels(rows, scale, tie, &mut units.votes);
            units.cells.push((item, tie, units.votes.len()));
        });
        units
    }

    fn iter(&self) -> impl Iterator<Item = Unit<'_>> {
        let mut start = 0;
        self.cells.iter().map(move |&(item, tie, end)| {
            let votes = &self.votes[start..end];
            start = end;
            Unit { item, tie, votes }
        })
    }
}

/// Posteriors by counts, each computed once: items are many, and the counts of a few systems differ little.
struct Posteriors {
    prior: BetaPrior,
    known: BTreeMap<(u64, u64), Measurability>,
}

impl Posteriors {
    fn new(prior: BetaPrior) -> Self {
        Self {
            prior,
            known: BTreeMap::new(),
        }
    }

    /// The posterior after `agreed` of `units`; none where there is no unit.
    fn of(&mut self, (units, agreed): (u64, u64)) -> Result<Option<Measurability>, StepError> {
        if units == 0 {
            return Ok(None);
        }
        if let Some(known) = self.known.get(&(units, agreed)) {
            return Ok(Some(*known));
        }
        let posterior = measurability(agreed, units, self.prior).map_err(statistics)?;
        self.known.insert((units, agreed), posterior);
        Ok(Some(posterior))
    }
}

/// Measurability, judges, threshold sweep and attrition of a panel, and the labels by consensus.
///
/// `gold`, when given, takes part in nothing but the held-out kappa of the sweep. `header` carries the hashes of the
/// inputs and the warnings met while reading; this step adds its own.
///
/// What code decides is no unit of agreement: its labels are taken as they are and its measurability is 1.
///
/// # Errors
/// If no verdict carries a label, no gold label belongs to a cell, or the threshold is not inside (0, 1).
///
/// Source: METHODS 63-67, 73-78.
pub fn calibrate(
    verdicts: &Verdicts,
    gold: Option<&Verdicts>,
    join: &RubricJoin<'_>,
    header: Header,
    options: &CalibrateOptions,
) -> Result<(Calibration, Labels), StepError> {
    if !(options.threshold > 0.0 && options.threshold < 1.0) {
        return Err(StepError::Option {
            option: "threshold",
            value: options.threshold.to_string(),
            range: "between 0 and 1",
        });
    }
    let labels = consensus(verdicts, join);
    if !labels
        .all_cells()
        .any(|(_, cell)| matches!(cell.label, CellLabel::Level(_)))
    {
        return Err(StepError::NoLabels);
    }
    let ties = Tie::of_items(verdicts, join);
    let units = Units::new(verdicts, &ties, join);
    let groups = Groups::new(&labels, join, options.pool);
    let pool = groups.pool();
    let criteria = criterion_rows(&labels, &units, &groups, join, options)?;
    let panel = panel(verdicts, &labels, join);
    let mut header = Header {
        format: Calibration::FORMAT.to_owned(),
        seed: options.seed,
        ..header
    };
    settings(&mut header, options, pool);
    header.warnings.extend(
        warnings(verdicts, &labels, &panel, &criteria, join, options)?
            .into_iter()
            .map(Into::into),
    );
    let gold = gold.map(|gold| GoldLabels::new(gold, &labels));
    if let Some(gold) = &gold {
        header.warnings.extend(unmatched_gold(gold)?.map(Into::into));
    }
    let (attrition, attrition_fit) = attrition::attrition(panel.judges, &labels, options);
    let calibration = Calibration {
        header,
        threshold: options.threshold,
        pool,
        prior: Prior {
            alpha: options.prior.alpha,
            beta: options.prior.beta,
        },
        panel,
        judges: judges::judge_rows(verdicts, &units),
        sweep: sweep::sweep(verdicts, gold.as_ref(), &labels, &units, &groups, &criteria, options)?,
        criteria,
        attrition,
        attrition_fit,
    };
    Ok((calibration, labels))
}

/// Gold that speaks of nothing here is a mistake; some that does not is a doubt.
fn unmatched_gold(gold: &GoldLabels) -> Result<Option<Warning>, StepError> {
    if gold.unmatched == gold.all {
        return Err(StepError::GoldMatchesNothing { gold: gold.all });
    }
    let some = Warning::GoldUnmatched {
        unmatched: gold.unmatched,
        of: gold.all,
    };
    Ok((gold.unmatched > 0).then_some(some))
}

fn settings(header: &mut Header, options: &CalibrateOptions, pool: Pool) {
    let pool_word = if options.pool.is_some() {
        pool.word().to_owned()
    } else {
        format!("{} (found)", pool.word())
    };
    for (key, value) in [
        ("consensus", "majority, a tie takes the worse outcome".to_owned()),
        ("threshold", options.threshold.to_string()),
        ("pool", pool_word),
        (
            "prior",
            format!("Beta({}, {})", options.prior.alpha, options.prior.beta),
        ),
    ] {
        header.settings.insert(key.to_owned(), value);
    }
}

/// Which row of `criteria` each item counts in.
struct Groups {
    of_item: Vec<u32>,
    /// (criterion code, query code when the row is of one query).
    rows: Vec<(u32, Option<u32>)>,
}

impl Groups {
    /// Rows as asked for. By default a criterion that the rubric writes for a query is a row of its own there, and so is,
    /// without a rubric, one met with a single query; the others are pooled over their queries.
    fn new(labels: &Labels, join: &RubricJoin<'_>, asked: Option<Pool>) -> Self {
        let mut queries = vec![0u32; labels.criteria.len()];
        for item in &labels.items {
            queries[item.criterion as usize] += 1;
        }
        let key = |at: usize| {
            let item = labels.items[at];
            let own_row = match asked {
                Some(Pool::Item) => true,
                Some(Pool::Criterion) => false,
                None => match join.entry(labels.query(at), labels.criterion(at)) {
                    Some(entry) => entry.query.is_some(),
                    None => queries[item.criterion as usize] == 1,
                },
            };
            (item.criterion, own_row.then_some(item.query))
        };
        let keys: Vec<(u32, Option<u32>)> = (0..labels.items.len()).map(key).collect();
        // Rows of one query in the order of the items, pooled ones by criterion before them.
        let order = |key: &(u32, Option<u32>)| (key.1, key.0);
        let mut rows = keys.clone();
        rows.sort_unstable_by_key(order);
        rows.dedup();
        let of_item = keys
            .iter()
            .map(|key| {
                rows.binary_search_by_key(&order(key), order)
                    .expect("the row is among the rows") as u32
            })
            .collect();
        Self { of_item, rows }
    }

    /// What the rows are: items if every row is of one query.
    fn pool(&self) -> Pool {
        if self.rows.iter().all(|(_, query)| query.is_some()) {
            Pool::Item
        } else {
            Pool::Criterion
        }
    }

    fn group(&self, item: u32) -> usize {
        self.of_item[item as usize] as usize
    }
}

/// (units, agreed) of each group, over the units with at least two votes when the judge `left_out` is not asked.
fn agreement_counts(units: &Units, groups: &Groups, left_out: Option<u32>) -> Vec<(u64, u64)> {
    let mut counts = vec![(0, 0); groups.rows.len()];
    let watch = Watch::current();
    for unit in units.iter() {
        watch.check();
        if let Some(alike) = unit.agreement(left_out) {
            let count = &mut counts[groups.group(unit.item)];
            count.0 += 1;
            count.1 += u64::from(alike);
        }
    }
    counts
}

fn criterion_rows(
    labels: &Labels,
    units: &Units,
    groups: &Groups,
    join: &RubricJoin<'_>,
    options: &CalibrateOptions,
) -> Result<Vec<CriterionRow>, StepError> {
    let by_code = groups_of_code(labels, groups, join);
    let mut met = vec![(0u64, 0u64); groups.rows.len()];
    for (item, cell) in labels.all_cells() {
        if let CellLabel::Level(level) = cell.label {
            let count = &mut met[groups.group(item as u32)];
            count.0 += u64::from(labels.scale(item).passes(level));
            count.1 += 1;
        }
    }
    let counts = agreement_counts(units, groups, None);
    let mut posteriors = Posteriors::new(options.prior);
    groups
        .rows
        .iter()
        .enumerate()
        .map(|(row, (criterion, query))| {
            let (total, agreed) = counts[row];
            let posterior = match by_code[row] {
                true => Some(DECIDED_BY_CODE),
                false => posteriors.of(counts[row])?,
            };
            let posterior = posterior.ok_or_else(|| reason(calibrant_stats::Undefined::NoUnits));
            let kept = posterior
                .as_ref()
                .is_ok_and(|posterior| posterior.reaches(options.threshold));
            let (posterior, measurability_undefined) = parts(posterior);
            let scale = &labels.scales[*criterion as usize];
            Ok(CriterionRow {
                criterion: labels.criteria.get(*criterion).to_owned(),
                query: query.map(|query| labels.queries.get(query).to_owned()),
                units: total,
                agreed,
                measurability: posterior.map(|posterior| posterior.mean),
                measurability_low: posterior.map(|posterior| posterior.low),
                measurability_high: posterior.map(|posterior| posterior.high),
                measurability_undefined,
                prevalence: (met[row].1 > 0).then(|| met[row].0 as f64 / met[row].1 as f64),
                kept,
                levels: (*scale != Scale::Binary)
                    .then(|| (0..scale.level_count() as u8).map(|level| scale.value(level)).collect()),
            })
        })
        .collect()
}

/// What is known of a criterion that code decides: it is applied alike every time, which no panel has to show.
const DECIDED_BY_CODE: Measurability = Measurability {
    mean: 1.0,
    low: 1.0,
    high: 1.0,
};

/// Which items code decides.
fn items_of_code(verdicts: &Verdicts, join: &RubricJoin<'_>) -> Vec<bool> {
    let decided = |item: &Item| {
        let (query, criterion) = (
            verdicts.queries().get(item.query),
            verdicts.criteria().get(item.criterion),
        );
        join.is_decided_by_code(query, criterion)
    };
    verdicts.items().iter().map(decided).collect()
}

/// Which rows of `criteria` are of criteria that code decides.
fn groups_of_code(labels: &Labels, groups: &Groups, join: &RubricJoin<'_>) -> Vec<bool> {
    let mut by_code = vec![false; groups.rows.len()];
    for item in 0..labels.items.len() {
        by_code[groups.group(item as u32)] |= join.is_decided_by_code(labels.query(item), labels.criterion(item));
    }
    by_code
}

/// Codes of the judges with a verdict on something that judges are asked.
fn judges_asked(verdicts: &Verdicts, join: &RubricJoin<'_>) -> Vec<u32> {
    let all = 0..verdicts.judges().len() as u32;
    let by_code = items_of_code(verdicts, join);
    if !by_code.contains(&true) {
        return all.collect();
    }
    let mut asked = vec![false; verdicts.judges().len()];
    for row in verdicts.rows().filter(|row| !by_code[row.item as usize]) {
        asked[row.judge as usize] = true;
    }
    all.filter(|judge| asked[*judge as usize]).collect()
}

/// A kernel's refusal of arguments that this step made.
pub(crate) fn statistics(error: impl std::fmt::Display) -> StepError {
    StepError::Statistics(error.to_string())
}

fn panel(verdicts: &Verdicts, labels: &Labels, join: &RubricJoin<'_>) -> Panel {
    let mut statuses = BTreeMap::new();
    for row in verdicts.rows() {
        *statuses.entry(row.status.to_string()).or_insert(0) += 1;
    }
    let mut agreement: BTreeMap<String, usize> = Agreement::ALL.iter().map(|way| (way.word().to_owned(), 0)).collect();
    for (_, cell) in labels.all_cells() {
        *agreement.entry(cell.agreement.word().to_owned()).or_insert(0) += 1;
    }
    Panel {
        systems: verdicts.systems().len(),
        queries: verdicts.queries().len(),
        criteria: verdicts.criteria().len(),
        items: verdicts.items().len(),
        judges: judges_asked(verdicts, join).len(),
        verdicts: verdicts.len(),
        statuses,
        cells: labels.len(),
        most_judges: labels
            .all_cells()
            .map(|(_, cell)| usize::from(cell.judges))
            .max()
            .unwrap_or(0),
        agreement,
    }
}

fn warnings(
    verdicts: &Verdicts,
    labels: &Labels,
    panel: &Panel,
    criteria: &[CriterionRow],
    join: &RubricJoin<'_>,
    options: &CalibrateOptions,
) -> Result<Vec<Warning>, StepError> {
    let mut warnings = Vec::new();
    match panel.most_judges {
        1 if panel.judges == 1 => warnings.push(Warning::OneJudge {
            judge: verdicts.judges().get(judges_asked(verdicts, join)[0]).to_owned(),
        }),
        2 => warnings.push(Warning::TwoJudges),
        _ => {}
    }
    let cells_of = |way: Agreement| panel.agreement.get(way.word()).copied().unwrap_or(0);
    let judged_twice = cells_of(Agreement::Unanimous)
        + cells_of(Agreement::Majority)
        + cells_of(Agreement::Median)
        + cells_of(Agreement::Tie);
    if cells_of(Agreement::Tie) > 0 {
        warnings.push(Warning::Ties {
            ties: cells_of(Agreement::Tie),
            of: judged_twice,
        });
    }
    let with = |status: Status| panel.statuses.get(status.as_str()).copied().unwrap_or(0);
    // "Not applicable" is an answer: the rubric says what it counts as.
    let unanswered = panel.verdicts - with(Status::Ok) - with(Status::NotApplicable);
    if unanswered > 0 {
        warnings.push(Warning::VerdictsWithoutLabel {
            count: unanswered,
            of: panel.verdicts,
        });
    }
    let by_code = |item: usize| join.is_decided_by_code(labels.query(item), labels.criterion(item));
    let asked = || labels.all_cells().filter(|(item, _)| !by_code(*item));
    let complete = asked()
        .filter(|(_, cell)| usize::from(cell.judges) == panel.judges)
        .count();
    let of = asked().count();
    if panel.judges > 1 && (complete as f64) < COMPLETE * of as f64 {
        warnings.push(Warning::IncompletePanels { complete, of });
    }
    let needed = fewest_units(options.threshold, options.prior).map_err(statistics)?;
    let decided = |row: &&CriterionRow| row.units > 0 || row.measurability.is_none();
    let short = criteria.iter().filter(decided).filter(|row| row.units < needed).count();
    if short > 0 && panel.judges > 1 {
        warnings.push(Warning::ThresholdOutOfReach {
            criteria: short,
            needed,
            threshold: options.threshold,
        });
    }
    Ok(warnings)
}
