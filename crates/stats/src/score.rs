//! Scoring: from the labels of one response to its score and outcome, and from responses to a system's score.
//!
//! [`ScorePlan`] is the only implementation. The score of a pool, of a bank and of a single response for training are the same
//! arithmetic over other items and weights.

use std::ops::Range;

use crate::error::{all_nonnegative, first_bad};
use crate::{Error, Undefined};

mod tally;

use tally::Tally;

/// What is known of one item on one response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// The label as a value in [0, 1]; a criterion is met from .5 up.
    Value(f64),
    /// A judge said that the criterion does not apply.
    NotApplicable,
    /// No judge produced a label.
    Missing,
}

/// What a criterion that does not apply counts as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenNotApplicable {
    /// As passed: met for a positive weight, not met for a penalty.
    Pass,
    /// As failed: not met for a positive weight, met for a penalty.
    Fail,
    /// As absent: it leaves the score and the roll-up. The default of METHODS 7.
    #[default]
    Skip,
}

/// The rule from the criteria of one response to one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollUp {
    /// Every criterion passes.
    All,
    /// At least this many criteria pass, or all of them where fewer apply.
    AtLeast(u32),
    /// Every mandatory criterion passes; a query without one has no rule.
    Mandatory,
    /// The score alone speaks: there is no outcome.
    Weighted,
}

/// Where scores are cut to [0, 1]; penalties can take them below 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clip {
    /// Only the score of a system. The default of METHODS 4.
    #[default]
    Mean,
    /// The score of every response; the default for rewards.
    Example,
    /// Nowhere.
    None,
}

/// One item of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanItem {
    /// The query it belongs to, from 0.
    pub query: u32,
    /// Its weight, finite; below 0 it is a penalty, taken when the criterion is met.
    pub weight: f64,
    /// Whether a failure is reported apart and blocks.
    pub gate: bool,
    /// Whether [`RollUp::Mandatory`] demands it.
    pub mandatory: bool,
    /// Whether it is judged and shown but neither scored nor rolled up.
    pub monitored: bool,
    /// What it counts as when it does not apply.
    pub when_not_applicable: WhenNotApplicable,
}

impl PlanItem {
    /// An item of `query` with `weight` and nothing special about it.
    #[must_use]
    pub fn new(query: u32, weight: f64) -> Self {
        Self {
            query,
            weight,
            gate: false,
            mandatory: false,
            monitored: false,
            when_not_applicable: WhenNotApplicable::default(),
        }
    }
}

/// The least value of a criterion that is met: the midpoint of its scale, included (METHODS 56).
const MET: f64 = 0.5;

/// An outcome that missing labels may leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The rule is met, whatever the missing labels are.
    Pass,
    /// The rule is broken, whatever the missing labels are.
    Fail,
    /// Missing labels could turn it, or no criterion applies.
    Undetermined,
    /// There is no rule for this response.
    NoRule,
}

/// What the labels of one response amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseScore {
    /// The score, at most 1; below 0 where penalties outweigh. Undefined when no positive weight applies and is labelled.
    pub score: Result<f64, Undefined>,
    /// The outcome of the plan's roll-up.
    pub outcome: Outcome,
    /// The outcome of [`RollUp::All`], whatever the plan's own rule is.
    pub all_passed: Outcome,
    /// Whether all gates of the query pass; `NoRule` without a gate.
    pub gates: Outcome,
    /// The gates that failed, as positions in the plan.
    pub gates_failed: Vec<usize>,
    /// Share of the scored items that a judge labelled or called not applicable, in [0, 1]; 0 without an item.
    pub coverage: f64,
}

/// The score of a system over its queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SystemScore {
    /// The weighted mean over the queries with a score.
    pub score: Result<f64, Undefined>,
    /// Share of the query weight that has a score, in [0, 1].
    pub coverage: f64,
    /// How many queries have a score.
    pub queries_scored: usize,
}

/// Weights, penalties, gates and roll-up over the items of all queries, checked once.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorePlan {
    items: Vec<PlanItem>,
    starts: Vec<usize>,
    query_weights: Vec<f64>,
    roll_up: RollUp,
    clip: Clip,
}

impl ScorePlan {
    /// A plan over `items`, sorted by query, with one weight per query: `omega`, at least 0, of any sum.
    ///
    /// # Errors
    /// If a weight is not finite, a query weight is negative, an item names no query, or items are not sorted.
    ///
    /// Source: `[CR26]` eq. 1; METHODS 4, 46-49.
    ///
    /// ```
    /// use calibrant_stats::score::{Clip, Observation, PlanItem, RollUp, ScorePlan};
    ///
    /// // Points 7, 5, 10 and a penalty of 6; met, not met, met, and the penalty met: (7 + 10 - 6) / 22.
    /// let items = [7.0, 5.0, 10.0, -6.0].map(|points| PlanItem::new(0, points));
    /// let plan = ScorePlan::new(items.to_vec(), vec![1.0], RollUp::Weighted, Clip::Mean)?;
    /// let labels = [1.0, 0.0, 1.0, 1.0].map(Observation::Value);
    /// assert_eq!(plan.response(0, &labels).score, Ok(11.0 / 22.0));
    /// # Ok::<(), calibrant_stats::Error>(())
    /// ```
    pub fn new(items: Vec<PlanItem>, query_weights: Vec<f64>, roll_up: RollUp, clip: Clip) -> Result<Self, Error> {
        let weights: Vec<f64> = items.iter().map(|item| item.weight).collect();
        first_bad("item weights", &weights, "finite", f64::is_finite)?;
        all_nonnegative("query weights", &query_weights)?;
        check_sorted(&items)?;
        if let Some(last) = items.last()
            && last.query as usize >= query_weights.len()
        {
            return Err(Error::NoSuchIndex {
                what: "query",
                index: last.query as usize,
                count: query_weights.len(),
            });
        }
        let first_of = |query: usize| items.partition_point(|item| (item.query as usize) < query);
        let starts = (0..=query_weights.len()).map(first_of).collect();
        Ok(Self {
            items,
            starts,
            query_weights,
            roll_up,
            clip,
        })
    }

