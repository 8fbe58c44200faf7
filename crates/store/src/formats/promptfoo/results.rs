//! Rows of results on their way into our nouns.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::canonical::{Hash, canonical_json};
use calibrant_schema::query::Query;
use calibrant_schema::{Diagnostic, Response, Span};
use serde_json::{Map, Value};

use super::assertion::{Assertion, Decider, Ids, Plan, provider_name, words};
use super::criteria::Criteria;
use super::names::{exported_query, own_vars, prompt, prompt_name, query_id, vars_text};
use super::template::filled_value;
use super::verdict::{executed, verdict, without_result};
use crate::findings::Findings;
use crate::formats::{ImportOptions, Place, ReadError, ReadReport, Sink};
use crate::ledger::Cell;
use crate::tables::shown;

/// Rows held back until it is known whether several prompts are compared, where no list of prompts precedes them: every prompt is
/// tried on the first tests.
const HELD_BACK: usize = 1_000;

/// The most bytes of rows held back.
const HELD_BACK_BYTES: u64 = 64 << 20;

/// The judge of assertions that code decides.
pub(super) const CODE: &str = "code";
/// The judge of ratings that people left in promptfoo's pages, which do not say who they were.
const PERSON: &str = "human";
/// The judge of model-graded assertions where the file names no provider for them.
const GRADER: &str = "promptfoo-grader";

/// A row as it stands in its file.
pub(super) struct Row {
    /// What it holds.
    pub value: Value,
    /// Its line, from 1.
    pub line: u32,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Its number in the file, from 1; counted when it is taken.
    pub number: u64,
}

/// What is known of the prompts.
enum Prompts {
    /// Nothing yet: rows wait.
    Unknown { waiting: Vec<Row>, bytes: u64 },
    /// One, by what was seen or by the list; rows of another are a mistake unless the list was there.
    One { label: Option<String> },
    /// Several, and each makes a system of its own.
    Several,
}

/// Takes rows one by one and hands over what is in them.
pub(super) struct Rows<'s> {
    pub(super) file: String,
    judge: Option<String>,
    system: Option<String>,
    sink: &'s mut dyn Sink,
    prompts: Prompts,
    criteria: Criteria,
    queries: BTreeMap<String, Hash>,
    samples: BTreeMap<(String, String), u32>,
    judges: BTreeSet<String>,
    findings: Findings,
    pub(super) report: ReadReport,
    taken: u64,
}

impl<'s> Rows<'s> {
    pub(super) fn new(file: &str, options: &ImportOptions, sink: &'s mut dyn Sink) -> Self {
        Self {
            file: file.to_owned(),
            judge: options.judge.clone(),
            system: options.system.clone(),
            sink,
            prompts: Prompts::Unknown {
                waiting: Vec::new(),
                bytes: 0,
            },
            criteria: Criteria::default(),
            queries: BTreeMap::new(),
            samples: BTreeMap::new(),
            judges: BTreeSet::new(),
            findings: Findings::default(),
            report: ReadReport::default(),
            taken: 0,
        }
    }

    /// How many rows were met.
    pub(super) fn count(&self) -> u64 {
        self.taken
    }

    /// Takes the list of prompts that stands before the rows.
    pub(super) fn list(&mut self, prompts: &Value) {
        let labels: BTreeSet<&str> = prompts.as_array().into_iter().flatten().filter_map(label_of).collect();
        match labels.len() {
            0 => {}
            1 => self.prompts = Prompts::One { label: None },
            _ => self.prompts = Prompts::Several,
        }
    }

    /// Takes a row.
    pub(super) fn take(&mut self, mut row: Row) -> Result<(), ReadError> {
        self.taken += 1;
        row.number = self.taken;
        if let Prompts::Unknown { waiting, bytes } = &mut self.prompts {
            *bytes += row.bytes;
            waiting.push(row);
            if waiting.len() < HELD_BACK && *bytes < HELD_BACK_BYTES {
                return Ok(());
            }
            return self.decide();
        }
        self.hand_over(&row)
    }

