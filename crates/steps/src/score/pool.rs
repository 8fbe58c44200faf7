//! The leaderboard of the systems a pool was calibrated on.

use std::collections::BTreeMap;

use calibrant_schema::artifact::Header;
use calibrant_schema::fit::GridRow;
use calibrant_schema::scores::{IntervalKind, Intervals, ResponseRow, SystemScore};
use calibrant_schema::undefined::parts;
use calibrant_schema::{Fit, Labels, Scores, Undefined, Warning};
use calibrant_stats::irt::{self, AbilityReplicates, Items};
use calibrant_stats::resample::{Interval, LEVEL, MIN_CLUSTERS, percentile_interval};
use calibrant_stats::score_bootstrap::{ScoreBootstrapOptions, ScoreReplicates, score_bootstrap};
use calibrant_stats::tiers::{contrast_interval, share_separated, tiers};

use super::intervals::{Replicated, Resampled, percentile_level, replicate, score_interval};
use super::{
    Column, IntervalMethod, ScoreInputs, ScoreOptions, bank_column, effective_criteria, empty_row, kernel_fit,
    labelled, no_bank, no_bank_ability, response_rows, roll_up_row, seen_on, tier_word, uneven_coverage,
};
use crate::error::StepError;
use crate::fit::{Usable, unlinked};
use crate::grid::abilities;
use crate::plan::Weights;
use crate::reason::{defined, reason};

pub(super) fn score_pool(
    inputs: ScoreInputs<'_>,
    fit: &Fit,
    mut header: Header,
    options: &ScoreOptions,
) -> Result<(Scores, Vec<ResponseRow>), StepError> {
    let labels = inputs.labels;
    let usable = Usable::new(labels, inputs.join)?;
    same_items(labels, &usable, fit)?;
    let kernel = kernel_fit(fit)?;
    let author = Column::new(inputs, (0..labels.items.len()).collect(), Weights::Author)?;
    let information: Vec<f64> = fit.items.iter().map(|item| item.information).collect();
    let informed = Column::new(inputs, usable.items.clone(), Weights::Item(&information))?;
    let bank = match inputs.bank {
        Some(bank) => bank_column(inputs, bank)?,
        None => None,
    };
    let bank_positions = bank_positions(inputs, fit);
    let everything: Vec<usize> = (0..usable.items.len()).collect();
    let pool_clusters = touched_clusters(inputs, &usable, &everything);
    let mut replicated = replicate_abilities(inputs, &usable, &kernel, bank_positions.as_deref(), options)?;
    let bank_abilities = bank_abilities(&usable, &kernel.items, bank_positions.as_deref(), &fit.grid)?;
    if options.interval != IntervalMethod::Source {
        replicated.replicates = centred(replicated.replicates, fit, bank_abilities.as_deref());
    }
    let score_replicates = score_replicates(inputs, &author, options);
    let seen = seen_on(&usable.responses);
    let columns = Columns {
        fit,
        author: &author,
        informed: &informed,
        bank: bank.as_ref(),
        bank_abilities,
        bank_clusters: touched_clusters(inputs, &usable, bank_positions.as_deref().unwrap_or_default()),
        no_bank: no_bank(inputs.bank),
        seen: &seen,
        bank_seen: seen_on(&usable.responses.select(bank_positions.as_deref().unwrap_or_default())),
        replicates: &replicated.replicates,
        score_replicates: &score_replicates,
        kind: replicated.interval.kind,
        clusters: pool_clusters,
    };
    let rows: Vec<SystemScore> = (0..labels.systems.len())
        .map(|system| columns.row(labels, system))
        .collect();
    let order = order(&rows);
    let separated = match unlinked(labels, &usable.responses) {
        Some(_) => Err(Undefined::new(
            "unlinked",
            "the systems fall into groups that share no item, and nothing compares one with another",
        )),
        None => separated_pairs(
            &replicated.replicates,
            labels.systems.len(),
            percentile_level(replicated.interval.kind, pool_clusters),
        ),
    };
    let (rows, pairs_separated, tiers_undefined) = tiered(rows, &order, &seen, separated, options);
    let (effective, concentrated) = effective_criteria(&author);
    let mut warnings = replicated.warnings;
    warnings.extend(concentrated);
    warnings.extend(row_warnings(&rows, &author, labels));
    header.warnings.extend(warnings.into_iter().map(Into::into));
    let scores = Scores {
        header,
        interval: Intervals {
            score: score_interval(options.replicates, score_replicates.as_ref().err().copied()),
            ability: replicated.interval,
        },
        tier_rule: tier_word(options.tiers).to_owned(),
        pairs_separated,
        tiers_undefined,
        effective_criteria: effective,
        roll_up: roll_up_row(inputs),
        systems: rows,
    };
    Ok((scores, response_rows(labels, &author)))
}

