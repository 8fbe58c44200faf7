//! How a file is laid out: its line ends, its width, and what stands on a line.

use std::ops::Range;

use crate::tree::{Form, Site, Sites, Style};

/// The width of folded text in a file that has none, in characters.
const USUAL_WIDTH: usize = 80;
/// The narrowest and widest folding that is taken over from a file.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=160;

/// What new lines of a file have to look like.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The line end the file uses most.
    pub newline: &'static str,
    /// The longest line of folded text in the file, in characters.
    pub width: usize,
    /// The announcement of the file's first folded block without comment and digits, or `>-`.
    pub folded: String,
}

impl Layout {
    pub(super) fn of(text: &str, sites: &Sites) -> Layout {
        let windows = text.matches("\r\n").count();
        let mut folds = Vec::new();
        folded_texts(&sites.root, text, &mut folds);
        let lines = folds.iter().flat_map(|range| line_starts_in(text, range));
        let widest = lines
            .map(|start| text[start..line_end(text, start)].trim_end().chars().count())
            .max();
        let width = widest.unwrap_or(USUAL_WIDTH).clamp(*WIDTHS.start(), *WIDTHS.end());
        Layout {
            newline: if 2 * windows > text.matches('\n').count() {
                "\r\n"
            } else {
                "\n"
            },
            width,
            folded: first_folded(&sites.root, text).unwrap_or_else(|| ">-".to_owned()),
        }
    }
}

/// The texts that are folded over several lines.
fn folded_texts(site: &Site, text: &str, found: &mut Vec<Range<usize>>) {
    match &site.form {
        Form::Scalar(Style::Literal | Style::Json) | Form::Alias => {}
        Form::Scalar(_) if text[site.range.clone()].contains('\n') => found.push(site.range.clone()),
        Form::Scalar(_) => {}
        Form::List { items, .. } => items.iter().for_each(|item| folded_texts(item, text, found)),
        Form::Map { entries, .. } => entries.iter().for_each(|entry| folded_texts(&entry.value, text, found)),
    }
}

fn first_folded(site: &Site, text: &str) -> Option<String> {
    match &site.form {
        Form::List { items, .. } => items.iter().find_map(|item| first_folded(item, text)),
        Form::Map { entries, .. } => entries.iter().find_map(|entry| match entry.value.form {
            Form::Scalar(Style::Folded) => {
                let header = text[entry.key_range.end..entry.value.range.start]
                    .trim_start_matches(':')
                    .trim_start();
                let signs = header
                    .chars()
                    .take_while(|c| matches!(c, '>' | '+' | '-') || c.is_ascii_digit());
                Some(signs.filter(|c| !c.is_ascii_digit()).collect())
            }
            _ => first_folded(&entry.value, text),
        }),
        Form::Scalar(_) | Form::Alias => None,
    }
}

fn line_starts_in(text: &str, range: &Range<usize>) -> Vec<usize> {
    let first = line_start(text, range.start);
    let later = text[range.clone()]
        .match_indices('\n')
        .map(|(at, _)| range.start + at + 1);
    std::iter::once(first).chain(later).collect()
}

/// Where the line of a byte begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line of a byte ends, before its line end.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    if end > at && text[..end].ends_with('\r') {
        end - 1
    } else {
        end
    }
}

/// Where the line after that of a byte begins: the end of the text when there is none.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// How many characters stand before a byte on its line.
pub(super) fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

/// The line of a byte, from 1.
pub(super) fn line_number(text: &str, at: usize) -> u32 {
    let lines = text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1;
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// Whether only white space stands before a byte on its line.
pub(super) fn opens_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty()
}

/// Whether only white space stands after a byte on its line.
pub(super) fn closes_line(text: &str, at: usize) -> bool {
    text[at..line_end(text, at)].trim().is_empty()
}
