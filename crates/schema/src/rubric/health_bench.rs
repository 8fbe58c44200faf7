//! HealthBench's rows, text to value: prompts with criteria of signed points, the same with what a grader said, and the
//! labels of physicians on single criteria.
//!
//! Criteria are read by the reader of every rubric, so that points, texts and tags mean what weights, questions and tags mean. An id
//! is the place in the row, `c01` first: a row may hold one text twice, and the published score counts both.
//!
//! Source: PROTOCOLS 13.1.

use serde_json::Value as Json;

use super::Criterion;
use super::criterion::{self, Field};
use super::rows::role;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::query::Query;
use crate::tree::{self, Entry, Node, Reader, Value, shown};

/// The tag of an example that names its theme.
pub const THEME: &str = "theme:";

/// Keys of a criterion that are kept; another key of a rubric has no place in such a row.
const ITEM_KEYS: [&str; 4] = ["id", "question", "weight", "tags"];

const PROMPT_HELP: &str = "write the messages as a list such as [{\"role\": \"user\", \"content\": \"...\"}]";

/// A prompt with its criteria, and the answer with its labels where the row is a result.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthBenchRow {
    /// The prompt; its tags are the example's tags, its domain the one theme among them.
    pub query: Query,
    /// The criteria in the order of the row.
    pub items: Vec<HealthBenchItem>,
    /// The answers that physicians wrote and read.
    pub ideal: Option<IdealCompletions>,
    /// The answer that was graded; `None` in a row that is no result.
    pub answer: Option<GradedAnswer>,
    /// Keys that are not known, in the order of the row.
    pub unused: Vec<String>,
}

/// A criterion of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthBenchItem {
    /// The criterion, of the row's query: the points are its weight.
    pub criterion: Criterion,
    /// Whether the grader found it met; `None` where the row does not say.
    pub met: Option<bool>,
    /// Why, in the grader's words.
    pub explanation: Option<String>,
}

/// Answers that stand beside a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdealCompletions {
    /// The answer a physician wrote.
    pub completion: Option<String>,
    /// The answers of models that the physician could read.
    pub references: Vec<String>,
    /// Which models' answers, if any, the physician could read.
    pub group: Option<String>,
}

/// The answer of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct GradedAnswer {
    /// A text, or a list of messages.
    pub body: Json,
    /// The published id: the SHA-256 of the prompt's id and the answer's text.
    pub completion_id: Option<String>,
    /// Whether the row says how many tokens the answer took.
    pub has_usage: bool,
}

/// Labels of several physicians on one criterion of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthBenchMetaRow {
    /// The prompt's id, where the row has one.
    pub query: Option<String>,
    /// The prompt as the row holds it.
    pub prompt: Json,
    /// The answer.
    pub completion: String,
    /// The answer's id, where the row has one.
    pub completion_id: Option<String>,
    /// The criterion.
    pub rubric: String,
    /// Who gave each label, and the label.
    pub labels: Vec<(String, bool)>,
    /// The group of criteria it belongs to.
    pub category: Option<String>,
    /// Keys that are not known, in the order of the row.
    pub unused: Vec<String>,
}

/// Reads one row of prompts or of results; `line` is the number of its first line.
///
/// Returns `None` in place of the row when something in it is wrong, and warnings about what is right and probably not meant.
#[must_use]
pub fn read_row(text: &str, line: u32, file: &str) -> (Option<HealthBenchRow>, Diagnostics) {
    let mut reader = Reader::new(file);
    let row = row_of(text, line, &mut reader);
    (row.filter(|_| !reader.found.has_errors()), reader.found)
}

/// Reads one row of the meta-evaluation; `line` is its number.
///
/// Returns `None` in place of the row when something in it is wrong.
#[must_use]
pub fn read_meta_row(text: &str, line: u32, file: &str) -> (Option<HealthBenchMetaRow>, Diagnostics) {
    let mut reader = Reader::new(file);
    let row = meta_row_of(text, line, &mut reader);
    (row.filter(|_| !reader.found.has_errors()), reader.found)
}

