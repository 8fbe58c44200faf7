//! JSON Schemas that reach for nothing, and the JSON inside a response.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::{CheckError, LARGEST_PATTERN};

/// The keywords of a schema that point at another one.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Compiles a schema; whatever points outside of it is refused before anything looks for it.
pub(super) fn schema(argument: &Value) -> Result<Validator, CheckError> {
    if let Some(outside) = outside_reference(argument) {
        return Err(CheckError::OutsideReference(outside.to_owned()));
    }
    let patterns = PatternOptions::regex()
        .size_limit(LARGEST_PATTERN)
        .dfa_size_limit(LARGEST_PATTERN);
    jsonschema::options()
        .with_pattern_options(patterns)
        .build(argument)
        .map_err(|error| CheckError::Schema(error.to_string()))
}

/// The first reference that does not stay inside the schema.
fn outside_reference(value: &Value) -> Option<&str> {
    match value {
        Value::Object(map) => map.iter().find_map(|(key, value)| match value {
            Value::String(target) if REFERENCES.contains(&key.as_str()) && !target.starts_with('#') => {
                Some(target.as_str())
            }
            _ => outside_reference(value),
        }),
        Value::Array(values) => values.iter().find_map(outside_reference),
        _ => None,
    }
}

/// The inside of a response that is one fenced block of Markdown, with ```` ``` ```` or ```` ```json ````; else all of it.
pub(super) fn fenced(text: &str) -> &str {
    let trimmed = text.trim();
    let Some(rest) = trimmed.strip_prefix("```") else {
        return trimmed;
    };
    let Some((language, rest)) = rest.split_once('\n') else {
        return trimmed;
    };
    let inside = rest.strip_suffix("```");
    match inside {
        Some(inside) if matches!(language.trim(), "" | "json" | "JSON") && !inside.contains("```") => inside,
        _ => trimmed,
    }
}
