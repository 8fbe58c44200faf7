//! The text of a criterion against the sign of its weight.

use std::sync::LazyLock;

use regex::Regex;

use super::catalogue::{NEGATED_PENALTY, POLARITY};
use super::subject::{Hit, Subject, first, pattern};
use super::wording::RESPONSE;

/// What no author wants of a response.
const FAULT: &str = r"(?:invent\w*|fabricat\w*|hallucinat\w*|made-up|make up|makes up|misleading|misstat\w*|unsupported claims?|false claims?|plagiari\w*|spelling mistakes?|factual errors?|misquot\w*)";

/// A word that turns a fault into its absence.
const NEGATION: &str = r"(?:not|no|never|avoids?|avoiding|avoid|refrains?|refrain|without|free|free of|doesn't|don't|isn't|none|neither|nor|rather than|instead of|warn\w*|caution\w*|point\w* out|identif\w*|flag\w*|correct\w*|clarif\w*|explain\w*|acknowledg\w*|recogni\w*|note\w*|highlight\w*|states?|mentions?|that)";

/// A weight above 0 for a fault, or a penalty for its absence.
pub(super) fn polarity(subject: &Subject<'_>) -> Option<Hit> {
    static FAILS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"^\s*(?:does\s+the\s+(?:\w+\s+)?{RESPONSE}\s+)?(?:fails?\s+to|omits?|neglects?\s+to|incorrectly|inaccurately|wrongly|falsely|erroneously|mistakenly|misleadingly|misidentif\w+|misinterprets?|misrepresents?)\b"
        ))
    });
    static FAULTS: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"\b{FAULT}\b")));
    static NEGATED: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"\b{NEGATION}\b")));
    static AVOIDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"^\s*(?:does\s+the\s+(?:\w+\s+)?{RESPONSE}\s+)?(?:successfully\s+|appropriately\s+|correctly\s+)?(?:avoids?|refrains?\s+from|abstains?\s+from)\b|^\s*(?:does\s+not|doesn't|never|is\s+free\s+of|contains\s+no|is\s+not)\b[^.;]{{0,30}}\b{FAULT}\b|^\s*(?:is|are)\s+the\s+(?:\w+\s+)?{RESPONSE}\s+free\s+of\b"
        ))
    });
    let text = &subject.text.masked;
    let id = &subject.criterion.id;
    if subject.rewards() {
        let range = first(&FAILS, text).or_else(|| {
            let fault = first(&FAULTS, text)?;
            (!NEGATED.is_match(&text[..fault.start]) && pays_for_presence(&text[..fault.start])).then_some(fault)
        })?;
        let what = format!(
            "criterion `{id}` rewards a fault: its weight is {}",
            subject.criterion.weight
        );
        return Some(Hit::at(
            POLARITY,
            range,
            what,
            "a fault, and meeting the criterion adds to the score",
        ));
    }
    if subject.criterion.weight < 0.0 {
        let range = first(&AVOIDS, text)?;
        let what = format!(
            "criterion `{id}` is a penalty for what is right: its weight is {}",
            subject.criterion.weight
        );
        return Some(Hit::at(POLARITY, range, what, "meeting this costs score"));
    }
    None
}

/// Whether the words before a fault ask for it to be there, and are few enough to belong to it.
fn pays_for_presence(before: &str) -> bool {
    const MOST_WORDS: usize = 6;
    !before.contains([';', '.']) && super::text::words(before).count() <= MOST_WORDS
}

/// A penalty that is met when something is not there.
pub(super) fn negated_penalty(subject: &Subject<'_>) -> Option<Hit> {
    static ABSENT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"^\s*(?:the\s+(?:\w+\s+)?{RESPONSE}\s+)?(?:does\s+not|doesn't|did\s+not|do\s+not|fails?\s+to|failed\s+to|omits?|neglects?\s+to|lacks?|never|has\s+no|contains\s+no|provides\s+no|gives\s+no|is\s+missing)\b|^\s*(?:does|is|has)\s+the\s+(?:\w+\s+)?{RESPONSE}\s+(?:not|fail\s+to|omit|lack|neglect\s+to)\b"
        ))
    });
    if subject.criterion.weight >= 0.0 || polarity(subject).is_some() {
        return None;
    }
    let range = first(&ABSENT, &subject.text.masked)?;
    let what = format!(
        "criterion `{}` is a penalty that is met when something is absent",
        subject.criterion.id
    );
    Some(Hit::at(
        NEGATED_PENALTY,
        range,
        what,
        "met by absence, and then it costs",
    ))
}

/// Whether a criterion guards against a fault: a penalty, a gate, or a text that something must not be there.
pub(super) fn guards(subject: &Subject<'_>) -> bool {
    static GUARD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(?:avoids?|refrains?|without|free of|no|not|never|neither|instead of|rather than|only|every|all)\b|\b{FAULT}\b"
        ))
    });
    subject.criterion.weight < 0.0
        || subject.criterion.tags.iter().any(|tag| tag.starts_with("violation"))
        || GUARD.is_match(&subject.text.masked)
}
