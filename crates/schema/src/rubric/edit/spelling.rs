//! How a text is spelled in each style of scalar, and folded over lines.

use crate::diagnostic::visible;
use crate::rubric::print::quoted;

/// A text folded into lines of a quoted or bare scalar, each of which fits `width` characters if its words do; the first
/// may take `first`.
///
/// An empty line stands for a line end of the text. `None` if folding would lose white space: a line of the text begins
/// or ends with some.
pub(super) fn fold(text: &str, first: usize, width: usize) -> Option<Vec<String>> {
    let foldable = text.split('\n').all(|line| line.trim() == line);
    (foldable && !text.is_empty() && text.trim() == text).then(|| fold_lines(text, first, width))
}

/// A text folded into lines of a block after `>`, where lines that begin with white space keep their line ends.
///
/// `None` if the block would take the white space of the first line for indentation, or a line ends with some.
pub(super) fn fold_block(text: &str, width: usize) -> Option<Vec<String>> {
    let foldable = text.split('\n').all(|line| line.trim_end() == line);
    (foldable && !text.is_empty() && text.trim() == text).then(|| fold_lines(text, width, width))
}

fn fold_lines(text: &str, first: usize, width: usize) -> Vec<String> {
    let spaced = |line: &str| line.starts_with([' ', '\t']);
    let mut lines: Vec<String> = Vec::new();
    let mut before = "";
    let mut empty = 0;
    for paragraph in text.split('\n') {
        if paragraph.is_empty() {
            empty += 1;
            continue;
        }
        if !lines.is_empty() {
            // Folding eats one line end, unless white space begins the line on either side of it.
            let eaten = usize::from(!spaced(before) && !spaced(paragraph));
            lines.extend(std::iter::repeat_n(String::new(), empty + eaten));
        }
        if spaced(paragraph) {
            lines.push(paragraph.to_owned());
        } else {
            wrap(
                paragraph,
                if lines.is_empty() { first } else { width },
                width,
                &mut lines,
            );
        }
        before = paragraph;
        empty = 0;
    }
    lines
}

/// Breaks at single spaces between words, so that a run of spaces stays on one line.
fn wrap(paragraph: &str, first: usize, width: usize, lines: &mut Vec<String>) {
    let mut line = String::new();
    let mut room = first;
    for piece in pieces(paragraph) {
        let length = piece.chars().count();
        if line.is_empty() {
            line.push_str(piece);
        } else if line.chars().count() + 1 + length > room {
            lines.push(std::mem::replace(&mut line, piece.to_owned()));
            room = width;
        } else {
            line.push(' ');
            line.push_str(piece);
        }
    }
    lines.push(line);
}

/// The stretches between single spaces that have no white space at either side.
fn pieces(paragraph: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in paragraph.match_indices(' ') {
        let before = paragraph[..at].chars().next_back().is_some_and(|c| !c.is_whitespace());
        let after = paragraph[at + 1..].chars().next().is_some_and(|c| !c.is_whitespace());
        if before && after && at >= start {
            pieces.push(&paragraph[start..at]);
            start = at + 1;
        }
    }
    pieces.push(&paragraph[start..]);
    pieces
}

/// Whether a text may follow others of a plain scalar, after a space.
pub(super) fn plain_inside(text: &str, flow: bool) -> bool {
    let marks = text.contains(": ") || text.ends_with(':') || text.starts_with('#') || text.contains(" #");
    let brackets = flow && (text.contains([',', '[', ']', '{', '}']) || text.contains(":\""));
    let seen = text
        .chars()
        .all(|c| c == ' ' || (!c.is_whitespace() && visible(c).count() == 1));
    !text.is_empty() && text.trim() == text && !marks && !brackets && seen
}

/// Whether a text may stand without quotes, and nobody takes it for a number, a word of YAML or a mark.
pub(super) fn plain(text: &str, flow: bool) -> bool {
    const WORDS: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"];
    plain_inside(text, flow)
        && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// The text between the quotes of a single-quoted scalar.
pub(super) fn single(text: &str) -> String {
    text.replace('\'', "''")
}

/// The text between the quotes of a double-quoted scalar, on one line.
pub(super) fn double(text: &str) -> String {
    let quoted = quoted(text);
    quoted[1..quoted.len() - 1].to_owned()
}

/// The text between the quotes of a JSON string.
pub(super) fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_keeps_what_a_reader_joins() {
        assert_eq!(
            fold("one two three", 7, 9),
            Some(vec!["one two".into(), "three".into()])
        );
        assert_eq!(fold("a  b c", 3, 3), Some(vec!["a  b".into(), "c".into()]));
        assert_eq!(fold("a\nb", 9, 9), Some(vec!["a".into(), String::new(), "b".into()]));
        assert_eq!(
            fold("a\n\nb", 9, 9),
            Some(vec!["a".into(), String::new(), String::new(), "b".into()])
        );
        assert_eq!(fold("a\n b", 9, 9), None);
        assert_eq!(fold("a\n", 9, 9), None);
        assert_eq!(fold("", 9, 9), None);
        assert_eq!(
            fold_block("a\n b\nc", 9),
            Some(vec!["a".into(), " b".into(), "c".into()])
        );
        assert_eq!(fold_block(" a", 9), None);
    }

    #[test]
    fn words_that_yaml_reads_otherwise_need_quotes() {
        for bad in [
            "no",
            "12",
            "- a",
            "a: b",
            "a #b",
            "a:",
            "> a",
            "",
            " a",
            "~",
            "a\tb",
            "a\u{202e}b",
        ] {
            assert!(!plain(bad, false), "{bad:?}");
        }
        assert!(plain("a path, in part", false));
        assert!(!plain("a path, in part", true));
        assert!(plain("مسار", false));
    }
}
