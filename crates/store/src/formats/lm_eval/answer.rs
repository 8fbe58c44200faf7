//! What was asked and what was said, out of the requests of one document.

use calibrant_schema::tree::{Node, Value as Tree};
use serde_json::{Map, Value};

use super::items;

/// One document's question and answers.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// What was asked: a text, or messages.
    pub prompt: Option<Value>,
    /// What the model said, once for each time it was asked.
    pub texts: Vec<String>,
    /// What the filter took from it.
    pub filtered: Option<String>,
    /// Whether likelihoods were compared of which one is no number: what follows from them is nothing.
    pub broken: bool,
}

/// The arguments of a request.
struct Request<'n> {
    context: &'n Node,
    /// The continuation whose likelihood was asked for; generation has settings in its place.
    continuation: Option<&'n str>,
    /// Whether there is nothing beside the context: the likelihood of the context itself was asked for.
    alone: bool,
}

impl Answer {
    pub(super) fn of(row: &Node) -> Self {
        let requests = requests(row.get("arguments"));
        let filtered = items(row.get("filtered_resps")).first().and_then(first_text);
        let choices = requests.len() > 1 || requests.iter().any(|request| request.continuation.is_some());
        if choices {
            return chosen(&requests, row);
        }
        let texts: Vec<String> = match items(row.get("resps")).first() {
            Some(said) if likelihood(said).is_none() => match &said.value {
                Tree::List(_) => items(Some(said)).iter().filter_map(first_text).collect(),
                _ => first_text(said).into_iter().collect(),
            },
            _ => Vec::new(),
        };
        // A number alone is the likelihood of the whole text.
        let rolling = requests.first().is_some_and(|request| request.alone)
            && texts.iter().all(|text| text.parse::<f64>().is_ok());
        Self {
            prompt: requests.first().and_then(|request| asked(request.context)),
            texts: if rolling { Vec::new() } else { texts },
            filtered: filtered.filter(|_| !rolling),
            broken: false,
        }
    }
}

/// The answer where continuations were compared: the likeliest.
fn chosen(requests: &[Request<'_>], row: &Node) -> Answer {
    let likelihoods: Vec<Option<f64>> = items(row.get("filtered_resps")).iter().map(likelihood).collect();
    let best = likelihoods
        .iter()
        .enumerate()
        .filter_map(|(at, value)| Some((at, (*value)?)));
    let best = best.fold(None, |best: Option<(usize, f64)>, (at, value)| match best {
        Some((_, highest)) if highest >= value => best,
        _ => Some((at, value)),
    });
    let first = requests.first().and_then(|request| request.context.text());
    let same = requests.iter().all(|request| request.context.text() == first);
    let known = likelihoods.len() == requests.len() && likelihoods.iter().all(Option::is_some);
    let said = best.filter(|_| known).and_then(|(at, _)| {
        let request = requests.get(at)?;
        let continuation = request.continuation?;
        // Where the choice stands in the context, the continuation alone does not tell it.
        Some(if same {
            continuation.trim_start().to_owned()
        } else {
            format!("{}{continuation}", request.context.text()?)
        })
    });
    let contexts: Vec<&str> = requests.iter().filter_map(|request| request.context.text()).collect();
    Answer {
        prompt: match same {
            true => requests.first().and_then(|request| asked(request.context)),
            false => Some(Value::String(contexts.join("\n"))),
        },
        texts: said.into_iter().collect(),
        filtered: None,
        broken: !known,
    }
}

/// The requests in either of the two forms: `{"gen_args_0": {"arg_0": …}}` as saved, `[["…", …]]` as they are in the program.
fn requests(node: Option<&Node>) -> Vec<Request<'_>> {
    match node.map(|node| &node.value) {
        Some(Tree::Map { entries, .. }) => {
            let mut numbered: Vec<(usize, &Node)> = entries
                .iter()
                .filter_map(|entry| Some((entry.key.strip_prefix("gen_args_")?.parse().ok()?, &entry.value)))
                .collect();
            numbered.sort_by_key(|(number, _)| *number);
            numbered
                .into_iter()
                .filter_map(|(_, node)| request(node.get("arg_0"), node.get("arg_1")))
                .collect()
        }
        Some(Tree::List(nodes)) => {
            let lists = nodes.iter().map(|node| items(Some(node)));
            lists.filter_map(|list| request(list.first(), list.get(1))).collect()
        }
        _ => Vec::new(),
    }
}

fn request<'n>(context: Option<&'n Node>, second: Option<&'n Node>) -> Option<Request<'n>> {
    Some(Request {
        context: context?,
        continuation: second.and_then(Node::text),
        alone: second.is_none(),
    })
}

/// The likelihood in `["-8.0", "False"]`, which the saved form writes as texts, however deeply it is wrapped.
fn likelihood(node: &Node) -> Option<f64> {
    match items(Some(node)) {
        [value, greedy] if matches!(greedy.text(), Some("True" | "False" | "true" | "false")) => {
            value.text()?.trim().parse().ok().filter(|value: &f64| !value.is_nan())
        }
        [inner] => likelihood(inner),
        _ => None,
    }
}

/// The first text in a value that may be wrapped in lists.
fn first_text(node: &Node) -> Option<String> {
    match &node.value {
        Tree::List(nodes) => nodes.first().and_then(first_text),
        Tree::Scalar { .. } => node.text().map(str::to_owned),
        Tree::Map { .. } => None,
    }
}

/// A context as a query holds it: a chat in JSON as messages, anything else as its text.
fn asked(context: &Node) -> Option<Value> {
    let text = first_text(context)?;
    if text.is_empty() {
        return None;
    }
    let messages = text
        .trim_start()
        .starts_with('[')
        .then(|| serde_json::from_str::<Vec<Map<String, Value>>>(&text));
    Some(match messages {
        Some(Ok(messages)) if !messages.is_empty() && messages.iter().all(|message| message.contains_key("role")) => {
            messages.into_iter().map(Value::Object).collect()
        }
        _ => Value::String(text),
    })
}
