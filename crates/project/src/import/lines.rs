//! Texts of other tools, made fit for our files: ids on one line, texts of a length that a line can hold.

use calibrant_schema::diagnostic::visible;

/// Bytes of a text beside a verdict; sixteen of them fit into the longest line of a table.
const LONGEST_TEXT: usize = 1 << 20;

/// Characters of a name in a message.
const LONGEST_NAME: usize = 60;

/// The id that stands for a text, where the text is not fit to be one: control characters become spaces, and outer space goes.
pub(super) fn id(text: &str) -> Option<String> {
    let fit = !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control);
    if fit {
        return None;
    }
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(spaced.trim().to_owned())
}

/// Cuts a text that no line of a table could hold; says whether it did.
pub(super) fn long_text(text: &mut Option<String>) -> bool {
    match text {
        Some(text) if text.len() > LONGEST_TEXT => {
            text.truncate(text.floor_char_boundary(LONGEST_TEXT));
            true
        }
        _ => false,
    }
}

/// A name in a message: short, and with nothing in it that moves a terminal.
pub(super) fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(LONGEST_NAME).flat_map(visible).collect();
    if name.chars().nth(LONGEST_NAME).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_one_line() {
        assert_eq!(id("a b"), None);
        assert_eq!(id(" a\nb\u{7} "), Some("a b".to_owned()));
        assert_eq!(id("\t"), Some(String::new()));
        assert_eq!(id(""), Some(String::new()));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let mut text = Some("ü".repeat(LONGEST_TEXT));
        assert!(long_text(&mut text));
        assert_eq!(text.map(|text| text.len()), Some(LONGEST_TEXT));
        let mut short = Some("ü".to_owned());
        assert!(!long_text(&mut short));
    }
}
