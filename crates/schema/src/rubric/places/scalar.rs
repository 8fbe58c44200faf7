//! The characters that a scalar of YAML or JSON stands for, each with the bytes it was written as.

use std::ops::Range;

/// One character of the decoded text and the bytes of the source that it was written as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) character: char,
    pub(super) bytes: Range<usize>,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Plain or block: characters stand for themselves.
    Itself,
    /// In single quotes: two quotes stand for one.
    Single,
    /// In double quotes: with escapes.
    Double,
}

/// The units of the scalar that `source` opens with. They go on past its end: whoever reads knows how much there is.
pub(super) fn units(source: &str) -> Units<'_> {
    let (style, at) = match source.as_bytes().first() {
        Some(b'"') => (Style::Double, 1),
        Some(b'\'') => (Style::Single, 1),
        // The text of a block scalar begins below its header.
        Some(b'>' | b'|') => (Style::Itself, source.find('\n').map_or(source.len(), |end| end + 1)),
        _ => (Style::Itself, 0),
    };
    Units { source, style, at }
}

/// See [`units`].
pub(super) struct Units<'s> {
    source: &'s str,
    style: Style,
    at: usize,
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        loop {
            let rest = self.source.get(self.at..)?;
            let first = rest.chars().next()?;
            let (character, length) = match (self.style, first) {
                (Style::Single, '\'') if rest.starts_with("''") => (Some('\''), 2),
                (Style::Single, '\'') | (Style::Double, '"') => return None,
                (Style::Double, '\\') => escaped(rest)?,
                _ => (Some(first), first.len_utf8()),
            };
            let start = self.at;
            self.at += length;
            if let Some(character) = character {
                return Some(Unit {
                    character,
                    bytes: start..self.at,
                });
            }
        }
    }
}

/// What an escape stands for, none for an escaped line end, and its length in bytes.
fn escaped(rest: &str) -> Option<(Option<char>, usize)> {
    let letter = rest[1..].chars().next()?;
    let known = |character: char| Some((Some(character), 1 + letter.len_utf8()));
    match letter {
        'n' => known('\n'),
        't' | '\t' => known('\t'),
        'r' => known('\r'),
        '0' => known('\0'),
        'a' => known('\u{7}'),
        'b' => known('\u{8}'),
        'v' => known('\u{b}'),
        'f' => known('\u{c}'),
        'e' => known('\u{1b}'),
        'N' => known('\u{85}'),
        '_' => known('\u{a0}'),
        'L' => known('\u{2028}'),
        'P' => known('\u{2029}'),
        '\n' | '\r' => Some((None, 2)),
        'x' => hexadecimal(rest, 2),
        'u' => surrogates(rest).or_else(|| hexadecimal(rest, 4)),
        'U' => hexadecimal(rest, 8),
        other => known(other),
    }
}

fn hexadecimal(rest: &str, digits: usize) -> Option<(Option<char>, usize)> {
    let code = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
    Some((Some(char::from_u32(code)?), 2 + digits))
}

/// Two escapes of UTF-16, as JSON writes characters beyond the first plane.
fn surrogates(rest: &str) -> Option<(Option<char>, usize)> {
    let half = |from: usize| u16::from_str_radix(rest.get(from..from + 4)?, 16).ok();
    if rest.get(6..8)? != "\\u" {
        return None;
    }
    let pair = [half(2)?, half(8)?];
    let character = char::decode_utf16(pair).next()?.ok()?;
    (character as u32 > 0xffff).then_some((Some(character), 12))
}
