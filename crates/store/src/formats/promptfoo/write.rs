//! A rubric as a configuration that promptfoo runs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use calibrant_schema::query::Query;
use calibrant_schema::roll_up::RollUpRule;
use calibrant_schema::rubric::WhenNotApplicable;
use calibrant_schema::scale::Scale;
use calibrant_schema::{Criterion, Response, Rubric};
use serde_json::{Value, json};

use super::check::assertion;
use super::template::inert;
use crate::formats::Losses;

/// Writes a rubric, with the queries it is about and, where there are any, the responses to grade, as a configuration for
/// `promptfoo eval`.
///
/// Each criterion is an assertion whose `metric` is its id: `llm-rubric` for a judge, a type of promptfoo's own for a check. The text of
/// an `llm-rubric` is all that promptfoo's judge sees, so boundary and examples follow the question in it. A response
/// is a test whose answer is given, under a provider named for its system; without responses the provider is `echo`, to be replaced. The
/// id of a query stands in the `metadata` of its tests, where reading results finds it.
///
/// Texts are written so that promptfoo's templates leave them as they are. Returns what does not survive.
///
/// # Errors
/// If writing fails.
pub fn write_promptfoo_config(
    out: &mut impl Write,
    rubric: &Rubric,
    queries: &[Query],
    responses: &[Response],
) -> io::Result<Losses> {
    let mut losses = Losses::default();
    of_rubric(rubric, &mut losses);
    writeln!(
        out,
        "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json"
    )?;
    if responses.is_empty() {
        writeln!(
            out,
            "# Put the systems to be tested under `providers`; `echo` answers with the question."
        )?;
    }
    writeln!(
        out,
        "description: {}",
        quoted(rubric.name.as_deref().unwrap_or("A rubric"))
    )?;
    writeln!(
        out,
        "prompts:\n  - {{label: prompt, raw: \"{{{{prompt}}}}\"}}\nproviders:"
    )?;
    for system in systems(responses) {
        writeln!(out, "  - {{id: echo, label: {}}}", quoted(system))?;
    }
    if responses.is_empty() {
        writeln!(out, "  - echo")?;
    }
    writeln!(out, "defaultTest:")?;
    if !matches!(
        rubric.roll_up.as_ref().map(|roll_up| &roll_up.rule),
        Some(RollUpRule::All)
    ) {
        // No outcome is formed: without a threshold every criterion would be a gate.
        writeln!(out, "  threshold: 0")?;
    }
    let shared: Vec<&Criterion> = rubric
        .criteria
        .iter()
        .filter(|criterion| criterion.query.is_none())
        .collect();
    put_assertions(out, "  ", &shared, &mut losses)?;
    put_tests(out, rubric, queries, responses, &mut losses)?;
    Ok(losses)
}

/// The systems in the order met.
fn systems(responses: &[Response]) -> Vec<&str> {
    let mut systems: Vec<&str> = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for response in responses {
        if known.insert(response.system.as_str()) {
            systems.push(&response.system);
        }
    }
    systems
}

/// Counts what of a rubric has no place.
fn of_rubric(rubric: &Rubric, losses: &mut Losses) {
    match rubric.roll_up.as_ref().map(|roll_up| &roll_up.rule) {
        Some(RollUpRule::AtLeast(_) | RollUpRule::Mandatory(_)) => {
            losses.add(
                "the roll-up",
                "a test passes in promptfoo when all assertions do, or by a score: no outcome is formed",
            );
        }
        Some(RollUpRule::All | RollUpRule::Weighted) | None => {}
    }
    losses.add_many(
        "violations",
        "promptfoo has no losses of risk",
        rubric.violations.len() as u64,
    );
    let mut count = |what: &str, why: &str, holds: fn(&Criterion) -> bool| {
        losses.add_many(
            what,
            why,
            rubric.criteria.iter().filter(|criterion| holds(criterion)).count() as u64,
        );
    };
    count(
        "gates",
        "no assertion of promptfoo blocks alone: `calibrant score` says which gates failed",
        |c| c.gate,
    );
    count(
        "rules for criteria that do not apply",
        "promptfoo's judge says pass or fail",
        |c| c.na != WhenNotApplicable::Skip,
    );
    count(
        "tags, harm, rulings, and owners and dates of weights",
        "an assertion has no fields for them; they stay in the rubric",
        |c| {
            !c.tags.is_empty()
                || c.harm.is_some()
                || !c.rulings.is_empty()
                || c.weight_owner.is_some()
                || c.weight_date.is_some()
        },
    );
    count(
        "boundaries and examples as fields of their own",
        "promptfoo's judge sees one text: they follow the question in it",
        |c| c.check.is_none() && (c.boundary.is_some() || c.pass_example.is_some() || c.fail_example.is_some()),
    );
}

