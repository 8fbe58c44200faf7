//! Rows of JSON lines, with the place of every value.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use calibrant_schema::Diagnostic;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::findings::Findings;
use crate::tables::lines::{Lines, Step, without_line_end};
use crate::tables::row::{Cell, Row, Value};
use crate::tables::shown::shown;

/// Keys of one table; a table with more is a map written as rows, whose keys are data.
const MOST_KEYS: usize = 1_000;

/// Words other programs write for numbers that JSON does not have.
const NO_JSON_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The objects of a JSON-lines table; its columns are the keys in the order they first appear.
pub(crate) struct JsonRows {
    pub(crate) lines: Lines,
    keys: Vec<String>,
}

impl JsonRows {
    pub(crate) fn new(lines: Lines) -> Self {
        Self {
            lines,
            keys: Vec::new(),
        }
    }

    /// The keys met so far.
    pub(crate) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Reads the next object; blank lines are passed over.
    pub(crate) fn next(&mut self, row: &mut Row, findings: &mut Findings) -> Step {
        row.clear();
        while row.raw.trim().is_empty() {
            row.clear();
            match self.lines.next(&mut row.raw, findings) {
                Step::Read => {}
                other => return other,
            }
        }
        row.line = self.lines.line();
        let raw = std::mem::take(&mut row.raw);
        let parsed = self.object(&raw, row);
        row.raw = raw;
        let Err(mistake) = parsed else { return Step::Read };
        let (place, mistake) = mistake.explained(&row.raw);
        row.report_at(self.lines.name(), place, mistake, findings);
        Step::Skipped
    }

    fn object(&mut self, raw: &str, row: &mut Row) -> Result<(), Mistake> {
        let mut reader = serde_json::Deserializer::from_str(without_line_end(raw));
        let members = reader.deserialize_any(Members)?;
        reader.end()?;
        for (position, (key, value)) in members.into_iter().enumerate() {
            let place = place_of(raw, value.get());
            let column = self
                .column(&key, position)
                .ok_or_else(|| Mistake::TooManyKeys(place.clone()))?;
            if row.cells.len() <= column {
                row.cells.resize(column + 1, None);
            }
            if row.cells[column].is_some() {
                return Err(Mistake::KeyTwice {
                    key: key.into_owned(),
                    place,
                });
            }
            row.cells[column] = Some(Cell {
                value: value_at(value.get(), &place, &mut row.unquoted)?,
                place,
            });
        }
        Ok(())
    }

    /// The column of a key; rows mostly have the same keys in the same order, so its place in the row is tried first.
    fn column(&mut self, key: &str, position: usize) -> Option<usize> {
        if self.keys.get(position).is_some_and(|known| known == key) {
            return Some(position);
        }
        let known = self.keys.iter().position(|known| known == key);
        if known.is_none() && self.keys.len() < MOST_KEYS {
            self.keys.push(key.to_owned());
            return Some(self.keys.len() - 1);
        }
        known
    }
}

enum Mistake {
    Json(serde_json::Error),
    KeyTwice { key: String, place: Range<usize> },
    TooManyKeys(Range<usize>),
}