/// The fit must be of the items that vary in these labels.
fn same_items(labels: &Labels, usable: &Usable, fit: &Fit) -> Result<(), StepError> {
    let same = usable.items.len() == fit.items.len()
        && usable
            .items
            .iter()
            .zip(&fit.items)
            .all(|(item, row)| labels.criterion(*item) == row.criterion && labels.query(*item) == row.query)
        && labels
            .systems
            .iter()
            .eq(fit.systems.iter().map(|row| row.system.as_str()));
    if same { Ok(()) } else { Err(StepError::OtherTable) }
}

/// Positions of the bank's items among the fitted ones, ascending; `None` without a bank or when it has none of them.
fn bank_positions(inputs: ScoreInputs<'_>, fit: &Fit) -> Option<Vec<usize>> {
    let by_key: BTreeMap<(&str, &str), usize> = fit
        .items
        .iter()
        .enumerate()
        .map(|(at, item)| ((item.criterion.as_str(), item.query.as_str()), at))
        .collect();
    let mut positions: Vec<usize> = inputs
        .bank?
        .criteria
        .iter()
        .filter_map(|row| by_key.get(&(row.criterion.as_str(), row.query.as_str())).copied())
        .collect();
    positions.sort_unstable();
    (!positions.is_empty()).then_some(positions)
}

/// Replicates centred on the abilities of the leaderboard, so that no interval leaves out its own estimate.
fn centred(
    replicates: Result<AbilityReplicates, Undefined>,
    fit: &Fit,
    bank: Option<&[irt::Ability]>,
) -> Result<AbilityReplicates, Undefined> {
    let pool: Vec<f64> = fit.systems.iter().map(|system| system.ability).collect();
    let bank: Option<Vec<f64>> = bank.map(|bank| bank.iter().map(|ability| ability.mean).collect());
    replicates.map(|replicates| replicates.centred(&pool, bank.as_deref()))
}

fn bank_abilities(
    usable: &Usable,
    items: &Items,
    positions: Option<&[usize]>,
    grid: &GridRow,
) -> Result<Option<Vec<irt::Ability>>, StepError> {
    let Some(positions) = positions else { return Ok(None) };
    abilities(&usable.responses.select(positions), &items.select(positions), grid).map(Some)
}

/// Number of query clusters that usable items touch.
fn touched_clusters(inputs: ScoreInputs<'_>, usable: &Usable, positions: &[usize]) -> usize {
    distinct(
        positions
            .iter()
            .map(|at| inputs.facts.clusters[inputs.labels.items[usable.items[*at]].query as usize])
            .collect(),
    )
}

fn distinct(mut clusters: Vec<u32>) -> usize {
    clusters.sort_unstable();
    clusters.dedup();
    clusters.len()
}

fn replicate_abilities(
    inputs: ScoreInputs<'_>,
    usable: &Usable,
    fit: &irt::Fit,
    bank: Option<&[usize]>,
    options: &ScoreOptions,
) -> Result<Replicated, StepError> {
    let queries: Vec<u32> = usable
        .items
        .iter()
        .map(|item| inputs.labels.items[*item].query)
        .collect();
    let clusters: Vec<u32> = queries
        .iter()
        .map(|query| inputs.facts.clusters[*query as usize])
        .collect();
    let resampled = Resampled {
        usable,
        fit,
        clusters: &clusters,
        queries: &queries,
        cluster_count: distinct(clusters.clone()),
        bank,
    };
    replicate(&resampled, options)
}

fn score_replicates(
    inputs: ScoreInputs<'_>,
    author: &Column,
    options: &ScoreOptions,
) -> Result<ScoreReplicates, calibrant_stats::Undefined> {
    let draws = ScoreBootstrapOptions {
        replicates: options.replicates,
        seed: options.seed,
    };
    score_bootstrap(
        author.scorer.plan(),
        &author.query_scores,
        &inputs.facts.clusters,
        draws,
    )
}

