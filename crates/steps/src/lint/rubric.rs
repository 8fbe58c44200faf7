//! Lints of the rubric as a whole: weights, what guards against faults, what criteria lack.
//!
//! Source: METHODS 16, 17, 18, 19, 25.

use std::collections::BTreeMap;

use calibrant_schema::{Criterion, Rubric, Scale};
use calibrant_stats::score::k_eff;

use super::catalogue::{
    HEAVY_CRITERION, Lint, MISSING_BOUNDARY, MISSING_FAIL_EXAMPLE, NO_NEGATIVE, STATEMENT_FORM, UNANCHORED_SCALE,
    WEIGHT_CONCENTRATION,
};
use super::polarity::guards;
use super::subject::{Hit, Subject};

/// A finding about the rubric, shown at a criterion or at the list of criteria.
pub(super) struct Whole {
    pub(super) lint: Lint,
    /// The criterion it is shown at, with the key.
    pub(super) at: Option<(usize, &'static str)>,
    pub(super) what: String,
    pub(super) label: String,
}

/// A rubric of fewer criteria is too small to say that something is missing from it.
const FEWEST_CRITERIA: usize = 3;

/// METHODS 18: a graded scale with a level that has no text.
pub(super) fn unanchored_scale(subject: &Subject<'_>) -> Option<Hit> {
    let Scale::Levels(levels) = &subject.criterion.scale else {
        return None;
    };
    let bare = levels.iter().filter(|level| level.anchor.is_none()).count();
    if bare == 0 {
        return None;
    }
    let id = &subject.criterion.id;
    let what = match bare == levels.len() {
        true => format!("no level of `{id}` has a text"),
        false => format!("{bare} of the {} levels of `{id}` have no text", levels.len()),
    };
    Some(Hit {
        lint: UNANCHORED_SCALE,
        key: "scale",
        range: None,
        what,
        label: "judges fill levels without a text differently".to_owned(),
        help: UNANCHORED_SCALE.help.to_owned(),
    })
}

/// What is said once of the whole file.
pub(super) fn whole(rubric: &Rubric, subjects: &[Option<Subject<'_>>]) -> Vec<Whole> {
    let mut found = Vec::new();
    found.extend(statements(subjects));
    found.extend(lacking(rubric, MISSING_FAIL_EXAMPLE, "fail_example", |criterion| {
        criterion.fail_example.is_none()
    }));
    found.extend(lacking(rubric, MISSING_BOUNDARY, "boundary", |criterion| {
        criterion.boundary.is_none() && criterion.rulings.is_empty()
    }));
    found.extend(no_negative(rubric, subjects));
    weights(rubric, &mut found);
    found
}

fn statements(subjects: &[Option<Subject<'_>>]) -> Option<Whole> {
    let read: Vec<(usize, &Subject<'_>)> = subjects
        .iter()
        .enumerate()
        .filter_map(|(at, subject)| Some((at, subject.as_ref()?)))
        .filter(|(_, subject)| !subject.criterion.allow.contains_key(STATEMENT_FORM.id))
        .collect();
    let (first, _) = *read.iter().find(|(_, subject)| subject.statement)?;
    let count = read.iter().filter(|(_, subject)| subject.statement).count();
    Some(Whole {
        lint: STATEMENT_FORM,
        at: Some((first, "question")),
        what: format!("{count} of {} criteria are statements, not questions", read.len()),
        label: "the first of them".to_owned(),
    })
}

/// One note on what some criteria that judges answer do not have.
fn lacking(rubric: &Rubric, lint: Lint, key: &str, lacks: fn(&Criterion) -> bool) -> Option<Whole> {
    let asked = || {
        let judged = |criterion: &Criterion| criterion.check.is_none() && !criterion.allow.contains_key(lint.id);
        rubric
            .criteria
            .iter()
            .enumerate()
            .filter(move |(_, criterion)| judged(criterion))
    };
    let (first, _) = asked().find(|(_, criterion)| lacks(criterion))?;
    let count = asked().filter(|(_, criterion)| lacks(criterion)).count();
    let of = asked().count();
    Some(Whole {
        lint,
        at: Some((first, "question")),
        what: format!("{count} of {of} criteria have no `{key}`"),
        label: "the first of them".to_owned(),
    })
}

/// METHODS 19: nothing in the rubric can be lost by saying more. Pools are looked at as a whole.
fn no_negative(rubric: &Rubric, subjects: &[Option<Subject<'_>>]) -> Option<Whole> {
    let scored = rubric.criteria.iter().filter(|criterion| !criterion.monitor).count();
    let guarded = subjects.iter().flatten().any(guards)
        || rubric
            .criteria
            .iter()
            .any(|criterion| criterion.weight < 0.0 || criterion.check.is_some());
    // A text that was not read may hold the guard.
    let unread = rubric
        .criteria
        .iter()
        .zip(subjects)
        .any(|(criterion, subject)| subject.is_none() && criterion.check.is_none());
    (scored >= FEWEST_CRITERIA && !guarded && !unread).then(|| Whole {
        lint: NO_NEGATIVE,
        at: None,
        what: format!("all {scored} criteria reward presence: saying more never costs"),
        label: "no criterion is about a fault".to_owned(),
    })
}

/// The scored criteria of one query together with those shared by all.
type Groups<'a> = BTreeMap<Option<&'a str>, Vec<usize>>;

/// Criteria by query; shared ones stand in every group, and alone where there are no queries.
pub(super) fn groups(rubric: &Rubric) -> Groups<'_> {
    let shared: Vec<usize> = members(rubric, |criterion| criterion.query.is_none());
    let mut groups: Groups<'_> = BTreeMap::new();
    for (at, criterion) in rubric.criteria.iter().enumerate() {
        if let Some(query) = criterion.query.as_deref() {
            groups.entry(Some(query)).or_insert_with(|| shared.clone()).push(at);
        }
    }
    if groups.is_empty() {
        groups.insert(None, shared);
    }
    groups
}

fn members(rubric: &Rubric, belongs: impl Fn(&Criterion) -> bool) -> Vec<usize> {
    (0..rubric.criteria.len())
        .filter(|at| belongs(&rubric.criteria[*at]))
        .collect()
}

/// METHODS 25: few criteria carry the weight; one outweighs all others.
fn weights(rubric: &Rubric, found: &mut Vec<Whole>) {
    let groups = groups(rubric);
    let mut concentrated: Vec<(Option<&str>, f64, usize)> = Vec::new();
    let mut heavy: Vec<(usize, f64, f64)> = Vec::new();
    for (query, members) in &groups {
        let scored: Vec<usize> = members
            .iter()
            .copied()
            .filter(|at| !rubric.criteria[*at].monitor)
            .collect();
        let sizes: Vec<f64> = scored.iter().map(|at| rubric.criteria[*at].weight.abs()).collect();
        if sizes.len() < FEWEST_CRITERIA {
            continue;
        }
        if let Ok(effective) = k_eff(&sizes)
            && effective < sizes.len() as f64 / 2.0
        {
            concentrated.push((*query, effective, sizes.len()));
        }
        heavy.extend(heaviest(rubric, &scored));
    }
    let of_queries = groups.keys().any(Option::is_some);
    if let Some((query, effective, size)) = concentrated.first() {
        let example = query.map_or(String::new(), |query| format!(" of query `{query}`"));
        let what = match of_queries {
            false => format!("{size} criteria weigh like {effective:.1}"),
            true => format!(
                "in {} of {} queries few criteria carry the weight: the {size}{example} weigh like {effective:.1}",
                concentrated.len(),
                groups.len()
            ),
        };
        found.push(Whole {
            lint: WEIGHT_CONCENTRATION,
            at: None,
            what,
            label: format!("fewer than half of {size}"),
        });
    }
    heavy.dedup_by_key(|(at, ..)| *at);
    let Some((at, weight, rest)) = heavy.first() else {
        return;
    };
    let id = &rubric.criteria[*at].id;
    let what = match of_queries {
        false => format!("criterion `{id}` weighs {weight}, all others together {rest}"),
        true => format!(
            "in {} of {} queries one criterion outweighs all others; first `{id}`: {weight} against {rest}",
            heavy.len(),
            groups.len()
        ),
    };
    found.push(Whole {
        lint: HEAVY_CRITERION,
        at: Some((*at, "weight")),
        what,
        label: "nothing makes up for this one".to_owned(),
    });
}

/// The criterion of a group that outweighs the other positive ones together and is no gate.
fn heaviest(rubric: &Rubric, scored: &[usize]) -> Option<(usize, f64, f64)> {
    let positive = scored.iter().copied().filter(|at| rubric.criteria[*at].weight > 0.0);
    let total: f64 = positive.clone().map(|at| rubric.criteria[at].weight).sum();
    let at = positive.max_by(|one, other| rubric.criteria[*one].weight.total_cmp(&rubric.criteria[*other].weight))?;
    let criterion = &rubric.criteria[at];
    let rest = total - criterion.weight;
    let allowed = criterion.gate || criterion.allow.contains_key(HEAVY_CRITERION.id);
    (!allowed && rest > 0.0 && criterion.weight > rest).then_some((at, criterion.weight, rest))
}
