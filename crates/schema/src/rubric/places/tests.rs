use super::*;
use crate::rubric::Rubric;

/// The span of `word` in the question of the first criterion, and what stands there in the file.
fn found(text: &str, file: &str, word: &str) -> (u32, u32, String) {
    let (rubric, _, places) = Rubric::parse_located(text, file).expect("the rubric is sound");
    let question = &rubric.criteria[0].question;
    let start = question.find(word).expect("the word is in the question");
    let located = Located::new(file, text, &places);
    let span = located
        .words(0, "question", question, start..start + word.len())
        .expect("the question has a place");
    let line = text.lines().nth(span.line as usize - 1).unwrap_or_default();
    let shown = line
        .chars()
        .skip(span.column as usize - 1)
        .take(span.length as usize)
        .collect();
    (span.line, span.column, shown)
}

#[test]
fn words_are_found_in_every_way_to_write_a_scalar() {
    let cases = [
        ("plain", "question: Does it name the form, and when?", 3),
        (
            "plain on two lines",
            "question: Does it name the\n      form, and when?",
            4,
        ),
        (
            "single quotes",
            "question: 'Does it say ''yes'', name the form, and when?'",
            3,
        ),
        (
            "double quotes",
            "question: \"Does it \\\"say\\\" \\u00e4 name the form, and when?\"",
            3,
        ),
        (
            "escaped line end",
            "question: \"Does it name \\\n      the form, and when?\"",
            4,
        ),
        (
            "folded",
            "question: >\n      Does it name\n      the form, and\n      when?",
            5,
        ),
        (
            "folded, stripped, commented",
            "question: >- # why\n\n      Does it name\n      the form, and\n      when?",
            6,
        ),
        (
            "literal",
            "question: |\n      Does it name:\n        the form, and\n      when?",
            5,
        ),
        ("wide", "question: Is \u{1f600} zürich the form, and when?", 3),
    ];
    for (name, question, line) in cases {
        let text = format!("criteria:\n  - id: a\n    {question}\n    weight: 1\n");
        let (at, _, shown) = found(&text, "a.yaml", "form, and");
        assert_eq!((at, shown.as_str()), (line, "form, and"), "{name}");
    }
}

#[test]
fn words_are_found_in_json_and_json_lines() {
    let text = "{\"criteria\": [\n {\"id\": \"a\", \"question\": \"A \\ud83d\\ude00 \\\"b\\\": the form?\"}]}";
    let (line, column, shown) = found(text, "a.json", "form");
    assert_eq!((line, column, shown.as_str()), (2, 53, "form"));
    let text = "\n{\"prompt_id\": \"q\", \"rubrics\": [{\"criterion\": \"Names the form\", \"points\": 2}]}";
    assert_eq!(found(text, "a.jsonl", "form").0, 2);
    assert_eq!(found(text, "a.jsonl", "form").2, "form");
}

#[test]
fn a_range_over_two_lines_is_shown_on_its_first() {
    let text = "criteria:\n  - id: a\n    question: >\n      Does it name the\n      form?\n";
    assert_eq!(found(text, "a.yaml", "the form"), (4, 20, "the".to_owned()));
}

#[test]
fn behind_an_alias_the_key_stands_for_its_text() {
    let text = "criteria:\n  - {id: a, boundary: &q Is it there?, question: *q}\n";
    assert_eq!(found(text, "a.yaml", "there").2, "question");
}

#[test]
fn rows_that_repeat_an_earlier_one_do_not_move_the_places() {
    let row = "{\"query\": \"q\", \"id\": \"a\", \"question\": \"One?\"}\n";
    let text = format!(
        "{row}{row}{}",
        "{\"query\": \"q\", \"id\": \"b\", \"question\": \"Two?\"}\n"
    );
    let (rubric, _, places) = Rubric::parse_located(&text, "a.jsonl").expect("the pool is sound");
    assert_eq!(rubric.criteria.len(), 2);
    let span = Located::new("a.jsonl", &text, &places)
        .key(1, "question")
        .expect("it has a place");
    assert_eq!(span.line, 3);
}
