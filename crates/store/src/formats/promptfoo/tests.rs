//! The tests of a configuration: written out, with the default test and scenarios put in.

use calibrant_schema::tree::{Node, Value as Tree};
use serde_json::{Map, Value};

use super::config::{Reader, Templates, object};
use super::names::exported_query;

/// The most tests that lists of values and scenarios may unfold into.
const MOST_TESTS: usize = 100_000;

/// The most text that tests may unfold into, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// One test with one value for each variable.
pub(super) struct Test {
    /// The id of its query, where an export of ours put one there.
    pub query: Option<String>,
    pub description: Option<String>,
    pub vars: Map<String, Value>,
    /// Its assertions and sets, those of the default test first.
    pub asserts: Value,
}

/// The tests of a configuration; mistakes go to the reader.
pub(super) fn tests(root: &Node, reader: &mut Reader<'_>) -> Vec<Test> {
    let templates = templates(root.get("assertionTemplates"));
    let base = default_test(root.get("defaultTest"), reader);
    let mut all = Unfolded {
        base: &base,
        templates: &templates,
        tests: Vec::new(),
        bytes: 0,
    };
    for node in listed(root.get("tests"), "tests", reader) {
        all.add(node, &Map::new(), reader);
    }
    for scenario in listed(root.get("scenarios"), "scenarios", reader) {
        let cases = listed(scenario.get("config"), "config", reader);
        for case in &cases {
            let vars = object(case.get("vars"));
            for node in listed(scenario.get("tests"), "tests", reader) {
                all.add(node, &vars, reader);
            }
        }
    }
    let tests = all.tests;
    if tests.is_empty() && !reader.found.has_errors() {
        let help = "give a file whose `tests:` are written out, or import the results of a run";
        reader.error("no-tests", root.place, "there is no test in this file", help);
    }
    tests
}

fn templates(node: Option<&Node>) -> Templates {
    let maps = object(node).into_iter();
    maps.filter_map(|(name, value)| Some((name, value.as_object()?.clone())))
        .collect()
}

/// The nodes of a list; what stands in other files is a loss, and anything else a mistake.
fn listed<'n>(node: Option<&'n Node>, key: &str, reader: &mut Reader<'_>) -> Vec<&'n Node> {
    let Some(node) = node.filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    match &node.value {
        Tree::List(nodes) => nodes.iter().filter(|node| is_written_out(node, key, reader)).collect(),
        Tree::Scalar { .. } => {
            is_written_out(node, key, reader);
            Vec::new()
        }
        Tree::Map { .. } => {
            let what = format!("`{key}` must be a list, this is {}", node.kind());
            reader.error("wrong-type", node.place, &what, "write a line `- vars: ...` for each");
            Vec::new()
        }
    }
}

fn is_written_out(node: &Node, key: &str, reader: &mut Reader<'_>) -> bool {
    let elsewhere = matches!(node.value, Tree::Scalar { .. }) || node.get("path").is_some();
    if elsewhere {
        let why = "only this file is read: import the results of a run, which hold every test";
        reader.losses.add(&format!("entries of `{key}` in other files"), why);
    }
    !elsewhere
}

/// The default test, which every test begins with.
#[derive(Default)]
struct Base {
    vars: Map<String, Value>,
    asserts: Vec<Value>,
}

fn default_test(node: Option<&Node>, reader: &mut Reader<'_>) -> Base {
    let Some(node) = node.filter(|node| !node.is_null()) else {
        return Base::default();
    };
    if let Tree::Scalar { .. } = node.value {
        let why = "only this file is read: write it out";
        reader.losses.add("a default test in another file", why);
        return Base::default();
    }
    left_behind(node, reader);
    Base {
        vars: object(node.get("vars")),
        asserts: asserts(node, reader),
    }
}

fn asserts(test: &Node, reader: &mut Reader<'_>) -> Vec<Value> {
    let Some(node) = test.get("assert").filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    let Tree::List(nodes) = &node.value else {
        let what = format!("`assert` must be a list, this is {}", node.kind());
        reader.error("wrong-type", node.place, &what, "write a line `- type: ...` for each");
        return Vec::new();
    };
    nodes.iter().filter_map(|node| assertion(node, reader)).collect()
}

fn assertion(node: &Node, reader: &mut Reader<'_>) -> Option<Value> {
    let help = "write an assertion such as `{type: llm-rubric, value: Names the setting}`";
    let Tree::Map { .. } = node.value else {
        let what = format!("an assertion must be a mapping, this is {}", node.kind());
        reader.error("wrong-type", node.place, &what, help);
        return None;
    };
    if node.get("type").and_then(Node::text).is_none() && node.get("$ref").is_none() {
        reader.error("missing-key", node.place, "the assertion has no `type`", help);
        return None;
    }
    let value = node.to_json();
    if value.is_none() {
        let what = "the assertion holds a number that is not finite";
        reader.error("bad-number", node.place, what, "write finite numbers");
    }
    value
}

