//! Criteria decided by code: `check:` compiled once and asked of every response.
//!
//! Nothing here reads a file or a network, and every pattern runs in time linear in the response.
//!
//! Source: METHODS 8, 23.

mod json;

use calibrant_schema::response::Response;
use calibrant_schema::rubric::{Located, Places};
use calibrant_schema::{Criterion, Diagnostic, Rubric};
use jsonschema::Validator;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use json::{fenced, schema};

/// The judge whose verdicts come from code.
pub const CODE_JUDGE: &str = "code";

/// A compiled pattern may take this much memory; a larger one is refused.
const LARGEST_PATTERN: usize = 4 << 20;

/// A check, ready to be asked.
#[derive(Debug)]
pub struct Check(Kind);

#[derive(Debug)]
enum Kind {
    Contains(Vec<String>),
    StartsWith(String),
    EndsWith(String),
    Regex(Regex),
    MostWords(u64),
    FewestWords(u64),
    JsonSchema(Box<Validator>),
}

/// Why a check cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The pattern is none, or needs more memory than a check may take.
    #[error("the pattern cannot be used: {0}")]
    Pattern(String),
    /// The schema is none.
    #[error("the JSON Schema cannot be used: {0}")]
    Schema(String),
    /// The schema points outside of itself.
    #[error("the JSON Schema refers to `{0}`, which is not in it")]
    OutsideReference(String),
    /// No kind of check that this program knows, or no argument of its kind.
    #[error("`{0}` is no check with an argument it can have")]
    Unknown(String),
}

impl CheckError {
    /// The id of its finding.
    fn id(&self) -> &'static str {
        match self {
            CheckError::Pattern(_) => "bad-pattern",
            CheckError::Schema(_) | CheckError::OutsideReference(_) => "bad-schema",
            CheckError::Unknown(_) => "bad-check",
        }
    }

    /// What to do about it.
    fn help(&self) -> &'static str {
        match self {
            CheckError::Pattern(_) => {
                "write a regular expression without look-around and back-references; in YAML put it in single quotes"
            }
            CheckError::Schema(_) => "correct the schema; `$schema` may name a published draft or stay away",
            CheckError::OutsideReference(_) => {
                "put what is referred to below `$defs` and write `$ref: '#/$defs/name'`; nothing is fetched"
            }
            CheckError::Unknown(_) => "write one of the kinds in docs/rubric.md with its argument",
        }
    }
}

impl Check {
    /// The check of a criterion; `None` when judges answer it.
    ///
    /// # Errors
    /// If the pattern or schema cannot be used.
    pub fn of(criterion: &Criterion) -> Result<Option<Check>, CheckError> {
        let Some(check) = &criterion.check else { return Ok(None) };
        let unknown = || CheckError::Unknown(check.to_string());
        let (kind, argument) = check
            .as_object()
            .and_then(|map| map.iter().next())
            .ok_or_else(unknown)?;
        let text = || argument.as_str().map(str::to_owned).ok_or_else(unknown);
        let number = || argument.as_u64().ok_or_else(unknown);
        Ok(Some(Check(match kind.as_str() {
            "contains" => Kind::Contains(texts(argument).ok_or_else(unknown)?),
            "starts_with" => Kind::StartsWith(text()?),
            "ends_with" => Kind::EndsWith(text()?),
            "regex" => Kind::Regex(pattern(&text()?)?),
            "max_words" => Kind::MostWords(number()?),
            "min_words" => Kind::FewestWords(number()?),
            "json_schema" => Kind::JsonSchema(Box::new(schema(argument)?)),
            _ => return Err(unknown()),
        })))
    }