    /// Settles by the rows held back whether several prompts are compared, and hands those rows over.
    fn decide(&mut self) -> Result<(), ReadError> {
        let Prompts::Unknown { waiting, .. } = &mut self.prompts else {
            return Ok(());
        };
        let waiting = std::mem::take(waiting);
        let labels: BTreeSet<&str> = waiting
            .iter()
            .filter_map(|row| label_of(row.value.get("prompt")?))
            .collect();
        self.prompts = match labels.len() {
            0 | 1 => Prompts::One {
                label: labels.first().map(|label| (*label).to_owned()),
            },
            _ => Prompts::Several,
        };
        waiting.iter().try_for_each(|row| self.hand_over(row))
    }

    /// Ends the reading: what was held back, the criteria, and what was taken for what.
    pub(super) fn finish(mut self) -> Result<ReadReport, ReadError> {
        self.decide()?;
        self.findings.into_result()?;
        let handed = self.criteria.hand_over(self.sink)?;
        let several = matches!(self.prompts, Prompts::Several);
        let systems = match several {
            true => {
                "Several prompts are compared: a system is a provider with a prompt, and a query is the variables of a test."
            }
            false => "A system is a provider, and a query is a test with its prompt.",
        };
        let mut judges: Vec<String> = self.judges.iter().map(|judge| format!("`{}`", shown(judge))).collect();
        judges.truncate(20);
        let taken = &mut self.report.taken;
        taken.push(systems.to_owned());
        taken.push(format!(
            "Each assertion is a criterion: {} shared by all queries, {} of single queries.",
            handed.shared, handed.of_queries
        ));
        taken.push(format!(
            "A verdict is the `pass` of an assertion; a score other than 0 and 1 stands in the comment. Judges: {}.",
            if judges.is_empty() {
                "none".to_owned()
            } else {
                judges.join(", ")
            }
        ));
        Ok(self.report)
    }

    fn mistake(&mut self, id: &'static str, row: &Row, what: impl Into<String>, help: impl Into<String>) {
        let span = Span {
            file: self.file.clone(),
            line: row.line,
            column: 1,
            length: 0,
        };
        let what = format!("result {}: {}", row.number, what.into());
        self.findings.push(Diagnostic::error(id, what, help).at(span), None);
    }

    fn hand_over(&mut self, row: &Row) -> Result<(), ReadError> {
        self.sink
            .at(Place::Entry(u32::try_from(row.number).unwrap_or(u32::MAX)));
        let Value::Object(map) = &row.value else {
            self.mistake(
                "not-a-result",
                row,
                "it is no mapping",
                "give a file that promptfoo wrote",
            );
            return Ok(());
        };
        let Some(system) = self.system_of(map, row) else {
            return Ok(());
        };
        let test = map.get("testCase").and_then(Value::as_object);
        let vars = test.and_then(|test| test.get("vars")).or_else(|| map.get("vars"));
        let vars = vars.and_then(Value::as_object).map(own_vars).unwrap_or_default();
        let description = test.and_then(|test| test.get("description")).and_then(Value::as_str);
        let exported = exported_query(test.and_then(|test| test.get("metadata")));
        let query = exported.unwrap_or_else(|| query_id(description, &vars));
        self.query(&query, map, &vars)?;
        self.criteria.saw(&query);
        let sample = self.samples.entry((system.clone(), query.clone())).or_default();
        *sample += 1;
        let about = About {
            cell: Cell {
                system,
                query,
                sample: sample.to_string(),
                criterion: String::new(),
                judge: String::new(),
                repeat: 1,
            },
            vars,
        };
        let output = map
            .get("response")
            .and_then(|response| response.get("output"))
            .filter(|output| !output.is_null());
        if let Some(output) = output {
            let body = self.body(output);
            self.sink.response(Response {
                system: about.cell.system.clone(),
                query: about.cell.query.clone(),
                sample: about.cell.sample.clone(),
                body,
            })?;
        }
        self.left_behind(map, test);
        self.verdicts(map, test, &about, output.is_some())
    }

    /// The name of what answered, or `None` with the mistake said.
    fn system_of(&mut self, map: &Map<String, Value>, row: &Row) -> Option<String> {
        let provider = map
            .get("provider")
            .and_then(provider_name)
            .or_else(|| self.system.clone());
        let Some(provider) = provider else {
            let help = "give a file that promptfoo wrote, or name the system with `--system`";
            self.mistake("no-provider", row, "it does not say which provider answered", help);
            return None;
        };
        let label = map.get("prompt").and_then(label_of);
        match (&self.prompts, label) {
            (Prompts::Several, Some(label)) => Some(format!("{provider} | {}", prompt_name(label))),
            (Prompts::One { label: Some(first) }, Some(label)) if first != label => {
                let what = format!(
                    "it has another prompt, `{}`, than the {HELD_BACK} before it",
                    shown(label)
                );
                let help = "give the results as JSON (`promptfoo export eval ID -o results.json`), where a list of all prompts stands first";
                self.mistake("late-prompt", row, what, help);
                None
            }
            _ => Some(provider),
        }
    }

