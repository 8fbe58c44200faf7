//! Templates whose variables are filled in, as far as that needs no template engine.

use calibrant_schema::canonical::canonical_json;
use serde_json::{Map, Value};

/// Variables in variables deeper than this are not filled in, and neither are texts that grow beyond all use.
const MOST_NESTED: usize = 2;

/// The most a text may grow to, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// The text with each `{{ name }}` replaced by the variable and each `{{ 'text' }}` by the text, or `None` if it holds anything else of a template, or a variable
/// that is missing or no plain value.
pub(super) fn filled(text: &str, vars: &Map<String, Value>) -> Option<String> {
    filled_to(text, vars, MOST_NESTED)
}

fn filled_to(text: &str, vars: &Map<String, Value>, depth: usize) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = opening(rest) {
        out.push_str(&rest[..at]);
        let inside = rest[at..].strip_prefix("{{")?;
        let end = inside.find("}}")?;
        let name = inside[..end].trim();
        rest = &inside[end + 2..];
        if out.len() > MOST_BYTES {
            return None;
        }
        if let Some(text) = literal(name) {
            out.push_str(text);
            continue;
        }
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        out.push_str(&said(vars.get(name)?, vars, depth)?);
    }
    out.push_str(rest);
    Some(out)
}

/// A variable in a text: a list of plain values is joined by commas, as JavaScript does it.
fn said(value: &Value, vars: &Map<String, Value>, depth: usize) -> Option<String> {
    match value {
        Value::String(text) if opening(text).is_none() => Some(text.clone()),
        Value::String(text) if depth > 0 => filled_to(text, vars, depth - 1),
        Value::Number(_) | Value::Bool(_) => Some(canonical_json(value)),
        Value::Array(items) if depth > 0 && !items.iter().any(|item| item.is_array() || item.is_null()) => {
            let items = items.iter().map(|item| said(item, vars, depth - 1));
            Some(items.collect::<Option<Vec<_>>>()?.join(","))
        }
        _ => None,
    }
}

/// The text of a literal without escapes, as [`inert`] writes them.
fn literal(inside: &str) -> Option<&str> {
    let quote = inside.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let text = inside.strip_prefix(quote)?.strip_suffix(quote)?;
    (!text.contains([quote, '\\'])).then_some(text)
}

/// The value with every text in it filled in; `None` as [`filled`].
pub(super) fn filled_value(value: &Value, vars: &Map<String, Value>) -> Option<Value> {
    Some(match value {
        Value::String(text) => Value::String(filled(text, vars)?),
        Value::Array(items) => items
            .iter()
            .map(|item| filled_value(item, vars))
            .collect::<Option<_>>()?,
        Value::Object(map) => {
            let pairs = map
                .iter()
                .map(|(key, value)| Some((key.clone(), filled_value(value, vars)?)));
            Value::Object(pairs.collect::<Option<_>>()?)
        }
        value => value.clone(),
    })
}

/// Where a template opens.
fn opening(text: &str) -> Option<usize> {
    ["{{", "{%", "{#"].iter().filter_map(|open| text.find(open)).min()
}

/// A text that promptfoo renders to exactly this text, and does not take for the name of a file.
pub(super) fn inert(text: &str) -> String {
    let mut out = match opening(text) {
        // The end of a comment is refused also where none is open.
        Some(_) => text.replace('{', "{{ '{' }}").replace("#}", "#{{ '}' }}"),
        None => text.replace("#}", "#{{ '}' }}"),
    };
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    if scheme.is_some_and(|scheme| scheme.chars().all(|c| c.is_ascii_alphanumeric())) || text.starts_with("package:") {
        out.insert_str(0, "{{ '' }}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_variables_are_filled_in() {
        let vars = json!({"a": "x", "n": 2.0, "t": "{{a}}", "u": "{{u}}{{u}}", "l": [1, "b"], "m": [[1]]});
        let vars = vars.as_object().expect("a mapping");
        assert_eq!(filled("{{a}} and {{ n }}.", vars).as_deref(), Some("x and 2."));
        assert_eq!(filled("{{l}}", vars).as_deref(), Some("1,b"));
        assert_eq!(filled("{{t}}", vars).as_deref(), Some("x"));
        assert_eq!(filled("nothing", vars).as_deref(), Some("nothing"));
        for text in [
            "{{ a | upper }}",
            "{% if a %}",
            "{{m}}",
            "{{missing}}",
            "{{a",
            "{# c #}",
        ] {
            assert_eq!(filled(text, vars), None, "{text}");
        }
        assert_eq!(
            filled_value(&json!(["{{a}}", {"k": 1}]), vars),
            Some(json!(["x", {"k": 1}]))
        );
    }

    #[test]
    fn hostile_texts_stay_texts() {
        assert_eq!(inert("a {b}"), "a {b}");
        assert_eq!(inert("{{ 1 }}"), "{{ '{' }}{{ '{' }} 1 }}");
        assert_eq!(inert("#}"), "#{{ '}' }}");
        assert_eq!(inert("file:///etc/passwd"), "{{ '' }}file:///etc/passwd");
        assert_eq!(inert("see http://x"), "see http://x");
        for text in ["{{ a }}{% b %}{# c #}", "#}{", "file://{{x}}", "}}", "{ {"] {
            assert_eq!(filled(&inert(text), &Map::new()).as_deref(), Some(text));
        }
    }
}
