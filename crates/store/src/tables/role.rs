//! What a column of a table of verdicts can be, and the names it is known by.

use std::fmt;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// What answered.
    System,
    /// What it answered.
    Query,
    /// Which of several answers.
    Sample,
    /// The condition judged.
    Criterion,
    /// Who judged.
    Judge,
    /// Which of several judgements of one cell by one judge.
    Repeat,
    /// The value given.
    Label,
    /// Why there is no label.
    Status,
    /// The hash of the rubric the judge was shown.
    RubricHash,
    /// The judge's probability; known, and not used yet.
    Probability,
    /// Where the label came from: a person, a model or code; known, and not used yet.
    VerdictSource,
    /// The task type of the query; read only where a run is divided by it.
    TaskType,
    /// The domain of the query; read only where a run is divided by it.
    Domain,
}

impl Role {
    /// Every role, in the order of the house table.
    pub const ALL: [Self; 13] = [
        Self::System,
        Self::Query,
        Self::Sample,
        Self::Criterion,
        Self::Judge,
        Self::Repeat,
        Self::Label,
        Self::Status,
        Self::RubricHash,
        Self::Probability,
        Self::VerdictSource,
        Self::TaskType,
        Self::Domain,
    ];

    /// The house name, which beats every other name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Query => "query",
            Self::Sample => "sample",
            Self::Criterion => "criterion",
            Self::Judge => "judge",
            Self::Repeat => "repeat",
            Self::Label => "label",
            Self::Status => "status",
            Self::RubricHash => "rubric_hash",
            Self::Probability => "probability",
            Self::VerdictSource => "verdict_source",
            Self::TaskType => "task_type",
            Self::Domain => "domain",
        }
    }

    /// Other names that are taken for it when the house name is absent.
    #[must_use]
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::System => &["system_id", "model", "model_id", "model_name"],
            Self::Query => &["query_id", "prompt_id", "prompt", "question_id", "task_id"],
            Self::Sample => &["sample_id", "response_id"],
            Self::Criterion => &["criterion_id", "rubric_id", "item", "item_id"],
            Self::Judge => &[
                "judge_id",
                "judge_model",
                "grader",
                "grader_id",
                "annotator",
                "annotator_id",
                "rater",
                "rater_id",
                "worker",
                "worker_id",
            ],
            Self::Repeat => &["epoch"],
            Self::Label => &["verdict", "value", "score", "grade", "rating"],
            Self::Status
            | Self::RubricHash
            | Self::Probability
            | Self::VerdictSource
            | Self::TaskType
            | Self::Domain => &[],
        }
    }

    /// The role of this house name.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }

    /// Whether the column is about the query and says which block it belongs to.
    #[must_use]
    pub fn divides(self) -> bool {
        matches!(self, Self::TaskType | Self::Domain)
    }

    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A column name as it is compared: without surrounding space, in lower case, with `_` for inner spaces and hyphens.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_name_stands_for_two_roles() {
        let names: Vec<&str> = Role::ALL
            .iter()
            .flat_map(|role| role.aliases().iter().copied().chain([role.word()]))
            .collect();
        let distinct: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(distinct.len(), names.len());
        assert!(names.iter().all(|name| folded(name) == *name));
    }

    #[test]
    fn roles_are_indexed_in_their_order() {
        for (at, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role.index(), at);
            assert_eq!(Role::of_word(role.word()), Some(role));
        }
    }
}
