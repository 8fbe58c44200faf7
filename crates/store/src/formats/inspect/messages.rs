//! What was asked and what was answered, out of a sample.

use std::collections::BTreeMap;

use calibrant_schema::turn::turns;
use serde_json::{Map, Value, json};

use super::sample::Sample;
use crate::formats::Losses;

/// What a text begins with that stands in the attachments of its sample.
const ATTACHMENT: &str = "attachment://";

/// Keys of a message that are carried over; `content` is looked at.
const CARRIED: [&str; 4] = ["role", "tool_calls", "tool_call_id", "function"];

/// Messages of one sample on their way.
pub(super) struct Messages<'a> {
    pub(super) attachments: &'a BTreeMap<String, String>,
    pub(super) losses: &'a mut Losses,
}

/// What a sample asks and what came.
pub(super) struct Exchange {
    /// The input with its choices; `None` where the sample has none.
    pub(super) prompt: Option<Value>,
    /// The text or the messages that answered; `None` where nothing came.
    pub(super) response: Option<Value>,
}

impl Messages<'_> {
    pub(super) fn exchange(&mut self, sample: &Sample) -> Exchange {
        let asked = sample.get("input").map(|input| self.body(input));
        let all: Vec<Value> = sample
            .get("messages")
            .and_then(Value::as_array)
            .map(|messages| messages.iter().map(|message| self.message(message)).collect())
            .unwrap_or_default();
        let given = asked.as_ref().map(assistants).unwrap_or_default();
        let first = first_answer(&all, given);
        self.changed_prompt(asked.as_ref(), &all[..first], sample);
        let response = self.response(sample, &all[first..]);
        let choices = choices(sample);
        let prompt = asked.map(|asked| with_choices(asked, &choices));
        Exchange { prompt, response }
    }

    /// A text, with what it refers to in its place.
    pub(super) fn text(&mut self, text: &str) -> String {
        let Some(name) = text.strip_prefix(ATTACHMENT) else {
            return text.to_owned();
        };
        match self.attachments.get(name) {
            Some(text) => text.clone(),
            None => {
                let why = "the log does not hold them as texts: their names stand in the place of the texts";
                self.losses.add("attachments that are missing", why);
                text.to_owned()
            }
        }
    }

    fn body(&mut self, body: &Value) -> Value {
        match body {
            Value::String(text) => self.text(text).into(),
            Value::Array(messages) => messages.iter().map(|message| self.message(message)).collect(),
            other => other.to_string().into(),
        }
    }

    fn message(&mut self, message: &Value) -> Value {
        let Value::Object(fields) = message else {
            return json!({"role": "unknown", "content": self.value(message)});
        };
        let mut carried = Map::new();
        for key in CARRIED {
            if let Some(value) = fields.get(key).filter(|value| !value.is_null()) {
                carried.insert(key.to_owned(), self.value(value));
            }
        }
        let content = match fields.get("content") {
            Some(Value::Array(parts)) => parts.iter().filter_map(|part| self.part(part)).collect(),
            Some(content) => self.value(content),
            None => Value::from(""),
        };
        carried.insert("content".to_owned(), content);
        Value::Object(carried)
    }

    /// Any value with the texts in it resolved.
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(values) => values.iter().map(|value| self.value(value)).collect(),
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(key, value)| (key.clone(), self.value(value)))
                    .collect(),
            ),
            value => value.clone(),
        }
    }

    /// A part of a message: a text; reasoning goes, and of media only the kind stays.
    fn part(&mut self, part: &Value) -> Option<Value> {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or("unknown");
        match (kind, part.get("text").and_then(Value::as_str)) {
            ("text", Some(text)) => Some(json!({"type": "text", "text": self.text(text)})),
            ("reasoning", _) => {
                let why = "a judge is shown what was said, and not how a model came to it";
                self.losses.add("reasoning of models", why);
                None
            }
            (kind, _) => {
                let why = "responses are texts: the kind of such a part stands in its place";
                self.losses
                    .add("images, sounds, files and other parts that are no text", why);
                Some(json!({"type": kind}))
            }
        }
    }

    /// What answered: from the first message of the model on, one text if there is no more to it.
    fn response(&mut self, sample: &Sample, answer: &[Value]) -> Option<Value> {
        let output = sample.get("output");
        let choices = output
            .and_then(|output| output.get("choices"))
            .and_then(Value::as_array);
        let first = choices
            .and_then(|choices| choices.first())
            .and_then(|choice| choice.get("message"));
        if choices.is_some_and(|choices| choices.len() > 1) {
            let more = choices.map_or(0, |choices| choices.len() as u64 - 1);
            let why = "a response is what the run went on with: the first";
            self.losses.add_many("further completions of one answer", why, more);
        }
        let completion = output
            .and_then(|output| output.get("completion"))
            .and_then(Value::as_str);
        let said = match (completion, first) {
            (Some(text), Some(_)) => Some(self.text(text)),
            (Some(text), None) if !text.is_empty() => Some(self.text(text)),
            (None, Some(message)) => {
                let message = self.message(message);
                Some(text_of(&message))
            }
            _ => None,
        };
        match (answer, said) {
            ([], said) => said.map(Value::from),
            ([only], said) if !has_calls(only) => {
                // A solver may put the answer into the output and leave the message as it was.
                Some(said.unwrap_or_else(|| text_of(only)).into())
            }
            (several, said) => {
                let mut messages = several.to_vec();
                if let Some(said) = said.filter(|said| !said.is_empty() && !ends_with(several, said)) {
                    messages.push(json!({"role": "assistant", "content": said}));
                }
                Some(messages.into())
            }
        }
    }

    /// Counts a prompt that a solver changed before it was sent.
    fn changed_prompt(&mut self, asked: Option<&Value>, sent: &[Value], sample: &Sample) {
        let Some(asked) = asked else { return };
        let sent = Value::from(sent.to_vec());
        let empty = sent.as_array().is_some_and(Vec::is_empty);
        if sample.get("messages").is_some() && !empty && turns(asked, "user") != turns(&sent, "user") {
            let why = "the query is the input of the sample: a system message or a template that a solver put around it stays behind";
            self.losses.add("prompts that a solver changed", why);
        }
    }
}

