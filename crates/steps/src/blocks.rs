//! Dividing a run: which items are in which block, what of the rubric concerns a block, and its row beside the others.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::blocks::{BlockPlace, BlockRow, Stopped, WITHOUT_VALUE};
use calibrant_schema::query::Query;
use calibrant_schema::roll_up::RollUpRule;
use calibrant_schema::undefined::parts;
use calibrant_schema::{Bank, Blocks, By, Calibration, Criterion, Fit, Rubric, Scores, Undefined, Verdicts, Warning};
use calibrant_stats::ranking::{kendall_tau_b, spearman};

use crate::error::StepError;
use crate::join::RubricJoin;
use crate::reason::defined;

/// Values of the queries of a run, by query.
#[derive(Clone, Debug, Default)]
pub struct BlockValues {
    by_query: BTreeMap<String, BTreeSet<String>>,
}

impl BlockValues {
    /// Values from the descriptions of the queries and from a column of the table, where either has them.
    ///
    /// `column` is not looked at where a run is divided by tag.
    ///
    /// # Errors
    /// If both give a query a value, and not the same.
    pub fn new(by: By, described: &[Query], column: &BTreeMap<String, String>) -> Result<Self, StepError> {
        let mut by_query: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for query in described {
            let raw: Vec<&str> = match by {
                By::TaskType => query.task_type.as_deref().into_iter().collect(),
                By::Domain => query.domain.as_deref().into_iter().collect(),
                By::Tag => query.tags.iter().map(String::as_str).collect(),
            };
            let values: BTreeSet<String> = raw.into_iter().filter_map(|raw| by.value(raw)).collect();
            by_query.insert(query.query.clone(), values);
        }
        for (query, raw) in column.iter().filter(|_| by != By::Tag) {
            let Some(value) = by.value(raw) else { continue };
            let values = by_query.entry(query.clone()).or_default();
            if let Some(described) = values.iter().find(|described| **described != value) {
                return Err(StepError::TwoBlockValues {
                    by: by.name(),
                    query: query.clone(),
                    described: described.clone(),
                    table: value,
                });
            }
            values.insert(value);
        }
        Ok(Self { by_query })
    }
}

/// A block before anything is estimated in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The value its items share; `None` for the items without one.
    pub value: Option<String>,
    /// For each item of the verdicts divided, whether it is in the block.
    pub has: Vec<bool>,
    /// Whether it has every item of each of its queries, so that its responses are whole.
    pub whole: bool,
}

/// The blocks of some verdicts, ordered by value with the one without a value last, and what to doubt about them.
///
/// By task type and domain an item goes where its query goes. By tag it is in the block of each tag of its criterion
/// and of its query, so blocks may overlap.
///
/// # Errors
/// If no item has a value: the blocks would be the whole under another name.
pub fn divide(
    by: By,
    verdicts: &Verdicts,
    values: &BlockValues,
    join: &RubricJoin<'_>,
) -> Result<(Vec<Block>, Vec<Warning>), StepError> {
    let items = verdicts.items();
    let mut members: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    let (mut without, mut shared) = (vec![false; items.len()], 0);
    for (at, item) in items.iter().enumerate() {
        let (query, criterion) = (
            verdicts.queries().get(item.query),
            verdicts.criteria().get(item.criterion),
        );
        let mut of_item = values.by_query.get(query).cloned().unwrap_or_default();
        if let (By::Tag, Some(entry)) = (by, join.entry(query, criterion)) {
            of_item.extend(entry.tags.iter().filter_map(|tag| by.value(tag)));
        }
        shared += usize::from(of_item.len() > 1);
        without[at] = of_item.is_empty();
        for value in of_item {
            members.entry(value).or_insert_with(|| vec![false; items.len()])[at] = true;
        }
    }
    if members.is_empty() {
        return Err(StepError::NoBlocks { by });
    }
    let lost = without.iter().filter(|without| **without).count();
    let mut blocks: Vec<Block> = members
        .into_iter()
        .map(|(value, has)| block(Some(value), has, verdicts))
        .collect();
    let mut warnings = Vec::new();
    if lost > 0 {
        blocks.push(block(None, without, verdicts));
        warnings.push(Warning::ItemsWithoutBlock {
            by: by.name().to_owned(),
            items: lost,
            of: items.len(),
        });
    }
    if let [only] = &blocks[..] {
        warnings.push(Warning::OneBlock {
            by: by.name().to_owned(),
            block: only.value.clone().unwrap_or_default(),
        });
    }
    if shared > 0 {
        warnings.push(Warning::OverlappingBlocks {
            items: shared,
            of: items.len(),
        });
    }
    Ok((blocks, warnings))
}

fn block(value: Option<String>, has: Vec<bool>, verdicts: &Verdicts) -> Block {
    let items = verdicts.items();
    let touched: BTreeSet<u32> = items
        .iter()
        .zip(&has)
        .filter(|(_, has)| **has)
        .map(|(item, _)| item.query)
        .collect();
    let whole = items
        .iter()
        .zip(&has)
        .all(|(item, has)| *has || !touched.contains(&item.query));
    Block { value, has, whole }
}