/// Everything a row of the leaderboard is made of.
struct Columns<'a> {
    fit: &'a Fit,
    author: &'a Column,
    informed: &'a Column,
    bank: Option<&'a Column>,
    bank_abilities: Option<Vec<irt::Ability>>,
    bank_clusters: usize,
    no_bank: Undefined,
    /// Whether each system has a label on an item the fit used.
    seen: &'a [bool],
    /// The same for the bank's items.
    bank_seen: Vec<bool>,
    replicates: &'a Result<AbilityReplicates, Undefined>,
    score_replicates: &'a Result<ScoreReplicates, calibrant_stats::Undefined>,
    kind: IntervalKind,
    /// Clusters the fitted items touch.
    clusters: usize,
}

impl Columns<'_> {
    fn row(&self, labels: &Labels, system: usize) -> SystemScore {
        let mut row = empty_row(labels, system, self.author);
        let note = |row: &mut SystemScore, field: &str, why: Option<Undefined>| {
            if let Some(why) = why {
                row.undefined.insert(field.to_owned(), why);
            }
        };
        let (score, why) = parts(self.author.scores[system].clone());
        row.score = score;
        note(&mut row, "score", why);
        let (interval, why) = parts(self.score_interval(system));
        (row.score_low, row.score_high) = ends(interval);
        note(&mut row, "score_low", why);
        let (score, why) = parts(self.informed.scores[system].clone());
        row.information_score = score;
        note(&mut row, "information_score", why);
        let (ability, why) = parts(labelled(self.seen[system], self.fit.systems[system].ability));
        row.ability = ability;
        note(&mut row, "ability", why);
        let interval = labelled(self.seen[system], ()).and_then(|()| self.pool_interval(system));
        let (interval, why) = parts(interval);
        (row.ability_low, row.ability_high) = ends(interval);
        note(&mut row, "ability_low", why);
        match self.bank {
            Some(bank) => {
                let (score, why) = parts(bank.scores[system].clone());
                row.bank_score = score;
                note(&mut row, "bank_score", why);
            }
            None => note(&mut row, "bank_score", Some(self.no_bank.clone())),
        }
        match &self.bank_abilities {
            Some(abilities) => {
                let (ability, why) = parts(labelled(self.bank_seen[system], abilities[system].mean));
                row.bank_ability = ability;
                note(&mut row, "bank_ability", why);
                let interval = labelled(self.bank_seen[system], ()).and_then(|()| self.bank_interval(system));
                let (interval, why) = parts(interval);
                (row.bank_ability_low, row.bank_ability_high) = ends(interval);
                note(&mut row, "bank_ability_low", why);
            }
            None => {
                let why = self.bank.map_or_else(|| self.no_bank.clone(), |_| no_bank_ability());
                note(&mut row, "bank_ability", Some(why.clone()));
                note(&mut row, "bank_ability_low", Some(why));
            }
        }
        row
    }

    fn score_interval(&self, system: usize) -> Result<Interval, Undefined> {
        if self.author.is_below_zero(system) {
            let detail =
                "penalties bring the mean below 0, where the score is cut off: an interval would only repeat the cut";
            return Err(Undefined::new("clipped", detail));
        }
        let replicates = self.score_replicates.as_ref().map_err(|why| reason(*why))?;
        let interval = defined(replicates.interval(system, LEVEL))?;
        if moved(&interval) {
            Ok(interval)
        } else {
            let detail = "every cluster of queries has the same score, so drawing them again says nothing";
            Err(Undefined::new("no_variation", detail))
        }
    }

    fn ability_interval(
        &self,
        system: usize,
        clusters: usize,
        table: impl Fn(&AbilityReplicates) -> Option<&Vec<f64>>,
    ) -> Result<Interval, Undefined> {
        let replicates = self.replicates.as_ref().map_err(Clone::clone)?;
        let Some(values) = table(replicates) else {
            return Err(reason(calibrant_stats::Undefined::NoValues));
        };
        let column: Vec<f64> = values
            .iter()
            .skip(system)
            .step_by(replicates.systems)
            .copied()
            .collect();
        let interval = defined(percentile_interval(&column, percentile_level(self.kind, clusters)))?;
        // The source's form has intervals of no width by construction, and is there to show it.
        if moved(&interval) || self.kind == IntervalKind::Source {
            Ok(interval)
        } else {
            let detail =
                "no replicate moves it: too few systems differ for the scale they share to leave anything open";
            Err(Undefined::new("no_variation", detail))
        }
    }

    fn pool_interval(&self, system: usize) -> Result<Interval, Undefined> {
        self.ability_interval(system, self.clusters, |replicates| Some(&replicates.pool))
    }

    /// A bootstrap of clusters says nothing about a bank that touches few of them.
    fn bank_interval(&self, system: usize) -> Result<Interval, Undefined> {
        if self.kind == IntervalKind::Cluster && self.bank_clusters < MIN_CLUSTERS {
            let few = calibrant_stats::Undefined::TooFewClusters {
                have: self.bank_clusters,
                need: MIN_CLUSTERS,
            };
            return Err(reason(few));
        }
        self.ability_interval(system, self.bank_clusters, |replicates| replicates.bank.as_ref())
    }
}

