//! Lints of what stands beside the question: the fail example and the boundary.
//!
//! Source: METHODS 7, 16, 17.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use calibrant_schema::rubric::WhenNotApplicable;
use regex::Regex;

use super::catalogue::{BOUNDARY_NO_RULING, FAR_FAIL_EXAMPLE, VACUITY};
use super::subject::{Hit, Subject, first, pattern};
use super::text::{Text, containment, stems, words};

/// Below this share of the shorter example's words found in the other, a fail example is far from the pass example.
const NEAR: f64 = 0.1;

/// Below this many different words an example says too little to compare.
const FEWEST_WORDS: usize = 4;

/// METHODS 16: a fail example that fails for every reason at once.
pub(super) fn far_fail_example(subject: &Subject<'_>) -> Option<Hit> {
    static HOPELESS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:i (?:do not|don't) know|no answer|nothing|none|empty|an empty|off[- ]topic|(?:an |the )?(?:answer|response|reply) (?:is |that is )?(?:empty|off[- ]topic|unrelated|wrong|bad)|i (?:cannot|can't) help|lorem ipsum|asdf|n/a)\b",
        )
    });
    let fail = subject.criterion.fail_example.as_deref()?;
    let id = &subject.criterion.id;
    if let Some(range) = first(&HOPELESS, &fail.to_ascii_lowercase()) {
        let what = format!("the fail example of `{id}` is an obvious failure");
        return Some(Hit::at(FAR_FAIL_EXAMPLE, range, what, "no judge needs help with this").of_key("fail_example"));
    }
    let pass = subject.criterion.pass_example.as_deref()?;
    let (pass, fail_words) = (spellings(pass), spellings(fail));
    if pass.len() < FEWEST_WORDS || fail_words.len() < FEWEST_WORDS || containment(&pass, &fail_words) >= NEAR {
        return None;
    }
    let what = format!("the fail example of `{id}` shares hardly a word with the pass example");
    let label = "probably no near miss";
    Some(Hit::at(FAR_FAIL_EXAMPLE, 0..fail.len(), what, label).of_key("fail_example"))
}

fn spellings(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    words(&lower).map(|(_, word)| word.to_owned()).collect()
}

/// Whether a boundary decides some case.
pub(super) fn rules(boundary: &str) -> bool {
    static VERDICT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:pass|passes|fail|fails|met|unmet|counts?|counted|suffices?|enough|insufficient|acceptable|accepted|unacceptable|allowed|not required|required|need not|needs? no|do(?:es)? not need|is not needed|disqualifies|qualifies|is fine|score[sd]?\s+\d|level\s+\d|yes|is a \d)\b",
        )
    });
    VERDICT.is_match(&boundary.to_ascii_lowercase())
}

/// METHODS 17: a boundary that hopes instead of ruling.
pub(super) fn boundary_no_ruling(subject: &Subject<'_>) -> Option<Hit> {
    // A ruling is part of the boundary: either may decide.
    const PARAPHRASE: f64 = 0.6;
    let boundary = subject.criterion.boundary.as_deref()?;
    if rules(boundary) || subject.criterion.rulings.iter().any(|ruling| rules(&ruling.text)) {
        return None;
    }
    let repeats = containment(&stems(boundary), &stems(&subject.criterion.question)) >= PARAPHRASE;
    let label = match repeats {
        true => "says again what the question says",
        false => "no case gets a verdict here",
    };
    let what = format!("the boundary of `{}` decides no case", subject.criterion.id);
    Some(Hit::at(BOUNDARY_NO_RULING, 0..boundary.len(), what, label).of_key("boundary"))
}

/// METHODS 7: the boundary says PASS by vacuity, and `na` does not.
pub(super) fn vacuity(subject: &Subject<'_>) -> Option<Hit> {
    static VACUOUS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:pass(?:es)?|met)\b[^.;]{0,20}\b(?:by vacuity|vacuously|by default)\b|\bvacuous(?:ly)?\b[^.;]{0,20}\b(?:pass|met)|\b(?:if|where|when)\s+(?:there\s+(?:is|are)\s+)?(?:no|none|nothing)\b[^.;]{0,60}\b(?:pass(?:es)?|is met|counts as met)\b|\b(?:does not|doesn't) apply\b[^.;]{0,30}\bpass(?:es)?\b|\bnot applicable\b[^.;]{0,30}\bpass(?:es)?\b",
        )
    });
    if subject.criterion.na == WhenNotApplicable::Pass {
        return None;
    }
    let boundary = subject.criterion.boundary.as_deref()?;
    let range = first(&VACUOUS, &Text::new(boundary).masked)?;
    let now = match subject.criterion.na {
        WhenNotApplicable::Fail => "counts \"not applicable\" as failed",
        _ => "leaves \"not applicable\" out",
    };
    let what = format!(
        "the boundary of `{}` passes by vacuity, and the file {now}",
        subject.criterion.id
    );
    Some(Hit::at(VACUITY, range, what, "a pass that `na` does not know").of_key("boundary"))
}