fn put_assertions(out: &mut impl Write, indent: &str, criteria: &[&Criterion], losses: &mut Losses) -> io::Result<()> {
    let written: Vec<(&Criterion, &str, Value)> = criteria
        .iter()
        .filter_map(|criterion| {
            let (kind, value) = said(criterion, losses)?;
            Some((*criterion, kind, value))
        })
        .collect();
    if written.is_empty() {
        return writeln!(out, "{indent}assert: []");
    }
    writeln!(out, "{indent}assert:")?;
    for (criterion, kind, value) in written {
        writeln!(out, "{indent}  - type: {kind}")?;
        writeln!(out, "{indent}    metric: {}", quoted(&inert(&criterion.id)))?;
        let weight = weight(criterion, losses);
        if weight != 1.0 {
            writeln!(out, "{indent}    weight: {weight}")?;
        }
        writeln!(out, "{indent}    value: {}", flow(&value))?;
    }
    Ok(())
}

/// Type and value of the assertion that a criterion is.
fn said(criterion: &Criterion, losses: &mut Losses) -> Option<(&'static str, Value)> {
    if criterion.scale != Scale::Binary {
        losses.add(
            "criteria with graded scales",
            "promptfoo's judge says pass or fail: they are left out",
        );
        return None;
    }
    match &criterion.check {
        None => Some(("llm-rubric", Value::String(inert(&text(criterion))))),
        Some(check) => {
            let Some((kind, value)) = assertion(check) else {
                let why = "promptfoo has no assertion that decides alike: they are left out";
                losses.add("criteria with a check", why);
                return None;
            };
            Some((kind, inert_value(&value)))
        }
    }
}

/// What promptfoo's judge is shown of a criterion.
fn text(criterion: &Criterion) -> String {
    let mut text = criterion.question.clone();
    for (words, part) in [
        ("Boundary", &criterion.boundary),
        ("An answer that meets it", &criterion.pass_example),
        ("A near miss, which does not", &criterion.fail_example),
    ] {
        if let Some(part) = part {
            text.push_str(&format!("\n\n{words}: {part}"));
        }
    }
    text
}

fn weight(criterion: &Criterion, losses: &mut Losses) -> f64 {
    if criterion.weight < 0.0 {
        let why = "promptfoo takes a failed assertion for bad and divides by the sum of weights: their weight is 0, and their metric says how \
                   often they are met; import the results to score with penalties";
        losses.add("penalties", why);
        return 0.0;
    }
    if criterion.monitor { 0.0 } else { criterion.weight }
}

fn put_tests(
    out: &mut impl Write,
    rubric: &Rubric,
    queries: &[Query],
    responses: &[Response],
    losses: &mut Losses,
) -> io::Result<()> {
    let mut own: BTreeMap<&str, Vec<&Criterion>> = BTreeMap::new();
    for criterion in &rubric.criteria {
        if let Some(query) = &criterion.query {
            own.entry(query).or_default().push(criterion);
        }
    }
    let prompts: BTreeMap<&str, &Query> = queries.iter().map(|query| (query.query.as_str(), query)).collect();
    let mut answers: BTreeMap<&str, Vec<&Response>> = BTreeMap::new();
    for response in responses {
        answers.entry(&response.query).or_default().push(response);
    }
    let ids = ids(queries, rubric, responses);
    writeln!(out, "tests:{}", if ids.is_empty() { " []" } else { "" })?;
    for id in ids {
        let query = prompts.get(id).copied();
        let prompt = prompt(query, losses);
        let of_query = own.get(id).map_or(&[][..], Vec::as_slice);
        match answers.get(id) {
            Some(answers) => {
                for answer in answers {
                    put_test(out, id, &prompt, Some(answer), of_query, losses)?;
                }
            }
            None if responses.is_empty() => put_test(out, id, &prompt, None, of_query, losses)?,
            None => losses.add("queries without a response", "there is nothing to grade"),
        }
    }
    Ok(())
}

