//! Where a table of verdicts and a rubric meet.

use std::collections::BTreeMap;

use calibrant_schema::rubric::WhenNotApplicable;
use calibrant_schema::{Criterion, Rubric, Verdicts, Warning};

use crate::check::CODE_JUDGE;
use crate::error::StepError;

/// Looks criteria up by (id, query): one written for the query first, then one shared by all.
#[derive(Clone, Debug, Default)]
pub struct RubricJoin<'a> {
    rubric: Option<&'a Rubric>,
    known: BTreeMap<(&'a str, Option<&'a str>), &'a Criterion>,
}

impl<'a> RubricJoin<'a> {
    /// The look-up for a rubric; without one every criterion has weight 1 and no entry.
    pub fn new(rubric: Option<&'a Rubric>) -> Self {
        let known = rubric
            .into_iter()
            .flat_map(|rubric| &rubric.criteria)
            .map(|criterion| ((criterion.id.as_str(), criterion.query.as_deref()), criterion))
            .collect();
        Self { rubric, known }
    }

    /// The rubric joined.
    pub fn rubric(&self) -> Option<&'a Rubric> {
        self.rubric
    }

    /// The rubric's entry for a criterion of a query.
    pub fn entry(&self, query: &str, criterion: &str) -> Option<&'a Criterion> {
        let exact = self.known.get(&(criterion, Some(query)));
        exact.or_else(|| self.known.get(&(criterion, None))).copied()
    }

    /// The author's weight; 1 without a rubric.
    pub fn weight(&self, query: &str, criterion: &str) -> f64 {
        self.entry(query, criterion).map_or(1.0, |entry| entry.weight)
    }

    /// What "not applicable" counts as.
    pub fn when_not_applicable(&self, query: &str, criterion: &str) -> WhenNotApplicable {
        self.entry(query, criterion)
            .map_or(WhenNotApplicable::default(), |entry| entry.na)
    }

    /// Whether meeting the criterion is bad: a penalty.
    pub fn is_penalty(&self, query: &str, criterion: &str) -> bool {
        self.weight(query, criterion) < 0.0
    }

    /// Whether the criterion is judged and shown but never scored.
    pub fn is_monitored(&self, query: &str, criterion: &str) -> bool {
        self.entry(query, criterion).is_some_and(|entry| entry.monitor)
    }

    /// Whether code decides the criterion: what code says of it is taken as it is, and no panel agrees on it.
    pub fn is_decided_by_code(&self, query: &str, criterion: &str) -> bool {
        self.entry(query, criterion).is_some_and(|entry| entry.check.is_some())
    }

    /// The verdicts without those of other judges on items that code decides and has verdicts on.
    fn as_code_says(&self, verdicts: Verdicts) -> Verdicts {
        let Some(code) = verdicts.judges().find(CODE_JUDGE) else {
            return verdicts;
        };
        let mut by_code: Vec<bool> = vec![false; verdicts.items().len()];
        for row in verdicts.rows().filter(|row| row.judge == code) {
            let item = verdicts.items()[row.item as usize];
            let (query, criterion) = (
                verdicts.queries().get(item.query),
                verdicts.criteria().get(item.criterion),
            );
            by_code[row.item as usize] = self.is_decided_by_code(query, criterion);
        }
        match by_code.contains(&true) {
            true => verdicts.keep(|row| row.judge == code || !by_code[row.item as usize]),
            false => verdicts,
        }
    }

    /// What a fit reads of the rubric: (criterion, query, whether it is a penalty, whether it is monitored, what "not
    /// applicable" counts as).
    ///
    /// Ordered by id and query; empty without a rubric. A fit made before holds as long as this has not changed.
    pub fn signs(&self) -> Vec<(&'a str, Option<&'a str>, bool, bool, WhenNotApplicable)> {
        let row = |entry: &&'a Criterion| {
            (
                entry.id.as_str(),
                entry.query.as_deref(),
                entry.weight < 0.0,
                entry.monitor,
                entry.na,
            )
        };
        self.known.values().map(row).collect()
    }

    /// The verdicts on criteria the rubric has, with a warning for each side's leftovers.
    ///
    /// Where code decides a criterion and has spoken, the verdicts of other judges on it are left out without a word: the
    /// rubric says who decides.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn restrict(&self, verdicts: Verdicts) -> Result<(Verdicts, Vec<Warning>), StepError> {
        let Some(rubric) = self.rubric else {
            return Ok((verdicts, Vec::new()));
        };
        let known: Vec<bool> = verdicts
            .items()
            .iter()
            .map(|item| {
                let (query, criterion) = (
                    verdicts.queries().get(item.query),
                    verdicts.criteria().get(item.criterion),
                );
                self.entry(query, criterion).is_some()
            })
            .collect();
        let mut warnings = Vec::new();
        let kept = if known.iter().all(|known| *known) {
            verdicts
        } else {
            let kept = verdicts.keep(|row| known[row.item as usize]);
            warnings.push(not_in_rubric(&verdicts, &known, kept.len()));
            kept
        };
        if kept.is_empty() {
            return Err(StepError::NothingInCommon {
                table: match &warnings[..] {
                    [Warning::NotInRubric { example, .. }] => example.clone(),
                    _ => String::new(),
                },
                rubric: rubric.criteria.first().map_or(String::new(), in_words),
            });
        }
        warnings.extend(never_judged(rubric, &kept));
        Ok((self.as_code_says(kept), warnings))
    }
}

/// A criterion's id, with its query if it belongs to one; the message puts marks around the whole.
fn in_words(criterion: &Criterion) -> String {
    match &criterion.query {
        None => criterion.id.clone(),
        Some(query) => format!("{}` of query `{query}", criterion.id),
    }
}

fn not_in_rubric(verdicts: &Verdicts, known: &[bool], kept: usize) -> Warning {
    let unknown = || {
        verdicts
            .items()
            .iter()
            .zip(known)
            .filter(|(_, known)| !**known)
            .map(|(item, _)| item.criterion)
    };
    let mut criteria: Vec<u32> = unknown().collect();
    criteria.sort_unstable();
    criteria.dedup();
    Warning::NotInRubric {
        criteria: criteria.len(),
        verdicts: verdicts.len() - kept,
        example: verdicts.criteria().get(criteria[0]).to_owned(),
    }
}

fn never_judged(rubric: &Rubric, verdicts: &Verdicts) -> Option<Warning> {
    let judged = |criterion: &&Criterion| {
        let Some(code) = verdicts.criteria().find(&criterion.id) else {
            return false;
        };
        let Some(query) = &criterion.query else { return true };
        let Some(query) = verdicts.queries().find(query) else {
            return false;
        };
        let item = calibrant_schema::verdicts::Item { query, criterion: code };
        verdicts.items().binary_search(&item).is_ok()
    };
    // A check in code needs no judge.
    let missing: Vec<&Criterion> = rubric
        .criteria
        .iter()
        .filter(|criterion| criterion.check.is_none() && !judged(criterion))
        .collect();
    let first = missing.first()?;
    Some(Warning::NeverJudged {
        criteria: missing.len(),
        example: first.id.clone(),
    })
}
