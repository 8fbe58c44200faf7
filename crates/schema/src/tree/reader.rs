//! Reading typed values out of a tree while collecting every mistake.

use super::{Entry, Node, Place, Value};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::rubric::{Date, Places};
use crate::suggest;

/// Collects findings about one file and turns nodes into values.
///
/// Every method that reads a value returns `None` for a value that is missing or wrong, and only the wrong one is
/// reported.
pub(crate) struct Reader<'f> {
    file: &'f str,
    pub found: Diagnostics,
    /// Where the keys and values of a rubric stand.
    pub places: Places,
}

impl<'f> Reader<'f> {
    pub(crate) fn new(file: &'f str) -> Reader<'f> {
        Reader {
            file,
            found: Diagnostics::new(),
            places: Places::default(),
        }
    }

    /// A reader that remembers where the keys and values of a rubric stand.
    pub(crate) fn with_places(file: &'f str) -> Reader<'f> {
        Reader {
            places: Places::kept(),
            ..Reader::new(file)
        }
    }

    pub(crate) fn error(&mut self, id: &'static str, place: Place, what: impl Into<String>, help: impl Into<String>) {
        self.found
            .push(Diagnostic::error(id, what, help).at(place.in_file(self.file)));
    }

    pub(crate) fn labelled(&mut self, diagnostic: Diagnostic, place: Place, label: impl Into<String>) {
        self.found.push(diagnostic.at(place.in_file(self.file)).labelled(label));
    }

    pub(crate) fn duplicate_key(&mut self, key: &str, place: Place, first: Place) {
        let what = format!(
            "the key `{}` is written twice, first on line {}",
            shown(key),
            first.line
        );
        let help = "keep one of the two";
        self.labelled(Diagnostic::error("duplicate-key", what, help), place, "the second one");
    }

    /// The entries of a mapping.
    pub(crate) fn map<'n>(&mut self, node: &'n Node, name: &str, help: &str) -> Option<&'n [Entry]> {
        match &node.value {
            Value::Map { entries, .. } => Some(entries),
            _ => self.wrong_type(node, name, "a mapping", help),
        }
    }

    /// The items of a list.
    pub(crate) fn list<'n>(&mut self, node: &'n Node, name: &str, help: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::List(nodes) => Some(nodes),
            _ => self.wrong_type(node, name, "a list", help),
        }
    }

    /// A text as it is hashed: line ends as LF, no white space at the end. Numbers and words are taken as they are
    /// spelled; nothing, or only white space, is `None` and no mistake.
    pub(crate) fn text(&mut self, node: &Node, name: &str) -> Option<String> {
        match &node.value {
            Value::Scalar { .. } => node
                .text()
                .map(crate::canonical::canonical_text)
                .filter(|text| !text.is_empty()),
            _ => self.wrong_type(
                node,
                name,
                "text",
                "write the text after the colon; text that begins with a bracket goes in quotes",
            ),
        }
    }

    /// An id: one line of text without control characters, with its spelling kept.
    pub(crate) fn id(&mut self, node: &Node, name: &str) -> Option<String> {
        let text = self.text(node, name)?.trim().to_owned();
        if text.chars().any(char::is_control) {
            let help = "use letters, digits, `_`, `-` and `.`";
            self.error(
                "bad-id",
                node.place,
                format!("`{name}` holds a line break or another control character"),
                help,
            );
            return None;
        }
        Some(text)
    }

    /// A number as written, which may be infinite or NaN.
    pub(crate) fn number(&mut self, node: &Node, name: &str) -> Option<f64> {
        if node.is_null() {
            return None;
        }
        if let Some(number) = node.number() {
            return Some(number);
        }
        let quoted = matches!(&node.value, Value::Scalar { text, bare: false } if text.trim().parse::<f64>().is_ok());
        let help = if quoted {
            "remove the quotes"
        } else {
            "write a number such as 2 or 0.5"
        };
        self.wrong_type(node, name, "a number", help)
    }

    /// A whole number from `least` to the largest `u32`.
    pub(crate) fn whole(&mut self, node: &Node, name: &str, least: u32) -> Option<u32> {
        let number = self.number(node, name)?;
        let whole = node
            .text()
            .and_then(|text| text.parse::<u32>().ok())
            .filter(|whole| *whole >= least);
        if whole.is_none() {
            let help = format!("write a whole number, {least} or more");
            self.error(
                "not-whole",
                node.place,
                format!("`{name}` must be a whole number of {least} or more, this is {number}"),
                help,
            );
        }
        whole
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, node: &Node, name: &str) -> Option<bool> {
        match node.boolean() {
            None if node.is_null() => None,
            None => self.wrong_type(node, name, "true or false", "write true or false, without quotes"),
            truth => truth,
        }
    }

    /// A day.
    pub(crate) fn date(&mut self, node: &Node, name: &str) -> Option<Date> {
        let text = self.text(node, name)?;
        let date = text.parse().ok();
        if date.is_none() {
            let what = format!("`{name}` is no day of the calendar: `{}`", shown(&text));
            self.error(
                "bad-date",
                node.place,
                what,
                "write year-month-day, for example 2026-05-02",
            );
        }
        date
    }

    /// A list of texts; a single text is a list of one.
    pub(crate) fn texts(&mut self, node: &Node, name: &str) -> Vec<String> {
        match &node.value {
            Value::Scalar { .. } => self.text(node, name).into_iter().collect(),
            Value::List(nodes) => nodes.iter().filter_map(|node| self.text(node, name)).collect(),
            Value::Map { .. } => {
                self.wrong_type::<()>(
                    node,
                    name,
                    "a list of texts",
                    "write [one, two], or a line `- one` for each",
                );
                Vec::new()
            }
        }
    }

    /// One of a few words.
    pub(crate) fn word(&mut self, node: &Node, name: &str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text(node, name)?;
        let word = words.iter().copied().find(|word| *word == text);
        if word.is_none() {
            let what = format!("`{name}` cannot be `{}`", shown(&text));
            let help = format!("write one of: {}", words.join(", "));
            self.labelled(
                Diagnostic::error("unknown-word", what, help),
                node.place,
                "not a known word",
            );
        }
        word
    }

    /// Reports a key that is not among `known`.
    pub(crate) fn unknown_key(&mut self, entry: &Entry, inside: &str, known: &[&str]) {
        let what = format!("unknown key `{}` in {inside}", shown(&entry.key));
        let help = suggest::did_you_mean(&entry.key, known);
        self.labelled(
            Diagnostic::error("unknown-key", what, help),
            entry.key_place,
            "not known here",
        );
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong_type<T>(&mut self, node: &Node, name: &str, wanted: &str, help: &str) -> Option<T> {
        let what = format!("`{name}` must be {wanted}, this is {}", node.kind());
        self.labelled(
            Diagnostic::error("wrong-type", what, help),
            node.place,
            format!("{wanted} is expected"),
        );
        None
    }
}

/// Other people's text in a message: invisible characters escaped, at most 60 characters.
pub(crate) fn shown(text: &str) -> String {
    let mut cut: String = text.chars().take(60).flat_map(crate::diagnostic::visible).collect();
    if text.chars().nth(60).is_some() {
        cut.push('…');
    }
    cut
}