    /// The items, sorted by query.
    #[must_use]
    pub fn items(&self) -> &[PlanItem] {
        &self.items
    }

    /// The number of queries, with items or without.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.query_weights.len()
    }

    /// The positions of the items of `query`.
    ///
    /// # Panics
    /// If the query does not exist.
    #[must_use]
    pub fn items_of(&self, query: usize) -> Range<usize> {
        self.starts[query]..self.starts[query + 1]
    }

    /// Scores one response to `query` from one observation per item, in the order of [`ScorePlan::items_of`].
    ///
    /// The score is the sum of weights times values over the sum of the positive weights, both over the items that apply and are
    /// labelled: a penalty counts in the first sum only. Missing labels leave both sums and lower the coverage.
    ///
    /// # Panics
    /// If the query does not exist, the observations are not one per item, or a value is outside [0, 1].
    ///
    /// Source: `[CR26]` eq. 1; METHODS 4, 7, 46, 49.
    #[must_use]
    pub fn response(&self, query: usize, observations: &[Observation]) -> ResponseScore {
        let range = self.items_of(query);
        assert_eq!(range.len(), observations.len(), "one observation per item of the query");
        let mut tally = Tally::default();
        for (position, &observation) in range.zip(observations) {
            if let Observation::Value(value) = observation {
                assert!((0.0..=1.0).contains(&value), "a label's value lies in [0, 1]");
            }
            tally.add(position, &self.items[position], observation);
        }
        let score = tally.score();
        ResponseScore {
            score: match self.clip {
                Clip::Example => score.map(|s| s.clamp(0.0, 1.0)),
                Clip::Mean | Clip::None => score,
            },
            outcome: tally.outcome(self.roll_up),
            all_passed: tally.outcome(RollUp::All),
            gates: tally.gates(),
            coverage: tally.coverage(),
            gates_failed: tally.into_gates_failed(),
        }
    }

    /// Scores a system from the score of each query, one entry per query; `None` where the query has none.
    ///
    /// The weights of the queries with a score are scaled to sum to 1. With several samples of a query its score is their
    /// [`mean_of_samples`].
    ///
    /// # Panics
    /// If the scores are not one per query.
    ///
    /// Source: `[CR26]` eq. 1; METHODS 100.
    #[must_use]
    pub fn system(&self, query_scores: &[Option<f64>]) -> SystemScore {
        assert_eq!(query_scores.len(), self.queries(), "one score per query");
        let (mut sum, mut weight, mut queries_scored) = (0.0, 0.0, 0);
        for (&omega, score) in self.query_weights.iter().zip(query_scores) {
            if let Some(score) = score {
                sum += omega * score;
                weight += omega;
                queries_scored += 1;
            }
        }
        let whole: f64 = self.query_weights.iter().sum();
        SystemScore {
            score: self.mean(sum, weight).ok_or(Undefined::NoScoredQuery),
            coverage: if whole > 0.0 { weight / whole } else { 0.0 },
            queries_scored,
        }
    }

    /// The weight of each query.
    #[must_use]
    pub fn query_weights(&self) -> &[f64] {
        &self.query_weights
    }

    /// The mean of a weighted sum, clipped as a system's score is; none without weight.
    pub(crate) fn mean(&self, sum: f64, weight: f64) -> Option<f64> {
        let mean = (weight > 0.0).then(|| sum / weight)?;
        Some(match self.clip {
            Clip::Mean => mean.clamp(0.0, 1.0),
            Clip::Example | Clip::None => mean,
        })
    }
}

/// The mean of the scores of several samples of one query, over those that have one; `None` without any.
///
/// Source: METHODS 113.
#[must_use]
pub fn mean_of_samples(samples: &[ResponseScore]) -> Option<f64> {
    let scores: Vec<f64> = samples.iter().filter_map(|sample| sample.score.ok()).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// Whether a value in [0, 1] meets its criterion: from the midpoint of the scale up.
///
/// Source: METHODS 56.
#[must_use]
pub fn meets(value: f64) -> bool {
    value >= MET
}

/// How many equally weighted criteria a score with these weights is worth: `(sum w)^2 / sum w^2`, of absolute weights.
///
/// Below half the number of criteria, one of them decides too much: consider a gate.
///
/// # Errors
/// Undefined when no weight differs from 0.
///
/// Source: METHODS 116, 25.
pub fn k_eff(weights: &[f64]) -> Result<f64, Undefined> {
    let largest = weights.iter().fold(0.0, |largest: f64, w| largest.max(w.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return Err(Undefined::NoPositiveWeight);
    }
    // The ratio is the same in any unit; in units of the largest weight no square overflows or vanishes.
    let sum: f64 = weights.iter().map(|w| w.abs() / largest).sum();
    let squares: f64 = weights.iter().map(|w| (w / largest) * (w / largest)).sum();
    Ok(sum * sum / squares)
}

fn check_sorted(items: &[PlanItem]) -> Result<(), Error> {
    match items.windows(2).position(|pair| pair[0].query > pair[1].query) {
        None => Ok(()),
        Some(index) => Err(Error::ItemsNotSorted {
            index: index + 1,
            query: items[index + 1].query,
            earlier: items[index].query,
        }),
    }
}
