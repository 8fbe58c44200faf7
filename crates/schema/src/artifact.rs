//! What every artifact file opens with, and how one is read and written.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Severity};
use crate::warning::Noted;

/// The opening of an artifact file: what it is, what it was made from, and what to doubt about it.
///
/// There is no clock time in it: the same inputs and seed give the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// For example `calibrant.fit/1`.
    pub format: String,
    /// Version of the program that wrote it.
    pub calibrant: String,
    /// SHA-256 of each input, in hexadecimal, by the input's role.
    pub inputs: BTreeMap<String, String>,
    /// Seed of every random stream.
    pub seed: u64,
    /// The settings in force, defaults included, as words.
    pub settings: BTreeMap<String, String>,
    /// Doubts, each with its next action.
    pub warnings: Vec<Noted>,
}

/// Over what measurability is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// Each (criterion, query) pair on its own: for criteria written for one query.
    Item,
    /// Each criterion over all its queries: for criteria shared by many.
    Criterion,
}

impl Pool {
    /// The word in flags, files and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Item => "item",
            Self::Criterion => "criterion",
        }
    }
}

/// The part of an artifact that says which one it is.
#[derive(Deserialize)]
struct Opening {
    format: Option<String>,
}

/// A file format this program writes: a name and a version.
pub trait Artifact: Serialize + DeserializeOwned {
    /// The format string it is written under, for example `calibrant.fit/1`.
    const FORMAT: &'static str;

    /// Its opening.
    fn header(&self) -> &Header;

    /// The file's text: indented JSON with a final line end.
    fn to_json(&self) -> String {
        // Serialising cannot fail: the types hold no map with keys that are not text.
        let mut text = serde_json::to_string_pretty(self).expect("artifacts serialise");
        text.push('\n');
        text
    }

    /// Whether a text is JSON that names this format.
    fn is_format_of(text: &str) -> bool {
        text.contains(Self::FORMAT)
            && serde_json::from_str::<Opening>(text)
                .is_ok_and(|opening| opening.format.as_deref() == Some(Self::FORMAT))
    }

    /// Reads the file's text; `file` is only for messages.
    ///
    /// # Errors
    /// If the text is not JSON, is another format, a newer version, or lacks a field.
    fn from_json(text: &str, file: &str) -> Result<Self, Box<Diagnostic>> {
        let broken = |error: serde_json::Error, what: String| {
            Box::new(Diagnostic {
                severity: Severity::Error,
                id: "artifact-unreadable",
                what: format!("{what}: {error}"),
                span: Some(crate::diagnostic::Span {
                    file: file.to_owned(),
                    line: error.line() as u32,
                    column: error.column().max(1) as u32,
                    length: 1,
                }),
                label: None,
                help: format!(
                    "make it again with the command that wrote it (expected `{}`)",
                    Self::FORMAT
                ),
            })
        };
        let opening: Opening =
            serde_json::from_str(text).map_err(|error| broken(error, "the file is not a Calibrant artifact".into()))?;
        if opening.format.as_deref() != Some(Self::FORMAT) {
            let found = opening.format.as_deref().unwrap_or("no format");
            return Err(Box::new(Diagnostic {
                severity: Severity::Error,
                id: "artifact-format",
                what: format!("`{file}` is `{found}`, and `{}` is needed here", Self::FORMAT),
                span: None,
                label: None,
                help: "give the file the other command wrote, or make it again with this version".to_owned(),
            }));
        }
        serde_json::from_str(text)
            .map_err(|error| broken(error, format!("the file is not a complete `{}`", Self::FORMAT)))
    }
}
