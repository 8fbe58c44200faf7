//! Rubrics that are right: what is read, what is printed, what a hash depends on.

#![expect(clippy::disallowed_methods, reason = "tests read their fixtures and the environment")]

use std::collections::BTreeMap;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use calibrant_schema::roll_up::{RollUp, RollUpRule};
use calibrant_schema::rubric::{Date, Ruling, Violation, WhenNotApplicable};
use calibrant_schema::scale::Level;
use calibrant_schema::{Criterion, Rubric, Scale};
use proptest::prelude::*;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn good(name: &str) -> String {
    let path = repository().join("testdata/rubrics/good").join(name);
    fs::read_to_string(path).expect("the fixture is there")
}

/// A rubric that must be read without a warning.
fn read(text: &str, file: &str) -> Rubric {
    match Rubric::parse(text, file) {
        Ok((rubric, found)) if found.is_empty() => rubric,
        Ok((_, found)) | Err(found) => panic!("{}", found.render(Some(text))),
    }
}

/// The rubric without its lines, which depend on layout.
fn unplaced(mut rubric: Rubric) -> Rubric {
    rubric.criteria.iter_mut().for_each(|criterion| criterion.line = 0);
    rubric
}

fn date(text: &str) -> Date {
    text.parse().expect("a day of the calendar")
}

#[test]
fn the_bare_form_is_read() {
    let rubric = read(&good("bare.yaml"), "bare.yaml");
    assert_eq!((rubric.name, rubric.version, rubric.roll_up), (None, None, None));
    let [first, second] = rubric.criteria.as_slice() else {
        panic!("two criteria")
    };
    assert_eq!((first.id.as_str(), first.line), ("states_the_deadline", 2));
    assert_eq!(
        first.question,
        "Does the reply state the last day on which the tax return can be filed, as a calendar date?"
    );
    assert_eq!(
        first.pass_example.as_deref(),
        Some("\"You have until 31 July 2026 to file.\"")
    );
    assert_eq!((second.id.as_str(), second.line), ("names_the_form", 14));
    assert_eq!(
        (second.weight, second.gate, second.na),
        (1.0, false, WhenNotApplicable::Skip)
    );
}

#[test]
fn every_key_is_read() {
    let rubric = read(&good("full.yaml"), "full.yaml");
    assert_eq!((rubric.name.as_deref(), rubric.version), (Some("tax-letters"), Some(2)));
    let mandatory = vec!["states_the_deadline".to_owned(), "no_invented_rule".to_owned()];
    assert_eq!(
        rubric.roll_up,
        Some(RollUp {
            rule: RollUpRule::Mandatory(mandatory.clone()),
            reason: Some("agreed with the tax desk".into()),
            date: Some(date("2026-05-02")),
        })
    );
    assert_eq!(
        rubric.violations,
        [Violation {
            id: "missed_deadline".into(),
            loss: 10.0,
            detected_by: mandatory
        }]
    );
    let expected = [
        Criterion {
            pass_example: Some("You have until 31 July 2026 to file.".into()),
            fail_example: Some("You still have a few weeks to file.".into()),
            boundary: Some("A date without the year is a PASS if the year is clear from the letter.".into()),
            rulings: vec![Ruling {
                date: date("2026-05-09"),
                text: "A date without the year is a PASS if the letter gives the year.".into(),
                from: Some("d-17".into()),
            }],
            weight: 4.0,
            weight_owner: Some("tax desk".into()),
            weight_date: Some(date("2026-05-02")),
            gate: true,
            tags: vec!["actionability".into(), "objective".into()],
            na: WhenNotApplicable::Pass,
            line: 6,
            ..Criterion::new(
                "states_the_deadline",
                "Does the reply state the last day for filing, as a calendar date?",
            )
        },
        Criterion {
            boundary: Some("A rule with the wrong paragraph number is a rule that does not exist.".into()),
            weight: -2.5,
            tags: vec!["violation:critical".into()],
            line: 21,
            ..Criterion::new("no_invented_rule", "Does the reply cite a rule that does not exist?")
        },
        Criterion {
            scale: Scale::Levels(vec![
                Level {
                    value: 0.0,
                    anchor: Some("no order can be seen".into()),
                },
                Level {
                    value: 1.0,
                    anchor: Some("an order, with a step out of place".into()),
                },
                Level {
                    value: 3.0,
                    anchor: Some("every step follows from the one before".into()),
                },
            ]),
            harm: Some("A reader who files before paying is fined.".into()),
            allow: [("compound".to_owned(), "both halves are one act".to_owned())].into(),
            line: 27,
            ..Criterion::new("00123", "How well does the reply order the steps?")
        },
        Criterion {
            monitor: true,
            na: WhenNotApplicable::Fail,
            check: Some(serde_json::json!({"max_words": 200})),
            line: 37,
            ..Criterion::new("no", "Does the reply keep to 200 words?")
        },
        Criterion {
            query: Some("q-17".into()),
            line: 43,
            ..Criterion::new(
                "answers_the_extension",
                "Does the reply say that an extension is possible?",
            )
        },
    ];
    assert_eq!(rubric.criteria, expected);
}

