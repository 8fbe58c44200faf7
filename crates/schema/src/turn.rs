//! Turns of a conversation: a prompt or a response as it is shown, whatever form its row has.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical::canonical_json;

/// What one side said, as it is shown to whoever judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who speaks: `system`, `user`, `assistant`, `tool`, or what the row says.
    pub role: String,
    /// What was said, exactly as the row has it.
    pub text: String,
}

/// The turns of a prompt or a response as a row holds it.
///
/// A text is one turn of `role`. A list of messages is a turn each; content in parts is joined by line feeds, and a part
/// that is no text stands as its type in square brackets, such as `[image_url]`. Calls of tools follow the text, one a
/// line, as canonical JSON. Anything else is one turn of `role` with its canonical JSON.
#[must_use]
pub fn turns(body: &Value, role: &str) -> Vec<Turn> {
    match body {
        Value::Array(messages) => messages.iter().map(|message| turn_of(message, role)).collect(),
        body => vec![Turn {
            role: role.to_owned(),
            text: text_of(body),
        }],
    }
}

fn turn_of(message: &Value, role: &str) -> Turn {
    let Value::Object(map) = message else {
        return Turn {
            role: role.to_owned(),
            text: text_of(message),
        };
    };
    let said = map.get("role").and_then(Value::as_str).unwrap_or(role);
    let mut lines: Vec<String> = map
        .get("content")
        .filter(|content| !content.is_null())
        .map(content_text)
        .into_iter()
        .collect();
    if let Some(Value::Array(calls)) = map.get("tool_calls") {
        lines.extend(calls.iter().map(canonical_json));
    }
    Turn {
        role: said.to_owned(),
        text: lines.join("\n"),
    }
}

/// The text of a message's content: a text, or parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts.iter().map(part_text).collect::<Vec<_>>().join("\n"),
        content => text_of(content),
    }
}

fn part_text(part: &Value) -> String {
    match (
        part.get("text").and_then(Value::as_str),
        part.get("type").and_then(Value::as_str),
    ) {
        (Some(text), _) => text.to_owned(),
        (None, Some(kind)) => format!("[{kind}]"),
        (None, None) => text_of(part),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => canonical_json(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(body: &Value) -> Vec<(String, String)> {
        turns(body, "assistant")
            .into_iter()
            .map(|turn| (turn.role, turn.text))
            .collect()
    }

    #[test]
    fn a_text_is_one_turn_as_it_is() {
        let text = " two\r\nlines ";
        assert_eq!(shown(&json!(text)), [("assistant".to_owned(), text.to_owned())]);
    }

    #[test]
    fn messages_are_turns_and_nothing_in_them_is_lost() {
        let body = json!([
            {"role": "user", "content": [{"type": "text", "text": "Which form?"}, {"type": "image_url", "image_url": {}}]},
            {"role": "assistant", "content": null, "tool_calls": [{"name": "look_up", "arguments": "{}"}]},
            {"content": "Form 4868."},
            "a bare text",
        ]);
        let expected = [
            ("user", "Which form?\n[image_url]"),
            ("assistant", "{\"arguments\":\"{}\",\"name\":\"look_up\"}"),
            ("assistant", "Form 4868."),
            ("assistant", "a bare text"),
        ];
        assert_eq!(
            shown(&body),
            expected.map(|(role, text)| (role.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn an_empty_list_has_no_turn() {
        assert_eq!(turns(&json!([]), "user"), []);
    }
}
