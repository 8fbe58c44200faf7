//! Lints of single words: what cannot be observed, what every judge fills differently, what is taste.
//!
//! Source: METHODS 13, 14, 22, 24.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::catalogue::{NO_HARM, READER_REACTION, TASTE, UNOBSERVABLE, VAGUE_WORD};
use super::subject::{Hit, Subject, first, pattern};
use super::verbs;

/// A word for the response under judgement.
pub(super) const RESPONSE: &str = r"(?:answer|response|reply|text|message|output|model|assistant|ai|chatbot|summary|letter|email|explanation|writing|wording|draft|note)";

/// A word for whoever reads it.
const READER: &str =
    r"(?:reader|user|patient|customer|client|person|audience|parent|student|clinician|asker|recipient)s?";

/// METHODS 13: states of mind.
pub(super) fn unobservable(subject: &Subject<'_>) -> Option<Hit> {
    static MIND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(?:{RESPONSE}|it)\s+(?:really\s+|truly\s+|fully\s+|clearly\s+)?(?:understands?|knows?|believes?|realizes?|realises?|comprehends?|cares?|thinks?|intends?|is aware|wants?|grasps?)\b|^\s*(?:really\s+|truly\s+|fully\s+)?(?:understands|knows|believes|realizes|realises|comprehends|grasps|is aware of|cares about|thinks|intends)\b|\b(?:shows?|demonstrates?|displays?|reflects?|has|have)\s+(?:an?\s+|the\s+|its\s+)?(?:\w+\s+)?(?:understanding|awareness|grasp|mastery|judge?ment)\b|\b(?:shows?|demonstrates?|displays?)\s+(?:an?\s+|the\s+|its\s+)?(?:\w+\s+)?(?:knowledge|insight)\b"
        ))
    });
    static PURPOSE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:help|helps|helping|let|lets|allow|allows|so that)\s+(?:\w+\s+){0,2}$"));
    let text = &subject.text.masked;
    let range = first(&MIND, text)?;
    if subject.ruled_on(&range) || PURPOSE.is_match(&text[..range.start]) {
        return None;
    }
    let what = format!("criterion `{}` asks for a state of mind", subject.criterion.id);
    Some(Hit::at(UNOBSERVABLE, range, what, "no judge can see this in a text"))
}

/// Adjectives that judge without saying by what.
const VAGUE: &str = "helpful|useful|appropriate|adequate|sufficient|suitable|proper|reasonable|satisfactory|acceptable|relevant|meaningful|good|decent|great|excellent|high[- ]quality|comprehensive|thorough|complete|necessary|important|insightful|actionable|practical|valuable";

/// Adverbs of the same kind.
const HOW: &str = "(?:appropriately|adequately|sufficiently|properly|suitably|helpfully|thoroughly|comprehensively|satisfactorily|reasonably)";

/// What such an adjective says nothing about.
const JUDGED: &str = "information|info|advice|explanations?|details?|answers?|response|reply|guidance|recommendations?|context|suggestions?|resources|support|questions?|tone|language|manner|way|level|overview|summary|steps|content|care|treatments?|follow-up|action|actions|referrals?|evaluation|management|caveats?|disclaimers?|warnings?|next steps|precautions|considerations|factors|points|aspects|insights?|options|depth|job|quality|measures|tips";

