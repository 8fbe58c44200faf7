//! Words of verdict cells: those a sheet offers, and those that are understood when it comes back.

use calibrant_schema::exercise::Act;
use calibrant_schema::label_words::{LabelError, ParsedLabel, parse_label};
use calibrant_schema::{Scale, Status};

use super::grid::Content;

/// What may be chosen besides a level.
const BESIDES: [&str; 3] = ["cannot assess", "not applicable", "unclear"];

/// How spreadsheets and people of other languages say no and yes, beside the words of the label table.
///
/// A word stands here only if it means the same in every language of the table; `ne`, which is no in one and yes in
/// another, does not.
const LOCAL_WORDS: [(&[&str], &[&str]); 3] = [
    // What spreadsheet programs write for FALSE and TRUE.
    (
        &[
            "falso",
            "onwaar",
            "falskt",
            "falsk",
            "usann",
            "epätosi",
            "fałsz",
            "nepravda",
            "hamis",
            "yanlış",
            "yanliş",
            "ложь",
            "fals",
            "ψευδησ",
            "ψευδης",
        ],
        &[
            "vero",
            "verdadero",
            "verdadeiro",
            "waar",
            "sant",
            "sand",
            "sann",
            "tosi",
            "prawda",
            "pravda",
            "igaz",
            "doğru",
            "истина",
            "adevărat",
            "αληθησ",
            "αληθης",
        ],
    ),
    // No and yes, as people type them.
    (
        &[
            "nein",
            "non",
            "nee",
            "nej",
            "nei",
            "não",
            "nao",
            "nie",
            "hayır",
            "hayir",
            "нет",
            "ні",
            "いいえ",
            "لا",
            "לא",
        ],
        &[
            "ja", "oui", "sí", "sì", "si", "sim", "tak", "evet", "да", "так", "はい", "نعم", "כן",
        ],
    ),
    (&["否", "不是", "아니요"], &["是", "예"]),
];

/// The words a verdict cell offers, the best level first.
#[must_use]
pub fn offered_words(scale: &Scale) -> Vec<String> {
    let levels: Vec<String> = match scale {
        Scale::Binary => vec!["yes".to_owned(), "no".to_owned()],
        Scale::Levels(levels) => levels.iter().rev().map(|level| level.value.to_string()).collect(),
    };
    levels.into_iter().chain(BESIDES.map(str::to_owned)).collect()
}

/// Why a verdict cell is not understood: what to say of it, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    pub(crate) id: &'static str,
    pub(crate) what: String,
    pub(crate) help: String,
}

/// Reads a verdict cell; `None` when it is empty. A skip takes its reason from the comment.
///
/// # Errors
/// If the cell holds a date, the error of a formula, a word that is not known, or a number off the scale.
pub(crate) fn read_verdict(content: &Content, comment: &str, scale: &Scale) -> Result<Option<Act>, Misread> {
    match content {
        Content::Empty => Ok(None),
        Content::Text(text) => of_text(text, comment, scale),
        Content::Number(number) => label(*number, scale).map(Some),
        Content::Truth(truth) => of_truth(*truth, scale).map(Some),
        Content::Date(date) => Err(a_date(date, scale)),
        Content::Fault(fault) => Err(Misread {
            id: "sheet-formula",
            what: format!("the verdict is the error of a formula, `{}`", cut(fault)),
            help: format!("write one of: {}", offered_words(scale).join(", ")),
        }),
    }
}

/// Whether a cell may be meant as a verdict, on whatever scale: for telling columns apart.
pub(crate) fn looks_like_a_verdict(content: &Content) -> bool {
    match content {
        Content::Empty | Content::Truth(_) | Content::Number(_) => true,
        Content::Text(text) => decimal(text).is_some() || word(text, &Scale::Binary).is_ok(),
        Content::Date(_) | Content::Fault(_) => false,
    }
}

fn of_text(text: &str, comment: &str, scale: &Scale) -> Result<Option<Act>, Misread> {
    if let Some(number) = decimal(text) {
        return label(number, scale).map(Some);
    }
    match word(text, scale) {
        Ok(ParsedLabel::Level(level)) => Ok(Some(Act::Verdict {
            label: scale.value(level),
        })),
        Ok(ParsedLabel::NoLabel(status)) => of_status(text, status, comment, scale),
        Err(_) if is_date(text) => Err(a_date(text, scale)),
        Err(LabelError::WordOnLevels { .. }) => Err(word_on_levels(text, scale)),
        Err(_) => Err(unknown(text, scale)),
    }
}