#[test]
fn ids_stay_text() {
    // YAML 1.1 readers turn these into a float, a boolean, octal, sexagesimal and a date.
    let ids = [
        "1E5",
        "no",
        "00123",
        "1:30",
        "2026-05-02",
        "~a",
        "0x1F",
        "True",
        "1_000",
        ".5",
    ];
    let list: String = ids
        .iter()
        .map(|id| format!("  - id: {id}\n    question: Is it there?\n"))
        .collect();
    let rubric = read(&format!("criteria:\n{list}"), "ids.yaml");
    assert_eq!(
        rubric
            .criteria
            .iter()
            .map(|criterion| criterion.id.as_str())
            .collect::<Vec<_>>(),
        ids
    );
}

#[test]
fn the_rubric_printed_in_the_source_is_read() {
    let root = repository();
    let seeds = std::env::var_os("CALIBRANT_SEEDS").map_or_else(|| root.join("../shared/seeds"), PathBuf::from);
    let Some(source) = document_with(&seeds, "names_the_setting") else {
        return skip("the source documents are not there: the rubric printed in one of them is not read");
    };
    let text = printed_rubric(&source);
    let rubric = read(&text, "source.yaml");
    let ids: Vec<&str> = rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
    assert_eq!(
        ids,
        ["names_the_setting", "states_the_limitation", "no_invented_navigation"]
    );
    for criterion in &rubric.criteria {
        let texts = [&criterion.pass_example, &criterion.fail_example, &criterion.boundary];
        assert!(texts.iter().all(|text| text.is_some()), "{} is not whole", criterion.id);
    }
}

/// The text of the first file of a folder that holds a word.
fn document_with(folder: &Path, word: &str) -> Option<String> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .find(|text| text.contains(word))
}

/// From the line `criteria:` to the next line that is neither blank nor indented.
fn printed_rubric(document: &str) -> String {
    let lines = document.lines().skip_while(|line| line.trim_end() != "criteria:");
    let inside = |(index, line): &(usize, &str)| *index == 0 || line.is_empty() || line.starts_with(' ');
    lines
        .enumerate()
        .take_while(inside)
        .map(|(_, line)| format!("{line}\n"))
        .collect()
}

/// Notes that a test had nothing to test, where the runner counts it; with `CALIBRANT_REQUIRE_DATA=1` that is a failure.
fn skip(reason: &str) {
    assert!(
        std::env::var_os("CALIBRANT_REQUIRE_DATA").is_none_or(|value| value != "1"),
        "{reason}"
    );
    if let Some(log) = std::env::var_os("CALIBRANT_SKIP_LOG") {
        let file = fs::OpenOptions::new().create(true).append(true).open(log);
        writeln!(file.expect("the skip log opens"), "{reason}").expect("the skip log is written");
    }
}

