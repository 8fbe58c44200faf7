//! Pools of query-specific criteria: JSON lines, a row per criterion or a row per query.

use std::collections::BTreeMap;

use super::criterion::{self, CRITERION_KEYS, Field};
use super::read::{Ids, check_weights, finish};
use super::{Criterion, Places, Rubric};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::tree::{self, Entry, Node, Place, Reader, Value};

/// The names other tools give to keys of a criterion. `criterion` is the id where a row has a question, else the question.
const ALIASES: [(&str, &str); 7] = [
    ("criterion_id", "id"),
    ("query_id", "query"),
    ("prompt_id", "query"),
    ("text", "question"),
    ("criterion_text", "question"),
    ("points", "weight"),
    ("criterion", "criterion"),
];

/// The query of a criterion that is shared by all.
const EVERY_QUERY: &str = "*";

/// Keys of a row per query that are not about its criteria.
const QUERY_KEYS: [&str; 4] = ["prompt", "example_tags", "ideal_completions_data", "rubrics"];

/// Reads JSON lines, blank lines skipped.
pub(super) fn parse(text: &str, file: &str) -> Result<(Rubric, Diagnostics), Diagnostics> {
    parse_by(Reader::new(file), text).map(|(rubric, found, _)| (rubric, found))
}

/// Reads JSON lines, with the places of keys and values.
pub(super) fn parse_located(text: &str, file: &str) -> Result<(Rubric, Diagnostics, Places), Diagnostics> {
    parse_by(Reader::with_places(file), text)
}

fn parse_by(mut reader: Reader<'_>, text: &str) -> Result<(Rubric, Diagnostics, Places), Diagnostics> {
    let mut pool = Pool::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, row) in (1u32..).zip(text.lines()) {
        if row.trim().is_empty() {
            continue;
        }
        let Some(node) = tree::parse_json(row, line, &mut reader) else {
            continue;
        };
        let help = "write one JSON object a line, such as {\"query\": \"q1\", \"id\": \"c1\", \"question\": \"...\"}";
        if let Some(entries) = reader.map(&node, "row", help) {
            pool.row(&node, entries, &mut reader);
        }
    }
    if pool.criteria.is_empty() && !reader.found.has_errors() {
        reader.found.push(Diagnostic::error(
            "empty",
            "the file holds no criterion",
            "write a JSON object a line",
        ));
    }
    pool.check(&mut reader);
    let places = std::mem::take(&mut reader.places);
    finish(
        Some(Rubric {
            criteria: pool.criteria,
            ..Rubric::default()
        }),
        reader,
    )
    .map(|(rubric, found)| (rubric, found, places))
}

#[derive(Default)]
struct Pool {
    criteria: Vec<Criterion>,
    ids: Ids,
    /// Where the criterion of an (id, query) stands in `criteria`.
    seen: BTreeMap<(String, Option<String>), usize>,
    reported_repeat: bool,
    /// Keys that were reported as not used: each once, not on every row.
    ignored: std::collections::BTreeSet<String>,
}

impl Pool {
    fn row(&mut self, node: &Node, entries: &[Entry], reader: &mut Reader<'_>) {
        let Some(nested) = entries.iter().find(|entry| entry.key == "rubrics") else {
            self.criterion(node, entries, None, reader);
            return;
        };
        let query = entries.iter().find(|entry| canonical(&entry.key) == "query");
        for entry in entries.iter().filter(|entry| canonical(&entry.key) != "query") {
            if !QUERY_KEYS.contains(&entry.key.as_str()) {
                self.ignore(entry, reader);
            }
        }
        let help = "write a list of {\"criterion\": ..., \"points\": ...}";
        for item in reader.list(&nested.value, "rubrics", help).unwrap_or_default() {
            if let Some(entries) = reader.map(item, "rubrics", help) {
                self.criterion(item, entries, query, reader);
            }
        }
    }

    fn criterion(&mut self, node: &Node, entries: &[Entry], query: Option<&Entry>, reader: &mut Reader<'_>) {
        let mut fields: Vec<Field<'_>> = Vec::with_capacity(entries.len() + 1);
        for entry in query.into_iter().chain(entries) {
            let key = role(&entry.key, entries);
            if !CRITERION_KEYS.contains(&key) {
                self.ignore(entry, reader);
            } else if fields.iter().any(|(name, _)| *name == key) {
                let what = format!("the row gives `{key}` a second time, as `{}`", entry.key);
                reader.error("duplicate-key", entry.key_place, what, "keep one of the two");
            } else {
                fields.push((key, entry));
            }
        }
        let unnamed = !fields.iter().any(|(key, _)| *key == "id");
        let generated = unnamed.then(|| generated_id(&fields, node, reader)).flatten();
        if let Some(entry) = &generated {
            fields.push(("id", entry));
        }
        let mut criterion = criterion::read(&fields, node, reader);
        let place = fields
            .iter()
            .find(|(key, _)| *key == "id")
            .map_or(node.place, |(_, entry)| entry.value.place);
        if criterion.query.as_deref() == Some(EVERY_QUERY) {
            criterion.query = None;
        }
        if self.repeats(&criterion, node, reader) {
            reader.places.drop_criterion();
            return;
        }
        if generated.is_some() {
            self.number(&mut criterion);
        }
        self.ids.add(&criterion, place, reader);
        self.seen
            .insert((criterion.id.clone(), criterion.query.clone()), self.criteria.len());
        self.criteria.push(criterion);
    }