/// METHODS 13: words of praise in place of a condition.
pub(super) fn vague_word(subject: &Subject<'_>) -> Option<Hit> {
    static PRAISE: LazyLock<Regex> = LazyLock::new(|| {
        let (third, base) = (verbs::third_person(), verbs::base());
        pattern(&format!(
            r"\b(?:{VAGUE})\s+(?:and\s+\w+\s+)?(?:\w+\s+)?(?:{JUDGED})\b|^\s*(?:is|are)\s+the\s+(?:\w+\s+)?{RESPONSE}\s+(?:\w+\s+)?(?:{VAGUE}|of (?:good|high) quality)\b|^\s*(?:is\s+)?(?:{VAGUE})\W*$|^\s*{HOW}\b|\b{HOW}\s+(?:{third}|{base})|(?:{third}|{base}|\bresponds?|\breacts?)\s+{HOW}\b|\bgood quality\b|\bhigh[- ]quality\b|\bas (?:appropriate|needed|necessary)\b"
        ))
    });
    // "Not appropriate for children" is a fact the response has to state, what follows "that" is what it states, and
    // what follows "to provide" is what something is asked for.
    static STATED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:not|isn't|is|are|be|being)\s+$|\b(?:that|because|if|unless|who|which|allowing|enabling|missing|could|would)\b[^.;]*$|\b(?:for|without)\s+(?:an?\s+|the\s+)?$|\bto\s+(?:provide|give|offer|make|ensure|get|receive|suggest|recommend|tailor)\s+(?:\w+\s+){0,2}$",
        )
    });
    static SHOWN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"^[^.;]{0,60}?(?:\(|\bby \w+ing\b|\bsuch as\b|\blike\b|\bincluding\b|\be\.g\.|\bfor example\b|:)")
    });
    let text = &subject.text.masked;
    let range = first(&PRAISE, text)?;
    let whole = range.start < 8;
    if subject.ruled_on(&range)
        || SHOWN.is_match(&text[range.end..])
        || (!whole && STATED.is_match(&text[..range.start]))
    {
        return None;
    }
    let what = format!(
        "criterion `{}` leaves \"{}\" to each judge",
        subject.criterion.id,
        subject.shown(&range)
    );
    Some(Hit::at(VAGUE_WORD, range, what, "judges fill this differently"))
}

/// METHODS 14: what the text does to a reader.
pub(super) fn reader_reaction(subject: &Subject<'_>) -> Option<Hit> {
    static REACTION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(?:makes?|leaves?|leaving|making|help|helps|helping)\s+(?:the\s+|a\s+|an\s+)?(?:\w+\s+)?{READER}\s+(?:to\s+)?(?:feel|feels|feeling|satisfied|reassured|convinced|confident|comfortable|understood)\b|\b(?:would|will|might|could)\s+(?:the|a|an|most)\s+(?:\w+\s+)?{READER}\s+(?:feel|be (?:satisfied|reassured|convinced|happy|pleased|comfortable|confused)|enjoy|like|trust|find|understand|want|come away)\b|\b(?:does|do|did)\s+(?:the|a|an|most)\s+(?:\w+\s+)?{READER}\s+(?:feel|understand|know|learn|enjoy|like|trust|believe|remember|want|come away)\b|\b{READER}\s+(?:would|will|can|could|might)\s+(?:feel|enjoy|like|trust|be (?:satisfied|reassured|convinced|happy|pleased))\b|\b(?:is|are)\s+the\s+(?:\w+\s+)?{RESPONSE}\s+(?:\w+\s+)?(?:convincing|persuasive|reassuring|engaging|trustworthy|enjoyable|satisfying|impressive|pleasant|inspiring|motivating|interesting)\b|\b(?:sounds?|seems?|feels?|comes? across as|reads? as)\s+(?:\w+\s+)?(?:convincing|persuasive|reassuring|engaging|trustworthy|pleasant|natural|human|confident|caring|genuine|sincere|authentic)\b|^\s*(?:is\s+)?(?:\w+ and )?(?:engaging|convincing|persuasive|reassuring)\b"
        ))
    });
    // What a user feels may be the topic: "Asks whether the patient would feel comfortable".
    static TOPIC: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:asks?|asking|inquires?|whether|if|that|how|when)\b[^.;?]*$"));
    let text = &subject.text.masked;
    let range = first(&REACTION, text)?;
    if subject.ruled_on(&range) || TOPIC.is_match(&text[..range.start]) {
        return None;
    }
    let what = format!(
        "criterion `{}` asks what the text does to its reader",
        subject.criterion.id
    );
    Some(Hit::at(READER_REACTION, range, what, "a reaction, not a text"))
}

