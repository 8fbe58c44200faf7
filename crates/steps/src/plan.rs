//! The score plan of a pool or a bank: the one way from labels to the scores of responses, queries and systems.

use std::collections::BTreeSet;

use calibrant_schema::Labels;
use calibrant_schema::labels::Cell;
use calibrant_schema::query::Query;
use calibrant_schema::roll_up::RollUpRule;
use calibrant_stats::score::{Clip, Observation, PlanItem, ResponseScore, RollUp, ScorePlan, mean_of_samples};

use crate::calibrate::statistics;
use crate::error::StepError;
use crate::join::RubricJoin;
use crate::observe::{observation, when_not_applicable};

/// Weight and cluster of each query of some labels, in the order of [`Labels::queries`].
#[derive(Clone, Debug, PartialEq)]
pub struct QueryFacts {
    /// omega of equation 1, up to a factor.
    pub weights: Vec<f64>,
    /// Queries with one number are resampled together.
    pub clusters: Vec<u32>,
}

impl QueryFacts {
    /// Weight 1 and a cluster of its own for every query the list does not describe.
    ///
    /// # Errors
    /// If the list describes none of the labels' queries, or leaves every one with the weight 0.
    pub fn new(labels: &Labels, described: &[Query]) -> Result<Self, StepError> {
        let count = labels.queries.len();
        let (mut weights, mut names) = (vec![1.0; count], vec![None; count]);
        let mut known = 0;
        for query in described {
            if let Some(code) = labels.queries.find(&query.query) {
                known += 1;
                weights[code as usize] = query.weight;
                names[code as usize] = query.cluster.as_deref();
            }
        }
        if let (0, Some(first)) = (known, described.first()) {
            return Err(StepError::OtherQueries {
                described: described.len(),
                first: first.query.clone(),
            });
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            return Err(StepError::NoQueryWeight);
        }
        // A query without a cluster is one by itself; the first pair element keeps it apart from any named cluster.
        let keys: Vec<(bool, &str)> = (0..count)
            .map(|code| match names[code] {
                Some(name) => (true, name),
                None => (false, labels.queries.get(code as u32)),
            })
            .collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let number = |key: &(bool, &str)| sorted.binary_search(key).expect("the key is in its own list") as u32;
        Ok(Self {
            weights,
            clusters: keys.iter().map(number).collect(),
        })
    }
}

/// Which weights a plan takes, and with them which way a penalty counts.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'a> {
    /// The author's: a penalty subtracts when met (METHODS 4).
    Author,
    /// One positive weight per item of the plan; the good outcome of a penalty is "not met" (METHODS 101).
    Item(&'a [f64]),
}

/// A plan over some items of some labels.
#[derive(Clone, Debug)]
pub struct Scorer {
    plan: ScorePlan,
    /// Index in the labels of each item of the plan; none for a criterion that decides an outcome and was never judged.
    items: Vec<Option<usize>>,
    /// Whether the value of each item is turned round, so that 1 is good.
    turned: Vec<bool>,
}

/// One response and what its labels amount to.
#[derive(Clone, Debug)]
pub struct Scored {
    /// Code of the system.
    pub system: u32,
    /// Code of the query.
    pub query: u32,
    /// Code of the sample.
    pub sample: u32,
    /// Its score, outcome and gates.
    pub score: ResponseScore,
}

