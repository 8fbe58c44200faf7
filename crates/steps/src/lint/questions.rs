//! Lints of what is asked: no yes or no, a stock phrase, what code decides.
//!
//! Source: METHODS 15, 21, 23.

use std::sync::LazyLock;

use regex::Regex;

use super::catalogue::{CODE_DECIDABLE, OPEN_QUESTION, STOCK_PHRASE, UNANCHORED_SCALE};
use super::subject::{Hit, Subject, first, pattern};
use super::text::{is_function_word, words};

/// METHODS 15: a question that "yes" does not answer.
pub(super) fn open_question(subject: &Subject<'_>) -> Option<Hit> {
    static OPEN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:what|how|which|why|who|whose|where|when|to what extent)\b[^?]*\?|^\s*(?:to what extent|rate|score|grade|assess|evaluate|describe|list|count)\b",
        )
    });
    // "Where the plan is limited, does the answer say so?" is answered by yes and no all the same.
    static CLOSED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r",\s*(?:then\s+)?(?:does|do|did|is|are|was|were|has|have|can|could|will|would|should|must)\b")
    });
    if !subject.is_binary() || subject.statement && subject.text.masked.trim_start().starts_with("list") {
        return None;
    }
    let whole = first(&OPEN, &subject.text.masked)?;
    let word = subject.text.masked[whole.clone()].find(' ').unwrap_or(whole.len());
    let range = whole.start..whole.start + word;
    if CLOSED.is_match(&subject.text.masked) || scale_in_words(subject).is_some() {
        return None;
    }
    let what = format!("criterion `{}` is no question of yes or no", subject.criterion.id);
    Some(Hit::at(
        OPEN_QUESTION,
        range,
        what,
        "a yes or a no does not answer this",
    ))
}

/// METHODS 18, in words: a scale asked for in the question of a binary criterion.
pub(super) fn scale_in_words(subject: &Subject<'_>) -> Option<Hit> {
    static SCALE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:how|rate|score|grade|on a scale|please rate|give|assign)\b[^.?]*?\b(?:scale (?:of|from)\s+\d+|(?:from\s+)?\d+\s*(?:to|-|\u{2013})\s*\d+|\d+\s+(?:points|stars)|out of\s+\d+)",
        )
    });
    if !subject.is_binary() {
        return None;
    }
    let range = first(&SCALE, &subject.text.masked)?;
    let what = format!(
        "criterion `{}` asks for a scale that the file does not have",
        subject.criterion.id
    );
    Some(
        Hit::at(UNANCHORED_SCALE, range, what, "no level has a text").helped(
            "ask yes or no, or write `scale: {levels: [{value: 0, anchor: ...}, ...]}` with a text for each level",
        ),
    )
}

/// METHODS 21: what an answer can say without knowing anything of the question.
pub(super) fn stock_phrase(subject: &Subject<'_>) -> Option<Hit> {
    static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:recommend|advis|suggest|encourag|urg|tell|remind|instruct|direct|refer|say|stat|mention|includ|provid|emphasi[sz]|stress|offer)\w*\b[^.;:?]{0,60}?\b(?:consult|see|seek|speak|talk|contact|discuss|reach|visit|check|get)\w*\b[^.;:?]{0,40}?\b(?:doctors?|physicians?|professionals?|providers?|specialists?|experts?|lawyers?|attorneys?|advis[eo]rs?|clinicians?|pharmacists?|gp|medical (?:advice|attention|help|care)|professional (?:help|advice)|legal advice)\b",
        )
    });
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:includes?|including|gives?|adds?|contains?|provides?|have|has)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?disclaimers?\b|\b(?:is|as|being)\s+(?:not\s+a\s+(?:doctor|lawyer|physician|professional|substitute)|an?\s+(?:ai|language model))\b|\b(?:expresses|express|shows|show|offers|conveys|demonstrates|expressing)\s+(?:\w+\s+)?(?:empathy|sympathy|condolences|compassion|concern)\b|\bwishes?\s+(?:the\s+)?\w+\s+(?:well|luck|a speedy)\b|\boffers?\s+(?:to\s+(?:help|assist|answer)\s+(?:further|more)|(?:further|additional|more|continued)\s+(?:help|assistance|support))\b|\basks?\s+if\s+[^.;?]*\b(?:further|other|more|additional|any)\s+(?:questions|help|assistance)\b|\bthanks?\s+the\s+\w+\b|\backnowledges?\s+(?:the\s+)?(?:limitations?|uncertainty)\W*$",
        )
    });
    // A condition, a reason or a time makes the advice one for this question.
    static SPECIFIC: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:if|when|because|since|unless|before|after|within|immediately|urgent\w*|emergency|promptly|today|for|to (?:rule|confirm|assess|determine|discuss|evaluate|check)|given|due|about|regarding|such as|including|in order|based|as soon|prior)\b|_|\d|:",
        )
    });
    if !subject.rewards() || subject.criterion.boundary.is_some() {
        return None;
    }
    let text = &subject.text.masked;
    let advice = first(&ADVICE, text).filter(|range| !SPECIFIC.is_match(&text[range.clone()]));
    let range = advice.or_else(|| first(&OTHER, text))?;
    let rest = format!("{} {}", &text[..range.start], &text[range.end..]);
    if SPECIFIC.is_match(&rest) || content_words(&rest) > MOST_OTHER_WORDS {
        return None;
    }
    let what = format!("a stock phrase satisfies criterion `{}`", subject.criterion.id);
    Some(Hit::at(STOCK_PHRASE, range, what, "any answer can say this"))
}

