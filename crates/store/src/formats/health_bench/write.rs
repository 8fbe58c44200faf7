//! Rubrics and queries as HealthBench's rows, and what has no place in them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use calibrant_schema::query::Query;
use calibrant_schema::rubric::WhenNotApplicable;
use calibrant_schema::rubric::health_bench::{THEME, id_at};
use calibrant_schema::{Criterion, Response, Rubric, Scale};
use serde_json::{Map, Value, json};

use super::{IDEAL, REFERENCE};
use crate::formats::Losses;

/// Writes a rubric as HealthBench's rows, one a query, in the order of the queries and then of the criteria.
///
/// A criterion of all queries stands in every row. Responses of the systems `ideal` and `reference-1` and so on are ideal completions; those of others have no place, as verdicts have none. An id that is not
/// its criterion's place in the row is written as `id` beside it, which HealthBench's own reader passes over.
///
/// # Errors
/// If writing fails.
///
/// Source: PROTOCOLS 13.1.
pub fn write_health_bench(
    out: &mut impl Write,
    rubric: &Rubric,
    queries: &[Query],
    responses: &[Response],
) -> io::Result<Losses> {
    let mut losses = Losses::default();
    of_rubric(rubric, &mut losses);
    let shared: Vec<&Criterion> = rubric.criteria.iter().filter(|c| c.query.is_none()).collect();
    let mut own: BTreeMap<&str, Vec<&Criterion>> = BTreeMap::new();
    for criterion in &rubric.criteria {
        if let Some(query) = criterion.query.as_deref() {
            own.entry(query).or_default().push(criterion);
        }
        of_criterion(criterion, &mut losses);
    }
    let described: BTreeSet<&str> = queries.iter().map(|query| query.query.as_str()).collect();
    let answers = ideal_completions(responses, &described, &own, &mut losses);
    let bare = own.keys().filter(|query| !described.contains(*query));
    let bare: Vec<Query> = bare.map(|query| undescribed(query)).collect();
    if queries.len() + bare.len() > 1 {
        let why = "a row has criteria of its own: each stands in every row, and reads back as one a query";
        losses.add_many("criteria shared by all queries", why, shared.len() as u64);
    }
    for query in queries.iter().chain(&bare) {
        of_query(query, &mut losses);
        let criteria = shared.iter().chain(own.get(query.query.as_str()).into_iter().flatten());
        let row = row(query, criteria.copied(), answers.get(query.query.as_str()));
        writeln!(out, "{row}")?;
    }
    if queries.is_empty() && bare.is_empty() && !shared.is_empty() {
        let why = "a row belongs to a prompt, and there is none: give the queries too";
        losses.add_many("criteria without a query", why, shared.len() as u64);
    }
    Ok(losses)
}

fn undescribed(query: &str) -> Query {
    Query {
        query: query.to_owned(),
        prompt: None,
        task_type: None,
        domain: None,
        tags: Vec::new(),
        weight: 1.0,
        cluster: None,
    }
}

/// Ideal completions by query.
fn ideal_completions<'a>(
    responses: &'a [Response],
    described: &BTreeSet<&str>,
    own: &BTreeMap<&str, Vec<&Criterion>>,
    losses: &mut Losses,
) -> BTreeMap<&'a str, BTreeMap<u32, String>> {
    let mut found: BTreeMap<&str, BTreeMap<u32, String>> = BTreeMap::new();
    for response in responses {
        let query = response.query.as_str();
        let number = match response.system.as_str() {
            IDEAL => Some(0),
            system => system.strip_prefix(REFERENCE).and_then(|number| number.parse().ok()),
        };
        let has_row = described.contains(query) || own.contains_key(query);
        match number.filter(|_| has_row && response.sample == "1") {
            Some(number) => {
                found.entry(query).or_default().insert(number, response.text());
            }
            None => losses.add(
                "responses",
                "a row has a prompt and its criteria, and beside them only ideal completions",
            ),
        }
    }
    found
}

