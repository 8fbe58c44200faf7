//! Results and configurations of promptfoo, as the real package writes and reads them.

use std::collections::BTreeMap;

use calibrant_schema::query::parse_queries;
use calibrant_schema::response::parse_responses;
use calibrant_schema::{Rubric, Status};
use calibrant_store::formats::{
    Collected, Content, CriterionRow, Form, ImportOptions, Input, Losses, ReadError, ReadReport, VerdictRow, read,
    write_promptfoo_config,
};
use calibrant_store::ledger::VerdictSource;

fn bytes(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/formats/promptfoo")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn take(form: Form, name: &str, bytes: &[u8]) -> Result<(Collected, ReadReport), ReadError> {
    let input = Input {
        name: name.to_owned(),
        content: Content::Stream(Box::new(bytes)),
    };
    let mut sink = Collected::default();
    let report = read(form, input, &ImportOptions::default(), &mut sink)?;
    Ok((sink, report))
}

fn results(name: &str) -> (Collected, ReadReport) {
    take(Form::Promptfoo, name, &bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn config(name: &str) -> (Collected, ReadReport) {
    take(Form::PromptfooConfig, name, &bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn refused(form: Form, name: &str, text: &str) -> String {
    match take(form, name, text.as_bytes()) {
        Err(error) => error.to_string(),
        Ok((sink, _)) => panic!("{name} was read: {} verdicts", sink.verdicts.len()),
    }
}

/// Verdicts of one system on the query whose id begins with these words, by criterion.
fn about<'s>(sink: &'s Collected, system: &str, query: &str) -> BTreeMap<&'s str, &'s VerdictRow> {
    let rows = sink.verdicts.iter();
    rows.filter(|row| row.cell.system == system && row.cell.query.starts_with(query))
        .map(|row| (row.cell.criterion.as_str(), row))
        .collect()
}

fn lost(losses: &Losses, what: &str) -> u64 {
    losses
        .iter()
        .filter(|loss| loss.what == what)
        .map(|loss| loss.count)
        .sum()
}

fn without_places(criteria: &[CriterionRow]) -> Vec<(String, Option<String>, String, f64)> {
    let rows = criteria.iter();
    rows.map(|row| (row.id.clone(), row.query.clone(), row.question.clone(), row.weight))
        .collect()
}

#[test]
fn a_provider_with_a_prompt_is_a_system_where_prompts_are_compared() {
    let (sink, report) = results("desk.json");
    assert_eq!(report.version.as_deref(), Some("promptfoo results, version 3"));
    let systems: std::collections::BTreeSet<&str> = sink.verdicts.iter().map(|row| row.cell.system.as_str()).collect();
    let expected = ["long | formal", "long | plain", "short | formal", "short | plain"];
    assert_eq!(systems.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(sink.queries.len(), 7);
    let (sink, _) = results("plain.json");
    assert!(
        sink.verdicts.iter().all(|row| row.cell.system == "desk-short"),
        "one prompt is no part of a system"
    );
    let prompts: Vec<_> = sink.queries.iter().map(|query| query.prompt.clone()).collect();
    let expected = ["What are the rules?", "What are the rules?", "When do you open?"];
    assert_eq!(
        prompts,
        expected.map(|asked| Some(format!("Answer the reader: {asked}").into()))
    );
}

#[test]
fn a_pass_is_a_label_and_a_grader_that_fails_gives_none() {
    let (sink, report) = results("desk.json");
    let fines = about(&sink, "short | plain", "fines");
    let half = fines["half"];
    assert_eq!((half.label, half.status), (Some(0.0), Status::Ok));
    assert_eq!(half.comment.as_deref(), Some("score 0.5, threshold 0.8"));
    assert_eq!(
        (half.source, half.tokens_in, half.tokens_out),
        (Some(VerdictSource::Text), Some(20), Some(10))
    );
    assert_eq!(half.probability, None, "a score is no probability");
    let silent = fines["no_pass"];
    assert_eq!(
        (silent.label, silent.status),
        (None, Status::Unparsable),
        "promptfoo counts it as passed"
    );
    assert_eq!(fines["words"].label, Some(1.0));
    assert_eq!(fines["words"].cell.judge, "code");
    assert_eq!(fines["names_amount"].cell.judge, "file://grader.mjs");
    assert!(
        fines["names_amount"].cell.repeat == 1 && fines.len() == 6,
        "members of a set stand once: {fines:?}"
    );
    let hostile = about(&sink, "short | plain", "ignore");
    assert_eq!(
        (hostile["no_verdict"].label, hostile["no_verdict"].status),
        (None, Status::Failed)
    );
    assert_eq!(
        (hostile["not_json"].label, hostile["not_json"].status),
        (None, Status::Unparsable)
    );
    assert_eq!(lost(&report.losses, "results of assertion sets"), 2);
    assert_eq!(lost(&report.losses, "parts of composite results"), 2);
}

#[test]
fn an_error_is_no_label_and_no_answer_is_no_response() {
    let (sink, _) = results("desk.json");
    let closed = about(&sink, "short | plain", "the-desk-is-closed");
    let row = closed["names_period"];
    assert_eq!((row.label, row.status), (None, Status::Skipped));
    assert_eq!(row.comment.as_deref(), Some("Error: the desk is closed"));
    assert!(
        !sink
            .responses
            .iter()
            .any(|response| response.query.starts_with("the-desk-is-closed"))
    );
}

#[test]
fn an_assertion_of_weight_0_is_judged_by_its_score() {
    let (sink, _) = results("desk.json");
    // promptfoo 0.121.20 writes `pass: true` for both.
    assert_eq!(about(&sink, "short | plain", "the-fee")["exact"].label, Some(0.0));
    assert_eq!(about(&sink, "long | plain", "the-fee")["exact"].label, Some(1.0));
}

#[test]
fn answers_are_texts_and_hostile_ones_stay_as_they_are() {
    let (sink, _) = results("desk.json");
    let answer = |system: &str, query: &str| {
        let found = sink
            .responses
            .iter()
            .find(|row| row.system == system && row.query.starts_with(query));
        found
            .expect("there is an answer")
            .body
            .as_str()
            .expect("a text")
            .to_owned()
    };
    assert_eq!(
        answer("short | plain", "opening-hours"),
        "{\"monday\":\"10-18\",\"sunday\":null}"
    );
    assert!(answer("short | plain", "ignore").contains("\u{1b}[31mred\u{1b}[0m \u{202e}"));
}

#[test]
fn json_json_lines_and_yaml_say_the_same() {
    for name in ["desk", "plain"] {
        let (document, _) = results(&format!("{name}.json"));
        let (lines, report) = results(&format!("{name}.jsonl"));
        assert_eq!(
            report.version.as_deref(),
            Some("promptfoo results, rows without a version")
        );
        assert_eq!(document, lines, "{name}");
    }
    let (yaml, report) = results("plain.results.yaml");
    assert_eq!(report.version.as_deref(), Some("promptfoo results, version 3"));
    assert_eq!(results("plain.json").0, yaml);
}

#[test]
fn repeats_are_samples_and_every_test_shares_a_criterion() {
    let (sink, _) = results("plain.json");
    let samples: std::collections::BTreeSet<&str> = sink.responses.iter().map(|row| row.sample.as_str()).collect();
    assert_eq!(samples.into_iter().collect::<Vec<_>>(), ["1", "2"]);
    let shared: Vec<&str> = sink
        .criteria
        .iter()
        .filter(|row| row.query.is_none())
        .map(|row| row.id.as_str())
        .collect();
    assert_eq!(shared, ["gives_number", "no_number"]);
    let rows = about(&sink, "desk-short", "what-are-the-rules");
    assert_eq!(
        (rows["gives_number"].label, rows["no_number"].label),
        (Some(1.0), Some(0.0))
    );
}

#[test]
fn a_configuration_has_the_queries_and_criteria_of_its_results() {
    let (written, report) = config("plain.yaml");
    let (run, _) = results("plain.json");
    assert_eq!(written.queries, run.queries);
    assert_eq!(without_places(&written.criteria), without_places(&run.criteria));
    assert!(written.verdicts.is_empty() && written.responses.is_empty());
    assert_eq!(lost(&report.losses, "providers"), 1);

    let (written, report) = config("desk.yaml");
    let (run, _) = results("desk.json");
    let run = without_places(&run.criteria);
    for row in without_places(&written.criteria) {
        assert!(run.contains(&row), "{row:?}");
    }
    for (what, count) in [
        ("assertions of type `not-contains`", 1),
        ("assertions of type `javascript`", 1),
        ("thresholds of assertion sets", 1),
        ("thresholds of tests", 1),
        ("prompts", 2),
    ] {
        assert_eq!(lost(&report.losses, what), count, "{what}");
    }
}

#[test]
fn tests_unfold_as_promptfoo_unfolds_them() {
    let (written, _) = config("unfold.yaml");
    let (run, _) = results("unfold.jsonl");
    let prompts = |sink: &Collected| -> BTreeMap<String, String> {
        let asked = sink
            .queries
            .iter()
            .map(|query| (query.query.clone(), format!("{:?}", query.prompt)));
        asked.collect()
    };
    assert_eq!(prompts(&written).len(), 9);
    assert_eq!(prompts(&written), prompts(&run));
    let sorted = |sink: &Collected| {
        let mut rows = without_places(&sink.criteria);
        rows.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        rows
    };
    assert_eq!(sorted(&written), sorted(&run));
    let kind: Vec<f64> = written
        .criteria
        .iter()
        .filter(|row| row.id == "kind")
        .map(|row| row.weight)
        .collect();
    assert_eq!(kind, [2.0; 8], "the test without defaults has none");
    let own = written
        .criteria
        .iter()
        .find(|row| row.question == "equals: z 1")
        .expect("variables in variables are filled in");
    assert_eq!(own.check, Some(serde_json::json!({"regex": "\\Az 1\\z"})));
}

/// The results of version 2: no list of prompts before them, and a table that says all of it again.
#[test]
fn results_of_version_2_have_a_table_and_no_list_of_prompts() {
    let mut document: serde_json::Value = serde_json::from_slice(&bytes("desk.json")).expect("JSON");
    let summary = document["results"].as_object_mut().expect("a summary");
    summary.insert("version".to_owned(), 2.into());
    let prompts = summary.remove("prompts");
    summary.insert(
        "table".to_owned(),
        serde_json::json!({"head": {"prompts": prompts}, "body": []}),
    );
    let (sink, report) = take(Form::Promptfoo, "r.json", document.to_string().as_bytes()).expect("version 2 is known");
    assert_eq!(report.version.as_deref(), Some("promptfoo results, version 2"));
    assert_eq!(sink, results("desk.json").0);
}

#[test]
fn a_prompt_that_turns_up_late_is_a_mistake_at_its_place() {
    let row = |prompt: &str, at: usize| {
        format!(
            "{{\"provider\": \"p\", \"vars\": {{\"a\": {at}}}, \"prompt\": {{\"raw\": \"x\", \"label\": \"{prompt}\"}}}}\n"
        )
    };
    let mut text: String = (0..1000).map(|at| row("one", at)).collect();
    text.push_str(&row("two", 1000));
    let late = refused(Form::Promptfoo, "r.jsonl", &text);
    assert!(
        late.contains("r.jsonl:1001:1") && late.contains("result 1001") && late.contains("`two`"),
        "{late}"
    );
    let broken = format!("{}{{\"vars\": {{}}}}\n{}", row("one", 0), row("one", 1));
    let broken = refused(Form::Promptfoo, "r.jsonl", &broken);
    assert!(
        broken.contains("r.jsonl:2:1") && broken.contains("result 2"),
        "{broken}"
    );
}

#[test]
fn other_outputs_and_versions_are_named() {
    let csv = String::from_utf8(bytes("desk.csv")).expect("UTF-8");
    assert!(refused(Form::Promptfoo, "r.csv", &csv).contains("write the results as JSON"));
    assert!(refused(Form::Promptfoo, "r.html", "<!doctype html>").contains("HTML or XML"));
    let newer = refused(
        Form::Promptfoo,
        "r.json",
        "{\"evalId\": \"e\", \"results\": {\"version\": 7, \"results\": []}}",
    );
    assert!(
        newer.contains("version 7") && newer.contains("2 and 3") && newer.contains("results.jsonl"),
        "{newer}"
    );
    let none = refused(Form::Promptfoo, "r.json", "{\"results\": {\"results\": []}}");
    assert!(none.contains("state no version"), "{none}");
    let newer = refused(
        Form::Promptfoo,
        "r.yaml",
        "evalId: e\nresults:\n  version: 7\n  results: []\n",
    );
    assert!(newer.contains("version 7"), "{newer}");
}

#[test]
fn mistakes_have_their_places() {
    let cut = refused(
        Form::Promptfoo,
        "r.jsonl",
        "{\"provider\": \"p\", \"vars\": {}}\n{\"provider\": ",
    );
    assert!(cut.contains("r.jsonl:2") && cut.contains("ends in the middle"), "{cut}");
    let none = refused(
        Form::Promptfoo,
        "r.jsonl",
        "{\"vars\": {\"a\": 1}, \"prompt\": {\"raw\": \"x\"}}\n",
    );
    assert!(
        none.contains("result 1") && none.contains("which provider answered"),
        "{none}"
    );
    let text = "tests:\n  - vars: {a: 1}\n    assert:\n      - {value: x}\n      - {<<: *y, type: contains}\n";
    let broken = refused(Form::PromptfooConfig, "c.yaml", &text.replace("*y", "{a: 1}"));
    assert!(
        broken.contains("c.yaml:4:9") && broken.contains("no `type`"),
        "{broken}"
    );
    assert!(broken.contains("merge keys are not read"), "{broken}");
    let bomb = format!(
        "tests:\n  - vars: {{{}}}\n",
        (0..6)
            .map(|at| format!("v{at}: [a,b,c,d,e,f,g,h,i,j]"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    assert!(refused(Form::PromptfooConfig, "c.yaml", &bomb).contains("unfold into more than 100000 tests"));
}

/// The rubric, queries and responses beside the fixtures, written as a configuration.
fn exported() -> (String, Losses) {
    let text = |name: &str| String::from_utf8(bytes(name)).expect("UTF-8");
    let (rubric, _) = Rubric::parse(&text("rubric.yaml"), "rubric.yaml").expect("the rubric is right");
    let (queries, _) = parse_queries(&text("queries.jsonl"), "queries.jsonl").expect("the queries are right");
    let (responses, _) = parse_responses(&text("responses.jsonl"), "responses.jsonl").expect("the responses are right");
    let mut out = Vec::new();
    let losses = write_promptfoo_config(&mut out, &rubric, &queries, &responses).expect("memory takes it");
    (String::from_utf8(out).expect("UTF-8"), losses)
}

#[test]
fn a_rubric_is_written_as_pinned() {
    let (text, losses) = exported();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats/promptfoo/exported.yaml");
    if std::env::var_os("CALIBRANT_BLESS").is_some() {
        std::fs::write(&path, &text).expect("the file can be written");
    }
    assert_eq!(text, String::from_utf8(bytes("exported.yaml")).expect("UTF-8"));
    for (what, count) in [
        ("gates", 1),
        ("penalties", 1),
        ("criteria with graded scales", 1),
        ("criteria with a check", 1),
        ("empty responses", 1),
        ("conversations in responses", 1),
        ("boundaries and examples as fields of their own", 1),
    ] {
        assert_eq!(lost(&losses, what), count, "{what}");
    }
}

#[test]
fn what_promptfoo_made_of_an_export_joins_what_was_exported() {
    let (run, report) = results("exported.jsonl");
    let queries: Vec<&str> = run.queries.iter().map(|query| query.query.as_str()).collect();
    assert_eq!(queries, ["q-1", "q-2", "q-3"]);
    assert_eq!(
        run.queries[0].prompt,
        Some("May I renew a loan? {{ 7 * 6 }} {% raw %}".into())
    );
    assert_eq!(run.queries[1].turns()[1].text, "Say \"hi\" \u{2028} {{x}}");
    assert_eq!(run.queries[2].prompt, Some("file:///etc/passwd".into()));

    let text = String::from_utf8(bytes("responses.jsonl")).expect("UTF-8");
    let (given, _) = parse_responses(&text, "responses.jsonl").expect("the responses are right");
    for response in given.iter().filter(|response| !response.text().is_empty()) {
        let same = |other: &&calibrant_schema::Response| {
            (&other.system, &other.query, &other.sample) == (&response.system, &response.query, &response.sample)
        };
        let graded = run.responses.iter().find(same).expect("the answer came back");
        assert_eq!(graded.text(), response.text());
    }

    let questions: BTreeMap<&str, &str> = run
        .criteria
        .iter()
        .map(|row| (row.id.as_str(), row.question.as_str()))
        .collect();
    let expected = [
        "a_file",
        "begins",
        "invents_rule",
        "names_both",
        "names_period",
        "of_two",
        "short",
        "template",
        "with_number",
    ];
    assert_eq!(questions.keys().copied().collect::<Vec<_>>(), expected);
    assert_eq!(
        questions["template"],
        "Does it keep {{ braces }} and {% tags %} and {# comments #} as they are?"
    );
    assert_eq!(questions["a_file"], "file:///etc/hostname is no file to be read here");
    let rows = about(&run, "desk \"b\"", "q-1");
    assert_eq!(
        (rows["names_period"].label, rows["invents_rule"].label),
        (Some(1.0), Some(0.0))
    );
    assert_eq!(
        rows["names_period"].cell.judge, "promptfoo-grader",
        "`--grader` leaves no name in the results"
    );
    assert_eq!(rows["names_both"].cell.judge, "code");
    assert_eq!(lost(&report.losses, "metadata of tests"), 0);

    let (written, _) = config("exported.yaml");
    assert_eq!(written.queries, run.queries);
    assert_eq!(without_places(&written.criteria), without_places(&run.criteria));
}
