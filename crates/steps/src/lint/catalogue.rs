//! The lints: their ids, how much a finding weighs, and what to do about one.

use calibrant_schema::Severity;

/// One lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lint {
    /// Its stable name in kebab case, as `allow` and `docs/lints/ID.md` have it.
    pub id: &'static str,
    /// Warning or note; errors are for files that cannot be used.
    pub severity: Severity,
    /// What it looks for, in one line.
    pub title: &'static str,
    /// What to do about a finding, where the finding itself has nothing better to say.
    pub help: &'static str,
}

const fn warning(id: &'static str, title: &'static str, help: &'static str) -> Lint {
    Lint {
        id,
        severity: Severity::Warning,
        title,
        help,
    }
}

const fn note(id: &'static str, title: &'static str, help: &'static str) -> Lint {
    Lint {
        id,
        severity: Severity::Note,
        title,
        help,
    }
}

pub(super) const BOUNDARY_NO_RULING: Lint = warning(
    "boundary-no-ruling",
    "a boundary that decides no case",
    "name a case between the examples and say PASS or FAIL",
);
pub(super) const CODE_DECIDABLE: Lint = warning(
    "code-decidable",
    "a condition that code decides",
    "move it to `check:`; it then costs nothing and nobody can disagree",
);
pub(super) const COMPOUND: Lint = warning(
    "compound",
    "two conditions in one criterion",
    "make a criterion of each, with a weight of its own",
);
pub(super) const FAR_FAIL_EXAMPLE: Lint = note(
    "far-fail-example",
    "a fail example that is no near miss",
    "take a pass example and break only what the criterion asks for",
);
pub(super) const HEAVY_CRITERION: Lint = note(
    "heavy-criterion",
    "a criterion that outweighs all others together",
    "if nothing can make up for it, write `gate: true`; if something can, lower the weight",
);
pub(super) const MISSING_BOUNDARY: Lint = note(
    "missing-boundary",
    "criteria without a boundary",
    "add `boundary:` with a case between pass and fail and its verdict",
);
pub(super) const MISSING_FAIL_EXAMPLE: Lint = note(
    "missing-fail-example",
    "criteria without a fail example",
    "add `fail_example:` with a near miss",
);
pub(super) const NEGATED_PENALTY: Lint = note(
    "negated-penalty",
    "a penalty for what is absent",
    "write what a response should do, with a weight above 0",
);
pub(super) const NO_HARM: Lint = warning(
    "no-harm",
    "style, tone or length without the harm it does",
    "say in `harm:` who is harmed by a failure, or delete the criterion",
);
pub(super) const NO_NEGATIVE: Lint = warning(
    "no-negative",
    "a rubric that only rewards presence",
    "add what a response must not do: a negative weight, or a question that a fault fails",
);
pub(super) const NOT_ENGLISH: Lint = note(
    "not-english",
    "texts that are not English",
    "nothing to do: lints that look at words know English alone",
);
pub(super) const OPEN_QUESTION: Lint = warning(
    "open-question",
    "a question that yes and no do not answer",
    "ask for one observable condition: \"Does the answer ...?\"",
);
pub(super) const OVERLAP: Lint = warning(
    "overlap",
    "two criteria that ask the same",
    "keep one of the two, or say in each what the other does not ask",
);
pub(super) const OVERLAP_LABELS: Lint = note(
    "overlap-labels",
    "two criteria whose labels go together",
    "read the two side by side: if one follows from the other, keep one",
);
pub(super) const POLARITY: Lint = warning(
    "polarity",
    "a text that contradicts the sign of its weight",
    "turn the sign of the weight, or the text",
);
pub(super) const READER_REACTION: Lint = warning(
    "reader-reaction",
    "the reader's reaction instead of the text",
    "ask for what the text says or holds that would cause the reaction",
);
pub(super) const STATEMENT_FORM: Lint = note(
    "statement-form",
    "statements instead of questions",
    "nothing to do if judges are asked whether each statement holds; else write questions with a yes or a no",
);
pub(super) const STOCK_PHRASE: Lint = warning(
    "stock-phrase",
    "a criterion that a stock phrase satisfies",
    "ask for what only a specific answer says: which sign, by when, for what reason",
);
pub(super) const TASTE: Lint = warning(
    "taste",
    "a matter of taste",
    "delete it: two careful people differ, and no boundary settles taste",
);
pub(super) const UNANCHORED_SCALE: Lint = warning(
    "unanchored-scale",
    "levels without a text",
    "give every level an `anchor:`, or ask yes or no",
);
pub(super) const UNKNOWN_LINT: Lint = warning(
    "unknown-lint",
    "`allow` names no lint",
    "write the id of a lint; docs/lints lists them",
);
pub(super) const UNOBSERVABLE: Lint = warning(
    "unobservable",
    "a state of mind instead of a text",
    "ask for the words that would show it",
);
pub(super) const UNUSED_ALLOW: Lint = note("unused-allow", "`allow` silences nothing", "remove it from `allow`");
pub(super) const VACUITY: Lint = warning(
    "vacuity",
    "a pass by vacuity that the file does not say",
    "add `na: pass`, so that \"not applicable\" counts as the boundary says",
);
pub(super) const VAGUE_WORD: Lint = warning(
    "vague-word",
    "a word that every judge fills differently",
    "write what the word stands for, or rule on it in the boundary",
);
pub(super) const WEIGHT_CONCENTRATION: Lint = warning(
    "weight-concentration",
    "few criteria carry the weight",
    "level the weights, or make what decides a `gate: true`",
);

/// Every lint, by id.
pub const LINTS: [Lint; 26] = [
    BOUNDARY_NO_RULING,
    CODE_DECIDABLE,
    COMPOUND,
    FAR_FAIL_EXAMPLE,
    HEAVY_CRITERION,
    MISSING_BOUNDARY,
    MISSING_FAIL_EXAMPLE,
    NEGATED_PENALTY,
    NO_HARM,
    NO_NEGATIVE,
    NOT_ENGLISH,
    OPEN_QUESTION,
    OVERLAP,
    OVERLAP_LABELS,
    POLARITY,
    READER_REACTION,
    STATEMENT_FORM,
    STOCK_PHRASE,
    TASTE,
    UNANCHORED_SCALE,
    UNKNOWN_LINT,
    UNOBSERVABLE,
    UNUSED_ALLOW,
    VACUITY,
    VAGUE_WORD,
    WEIGHT_CONCENTRATION,
];

/// The lint with an id.
#[must_use]
pub fn lint_named(id: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.id == id)
}