/// METHODS 22: taste.
pub(super) fn taste(subject: &Subject<'_>) -> Option<Hit> {
    static TASTE_WORDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\bwell[- ](?:organi[sz]ed|structured|written|presented|formatted|crafted|phrased|worded|thought[- ]out|laid out)\b|\b(?:clearly|nicely|neatly|logically|cleanly|beautifully|poorly|badly)[- ](?:organi[sz]ed|structured|written|presented|formatted|laid out)\b|\b(?:easy|pleasant|nice|enjoyable)\s+to\s+(?:read|follow)\b|\bflows?\s+(?:well|naturally|logically|nicely|smoothly)\b|\breads\s+(?:well|nicely|smoothly)\b|\b(?:elegant|polished|eloquent|visually appealing|aesthetic(?:ally)?|stylish)\b|\b(?:clear|logical|good|nice|coherent|organi[sz]ed)\s+(?:structure|flow|organi[sz]ation|layout|style|writing|format)\b|^\s*(?:is|are)\s+the\s+(?:\w+\s+)?{RESPONSE}\s+(?:\w+\s+)?(?:clear|coherent|cohesive|nice|interesting|creative|beautiful|readable|well)\b|\bgood (?:bedside manner|prose)\b"
        ))
    });
    let range = first(&TASTE_WORDS, &subject.text.masked)?;
    if subject.ruled_on(&range) || subject.criterion.harm.is_some() {
        return None;
    }
    let what = format!("criterion `{}` is a matter of taste", subject.criterion.id);
    Some(Hit::at(TASTE, range, what, "two careful people differ on this"))
}

/// METHODS 24: style, tone and length need a stated harm.
pub(super) fn no_harm(subject: &Subject<'_>) -> Option<Hit> {
    if subject.criterion.harm.is_some() {
        return None;
    }
    let range = style_words(&subject.text.masked)?;
    let what = format!("criterion `{}` asks for style and names no harm", subject.criterion.id);
    Some(Hit::at(NO_HARM, range, what, "style, tone or length"))
}

fn style_words(text: &str) -> Option<Range<usize>> {
    static STYLE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:in\s+an?\s+|with\s+an?\s+|an?\s+|the\s+|its\s+|their\s+)(?:[\w-]+,?\s+){0,3}(?:tone|writing style|style|tone of voice|active voice|passive voice|brand voice|manner)\b|\b(?:politely|polite|courteous|friendly|unfriendly|conversational|colloquial)\b|\b(?:concise|concisely|conciseness|succinct|succinctly|verbose|wordy|long-winded|overly long|too long|too short|overly brief|unnecessarily long|lengthy|brevity)\b|\b(?:plain|simple|lay|layperson|everyday|layman's|formal|informal|professional|accessible|technical|complex)(?:,?\s+\w+)?\s+(?:language|terms|english|wording|words)\b|\b(?:jargon|emojis?|bullet points?|bullets|bulleted|headings|headers|markdown|bold text|reading level|grade level|(?:correct|good|proper|no|free of|without)\s+(?:\w+\s+)?(?:grammar|spelling|typos)|grammar\s+(?:is|and|correct)|(?:grammatical|spelling)\s+(?:errors|mistakes))\b|\beasy to understand\b|\b(?:readable|readability)\b",
        )
    });
    // What is not about the writing: a muscle's tone, a way to do something, a style of life.
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:muscle|skin|vagal|uterine|vascular|anal|sphincter|sympathetic|ring|learning|parenting|attachment|coping|life|timely|safe|stepwise|step-by-step|systematic|standardi[sz]ed|controlled|consistent|structured|similar|same|different|particular|dose-dependent|gradual|sterile)\s+(?:tone|style|voice|manner)\b|\bcommunicat\w+ style\b|\blengthy\s+(?:trip|flight|illness|stay|recovery|process|procedure|travel)",
        )
    });
    let range = first(&STYLE, text)?;
    let elsewhere = OTHER
        .find_iter(text)
        .any(|other| other.start() < range.end && range.start < other.end());
    (!elsewhere).then_some(range)
}