/// What of a rubric concerns a block of these (query, criterion) pairs.
///
/// A block of whole responses keeps every criterion that may be asked of its queries. One that holds a part of them
/// keeps the criteria it has, and no roll-up: the rule is about whole responses. What names criteria names those kept.
pub fn rubric_of_block<'i>(rubric: &Rubric, items: impl Iterator<Item = (&'i str, &'i str)>, whole: bool) -> Rubric {
    let join = RubricJoin::new(Some(rubric));
    let (mut queries, mut asked) = (BTreeSet::new(), BTreeSet::new());
    for (query, criterion) in items {
        queries.insert(query);
        let entry = join.entry(query, criterion);
        asked.extend(entry.map(|entry| (entry.id.as_str(), entry.query.as_deref())));
    }
    let concerns = |criterion: &&Criterion| match (whole, criterion.query.as_deref()) {
        (true, Some(query)) => queries.contains(query),
        (true, None) => true,
        (false, query) => asked.contains(&(criterion.id.as_str(), query)),
    };
    let criteria: Vec<Criterion> = rubric.criteria.iter().filter(concerns).cloned().collect();
    let known: BTreeSet<&str> = criteria.iter().map(|criterion| criterion.id.as_str()).collect();
    let keep =
        |ids: &[String]| -> Vec<String> { ids.iter().filter(|id| known.contains(id.as_str())).cloned().collect() };
    let mut roll_up = rubric.roll_up.clone().filter(|_| whole);
    if let Some(RollUpRule::Mandatory(ids)) = roll_up.as_mut().map(|roll_up| &mut roll_up.rule) {
        *ids = keep(ids);
        if ids.is_empty() {
            roll_up = None;
        }
    }
    let mut violations = rubric.violations.clone();
    violations
        .iter_mut()
        .for_each(|violation| violation.detected_by = keep(&violation.detected_by));
    violations.retain(|violation| !violation.detected_by.is_empty());
    Rubric {
        // Silenced lints are about the whole file.
        allow: BTreeMap::new(),
        name: rubric.name.clone(),
        version: rubric.version,
        roll_up,
        violations,
        criteria,
    }
}

/// Whether a block with this part of a rubric can have scores: they are divided by the sum of the positive weights.
///
/// # Errors
/// If every criterion is monitored, or none that is scored has a weight above 0.
pub fn can_score(rubric: &Rubric) -> Result<(), StepError> {
    let mut scored = rubric.criteria.iter().filter(|criterion| !criterion.monitor).peekable();
    if scored.peek().is_none() && !rubric.criteria.is_empty() {
        return Err(StepError::BlockOnlyMonitored);
    }
    match rubric.criteria.is_empty() || scored.any(|criterion| criterion.weight > 0.0) {
        true => Ok(()),
        false => Err(StepError::BlockWithoutWeight),
    }
}

/// The artifacts of a block's own run, as far as it came.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockParts<'a> {
    /// Its calibration.
    pub calibration: Option<&'a Calibration>,
    /// Its fit.
    pub fit: Option<&'a Fit>,
    /// Its bank.
    pub bank: Option<&'a Bank>,
    /// Its scores.
    pub scores: Option<&'a Scores>,
    /// The step that has no meaning for it.
    pub stopped: Option<&'a Stopped>,
}

/// What a row says besides the artifacts.
#[derive(Clone, Copy, Debug)]
pub struct BlockPlaceInRun<'a> {
    /// Its value; `None` without one.
    pub value: Option<&'a str>,
    /// Its folder from the run's.
    pub folder: &'a str,
    /// The scores over all blocks, where there are any.
    pub whole: Option<&'a Scores>,
}

/// The row of a block. A number whose step was not done, or has no meaning, is missing with its reason.
///
/// Rank correlations are over the systems with an ability both in the block and over all blocks.
///
/// Source: Kendall 1945; Spearman 1904; METHODS 127.
#[must_use]
pub fn block_row(place: BlockPlaceInRun<'_>, parts: BlockParts<'_>) -> BlockRow {
    let panel = parts.calibration.map(|calibration| &calibration.panel);
    let mut row = BlockRow {
        block: place.value.unwrap_or(WITHOUT_VALUE).to_owned(),
        without_value: place.value.is_none(),
        folder: place.folder.to_owned(),
        systems: panel.map_or(0, |panel| panel.systems),
        queries: panel.map_or(0, |panel| panel.queries),
        items: panel.map_or(0, |panel| panel.items),
        kept: None,
        fitted: parts.fit.map(|fit| fit.items.len()),
        bank: parts.bank.map(|bank| bank.criteria.len()),
        utility: parts.bank.and_then(|bank| bank.utility),
        tiers: None,
        leading: Vec::new(),
        pairs_separated: parts.scores.and_then(|scores| scores.pairs_separated),
        compared: None,
        kendall: None,
        spearman: None,
        leaderboard: parts.scores.map(places).unwrap_or_default(),
        stopped: parts.stopped.cloned(),
        undefined: BTreeMap::new(),
    };
    if let Some(calibration) = parts.calibration {
        kept(&mut row, calibration);
    }
    if let Some(scores) = parts.scores {
        row.tiers = scores.systems.iter().filter_map(|system| system.tier).max();
        let first = scores.systems.iter().filter(|system| system.tier == Some(1));
        row.leading = first.map(|system| system.system.clone()).collect();
    }
    compare(&mut row, parts.scores, place.whole);
    reasons(&mut row, parts);
    row
}