/// Counts what of a test has no place.
fn left_behind(node: &Node, reader: &mut Reader<'_>) {
    let given = |key: &str| node.get(key).is_some_and(|node| !node.is_null());
    for (key, what, why) in [
        (
            "threshold",
            "thresholds of tests",
            "an outcome is formed by the roll-up of the rubric",
        ),
        (
            "options",
            "options of tests",
            "how answers are transformed and graded is part of a run",
        ),
        (
            "metadata",
            "metadata of tests",
            "add tags, a domain or a task type to the queries",
        ),
        (
            "provider",
            "providers of single tests",
            "a system is known by its responses",
        ),
        (
            "providers",
            "providers of single tests",
            "a system is known by its responses",
        ),
        (
            "prompts",
            "prompts of single tests",
            "a prompt is part of a system where several are compared",
        ),
        (
            "assertScoringFunction",
            "scoring functions",
            "scores are formed by weights and the roll-up",
        ),
        (
            "providerOutput",
            "answers that are written in tests",
            "import the results of a run, which have a system for each answer",
        ),
    ] {
        if given(key) {
            reader.losses.add(what, why);
        }
    }
}

struct Unfolded<'b> {
    base: &'b Base,
    templates: &'b Templates,
    tests: Vec<Test>,
    /// Text of the tests.
    bytes: usize,
}

impl Unfolded<'_> {
    /// Adds a test, once for each choice of one value of every variable that is a list of texts.
    fn add(&mut self, node: &Node, of_scenario: &Map<String, Value>, reader: &mut Reader<'_>) {
        let Tree::Map { .. } = node.value else {
            let what = format!("a test must be a mapping, this is {}", node.kind());
            reader.error(
                "wrong-type",
                node.place,
                &what,
                "write a line `- vars: ...` for each test",
            );
            return;
        };
        left_behind(node, reader);
        let mut vars = self.base.vars.clone();
        vars.extend(of_scenario.clone());
        match node.get("vars").map(|vars| &vars.value) {
            None | Some(Tree::Map { .. }) => vars.extend(object(node.get("vars"))),
            Some(_) => reader
                .losses
                .add("variables in other files", "only this file is read: write them out"),
        }
        let option = |key: &str| {
            node.get("options")
                .and_then(|options| options.get(key))
                .and_then(Node::boolean)
                == Some(true)
        };
        let own = asserts(node, reader);
        let base = if option("disableDefaultAsserts") {
            &[][..]
        } else {
            &self.base.asserts
        };
        let list: Vec<Value> = base.iter().chain(&own).map(|value| self.resolved(value, 0)).collect();
        let description = node.get("description").and_then(Node::text).map(str::to_owned);
        let query = exported_query(node.get("metadata").and_then(Node::to_json).as_ref());
        let expanded = !option("disableVarExpansion");
        let count = if expanded { count(&vars) } else { 1 };
        let size = size_of(&Value::Object(vars.clone())) + list.iter().map(size_of).sum::<usize>();
        self.bytes = self.bytes.saturating_add(size.saturating_mul(count));
        if self.tests.len().saturating_add(count) > MOST_TESTS || self.bytes > MOST_BYTES {
            let what = format!(
                "lists among the variables and scenarios unfold into more than {MOST_TESTS} tests, or 256 MiB of text"
            );
            reader.error("too-many-tests", node.place, &what, "split the configuration");
            return;
        }
        let choices = if expanded { choices(&vars) } else { vec![vars] };
        for vars in choices {
            self.tests.push(Test {
                query: query.clone(),
                description: description.clone(),
                vars,
                asserts: Value::Array(list.clone()),
            });
        }
    }

    /// An assertion with the template it names put in; its own keys win.
    fn resolved(&self, value: &Value, depth: usize) -> Value {
        let Value::Object(map) = value else {
            return value.clone();
        };
        let mut map = map.clone();
        let named = map
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|name| name.strip_prefix("#/assertionTemplates/"));
        if let Some(template) = named.and_then(|name| self.templates.get(name)) {
            let mut whole = template.clone();
            map.remove("$ref");
            whole.extend(map);
            map = whole;
        }
        if let Some(Value::Array(members)) = map.get("assert").filter(|_| depth < 8) {
            let members: Vec<Value> = members.iter().map(|member| self.resolved(member, depth + 1)).collect();
            map.insert("assert".to_owned(), Value::Array(members));
        }
        Value::Object(map)
    }
}

fn size_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 32,
        Value::Array(items) => items.iter().map(size_of).sum::<usize>() + 32,
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + size_of(value)).sum::<usize>() + 32,
        _ => 32,
    }
}

/// The values of a variable: those of a list of texts, as promptfoo has it; any other list is one value.
fn values(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) if values.first().is_some_and(Value::is_string) => values,
        value => std::slice::from_ref(value),
    }
}

/// How many choices of one value for each variable there are.
fn count(vars: &Map<String, Value>) -> usize {
    vars.values()
        .fold(1, |count, value| count.saturating_mul(values(value).len()))
}

/// Every choice of one value for each variable.
fn choices(vars: &Map<String, Value>) -> Vec<Map<String, Value>> {
    let mut all = vec![Map::new()];
    for (name, value) in vars {
        let extended = all.iter().flat_map(|chosen| {
            values(value).iter().map(move |value| {
                let mut chosen = chosen.clone();
                chosen.insert(name.clone(), value.clone());
                chosen
            })
        });
        all = extended.collect();
    }
    all
}
