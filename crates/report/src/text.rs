//! Text from outside, made safe to look at: nothing hidden, nothing endless.

use std::fmt;

/// Characters of an id that are shown; the artifacts hold it whole.
const LONGEST_ID: usize = 120;
/// Characters of a sentence that are shown.
const LONGEST_PROSE: usize = 1_000;
/// Lines of a text set in lines that are shown.
const LONGEST_LINES: usize = 120;

/// Text in which every character can be seen.
///
/// It is not escaped: each printer does that for its own target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text(String);

impl Text {
    /// A name, character by character: line ends are shown as characters, and a very long name loses its middle.
    pub fn id(raw: &str) -> Self {
        Self(visible(&shortened(raw, LONGEST_ID)))
    }

    /// A name for a narrow place, of at most about `longest` characters.
    pub fn short_id(raw: &str, longest: usize) -> Self {
        let length = raw.chars().count();
        if length <= longest {
            return Self(visible(raw));
        }
        let tail = longest / 3;
        let head: String = raw.chars().take(longest - tail - 1).collect();
        let end: String = raw.chars().skip(length - tail).collect();
        Self(visible(&format!("{head}…{end}")))
    }

    /// A sentence: runs of white space become one space.
    pub fn prose(raw: &str) -> Self {
        let words: Vec<&str> = raw.split_whitespace().collect();
        Self(visible(&shortened(&words.join(" "), LONGEST_PROSE)))
    }

    /// A sentence for a narrow place, of at most about `longest` characters.
    pub fn short_prose(raw: &str, longest: usize) -> Self {
        let words: Vec<&str> = raw.split_whitespace().collect();
        Self::short_id(&words.join(" "), longest)
    }

    /// Text that was set in lines, line by line; of a very long one the first lines.
    pub fn lines(raw: &str) -> Self {
        let mut lines = raw.lines();
        let mut shown: Vec<String> = lines.by_ref().take(LONGEST_LINES).map(visible).collect();
        let more = lines.count();
        if more > 0 {
            shown.push(format!("... and {more} more lines"));
        }
        Self(shown.join("\n"))
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text with each hidden character as its code point, for example `⟨U+202E⟩`.
fn visible(raw: &str) -> String {
    let mut shown = String::with_capacity(raw.len());
    for c in raw.chars() {
        if is_hidden(c) {
            shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether a character has no ink of its own or moves the text around it: controls, bidirectional marks, zero-width
/// characters, fillers, tags, and the variation selectors that can carry hidden text.
fn is_hidden(c: char) -> bool {
    // Noncharacters have no ink, and XML has no place for two of them.
    let is_noncharacter = u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c);
    c.is_control()
        || is_noncharacter
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text, or its start and end with the length between when it has more than `longest` characters.
fn shortened(raw: &str, longest: usize) -> String {
    let length = raw.chars().count();
    if length <= longest {
        return raw.to_owned();
    }
    let tail = longest / 4;
    let head: String = raw.chars().take(longest - tail).collect();
    let end: String = raw.chars().skip(length - tail).collect();
    format!("{head} … {end} ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown_as_code_points() {
        assert_eq!(
            Text::id("a\u{202e}b\u{200b}\u{7}\n").as_str(),
            "a⟨U+202E⟩b⟨U+200B⟩⟨U+0007⟩⟨U+000A⟩"
        );
        assert_eq!(Text::id("\u{9b}31m\u{e0041}").as_str(), "⟨U+009B⟩31m⟨U+E0041⟩");
        assert_eq!(Text::id("Zürich 東京").as_str(), "Zürich 東京");
    }

    #[test]
    fn prose_flows_and_names_do_not() {
        assert_eq!(Text::prose(" one\n two\t three ").as_str(), "one two three");
        assert_eq!(Text::id("one\ntwo").as_str(), "one⟨U+000A⟩two");
    }

    #[test]
    fn lines_stay_lines_and_end_somewhere() {
        assert_eq!(Text::lines("a\u{7}\n  b").as_str(), "a⟨U+0007⟩\n  b");
        assert!(
            Text::lines(&"x\n".repeat(130))
                .as_str()
                .ends_with("\n... and 10 more lines")
        );
    }

    #[test]
    fn a_long_name_keeps_both_ends_and_says_how_long_it_is() {
        let raw = format!("start{}end", "x".repeat(10_000));
        let shown = Text::id(&raw);
        assert!(
            shown.as_str().starts_with("start") && shown.as_str().ends_with("end (10008 characters)"),
            "{shown}"
        );
        assert!(shown.as_str().chars().count() < 150);
    }
}