fn entries_of<'n>(node: &'n Node, reader: &mut Reader<'_>) -> Option<&'n [Entry]> {
    reader.map(node, "row", "write one JSON object a line, as HealthBench does")
}

fn row_of(text: &str, line: u32, reader: &mut Reader<'_>) -> Option<HealthBenchRow> {
    let node = tree::parse_json(text, line, reader)?;
    let entries = entries_of(&node, reader)?;
    let mut row = HealthBenchRow {
        query: empty_query(),
        items: Vec::new(),
        ideal: None,
        answer: None,
        unused: Vec::new(),
    };
    let (mut completion, mut completion_id, mut has_usage, mut criteria) = (None, None, false, None);
    for Entry { key, value, .. } in entries {
        match key.as_str() {
            "prompt_id" => row.query.query = reader.id(value, key).unwrap_or_default(),
            "prompt" => row.query.prompt = messages(value, key, reader),
            "example_tags" if value.is_null() => {}
            "example_tags" => row.query.tags = reader.texts(value, key),
            "ideal_completions_data" if value.is_null() => {}
            "ideal_completions_data" => row.ideal = ideal(value, &mut row.unused, reader),
            "rubrics" | "rubric_items" => criteria = Some((key, value)),
            "completion" => completion = messages(value, key, reader),
            "completion_id" => completion_id = reader.id(value, key),
            "usage" => has_usage = has_usage || has_a_number(value),
            // Computed from the rest, or the mark of a published file.
            "score" | "canary" => {}
            _ => row.unused.push(key.clone()),
        }
    }
    row.query.domain = one_theme(&row.query.tags);
    require(entries, "prompt_id", "the id of the prompt", &node, reader);
    require(entries, "prompt", "the messages", &node, reader);
    let Some((key, value)) = criteria else {
        let help = "a row has `rubrics`, a list of {\"criterion\": ..., \"points\": ..., \"tags\": [...]}, and a result `rubric_items`";
        reader.error("missing-key", node.place, "the row has no criteria", help);
        return None;
    };
    if key == "rubric_items" && completion.is_none() {
        let help = "add \"completion\" with the answer: [{\"role\": \"assistant\", \"content\": \"...\"}]";
        reader.error("missing-key", node.place, "the result has no `completion`", help);
    }
    row.answer = completion.map(|body| GradedAnswer {
        body,
        completion_id,
        has_usage,
    });
    let help = "write a list of {\"criterion\": ..., \"points\": ..., \"tags\": [...]}";
    for (at, item) in (1usize..).zip(reader.list(value, key, help).unwrap_or_default()) {
        if let Some(entries) = reader.map(item, key, help) {
            let item = read_item(at, item, entries, &row.query.query, &mut row.unused, reader);
            row.items.push(item);
        }
    }
    Some(row)
}

fn empty_query() -> Query {
    Query {
        query: String::new(),
        prompt: None,
        task_type: None,
        domain: None,
        tags: Vec::new(),
        weight: 1.0,
        cluster: None,
    }
}

/// The theme of an example that has exactly one.
fn one_theme(tags: &[String]) -> Option<String> {
    let mut themes = tags.iter().filter_map(|tag| tag.strip_prefix(THEME));
    let first = themes.next().filter(|theme| !theme.is_empty())?;
    themes.next().is_none().then(|| first.to_owned())
}

