//! Ids that people can read and that do not depend on the order of a file.

use calibrant_schema::canonical::{Hash, canonical_json};
use serde_json::{Map, Value};

/// Variables that promptfoo adds while it runs: they are no part of a test.
const OF_A_RUN: [&str; 3] = ["_conversation", "sessionId", "__prompt"];

/// Lower-case words joined by dashes, at most `most` characters.
pub(super) fn slug(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut dash = false;
    let mut length = 0;
    for c in text.chars().flat_map(char::to_lowercase) {
        if !c.is_alphanumeric() {
            dash = length > 0;
            continue;
        }
        if length + 1 + usize::from(dash) > most {
            break;
        }
        if std::mem::take(&mut dash) {
            out.push('-');
            length += 1;
        }
        out.push(c);
        length += 1;
    }
    out
}

/// The variables of a test that were written, not added by the run.
pub(super) fn own_vars(vars: &Map<String, Value>) -> Map<String, Value> {
    let own = vars.iter().filter(|(key, _)| !OF_A_RUN.contains(&key.as_str()));
    own.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The id of a test: words of its description, else of its first text, and twelve digits of the hash of its variables.
pub(super) fn query_id(description: Option<&str>, vars: &Map<String, Value>) -> String {
    let hash = Hash::of_json(&Value::Object(vars.clone())).short();
    let said = description.map(str::to_owned).or_else(|| {
        let texts = vars.values().filter_map(Value::as_str);
        texts.map(str::to_owned).next()
    });
    let mut words = slug(&said.unwrap_or_default(), 40);
    if words.is_empty() {
        words.push_str("test");
    }
    format!("{words}-{hash}")
}

/// The id of a query that stands in the metadata of a test, as an export of ours puts it there.
pub(super) fn exported_query(metadata: Option<&Value>) -> Option<String> {
    let id = metadata?.get("calibrant")?.get("query")?.as_str()?.trim();
    (!id.is_empty() && !id.chars().any(char::is_control)).then(|| id.to_owned())
}

/// What a test asks, where no prompt says it: its one variable, or each with its name.
pub(super) fn vars_text(vars: &Map<String, Value>) -> String {
    let said = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => canonical_json(value),
    };
    match vars.len() {
        1 => vars.values().map(said).collect(),
        _ => vars
            .iter()
            .map(|(key, value)| format!("{key}: {}", said(value)))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// A prompt as a query holds it: a list of messages where the text is one in JSON, else the text.
pub(super) fn prompt(text: &str) -> Value {
    let messages = text
        .trim_start()
        .starts_with('[')
        .then(|| serde_json::from_str::<Vec<Map<String, Value>>>(text));
    match messages {
        Some(Ok(messages)) if !messages.is_empty() && messages.iter().all(|message| message.contains_key("role")) => {
            messages.into_iter().map(Value::Object).collect()
        }
        _ => Value::String(text.to_owned()),
    }
}

/// The short name of a prompt: its label, cut with a hash where it is a whole prompt.
pub(super) fn prompt_name(label: &str) -> String {
    let line: String = label
        .trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if !line.is_empty() && line.chars().count() <= 40 && !label.trim().contains('\n') {
        return line;
    }
    format!("{}-{}", slug(label, 32), &Hash::of_bytes(label.as_bytes()).short()[..6])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn slugs_are_words() {
        assert_eq!(slug("  What does it cost?! ", 40), "what-does-it-cost");
        assert_eq!(slug("Übergröße 12", 9), "übergröße");
        assert_eq!(slug("ab cd", 3), "ab");
        assert_eq!(slug("\u{202e}<>", 40), "");
    }

    #[test]
    fn a_query_is_named_by_what_was_written() {
        let vars = |value: Value| own_vars(value.as_object().expect("a mapping"));
        let one = vars(json!({"q": "Why?"}));
        let run = vars(json!({"q": "Why?", "_conversation": [{"prompt": "x"}]}));
        assert_eq!(query_id(None, &one), query_id(None, &run));
        assert!(query_id(None, &one).starts_with("why-"));
        assert_ne!(
            query_id(Some("d"), &one),
            query_id(Some("d"), &vars(json!({"q": "How?"})))
        );
    }

    #[test]
    fn chats_are_messages() {
        assert_eq!(
            prompt("[{\"role\": \"user\", \"content\": \"a\"}]"),
            json!([{"role": "user", "content": "a"}])
        );
        assert_eq!(prompt("[1] is a footnote"), json!("[1] is a footnote"));
        assert_eq!(prompt("[]"), json!("[]"));
    }
}
