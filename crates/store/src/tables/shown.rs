//! Other people's text in our messages: short, and with nothing in it that moves a terminal.

use calibrant_schema::diagnostic::visible;

const LONGEST_NAME: usize = 60;
const LONGEST_SENTENCE: usize = 400;

/// A name or a cell: its first 60 characters, invisible ones as `\u{..}`.
pub(crate) fn shown(name: &str) -> String {
    cut(name, LONGEST_NAME)
}

/// A sentence that quotes names: its first 400 characters, invisible ones as `\u{..}`.
pub(crate) fn shown_sentence(sentence: &str) -> String {
    cut(sentence, LONGEST_SENTENCE)
}

fn cut(text: &str, longest: usize) -> String {
    let mut shown: String = text.chars().take(longest).flat_map(visible).collect();
    if text.chars().nth(longest).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_hostile_names_are_cut_and_escaped() {
        assert_eq!(shown("\u{1b}[31mred"), "\\u{1b}[31mred");
        assert_eq!(shown(&"ü".repeat(10_000)), format!("{}…", "ü".repeat(LONGEST_NAME)));
        assert_eq!(shown(&"ü".repeat(LONGEST_NAME)), "ü".repeat(LONGEST_NAME));
    }
}