fn row<'c>(
    query: &Query,
    criteria: impl Iterator<Item = &'c Criterion>,
    ideal: Option<&BTreeMap<u32, String>>,
) -> Value {
    let items: Vec<Value> = (1..)
        .zip(criteria)
        .map(|(place, criterion)| item(place, criterion))
        .collect();
    let ideal = ideal.map(|answers| {
        let references: Vec<&String> = answers
            .iter()
            .filter(|(number, _)| **number > 0)
            .map(|(_, text)| text)
            .collect();
        json!({
            "ideal_completion": answers.get(&0),
            "ideal_completions_group": null,
            "ideal_completions_ref_completions": references,
        })
    });
    json!({
        "prompt": prompt(query),
        "prompt_id": query.query,
        "rubrics": items,
        "example_tags": tags(query),
        "ideal_completions_data": ideal,
    })
}

fn prompt(query: &Query) -> Value {
    match &query.prompt {
        None => json!([]),
        Some(Value::String(text)) => json!([{"role": "user", "content": text}]),
        Some(messages) => messages.clone(),
    }
}

fn theme_of(query: &Query) -> Option<String> {
    query.domain.as_ref().map(|domain| format!("{THEME}{domain}"))
}

fn tags(query: &Query) -> Vec<String> {
    let theme = theme_of(query).filter(|theme| !query.tags.contains(theme));
    theme.into_iter().chain(query.tags.iter().cloned()).collect()
}

fn item(place: usize, criterion: &Criterion) -> Value {
    let points = if criterion.monitor { 0.0 } else { criterion.weight };
    let mut item = Map::new();
    item.insert("criterion".into(), json!(criterion.question));
    item.insert("points".into(), number(points));
    item.insert("tags".into(), json!(criterion.tags));
    if criterion.id != id_at(place) {
        item.insert("id".into(), json!(criterion.id));
    }
    item.into()
}

/// Whole points without a decimal point, as the published rows have them.
fn number(points: f64) -> Value {
    if points.fract() == 0.0 && points.abs() < 1e15 {
        json!(points as i64)
    } else {
        json!(points)
    }
}

fn of_query(query: &Query, losses: &mut Losses) {
    match &query.prompt {
        None => losses.add("prompts", "no messages are known: give the queries with their prompts"),
        Some(Value::String(_)) => losses.add("prompts that are a text", "written as the one message of a user"),
        Some(_) => {}
    }
    let has_theme = theme_of(query).is_some_and(|theme| !query.tags.contains(&theme));
    losses.add_many(
        "domains of queries",
        "written as a further tag, `theme:` and the domain",
        u64::from(has_theme),
    );
    let no_place = "a row has no place for it";
    losses.add_many("task types of queries", no_place, u64::from(query.task_type.is_some()));
    losses.add_many("clusters of queries", no_place, u64::from(query.cluster.is_some()));
    losses.add_many(
        "weights of queries",
        "every example counts alike in the published score",
        u64::from(query.weight != 1.0),
    );
}

fn of_criterion(criterion: &Criterion, losses: &mut Losses) {
    let no_place = "a criterion has a text, points and tags, and no place for it";
    let boundary =
        "a grader of HealthBench sees the text of the criterion alone: what the boundary settles is open again";
    let mut lost = |what: &str, why: &str, is_there: bool| losses.add_many(what, why, u64::from(is_there));
    lost("boundaries", boundary, criterion.boundary.is_some());
    lost("pass examples", no_place, criterion.pass_example.is_some());
    lost("fail examples", no_place, criterion.fail_example.is_some());
    lost("rulings", no_place, !criterion.rulings.is_empty());
    lost("owners of weights", no_place, criterion.weight_owner.is_some());
    lost("dates of weights", no_place, criterion.weight_date.is_some());
    lost("gates", "a criterion has points, and none blocks", criterion.gate);
    lost("monitored criteria", "written with 0 points", criterion.monitor);
    let levels = "a grader answers met or not met: the levels between are gone";
    lost("scales of levels", levels, criterion.scale != Scale::Binary);
    lost(
        "what not applicable counts as",
        no_place,
        criterion.na != WhenNotApplicable::Skip,
    );
    lost("harms", no_place, criterion.harm.is_some());
    lost("silenced lints", no_place, !criterion.allow.is_empty());
    lost("checks in code", "a grader is asked instead", criterion.check.is_some());
}

fn of_rubric(rubric: &Rubric, losses: &mut Losses) {
    let points = "the score is points of met criteria over all positive points";
    losses.add_many("roll-up rules", points, u64::from(rubric.roll_up.is_some()));
    losses.add_many("violations", points, rubric.violations.len() as u64);
}