    /// Whether the text of a response meets the check.
    ///
    /// Letters count as written, large and small. `starts_with` and `ends_with` look past white space at the ends of the
    /// response. A text that is not JSON meets no schema; the JSON may stand alone or be the only thing in one fenced
    /// block of Markdown.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        match &self.0 {
            Kind::Contains(parts) => parts.iter().all(|part| text.contains(part.as_str())),
            Kind::StartsWith(start) => text.trim_start().starts_with(start.trim_start()),
            Kind::EndsWith(end) => text.trim_end().ends_with(end.trim_end()),
            Kind::Regex(pattern) => pattern.is_match(text),
            Kind::MostWords(most) => word_count(text) <= *most,
            Kind::FewestWords(fewest) => word_count(text) >= *fewest,
            Kind::JsonSchema(validator) => {
                serde_json::from_str::<Value>(fenced(text)).is_ok_and(|value| validator.is_valid(&value))
            }
        }
    }
}

/// How many words a text has: stretches without white space that hold a letter or a digit.
///
/// `well-known` is one word, a dash between spaces none, and `3.5 mg` two.
#[must_use]
pub fn word_count(text: &str) -> u64 {
    text.split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count() as u64
}

fn texts(argument: &Value) -> Option<Vec<String>> {
    match argument {
        Value::Array(parts) => parts.iter().map(|part| part.as_str().map(str::to_owned)).collect(),
        one => one.as_str().map(|text| vec![text.to_owned()]),
    }
}

fn pattern(text: &str) -> Result<Regex, CheckError> {
    RegexBuilder::new(text)
        .size_limit(LARGEST_PATTERN)
        .dfa_size_limit(LARGEST_PATTERN)
        .build()
        .map_err(|error| CheckError::Pattern(last_line(&error.to_string())))
}

/// The line of a message that says what is wrong; those before it draw the pattern.
fn last_line(message: &str) -> String {
    let line = message
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    line.trim().trim_start_matches("error: ").to_owned()
}

/// What is wrong with the checks of a rubric, each at its place in `text`.
#[must_use]
pub fn mistakes(rubric: &Rubric, file: &str, text: &str, places: &Places) -> Vec<Diagnostic> {
    let located = Located::new(file, text, places);
    let mistake = |(at, criterion): (usize, &Criterion)| {
        let error = Check::of(criterion).err()?;
        let what = format!("the check of `{}`: {error}", criterion.id);
        let diagnostic = Diagnostic::error(error.id(), what, error.help());
        let kind = criterion.check.as_ref()?.as_object()?.keys().next()?;
        Some(match located.value(at, &format!("check.{kind}")) {
            Some(span) => diagnostic.at(span).labelled("cannot be checked"),
            None => diagnostic,
        })
    };
    rubric.criteria.iter().enumerate().filter_map(mistake).collect()
}

/// One verdict of code.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeVerdict {
    /// The response, by its place in the list given.
    pub response: usize,
    /// The criterion, by its place in the rubric.
    pub criterion: usize,
    /// Whether the check holds.
    pub holds: bool,
    /// The label: the best value of the criterion's scale where it holds, else the worst.
    pub label: f64,
}

/// Asks every check of a rubric of every response it is about: those of its query, or all where it is shared.
///
/// Returns one verdict per pair, by criterion and then in the order of the responses.
///
/// # Errors
/// If a check cannot be used; [`mistakes`] says where.
pub fn evaluate(rubric: &Rubric, responses: &[Response]) -> Result<Vec<CodeVerdict>, CheckError> {
    let texts: Vec<String> = responses.iter().map(Response::text).collect();
    let mut verdicts = Vec::new();
    for (criterion, entry) in rubric.criteria.iter().enumerate() {
        let Some(check) = Check::of(entry)? else { continue };
        let best = u8::try_from(entry.scale.level_count() - 1).expect("a scale has at most 255 levels");
        for (response, text) in texts.iter().enumerate() {
            let about = entry
                .query
                .as_ref()
                .is_none_or(|query| *query == responses[response].query);
            if about {
                let holds = check.holds(text);
                let label = entry.scale.value(if holds { best } else { 0 });
                verdicts.push(CodeVerdict {
                    response,
                    criterion,
                    holds,
                    label,
                });
            }
        }
    }
    Ok(verdicts)
}

#[cfg(test)]
mod tests;
