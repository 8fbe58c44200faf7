//! Keys added to mappings, and rulings to lists, in the form that is there.

use std::ops::Range;

use super::layout::{column, line_end};
use super::spelling::{double, json};
use super::splice::Splice;
use super::texts::{Around, New, Obstacle, Sheet};
use crate::rubric::Ruling;
use crate::tree::{Form, Site, SiteEntry};

impl Sheet<'_> {
    /// Adds keys to a mapping behind one of its entries.
    pub(super) fn insert(&mut self, map: &Site, after: usize, new: &[(&str, New<'_>)]) {
        let entry = &map.entries()[after];
        let end = entry.value.range.end.max(entry.key_range.end);
        let around = self.around(map, entry);
        let mut out = String::new();
        let at = match around {
            Around::Flow => {
                let (comma, colon) = self.flow_marks(map, entry);
                for (key, value) in new {
                    let value = self.value(value, around, 0, false, false);
                    out.push_str(&format!("{comma}{}{colon}{value}", self.key_like(entry, key)));
                }
                end
            }
            Around::Block { indent } => {
                for (key, value) in new {
                    let key = self.key_like(entry, key);
                    let value = self.value(value, around, indent + key.chars().count() + 2, true, true);
                    let space = if value.starts_with(self.layout.newline) {
                        ""
                    } else {
                        " "
                    };
                    out.push_str(&format!(
                        "{}{}{key}:{space}{value}",
                        self.layout.newline,
                        " ".repeat(indent)
                    ));
                }
                line_end(self.text, end)
            }
        };
        self.splices.push(Splice::at(at, out));
    }

    /// Adds a key in front of all others of a mapping.
    pub(super) fn insert_first(&mut self, map: &Site, key: &str, word: &str) {
        let Some(first) = map.entries().first() else { return };
        let at = first.key_range.start;
        let key = self.key_like(first, key);
        let text = match self.around(map, first) {
            Around::Flow => {
                let (comma, colon) = self.flow_marks(map, first);
                format!("{key}{colon}{word}{comma}")
            }
            Around::Block { indent } => format!("{key}: {word}{}{}", self.layout.newline, " ".repeat(indent)),
        };
        self.splices.push(Splice::at(at, text));
    }

    /// A key in the quotes that the other keys have.
    fn key_like(&self, entry: &SiteEntry, key: &str) -> String {
        match self.text[entry.key_range.clone()].chars().next() {
            Some('"') => format!("\"{key}\""),
            Some('\'') => format!("'{key}'"),
            _ => key.to_owned(),
        }
    }

    /// What separates entries of a flow mapping, and keys from values, as the mapping itself writes it.
    fn flow_marks(&self, map: &Site, entry: &SiteEntry) -> (String, String) {
        let entries = map.entries();
        let ends = entries
            .iter()
            .map(|entry| entry.value.range.end.max(entry.key_range.end));
        let starts = entries.iter().skip(1).map(|entry| entry.key_range.start);
        let comma = ends.zip(starts).find_map(|(end, start)| self.gap(end..start, ','));
        let colon = self.gap(entry.key_range.end..entry.value.range.start, ':');
        let colon = colon
            .filter(|colon| colon != ":" || self.json)
            .unwrap_or_else(|| ": ".to_owned());
        let comma = comma.unwrap_or_else(|| {
            let gap = self.opening_gap(map.range.start, entries[0].key_range.start);
            if colon == ":" {
                gap.trim_end_matches(' ').to_owned()
            } else {
                gap
            }
        });
        (comma, colon)
    }

    /// The text of a range if it is the mark with white space.
    fn gap(&self, range: Range<usize>, mark: char) -> Option<String> {
        let gap = self.text.get(range)?;
        (gap.trim() == mark.to_string()).then(|| gap.to_owned())
    }

    /// A comma with the white space that follows the opening bracket, when that starts a line.
    fn opening_gap(&self, open: usize, first: usize) -> String {
        let gap = self.text.get(open + 1..first).unwrap_or_default();
        if gap.contains('\n') && gap.trim().is_empty() {
            format!(",{gap}")
        } else {
            ", ".to_owned()
        }
    }

    /// Adds a ruling behind the last of a list.
    pub(super) fn append_ruling(&mut self, map: &Site, entry: &SiteEntry, ruling: &Ruling) -> Result<(), Obstacle> {
        let list = &entry.value;
        self.own(list)?;
        let Some(last) = list.items().last() else {
            if !list.is_flow() {
                return self.fill(map, entry, &New::Rulings(ruling));
            }
            let item = self.flow_ruling(ruling);
            self.splices.push(Splice::at(list.range.start + 1, item));
            return Ok(());
        };
        if list.is_flow() {
            let items = list.items();
            let ends = items.iter().map(|item| item.range.end);
            let starts = items.iter().skip(1).map(|item| item.range.start);
            let comma = ends.zip(starts).find_map(|(end, start)| self.gap(end..start, ','));
            let comma = comma.unwrap_or_else(|| self.opening_gap(list.range.start, items[0].range.start));
            let item = self.flow_ruling(ruling);
            self.splices.push(Splice::at(last.range.end, format!("{comma}{item}")));
            return Ok(());
        }
        let dash = column(self.text, list.range.start);
        let form = match last.is_flow() || matches!(last.form, Form::Alias) {
            true => None,
            false => last
                .entries()
                .first()
                .map(|entry| column(self.text, entry.key_range.start)),
        };
        let item = self.block_ruling(ruling, dash, form);
        self.splices.push(Splice::at(line_end(self.text, last.range.end), item));
        Ok(())
    }

    /// A ruling as a list item on lines of its own: between braces, or with its keys in a column.
    pub(super) fn block_ruling(&self, ruling: &Ruling, dash: usize, keys: Option<usize>) -> String {
        let newline = self.layout.newline;
        let Some(keys) = keys else {
            return format!("{newline}{}- {}", " ".repeat(dash), self.flow_ruling(ruling));
        };
        let around = Around::Block { indent: keys };
        let pad = " ".repeat(keys);
        let text = self.fresh(&ruling.text, around, keys + 6, true);
        let mut out = format!(
            "{newline}{}-{}date: {}{newline}{pad}text: {text}",
            " ".repeat(dash),
            " ".repeat(keys.saturating_sub(dash + 1).max(1)),
            ruling.date
        );
        if let Some(from) = &ruling.from {
            let from = self.fresh(from, around, keys + 6, true);
            out.push_str(&format!("{newline}{pad}from: {from}"));
        }
        out
    }

    pub(super) fn flow_ruling(&self, ruling: &Ruling) -> String {
        let from = ruling.from.as_deref();
        if self.json {
            let from = from.map(|from| format!(", \"from\": \"{}\"", json(from)));
            let text = json(&ruling.text);
            return format!(
                "{{\"date\": \"{}\", \"text\": \"{text}\"{}}}",
                ruling.date,
                from.unwrap_or_default()
            );
        }
        let from = from.map(|from| format!(", from: {}", self.fresh(from, Around::Flow, 0, false)));
        let text = double(&ruling.text);
        format!(
            "{{date: {}, text: \"{text}\"{}}}",
            ruling.date,
            from.unwrap_or_default()
        )
    }
}
