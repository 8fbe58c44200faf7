//! Queries: the prompts that systems answer, as `queries.jsonl` lists them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::canonical::{Hash, query_hash};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::suggest;
use crate::tree::{self, Entry, Node, Reader, shown};
use crate::turn::{Turn, turns};

/// One prompt, with what is known about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Query {
    /// Its id.
    pub query: String,
    /// The chat that was sent, as the row holds it: a list of messages under `messages`, or the text under `prompt`.
    pub prompt: Option<serde_json::Value>,
    /// Its task type, if known.
    pub task_type: Option<String>,
    /// Its domain, if known.
    pub domain: Option<String>,
    /// Free words.
    pub tags: Vec<String>,
    /// Its weight in a mean over queries; finite, 0 or more, 1 by default.
    pub weight: f64,
    /// The cluster it is resampled with; `None` when it is a cluster of its own.
    pub cluster: Option<String>,
}

impl Query {
    /// The hash of what was asked, or `None` if the row does not say.
    #[must_use]
    pub fn hash(&self) -> Option<Hash> {
        self.prompt.as_ref().map(query_hash)
    }

    /// What was asked, as turns for whoever looks at it; empty if the row does not say.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        self.prompt
            .as_ref()
            .map(|prompt| turns(prompt, "user"))
            .unwrap_or_default()
    }
}

/// The keys of a row, for suggestions.
const QUERY_KEYS: [&str; 8] = [
    "query",
    "messages",
    "prompt",
    "task_type",
    "domain",
    "tags",
    "weight",
    "cluster",
];

/// Reads `queries.jsonl`: one JSON object a line, blank lines skipped. Unknown keys are kept out of the way, with a
/// warning where one looks like a slip. `query_id` and `prompt_id` are read as `query`.
///
/// Returns the queries in the order of the file, with warnings.
///
/// # Errors
/// If a line is no object, a value has the wrong type, a weight is negative or not finite, all weights are 0, or two
/// rows have one id; every mistake is reported.
pub fn parse_queries(text: &str, file_name: &str) -> Result<(Vec<Query>, Diagnostics), Diagnostics> {
    let (queries, mut found) = read_queries(text, file_name);
    if !queries.is_empty() && queries.iter().all(|query| query.weight == 0.0) {
        let help = "give at least one query a weight above 0, or leave the weights out";
        found.push(Diagnostic::error(
            "no-positive-weight",
            "every query has the weight 0",
            help,
        ));
    }
    finish(queries, found)
}

/// Reads the rows of a `queries.jsonl` that concern a block, where every query may have the weight 0.
///
/// # Errors
/// As [`parse_queries`], apart from weights that are all 0.
pub fn parse_part_of_queries(text: &str, file_name: &str) -> Result<(Vec<Query>, Diagnostics), Diagnostics> {
    let (queries, found) = read_queries(text, file_name);
    finish(queries, found)
}

fn finish(queries: Vec<Query>, found: Diagnostics) -> Result<(Vec<Query>, Diagnostics), Diagnostics> {
    match found.has_errors() {
        true => Err(found),
        false => Ok((queries, found)),
    }
}

/// The rows of a file that are right, and what was found.
fn read_queries(text: &str, file_name: &str) -> (Vec<Query>, Diagnostics) {
    let mut reader = Reader::new(file_name);
    let (mut queries, mut lines): (Vec<Query>, BTreeMap<String, u32>) = Default::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, row) in (1u32..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        let Some(node) = tree::parse_json(row, line, &mut reader) else {
            continue;
        };
        let help = "write one JSON object a line, such as {\"query\": \"q1\", \"prompt\": \"...\"}";
        let Some(entries) = reader.map(&node, "row", help) else {
            continue;
        };
        let Some(query) = read_query(&node, entries, &mut reader) else {
            continue;
        };
        match lines.insert(query.query.clone(), line) {
            None => queries.push(query),
            Some(first) => {
                let what = format!(
                    "the query `{}` has two rows, first on line {first}",
                    shown(&query.query)
                );
                reader.error("duplicate-query", node.place, what, "keep one of the two");
            }
        }
    }
    if !queries.iter().map(|query| query.weight).sum::<f64>().is_finite() {
        let help = "give smaller weights: only their ratios count";
        reader.found.push(Diagnostic::error(
            "weight-sum",
            "the weights of the queries add up to more than a number can hold",
            help,
        ));
    }
    (queries, reader.found)
}

