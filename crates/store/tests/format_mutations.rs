//! Damaged and arbitrary files of promptfoo and lm-eval: a message or rows, never a panic, and only rows that can stand.

use std::path::Path;

use calibrant_store::formats::{Collected, Content, Form, ImportOptions, Input, candidates, is_consistent, read};
use proptest::prelude::*;
use serde_json::{Value, json};

const FILES: [(Form, &str); 8] = [
    (Form::Promptfoo, "promptfoo/plain.json"),
    (Form::Promptfoo, "promptfoo/plain.jsonl"),
    (Form::Promptfoo, "promptfoo/plain.results.yaml"),
    (Form::Promptfoo, "promptfoo/desk.jsonl"),
    (Form::PromptfooConfig, "promptfoo/desk.yaml"),
    (Form::PromptfooConfig, "promptfoo/exported.yaml"),
    (
        Form::LmEval,
        "lm_eval/desk__small/samples_desk_gen_2026-01-02T03-04-05.000000.jsonl",
    ),
    (
        Form::LmEval,
        "lm_eval/desk__small/samples_desk_choice_2026-01-02T03-04-05.000000.jsonl",
    ),
];

fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/formats")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads, and looks at what was handed over and at what was said.
fn read_whole(form: Form, name: &str, bytes: &[u8]) -> (Collected, String) {
    let mut sink = Collected::default();
    let input = Input {
        name: name.to_owned(),
        content: Content::Stream(Box::new(bytes)),
    };
    let said = match read(form, input, &ImportOptions::default(), &mut sink) {
        Ok(report) => format!("{report:?}"),
        Err(error) => {
            let error = error.to_string();
            assert!(error.contains("error") && error.contains("help"), "{error}");
            assert!(!error.chars().any(|c| c.is_control() && c != '\n'), "{error:?}");
            error
        }
    };
    for verdict in &sink.verdicts {
        assert!(is_consistent(verdict), "{verdict:?}");
        assert!(
            verdict.label.is_none_or(|label| label == 0.0 || label == 1.0),
            "{verdict:?}"
        );
        let cell = &verdict.cell;
        for id in [&cell.system, &cell.query, &cell.sample, &cell.criterion, &cell.judge] {
            assert!(!id.trim().is_empty() && !id.chars().any(char::is_control), "{id:?}");
        }
        assert!(cell.repeat > 0);
    }
    for criterion in &sink.criteria {
        assert!(
            !criterion.question.trim().is_empty() && criterion.weight.is_finite(),
            "{criterion:?}"
        );
    }
    (sink, said)
}

/// One change of some bytes.
fn change() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    let pieces = prop::sample::select(vec![
        &b""[..],
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b":",
        b",",
        b"\n",
        b"null",
        b"NaN",
        b"-1",
        b"1e999",
        b"true",
        b"{{x}}",
        b"&a ",
        b"*a",
        b"\xff",
        b"\x00",
        b"\\u0000",
        b"- ",
        b"file://",
        b"assert-set",
    ]);
    (
        any::<prop::sample::Index>(),
        0..24_usize,
        pieces.prop_map(<[u8]>::to_vec),
    )
}

/// Any JSON, with the keys that readers look for.
fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("llm-rubric".to_owned()),
        Just("assert-set".to_owned()),
        Just("{{a}}".to_owned()),
        Just("[1]".to_owned()),
        "\\PC{0,8}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..3_i32).prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        text.prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "provider",
        "prompt",
        "raw",
        "label",
        "id",
        "vars",
        "testCase",
        "assert",
        "type",
        "value",
        "metric",
        "weight",
        "threshold",
        "gradingResult",
        "componentResults",
        "assertion",
        "pass",
        "score",
        "reason",
        "metadata",
        "graderError",
        "response",
        "output",
        "error",
        "options",
        "results",
        "version",
        "prompts",
        "tests",
        "defaultTest",
        "scenarios",
        "config",
        "doc_id",
        "doc",
        "arguments",
        "gen_args_0",
        "arg_0",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "acc",
        "a",
        "$ref",
        "calibrant",
        "query",
    ]);
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_said_or_survived(file in 0..FILES.len(), changes in prop::collection::vec(change(), 1..4), cut in any::<prop::sample::Index>(), whole in any::<bool>()) {
        let (form, name) = FILES[file];
        let mut bytes = bytes(name);
        for (at, length, piece) in changes {
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, piece);
            if bytes.is_empty() { break; }
        }
        if !whole && !bytes.is_empty() {
            let keep = cut.index(bytes.len());
            bytes.truncate(keep);
        }
        let _ = candidates(&bytes);
        prop_assert_eq!(read_whole(form, name, &bytes), read_whole(form, name, &bytes));
    }

    #[test]
    fn any_json_is_said_or_survived(rows in prop::collection::vec(any_json(), 1..4), form in prop::sample::select(vec![Form::Promptfoo, Form::PromptfooConfig, Form::LmEval])) {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        read_whole(form, "m/any.jsonl", text.as_bytes());
        let whole = json!({"version": 3, "results": rows, "tests": rows});
        read_whole(form, "m/any.json", whole.to_string().as_bytes());
    }
}