/// With more content words than this beside the phrase, a criterion asks for something specific.
const MOST_OTHER_WORDS: usize = 3;

fn content_words(text: &str) -> usize {
    let about_the_text = |word: &str| {
        matches!(
            word,
            "answer" | "response" | "reply" | "user" | "patient" | "person" | "model" | "assistant"
        )
    };
    words(text)
        .filter(|(_, word)| !is_function_word(word) && !about_the_text(word))
        .count()
}

/// METHODS 23: what `check:` decides.
pub(super) fn code_decidable(subject: &Subject<'_>) -> Option<Hit> {
    const NUMBER: &str =
        r"(?:\d[\d,.]*|one|two|three|four|five|ten|twenty|fifty|a hundred|one hundred|two hundred|five hundred)";
    static LENGTH: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(?:at most|no more than|not more than|fewer than|less than|under|within|exceeds?|exceed|longer than|at least|more than|exactly|up to|shorter than|over|to|limit of|maximum of|minimum of)\s+{NUMBER}(?:\s+(?:to|and|-)\s+{NUMBER})?\s+words\b|\b{NUMBER}\s+words?\s+(?:or\s+(?:fewer|less|more)|at most|long|maximum|minimum)\b|\b{NUMBER}-word limit\b|\bword count\b"
        ))
    });
    static ENDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"\b(?:starts?|begins?|opens?|ends?|closes?)\s+with\s+(?:the\s+)?(?:(?:exact\s+)?(?:words?|phrase|sentence|line|text|greeting)\s+)?["\u{201c}'`\u{2018}]"#,
        )
    });
    static HOLDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"\b(?:contains?|includes?|uses?|mentions?|says?|has|have)\s+(?:the\s+)?(?:exact\s+|literal\s+|specific\s+)?(?:words?|phrases?|strings?|characters?|term|hashtag|url)\s+["\u{201c}'`\u{2018}]"#,
        )
    });
    static JSON: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bvalid json\b|\b(?:is|in|as|returns?|outputs?)\s+(?:a\s+)?json\b|\bjson (?:format|object|schema)\b|\bmatch(?:es)? (?:the )?(?:regex|regular expression|pattern)\b",
        )
    });
    let text = &subject.text.masked;
    let found = [
        (&*LENGTH, "move it to `check:`, for example `check: {max_words: 200}`"),
        (
            &*ENDS,
            "move it to `check:`, for example `check: {starts_with: \"Dear\"}`",
        ),
        (
            &*HOLDS,
            "move it to `check:`, for example `check: {contains: \"opt out\"}`",
        ),
        (
            &*JSON,
            "move it to `check:`, for example `check: {json_schema: {type: object}}`",
        ),
    ];
    let (range, help) = found
        .iter()
        .find_map(|(pattern, help)| Some((first(pattern, text)?, *help)))?;
    let what = format!("code can decide criterion `{}`", subject.criterion.id);
    Some(Hit::at(CODE_DECIDABLE, range, what, "counting needs no judge").helped(help))
}
