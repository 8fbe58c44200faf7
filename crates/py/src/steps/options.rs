//! Options as keyword arguments: the same names, values and defaults as the flags of the command line, read the same way.

use std::collections::BTreeMap;

use calibrant_project::{Gold, Request, Start, flag_of};
use calibrant_schema::config::{Config, FlagError, KEYS, Kind, Source};
use calibrant_schema::suggest::nearest;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors;

/// Settings asked for by keyword, over the defaults; nothing is taken from a project file or the environment.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    config: Config,
    gold: Option<Gold>,
}

impl Asked {
    /// Sets a key from the keyword argument of that name, unless the argument is `None`.
    ///
    /// Raises `ArgumentError` if the value is none that the key can have.
    pub fn set(mut self, argument: &str, key: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if let Some(value) = value {
            let text = text_of(value)?;
            self.config
                .set_flag(key, &text)
                .map_err(|error| refused(value.py(), argument, &error))?;
        }
        Ok(self)
    }

    /// Sets the names of columns from a dictionary by role.
    pub fn columns(mut self, columns: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(columns) = columns else { return Ok(self) };
        let mappings: BTreeMap<String, String> = columns.extract()?;
        for (role, column) in mappings {
            self.config
                .set_flag(&format!("columns.{role}"), &column)
                .map_err(|error| refused(columns.py(), "columns", &error))?;
        }
        Ok(self)
    }

    /// The flags that ask for the same, each with its value; a title has none.
    pub fn flags(&self) -> Vec<(String, String)> {
        let set = self
            .config
            .shown()
            .into_iter()
            .filter(|shown| shown.source == Source::Flag);
        let mut flags: Vec<(String, String)> = set
            .filter(|shown| shown.key != "project.name")
            .filter_map(|shown| {
                let value = shown.value?.to_string();
                let value = match shown.key.strip_prefix("columns.") {
                    Some(role) => format!("{role}={value}"),
                    None => value,
                };
                Some((flag_of(&shown.key), value))
            })
            .collect();
        let gold = match &self.gold {
            Some(Gold::Judges(judges)) => Some(judges.join(",")),
            Some(Gold::File(path)) => Some(path.display().to_string()),
            None => None,
        };
        flags.extend(gold.map(|gold| ("--gold".to_owned(), gold)));
        flags
    }

    /// Whether blocks are asked for.
    pub fn is_divided(&self) -> bool {
        self.config.text("by").is_some_and(|by| by != "none")
    }

    /// Sets a key to a value that the program knows to be one.
    pub fn take(mut self, key: &str, text: &str) -> Self {
        self.config
            .set_flag(key, text)
            .expect("a value of an artifact is a value of its setting");
        self
    }

    /// Sets trusted labels that are judges of the table or stand in a file.
    pub fn gold(mut self, gold: Option<Gold>) -> Self {
        self.gold = gold;
        self
    }

    /// The request of a step in memory.
    pub fn request(self) -> Request {
        let nowhere = Start::Verdicts {
            tables: Vec::new(),
            out: std::path::PathBuf::new(),
        };
        self.request_from(nowhere)
    }

    /// The request of a run that starts there.
    pub fn request_from(self, start: Start) -> Request {
        Request {
            gold: self.gold,
            ..Request::new(start, self.config)
        }
    }
}

/// A value as a flag would have it; lists are joined by commas.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyString>() {
        return value.extract();
    }
    match value.try_iter() {
        Ok(parts) => {
            let parts = parts.map(|part| text_of(&part?)).collect::<PyResult<Vec<String>>>()?;
            Ok(parts.join(","))
        }
        Err(_) => Ok(value.str()?.to_string()),
    }
}

fn refused(py: Python<'_>, argument: &str, error: &FlagError) -> PyErr {
    match error {
        FlagError::BadValue { key, text, wanted } => {
            let meant = meant(key, text).map_or_else(String::new, |word| format!("; did you mean `{word}`?"));
            let what = format!("{argument} cannot be `{text}`");
            errors::argument(py, argument, &what, Some(&format!("write {wanted}{meant}")))
        }
        FlagError::UnknownKey { key, help } => {
            let what = format!("{argument} has no part `{}`", key.replace("columns.", ""));
            errors::argument(py, argument, &what, Some(&help.replace("columns.", "")))
        }
    }
}

/// The word of a key that a mistyped one is nearest to.
fn meant(key: &str, text: &str) -> Option<&'static str> {
    let known = KEYS.iter().find(|known| known.path == key)?;
    match known.kind {
        Kind::Word(words) => nearest(text, words.iter().copied()),
        _ => None,
    }
}
