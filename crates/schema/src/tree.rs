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

use crate::diagnostic::{Diagnostic, Diagnostics};

/// The largest text that is read, in bytes: beyond it a file is data, not something a person wrote.
pub const MOST_BYTES: usize = 16 << 20;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// YAML 1.2, one document.
    Yaml,
    /// JSON, with the bare words `NaN` and `Infinity` that some programs write.
    Json,
}

/// Reads a text whose first line is line `first_line` of the file; that number is used for JSON alone.
///
/// Returns the tree with what was found on the way.
///
/// # Errors
/// If the text is larger than [`MOST_BYTES`], is not of the notation, nests too deeply, or holds nothing.
pub fn parse(
    text: &str,
    file_name: &str,
    notation: Notation,
    first_line: u32,
) -> Result<(Node, Diagnostics), Diagnostics> {
    let mut reader = Reader::new(file_name);
    if text.len() > MOST_BYTES {
        let what = format!("the text has more than {} MiB", MOST_BYTES >> 20);
        let error = Diagnostic::error("too-large", what, "split it");
        return Err(Diagnostics::from_iter([error]));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let node = match notation {
        Notation::Yaml => parse_yaml(text, &mut reader),
        Notation::Json => parse_json(text, first_line, &mut reader),
    };
    let Some(node) = node.filter(|_| !reader.found.has_errors()) else {
        if !reader.found.has_errors() {
            let error = Diagnostic::error("empty", "the text holds nothing", "check the program that wrote it");
            reader.found.push(error);
        }
        return Err(reader.found);
    };
    Ok((node, reader.found))
}

/// A stretch of one line: line and column from 1, length in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Length in characters.
    pub length: u32,
}

impl Place {
    /// The place in a named file.
    #[must_use]
    pub fn in_file(self, file: &str) -> Span {
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
pub struct Node {
    /// What stands there.
    pub value: Value,
    /// Where.
    pub place: Place,
}

/// What stands at a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A scalar.
    Scalar {
        /// Its spelling.
        text: String,
        /// Whether it was written without quotes, so that `null`, `true` and `4` may be more than text.
        bare: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order written, every key once.
    Map {
        /// Its keys and values.
        entries: Vec<Entry>,
        /// Whether it was written between braces.
        flow: bool,
    },
}

/// One key of a mapping with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The value under a key, where the node is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map { entries, .. } => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// Whether nothing stands here: `null`, `~` or no text at all, without quotes.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, bare: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The scalar's text, unless it is null.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// What the node is, for "this is ..." in messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
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
    #[must_use]
    pub fn boolean(&self) -> Option<bool> {
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
    #[must_use]
    pub fn number(&self) -> Option<f64> {
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
    #[must_use]
    pub fn to_json(&self) -> Option<serde_json::Value> {
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