#[test]
fn the_reference_tells_the_truth() {
    let docs = fs::read_to_string(repository().join("docs/rubric.md")).expect("the reference is there");
    let block = |language: &str| -> String {
        let from = docs
            .split_once(&format!("```{language}\n"))
            .expect("the block begins")
            .1;
        from.split_once("```").expect("the block ends").0.to_owned()
    };
    assert_eq!(read(&block("yaml"), "docs.yaml").criteria.len(), 1);
    assert_eq!(read(&block("json"), "docs.jsonl").criteria.len(), 1);
    let text = "criteria: [{id: a, question: Is it there?, x: 1}]";
    let found = Rubric::parse(text, "a.yaml")
        .expect_err("there is no such key")
        .render(None);
    let keys = found.split_once("known here: ").expect("the keys are listed").1;
    let keys = keys.split_once('\n').expect("the list ends").0;
    assert_eq!(keys.split(", ").count(), 18);
    for key in keys.split(", ") {
        assert!(
            docs.contains(&format!("| `{key}` |")),
            "docs/rubric.md lacks the key `{key}`"
        );
    }
}

#[test]
fn pools_are_read_from_rows() {
    let rubric = read(&good("pool.jsonl"), "pool.jsonl");
    let rows: Vec<_> = rubric
        .criteria
        .iter()
        .map(|c| (c.query.as_deref().unwrap_or("-"), c.question.as_str(), c.weight, c.line))
        .collect();
    assert_eq!(
        rows,
        [
            ("q-1", "Names the form by its number", 5.0, 1),
            ("q-1", "Does the reply invent a rule?", -3.0, 2),
            ("q-2", "Says that an extension is possible", 7.0, 4),
            ("q-2", "States a wrong deadline", -8.0, 4),
        ]
    );
    assert_eq!(
        (rubric.criteria[0].id.as_str(), rubric.criteria[1].id.as_str()),
        ("c-1", "c-2")
    );
    // An id that is not given comes from the text, so it is the same in every file.
    let hash = Criterion::new("", "States a wrong deadline").card().hash();
    assert_eq!(rubric.criteria[3].id, format!("c-{}", &hash.to_string()[..12]));
}

#[test]
fn rows_report_what_is_wrong_with_them() {
    let text = concat!(
        "{\"query\": \"q\", \"id\": \"c\", \"question\": \"Is it there?\", \"wieght\": 2}\n",
        "{\"query\": \"q\", \"id\": \"c\", \"question\": \"Is it here?\"}\n",
        "{\"query\": \"r\", \"id\": \"c\", \"question\": \"Is it here?\", \"weight\": NaN}\n",
        "{\"query\": \"r\", \"id\": \"d\"\n",
        "[1]\n",
    );
    let found = Rubric::parse(text, "pool.jsonl").expect_err("four rows are wrong");
    let ids: Vec<(u32, &str)> = found
        .iter()
        .map(|d| (d.span.as_ref().map_or(0, |s| s.line), d.id))
        .collect();
    assert_eq!(
        ids,
        [
            (1, "unused-key"),
            (2, "duplicate-id"),
            (3, "weight-not-finite"),
            (4, "syntax"),
            (5, "wrong-type")
        ]
    );
}

#[test]
fn a_query_without_a_positive_weight_is_warned_about() {
    let text = concat!(
        "{\"query\": \"q\", \"id\": \"c\", \"question\": \"Is it there?\"}\n",
        "{\"query\": \"r\", \"id\": \"c\", \"question\": \"Is it wrong?\", \"weight\": -1}\n",
    );
    let (_, found) = Rubric::parse(text, "pool.jsonl").expect("the pool has a positive weight");
    let ids: Vec<&str> = found.iter().map(|diagnostic| diagnostic.id).collect();
    // The weights of different queries never meet, so 1 and -1 do not cancel.
    assert_eq!(ids, ["query-without-weight"]);
}

#[test]
fn one_id_on_two_queries_is_two_criteria() {
    let text =
        "criteria:\n  - {id: a, query: q, question: Is it there?}\n  - {id: a, query: r, question: Is it there?}\n";
    assert_eq!(read(text, "two.yaml").criteria.len(), 2);
}

