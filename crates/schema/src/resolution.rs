//! Resolutions: how disagreements between graders ended.
//!
//! Source: METHODS 31, 32.

use serde::{Deserialize, Serialize};

use crate::canonical::Hash;

/// How a disagreement ended: as something that stands in a file, never as a majority or as talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The question of the criterion was worded anew.
    Wording,
    /// A ruling was added to the boundary of the criterion.
    Ruling,
    /// One grader slipped; the rubric stays.
    Slip,
    /// The criterion was deleted.
    Deletion,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 4] = [Outcome::Wording, Outcome::Ruling, Outcome::Slip, Outcome::Deletion];

    /// The word in files and flags.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Wording => "wording",
            Outcome::Ruling => "ruling",
            Outcome::Slip => "slip",
            Outcome::Deletion => "deletion",
        }
    }

    /// The outcome of a word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

/// How one disagreement ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// The disagreement, as [`disagreement_id`] names it.
    pub disagreement: String,
    /// The criterion disagreed about.
    pub criterion: String,
    /// The exercise; empty when the labels came from a table.
    pub exercise: String,
    /// The opaque id of the answer; `system/query/sample` when the labels came from a table.
    pub unit: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was settled, in words: the ruling, the new wording, or why.
    pub text: String,
    /// Who settled it.
    pub by: String,
    /// The hash of the rubric before.
    pub rubric_before: Hash,
    /// The hash of the rubric after; the same where the rubric stayed.
    pub rubric_after: Hash,
    /// When, as ISO 8601.
    pub at: String,
}

/// The name of a disagreement, such as `d-1a2b3c`: the same whoever looks for it, in whatever order.
///
/// It is the first six digits of the hash of `{"calibrant": "disagreement/1", "exercise", "unit", "criterion"}`: enough to
/// tell the disagreements of a round apart.
#[must_use]
pub fn disagreement_id(exercise: &str, unit: &str, criterion: &str) -> String {
    let hash = Hash::of_json(&serde_json::json!({
        "calibrant": "disagreement/1",
        "exercise": exercise,
        "unit": unit,
        "criterion": criterion,
    }));
    format!("d-{}", &hash.to_string()[..6])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_hash_that_sha256sum_gives() {
        // printf %s '{"calibrant":"disagreement/1","criterion":"dated","exercise":"e","unit":"0f"}' | sha256sum
        assert_eq!(disagreement_id("e", "0f", "dated"), "d-77391f");
    }

    #[test]
    fn words_come_back() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::of_word(outcome.word()), Some(outcome));
            assert_eq!(serde_json::to_value(outcome).expect("a word"), outcome.word());
        }
        assert_eq!(Outcome::of_word("majority"), None);
    }
}
