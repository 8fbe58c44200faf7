//! File names of sheets: made of the grader's name, and safe on every system.

use calibrant_schema::canonical::Hash;
use serde_json::json;

/// How much of a grader's name a file name shows, in characters.
const LONGEST_STEM: usize = 40;

/// Names that no file may have on Windows, whatever its ending.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// The name of a grader's file without its ending.
///
/// A name of 1 to 40 small ASCII letters, digits, `-` and `_` is its own. Every other one keeps what it has of those, gets
/// `-` for each run of the rest, and a piece of its hash behind, so that two graders never share a file, not on a system that
/// ignores case either.
///
/// ```
/// use calibrant_store::sheets::file_stem;
///
/// assert_eq!(file_stem("ana"), "ana");
/// assert!(file_stem("../Ana").starts_with("ana-"));
/// ```
///
/// Source: PROTOCOLS 9, row 14.
#[must_use]
pub fn file_stem(grader: &str) -> String {
    if is_safe(grader) {
        return grader.to_owned();
    }
    let mut stem = String::new();
    for letter in grader.to_lowercase().chars().take(LONGEST_STEM) {
        if is_plain(letter) {
            stem.push(letter);
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem = stem.trim_matches(['-', '_']);
    let hash = Hash::of_json(&json!({"calibrant": "grader/1", "name": grader})).to_string();
    let piece = &hash[..8];
    if stem.is_empty() {
        format!("grader-{piece}")
    } else {
        format!("{stem}-{piece}")
    }
}

fn is_safe(name: &str) -> bool {
    (1..=LONGEST_STEM).contains(&name.len())
        && name.chars().all(is_plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !RESERVED.contains(&name)
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '-' | '_')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn hostile_names_stay_in_the_folder_and_apart() {
        let names = [
            "ana", "Ana", "ANA", "../ana", "..", "", "con", "a/b", "a\\b", "a:b", "a.b", "-x", "ünal", "Ünal", "日本",
            "ana ", "a\0b",
        ];
        let stems: BTreeSet<String> = names.iter().map(|name| file_stem(name)).collect();
        assert_eq!(stems.len(), names.len());
        for stem in &stems {
            assert!(
                stem.chars().all(is_plain) && stem.starts_with(|c: char| c.is_ascii_alphanumeric()),
                "{stem}"
            );
            assert!(!RESERVED.contains(&stem.as_str()));
        }
        assert!(file_stem(&"x".repeat(1000)).len() <= LONGEST_STEM + 9);
    }
}