impl Scorer {
    /// A plan over `items` (indices into the labels, ascending).
    ///
    /// # Errors
    /// If the kernel refuses the weights.
    pub fn new(
        labels: &Labels,
        items: Vec<usize>,
        weights: Weights<'_>,
        facts: &QueryFacts,
        join: &RubricJoin<'_>,
    ) -> Result<Self, StepError> {
        let rule = join
            .rubric()
            .and_then(|rubric| rubric.roll_up.as_ref())
            .map(|roll_up| &roll_up.rule);
        let mut planned: Vec<(PlanItem, Option<usize>)> = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let (query, criterion) = (labels.query(*item), labels.criterion(*item));
            let weight = match weights {
                Weights::Author => join.weight(query, criterion),
                Weights::Item(weights) => weights[at],
            };
            planned.push((
                plan_item(labels.items[*item].query, query, criterion, weight, rule, join),
                Some(*item),
            ));
        }
        if let Weights::Author = weights {
            planned.extend(unjudged(labels, &items, rule, join));
            planned.sort_by_key(|(planned, _)| planned.query);
        }
        let (plan_items, items): (Vec<PlanItem>, Vec<Option<usize>>) = planned.into_iter().unzip();
        let turned = |item: &Option<usize>| {
            let is_penalty = |item: usize| join.is_penalty(labels.query(item), labels.criterion(item));
            matches!(weights, Weights::Item(_)) && item.is_some_and(is_penalty)
        };
        let plan = ScorePlan::new(plan_items, facts.weights.clone(), roll_up(rule), Clip::Mean);
        Ok(Self {
            plan: plan.map_err(statistics)?,
            turned: items.iter().map(turned).collect(),
            items,
        })
    }

    /// The compiled plan.
    pub fn plan(&self) -> &ScorePlan {
        &self.plan
    }

    /// Index in the labels of an item of the plan; none if nobody judged it.
    pub fn item(&self, at: usize) -> Option<usize> {
        self.items[at]
    }

    /// Scores every response that has a cell in the plan's items, sorted by (query, system, sample).
    pub fn responses(&self, labels: &Labels) -> Vec<Scored> {
        (0..labels.queries.len())
            .flat_map(|query| self.query_responses(labels, query))
            .collect()
    }

    fn query_responses(&self, labels: &Labels, query: usize) -> Vec<Scored> {
        let range = self.plan.items_of(query);
        let key = |cell: &Cell| (cell.system, cell.sample);
        let judged = range.clone().filter_map(|at| self.items[at]);
        let mut responses: Vec<(u32, u32)> = judged.flat_map(|item| labels.cells(item).iter().map(key)).collect();
        responses.sort_unstable();
        responses.dedup();
        let width = range.len();
        let mut observed = vec![Observation::Missing; responses.len() * width];
        for (column, at) in range.enumerate() {
            let Some(item) = self.items[at] else { continue };
            for cell in labels.cells(item) {
                let row = responses
                    .binary_search(&key(cell))
                    .expect("the cell is among the responses");
                observed[row * width + column] = self.turn(at, observation(labels, item, cell));
            }
        }
        responses
            .iter()
            .enumerate()
            .map(|(row, (system, sample))| Scored {
                system: *system,
                query: query as u32,
                sample: *sample,
                score: self.plan.response(query, &observed[row * width..(row + 1) * width]),
            })
            .collect()
    }

    fn turn(&self, at: usize, observation: Observation) -> Observation {
        match observation {
            Observation::Value(value) if self.turned[at] => Observation::Value(1.0 - value),
            other => other,
        }
    }

    /// Mean over samples of each (system, query), system by system.
    pub fn query_scores(&self, labels: &Labels, responses: &[Scored]) -> Vec<Option<f64>> {
        let queries = labels.queries.len();
        let mut scores = vec![None; labels.systems.len() * queries];
        for samples in responses.chunk_by(|left, right| (left.query, left.system) == (right.query, right.system)) {
            let at = samples[0].system as usize * queries + samples[0].query as usize;
            let of_samples: Vec<ResponseScore> = samples.iter().map(|sample| sample.score.clone()).collect();
            scores[at] = mean_of_samples(&of_samples);
        }
        scores
    }
}

fn plan_item(
    code: u32,
    query: &str,
    criterion: &str,
    weight: f64,
    rule: Option<&RollUpRule>,
    join: &RubricJoin<'_>,
) -> PlanItem {
    PlanItem {
        query: code,
        weight,
        gate: join.entry(query, criterion).is_some_and(|entry| entry.gate),
        mandatory: is_mandatory(rule, criterion),
        monitored: join.is_monitored(query, criterion),
        when_not_applicable: when_not_applicable(join.when_not_applicable(query, criterion)),
    }
}

fn is_mandatory(rule: Option<&RollUpRule>, criterion: &str) -> bool {
    matches!(rule, Some(RollUpRule::Mandatory(ids)) if ids.iter().any(|id| id == criterion))
}

/// Criteria of the rubric that decide an outcome or block, and that nobody judged on a query: without them an outcome
/// could be called a pass that they would turn.
fn unjudged(
    labels: &Labels,
    items: &[usize],
    rule: Option<&RollUpRule>,
    join: &RubricJoin<'_>,
) -> Vec<(PlanItem, Option<usize>)> {
    let counts_all = matches!(rule, Some(RollUpRule::All | RollUpRule::AtLeast(_)));
    let judged: BTreeSet<(u32, &str)> = items
        .iter()
        .map(|item| (labels.items[*item].query, labels.criterion(*item)))
        .collect();
    let mut missing = Vec::new();
    for entry in join.rubric().into_iter().flat_map(|rubric| &rubric.criteria) {
        let decides = counts_all || entry.gate || is_mandatory(rule, &entry.id);
        if !decides || entry.monitor || entry.check.is_some() {
            continue;
        }
        let own: Vec<u32> = match &entry.query {
            Some(query) => labels.queries.find(query).into_iter().collect(),
            None => (0..labels.queries.len() as u32).collect(),
        };
        for code in own
            .into_iter()
            .filter(|code| !judged.contains(&(*code, entry.id.as_str())))
        {
            let query = labels.queries.get(code);
            // A criterion written for the query stands before a shared one of the same id.
            if join
                .entry(query, &entry.id)
                .is_some_and(|known| std::ptr::eq(known, entry))
            {
                missing.push((plan_item(code, query, &entry.id, entry.weight, rule, join), None));
            }
        }
    }
    missing
}

fn roll_up(rule: Option<&RollUpRule>) -> RollUp {
    match rule {
        None | Some(RollUpRule::Weighted) => RollUp::Weighted,
        Some(RollUpRule::All) => RollUp::All,
        Some(RollUpRule::AtLeast(least)) => RollUp::AtLeast(*least),
        Some(RollUpRule::Mandatory(_)) => RollUp::Mandatory,
    }
}

/// A roll-up rule in words.
pub fn rule_words(rule: &RollUpRule) -> String {
    match rule {
        RollUpRule::All => "every criterion is met".to_owned(),
        RollUpRule::AtLeast(least) => format!("at least {least} criteria are met"),
        RollUpRule::Mandatory(ids) => format!("all of {} are met", ids.join(", ")),
        RollUpRule::Weighted => "none: the weighted score stands for itself".to_owned(),
    }
}
