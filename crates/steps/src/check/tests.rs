use serde_json::json;

use super::*;

fn check(check: Value) -> Result<Check, CheckError> {
    let mut criterion = Criterion::new("c", "Is it so?");
    criterion.check = Some(check);
    Check::of(&criterion).map(|check| check.expect("the criterion has a check"))
}

fn holds(argument: Value, text: &str) -> bool {
    check(argument).expect("the check is sound").holds(text)
}

#[test]
fn texts_are_looked_for_as_written() {
    assert!(holds(json!({"contains": "form 27-B"}), "Use form 27-B."));
    assert!(!holds(json!({"contains": "form 27-B"}), "Use Form 27-b."));
    assert!(holds(json!({"contains": ["one", "two"]}), "two and one"));
    assert!(!holds(json!({"contains": ["one", "two"]}), "two and three"));
    assert!(holds(json!({"starts_with": "Dear"}), "\n  Dear Ms Li,"));
    assert!(!holds(json!({"starts_with": "Dear"}), "Oh dear"));
    assert!(holds(json!({"ends_with": "Regards."}), "So long. Regards.\n"));
    assert!(!holds(json!({"ends_with": "Regards."}), "Regards. PS"));
}

#[test]
fn words_hold_a_letter_or_a_digit() {
    assert_eq!(word_count(""), 0);
    assert_eq!(word_count("a well-known form \u{2013} 27-B, 3.5 mg * ..."), 6);
    assert_eq!(word_count("\u{65e5}\u{672c} \u{8a9e}"), 2);
    assert!(holds(json!({"max_words": 3}), "one two three"));
    assert!(!holds(json!({"max_words": 3}), "one two three four"));
    assert!(holds(json!({"min_words": 3}), "one two three"));
    assert!(!holds(json!({"min_words": 3}), "one two"));
}

#[test]
fn patterns_are_found_anywhere_and_take_linear_time() {
    assert!(holds(json!({"regex": r"\b\d{4}-\d{2}-\d{2}\b"}), "by 2026-07-31"));
    assert!(!holds(json!({"regex": r"^\d+$"}), "by 2026"));
    // Exponential for an engine that backtracks.
    assert!(!holds(
        json!({"regex": "^(a|a|a)*(a|a)*(a+)+$"}),
        &format!("{}b", "a".repeat(50_000))
    ));
}

#[test]
fn patterns_that_cannot_run_so_are_refused() {
    for bad in ["(", r"(?=a)b", r"(a)\1", "(a{1000}){1000}{1000}"] {
        let refused = check(json!({"regex": bad})).expect_err(bad);
        assert!(matches!(refused, CheckError::Pattern(_)), "{bad}: {refused}");
    }
}

#[test]
fn json_stands_alone_or_in_one_fence() {
    let schema =
        json!({"json_schema": {"type": "object", "required": ["dose"], "properties": {"dose": {"type": "number"}}}});
    let check = check(schema).expect("the schema is sound");
    for met in [
        "{\"dose\": 3}",
        " {\"dose\": 3.5, \"unit\": \"mg\"}\n",
        "```json\n{\"dose\": 3}\n```",
        "```\n{\"dose\": 3}```",
    ] {
        assert!(check.holds(met), "{met}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for unmet in [
        "{}",
        "{\"dose\": \"3\"}",
        "Here it is: {\"dose\": 3}",
        "```yaml\n{\"dose\": 3}\n```",
        "```json\n{\"dose\": 3}\n```\nas you asked",
        "```json\n1\n```\n```json\n{\"dose\": 3}\n```",
        "",
        &deep,
    ] {
        assert!(!check.holds(unmet), "{}", &unmet[..unmet.len().min(60)]);
    }
}

#[test]
fn schemas_reach_for_nothing() {
    for (schema, outside) in [
        (
            json!({"$ref": "https://example.org/schema.json"}),
            "https://example.org/schema.json",
        ),
        (
            json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}),
            "file:///etc/passwd",
        ),
        (
            json!({"allOf": [{"$dynamicRef": "other.json#node"}]}),
            "other.json#node",
        ),
    ] {
        let refused = check(json!({"json_schema": schema})).expect_err("it points outside");
        assert_eq!(refused, CheckError::OutsideReference(outside.to_owned()));
    }
    let inside = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}});
    assert!(holds(json!({"json_schema": inside}), "3"));
    let refused = check(json!({"json_schema": {"$schema": "https://example.org/unknown", "type": "object"}}));
    assert!(matches!(refused, Err(CheckError::Schema(_))), "{refused:?}");
    let refused = check(json!({"json_schema": {"type": "objct"}}));
    assert!(matches!(refused, Err(CheckError::Schema(_))), "{refused:?}");
    let refused = check(json!({"json_schema": {"pattern": "(a)\\1"}}));
    assert!(matches!(refused, Err(CheckError::Schema(_))), "{refused:?}");
}

#[test]
fn mistakes_have_their_place() {
    let text = "criteria:\n  - id: a\n    question: Is it there?\n    check: {regex: '(a'}\n";
    let (rubric, _, places) = Rubric::parse_located(text, "a.yaml").expect("the structure is sound");
    let found = mistakes(&rubric, "a.yaml", text, &places);
    let span = found[0].span.as_ref().expect("it has a place");
    assert_eq!(
        (found.len(), found[0].id, span.line, span.column),
        (1, "bad-pattern", 4, 20)
    );
}

#[test]
fn checks_are_asked_of_the_responses_they_are_about() {
    let text = "criteria:\n  - {id: short, question: Is it short?, check: {max_words: 2}}\n  - {id: asked, question: Is it good?}\n  - {id: of_q, query: q2, question: Is it there?, scale: 1..5, check: {contains: x}}\n";
    let (rubric, _) = Rubric::parse(text, "a.yaml").expect("the rubric is sound");
    let response = |query: &str, body: &str| Response {
        system: "s".into(),
        query: query.into(),
        sample: "1".into(),
        body: body.into(),
    };
    let responses = [response("q1", "one two"), response("q2", "one two x")];
    let found = evaluate(&rubric, &responses).expect("the checks are sound");
    let rows: Vec<(usize, usize, f64)> = found.iter().map(|v| (v.criterion, v.response, v.label)).collect();
    assert_eq!(rows, [(0, 0, 1.0), (0, 1, 0.0), (2, 1, 5.0)]);
}