impl From<serde_json::Error> for Mistake {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl Mistake {
    fn explained(self, raw: &str) -> (Range<usize>, Diagnostic) {
        match self {
            Self::Json(error) => explain_json(&error, raw),
            Self::KeyTwice { key, place } => (
                place,
                Diagnostic::error(
                    "json-key-twice",
                    format!("the object has the key `{}` twice", shown(&key)),
                    "keep one of the two",
                ),
            ),
            Self::TooManyKeys(place) => (
                place,
                Diagnostic::error(
                    "json-keys-are-data",
                    format!("the rows have more than {MOST_KEYS} different keys"),
                    "write one row per verdict, with criterion and label as values and not as keys",
                ),
            ),
        }
    }
}

fn explain_json(error: &serde_json::Error, raw: &str) -> (Range<usize>, Diagnostic) {
    let text = without_line_end(raw);
    let trimmed = text.trim_start();
    if error.is_data() {
        let diagnostic = Diagnostic::error(
            "json-not-object",
            "the line is JSON, but no object",
            if trimmed.starts_with('[') {
                "write one object a line, without the list around them"
            } else {
                "write one object a line, such as {\"system\": ..., \"query\": ..., \"criterion\": ..., \"judge\": ..., \"label\": ...}"
            },
        );
        return (text.len() - trimmed.len()..text.len(), diagnostic);
    }
    let at = if error.is_eof() {
        text.len()
    } else {
        char_start(text, error.column().saturating_sub(1))
    };
    let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    // The sign is read before the word is found wanting.
    let from = if text[..at].ends_with('-') { at - 1 } else { at };
    if let Some(word) = NO_JSON_NUMBERS.iter().find(|word| text[from..].starts_with(**word)) {
        let diagnostic = Diagnostic::error(
            "json-nan",
            format!("`{word}` is no JSON"),
            "write null and say in `status` why there is no label, such as failed or refused",
        );
        return (from..from + word.len(), diagnostic);
    }
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    (
        at..end,
        Diagnostic::error(
            "json",
            format!("the line is no JSON: {message}"),
            "write one whole JSON object a line",
        ),
    )
}

/// The beginning of the character that holds byte `at`, or the end of the text.
fn char_start(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Where a slice of `raw` stands in it.
fn place_of(raw: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).checked_sub(raw.as_ptr() as usize);
    let start = start
        .filter(|start| start + part.len() <= raw.len())
        .expect("a raw value is borrowed from its line");
    start..start + part.len()
}

fn value_at(text: &str, place: &Range<usize>, unquoted: &mut String) -> Result<Value, serde_json::Error> {
    match text.as_bytes().first() {
        Some(b'"') if text.contains('\\') => {
            let start = unquoted.len();
            unquoted.push_str(&serde_json::from_str::<String>(text)?);
            Ok(Value::Unquoted(start..unquoted.len()))
        }
        Some(b'"') => Ok(Value::Raw(place.start + 1..place.end - 1)),
        Some(b'{' | b'[') => Ok(Value::Nested),
        Some(b'n') => Ok(Value::Null),
        _ => Ok(Value::Raw(place.clone())),
    }
}

/// The members of one object in their order, values unread.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(16);
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            members.push((key, value));
        }
        Ok(members)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored::Source;

    fn read(text: &str) -> (Vec<Vec<String>>, Findings) {
        let mut findings = Findings::default();
        let stored = Source::bytes("t.jsonl", text.as_bytes().to_vec())
            .open()
            .expect("memory opens");
        let mut table = JsonRows::new(Lines::new("t.jsonl".to_owned(), stored, &findings));
        let mut row = Row::default();
        let mut rows = Vec::new();
        loop {
            match table.next(&mut row, &mut findings) {
                Step::Read => rows.push((0..row.cells.len()).map(|column| row.text(column).to_owned()).collect()),
                Step::Skipped => {}
                Step::End => return (rows, findings),
            }
        }
    }

    fn place(findings: &Findings) -> (&'static str, u32, u32, u32) {
        let diagnostic = &findings.shown()[0].diagnostic;
        let span = diagnostic.span.clone().expect("a mistake in a line has a place");
        (diagnostic.id, span.line, span.column, span.length)
    }

    #[test]
    fn numbers_keep_their_digits_and_keys_may_change_places() {
        let (rows, findings) = read("{\"a\": 00123e0, \"b\": 1}\n");
        assert!(rows.is_empty());
        assert_eq!(place(&findings).0, "json", "JSON has no leading zeros");
        let (rows, findings) = read("{\"a\": 1E5, \"b\": true}\n\n{\"b\": null, \"a\": \"x\\ny\"}\n");
        assert_eq!(rows, [["1E5", "true"], ["x\ny", ""]]);
        assert!(findings.is_empty());
    }

    #[test]
    fn mistakes_have_their_column_in_characters() {
        assert_eq!(place(&read("{\"a\": 1}\n{\"ö\": NaN}\n").1), ("json-nan", 2, 7, 3));
        assert_eq!(place(&read("{\"ö\": -Infinity}\n").1), ("json-nan", 1, 7, 9));
        assert_eq!(place(&read("{\"ö\" 1}\n").1), ("json", 1, 6, 1));
        assert_eq!(place(&read("{\"a\": 1\n").1), ("json", 1, 8, 0));
        assert_eq!(place(&read("{\"a\": 1, \"a\": 2}\n").1), ("json-key-twice", 1, 15, 1));
        assert_eq!(place(&read("[{\"a\": 1}]\n").1), ("json-not-object", 1, 1, 10));
        assert_eq!(place(&read("{\"a\": 1} {\"a\": 2}\n").1), ("json", 1, 10, 1));
    }
}
