//! Configurations: tests with assertions become queries with criteria.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use calibrant_schema::query::Query;
use calibrant_schema::tree::{Node, Notation, Place, Value as Tree, parse};
use calibrant_schema::{Diagnostic, Diagnostics};
use serde_json::{Map, Value};

use super::assertion::{Assertion, Decider, Ids, Plan, Planned, words};
use super::check::check;
use super::criteria::Criteria;
use super::names::{own_vars, prompt, query_id, vars_text};
use super::template::{filled, filled_value};
use super::tests::{Test, tests};
use super::yaml::whole;
use crate::findings::Findings;
use crate::formats::{Losses, ReadError, ReadReport, Sink};

/// Keys that say how a run is done, not what is asked.
const OF_THE_RUN: [&str; 12] = [
    "commandLineOptions",
    "defaultTest",
    "description",
    "env",
    "evaluateOptions",
    "metadata",
    "outputPath",
    "prompts",
    "providers",
    "scenarios",
    "sharing",
    "tests",
];

/// Reads a configuration.
pub(super) fn read(input: Box<dyn BufRead + '_>, file: &str, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let text = whole(input, file)?;
    let notation = match text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        true => Notation::Json,
        false => Notation::Yaml,
    };
    let refuse = |found: Diagnostics| ReadError::Findings(Findings::of_text(found, &text));
    let (root, _) = parse(&text, file, notation, 1).map_err(refuse)?;
    let mut reader = Reader {
        file,
        found: Diagnostics::new(),
        losses: Losses::default(),
    };
    let config = reader.config(&root);
    let Some(config) = config.filter(|_| !reader.found.has_errors()) else {
        return Err(refuse(reader.found));
    };
    let mut report = hand_over(&config, &mut reader.losses, sink)?;
    report.losses = reader.losses;
    report.version = Some("promptfoo configuration".to_owned());
    Ok(report)
}

/// What is used of a configuration.
pub(super) struct Config {
    /// The one prompt, where there is one and it stands in the file.
    prompt: Option<String>,
    tests: Vec<Test>,
}

/// Collects mistakes and losses.
pub(super) struct Reader<'f> {
    file: &'f str,
    pub(super) found: Diagnostics,
    pub(super) losses: Losses,
}

impl Reader<'_> {
    pub(super) fn error(&mut self, id: &'static str, place: Place, what: &str, help: &str) {
        self.found
            .push(Diagnostic::error(id, what, help).at(place.in_file(self.file)));
    }

    fn config(&mut self, root: &Node) -> Option<Config> {
        self.merge_keys(root);
        let Tree::Map { entries, .. } = &root.value else {
            let help = "give a configuration of promptfoo: a mapping with `tests:`";
            self.error("root", root.place, "the file is no mapping", help);
            return None;
        };
        for entry in entries.iter().filter(|entry| !OF_THE_RUN.contains(&entry.key.as_str())) {
            if entry.key != "assertionTemplates" && entry.key != "targets" && !entry.key.starts_with('$') {
                let why = "the rubric has no place for them; they stay in the configuration of promptfoo";
                self.losses
                    .add(&format!("settings under `{}`", crate::tables::shown(&entry.key)), why);
            }
        }
        if root.get("providers").or_else(|| root.get("targets")).is_some() {
            self.losses.add(
                "providers",
                "a system is known by its responses: import the results of a run",
            );
        }
        let tests = tests(root, self);
        Some(Config {
            prompt: self.prompt(root.get("prompts")),
            tests,
        })
    }

    /// Reports merge keys, which would be passed over without a word.
    fn merge_keys(&mut self, node: &Node) {
        match &node.value {
            Tree::Map { entries, .. } => {
                for entry in entries {
                    if entry.key == "<<" {
                        let help = "write the keys out, or repeat a whole value with an alias";
                        self.error("merge-key", entry.key_place, "merge keys are not read", help);
                    }
                    self.merge_keys(&entry.value);
                }
            }
            Tree::List(nodes) => nodes.iter().for_each(|node| self.merge_keys(node)),
            Tree::Scalar { .. } => {}
        }
    }

    /// The one prompt whose text is at hand.
    fn prompt(&mut self, node: Option<&Node>) -> Option<String> {
        let node = node?;
        let nodes = match &node.value {
            Tree::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let [one] = nodes else {
            let why =
                "a query is the variables of a test where several prompts are compared; a prompt is part of a system";
            self.losses.add_many("prompts", why, nodes.len() as u64);
            return None;
        };
        let text = one.text().or_else(|| one.get("raw").and_then(Node::text));
        let text = text.filter(|text| !in_a_file(text));
        if text.is_none() {
            self.losses
                .add("prompts in other files", "a query is the variables of its test instead");
        }
        text.map(str::to_owned)
    }
}