fn of_status(text: &str, status: Status, comment: &str, scale: &Scale) -> Result<Option<Act>, Misread> {
    match status {
        Status::NotApplicable => Ok(Some(Act::NotApplicable)),
        Status::CannotAssess => Ok(Some(Act::CannotAssess)),
        Status::Unclear => Ok(Some(Act::Unclear)),
        Status::Skipped if text.trim().is_empty() => Ok(None),
        Status::Skipped if comment.is_empty() => Err(Misread {
            id: "sheet-skip",
            what: "the row is skipped and does not say why".to_owned(),
            help: "write the reason into the comment of the row, or leave the verdict empty".to_owned(),
        }),
        Status::Skipped => Ok(Some(Act::Skip {
            reason: comment.to_owned(),
        })),
        _ => Err(unknown(text, scale)),
    }
}

fn of_truth(truth: bool, scale: &Scale) -> Result<Act, Misread> {
    match scale {
        Scale::Binary => Ok(Act::Verdict {
            label: f64::from(u8::from(truth)),
        }),
        Scale::Levels(_) => Err(word_on_levels(if truth { "TRUE" } else { "FALSE" }, scale)),
    }
}

fn label(number: f64, scale: &Scale) -> Result<Act, Misread> {
    match scale.level_of(number) {
        Some(level) => Ok(Act::Verdict {
            label: scale.value(level),
        }),
        None => Err(Misread {
            id: "sheet-off-scale",
            what: format!("{number} is not on the scale of the criterion"),
            help: format!("write one of: {}", offered_words(scale).join(", ")),
        }),
    }
}

/// The word as the label table reads it, in the languages of [`LOCAL_WORDS`] too.
fn word(text: &str, scale: &Scale) -> Result<ParsedLabel, LabelError> {
    let parsed = parse_label(text, scale);
    if !matches!(parsed, Err(LabelError::Unknown { .. })) {
        return parsed;
    }
    let lower = text
        .trim_matches(|c: char| c.is_whitespace() || "\"'“”„«»‘’.!".contains(c))
        .to_lowercase();
    // The dot that small `İ` leaves over an i is no part of a Turkish word.
    let lower = lower.replace('\u{307}', "");
    let level = LOCAL_WORDS.iter().find_map(|(no, yes)| match lower.as_str() {
        lower if no.contains(&lower) => Some("no"),
        lower if yes.contains(&lower) => Some("yes"),
        _ => None,
    });
    level.map_or(parsed, |word| parse_label(word, scale))
}

/// A number with a decimal point or a decimal comma, spaces and quotes around it set aside.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "\"'“”".contains(c));
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = bare.split_once([',', '.']).unwrap_or((bare, "0"));
    if whole.is_empty() || part.is_empty() || !digits(whole) || !digits(part) {
        return None;
    }
    text.replace(',', ".")
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// The first letters of months in the languages of spreadsheets, as they stand in dates that a program made of a number.
const MONTHS: [&str; 40] = [
    "jan", "ene", "gen", "feb", "fev", "fév", "mar", "mär", "mrz", "maa", "apr", "avr", "abr", "may", "mai", "maj",
    "maio", "mei", "mag", "jun", "jui", "giu", "jul", "lug", "aug", "aoû", "ago", "sep", "set", "sett", "oct", "okt",
    "ott", "out", "nov", "dec", "dez", "déc", "dic", "gru",
];

/// Whether a text is what a spreadsheet makes of a number that it took for a date: `05.Jan`, `3-May`, `01/02/2026`.
fn is_date(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let parts: Vec<&str> = text
        .split(['-', '/', '.', ' ', ':', 't'])
        .filter(|part| !part.is_empty())
        .collect();
    let numeric = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = parts.iter().filter(|part| numeric(part)).count();
    let months = parts
        .iter()
        .filter(|part| MONTHS.iter().any(|month| part.starts_with(month)))
        .count();
    numbers >= 1 && parts.len() >= 2 && numbers + months == parts.len() && months <= 1
}

fn a_date(text: &str, scale: &Scale) -> Misread {
    Misread {
        id: "sheet-date",
        what: format!(
            "the verdict is a date, `{}`: the spreadsheet made it of what was typed",
            cut(text)
        ),
        help: format!(
            "format the cell as text and type the verdict again, one of: {}",
            offered_words(scale).join(", ")
        ),
    }
}

fn word_on_levels(text: &str, scale: &Scale) -> Misread {
    Misread {
        id: "sheet-word",
        what: format!(
            "`{}` does not say which of {} levels is meant",
            cut(text),
            scale.level_count()
        ),
        help: format!("write one of: {}", offered_words(scale).join(", ")),
    }
}