/// How many messages of the assistant an input has: examples of an answer.
fn assistants(asked: &Value) -> usize {
    let messages = asked.as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().filter(|message| is_answer(message)).count()
}

fn is_answer(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("assistant")
}

/// Where the answer begins: at the first message of the assistant that the input does not have.
fn first_answer(messages: &[Value], given: usize) -> usize {
    let answers = messages.iter().enumerate().filter(|(_, message)| is_answer(message));
    answers.map(|(at, _)| at).nth(given).unwrap_or(messages.len())
}

fn has_calls(message: &Value) -> bool {
    message
        .get("tool_calls")
        .and_then(Value::as_array)
        .is_some_and(|calls| !calls.is_empty())
}

fn ends_with(messages: &[Value], said: &str) -> bool {
    messages
        .iter()
        .any(|message| is_answer(message) && text_of(message) == said)
}

/// The text of a message, parts joined by line ends as Inspect joins them.
fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn choices(sample: &Sample) -> Vec<String> {
    let listed = sample
        .get("choices")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    listed.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A prompt with the choices under it, lettered as Inspect letters them.
fn with_choices(asked: Value, choices: &[String]) -> Value {
    if choices.is_empty() {
        return asked;
    }
    let lines: Vec<String> = choices
        .iter()
        .enumerate()
        .map(|(at, choice)| format!("{}) {choice}", letter(at)))
        .collect();
    let lines = lines.join("\n");
    match asked {
        Value::String(text) => format!("{text}\n\n{lines}").into(),
        Value::Array(mut messages) => {
            messages.push(json!({"role": "user", "content": lines}));
            messages.into()
        }
        other => other,
    }
}

/// `A` to `Z`, then numbers from 1.
fn letter(at: usize) -> String {
    match u8::try_from(at) {
        Ok(at) if at < 26 => char::from(b'A' + at).to_string(),
        _ => (at - 25).to_string(),
    }
}