/// Whether promptfoo takes a prompt for the name of a file.
fn in_a_file(text: &str) -> bool {
    let known = [
        "txt", "json", "jsonl", "md", "yaml", "yml", "j2", "csv", "py", "js", "mjs", "cjs", "ts",
    ];
    let line = text.trim();
    let extension = line
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension.split(':').next().unwrap_or_default());
    line.starts_with("file://")
        || line.starts_with("exec:")
        || (!line.contains(char::is_whitespace) && known.contains(&extension))
}

fn hand_over(config: &Config, losses: &mut Losses, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let mut criteria = Criteria::default();
    let mut known = BTreeSet::new();
    for test in &config.tests {
        let vars = own_vars(&test.vars);
        let query = test
            .query
            .clone()
            .unwrap_or_else(|| query_id(test.description.as_deref(), &vars));
        criteria.saw(&query);
        if known.insert(query.clone()) {
            let asked = asked(config, &vars, losses);
            sink.query(Query {
                query: query.clone(),
                prompt: asked,
                task_type: None,
                domain: None,
                tags: Vec::new(),
                weight: 1.0,
                cluster: None,
            })?;
        }
        let plan = Plan::of(&test.asserts);
        losses.add_many(
            "thresholds of assertion sets",
            "an outcome is formed by the roll-up of the rubric",
            plan.set_thresholds,
        );
        losses.add_many("entries that are no assertions", "they have no type", plan.unread);
        let ids = Ids::of(plan.assertions());
        for planned in &plan.planned {
            take(planned, &ids, &query, &vars, &mut criteria, losses);
        }
    }
    let queries = known.len();
    let handed = criteria.hand_over(sink)?;
    Ok(ReadReport {
        taken: vec![
            format!("A query is a test with one set of variables: {queries} of them."),
            format!(
                "Each assertion that a judge in words or a `check` decides is a criterion: {} shared by all queries, {} of single queries.",
                handed.shared, handed.of_queries
            ),
        ],
        ..ReadReport::default()
    })
}

/// What a query asks.
fn asked(config: &Config, vars: &Map<String, Value>, losses: &mut Losses) -> Option<Value> {
    match &config.prompt {
        Some(template) => match filled(template, vars) {
            Some(text) => Some(prompt(&text)),
            None => {
                losses.add(
                    "prompts with templates",
                    "only plain variables are filled in: the query is its variables",
                );
                (!vars.is_empty()).then(|| Value::String(vars_text(vars)))
            }
        },
        None => (!vars.is_empty()).then(|| Value::String(vars_text(vars))),
    }
}

/// Makes an assertion a criterion, or counts it as lost.
fn take(
    planned: &Planned,
    ids: &Ids,
    query: &str,
    vars: &Map<String, Value>,
    criteria: &mut Criteria,
    losses: &mut Losses,
) {
    let assertion = &planned.assertion;
    let kind = format!(
        "assertions of type `{}`",
        crate::tables::shown(&assertion.written_kind())
    );
    if words(&assertion.value).starts_with("file://") {
        return losses.add(
            "assertions whose value is in another file",
            "only this file is read: put the text in its place",
        );
    }
    let value = filled_value(&assertion.value, vars);
    if value.is_none() && in_words(assertion) {
        losses.add(
            "templates in criteria",
            "only plain variables are filled in: the question shows the template",
        );
    }
    let decided = value.as_ref().and_then(|value| check(assertion, value)).is_some();
    if !in_words(assertion) && !decided {
        let why = match assertion.decider() {
            Decider::Model | Decider::Person => "they score by a method of their own: import the results of a run",
            Decider::Code => "no `check` decides alike: import the results of a run, whose verdicts are kept",
        };
        return losses.add(&kind, why);
    }
    if assertion.threshold.is_some() {
        losses.add("thresholds of assertions", "a judge says met or not met");
    }
    if assertion.provider.is_some() {
        losses.add("providers that grade", "judges are configured beside the rubric");
    }
    let row = assertion.criterion(&ids.id(assertion), value.as_ref(), planned.weight, query);
    if !criteria.add(row) {
        losses.add(
            "criteria that differ within one test",
            "a criterion of a query has one wording: the first is kept",
        );
    }
}

/// Whether a judge can be asked what the assertion asks.
fn in_words(assertion: &Assertion) -> bool {
    let asked = [
        "agent-rubric",
        "factuality",
        "g-eval",
        "llm-rubric",
        "model-graded-closedqa",
        "model-graded-factuality",
        "search-rubric",
    ];
    asked.contains(&assertion.kind.as_str()) && !words(&assertion.value).trim().is_empty()
}

/// A mapping as JSON: of a node that is one.
pub(super) fn object(node: Option<&Node>) -> Map<String, Value> {
    match node.and_then(Node::to_json) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Values by name.
pub(super) type Templates = BTreeMap<String, Map<String, Value>>;
