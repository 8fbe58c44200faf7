//! Responses: what systems answered, as `responses.jsonl` lists it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::canonical::{Hash, response_hash};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::suggest;
use crate::tree::{self, Entry, Node, Reader, Value, shown};
use crate::turn::{Turn, turns};

/// One answer of a system to a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Response {
    /// What answered.
    pub system: String,
    /// What it answered.
    pub query: String,
    /// Which of several answers of the system to the query; `"1"` when the row does not say.
    pub sample: String,
    /// The answer as the row holds it: a text under `response`, or a list of messages under `messages` or `response`.
    pub body: serde_json::Value,
}

impl Response {
    /// The hash of the answer, `response/1` of `docs/hashes.md`: names have no part in it.
    #[must_use]
    pub fn hash(&self) -> Hash {
        response_hash(&self.body)
    }

    /// What the system said in the end: the text, or the text of the last message of the assistant (of any role, if the
    /// assistant has none). Empty when there is no message at all.
    #[must_use]
    pub fn text(&self) -> String {
        let mut turns = self.turns();
        let last = turns
            .iter()
            .rposition(|turn| turn.role == "assistant")
            .or(turns.len().checked_sub(1));
        last.map(|at| turns.swap_remove(at).text).unwrap_or_default()
    }

    /// The answer as turns, for whoever looks at it; see [`turns`].
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        turns(&self.body, "assistant")
    }
}

/// The keys of a row, for suggestions.
const RESPONSE_KEYS: [&str; 5] = ["system", "query", "sample", "response", "messages"];

/// Reads `responses.jsonl`: one JSON object a line, blank lines skipped, with `system`, `query`, and the answer as a text
/// or a list of messages under `response` or `messages`; `sample` when a system answered a query more than once. Keys that
/// are not known stay out of the way, with a warning where one looks like a slip. `system_id` and `model` are read as
/// `system`, `query_id` and `prompt_id` as `query`, `sample_id` as `sample`.
///
/// Returns the responses in the order of the file, with warnings.
///
/// # Errors
/// If a line is no object, lacks a system, query or answer, or has two answers; if a value has the wrong type, or two rows
/// have one system, query and sample; every mistake is reported.
pub fn parse_responses(text: &str, file_name: &str) -> Result<(Vec<Response>, Diagnostics), Diagnostics> {
    let mut reader = Reader::new(file_name);
    let (mut responses, mut lines): (Vec<Response>, BTreeMap<[String; 3], u32>) = Default::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, row) in (1u32..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        let Some(node) = tree::parse_json(row, line, &mut reader) else {
            continue;
        };
        let help =
            "write one JSON object a line, such as {\"system\": \"s1\", \"query\": \"q1\", \"response\": \"...\"}";
        let Some(entries) = reader.map(&node, "row", help) else {
            continue;
        };
        let Some(response) = read_response(&node, entries, &mut reader) else {
            continue;
        };
        let key = [&response.system, &response.query, &response.sample].map(Clone::clone);
        match lines.insert(key, line) {
            None => responses.push(response),
            Some(first) => reader.error(
                "duplicate-response",
                node.place,
                format!(
                    "system `{}` has two answers to query `{}` under sample `{}`, first on line {first}",
                    shown(&response.system),
                    shown(&response.query),
                    shown(&response.sample)
                ),
                "keep one of the two, or number them with \"sample\"",
            ),
        }
    }
    match reader.found.has_errors() {
        true => Err(reader.found),
        false => Ok((responses, reader.found)),
    }
}

/// The cells of a row as they are met.
#[derive(Default)]
struct Row {
    system: Option<String>,
    query: Option<String>,
    sample: Option<String>,
    body: Option<serde_json::Value>,
}

fn read_response(node: &Node, entries: &[Entry], reader: &mut Reader<'_>) -> Option<Response> {
    let mut row = Row::default();
    for entry in entries {
        let (key, value) = (entry.key.as_str(), &entry.value);
        match key {
            "system" | "system_id" | "model" => row.system = Some(reader.id(value, key)?),
            "query" | "query_id" | "prompt_id" => row.query = Some(reader.id(value, key)?),
            "sample" | "sample_id" => row.sample = reader.id(value, key),
            "response" | "messages" if value.is_null() => {}
            "response" | "messages" => {
                if row.body.is_some() {
                    let help = "keep \"response\" or \"messages\"";
                    reader.error("two-answers", entry.key_place, "the row has two answers", help);
                    return None;
                }
                row.body = Some(read_body(value, key, reader)?);
            }
            _ => {
                if let Some(nearest) = suggest::nearest(key, RESPONSE_KEYS) {
                    let what = format!("the key `{}` is not used", shown(key));
                    let help = format!("did you mean `{nearest}`?");
                    reader.labelled(
                        Diagnostic::warning("unused-key", what, help),
                        entry.key_place,
                        "not known here",
                    );
                }
            }
        }
    }
    let system = required(row.system, "system", "the id of what answered", node, reader)?;
    let query = required(row.query, "query", "the id of what was answered", node, reader)?;
    let body = required(row.body, "response", "the answer, \"\" when it is empty", node, reader)?;
    Some(Response {
        system,
        query,
        sample: row.sample.unwrap_or_else(|| "1".to_owned()),
        body,
    })
}

