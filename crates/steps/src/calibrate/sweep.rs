//! What each threshold keeps, and what keeping it does to agreement: in the sample and out of it.

use calibrant_schema::calibration::{CriterionRow, SweepRow};
use calibrant_schema::labels::CellLabel;
use calibrant_schema::undefined::parts;
use calibrant_schema::{Labels, Undefined, Verdicts};
use calibrant_stats::agreement::{PairTable, cohen_kappa};
use calibrant_stats::measurability::reaches;
use calibrant_stats::watch::Watch;

use super::gold::GoldLabels;
use super::{CalibrateOptions, Groups, Posteriors, Units, agreement_counts};
use crate::error::StepError;
use crate::reason::reason;

/// The thresholds of METHODS 65, and .90.
const THRESHOLDS: [f64; 6] = [0.5, 0.6, 0.65, 0.7, 0.8, 0.9];

/// Binary outcomes compared: met or not.
const OUTCOMES: usize = 2;

pub(super) fn sweep(
    verdicts: &Verdicts,
    gold: Option<&GoldLabels>,
    labels: &Labels,
    units: &Units,
    groups: &Groups,
    criteria: &[CriterionRow],
    options: &CalibrateOptions,
) -> Result<Vec<SweepRow>, StepError> {
    let posterior: Vec<Option<f64>> = criteria.iter().map(|row| row.measurability).collect();
    let measured = posterior.iter().any(Option::is_some);
    if !measured && gold.is_none() {
        return Ok(Vec::new());
    }
    let held_out = HeldOut::new(verdicts, gold, labels, units, groups, options)?;
    // Threshold 0 keeps everything, measured or not; the others need a posterior.
    let mut thresholds = vec![0.0];
    if measured {
        thresholds.extend(THRESHOLDS);
        thresholds.push(options.threshold);
    }
    thresholds.sort_by(f64::total_cmp);
    thresholds.dedup();
    thresholds
        .into_iter()
        .map(|threshold| {
            let keep: Vec<bool> = posterior
                .iter()
                .map(|mean| threshold == 0.0 || mean.is_some_and(|mean| reaches(mean, threshold)))
                .collect();
            let pairwise = pairwise_kappa(units, groups, &keep, verdicts);
            let (pairwise_kappa, pairwise_kappa_undefined) = parts(pairwise);
            let (held_out_kappa, held_out_kappa_undefined) = parts(held_out.kappa(threshold, &keep));
            Ok(SweepRow {
                threshold,
                kept: keep.iter().filter(|keep| **keep).count(),
                coverage: coverage(labels, groups, &keep),
                pairwise_kappa,
                pairwise_kappa_undefined,
                held_out_kappa,
                held_out_kappa_undefined,
                held_out: held_out.word().map(str::to_owned),
            })
        })
        .collect()
}

/// Share of the labelled cells whose row is kept.
fn coverage(labels: &Labels, groups: &Groups, keep: &[bool]) -> Option<f64> {
    let (mut kept, mut all) = (0usize, 0usize);
    for (item, cell) in labels.all_cells() {
        if matches!(cell.label, CellLabel::Level(_)) {
            all += 1;
            kept += usize::from(keep[groups.group(item as u32)]);
        }
    }
    (all > 0).then(|| kept as f64 / all as f64)
}

/// Mean of Cohen's kappa over the pairs of judges that have one.
fn pairwise_kappa(units: &Units, groups: &Groups, keep: &[bool], verdicts: &Verdicts) -> Result<f64, Undefined> {
    let judges = verdicts.judges().len();
    let mut tables = vec![[0u64; OUTCOMES * OUTCOMES]; judges * judges];
    for unit in units.iter().filter(|unit| keep[groups.group(unit.item)]) {
        let passes = passes_of(verdicts, unit.item);
        for (at, left) in unit.votes.iter().enumerate() {
            for right in &unit.votes[at + 1..] {
                let table = &mut tables[left.judge as usize * judges + right.judge as usize];
                table[OUTCOMES * usize::from(passes(left.level)) + usize::from(passes(right.level))] += 1;
            }
        }
    }
    let pairs = tables.iter().filter(|table| table.iter().any(|count| *count > 0));
    mean_of(pairs.map(|table| kappa(*table)))
}

/// How a level of an item reads as met or not.
fn passes_of(verdicts: &Verdicts, item: u32) -> impl Fn(u8) -> bool {
    let scale = verdicts.scale(verdicts.items()[item as usize].criterion);
    move |level| scale.passes(level)
}

