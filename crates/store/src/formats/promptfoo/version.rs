//! Versions of results.

use std::fmt;

use serde_json::Value;

use super::json::at;
use crate::formats::ReadError;
use crate::tables::shown;

/// A version of results that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// Results with a table beside them, and no list of prompts.
    Two,
    /// Results behind a list of prompts.
    Three,
}

impl Version {
    pub(super) fn of(written: &Value) -> Option<Self> {
        match written.as_u64()? {
            2 => Some(Self::Two),
            3 => Some(Self::Three),
            _ => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Two => "2",
            Self::Three => "3",
        })
    }
}

/// What to say of another version, or of none.
pub(super) fn unknown_version(file: &str, written: Option<&Value>) -> ReadError {
    let what = match written {
        Some(written) => format!(
            "these are results of version {}; the versions 2 and 3 are known",
            shown(&written.to_string())
        ),
        None => "these results state no version; the versions 2 and 3 are known".to_owned(),
    };
    let help = "write them as JSON lines with the promptfoo that made them, `promptfoo export eval ID -o results.jsonl`, whose rows are read without a version; or with promptfoo 0.121";
    at(file, 0, "unknown-version", &what, help)
}
