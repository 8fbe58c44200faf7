//! What became of one question to one judge: a label, or the reason there is none.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What became of one verdict: `Ok` carries a label, every other status says why there is none.
///
/// A judge that fails, refuses or answers off the scale has produced no label; it never counts as a fail.
/// The texts and the codes are frozen: tables and stores keep them.
///
/// Source: DESIGN 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The judge gave a label on the scale.
    #[default]
    Ok,
    /// The criterion does not apply to this response; the criterion's `na` says what that counts as.
    NotApplicable,
    /// The judge says that the response does not let it decide.
    CannotAssess,
    /// The judge says that the criterion is unclear.
    Unclear,
    /// Nobody was asked, or the question was passed over.
    Skipped,
    /// The judge declined to answer.
    Refused,
    /// The judge answered, but not with a value of the scale.
    Unparsable,
    /// The call failed: no answer came.
    Failed,
}

impl Status {
    /// Every status, in the order of its codes.
    pub const ALL: [Status; 8] = [
        Status::Ok,
        Status::NotApplicable,
        Status::CannotAssess,
        Status::Unclear,
        Status::Skipped,
        Status::Refused,
        Status::Unparsable,
        Status::Failed,
    ];

    /// The word written in tables and artifacts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::NotApplicable => "not_applicable",
            Status::CannotAssess => "cannot_assess",
            Status::Unclear => "unclear",
            Status::Skipped => "skipped",
            Status::Refused => "refused",
            Status::Unparsable => "unparsable",
            Status::Failed => "failed",
        }
    }

    /// The frozen code, 0 to 7.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Status::Ok => 0,
            Status::NotApplicable => 1,
            Status::CannotAssess => 2,
            Status::Unclear => 3,
            Status::Skipped => 4,
            Status::Refused => 5,
            Status::Unparsable => 6,
            Status::Failed => 7,
        }
    }

    /// The status with this code, or `None` above 7.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Status> {
        Status::ALL.get(usize::from(code)).copied()
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is no status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{word}` is no status; the statuses are ok, not_applicable, cannot_assess, unclear, skipped, refused, unparsable, failed"
)]
pub struct UnknownStatus {
    /// The word as it was read.
    pub word: String,
}

impl FromStr for Status {
    type Err = UnknownStatus;

    /// Reads a status word; case and surrounding space do not matter.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let word = text.trim();
        Status::ALL
            .into_iter()
            .find(|status| status.as_str().eq_ignore_ascii_case(word))
            .ok_or_else(|| UnknownStatus { word: word.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_codes_come_back() {
        for (code, status) in (0u8..).zip(Status::ALL) {
            assert_eq!(status.code(), code);
            assert_eq!(Status::from_code(code), Some(status));
            assert_eq!(status.as_str().parse(), Ok(status));
            let json = serde_json::to_string(&status).expect("a status is a JSON string");
            assert_eq!(json, format!("\"{status}\""));
        }
        assert_eq!(Status::from_code(8), None);
        assert_eq!(" NOT_applicable ".parse(), Ok(Status::NotApplicable));
        assert!("not applicable".parse::<Status>().is_err());
    }
}
