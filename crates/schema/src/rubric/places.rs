//! Where the texts of a rubric stand in its file, down to single words, whatever the notation and the folding.

use std::ops::Range;

use crate::diagnostic::Span;
use crate::tree::{Entry, Place};

mod scalar;

use scalar::Unit;

/// Where the keys and values of a rubric file stand.
///
/// Comes from [`Rubric::parse_located`](super::Rubric::parse_located), a row per criterion in the order of the rubric.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// Whether places are remembered at all: pools of a million criteria are read without.
    kept: bool,
    root: Vec<KeyPlace>,
    criteria: Vec<Vec<KeyPlace>>,
}

/// A key, which may be a path such as `allow.compound`, with the places of the key and of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KeyPlace {
    key: String,
    key_place: Place,
    value_place: Place,
}

impl KeyPlace {
    fn new(key: String, entry: &Entry) -> KeyPlace {
        KeyPlace {
            key,
            key_place: entry.key_place,
            value_place: entry.value.place,
        }
    }
}

impl Places {
    /// Whether nothing is known: the rubric was written by a program, as a bank is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.criteria.is_empty()
    }

    /// Places that remember what they are told.
    pub(crate) fn kept() -> Places {
        Places {
            kept: true,
            ..Places::default()
        }
    }

    pub(crate) fn add_root(&mut self, key: &str, entry: &Entry) {
        if self.kept {
            self.root.push(KeyPlace::new(key.to_owned(), entry));
        }
    }

    pub(crate) fn begin_criterion(&mut self) {
        if self.kept {
            self.criteria.push(Vec::new());
        }
    }

    pub(crate) fn drop_criterion(&mut self) {
        self.criteria.pop();
    }

    /// Remembers a key of the criterion begun last.
    pub(crate) fn add(&mut self, key: &str, entry: &Entry) {
        if let Some(criterion) = self.criteria.last_mut() {
            criterion.push(KeyPlace::new(key.to_owned(), entry));
        }
    }
}

/// A rubric's text beside its places: turns a stretch of a decoded text into a span of the file.
#[derive(Debug, Clone)]
pub struct Located<'t> {
    file: &'t str,
    text: &'t str,
    starts: Vec<usize>,
    places: &'t Places,
}

impl<'t> Located<'t> {
    /// The look-up for a file: its name as spans carry it, its text, and the places met while it was read.
    #[must_use]
    pub fn new(file: &'t str, text: &'t str, places: &'t Places) -> Located<'t> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Located {
            file,
            text,
            starts,
            places,
        }
    }

    /// Where a key of the rubric itself stands.
    #[must_use]
    pub fn root_key(&self, key: &str) -> Option<Span> {
        let found = self.places.root.iter().find(|found| found.key == key)?;
        Some(found.key_place.in_file(self.file))
    }

    /// Where a key of the criterion at `index` stands; keys of mappings inside it are paths, `allow.compound`.
    #[must_use]
    pub fn key(&self, index: usize, key: &str) -> Option<Span> {
        Some(self.find(index, key)?.key_place.in_file(self.file))
    }

    /// Where the value of a key of the criterion at `index` begins.
    #[must_use]
    pub fn value(&self, index: usize, key: &str) -> Option<Span> {
        Some(self.find(index, key)?.value_place.in_file(self.file))
    }

    /// Where the bytes `range` of the decoded text of a key stand: the words themselves, on the first of their lines.
    ///
    /// Where the text cannot be followed into the file, as behind an alias, the key itself.
    #[must_use]
    pub fn words(&self, index: usize, key: &str, decoded: &str, range: Range<usize>) -> Option<Span> {
        let found = self.find(index, key)?;
        let words = self.follow(found.value_place, decoded, range);
        Some(words.unwrap_or(found.key_place).in_file(self.file))
    }

    fn find(&self, index: usize, key: &str) -> Option<&KeyPlace> {
        self.places.criteria.get(index)?.iter().find(|found| found.key == key)
    }

    fn follow(&self, scalar: Place, decoded: &str, range: Range<usize>) -> Option<Place> {
        let line = usize::try_from(scalar.line).ok()?.checked_sub(1)?;
        let start = *self.starts.get(line)?;
        let skip = usize::try_from(scalar.column).ok()?.checked_sub(1)?;
        let (inside, _) = self.text.get(start..)?.char_indices().nth(skip)?;
        let source = self.text.get(start + inside..)?;
        let found = align(source, decoded, range)?;
        Some(self.place(start + inside + found.start..start + inside + found.end))
    }

    /// The part of a byte range that is on its first line.
    fn place(&self, range: Range<usize>) -> Place {
        let line = self.starts.partition_point(|&begin| begin <= range.start) - 1;
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let count = |range: Range<usize>| {
            let text = self.text.get(range).unwrap_or_default();
            u32::try_from(text.trim_end().chars().count()).unwrap_or(u32::MAX)
        };
        let before = self.text.get(self.starts[line]..range.start).unwrap_or_default();
        Place {
            line: u32::try_from(line + 1).unwrap_or(u32::MAX),
            column: u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX),
            length: count(range.start..range.end.min(end)).max(1),
        }
    }
}

/// Finds the bytes of `source`, which opens with a scalar, that became the bytes `range` of `decoded`.
///
/// Folding, indentation and chomping only move white space, so every other character of the decoded text stands in the
/// source in the same order. `None` where that fails.
fn align(source: &str, decoded: &str, range: Range<usize>) -> Option<Range<usize>> {
    let mut units = scalar::units(source);
    let mut found: Option<Range<usize>> = None;
    for (at, wanted) in decoded.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        if at >= range.end {
            break;
        }
        let unit = loop {
            let unit: Unit = units.next()?;
            if unit.character == wanted {
                break unit;
            }
            if !unit.character.is_whitespace() {
                return None;
            }
        };
        if at >= range.start {
            let start = found.as_ref().map_or(unit.bytes.start, |range| range.start);
            found = Some(start..unit.bytes.end);
        }
    }
    found
}

#[cfg(test)]
mod tests;