    fn query(&mut self, id: &str, map: &Map<String, Value>, vars: &Map<String, Value>) -> Result<(), ReadError> {
        let asked = match self.prompts {
            Prompts::Several => (!vars.is_empty()).then(|| Value::String(vars_text(vars))),
            _ => map
                .get("prompt")
                .and_then(|prompt| prompt.get("raw"))
                .and_then(Value::as_str)
                .map(prompt),
        };
        let hash = Hash::of_json(&asked.clone().unwrap_or_default());
        match self.queries.get(id) {
            Some(first) if *first == hash => return Ok(()),
            Some(_) => {
                let why = "a query has one prompt: the first is kept";
                self.report.losses.add("prompts that differ within one test", why);
                return Ok(());
            }
            None => {}
        }
        self.queries.insert(id.to_owned(), hash);
        self.sink.query(Query {
            query: id.to_owned(),
            prompt: asked,
            task_type: None,
            domain: None,
            tags: Vec::new(),
            weight: 1.0,
            cluster: None,
        })?;
        Ok(())
    }

    /// An answer as a response holds it: a text, or a list of messages.
    fn body(&mut self, output: &Value) -> Value {
        match output {
            Value::String(_) => output.clone(),
            Value::Array(items) if !items.is_empty() && items.iter().all(|item| item.get("role").is_some()) => {
                output.clone()
            }
            output => {
                let why = "a response is a text or a list of messages: they stand as canonical JSON text";
                self.report.losses.add("types of answers that are JSON", why);
                Value::String(canonical_json(output))
            }
        }
    }

    /// Counts what of a row has no place.
    fn left_behind(&mut self, map: &Map<String, Value>, test: Option<&Map<String, Value>>) {
        let losses = &mut self.report.losses;
        let given = |key: &str| map.get(key).is_some_and(|value| !value.is_null());
        if given("latencyMs") || given("cost") || given("tokenUsage") {
            losses.add(
                "latency, tokens and cost of answers",
                "a response has no columns for them; those of judges are kept",
            );
        }
        let metadata = test.and_then(|test| test.get("metadata")).and_then(Value::as_object);
        if metadata.is_some_and(|metadata| metadata.keys().any(|key| key != "calibrant")) {
            losses.add(
                "metadata of tests",
                "a query has no place for it; add tags, a domain or a task type to the queries",
            );
        }
        let threshold = test.and_then(|test| test.get("threshold"));
        if threshold.is_some_and(|threshold| !threshold.is_null()) {
            losses.add(
                "thresholds of tests",
                "an outcome is formed by the roll-up of the rubric",
            );
        }
        if let Some(graded) = map.get("gradingResult").filter(|graded| !graded.is_null()) {
            losses.add(
                "outcomes of whole tests",
                "they are made of the verdicts: scores and the roll-up say them again",
            );
            if graded.get("comment").is_some_and(|comment| !comment.is_null()) {
                losses.add(
                    "comments on whole answers",
                    "a comment stands beside a verdict on one criterion",
                );
            }
        }
    }