#[test]
fn json_is_the_same_rubric() {
    let yaml = read(&good("full.yaml"), "full.yaml");
    let json = serde_json::to_string_pretty(&yaml).expect("a rubric is JSON");
    let again = read(&json, "full.json");
    assert_eq!(unplaced(again.clone()), unplaced(yaml.clone()));
    assert_eq!(again.hash(), yaml.hash());
    for criterion in &yaml.criteria {
        let entry = serde_json::to_value(criterion).expect("a criterion is JSON");
        let back = Criterion::from_json(&entry).expect("what was written is read");
        assert_eq!(
            back,
            Criterion {
                line: 0,
                ..criterion.clone()
            }
        );
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let deep = 100_000;
    for (text, file) in [
        ("[".repeat(deep), "a.yaml"),
        ("{a: ".repeat(deep), "a.yaml"),
        ("- ".repeat(deep), "a.yaml"),
        ("[".repeat(deep), "a.json"),
        ("{\"a\":".repeat(deep), "a.jsonl"),
    ] {
        let found = Rubric::parse(&text, file).expect_err("it nests too deeply");
        assert_eq!(
            found.iter().map(|diagnostic| diagnostic.id).collect::<Vec<_>>(),
            ["syntax"],
            "{file}"
        );
        assert!(
            found.render(Some(&text)).len() < 1_000,
            "the line is cut around its mark"
        );
    }
}

#[test]
fn layout_is_not_hashed_and_content_is() {
    let folded = "criteria:\n  - id: a\n    question: >\n      Is it\n      there?\n";
    let flowed = "# a comment\ncriteria: [{question: Is it there?, id: a}]\r\n";
    let heavier = "criteria: [{id: a, question: Is it there?, weight: 2}]";
    let reworded = "criteria: [{id: a, question: Is it here?}]";
    let [folded, flowed, heavier, reworded] = [folded, flowed, heavier, reworded].map(|text| read(text, "a.yaml"));
    assert_eq!(folded.hash(), flowed.hash());
    assert_ne!(folded.hash(), heavier.hash());
    let card = |rubric: &Rubric| rubric.criteria[0].card().hash();
    // A weight is not on the card: changing it asks no judge again.
    assert_eq!(card(&folded), card(&heavier));
    assert_ne!(card(&folded), card(&reworded));
}

/// Text of every kind of character, as it is after reading: no white space at the end, line ends as LF.
fn text() -> impl Strategy<Value = String> {
    let any = proptest::collection::vec(any::<char>(), 1..40).prop_map(String::from_iter);
    let words = "[A-Za-z#:'\"%@&*!|>{}\\[\\]?,-]{1,12}( [a-z#:'\"{}\\[\\],-]{1,12}){0,30}";
    let lines = "[ a-z#:-]{1,20}(\n[ \ta-z#:-]{0,20}){0,4}";
    prop_oneof![any, words, lines].prop_filter_map("not empty", |text| {
        let text = calibrant_schema::canonical::canonical_text(&text);
        (!text.is_empty()).then_some(text)
    })
}

fn id() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just("null".to_owned()),
        Just("~".to_owned()),
        Just("1E5".to_owned()),
        Just("- a: b".to_owned()),
        Just("\u{fffe}".to_owned())
    ];
    prop_oneof!["[a-z_][a-z0-9_.-]{0,10}", text(), odd].prop_filter_map("one line", |id| {
        let id: String = id.trim().chars().filter(|c| !c.is_control()).collect();
        let id = id.trim().to_owned();
        (!id.is_empty()).then_some(id)
    })
}

fn scale() -> impl Strategy<Value = Scale> {
    let levels = proptest::collection::vec((0.01..100.0f64, proptest::option::of(text())), 2..5);
    let levels = levels.prop_map(|steps| {
        let mut value = -50.0;
        let up = |(step, anchor)| {
            value += step;
            Level { value, anchor }
        };
        Scale::levels(steps.into_iter().map(up).collect()).expect("each level is above the one before")
    });
    prop_oneof![Just(Scale::Binary), levels]
}

fn check() -> impl Strategy<Value = serde_json::Value> {
    let schema = serde_json::json!({"type": "object", "required": ["a: b"], "maxProperties": 3, "minimum": 0.5});
    prop_oneof![
        text().prop_map(|text| serde_json::json!({"contains": text})),
        proptest::collection::vec(text(), 1..4).prop_map(|texts| serde_json::json!({"contains": texts})),
        (1u32..).prop_map(|words| serde_json::json!({"max_words": words})),
        Just(serde_json::json!({"json_schema": schema})),
    ]
}

