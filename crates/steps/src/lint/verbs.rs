//! The verbs criteria are made of: what a response can be seen to do.

use std::sync::LazyLock;

use regex::Regex;

/// Verbs that are seldom anything else, in their base form.
const PLAIN: [&str; 85] = [
    "acknowledge",
    "advise",
    "apologize",
    "avoid",
    "bring",
    "cite",
    "clarify",
    "classify",
    "compare",
    "confirm",
    "contrast",
    "convey",
    "correct",
    "define",
    "demonstrate",
    "describe",
    "direct",
    "disclose",
    "discourage",
    "distinguish",
    "elaborate",
    "emphasize",
    "emphasise",
    "encourage",
    "ensure",
    "enumerate",
    "explain",
    "express",
    "give",
    "highlight",
    "identify",
    "illustrate",
    "imply",
    "include",
    "inform",
    "inquire",
    "instruct",
    "interpret",
    "invite",
    "introduce",
    "justify",
    "maintain",
    "make",
    "mention",
    "omit",
    "point",
    "prescribe",
    "present",
    "prioritize",
    "propose",
    "provide",
    "quote",
    "recognize",
    "recognise",
    "recommend",
    "refer",
    "refrain",
    "refuse",
    "reiterate",
    "remind",
    "repeat",
    "say",
    "seek",
    "specify",
    "stress",
    "suggest",
    "summarize",
    "summarise",
    "take",
    "tell",
    "translate",
    "urge",
    "validate",
    "verify",
    "warn",
    "write",
    "invent",
    "fabricate",
    "admit",
    "adapt",
    "apply",
    "assess",
    "assume",
    "reassure",
    "respond",
];

/// Verbs that are as often nouns, in their base form: they count where what follows shows a verb.
const DOUBTFUL: [&str; 32] = [
    "address", "answer", "ask", "attempt", "call", "caution", "check", "claim", "conclude", "contact", "detail",
    "display", "end", "estimate", "follow", "link", "list", "name", "note", "offer", "order", "outline", "question",
    "report", "request", "review", "show", "start", "state", "stop", "support", "use",
];

/// What shows that a doubtful word before it is a verb.
const AFTER: &str = r"(?:the|a|an|that|to|how|when|what|which|whether|why|if|any|each|every|all|at|its|their|his|her|this|these|those|no|it|them|for|about|as|users?|patients?|both|one|two|some|where)\b";

/// The third person of a verb.
fn third(verb: &str) -> String {
    match verb {
        _ if verb.ends_with('y') && !verb.ends_with("ay") && !verb.ends_with("ey") => {
            format!("{}ies", &verb[..verb.len() - 1])
        }
        _ if verb.ends_with("ss") || verb.ends_with("sh") || verb.ends_with("ch") || verb.ends_with('x') => {
            format!("{verb}es")
        }
        _ => format!("{verb}s"),
    }
}

/// The gerund of a verb.
fn gerund(verb: &str) -> String {
    match verb.strip_suffix('e') {
        Some(root) if !verb.ends_with("ee") => format!("{root}ing"),
        _ => format!("{verb}ing"),
    }
}

fn alternatives(form: fn(&str) -> String) -> String {
    let plain: Vec<String> = PLAIN.iter().map(|verb| form(verb)).collect();
    let doubtful: Vec<String> = DOUBTFUL.iter().map(|verb| form(verb)).collect();
    format!(r"(?:(?:{})\b|(?:{})\s+{AFTER})", plain.join("|"), doubtful.join("|"))
}

/// A pattern for a verb in its base form, as after "Does the answer".
pub(super) fn base() -> String {
    alternatives(str::to_owned)
}

/// A pattern for a verb in the third person, as statements begin with.
pub(super) fn third_person() -> String {
    alternatives(third)
}

/// A pattern for a gerund.
pub(super) fn gerunds() -> String {
    alternatives(gerund)
}

/// Whether a word in lower case is one of these verbs in its base form or third person.
pub(super) fn is_verb(word: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let all = PLAIN.iter().chain(&DOUBTFUL);
        let forms: Vec<String> = all.flat_map(|verb| [(*verb).to_owned(), third(verb)]).collect();
        Regex::new(&format!("^(?:{})$", forms.join("|"))).expect("the verbs are a pattern")
    });
    WORDS.is_match(word)
}
