//! Texts that people write, as one tree with a place for every value, whatever the notation.
//!
//! YAML, JSON and TOML are read into the same [`Node`]s. Nothing is typed here: a scalar keeps its spelling, so that the
//! id `00123` stays what it is, and a reader that knows what it expects reports every mistake, not the first.

mod json;
mod reader;
mod sites;
mod toml;
mod yaml;

use crate::diagnostic::Span;

pub(crate) use json::parse_json;
pub(crate) use reader::{Reader, shown};
pub(crate) use sites::{Form, Site, SiteEntry, Sites, Style, json_sites, yaml_sites};
pub(crate) use toml::parse_toml;
pub(crate) use yaml::parse_yaml;

/// The largest text that is read: beyond it a file is data, not something a person wrote.
pub(crate) const MOST_BYTES: usize = 16 << 20;

/// A stretch of one line: line and column from 1, length in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub line: u32,
    pub column: u32,
    pub length: u32,
}

impl Place {
    /// The place in a named file.
    pub(crate) fn in_file(self, file: &str) -> Span {
        Span {
            file: file.to_owned(),
            line: self.line,
            column: self.column,
            length: self.length,
        }
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Place,
}

/// What stands at a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// A scalar with its spelling; `bare` when it was written without quotes, so that `null`, `true` and `4` may be
    /// more than text.
    Scalar { text: String, bare: bool },
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order written, every key once.
    Map { entries: Vec<Entry>, flow: bool },
}

/// One key of a mapping with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub value: Node,
}

impl Node {
    /// Whether nothing stands here: `null`, `~` or no text at all, without quotes.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, bare: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The scalar's text, unless it is null.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// What the node is, for "this is ..." in messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            _ if self.is_null() => "nothing",
            Value::Scalar { bare: true, .. } if self.boolean().is_some() => "true or false",
            Value::Scalar { bare: true, .. } if self.number().is_some() => "a number",
            Value::Scalar { .. } => "text",
            Value::List(_) => "a list",
            Value::Map { .. } => "a mapping",
        }
    }

    /// The bare scalar as `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match &self.value {
            Value::Scalar { text, bare: true } => match text.as_str() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The bare scalar as a number, which may be infinite or NaN in the spellings of YAML, TOML and Python.
    pub(crate) fn number(&self) -> Option<f64> {
        let Value::Scalar { text, bare: true } = &self.value else {
            return None;
        };
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
        match unsigned.to_ascii_lowercase().as_str() {
            ".inf" | "inf" | "infinity" => Some(sign * f64::INFINITY),
            ".nan" | "nan" => Some(f64::NAN),
            _ if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') => text.parse().ok(),
            _ => None,
        }
    }

    /// The node as JSON: bare scalars by the core schema of YAML 1.2, everything else as text, lists and mappings.
    ///
    /// `None` if a number in it is not finite, which JSON cannot say.
    pub(crate) fn to_json(&self) -> Option<serde_json::Value> {
        use serde_json::Value as Json;
        Some(match &self.value {
            _ if self.is_null() => Json::Null,
            Value::Scalar { text, bare } => match (self.boolean(), self.number()) {
                (Some(truth), _) => Json::Bool(truth),
                (None, Some(number)) if *bare => {
                    whole(text).or_else(|| serde_json::Number::from_f64(number).map(Json::Number))?
                }
                _ => Json::String(text.clone()),
            },
            Value::List(nodes) => Json::Array(nodes.iter().map(Node::to_json).collect::<Option<_>>()?),
            Value::Map { entries, .. } => {
                let pairs = entries
                    .iter()
                    .map(|entry| Some((entry.key.clone(), entry.value.to_json()?)));
                Json::Object(pairs.collect::<Option<_>>()?)
            }
        })
    }
}

/// A whole number that JSON keeps exactly.
fn whole(text: &str) -> Option<serde_json::Value> {
    text.parse::<i64>().ok().map(serde_json::Value::from)
}

/// Adds an entry, or returns the place of the entry that already has its key.
///
/// `seen` holds the keys of `entries`: mappings are also read from data, where a scan for each key would be quadratic.
fn add_entry(
    entries: &mut Vec<Entry>,
    seen: &mut std::collections::BTreeMap<String, Place>,
    entry: Entry,
) -> Result<(), Place> {
    match seen.get(&entry.key) {
        Some(first) => Err(*first),
        None => {
            seen.insert(entry.key.clone(), entry.key_place);
            entries.push(entry);
            Ok(())
        }
    }
}