fn read_item(
    at: usize,
    node: &Node,
    entries: &[Entry],
    query: &str,
    unused: &mut Vec<String>,
    reader: &mut Reader<'_>,
) -> HealthBenchItem {
    let (mut fields, mut met, mut explanation): (Vec<Field<'_>>, _, _) = (Vec::new(), None, None);
    for entry in entries {
        match (entry.key.as_str(), role(&entry.key, entries)) {
            ("criteria_met", _) => met = reader.boolean(&entry.value, "criteria_met"),
            ("explanation", _) => explanation = entry.value.text().map(str::to_owned),
            (key, role) if !ITEM_KEYS.contains(&role) => unused.push(format!("{key} of a criterion")),
            (key, role) if fields.iter().any(|(name, _)| *name == role) => {
                let what = format!("the criterion gives `{role}` a second time, as `{key}`");
                reader.error("duplicate-key", entry.key_place, what, "keep one of the two");
            }
            (_, role) => fields.push((role, entry)),
        }
    }
    if !fields.iter().any(|(key, _)| *key == "weight") {
        let help = "add \"points\" with a number, below 0 for what an answer should not do";
        reader.error("missing-key", node.place, "a criterion has no `points`", help);
    }
    let id = numbered(at, node);
    if !fields.iter().any(|(key, _)| *key == "id") {
        fields.push(("id", &id));
    }
    let mut criterion = criterion::read(&fields, node, reader);
    criterion.query = Some(query.to_owned());
    HealthBenchItem {
        criterion,
        met,
        explanation,
    }
}

/// The id of the criterion at a place of its row, from 1: `c01`.
#[must_use]
pub fn id_at(place: usize) -> String {
    format!("c{place:02}")
}

fn numbered(at: usize, node: &Node) -> Entry {
    Entry {
        key: "id".into(),
        key_place: node.place,
        value: Node {
            value: Value::Scalar {
                text: id_at(at),
                bare: false,
            },
            place: node.place,
        },
    }
}

fn ideal(node: &Node, unused: &mut Vec<String>, reader: &mut Reader<'_>) -> Option<IdealCompletions> {
    let help = "write null or {\"ideal_completion\": ..., \"ideal_completions_group\": ..., \"ideal_completions_ref_completions\": [...]}";
    let mut found = IdealCompletions::default();
    for Entry { key, value, .. } in reader.map(node, "ideal_completions_data", help)? {
        match key.as_str() {
            "ideal_completion" => found.completion = said(value, key, reader),
            "ideal_completions_group" => found.group = reader.text(value, key),
            "ideal_completions_ref_completions" if value.is_null() => {}
            "ideal_completions_ref_completions" => {
                let nodes = reader.list(value, key, "write a list of texts").unwrap_or_default();
                found.references = nodes.iter().filter_map(|node| said(node, key, reader)).collect();
            }
            _ => unused.push(key.clone()),
        }
    }
    Some(found)
}

/// What somebody said, with every space it has; nothing for null.
fn said(node: &Node, key: &str, reader: &mut Reader<'_>) -> Option<String> {
    match &node.value {
        _ if node.is_null() => None,
        Value::Scalar { text, bare: false } => Some(text.clone()),
        _ => reader.wrong_type(node, key, "text", "write the text in quotes"),
    }
}

/// A text or a list of messages, as it stands.
fn messages(node: &Node, key: &str, reader: &mut Reader<'_>) -> Option<Json> {
    match &node.value {
        Value::Scalar { text, bare: false } => Some(Json::String(text.clone())),
        Value::List(nodes) => {
            for message in nodes {
                reader.map(message, "message", PROMPT_HELP)?;
            }
            let body = node.to_json();
            if body.is_none() {
                let what = format!("`{key}` holds a number that is not finite");
                reader.error("bad-number", node.place, what, "write it as a text");
            }
            body
        }
        _ => reader.wrong_type(node, key, "a text or a list of messages", PROMPT_HELP),
    }
}

fn has_a_number(node: &Node) -> bool {
    match &node.value {
        Value::Map { entries, .. } => entries.iter().any(|entry| has_a_number(&entry.value)),
        _ => node.number().is_some(),
    }
}

fn require(entries: &[Entry], key: &str, meaning: &str, node: &Node, reader: &mut Reader<'_>) {
    let entry = entries.iter().find(|entry| entry.key == key);
    if entry.is_some_and(|entry| !is_blank(&entry.value)) {
        return;
    }
    let (what, place) = match entry {
        Some(entry) => (format!("`{key}` is empty"), entry.key_place),
        None => (format!("the row has no `{key}`"), node.place),
    };
    reader.error("missing-key", place, what, format!("add \"{key}\" with {meaning}"));
}

fn is_blank(node: &Node) -> bool {
    node.is_null() || node.text().is_some_and(|text| text.trim().is_empty())
}

fn meta_row_of(text: &str, line: u32, reader: &mut Reader<'_>) -> Option<HealthBenchMetaRow> {
    let node = tree::parse_json(text, line, reader)?;
    let entries = entries_of(&node, reader)?;
    let mut row = HealthBenchMetaRow {
        query: None,
        prompt: Json::Null,
        completion: String::new(),
        completion_id: None,
        rubric: String::new(),
        labels: Vec::new(),
        category: None,
        unused: Vec::new(),
    };
    let (mut labels, mut physicians) = (None, None);
    for Entry { key, value, .. } in entries {
        match key.as_str() {
            "prompt_id" => row.query = reader.id(value, key).filter(|id| !id.is_empty()),
            "prompt" => row.prompt = messages(value, key, reader).unwrap_or_default(),
            "completion" => row.completion = said(value, key, reader).unwrap_or_default(),
            "completion_id" => row.completion_id = reader.id(value, key).filter(|id| !id.is_empty()),
            "rubric" => row.rubric = reader.text(value, key).unwrap_or_default(),
            "category" => row.category = reader.text(value, key),
            "binary_labels" => labels = truths(value, key, reader),
            "anonymized_physician_ids" => physicians = ids(value, key, reader).map(|ids| (ids, value.place)),
            "canary" => {}
            _ => row.unused.push(key.clone()),
        }
    }
    for (key, meaning) in [
        ("prompt", "the messages"),
        ("rubric", "the criterion as a text"),
        ("binary_labels", "a list of true and false"),
        ("anonymized_physician_ids", "a list with who gave each label"),
    ] {
        require(entries, key, meaning, &node, reader);
    }
    if !entries
        .iter()
        .any(|entry| entry.key == "completion" && !entry.value.is_null())
    {
        let help = "add \"completion\" with the answer, \"\" when it is empty";
        reader.error("missing-key", node.place, "the row has no `completion`", help);
    }
    let (labels, (physicians, place)) = (labels?, physicians?);
    if labels.len() != physicians.len() {
        let what = format!(
            "the row has {} for {}",
            counted(labels.len(), "label"),
            counted(physicians.len(), "physician")
        );
        let help =
            "`binary_labels` and `anonymized_physician_ids` go together, one id a label: mend or leave out the row";
        reader.labelled(
            Diagnostic::error("unequal-lengths", what, help),
            place,
            "one id a label is expected",
        );
    }
    row.labels = physicians.into_iter().zip(labels).collect();
    Some(row)
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn truths(node: &Node, key: &str, reader: &mut Reader<'_>) -> Option<Vec<bool>> {
    let help = "write a list of true and false, without quotes";
    let read = |node: &Node, reader: &mut Reader<'_>| {
        node.boolean()
            .or_else(|| reader.wrong_type(node, key, "a list of true and false", help))
    };
    let nodes = reader.list(node, key, help)?;
    nodes.iter().map(|node| read(node, reader)).collect()
}

fn ids(node: &Node, key: &str, reader: &mut Reader<'_>) -> Option<Vec<String>> {
    let nodes = reader.list(node, key, "write a list of ids")?;
    let mut found = Vec::with_capacity(nodes.len());
    for node in nodes {
        match reader.id(node, key) {
            Some(id) if !id.is_empty() => found.push(id),
            _ => {
                let what = format!("`{}` holds an id that is empty", shown(key));
                reader.error("bad-id", node.place, what, "give every physician an id");
                return None;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests;
