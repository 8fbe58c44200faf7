//! Rows of verdicts as they are handed over and come back.

use calibrant_schema::Status;
use calibrant_schema::canonical::Hash;

use super::error::LedgerError;
use crate::tables::shown;

/// What a verdict is about, and whose it is: one cell has one current verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// What answered.
    pub system: String,
    /// What it answered.
    pub query: String,
    /// Which of several answers; `"1"` when there is only one.
    pub sample: String,
    /// The criterion.
    pub criterion: String,
    /// Who judges.
    pub judge: String,
    /// Which of several judgements by one judge, from 1.
    pub repeat: u16,
}

/// How a verdict came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictSource {
    /// Read from a text that a model wrote.
    Text,
    /// Read from the probabilities of a model's first word.
    Logprob,
    /// A vote over several answers.
    Vote,
    /// A person.
    Human,
    /// A check in code.
    Code,
}

impl VerdictSource {
    /// The word in the ledger.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Logprob => "logprob",
            Self::Vote => "vote",
            Self::Human => "human",
            Self::Code => "code",
        }
    }

    /// The source of a word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<VerdictSource> {
        let all = [Self::Text, Self::Logprob, Self::Vote, Self::Human, Self::Code];
        all.into_iter().find(|source| source.word() == word)
    }
}

/// One row: a verdict, or that a verdict was taken back.
///
/// Source: DESIGN 5.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The cell.
    pub cell: Cell,
    /// The level's value; present exactly when the status is `ok` and the row is not withdrawn.
    pub label: Option<f64>,
    /// What became of the question.
    pub status: Status,
    /// Whether the row takes back what the cell said before: it then has no current verdict.
    pub withdrawn: bool,
    /// The judge's probability of a pass.
    pub probability: Option<f64>,
    /// How the verdict came about; `None` for a row imported from a table that does not say.
    pub source: Option<VerdictSource>,
    /// Why, in the judge's words.
    pub reason: Option<String>,
    /// The passage it rests on.
    pub evidence: Option<String>,
    /// A comment.
    pub comment: Option<String>,
    /// Flags, separated by spaces.
    pub flags: Option<String>,
    /// What a model sent, as it came.
    pub raw: Option<String>,
    /// The hash of the rubric it was given under.
    pub rubric_hash: Option<Hash>,
    /// The hash of the card the judge was shown.
    pub card_hash: Option<Hash>,
    /// The key, `verdict/1` of `docs/hashes.md`; `None` for imported rows, which are never stale.
    pub verdict_key: Option<Hash>,
    /// The model that the server says answered.
    pub model_answered: Option<String>,
    /// Why the model stopped.
    pub finish_reason: Option<String>,
    /// How often the question was sent.
    pub attempts: Option<u32>,
    /// Tokens of the question.
    pub tokens_in: Option<u64>,
    /// Those of them that were cached.
    pub tokens_cached: Option<u64>,
    /// Tokens of the answer.
    pub tokens_out: Option<u64>,
    /// What it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// How long it took, in milliseconds.
    pub latency_ms: Option<u64>,
    /// Its place among the criteria asked together.
    pub position: Option<u32>,
    /// The training step it belongs to.
    pub step: Option<u64>,
    /// The exercise it was given in.
    pub exercise: Option<String>,
    /// When, as ISO 8601.
    pub judged_at: Option<String>,
}

impl Entry {
    /// A verdict of this cell with a status and nothing else known.
    #[must_use]
    pub fn new(cell: Cell, status: Status, label: Option<f64>) -> Entry {
        Entry {
            cell,
            label,
            status,
            withdrawn: false,
            probability: None,
            source: None,
            reason: None,
            evidence: None,
            comment: None,
            flags: None,
            raw: None,
            rubric_hash: None,
            card_hash: None,
            verdict_key: None,
            model_answered: None,
            finish_reason: None,
            attempts: None,
            tokens_in: None,
            tokens_cached: None,
            tokens_out: None,
            cost_usd: None,
            latency_ms: None,
            position: None,
            step: None,
            exercise: None,
            judged_at: None,
        }
    }

    /// Whether the row can stand.
    pub(super) fn check(&self) -> Result<(), LedgerError> {
        let wrong = |what: &str| {
            let cell = format!(
                "{what} (system `{}`, query `{}`, criterion `{}`, judge `{}`)",
                shown(&self.cell.system),
                shown(&self.cell.query),
                shown(&self.cell.criterion),
                shown(&self.cell.judge),
            );
            Err(LedgerError::WrongEntry { what: cell })
        };
        let labelled = self.status == Status::Ok && !self.withdrawn;
        match self.label {
            Some(label) if !label.is_finite() => wrong("a label is no finite number"),
            Some(_) if !labelled => wrong("a verdict has a label although its status says there is none"),
            None if labelled => wrong("a verdict with the status `ok` has no label"),
            _ if self.cell.repeat == 0 => wrong("a repeat is counted from 1"),
            _ => Ok(()),
        }
    }
}

/// What was recorded, once it is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The number of the first row; the others follow it. 0 when there was none.
    pub first: i64,
    /// How many rows.
    pub rows: usize,
}

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its number: a later row has a larger one.
    pub row: i64,
    /// What it says.
    pub entry: Entry,
}