fn kappa(counts: [u64; OUTCOMES * OUTCOMES]) -> Result<f64, Undefined> {
    let table = PairTable::new(OUTCOMES, counts.to_vec()).expect("the table is square");
    cohen_kappa(&table)
        .and_then(|agreement| agreement.value)
        .map_err(reason)
}

/// Mean of the defined values; the first reason when there is none.
fn mean_of(values: impl Iterator<Item = Result<f64, Undefined>>) -> Result<f64, Undefined> {
    let (mut sum, mut count, mut why) = (0.0, 0usize, None);
    for value in values {
        match value {
            Ok(value) => {
                sum += value;
                count += 1;
            }
            Err(reason) => why = why.or(Some(reason)),
        }
    }
    if count > 0 {
        return Ok(sum / count as f64);
    }
    Err(why.unwrap_or_else(|| reason(calibrant_stats::Undefined::NoUnits)))
}

/// Labels that had no part in choosing what is kept.
enum HeldOut {
    /// Gold, as (group, consensus met, gold met) of each cell that has both.
    Gold(Vec<(usize, bool, bool)>),
    /// Each judge in turn: measurability and consensus by the others, compared with this one.
    Turns(Vec<Turn>),
    /// Fewer than three judges and no gold.
    None(Undefined),
}

/// One judge held out.
struct Turn {
    /// Posterior mean of each group by the other judges; none where no unit has two of them.
    measurability: Vec<Option<f64>>,
    /// (group, consensus of the others met, this judge met).
    pairs: Vec<(usize, bool, bool)>,
}

impl HeldOut {
    fn new(
        verdicts: &Verdicts,
        gold: Option<&GoldLabels>,
        labels: &Labels,
        units: &Units,
        groups: &Groups,
        options: &CalibrateOptions,
    ) -> Result<Self, StepError> {
        if let Some(gold) = gold {
            return Ok(Self::Gold(gold.pairs(labels, groups)));
        }
        let have = units.judges.len();
        if have < 3 {
            let few = calibrant_stats::Undefined::TooFewJudges { have, need: 3 };
            return Ok(Self::None(reason(few)));
        }
        let turns = units
            .judges
            .iter()
            .map(|judge| turn(*judge, verdicts, units, groups, options));
        Ok(Self::Turns(turns.collect::<Result<_, _>>()?))
    }

    fn word(&self) -> Option<&'static str> {
        match self {
            Self::Gold(_) => Some("gold"),
            Self::Turns(_) => Some("each judge in turn"),
            Self::None(_) => None,
        }
    }

    fn kappa(&self, threshold: f64, keep: &[bool]) -> Result<f64, Undefined> {
        match self {
            Self::None(why) => Err(why.clone()),
            Self::Gold(pairs) => kappa_of(pairs, |group| keep[group]),
            Self::Turns(turns) => mean_of(turns.iter().map(|turn| {
                kappa_of(&turn.pairs, |group| {
                    turn.measurability[group].is_some_and(|mean| reaches(mean, threshold))
                })
            })),
        }
    }
}

fn kappa_of(pairs: &[(usize, bool, bool)], keep: impl Fn(usize) -> bool) -> Result<f64, Undefined> {
    let mut counts = [0; OUTCOMES * OUTCOMES];
    for (group, left, right) in pairs {
        if keep(*group) {
            counts[OUTCOMES * usize::from(*left) + usize::from(*right)] += 1;
        }
    }
    kappa(counts)
}

fn turn(
    judge: u32,
    verdicts: &Verdicts,
    units: &Units,
    groups: &Groups,
    options: &CalibrateOptions,
) -> Result<Turn, StepError> {
    let mut pairs = Vec::new();
    let watch = Watch::current();
    for unit in units.iter() {
        watch.check();
        let Some(own) = unit.votes.iter().find(|vote| vote.judge == judge) else {
            continue;
        };
        let passes = passes_of(verdicts, unit.item);
        let others = unit.votes.iter().filter(|vote| vote.judge != judge);
        let (met, of) = others.fold((0, 0), |(met, of), vote| {
            (met + usize::from(passes(vote.level)), of + 1)
        });
        if of > 0 {
            pairs.push((groups.group(unit.item), unit.tie.is_met(met, of), passes(own.level)));
        }
    }
    let mut posteriors = Posteriors::new(options.prior);
    let counts = agreement_counts(units, groups, Some(judge)).into_iter();
    let measurability = counts
        .map(|counts| Ok(posteriors.of(counts)?.map(|posterior| posterior.mean)))
        .collect::<Result<_, StepError>>()?;
    Ok(Turn { measurability, pairs })
}
