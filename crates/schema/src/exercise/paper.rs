//! All that reaches a grader.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::canonical::Hash;
use crate::card::Card;
use crate::exercise::{Act, Mark};
use crate::turn::Turn;

/// The longest comment, reason or quote of a mark, in bytes.
const MOST_BYTES: usize = 64 << 10;

/// All that reaches a grader: cards and texts under opaque ids.
///
/// There is no system, weight, sign, tag, other grader or verdict in it, so no page, file or sheet made from it can show
/// one: blindness is a type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Paper {
    /// The id of the exercise.
    pub exercise: String,
    /// Whose sheet it is.
    pub grader: String,
    /// The name of the rubric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// The criteria asked, in the order of the rubric.
    pub criteria: Vec<PaperCriterion>,
    /// The answers, in this grader's order.
    pub units: Vec<PaperUnit>,
}

/// A criterion as a grader sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaperCriterion {
    /// Its id.
    pub criterion: String,
    /// The hash of its card.
    pub hash: Hash,
    /// Its card.
    pub card: Card,
}

/// An answer as a grader sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaperUnit {
    /// Its opaque id.
    pub unit: String,
    /// What was asked; empty when nobody knows.
    pub prompt: Vec<Turn>,
    /// What was answered.
    pub response: Vec<Turn>,
    /// Indices into [`Paper::criteria`] of what is asked about it, rising.
    pub criteria: Vec<u32>,
}

impl PaperUnit {
    /// The text that the places of [`Act::Evidence`] count in: the turns of the response joined by line feeds.
    #[must_use]
    pub fn response_text(&self) -> String {
        let texts: Vec<&str> = self.response.iter().map(|turn| turn.text.as_str()).collect();
        texts.join("\n")
    }
}

impl Paper {
    /// The criterion of this id that is asked about a unit.
    #[must_use]
    pub fn criterion_of(&self, unit: &PaperUnit, id: &str) -> Option<&PaperCriterion> {
        let asked = unit.criteria.iter().filter_map(|at| self.criteria.get(*at as usize));
        asked.into_iter().find(|criterion| criterion.criterion == id)
    }

    /// How many cells, (unit, criterion), there are to decide.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.units.iter().map(|unit| unit.criteria.len()).sum()
    }

    /// Whether a mark can stand on this sheet.
    ///
    /// # Errors
    /// If its unit or criterion is not on the sheet, an act about a criterion names none, a label is not on the scale, a
    /// reason is missing, a passage is not in the response, or a text is longer than 64 KiB.
    pub fn check(&self, mark: &Mark) -> Result<(), WrongMark> {
        let unit = self.units.iter().find(|unit| unit.unit == mark.unit);
        let unit = unit.ok_or_else(|| WrongMark::Unit {
            unit: mark.unit.clone(),
        })?;
        let criterion = match mark.criterion.as_deref() {
            Some(id) => Some(self.criterion_of(unit, id).ok_or_else(|| WrongMark::Criterion {
                criterion: id.to_owned(),
            })?),
            None => None,
        };
        let about_a_criterion = mark.act.decides() || matches!(mark.act, Act::Evidence { .. });
        match criterion {
            None if about_a_criterion => Err(WrongMark::NoCriterion { act: mark.act.word() }),
            _ => check_act(&mark.act, criterion, unit),
        }
    }
}

fn check_act(act: &Act, criterion: Option<&PaperCriterion>, unit: &PaperUnit) -> Result<(), WrongMark> {
    match (act, criterion) {
        (Act::Verdict { label }, Some(criterion)) => match criterion.card.scale.level_of(*label) {
            Some(_) => Ok(()),
            None => Err(WrongMark::Label {
                criterion: criterion.criterion.clone(),
                label: *label,
            }),
        },
        (Act::Skip { reason }, _) if reason.trim().is_empty() => Err(WrongMark::NoReason),
        (Act::Skip { reason: text } | Act::Comment { text } | Act::Evidence { quote: text, .. }, _)
            if text.len() > MOST_BYTES =>
        {
            Err(WrongMark::Long)
        }
        (Act::Evidence { start, end, quote }, _) if !quote.is_empty() => {
            let length = end.saturating_sub(*start) as usize;
            let text = unit.response_text();
            let passage: String = text.chars().skip(*start as usize).take(length).collect();
            match passage == *quote {
                true => Ok(()),
                false => Err(WrongMark::Passage),
            }
        }
        _ => Ok(()),
    }
}

/// Why a mark cannot stand on a sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum WrongMark {
    /// No answer of the sheet has this id.
    Unit {
        /// The id.
        unit: String,
    },
    /// The criterion is not asked about this answer.
    Criterion {
        /// Its id.
        criterion: String,
    },
    /// The act needs a criterion.
    NoCriterion {
        /// The act.
        act: &'static str,
    },
    /// The label is not a level of the scale.
    Label {
        /// The criterion.
        criterion: String,
        /// The label.
        label: f64,
    },
    /// A skip has no reason.
    NoReason,
    /// The passage is not where it is said to be in the response.
    Passage,
    /// A text is too long.
    Long,
}

impl fmt::Display for WrongMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit { unit } => write!(f, "no answer of this sheet has the id `{}`", crate::tree::shown(unit)),
            Self::Criterion { criterion } => write!(
                f,
                "the criterion `{}` is not asked about this answer",
                crate::tree::shown(criterion)
            ),
            Self::NoCriterion { act } => write!(f, "`{act}` needs a criterion"),
            Self::Label { criterion, label } => {
                write!(f, "{label} is not on the scale of `{}`", crate::tree::shown(criterion))
            }
            Self::NoReason => f.write_str("a skip needs a reason"),
            Self::Passage => f.write_str("the passage is not at this place in the response"),
            Self::Long => f.write_str("a text of more than 64 KiB is too long for a sheet"),
        }
    }
}

impl std::error::Error for WrongMark {}