/// Whether an interval is wider than rounding makes it.
fn moved(interval: &Interval) -> bool {
    const ROUNDING: f64 = 1e-9;
    interval.high - interval.low > ROUNDING
}

fn ends(interval: Option<Interval>) -> (Option<f64>, Option<f64>) {
    (
        interval.map(|interval| interval.low),
        interval.map(|interval| interval.high),
    )
}

/// By ability, ties by score, then id; codes are already in the order of the ids.
fn order(rows: &[SystemScore]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let value = |number: Option<f64>| number.unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|left, right| {
        value(rows[*right].ability)
            .total_cmp(&value(rows[*left].ability))
            .then(value(rows[*right].score).total_cmp(&value(rows[*left].score)))
            .then(left.cmp(right))
    });
    order
}

/// For each pair of systems whether the interval of their difference leaves out 0, from paired replicates.
fn separated_pairs(
    replicates: &Result<AbilityReplicates, Undefined>,
    systems: usize,
    level: f64,
) -> Result<Vec<bool>, Undefined> {
    let replicates = replicates.as_ref().map_err(Clone::clone)?;
    let mut separated = vec![false; systems * systems];
    for i in 0..systems {
        for j in i + 1..systems {
            let interval = defined(contrast_interval(&replicates.pool, systems, (i, j), level))?;
            let apart = !interval.contains(0.0);
            // A difference that no replicate moves is one that alignment fixes: it says nothing, in either direction.
            if apart && !moved(&interval) {
                let detail = "no replicate moves some of the differences: too few systems differ for tiers";
                return Err(Undefined::new("no_variation", detail));
            }
            separated[i * systems + j] = apart;
            separated[j * systems + i] = apart;
        }
    }
    Ok(separated)
}

type Tiered = (Vec<SystemScore>, Option<f64>, Option<Undefined>);

fn tiered(
    mut rows: Vec<SystemScore>,
    order: &[usize],
    seen: &[bool],
    separated: Result<Vec<bool>, Undefined>,
    options: &ScoreOptions,
) -> Tiered {
    let systems = rows.len();
    let placed: Vec<usize> = order.iter().copied().filter(|system| seen[*system]).collect();
    let (share, why) = match &separated {
        Err(why) => (Err(why.clone()), Some(why.clone())),
        Ok(table) => {
            let apart = |i: usize, j: usize| table[i * systems + j];
            for (place, tier) in tiers(&placed, options.tiers, apart).into_iter().enumerate() {
                rows[placed[place]].tier = Some(tier as u32);
            }
            let apart = |i: usize, j: usize| apart(placed[i], placed[j]);
            (defined(share_separated(placed.len(), apart)), None)
        }
    };
    for (system, row) in rows.iter_mut().enumerate() {
        if let Err(why) = labelled(seen[system], ()) {
            row.undefined.insert("tier".to_owned(), why);
        }
    }
    let mut sorted: Vec<SystemScore> = order.iter().map(|system| rows[*system].clone()).collect();
    if let Some(why) = &why {
        for row in &mut sorted {
            row.undefined.insert("tier".to_owned(), why.clone());
        }
    }
    (sorted, share.ok(), why)
}

fn row_warnings(rows: &[SystemScore], author: &Column, labels: &Labels) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(uneven_coverage(rows));
    let clipped = (0..labels.systems.len())
        .filter(|system| author.is_below_zero(*system))
        .count();
    if clipped > 0 {
        warnings.push(Warning::ClippedScores { systems: clipped });
    }
    warnings
}