fn read_query(node: &Node, entries: &[Entry], reader: &mut Reader<'_>) -> Option<Query> {
    let mut query = Query {
        query: String::new(),
        prompt: None,
        task_type: None,
        domain: None,
        tags: Vec::new(),
        weight: 1.0,
        cluster: None,
    };
    for entry in entries {
        let (key, value) = (entry.key.as_str(), &entry.value);
        match key {
            "query" | "query_id" | "prompt_id" => query.query = reader.id(value, key)?,
            "messages" | "prompt" => query.prompt = value.to_json(),
            "task_type" => query.task_type = reader.text(value, key),
            "domain" => query.domain = reader.text(value, key),
            "tags" => query.tags = reader.texts(value, key),
            "weight" => query.weight = read_weight(value, reader),
            "cluster" => query.cluster = reader.id(value, key),
            _ => {
                if let Some(nearest) = suggest::nearest(key, QUERY_KEYS) {
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
    if query.query.is_empty() {
        reader.error(
            "missing-key",
            node.place,
            "the row has no `query`",
            "add \"query\" with the id of the query",
        );
        return None;
    }
    Some(query)
}

fn read_weight(node: &Node, reader: &mut Reader<'_>) -> f64 {
    let Some(weight) = reader.number(node, "weight") else {
        return 1.0;
    };
    if weight.is_finite() && weight >= 0.0 {
        return weight + 0.0;
    }
    let help = "write a finite number, 0 or more";
    reader.error(
        "bad-weight",
        node.place,
        format!("the weight of a query cannot be {weight}"),
        help,
    );
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let text = concat!(
            "{\"query\": 17, \"prompt\": \"May I file late?\", \"tags\": [\"dates\"], \"weight\": 0.5, \"cluster\": \"k\"}\r\n",
            "\n",
            "{\"prompt_id\": \"b\", \"messages\": [{\"role\": \"user\", \"content\": \"?\"}], \"domain\": \"tax\", \"extra\": 1}",
        );
        let (queries, found) = parse_queries(text, "queries.jsonl").expect("both rows are right");
        assert!(found.is_empty());
        let [first, second] = queries.as_slice() else {
            panic!("two queries")
        };
        assert_eq!(
            (first.query.as_str(), first.weight, first.cluster.as_deref()),
            ("17", 0.5, Some("k"))
        );
        assert_eq!(first.prompt, Some("May I file late?".into()));
        assert_eq!(
            (second.query.as_str(), second.weight, second.domain.as_deref()),
            ("b", 1.0, Some("tax"))
        );
        assert_eq!(
            second.prompt,
            Some(serde_json::json!([{"role": "user", "content": "?"}]))
        );
        assert_ne!(first.hash(), None);
    }

    #[test]
    fn every_mistake_is_reported() {
        let text = concat!(
            "{\"query\": \"a\", \"wieght\": 2}\n",
            "{\"query\": \"a\"}\n",
            "{\"query\": \"b\", \"weight\": -1}\n",
            "{\"query\": \"c\", \"weight\": \"2\"}\n",
            "{\"prompt\": \"?\"}\n",
            "{\"query\": [1]}\n",
            "{\"query\": \"d\",}\n",
        );
        let found = parse_queries(text, "queries.jsonl").expect_err("six rows are wrong");
        let ids: Vec<(u32, &str)> = found
            .iter()
            .map(|d| (d.span.as_ref().map_or(0, |s| s.line), d.id))
            .collect();
        let expected = [
            (1, "unused-key"),
            (2, "duplicate-query"),
            (3, "bad-weight"),
            (4, "wrong-type"),
            (5, "missing-key"),
            (6, "wrong-type"),
            (7, "syntax"),
        ];
        assert_eq!(ids, expected);
    }

    #[test]
    fn some_query_must_count() {
        let found = parse_queries("{\"query\": \"a\", \"weight\": 0}", "queries.jsonl").expect_err("nothing counts");
        assert_eq!(found.iter().map(|d| d.id).collect::<Vec<_>>(), ["no-positive-weight"]);
    }
}