/// The queries in the order met: of the list, of criteria, of responses.
fn ids<'a>(queries: &'a [Query], rubric: &'a Rubric, responses: &'a [Response]) -> Vec<&'a str> {
    let listed = queries.iter().map(|query| query.query.as_str());
    let of_criteria = rubric
        .criteria
        .iter()
        .filter_map(|criterion| criterion.query.as_deref());
    let answered = responses.iter().map(|response| response.query.as_str());
    let mut known = std::collections::BTreeSet::new();
    listed
        .chain(of_criteria)
        .chain(answered)
        .filter(|id| known.insert(*id))
        .collect()
}

fn prompt(query: Option<&Query>, losses: &mut Losses) -> String {
    let Some(query) = query else {
        losses.add(
            "prompts of queries that are not listed",
            "their prompt is empty: give the queries",
        );
        return String::new();
    };
    if query.domain.is_some()
        || query.task_type.is_some()
        || query.cluster.is_some()
        || !query.tags.is_empty()
        || query.weight != 1.0
    {
        losses.add(
            "task types, domains, tags, weights and clusters of queries",
            "a test has no fields for them; they stay with the queries",
        );
    }
    match &query.prompt {
        Some(Value::String(text)) => text.clone(),
        Some(messages) => messages.to_string(),
        None => {
            losses.add("queries without a prompt", "their prompt is empty");
            String::new()
        }
    }
}

fn put_test(
    out: &mut impl Write,
    id: &str,
    prompt: &str,
    answer: Option<&Response>,
    criteria: &[&Criterion],
    losses: &mut Losses,
) -> io::Result<()> {
    let mut metadata = json!({"query": id});
    let mut given = Vec::new();
    if let Some(answer) = answer {
        let text = answer.text();
        if text.is_empty() {
            losses.add(
                "empty responses",
                "promptfoo asks the provider where the answer is empty: they are left out",
            );
            return Ok(());
        }
        if !answer.body.is_string() {
            losses.add(
                "conversations in responses",
                "an answer is one text: the last message of the assistant",
            );
        }
        metadata["sample"] = json!(answer.sample);
        given.push(format!("    providers: [{}]", quoted(&answer.system)));
        given.push(format!("    providerOutput: {}", quoted(&text)));
    }
    writeln!(out, "  - description: {}", quoted(&inert(id)))?;
    writeln!(out, "    vars: {{prompt: {}}}", quoted(&inert(prompt)))?;
    writeln!(out, "    metadata: {{calibrant: {}}}", flow(&metadata))?;
    given.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    if criteria.is_empty() {
        Ok(())
    } else {
        put_assertions(out, "    ", criteria, losses)
    }
}

/// A value of a check, every text in it safe from templates.
fn inert_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(inert(text)),
        Value::Array(items) => items.iter().map(inert_value).collect(),
        // A schema is data: promptfoo renders no texts inside of it.
        value => value.clone(),
    }
}

/// JSON as YAML reads it.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let pairs = map
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), flow(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}

/// A text in double quotes on one line, with everything escaped that a reader of YAML refuses or an editor hides.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let hidden = matches!(u32::from(c), 0x7f..=0x9f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff0..=0xffff);
        match (hidden, u32::from(c)) {
            (true, code) => out.push_str(&format!("\\u{code:04x}")),
            (false, code @ 0xe0000..) => out.push_str(&format!("\\U{code:08x}")),
            (false, _) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_everything() {
        let text = "a\"\\\n\u{1b}\u{7f}\u{85}\u{2028}\u{202e}\u{feff}\u{e0041}é{{";
        let yaml = format!("value: {}", quoted(text));
        let (node, _) =
            calibrant_schema::tree::parse(&yaml, "t", calibrant_schema::tree::Notation::Yaml, 1).expect("YAML");
        assert_eq!(node.get("value").and_then(|node| node.text()), Some(text));
        assert!(yaml.chars().all(|c| !c.is_control()));
    }
}
