//! The settings in force, each with where it came from.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::keys::{KEYS, Key, key};
use super::value::{self, Value};
use crate::scale::Scale;
use crate::suggest;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The table of keys.
    Default,
    /// The project file.
    File {
        /// The line, from 1.
        line: u32,
    },
    /// An environment variable, by name.
    Environment(String),
    /// A flag of the command.
    Flag,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File { line } => write!(f, "calibrant.toml:{line}"),
            Source::Environment(name) => write!(f, "environment {name}"),
            Source::Flag => f.write_str("flag"),
        }
    }
}

/// The value of a key and where it came from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Where it came from.
    pub source: Source,
}

/// One line of `config show`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// The key's path, with the user's names in place of `*`.
    pub key: String,
    /// The value, or `None` for a key that is unset.
    pub value: Option<Value>,
    /// Where it came from.
    pub source: Source,
    /// What the key means.
    pub meaning: &'static str,
}

/// A flag that names no key or holds no value of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlagError {
    /// No key has this path.
    #[error("unknown key `{key}`; {help}")]
    UnknownKey {
        /// The path as given.
        key: String,
        /// What to write instead.
        help: String,
    },
    /// The text is no value of the key's kind.
    #[error("`{key}` cannot be `{text}`; write {wanted}")]
    BadValue {
        /// The key's path.
        key: String,
        /// The text as given.
        text: String,
        /// What the kind wants.
        wanted: String,
    },
}

/// The settings of a project, every one with its source.
///
/// [`Config::default`] holds the defaults; [`Config::read`] adds the file and the environment, [`Config::set_flag`] a
/// flag. Names between dots, such as a judge's id, may hold dots themselves: paths are lists of parts inside.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    settings: BTreeMap<Vec<String>, Setting>,
}

impl Default for Config {
    fn default() -> Config {
        let mut settings = BTreeMap::new();
        for key in KEYS {
            let Some(text) = key.default else { continue };
            let value = value::of_text(key.kind, text).expect("the default of a key is of its kind");
            settings.insert(
                parts(key.path),
                Setting {
                    value,
                    source: Source::Default,
                },
            );
        }
        Config { settings }
    }
}

pub(super) fn parts(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

impl Config {
    /// Sets a key, whatever it was before.
    pub(super) fn set(&mut self, path: Vec<String>, value: Value, source: Source) {
        self.settings.insert(path, Setting { value, source });
    }

    /// Sets the key at `path` (parts joined by dots, no `*`) from the text of a flag.
    ///
    /// # Errors
    /// If there is no such key, or the text is no value of its kind.
    pub fn set_flag(&mut self, path: &str, text: &str) -> Result<(), FlagError> {
        let value = flag_value(path, key(&parts(path)), text)?;
        self.set(parts(path), value, Source::Flag);
        Ok(())
    }

    /// The setting at `path` (parts joined by dots), or `None` when it is unset.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Setting> {
        self.settings.get(&parts(path))
    }

    /// Every setting and every unset key, in the order of the table, for `config show`.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        KEYS.iter().flat_map(|known| self.shown_for(known)).collect()
    }

    fn shown_for(&self, known: &'static Key) -> Vec<Shown> {
        let mut rows: Vec<Shown> = self
            .settings
            .iter()
            .filter(|(path, _)| key(path).is_some_and(|of_path| of_path.path == known.path))
            .map(|(path, setting)| Shown {
                key: path.join("."),
                value: Some(setting.value.clone()),
                source: setting.source.clone(),
                meaning: known.meaning,
            })
            .collect();
        if rows.is_empty() && !known.path.contains('*') {
            rows.push(Shown {
                key: known.path.to_owned(),
                value: None,
                source: Source::Default,
                meaning: known.meaning,
            });
        }
        rows
    }

    /// A text, path or word, if set.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        match &self.get(path)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list of texts; empty if unset.
    #[must_use]
    pub fn texts(&self, path: &str) -> &[String] {
        match self.get(path).map(|setting| &setting.value) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// A whole number, if set.
    #[must_use]
    pub fn whole(&self, path: &str) -> Option<u64> {
        match self.get(path)?.value {
            Value::Whole(whole) => Some(whole),
            _ => None,
        }
    }

    /// A number, if set.
    #[must_use]
    pub fn number(&self, path: &str) -> Option<f64> {
        match self.get(path)?.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The scale of labels where the rubric declares none, if set.
    #[must_use]
    pub fn scale(&self) -> Option<&Scale> {
        match &self.get("scale")?.value {
            Value::Scale(scale) => Some(scale),
            _ => None,
        }
    }

    /// The columns of verdict tables that are mapped: usual name to the name in the tables.
    #[must_use]
    pub fn columns(&self) -> BTreeMap<&str, &str> {
        self.below("columns")
            .filter_map(|(path, setting)| Some((path.get(1)?.as_str(), as_text(setting)?)))
            .collect()
    }

    /// The judges the project file describes, by id.
    #[must_use]
    pub fn judges(&self) -> BTreeMap<&str, JudgeSettings<'_>> {
        let mut judges: BTreeMap<&str, JudgeSettings<'_>> = BTreeMap::new();
        for (path, setting) in self.below("judges") {
            let [_, id, name] = path else { continue };
            let judge = judges.entry(id).or_default();
            match name.as_str() {
                "kind" => judge.kind = as_text(setting),
                "family" => judge.family = as_text(setting),
                "gold" => judge.gold = setting.value == Value::Truth(true),
                "audit" => judge.audit = setting.value == Value::Truth(true),
                _ => {}
            }
        }
        judges
    }

    /// The systems the project file describes, by id.
    #[must_use]
    pub fn systems(&self) -> BTreeMap<&str, SystemSettings<'_>> {
        let mut systems: BTreeMap<&str, SystemSettings<'_>> = BTreeMap::new();
        for (path, setting) in self.below("systems") {
            let [_, id, name] = path else { continue };
            let system = systems.entry(id).or_default();
            match name.as_str() {
                "family" => system.family = as_text(setting),
                "tier" => system.tier = as_text(setting),
                _ => {}
            }
        }
        systems
    }

    fn below<'c>(&'c self, table: &'c str) -> impl Iterator<Item = (&'c [String], &'c Setting)> {
        let inside = move |path: &&Vec<String>| path.first().is_some_and(|first| first == table);
        self.settings
            .iter()
            .filter(move |(path, _)| inside(path))
            .map(|(path, setting)| (path.as_slice(), setting))
    }
}

fn as_text(setting: &Setting) -> Option<&str> {
    match &setting.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn flag_value(path: &str, known: Option<&Key>, text: &str) -> Result<Value, FlagError> {
    let Some(known) = known.filter(|_| !path.contains('*')) else {
        let paths: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
        return Err(FlagError::UnknownKey {
            key: path.to_owned(),
            help: suggest::did_you_mean(path, &paths),
        });
    };
    value::of_text(known.kind, text).map_err(|wanted| FlagError::BadValue {
        key: path.to_owned(),
        text: text.to_owned(),
        wanted,
    })
}

/// What the project file says about a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeSettings<'c> {
    /// What it is: human, model, code, simulated or imported.
    pub kind: Option<&'c str>,
    /// The family of its model.
    pub family: Option<&'c str>,
    /// Whether its labels are gold.
    pub gold: bool,
    /// Whether it is held out to audit rewards.
    pub audit: bool,
}

/// What the project file says about a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SystemSettings<'c> {
    /// The family of its model.
    pub family: Option<&'c str>,
    /// The tier it is known to belong to.
    pub tier: Option<&'c str>,
}