fn unknown(text: &str, scale: &Scale) -> Misread {
    Misread {
        id: "sheet-word",
        what: format!("`{}` is not understood as a verdict", cut(text)),
        help: format!("write one of: {}", offered_words(scale).join(", ")),
    }
}

/// The first 40 characters of a cell, what is invisible escaped.
pub(crate) fn cut(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(40)
        .flat_map(calibrant_schema::diagnostic::visible)
        .collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn read(text: &str, scale: &Scale) -> Result<Option<Act>, &'static str> {
        read_verdict(&Content::Text(text.to_owned()), "because", scale).map_err(|misread| misread.id)
    }

    #[test]
    fn what_is_offered_is_understood() {
        let levels: Scale = "0,0.5,1".parse().expect("a scale");
        for scale in [Scale::Binary, levels] {
            for word in offered_words(&scale) {
                assert!(matches!(read(&word, &scale), Ok(Some(_))), "{word}");
            }
        }
        assert_eq!(offered_words(&"1..3".parse().expect("a scale"))[..3], ["3", "2", "1"]);
    }

    #[test]
    fn yes_and_no_are_understood_in_many_languages() {
        for word in [
            "YES",
            "y",
            " Met ",
            "TRUE",
            "WAHR",
            "vrai",
            "VERO",
            "Verdadero",
            "“ja”",
            "oui",
            "Sí",
            "1",
            "1,0",
            "да",
            "İGAZ",
        ] {
            assert_eq!(
                read(word, &Scale::Binary),
                Ok(Some(Act::Verdict { label: 1.0 })),
                "{word}"
            );
        }
        for word in [
            "no", "FALSCH", "FAUX", "Falso", "nein", "Non", "não", "0", "0.0", "unmet", "нет", "YANLIŞ",
        ] {
            assert_eq!(
                read(word, &Scale::Binary),
                Ok(Some(Act::Verdict { label: 0.0 })),
                "{word}"
            );
        }
        assert_eq!(
            read("ne", &Scale::Binary),
            Err("sheet-word"),
            "no in Czech, yes in Korean"
        );
    }

    #[test]
    fn no_word_says_yes_and_no() {
        let all = |yes: bool| -> BTreeSet<&str> {
            LOCAL_WORDS
                .iter()
                .flat_map(|(no, words)| if yes { words.iter() } else { no.iter() })
                .copied()
                .collect()
        };
        assert!(all(true).is_disjoint(&all(false)));
        for word in all(true).union(&all(false)) {
            assert!(
                parse_label(word, &Scale::Binary).is_err(),
                "`{word}` is in the label table already"
            );
        }
    }

    #[test]
    fn numbers_are_read_with_point_and_comma_and_never_clamped() {
        let scale: Scale = "0,0.5,1".parse().expect("a scale");
        for text in ["0.5", "0,5", " 0,50 ", "“0,5”"] {
            assert_eq!(read(text, &scale), Ok(Some(Act::Verdict { label: 0.5 })), "{text}");
        }
        for text in ["0,7", "2", "1.000,5"] {
            assert!(read(text, &scale).is_err(), "{text}");
        }
        assert_eq!(read("yes", &scale), Err("sheet-word"));
    }

    #[test]
    fn dates_are_named_as_such() {
        for text in [
            "05. Mai",
            "3-May",
            "01.02.2026",
            "2026-05-01",
            "May-03",
            "1/2",
            "2026-05-01 00:00:00",
            "01.Mrz",
            "1 févr.",
        ] {
            assert_eq!(read(text, &Scale::Binary), Err("sheet-date"), "{text}");
        }
        for text in ["maybe", "may be 1 of 2", "perhaps", "3 stars", "null", "1-x"] {
            assert_eq!(read(text, &Scale::Binary), Err("sheet-word"), "{text}");
        }
        let date = read_verdict(&Content::Date("2026-05-01".to_owned()), "", &Scale::Binary);
        assert_eq!(date.expect_err("a date").id, "sheet-date");
    }

    #[test]
    fn a_skip_takes_its_reason_from_the_comment() {
        let skip = Act::Skip {
            reason: "because".to_owned(),
        };
        assert_eq!(read("skipped", &Scale::Binary), Ok(Some(skip)));
        let silent = read_verdict(&Content::Text("skipped".to_owned()), "", &Scale::Binary);
        assert_eq!(silent.expect_err("no reason").id, "sheet-skip");
        assert_eq!(read("  ", &Scale::Binary), Ok(None));
    }
}
