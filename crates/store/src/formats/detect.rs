//! Which form a file has, by the structure at its beginning.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;

use crate::formats::{Form, health_bench, health_bench_meta, inspect, lm_eval, promptfoo, wide};
use crate::tables::shown;

/// How many bytes of a file, unpacked, are looked at: a first row fits almost always.
pub const HEAD: usize = 256 * 1024;

/// What zip archives begin with.
pub const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";

/// Keys of an object that are named when nothing more is known about it.
const MOST_KEYS: usize = 12;

/// Whether the beginning of a file may be of a form.
type LooksLike = fn(&[u8]) -> bool;

/// The signature of each form that has a reader.
const SIGNATURES: &[(Form, LooksLike)] = &[
    (Form::HealthBench, health_bench::looks_like),
    (Form::HealthBenchMeta, health_bench_meta::looks_like),
    (Form::Inspect, inspect::looks_like),
    (Form::Promptfoo, promptfoo::looks_like),
    (Form::PromptfooConfig, promptfoo::looks_like_config),
    (Form::LmEval, lm_eval::looks_like),
    (Form::Wide, wide::looks_like),
];

/// The forms that the beginning of a file may have, in the order of [`Form::ALL`]; `head` is unpacked and may be cut anywhere.
#[must_use]
pub fn candidates(head: &[u8]) -> Vec<Form> {
    SIGNATURES
        .iter()
        .filter(|(_, looks_like)| looks_like(head))
        .map(|(form, _)| *form)
        .collect()
}

/// What the beginning of a file shows, in words, for somebody who has to say its form.
#[must_use]
pub fn seen(head: &[u8]) -> String {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if head.is_empty() || text.is_empty() {
        return "nothing: it is empty".to_owned();
    }
    if head.starts_with(&ZIP_MAGIC) {
        return "a zip archive".to_owned();
    }
    match text.as_bytes()[0] {
        b'{' => object(text),
        b'[' => "a JSON list".to_owned(),
        _ => {
            let line = text.lines().next().unwrap_or_default();
            format!("a text that begins `{}`", shown(line))
        }
    }
}

fn object(text: &str) -> String {
    let keys = first_keys(text);
    if keys.is_empty() {
        return "a JSON object without keys, or one that is cut short".to_owned();
    }
    let named: Vec<String> = keys
        .iter()
        .take(MOST_KEYS)
        .map(|key| format!("`{}`", shown(key)))
        .collect();
    let more = if keys.len() > MOST_KEYS { " and more" } else { "" };
    format!("a JSON object with the keys {}{more}", named.join(", "))
}

/// The keys of the JSON object at the beginning of a text, as far as it goes.
///
/// For signatures of structure: a large value that is cut ends the list, and nothing is an error.
pub(crate) fn first_keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    // What was met before the end, or before a mistake, is the answer.
    let _ = Keys(&mut keys).read(&mut reader);
    keys
}

struct Keys<'a>(&'a mut Vec<String>);

impl Keys<'_> {
    fn read<'de, D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.push(key);
            map.next_value::<Skipped>()?;
        }
        Ok(())
    }
}

/// A value that is passed over.
struct Skipped;

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(reader).map(|_| Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_as_far_as_an_object_goes() {
        assert_eq!(first_keys(r#"{"a": {"x": [1]}, "b": "cut he"#), ["a", "b"]);
        assert_eq!(first_keys("[1]"), Vec::<String>::new());
        assert_eq!(first_keys(""), Vec::<String>::new());
    }

    #[test]
    fn what_is_seen_is_said_without_what_moves_a_terminal() {
        let cases = [
            (&b""[..], "nothing: it is empty"),
            (b"PK\x03\x04..", "a zip archive"),
            (b"\n[1, 2]", "a JSON list"),
            (b"{\"a\x7f\": 1}", "a JSON object with the keys `a\\u{7f}`"),
            (b"{}", "a JSON object without keys, or one that is cut short"),
            (b"\x1b[31mid,value\nx", "a text that begins `\\u{1b}[31mid,value`"),
        ];
        for (head, expected) in cases {
            assert_eq!(seen(head), expected);
        }
    }
}