prop_compose! {
    fn criterion()(
        id in id(), question in text(),
        texts in proptest::collection::vec(proptest::option::of(text()), 5),
        query in proptest::option::of(id()),
        weight in prop_oneof![Just(1.0), 0.001..1e6f64, -5.0..-0.1f64],
        (gate, monitor) in prop_oneof![Just((false, false)), Just((true, false)), Just((false, true))],
        scale in scale(),
        tags in proptest::collection::vec(text(), 0..3),
        na in prop_oneof![Just(WhenNotApplicable::Pass), Just(WhenNotApplicable::Fail), Just(WhenNotApplicable::Skip)],
        allow in proptest::collection::btree_map(text(), text(), 0..3),
        check in proptest::option::of(check()),
        ruling in proptest::option::of((text(), proptest::option::of(text()))),
        day in proptest::option::of((1u16..=9999, 1u8..=12, 1u8..=28)),
    ) -> Criterion {
        let day = day.and_then(|(year, month, day)| Date::new(year, month, day));
        let [pass_example, fail_example, boundary, weight_owner, harm] = texts.try_into().expect("five texts");
        let rulings = ruling.map(|(text, from)| Ruling { date: day.unwrap_or_else(|| date("2026-05-02")), text, from });
        Criterion {
            id, question, pass_example, fail_example, boundary, query, weight, weight_owner, weight_date: day, gate,
            monitor, scale, tags, na, harm, allow, check, rulings: rulings.into_iter().collect(), line: 0,
        }
    }
}

prop_compose! {
    fn rubric()(
        criteria in proptest::collection::vec(criterion(), 1..5),
        name in proptest::option::of(text()),
        version in proptest::option::of(any::<u32>()),
        reason in proptest::option::of(text()),
        rule in 0..5,
    ) -> Rubric {
        let mut criteria = criteria;
        // One that counts, so that the rubric has a score, and ids that differ.
        criteria.push(Criterion::new("always_there", "Is it there?"));
        criteria.sort_by(|a, b| (&a.id, &a.query).cmp(&(&b.id, &b.query)));
        criteria.dedup_by(|a, b| (&a.id, &a.query) == (&b.id, &b.query));
        // One id has one scale, whatever the query.
        for at in 1..criteria.len() {
            if criteria[at].id == criteria[at - 1].id {
                criteria[at].scale = criteria[at - 1].scale.clone();
            }
        }
        let named = vec!["always_there".to_owned()];
        let rule = match rule {
            0 => None,
            1 => Some(RollUpRule::All),
            2 => Some(RollUpRule::AtLeast(1)),
            3 => Some(RollUpRule::Weighted),
            _ => Some(RollUpRule::Mandatory(named.clone())),
        };
        let roll_up = rule.map(|rule| RollUp { rule, reason, date: Some(date("2024-02-29")) });
        let violations = vec![Violation { id: "v: 1".into(), loss: 0.1, detected_by: named }];
        let allow = BTreeMap::from([("no-negative".to_owned(), "faults: counted elsewhere".to_owned())]);
        Rubric { name, version, roll_up, criteria, violations, allow }
    }
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(rubric in rubric()) {
        let yaml = rubric.to_yaml();
        let (again, _) = Rubric::parse_yaml(&yaml, "printed.yaml")
            .unwrap_or_else(|found| panic!("{yaml}\n{}", found.render(Some(&yaml))));
        prop_assert_eq!(unplaced(again.clone()), rubric.clone(), "{}", yaml);
        prop_assert_eq!(again.hash(), rubric.hash());
        let json = serde_json::to_string(&rubric).expect("a rubric is JSON");
        let (again, _) = Rubric::parse_json(&json, "printed.json")
            .unwrap_or_else(|found| panic!("{json}\n{}", found.render(Some(&json))));
        prop_assert_eq!(unplaced(again), rubric);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..(1 << 16))) {
        read_or_refuse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces_of_a_rubric_are_read_or_refused(pieces in proptest::collection::vec(piece(), 0..60)) {
        read_or_refuse(&pieces.concat());
    }
}

