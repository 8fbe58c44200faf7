//! Assertions that the `check` of a criterion decides as promptfoo does, and the other way.

use serde_json::{Value, json};

use super::assertion::Assertion;

/// The check of an assertion, where there is one that decides alike; `value` has no template left to fill in.
pub(super) fn check(assertion: &Assertion, value: &Value) -> Option<Value> {
    if assertion.inverse || assertion.threshold.is_some() {
        return None;
    }
    let text = scalar(value);
    match assertion.kind.as_str() {
        "contains" => Some(json!({"contains": text?})),
        "icontains" => Some(json!({"regex": format!("(?i){}", escaped(&text?))})),
        "contains-all" => Some(json!({"contains": list(value)?})),
        "contains-any" => Some(json!({"regex": any(&list(value)?)})),
        "icontains-any" => Some(json!({"regex": format!("(?i){}", any(&list(value)?))})),
        "starts-with" => Some(json!({"regex": format!("\\A{}", escaped(&text?))})),
        // A text that is JSON may be compared as JSON.
        "equals" if !text.as_ref()?.starts_with(['{', '[']) => {
            Some(json!({"regex": format!("\\A{}\\z", escaped(&text?))}))
        }
        "regex" => Some(json!({"regex": value.as_str().filter(|pattern| !pattern.is_empty())?})),
        "is-json" if value.is_null() => Some(json!({"json_schema": {}})),
        "is-json" if value.is_object() => Some(json!({"json_schema": value})),
        "word-count" => words(value),
        _ => None,
    }
}

/// A bound on words; two bounds are two checks, and a criterion has one.
fn words(value: &Value) -> Option<Value> {
    let bounds = value.as_object()?;
    let bound = |key: &str| {
        bounds
            .get(key)
            .and_then(Value::as_u64)
            .filter(|bound| *bound > 0 && u32::try_from(*bound).is_ok())
    };
    match (bounds.len(), bound("min"), bound("max")) {
        (1, Some(least), None) => Some(json!({"min_words": least})),
        (1, None, Some(most)) => Some(json!({"max_words": most})),
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// A list of texts. One text is not taken: promptfoo cuts it at commas by rules of its own.
fn list(value: &Value) -> Option<Vec<String>> {
    let items: Vec<String> = value.as_array()?.iter().map(scalar).collect::<Option<_>>()?;
    Some(items).filter(|items| !items.is_empty())
}

fn any(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| escaped(text)).collect();
    format!("(?:{})", texts.join("|"))
}

/// A text as a pattern that matches it and nothing else.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The assertion of a check, as type and value; `None` where promptfoo has none that decides alike.
pub(super) fn assertion(check: &Value) -> Option<(&'static str, Value)> {
    let (kind, argument) = check.as_object()?.iter().next()?;
    match kind.as_str() {
        "contains" if argument.is_array() => Some(("contains-all", argument.clone())),
        "contains" => Some(("contains", argument.clone())),
        "starts_with" => Some(("regex", json!(format!("^\\s*{}", escaped_for_js(argument.as_str()?))))),
        "ends_with" => Some(("regex", json!(format!("{}\\s*$", escaped_for_js(argument.as_str()?))))),
        "regex" => Some(("regex", json!(js_pattern(argument.as_str()?)?))),
        "max_words" => Some(("word-count", json!({"max": argument}))),
        "min_words" => Some(("word-count", json!({"min": argument}))),
        "json_schema" => Some(("is-json", argument.clone())),
        _ => None,
    }
}

fn escaped_for_js(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A pattern that JavaScript reads alike: without inline flags, named classes, and anchors of its own.
fn js_pattern(pattern: &str) -> Option<&str> {
    let foreign = [
        "(?i", "(?m", "(?s", "(?x", "(?u", "(?U", "(?R", "(?-", "(?P", "\\A", "\\z", "\\p", "\\P", "\\x{", "[[", "&&",
        "--", "~~",
    ];
    (!foreign.iter().any(|piece| pattern.contains(piece))).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(written: &Value) -> Option<Value> {
        let assertion = Assertion::of(written.as_object().expect("a mapping")).expect("an assertion");
        check(&assertion, &assertion.value)
    }

    #[test]
    fn what_code_decides_alike_becomes_a_check() {
        assert_eq!(
            of(&json!({"type": "contains", "value": "a.b"})),
            Some(json!({"contains": "a.b"}))
        );
        assert_eq!(
            of(&json!({"type": "icontains", "value": "a.b"})),
            Some(json!({"regex": "(?i)a\\.b"}))
        );
        assert_eq!(
            of(&json!({"type": "contains-any", "value": ["a|", "b"]})),
            Some(json!({"regex": "(?:a\\||b)"}))
        );
        assert_eq!(
            of(&json!({"type": "equals", "value": 5})),
            Some(json!({"regex": "\\A5\\z"}))
        );
        assert_eq!(of(&json!({"type": "is-json"})), Some(json!({"json_schema": {}})));
        assert_eq!(
            of(&json!({"type": "word-count", "value": {"max": 30}})),
            Some(json!({"max_words": 30}))
        );
    }

    #[test]
    fn what_it_does_not_is_left() {
        for written in [
            json!({"type": "not-contains", "value": "a"}),
            json!({"type": "contains-all", "value": "a, b"}),
            json!({"type": "word-count", "value": {"min": 1, "max": 30}}),
            json!({"type": "word-count", "value": 7}),
            json!({"type": "is-json", "value": "file://schema.json"}),
            json!({"type": "javascript", "value": "true"}),
        ] {
            assert_eq!(of(&written), None, "{written}");
        }
    }

    #[test]
    fn checks_go_out_where_javascript_reads_them_alike() {
        assert_eq!(
            assertion(&json!({"regex": "\\d+ days"})),
            Some(("regex", json!("\\d+ days")))
        );
        assert_eq!(assertion(&json!({"regex": "(?i)days"})), None);
        assert_eq!(
            assertion(&json!({"starts_with": "a.b"})),
            Some(("regex", json!("^\\s*a\\.b")))
        );
        assert_eq!(
            assertion(&json!({"contains": ["a", "b"]})),
            Some(("contains-all", json!(["a", "b"])))
        );
    }
}
