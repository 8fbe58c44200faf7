//! A criterion's text as lints look at it: asides and quotations masked, words with their places, word stems.

use std::collections::BTreeSet;
use std::ops::Range;

/// A text, and a copy of the same length in which quotations and asides cannot match.
pub(super) struct Text<'t> {
    /// As the criterion has it.
    pub(super) raw: &'t str,
    /// In lower case, every byte inside quotation marks or brackets an underscore.
    pub(super) masked: String,
}

impl<'t> Text<'t> {
    pub(super) fn new(raw: &'t str) -> Text<'t> {
        let mut masked = raw.to_ascii_lowercase().into_bytes();
        for range in asides(raw) {
            masked[range].fill(b'_');
        }
        let masked = String::from_utf8(masked).expect("whole characters are masked");
        Text { raw, masked }
    }
}

/// The insides of quotation marks and brackets.
fn asides(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        match open {
            Some((start, close)) if c == close && !(c == '\'' && next.is_alphanumeric()) => {
                found.push(start..at);
                open = None;
            }
            Some(_) => {}
            None => open = closing(c, before, next).map(|close| (at + c.len_utf8(), close)),
        }
        before = c;
    }
    // A bracket that is never closed encloses the rest; a quotation mark that is never closed is none.
    if let Some((start, ')' | ']')) = open {
        found.push(start..text.len());
    }
    found
}

/// What closes an aside that this character opens.
fn closing(c: char, before: char, next: char) -> Option<char> {
    match c {
        '(' => Some(')'),
        '[' => Some(']'),
        '"' => Some('"'),
        '`' => Some('`'),
        '\u{201c}' => Some('\u{201d}'),
        '\u{2018}' => Some('\u{2019}'),
        '\'' if !before.is_alphanumeric() && next.is_alphanumeric() => Some('\''),
        _ => None,
    }
}

/// Words of a text with their places: letters, digits, and hyphens or apostrophes inside.
pub(super) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '-' | '.');
    text.split(move |c: char| !inside(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(move |word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            (start..start + word.len(), word)
        })
}

/// Words that say nothing of what a text is about.
const FUNCTION_WORDS: [&str; 106] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been", "before",
    "being", "both", "but", "by", "can", "could", "did", "do", "does", "doesn't", "during", "each", "either", "etc",
    "every", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "may", "might", "more", "most", "must", "no", "nor", "not", "of", "on", "one", "only", "or", "other", "out",
    "over", "own", "same", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "too", "under", "until", "up", "was", "we", "were", "what", "when",
    "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "would",
    "you", "your", "he's", "it's",
];

/// Function words that other languages do not share in spelling.
const ENGLISH_WORDS: [&str; 40] = [
    "the", "of", "and", "to", "is", "does", "that", "it", "for", "with", "not", "are", "this", "if", "by", "from",
    "its", "their", "which", "when", "what", "how", "any", "each", "every", "at", "as", "be", "should", "would",
    "without", "than", "or", "has", "have", "into", "about", "there", "where", "user",
];

/// Whether a word is a function word.
pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// Below this many words nothing is said of a text's language.
const FEWEST_WORDS: usize = 5;

/// Whether a text is plainly not English: mostly of another script, or at least five words of which none is an English
/// function word and the first is no verb that criteria begin with.
pub(super) fn is_foreign(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (mut all, mut other) = (0usize, 0usize);
    for letter in letters {
        all += 1;
        other += usize::from(!letter.is_ascii());
    }
    if all > 0 && 3 * other > all {
        return true;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = words(&lower).map(|(_, word)| word).collect();
    words.len() >= FEWEST_WORDS
        && !super::verbs::is_verb(words[0])
        && !words.iter().any(|word| ENGLISH_WORDS.contains(word))
}

/// The stems of a text's content words.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    words(&lower)
        .filter(|(_, word)| !is_function_word(word))
        .map(|(_, word)| stem(word))
        .collect()
}

/// A word without its commonest endings; crude on purpose, and the same for both sides of a comparison.
fn stem(word: &str) -> String {
    let word = word.trim_end_matches("'s").trim_end_matches("\u{2019}s");
    let endings = [
        "ations", "ation", "ingly", "ments", "ment", "ings", "ing", "edly", "ies", "ied", "ions", "ion", "ers", "ed",
        "es", "er", "ly", "s", "e", "y",
    ];
    for ending in endings {
        if let Some(root) = word.strip_suffix(ending)
            && root.chars().count() >= 3
        {
            return root.to_owned();
        }
    }
    word.to_owned()
}

/// The share of the smaller set that the larger one holds too; 0 for an empty one.
pub(super) fn containment(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let shared = one.intersection(other).count();
    let smaller = one.len().min(other.len());
    if smaller == 0 {
        0.0
    } else {
        shared as f64 / smaller as f64
    }
}

/// The share of all words of two sets that both have; 0 for two empty ones.
pub(super) fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_and_brackets_are_masked_and_apostrophes_are_not() {
        let text = Text::new("Says \u{201c}stop and call\u{201d} (or 'wait') to the user's son");
        assert!(!text.masked.contains("stop") && !text.masked.contains("wait"));
        assert!(text.masked.ends_with("to the user's son"));
        assert_eq!(text.masked.len(), text.raw.len());
        assert!(Text::new("an inch is 1\" and a foot more").masked.contains("more"));
        assert!(!Text::new("States it (because of this").masked.contains("because"));
    }

    #[test]
    fn languages() {
        for english in [
            "Does it name the form?",
            "Recommends urgent emergency department evaluation today",
            "Names it",
        ] {
            assert!(!is_foreign(english), "{english}");
        }
        for foreign in [
            "Nennt die Antwort das Formular mit seiner Nummer?",
            "\u{bf}La respuesta nombra el formulario?",
            "\u{441}\u{43a}\u{430}\u{437}\u{430}\u{43d}\u{43e}",
        ] {
            assert!(is_foreign(foreign), "{foreign}");
        }
    }

    #[test]
    fn endings_do_not_tell_words_apart() {
        assert_eq!(stems("recommends filing"), stems("Recommend the filings"));
        assert_ne!(stems("dose"), stems("dosing limit"));
    }
}