fn kept(row: &mut BlockRow, calibration: &Calibration) {
    let mut measured = calibration.criteria.iter().peekable();
    let reason = measured.peek().and_then(|first| first.measurability_undefined.clone());
    if calibration
        .criteria
        .iter()
        .any(|criterion| criterion.measurability.is_some())
    {
        row.kept = Some(measured.filter(|criterion| criterion.kept).count());
    } else if let Some(reason) = reason {
        row.undefined.insert("kept".to_owned(), reason);
    }
}

fn places(scores: &Scores) -> Vec<BlockPlace> {
    let place = |system: &calibrant_schema::scores::SystemScore| BlockPlace {
        system: system.system.clone(),
        ability: system.ability,
        ability_low: system.ability_low,
        ability_high: system.ability_high,
        tier: system.tier,
    };
    scores.systems.iter().map(place).collect()
}

/// Rank correlations of the block's abilities with those over all blocks.
fn compare(row: &mut BlockRow, scores: Option<&Scores>, whole: Option<&Scores>) {
    let (Some(scores), Some(whole)) = (scores, whole) else {
        return;
    };
    let over_all: BTreeMap<&str, f64> = whole
        .systems
        .iter()
        .filter_map(|system| Some((system.system.as_str(), system.ability?)))
        .collect();
    let (here, there): (Vec<f64>, Vec<f64>) = scores
        .systems
        .iter()
        .filter_map(|system| Some((system.ability?, *over_all.get(system.system.as_str())?)))
        .unzip();
    row.compared = Some(here.len());
    let mut take = |field: &str, value| {
        let (value, why) = parts(defined(value));
        row.undefined.extend(why.map(|why| (field.to_owned(), why)));
        value
    };
    let (kendall, rho) = (
        take("kendall", kendall_tau_b(&here, &there)),
        take("spearman", spearman(&here, &there)),
    );
    (row.kendall, row.spearman) = (kendall, rho);
}

/// Why numbers are missing: the step before them stopped, or was not asked for yet.
fn reasons(row: &mut BlockRow, parts: BlockParts<'_>) {
    let not_done = |step: &str| match parts.stopped {
        Some(stopped) => stopped.why.clone(),
        None => self::not_done(step),
    };
    let bank_reason = parts.bank.and_then(|bank| bank.utility_undefined.clone());
    let tiers_reason = parts.scores.and_then(|scores| scores.tiers_undefined.clone());
    let missing = [
        ("kept", row.kept.is_none(), None, "calibrate"),
        ("fitted", row.fitted.is_none(), None, "fit"),
        ("bank", row.bank.is_none(), None, "assemble"),
        ("utility", row.utility.is_none(), bank_reason, "assemble"),
        ("tiers", row.tiers.is_none(), tiers_reason.clone(), "score"),
        ("pairs_separated", row.pairs_separated.is_none(), tiers_reason, "score"),
        ("compared", row.compared.is_none(), None, "score"),
        ("kendall", row.kendall.is_none(), None, "score"),
        ("spearman", row.spearman.is_none(), None, "score"),
    ];
    for (field, is_missing, reason, step) in missing {
        if is_missing {
            let why = reason.unwrap_or_else(|| not_done(step));
            row.undefined.entry(field.to_owned()).or_insert(why);
        }
    }
}

/// Why numbers of a step are missing that was not asked for yet.
#[must_use]
pub fn not_done(step: &str) -> Undefined {
    Undefined::new(
        "not_done",
        format!("`{step}` was not run for this block, or not since its inputs changed"),
    )
}

/// The index of the blocks, with a warning where steps have no meaning for some of them.
#[must_use]
pub fn index(by: By, mut header: Header, rows: Vec<BlockRow>) -> Blocks {
    header.format = Blocks::FORMAT.to_owned();
    header.settings.insert("by".to_owned(), by.word().to_owned());
    let stopped = || rows.iter().filter_map(|row| Some((row, row.stopped.as_ref()?)));
    if let Some((first, why)) = stopped().next() {
        let warning = Warning::StoppedBlocks {
            blocks: stopped().count(),
            of: rows.len(),
            block: first.block.clone(),
            step: why.step.clone(),
            why: why.why.detail.clone(),
        };
        header.warnings.push(warning.into());
    }
    Blocks {
        header,
        by,
        blocks: rows,
    }
}