/// What rubrics are made of, in any order, to get past the first character.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "criteria:\n",
        "  - ",
        "id: a\n",
        "    ",
        "question: q\n",
        "weight: ",
        "-1\n",
        ".nan\n",
        "scale: ",
        "{levels: ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "value: 1",
        "roll_up: ",
        "at_least: 2",
        "mandatory: ",
        "\"",
        "'",
        ">\n",
        "|\n",
        "&a ",
        "*a",
        "\t",
        "\n",
        "!!str ",
        "---\n",
        "\u{202e}",
        "check: ",
        "regex: x",
        "rulings:\n",
        "date: 2026-05-02",
        "null",
        ": ",
        "# x\n",
        "violations: ",
        "loss: 1",
        "detected_by: ",
        "na: pass\n",
        "tags: ",
        "? ",
        "<<: ",
        "\r\n",
        "\u{feff}",
        "rubrics",
        ":",
    ];
    let words: Vec<String> = fixed.iter().map(|&text| text.to_owned()).collect();
    proptest::sample::select(words)
}

/// Reads a text in all three notations; a panic is the failure, and what is refused must be renderable.
fn read_or_refuse(text: &str) {
    for file in ["a.yaml", "a.json", "a.jsonl"] {
        match Rubric::parse(text, file) {
            Ok((rubric, _)) => assert!(!rubric.criteria.is_empty(), "a rubric without criteria was read"),
            Err(found) => assert!(found.has_errors() && found.render(Some(text)).contains("help: ")),
        }
    }
}

#[test]
fn a_pool_row_of_every_query_is_shared_and_a_repeated_row_is_taken_once() {
    let text = concat!(
        "{\"criterion_id\": \"factual\", \"prompt_id\": \"*\", \"text\": \"Is every claim supported?\"}\n",
        "{\"criterion_id\": \"c1\", \"prompt_id\": \"q1\", \"text\": \"Does it name the dose?\", \"tags\": [\"a\"]}\n",
        "{\"criterion_id\": \"c1\", \"prompt_id\": \"q1\", \"text\": \"Does it name the dose?\", \"tags\": [\"b\"]}\n",
        "{\"criterion_id\": \"c1\", \"prompt_id\": \"q2\", \"text\": \"Does it name the dose?\"}\n",
    );
    let (rubric, warnings) = Rubric::parse_rows(text, "pool.jsonl").expect("a pool");
    let keys: Vec<(&str, Option<&str>)> = rubric
        .criteria
        .iter()
        .map(|criterion| (criterion.id.as_str(), criterion.query.as_deref()))
        .collect();
    assert_eq!(keys, [("factual", None), ("c1", Some("q1")), ("c1", Some("q2"))]);
    let ids: Vec<&str> = warnings.iter().map(|warning| warning.id).collect();
    assert_eq!(ids, ["repeated-row"]);
}

#[test]
fn rows_that_give_one_id_two_meanings_are_refused() {
    let text = concat!(
        "{\"id\": \"c1\", \"query\": \"q1\", \"question\": \"Does it name the dose?\"}\n",
        "{\"id\": \"c1\", \"query\": \"q1\", \"question\": \"Does it name the drug?\"}\n",
    );
    let mistakes = Rubric::parse_rows(text, "pool.jsonl").expect_err("one id, two questions");
    assert_eq!(
        mistakes.iter().map(|mistake| mistake.id).collect::<Vec<_>>(),
        ["duplicate-id"]
    );
}

#[test]
fn one_text_with_two_weights_is_two_criteria_where_the_pool_gives_no_ids() {
    let text = r#"{"prompt_id": "q1", "rubrics": [{"criterion": "Names the dose.", "points": 9}, {"criterion": "Names the dose.", "points": -8}]}"#;
    let (rubric, _) = Rubric::parse_rows(text, "pool.jsonl").expect("a pool");
    let first = rubric.criteria[0].id.clone();
    let weights: Vec<(&str, f64)> = rubric
        .criteria
        .iter()
        .map(|criterion| (criterion.id.as_str(), criterion.weight))
        .collect();
    assert_eq!(weights, [(first.as_str(), 9.0), (format!("{first}-2").as_str(), -8.0)]);
}

#[test]
fn a_weight_without_a_value_is_not_given() {
    let text = "criteria:\n  - id: a\n    question: Is it?\n    weight:\n  - id: b\n    question: Is it?\n";
    let (rubric, _) = Rubric::parse(text, "r.yaml").expect("both criteria are right");
    assert_eq!(rubric.criteria[0].weight, rubric.criteria[1].weight);
}
