use serde_json::json;

use super::*;

fn places(found: &Diagnostics) -> Vec<(u32, u32, &'static str)> {
    found
        .iter()
        .map(|d| d.span.as_ref().map_or((0, 0, d.id), |s| (s.line, s.column, d.id)))
        .collect()
}

#[test]
fn a_row_is_read_as_it_is() {
    let text = json!({
        "prompt": [{"role": "user", "content": "Can I mix A and B?"}],
        "prompt_id": "p1",
        "rubrics": [
            {"criterion": "Names the interaction", "points": 5, "tags": ["axis:accuracy"]},
            {"criterion": "States a wrong dose", "points": -7.5, "tags": []},
            {"criterion": "Names the interaction", "points": 2, "tags": []},
        ],
        "example_tags": ["theme:hedging", "physician_agreed_category:any"],
        "ideal_completions_data": {
            "ideal_completion": " Ask first. ",
            "ideal_completions_group": "Group 2",
            "ideal_completions_ref_completions": ["a", "b"],
        },
        "canary": "x",
        "note": 1,
    })
    .to_string();
    let (row, found) = read_row(&text, 1, "f");
    assert!(found.is_empty(), "{found:?}");
    let row = row.expect("the row is right");
    assert_eq!(
        (row.query.query.as_str(), row.query.domain.as_deref()),
        ("p1", Some("hedging"))
    );
    assert_eq!(row.query.tags.len(), 2, "the theme stays a tag");
    let items: Vec<_> = row
        .items
        .iter()
        .map(|i| (i.criterion.id.as_str(), i.criterion.weight))
        .collect();
    assert_eq!(items, [("c01", 5.0), ("c02", -7.5), ("c03", 2.0)]);
    assert!(
        row.items
            .iter()
            .all(|item| item.criterion.query.as_deref() == Some("p1"))
    );
    let ideal = row.ideal.expect("it has ideal completions");
    assert_eq!(
        (ideal.completion.as_deref(), ideal.references.len()),
        (Some(" Ask first. "), 2)
    );
    assert_eq!(row.unused, ["note"]);
    assert_eq!(row.answer, None);
}

#[test]
fn every_mistake_of_a_row_has_its_place() {
    let rows = [
        (
            r#"{"prompt": [], "prompt_id": "p", "rubrics": [{"criterion": "x", "points": "5"}]}"#,
            (3, 75, "wrong-type"),
        ),
        (
            r#"{"prompt": [], "prompt_id": "p", "rubrics": [{"criterion": "x"}]}"#,
            (3, 46, "missing-key"),
        ),
        (
            r#"{"prompt": [], "prompt_id": "p", "rubrics": [{"criterion": "x", "points": NaN}]}"#,
            (3, 75, "weight-not-finite"),
        ),
        (
            r#"{"prompt": [], "prompt_id": "p", "rubrics": 7}"#,
            (3, 45, "wrong-type"),
        ),
        (
            r#"{"prompt": [], "prompt_id": "", "rubrics": []}"#,
            (3, 16, "missing-key"),
        ),
        (r#"{"prompt_id": "p", "rubrics": []}"#, (3, 1, "missing-key")),
        (
            r#"{"prompt": [], "prompt_id": "p", "rubric_items": []}"#,
            (3, 1, "missing-key"),
        ),
        (
            r#"{"prompt": ["x"], "prompt_id": "p", "rubrics": []}"#,
            (3, 13, "wrong-type"),
        ),
        (r#"{"prompt": [], "prompt_id": "p"}"#, (3, 1, "missing-key")),
        (r#"["prompt"]"#, (3, 1, "wrong-type")),
    ];
    for (text, expected) in rows {
        let (row, found) = read_row(text, 3, "f");
        assert_eq!(row, None, "{text}");
        assert_eq!(places(&found), [expected], "{text}");
    }
}

#[test]
fn zero_points_are_kept_and_mentioned() {
    let text = r#"{"prompt": "Hi", "prompt_id": "p", "rubrics": [{"criterion": "x", "points": 0}]}"#;
    let (row, found) = read_row(text, 1, "f");
    assert_eq!(row.expect("a warning is no error").items[0].criterion.weight, 0.0);
    assert_eq!(found.iter().map(|d| d.id).collect::<Vec<_>>(), ["zero-weight"]);
}

#[test]
fn labels_of_physicians_go_with_their_ids() {
    let text = r#"{"prompt": [], "completion": "a", "rubric": "Is it short?", "binary_labels": [true, false], "anonymized_physician_ids": ["d1", 7], "category": "x"}"#;
    let (row, found) = read_meta_row(text, 1, "f");
    assert!(found.is_empty(), "{found:?}");
    let row = row.expect("the row is right");
    assert_eq!(row.labels, [("d1".to_owned(), true), ("7".to_owned(), false)]);
    let text = r#"{"prompt": [], "completion": "a", "rubric": "x", "binary_labels": [true, false], "anonymized_physician_ids": ["d1"]}"#;
    let (row, found) = read_meta_row(text, 9, "f");
    assert_eq!(row, None);
    let column = text.find("[\"d1\"]").expect("the ids stand there") as u32 + 1;
    assert_eq!(places(&found), [(9, column, "unequal-lengths")]);
    let text =
        r#"{"prompt": [], "completion": "a", "rubric": "x", "binary_labels": [1], "anonymized_physician_ids": ["d1"]}"#;
    assert_eq!(read_meta_row(text, 1, "f").0, None, "1 is not true");
}
