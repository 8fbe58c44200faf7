//! What several roll-up rules make of the same responses, and which responses lie between two of them.

use std::collections::BTreeMap;

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::roll_up::{RollUp, RollUpRule};
use calibrant_schema::roll_ups::{GapRow, RollUpResponse, RollUps, RuleRow};
use calibrant_schema::{Criterion, Labels, Rubric};
use calibrant_stats::proportion::wilson_interval;
use calibrant_stats::score::{Observation, Outcome, meets};

use crate::error::StepError;
use crate::join::RubricJoin;
use crate::observe::observation;
use crate::plan::{QueryFacts, Scored, Scorer, Weights, rule_words};
use crate::reason::reason;

/// The outcomes of `rules` on the responses behind `labels`, and the gap between each two rules.
///
/// Outcomes come from the one [`Scorer`]. Everything that [`RollUpRule::All`] passes is passed by every
/// [`RollUpRule::AtLeast`], and by every [`RollUpRule::Mandatory`] whose criteria are asked, so such a gap is exactly the
/// share of responses that pass the looser rule alone; they are listed. Without a rubric every criterion of the table
/// counts, one met with a single query as written for it.
///
/// # Errors
/// If there are fewer than two rules, or one of them is the weighted score, which has no outcome, or demands a criterion
/// nobody knows.
///
/// Source: METHODS 46-48.
pub fn roll_ups(
    labels: &Labels,
    join: &RubricJoin<'_>,
    rules: &[RollUpRule],
    header: Header,
) -> Result<RollUps, StepError> {
    if rules.len() < 2 {
        return Err(StepError::OneRule);
    }
    let rubric = join.rubric().cloned().unwrap_or_else(|| rubric_of(labels));
    let mut outcomes = Vec::with_capacity(rules.len());
    for rule in rules {
        known_criteria(rule, &rubric)?;
        outcomes.push(responses_by(labels, &rubric, rule)?);
    }
    let mut keys: Vec<Response> = outcomes.iter().flat_map(|outcomes| outcomes.keys().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    let rows = rules
        .iter()
        .zip(&outcomes)
        .map(|(rule, outcomes)| rule_row(rule, outcomes));
    let names = Named {
        labels,
        join: RubricJoin::new(Some(&rubric)),
    };
    let mut gaps = Vec::new();
    for (at, first) in rules.iter().enumerate() {
        for (then, second) in rules.iter().enumerate().skip(at + 1) {
            gaps.push(gap(&names, (first, &outcomes[at]), (second, &outcomes[then])));
        }
    }
    Ok(RollUps {
        header: Header {
            format: RollUps::FORMAT.to_owned(),
            ..header
        },
        responses: keys.len() as u64,
        rules: rows.collect(),
        gaps,
    })
}

/// Codes of system, query and sample.
type Response = (u32, u32, u32);
type Outcomes = BTreeMap<Response, Outcome>;

/// A rubric of the criteria of a table: weight 1 each, written for its query where it is met with a single one.
fn rubric_of(labels: &Labels) -> Rubric {
    let mut queries: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in 0..labels.items.len() {
        queries
            .entry(labels.criterion(item))
            .or_default()
            .push(labels.query(item));
    }
    let criterion = |(id, queries): (&&str, &Vec<&str>)| {
        let mut criterion = Criterion::new(*id, "");
        criterion.query = match queries[..] {
            [only] if labels.queries.len() > 1 => Some(only.to_owned()),
            _ => None,
        };
        criterion
    };
    Rubric {
        criteria: queries.iter().map(criterion).collect(),
        ..Rubric::default()
    }
}

fn known_criteria(rule: &RollUpRule, rubric: &Rubric) -> Result<(), StepError> {
    match rule {
        RollUpRule::Weighted => Err(StepError::RuleWithoutOutcome),
        RollUpRule::Mandatory(ids) => {
            let unknown = ids
                .iter()
                .find(|id| rubric.criteria.iter().all(|known| known.id != **id));
            unknown.map_or(Ok(()), |id| Err(StepError::UnknownMandatory { criterion: id.clone() }))
        }
        RollUpRule::All | RollUpRule::AtLeast(_) => Ok(()),
    }
}

fn responses_by(labels: &Labels, rubric: &Rubric, rule: &RollUpRule) -> Result<Outcomes, StepError> {
    let ruled = Rubric {
        roll_up: Some(RollUp {
            rule: rule.clone(),
            reason: None,
            date: None,
        }),
        ..rubric.clone()
    };
    let join = RubricJoin::new(Some(&ruled));
    let items = (0..labels.items.len()).collect();
    let facts = QueryFacts::new(labels, &[])?;
    let scorer = Scorer::new(labels, items, Weights::Author, &facts, &join)?;
    let outcome = |scored: Scored| ((scored.system, scored.query, scored.sample), scored.score.outcome);
    Ok(scorer.responses(labels).into_iter().map(outcome).collect())
}

fn count(outcomes: &Outcomes, wanted: Outcome) -> u64 {
    outcomes.values().filter(|outcome| **outcome == wanted).count() as u64
}

fn rule_row(rule: &RollUpRule, outcomes: &Outcomes) -> RuleRow {
    let (passed, failed) = (count(outcomes, Outcome::Pass), count(outcomes, Outcome::Fail));
    let interval = wilson_interval(passed, passed + failed);
    RuleRow {
        rule: rule.to_string(),
        words: rule_words(rule),
        passed,
        failed,
        open: outcomes.len() as u64 - passed - failed,
        pass_rate: share(passed, passed + failed),
        low: interval.ok().map(|(low, _)| low),
        high: interval.ok().map(|(_, high)| high),
        undefined: interval.err().map(reason),
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// What turns codes into the words of an artifact.
struct Named<'a> {
    labels: &'a Labels,
    join: RubricJoin<'a>,
}

impl Named<'_> {
    fn response(&self, (system, query, sample): Response) -> RollUpResponse {
        let fails = |item: &usize| {
            let cells = self.labels.cells(*item).iter();
            let mut own = cells.filter(|cell| (cell.system, cell.sample) == (system, sample));
            own.any(|cell| match observation(self.labels, *item, cell) {
                Observation::Value(value) => {
                    let (query, criterion) = (self.labels.query(*item), self.labels.criterion(*item));
                    meets(value) == self.join.is_penalty(query, criterion)
                }
                Observation::NotApplicable | Observation::Missing => false,
            })
        };
        let items = (0..self.labels.items.len()).filter(|item| self.labels.items[*item].query == query);
        RollUpResponse {
            system: self.labels.systems.get(system).to_owned(),
            query: self.labels.queries.get(query).to_owned(),
            sample: self.labels.samples.get(sample).to_owned(),
            fails: items
                .filter(fails)
                .map(|item| self.labels.criterion(item).to_owned())
                .collect(),
        }
    }

    fn responses(&self, responses: &[Response]) -> Vec<RollUpResponse> {
        responses.iter().map(|response| self.response(*response)).collect()
    }
}

/// Two rules over the responses that both decide; of rules that pass as many, the one named first is the stricter.
fn gap(named: &Named<'_>, first: (&RollUpRule, &Outcomes), second: (&RollUpRule, &Outcomes)) -> GapRow {
    let decided = |outcome: Option<&Outcome>| match outcome {
        Some(Outcome::Pass) => Some(true),
        Some(Outcome::Fail) => Some(false),
        _ => None,
    };
    let both: Vec<(Response, bool, bool)> = first
        .1
        .iter()
        .filter_map(|(response, outcome)| Some((*response, decided(Some(outcome))?, decided(second.1.get(response))?)))
        .collect();
    let passed_first = both.iter().filter(|(_, first, _)| *first).count() as u64;
    let passed_second = both.iter().filter(|(_, _, second)| *second).count() as u64;
    let alone = |passes: fn(&(Response, bool, bool)) -> bool| -> Vec<Response> {
        both.iter().filter(|row| passes(row)).map(|row| row.0).collect()
    };
    let (only_first, only_second) = (
        alone(|(_, first, second)| *first && !second),
        alone(|(_, first, second)| *second && !first),
    );
    let first_is_stricter = passed_first <= passed_second;
    let ((stricter, passed_stricter, against), (looser, passed_looser, between)) = match first_is_stricter {
        true => (
            (first.0, passed_first, only_first),
            (second.0, passed_second, only_second),
        ),
        false => (
            (second.0, passed_second, only_second),
            (first.0, passed_first, only_first),
        ),
    };
    GapRow {
        stricter: stricter.to_string(),
        looser: looser.to_string(),
        responses: both.len() as u64,
        passed_stricter,
        passed_looser,
        gap: share(passed_looser - passed_stricter, both.len() as u64),
        nested: against.is_empty(),
        between: named.responses(&between),
        against: named.responses(&against),
    }
}
