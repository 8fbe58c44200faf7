//! TOML as a tree.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use super::{Entry, Node, Place, Reader, Value};

/// Reads a TOML document; findings go to `reader`.
///
/// `None` if the text is not TOML; every syntax error is then among the findings.
pub(crate) fn parse_toml(text: &str, reader: &mut Reader<'_>) -> Option<Node> {
    let lines = Lines::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let place = lines.place(error.span().unwrap_or(text.len()..text.len()));
        let what = format!("this is not TOML: {}", error.message());
        reader.error(
            "syntax",
            place,
            what,
            "text goes in quotes, tables in [brackets], and every key stands once",
        );
    }
    errors.is_empty().then(|| lines.table(table.get_ref(), 0..0))
}

/// Where the lines of a text begin, to turn byte ranges into places.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Lines { text, starts }
    }

    /// The part of a byte range that is on its first line.
    fn place(&self, range: Range<usize>) -> Place {
        let start = range.start.min(self.text.len());
        let line = self.starts.partition_point(|&begin| begin <= start) - 1;
        let line_end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let characters = |range: Range<usize>| {
            let count = self.text.get(range).map_or(0, |part| part.chars().count());
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        Place {
            line: u32::try_from(line + 1).unwrap_or(u32::MAX),
            column: characters(self.starts[line]..start).saturating_add(1),
            length: characters(start..range.end.min(line_end).max(start)).max(1),
        }
    }

    fn table(&self, table: &DeTable<'_>, range: Range<usize>) -> Node {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                key_place: self.place(key.span()),
                value: self.node(value),
            })
            .collect();
        entries.sort_by_key(|entry| (entry.key_place.line, entry.key_place.column));
        Node {
            value: Value::Map { entries, flow: false },
            place: self.place(range),
        }
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let scalar = |text: String, bare: bool| Value::Scalar { text, bare };
        let found = match value.get_ref() {
            DeValue::String(text) => scalar(text.to_string(), false),
            DeValue::Integer(integer) => scalar(decimal(integer.as_str(), integer.radix()), true),
            DeValue::Float(float) => scalar(float.as_str().to_owned(), true),
            DeValue::Boolean(truth) => scalar(truth.to_string(), true),
            DeValue::Datetime(datetime) => scalar(datetime.to_string(), true),
            DeValue::Array(items) => Value::List(items.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => return self.table(table, value.span()),
        };
        Node {
            value: found,
            place: self.place(value.span()),
        }
    }
}

/// An integer in decimal spelling; one too large for that keeps its digits and fails where a number is read.
fn decimal(digits: &str, radix: u32) -> String {
    match i128::from_str_radix(digits, radix) {
        Ok(value) => value.to_string(),
        Err(_) => digits.to_owned(),
    }
}
