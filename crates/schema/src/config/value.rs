//! Values of keys, and the two ways to write them: as TOML, and as the text of a flag or variable.

use std::fmt;

use serde::Serialize;

use super::keys::Kind;
use crate::scale::Scale;
use crate::tree::{Node, Reader, Value as NodeValue, shown};

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A text, path or word.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Truth(bool),
    /// A scale.
    Scale(Scale),
}

/// The form a flag would have; lists are joined by commas.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Texts(texts) => f.write_str(&texts.join(",")),
            Value::Whole(whole) => write!(f, "{whole}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Truth(truth) => write!(f, "{truth}"),
            Value::Scale(scale) => write!(f, "{scale}"),
        }
    }
}

/// Reads the text of a flag, a variable or a default; the error says what is wanted.
pub(super) fn of_text(kind: Kind, text: &str) -> Result<Value, String> {
    let text = text.trim();
    let whole = |least| {
        text.parse::<u64>()
            .ok()
            .filter(|whole| *whole >= least)
            .map(Value::Whole)
    };
    let share = || {
        text.parse::<f64>()
            .ok()
            .filter(|share| *share > 0.0 && *share < 1.0)
            .map(Value::Number)
    };
    let read = match kind {
        Kind::Text | Kind::Path => (!text.is_empty()).then(|| Value::Text(text.to_owned())),
        Kind::Texts => {
            let texts = text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(str::to_owned);
            Some(Value::Texts(texts.collect())).filter(|value| *value != Value::Texts(Vec::new()))
        }
        Kind::Word(words) => word(words, text),
        Kind::Whole(least) => whole(least),
        Kind::Share => share(),
        Kind::Scale => text.parse().ok().map(Value::Scale),
        Kind::Truth => text.parse().ok().map(Value::Truth),
    };
    read.ok_or_else(|| wanted(kind))
}

/// Reads a value of the file; what is wrong with it is reported.
pub(super) fn of_node(kind: Kind, name: &str, node: &Node, reader: &mut Reader<'_>) -> Option<Value> {
    let help = format!("write {}", wanted(kind));
    let scalar = match &node.value {
        NodeValue::Scalar { text, bare } => Some((text, *bare)),
        NodeValue::List(_) | NodeValue::Map { .. } => None,
    };
    match (kind, scalar) {
        (Kind::Texts, None) => return of_list(name, node, &help, reader),
        (Kind::Text | Kind::Path | Kind::Texts | Kind::Word(_) | Kind::Scale, Some((_, false)))
        | (Kind::Whole(_) | Kind::Share | Kind::Truth, Some((_, true))) => {}
        _ => return reader.wrong_type(node, name, &wanted(kind), &help),
    }
    let (text, _) = scalar?;
    let read = match kind {
        // A text in the file is one text: only flags and variables split at commas.
        Kind::Texts => (!text.trim().is_empty()).then(|| Value::Texts(vec![text.clone()])),
        _ => of_text(kind, text).ok(),
    };
    if read.is_none() {
        reader.error(
            "bad-value",
            node.place,
            format!("`{name}` cannot be `{}`", shown(text)),
            help,
        );
    }
    read
}

fn of_list(name: &str, node: &Node, help: &str, reader: &mut Reader<'_>) -> Option<Value> {
    let mut texts = Vec::new();
    for item in reader.list(node, name, help)? {
        match &item.value {
            NodeValue::Scalar { text, bare: false } if !text.trim().is_empty() => texts.push(text.clone()),
            _ => return reader.wrong_type(item, name, "a list of texts", help),
        }
    }
    if texts.is_empty() {
        reader.error(
            "bad-value",
            node.place,
            format!("`{name}` is an empty list"),
            "remove the key, or name at least one",
        );
        return None;
    }
    Some(Value::Texts(texts))
}

fn word(words: &[&str], text: &str) -> Option<Value> {
    words
        .iter()
        .find(|word| word.eq_ignore_ascii_case(text))
        .map(|word| Value::Text((*word).to_owned()))
}

/// What a kind wants, to follow "write".
fn wanted(kind: Kind) -> String {
    match kind {
        Kind::Text => "a text".to_owned(),
        Kind::Path => "a path as text".to_owned(),
        Kind::Texts => "a text or a list of texts".to_owned(),
        Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::Whole(least) => format!("a whole number, {least} or more"),
        Kind::Share => "a number between 0 and 1".to_owned(),
        Kind::Scale => "binary, a range such as 1..5, or values such as 0,0.5,1".to_owned(),
        Kind::Truth => "true or false".to_owned(),
    }
}
