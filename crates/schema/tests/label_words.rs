//! The label word table: what is read, what is refused, and what the refusal says.

use calibrant_schema::label_words::{LEVEL_WORDS, LabelError, ParsedLabel, STATUS_WORDS, parse_label};
use calibrant_schema::{Scale, Status};
use proptest::prelude::*;

fn scale(text: &str) -> Scale {
    text.parse().expect("a scale")
}

fn level(text: &str, scale: &Scale) -> Option<u8> {
    match parse_label(text, scale) {
        Ok(ParsedLabel::Level(level)) => Some(level),
        other => panic!("`{text}` is read as {other:?}"),
    }
}

#[test]
fn words_of_the_table_in_any_case_and_quotes() {
    for (worse, better) in LEVEL_WORDS {
        for dress in [
            |w: &str| w.to_owned(),
            |w: &str| w.to_uppercase(),
            |w: &str| format!(" \"{w}\" "),
        ] {
            assert_eq!(level(&dress(worse), &Scale::Binary), Some(0), "{worse}");
            assert_eq!(level(&dress(better), &Scale::Binary), Some(1), "{better}");
        }
    }
    for text in [
        "MET",
        "Pass",
        "TRUE",
        "Y",
        "1",
        "1.0",
        "+1",
        "'yes'",
        "\u{201c}Yes\u{201d}",
        "1e0",
    ] {
        assert_eq!(level(text, &Scale::Binary), Some(1), "{text}");
    }
    for text in ["UNMET", "Not  met", "not_met", "n", "0", "0.0", "-0", "FALSCH"] {
        assert_eq!(level(text, &Scale::Binary), Some(0), "{text}");
    }
}

#[test]
fn no_word_stands_twice_with_two_meanings() {
    let mut meanings = std::collections::BTreeMap::new();
    let levels = LEVEL_WORDS
        .iter()
        .flat_map(|(worse, better)| [(*worse, "0"), (*better, "1")]);
    for (word, meaning) in levels.chain(STATUS_WORDS.iter().map(|(word, status)| (*word, status.as_str()))) {
        assert_eq!(*meanings.entry(word).or_insert(meaning), meaning, "{word}");
    }
}

#[test]
fn why_there_is_no_label() {
    let expected = [
        ("", Status::Skipped),
        ("  ", Status::Skipped),
        ("\"\"", Status::Skipped),
        ("N/A", Status::NotApplicable),
        ("not applicable", Status::NotApplicable),
        ("CANNOT_ASSESS", Status::CannotAssess),
        ("unclear", Status::Unclear),
        ("refused", Status::Refused),
    ];
    for (text, status) in expected {
        assert_eq!(
            parse_label(text, &Scale::Binary),
            Ok(ParsedLabel::NoLabel(status)),
            "{text}"
        );
        assert_eq!(
            parse_label(text, &scale("1..5")),
            Ok(ParsedLabel::NoLabel(status)),
            "{text}"
        );
    }
}

#[test]
fn numbers_on_a_declared_scale_are_exact_and_never_clamped() {
    let five = scale("1..5");
    assert_eq!(level("1", &five), Some(0));
    assert_eq!(level(" 5.0", &five), Some(4));
    assert_eq!(level("0.5", &scale("0,0.5,1")), Some(1));
    for off in ["0", "6", "3.5", "-1", "1e9"] {
        assert_eq!(
            parse_label(off, &five),
            Ok(ParsedLabel::NoLabel(Status::Unparsable)),
            "{off}"
        );
    }
}

#[test]
fn words_mean_the_ends_of_two_levels_and_nothing_on_more() {
    assert_eq!(level("yes", &scale("1,2")), Some(1));
    let refused = parse_label("yes", &scale("1..5"));
    assert_eq!(
        refused,
        Err(LabelError::WordOnLevels {
            word: "yes".into(),
            levels: 5
        })
    );
}

#[test]
fn refusals_say_what_to_do() {
    let message = |text: &str| {
        parse_label(text, &Scale::Binary)
            .expect_err("the label is refused")
            .to_string()
    };
    assert_eq!(
        message("3"),
        "label `3` is not on the scale, which is 0 or 1 here; if the labels are graded, declare it: --scale 1..5"
    );
    for word in ["NaN", "null", "None"] {
        assert_eq!(
            message(word),
            format!(
                "label `{word}` does not say why there is no label; leave the cell empty and give a status, such as refused or failed"
            )
        );
    }
    assert_eq!(
        message("present"),
        "label `present` is not understood; use a number of the scale, or one of: yes/no, y/n, met/not met, met/not_met, \
         met/unmet, pass/fail, true/false, wahr/falsch, vrai/faux, n/a, na, not applicable, not_applicable, cannot assess, \
         cannot_assess, unclear, skipped, refused, unparsable"
    );
    for word in ["inf", "infinity", "0x1", "1,0", "failed", "yes no"] {
        assert!(
            matches!(parse_label(word, &Scale::Binary), Err(LabelError::Unknown { .. })),
            "{word}"
        );
    }
    // Hostile cells: neither their length nor their escapes reach the message.
    assert!(message(&"x".repeat(10_000)).len() < 400);
    assert!(message("a\u{202e}\u{1b}[31m").contains("`a\\u{202e}\\u{1b}[31m`"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), levels in 2u8..9) {
        let scale = scale(&format!("1..{levels}"));
        if let Ok(ParsedLabel::Level(level)) = parse_label(&text, &scale) {
            prop_assert!(level < levels);
        }
    }

    #[test]
    fn every_value_of_a_scale_reads_back(levels in 2u8..9) {
        let scale = scale(&format!("1..{levels}"));
        for level in 0..levels {
            let text = scale.value(level).to_string();
            prop_assert_eq!(parse_label(&text, &scale), Ok(ParsedLabel::Level(level)));
        }
    }
}
