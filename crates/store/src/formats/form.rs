//! The forms of other tools' files.

use std::fmt;

/// A form that is read, written, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// HealthBench rows: prompts with rubrics of signed points, and their graded results.
    HealthBench,
    /// HealthBench's meta-evaluation: labels of physicians on single criteria.
    HealthBenchMeta,
    /// Inspect logs, `.eval` or JSON.
    Inspect,
    /// A file of external ratings that Inspect's `precomputed_scores` takes.
    InspectScores,
    /// promptfoo results.
    Promptfoo,
    /// promptfoo configurations: tests with assertions.
    PromptfooConfig,
    /// Sample logs of lm-eval.
    LmEval,
    /// A wide matrix of responses: a row a system, a column an item.
    Wide,
    /// The folder layout of data sets on the Hugging Face hub.
    HuggingFace,
}

impl Form {
    /// Every form, in the order of this list.
    pub const ALL: [Self; 9] = [
        Self::HealthBench,
        Self::HealthBenchMeta,
        Self::Inspect,
        Self::InspectScores,
        Self::Promptfoo,
        Self::PromptfooConfig,
        Self::LmEval,
        Self::Wide,
        Self::HuggingFace,
    ];

    /// The word on the command line and in Python.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::HealthBench => "healthbench",
            Self::HealthBenchMeta => "healthbench-meta",
            Self::Inspect => "inspect",
            Self::InspectScores => "inspect-scores",
            Self::Promptfoo => "promptfoo",
            Self::PromptfooConfig => "promptfoo-config",
            Self::LmEval => "lm-eval",
            Self::Wide => "wide",
            Self::HuggingFace => "hugging-face",
        }
    }

    /// Whether files of this form are read.
    #[must_use]
    pub fn is_read(self) -> bool {
        !matches!(self, Self::InspectScores | Self::HuggingFace)
    }

    /// Whether files of this form are written.
    #[must_use]
    pub fn is_written(self) -> bool {
        matches!(
            self,
            Self::HealthBench | Self::InspectScores | Self::PromptfooConfig | Self::Wide | Self::HuggingFace
        )
    }

    /// The form of a word.
    ///
    /// # Errors
    /// If no form has this word.
    pub fn of_word(word: &str) -> Result<Self, UnknownForm> {
        let found = Self::ALL.into_iter().find(|form| form.word() == word);
        found.ok_or_else(|| UnknownForm { word: word.to_owned() })
    }
}

/// A word that is no form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownForm {
    /// The word.
    pub word: String,
}

impl fmt::Display for UnknownForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = Form::ALL.into_iter().map(Form::word).collect();
        write!(
            f,
            "`{}` is no form of files; the forms are {}",
            self.word,
            words.join(", ")
        )
    }
}