    fn verdicts(
        &mut self,
        map: &Map<String, Value>,
        test: Option<&Map<String, Value>>,
        about: &About,
        answered: bool,
    ) -> Result<(), ReadError> {
        let nothing = Value::Null;
        let plan = Plan::of(test.and_then(|test| test.get("assert")).unwrap_or(&nothing));
        let (done, aside) = executed(map.get("gradingResult"));
        let losses = &mut self.report.losses;
        losses.add_many(
            "results of assertion sets",
            "they are made of the results of their members, which are kept",
            aside.sets,
        );
        losses.add_many(
            "parts of composite results",
            "they are no assertions of their own: the composite is kept",
            aside.parts,
        );
        losses.add_many(
            "results without an assertion",
            "nothing says what was asked",
            aside.unnamed,
        );
        losses.add_many(
            "thresholds of assertion sets",
            "an outcome is formed by the roll-up of the rubric",
            plan.set_thresholds,
        );
        self.extra_scores(map, &plan);
        let ids = Ids::of(plan.assertions().chain(done.iter().map(|done| &done.assertion)));
        let mut repeats: BTreeMap<(String, String), u16> = BTreeMap::new();
        if done.is_empty() {
            for planned in &plan.planned {
                let cell = self.cell(map, test, about, &planned.assertion, &ids, &mut repeats);
                self.criterion(&cell, &planned.assertion, None, planned.weight, about);
                self.sink.verdict(without_result(cell, map.get("error"), answered))?;
            }
        }
        for done in &done {
            let cell = self.cell(map, test, about, &done.assertion, &ids, &mut repeats);
            let rendered = done
                .result
                .get("metadata")
                .and_then(|metadata| metadata.get("renderedAssertionValue"));
            self.criterion(&cell, &done.assertion, rendered, plan.weight(&done.assertion), about);
            self.sink.verdict(verdict(cell, done, &mut self.report.losses))?;
        }
        Ok(())
    }

    /// Counts named scores that no assertion of the test carries.
    fn extra_scores(&mut self, map: &Map<String, Value>, plan: &Plan) {
        let known = |name: &String| {
            plan.assertions().any(|assertion| {
                let metric = assertion.metric.as_deref();
                metric.is_some_and(|metric| metric == name || metric.contains("{{"))
            })
        };
        let names = map.get("namedScores").and_then(Value::as_object);
        let extra = names.into_iter().flatten().filter(|(name, _)| !known(name)).count() as u64;
        let why = "they are computed from others, or real numbers without a scale: only the `pass` of an assertion is a verdict";
        self.report
            .losses
            .add_many("named scores that are no assertion's own", why, extra);
    }

    fn cell(
        &mut self,
        map: &Map<String, Value>,
        test: Option<&Map<String, Value>>,
        about: &About,
        assertion: &Assertion,
        ids: &Ids,
        repeats: &mut BTreeMap<(String, String), u16>,
    ) -> Cell {
        let judge = match assertion.decider() {
            Decider::Code => CODE.to_owned(),
            Decider::Person => self.judge.clone().unwrap_or_else(|| PERSON.to_owned()),
            Decider::Model => {
                let of = |value: Option<&Value>| value.and_then(|value| value.get("provider")).and_then(provider_name);
                let named = assertion.provider.clone();
                let named = named.or_else(|| of(test.and_then(|test| test.get("options"))));
                let named = named.or_else(|| of(map.get("prompt").and_then(|prompt| prompt.get("config"))));
                named
                    .or_else(|| self.judge.clone())
                    .unwrap_or_else(|| GRADER.to_owned())
            }
        };
        if !self.judges.contains(&judge) {
            self.judges.insert(judge.clone());
        }
        let criterion = ids.id(assertion);
        let repeat = repeats.entry((criterion.clone(), judge.clone())).or_default();
        *repeat = repeat.saturating_add(1);
        Cell {
            criterion,
            judge,
            repeat: *repeat,
            ..about.cell.clone()
        }
    }

    fn criterion(&mut self, cell: &Cell, assertion: &Assertion, rendered: Option<&Value>, weight: f64, about: &About) {
        let value = filled_value(&assertion.value, &about.vars);
        let value = value.or_else(|| rendered.cloned());
        let mut row = assertion.criterion(&cell.criterion, value.as_ref(), weight, &cell.query);
        if row.question.trim().is_empty() {
            row.question = words(&Value::String(assertion.written_kind()));
        }
        if !self.criteria.add(row) {
            let why = "a criterion of a query has one wording and one weight: the first is kept";
            self.report.losses.add("criteria that differ within one test", why);
        }
    }
}

/// What the verdicts of one row are about.
struct About {
    /// The cell without criterion and judge.
    cell: Cell,
    vars: Map<String, Value>,
}

/// The label of a prompt, by which prompts are told apart.
fn label_of(prompt: &Value) -> Option<&str> {
    let text = |key: &str| {
        prompt
            .get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.trim().is_empty())
    };
    text("label").or_else(|| text("display")).or_else(|| text("raw"))
}