fn required<T>(value: Option<T>, key: &str, meaning: &str, node: &Node, reader: &mut Reader<'_>) -> Option<T> {
    if value.is_none() {
        let help = format!("add \"{key}\" with {meaning}");
        reader.error("missing-key", node.place, format!("the row has no `{key}`"), help);
    }
    value
}

/// The answer: a text in quotes, or a list of messages that are objects.
fn read_body(node: &Node, key: &str, reader: &mut Reader<'_>) -> Option<serde_json::Value> {
    let help =
        "write a text in quotes, or a list of messages such as [{\"role\": \"assistant\", \"content\": \"...\"}]";
    match &node.value {
        Value::Scalar { text, bare: false } => Some(serde_json::Value::String(text.clone())),
        Value::List(messages) => {
            for message in messages {
                reader.map(message, "message", help)?;
            }
            let body = node.to_json();
            if body.is_none() {
                let what = format!("`{key}` holds a number that is not finite");
                reader.error("bad-number", node.place, what, "write it as a text");
            }
            body
        }
        _ => reader.wrong_type(node, key, "a text or a list of messages", help),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are() {
        let text = concat!(
            "{\"system\": \"a\", \"query\": 17, \"response\": \" Yes.\\r\\n\", \"latency\": 3}\n",
            "\n",
            "{\"model\": \"b\", \"prompt_id\": \"q\", \"sample\": 2, \"messages\": ",
            "[{\"role\": \"assistant\", \"content\": \"Wait.\"}, {\"role\": \"tool\", \"content\": \"4868\"}]}",
        );
        let (responses, found) = parse_responses(text, "responses.jsonl").expect("both rows are right");
        assert!(found.is_empty());
        let [first, second] = responses.as_slice() else {
            panic!("two responses")
        };
        assert_eq!(
            (&*first.system, &*first.query, &*first.sample, &*first.text()),
            ("a", "17", "1", " Yes.\r\n")
        );
        assert_eq!((&*second.system, &*second.query, &*second.sample), ("b", "q", "2"));
        assert_eq!(second.text(), "Wait.", "the assistant's last word, not the tool's");
        assert_eq!(second.turns().len(), 2);
        assert_eq!(first.hash(), response_hash(&" Yes.\r\n".into()));
    }

    #[test]
    fn every_mistake_is_reported() {
        let text = concat!(
            "{\"system\": \"a\", \"query\": \"q\", \"response\": \"\", \"reponse\": \"\"}\n",
            "{\"system\": \"a\", \"query\": \"q\", \"response\": \"again\"}\n",
            "{\"query\": \"q\", \"response\": \"x\"}\n",
            "{\"system\": \"a\", \"query\": \"r\"}\n",
            "{\"system\": \"a\", \"query\": \"r\", \"response\": 5}\n",
            "{\"system\": \"a\", \"query\": \"r\", \"response\": \"x\", \"messages\": []}\n",
            "{\"system\": \"a\", \"query\": \"r\", \"messages\": [\"x\"]}\n",
            "{\"system\": \"a\\u0000\", \"query\": \"r\", \"response\": \"x\"}\n",
            "{\"system\": \"a\",}\n",
        );
        let found = parse_responses(text, "responses.jsonl").expect_err("eight rows are wrong");
        let ids: Vec<(u32, &str)> = found
            .iter()
            .map(|d| (d.span.as_ref().map_or(0, |s| s.line), d.id))
            .collect();
        let expected = [
            (1, "unused-key"),
            (2, "duplicate-response"),
            (3, "missing-key"),
            (4, "missing-key"),
            (5, "wrong-type"),
            (6, "two-answers"),
            (7, "wrong-type"),
            (8, "bad-id"),
            (9, "syntax"),
        ];
        assert_eq!(ids, expected);
    }

    #[test]
    fn no_message_says_nothing() {
        let text = "{\"system\": \"a\", \"query\": \"q\", \"messages\": []}";
        let (responses, _) = parse_responses(text, "responses.jsonl").expect("an empty conversation is one");
        assert_eq!(responses[0].text(), "");
    }
}