    /// Tells a criterion apart from an earlier one of the same text and query by a number behind its id.
    ///
    /// Published pools give one text two different weights; each counts, as the pool has it.
    fn number(&self, criterion: &mut Criterion) {
        let text_id = criterion.id.clone();
        for number in 2u32.. {
            if !self.seen.contains_key(&(criterion.id.clone(), criterion.query.clone())) {
                return;
            }
            criterion.id = format!("{text_id}-{number}");
        }
    }

    /// Whether a row says again what an earlier one said, as published pools do when a prompt stands in them twice.
    fn repeats(&mut self, criterion: &Criterion, node: &Node, reader: &mut Reader<'_>) -> bool {
        let Some(first) = self.seen.get(&(criterion.id.clone(), criterion.query.clone())) else {
            return false;
        };
        let first = &self.criteria[*first];
        let same = Criterion {
            line: first.line,
            tags: first.tags.clone(),
            ..criterion.clone()
        } == *first;
        if same && !self.reported_repeat {
            self.reported_repeat = true;
            let what = format!(
                "the criterion `{}` stands in the pool twice, first on line {}",
                tree::shown(&criterion.id),
                first.line
            );
            let help = "nothing to do: rows that say the same are taken once, and this is said once";
            reader.labelled(
                Diagnostic::warning("repeated-row", what, help),
                node.place,
                "the same again",
            );
        }
        same
    }

    fn ignore(&mut self, entry: &Entry, reader: &mut Reader<'_>) {
        if self.ignored.insert(entry.key.clone()) {
            let what = format!("the key `{}` is not used", tree::shown(&entry.key));
            let help = match crate::suggest::nearest(&entry.key, CRITERION_KEYS) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "nothing to do, if it is not meant for the rubric".to_owned(),
            };
            reader.labelled(
                Diagnostic::warning("unused-key", what, help),
                entry.key_place,
                "first seen here",
            );
        }
    }

    /// The checks over all rows: some positive weight at all, and for each query that has criteria of its own.
    fn check(&self, reader: &mut Reader<'_>) {
        let Some(first) = self.criteria.first() else { return };
        let place = Place {
            line: first.line,
            column: 1,
            length: 1,
        };
        check_weights(&self.criteria, place, reader);
        if reader.found.has_errors() || self.criteria.iter().any(|c| c.query.is_none() && c.weight > 0.0) {
            return;
        }
        let mut positive: BTreeMap<&str, (bool, u32)> = BTreeMap::new();
        for criterion in self.criteria.iter().filter(|criterion| !criterion.monitor) {
            let Some(query) = criterion.query.as_deref() else {
                continue;
            };
            positive.entry(query).or_insert((false, criterion.line)).0 |= criterion.weight > 0.0;
        }
        for (query, (_, line)) in positive.iter().filter(|(_, (any, _))| !any) {
            let what = format!(
                "no criterion of query `{}` has a weight above 0, so it has no score",
                tree::shown(query)
            );
            let place = Place {
                line: *line,
                column: 1,
                length: 1,
            };
            let help = "give it a criterion with a positive weight, or expect the query to be left out";
            reader.labelled(
                Diagnostic::warning("query-without-weight", what, help),
                place,
                "its first criterion",
            );
        }
    }
}

fn canonical(key: &str) -> &str {
    ALIASES
        .iter()
        .find(|(alias, _)| *alias == key)
        .map_or(key, |(_, canonical)| canonical)
}

/// The key of a criterion that an entry of a row stands for.
pub(super) fn role<'k>(key: &'k str, entries: &[Entry]) -> &'k str {
    match canonical(key) {
        "criterion" => {
            let asked = entries.iter().any(|entry| canonical(&entry.key) == "question");
            if asked { "id" } else { "question" }
        }
        canonical => canonical,
    }
}

/// An id for a criterion that has only a text: `c-` and the first digits of the hash of its card.
fn generated_id(fields: &[Field<'_>], node: &Node, reader: &mut Reader<'_>) -> Option<Entry> {
    let (_, question) = fields.iter().find(|(key, _)| *key == "question")?;
    let text = reader.text(&question.value, "question")?;
    let id = format!("c-{}", Criterion::new("", text).card().hash().short());
    let value = Node {
        value: Value::Scalar { text: id, bare: false },
        place: question.value.place,
    };
    Some(Entry {
        key: "id".into(),
        key_place: node.place,
        value,
    })
}
