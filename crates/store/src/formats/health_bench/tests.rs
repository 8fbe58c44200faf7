use calibrant_schema::Rubric;
use calibrant_schema::query::{Query, parse_queries};
use proptest::prelude::*;

use super::*;
use crate::formats::{Collected, criterion_line, query_line};

const POOL: &[u8] = include_bytes!("../../../../../testdata/formats/healthbench/pool.jsonl");
const HERON: &[u8] = include_bytes!("../../../../../testdata/formats/healthbench/heron_allresults.json");
const OSPREY: &[u8] = include_bytes!("../../../../../testdata/formats/healthbench/osprey_allresults.json");

fn import_as(text: &[u8], options: &ImportOptions) -> Result<(Collected, ReadReport), ReadError> {
    let mut sink = Collected::default();
    let input = Input {
        name: "file".into(),
        content: Content::Stream(Box::new(text)),
    };
    let report = read(input, options, &mut sink)?;
    Ok((sink, report))
}

fn import(text: &[u8]) -> Result<(Collected, ReadReport), ReadError> {
    import_as(text, &ImportOptions::default())
}

/// The places and ids of the mistakes of a text.
fn mistakes(text: &[u8]) -> Vec<(u32, &'static str)> {
    let Err(ReadError::Findings(findings)) = import(text) else {
        panic!("the text is wrong")
    };
    let place = |finding: &crate::Finding| finding.diagnostic.span.as_ref().map_or(0, |span| span.line);
    findings
        .shown()
        .iter()
        .map(|finding| (place(finding), finding.diagnostic.id))
        .collect()
}

#[test]
fn a_pool_is_criteria_queries_and_ideal_answers() {
    assert!(looks_like(POOL));
    let (found, report) = import(POOL).expect("the pool is right");
    assert_eq!(
        (found.queries.len(), found.criteria.len(), found.verdicts.len()),
        (4, 16, 0)
    );
    let systems: Vec<&str> = found.responses.iter().map(|r| r.system.as_str()).collect();
    assert_eq!(systems, ["ideal", "reference-1", "reference-2", "ideal"]);
    assert_eq!(found.queries[0].domain.as_deref(), Some("diagnosis"));
    assert_eq!(found.criteria[3].weight, -6.0);
    let said = report.taken.join("\n");
    assert!(
        said.contains("criteria with the text of another one of their prompt: 1, first on line 2"),
        "{said}"
    );
    assert!(said.contains("criteria with 0 points: 1, first on line 3"), "{said}");
    let losses: Vec<_> = report.losses.iter().map(|loss| (loss.what, loss.count)).collect();
    assert_eq!(losses, [("groups of ideal completions".to_owned(), 2)]);
}

#[test]
fn results_are_responses_and_verdicts_however_they_are_laid_out() {
    let options = ImportOptions {
        system: Some("heron".into()),
        judge: Some("grader".into()),
        ..ImportOptions::default()
    };
    assert!(looks_like(HERON) && looks_like(OSPREY));
    let (found, report) = import_as(HERON, &options).expect("the results are right");
    assert_eq!(
        (found.queries.len(), found.responses.len(), found.verdicts.len()),
        (4, 8, 32)
    );
    let samples: BTreeMap<&str, u32> = found.responses.iter().fold(BTreeMap::new(), |mut counts, response| {
        *counts.entry(response.sample.as_str()).or_default() += 1;
        counts
    });
    assert_eq!(samples, BTreeMap::from([("1", 4), ("2", 4)]));
    assert!(
        found
            .verdicts
            .iter()
            .all(|v| v.cell.system == "heron" && v.cell.judge == "grader")
    );
    assert_eq!(found.verdicts[0].reason.as_deref(), Some("Place 0 is met."));
    assert!(
        !report.taken.join("\n").contains("completion_id"),
        "the ids are the hashes"
    );
    assert_eq!(report.losses.iter().map(|loss| loss.count).collect::<Vec<_>>(), [8]);

    let (other, report) = import(OSPREY).expect("the results are right");
    assert_eq!(
        (other.criteria.as_slice(), other.verdicts.len()),
        (found.criteria.as_slice(), 16)
    );
    assert!(report.losses.is_empty(), "no tokens are known: {:?}", report.losses);
    assert!(
        other
            .verdicts
            .iter()
            .all(|v| v.cell.system == "file" && v.cell.judge == "unknown-judge")
    );

    // The same as JSON lines.
    let whole: Value = serde_json::from_slice(OSPREY).expect("it is JSON");
    let rows = whole["metadata"]["example_level_metadata"].as_array().expect("a list");
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let (again, _) = import(lines.as_bytes()).expect("the rows are right");
    assert_eq!(again, other);
}

#[test]
fn mistakes_in_results_have_their_lines() {
    let text = String::from_utf8(HERON.to_vec())
        .expect("UTF-8")
        .replacen("\"points\": 7", "\"points\": \"7\"", 1);
    let line = text
        .lines()
        .position(|line| line.contains("\"7\""))
        .expect("it is there") as u32
        + 1;
    assert_eq!(mistakes(text.as_bytes()), [(line, "wrong-type")]);
    assert_eq!(mistakes(b"{\"metrics\": {}, \"metadata\": {}}"), [(0, "empty")]);
    assert_eq!(mistakes(b"{\"metrics\": {},\n \"metadata\": 3}")[0].1, "syntax");
    assert_eq!(mistakes(&HERON[..HERON.len() / 2])[0].1, "syntax");
    assert_eq!(mistakes(b"")[0].1, "syntax");
    assert_eq!(mistakes(b"\x00\xff{"), [(1, "syntax")]);
}

#[test]
fn a_result_that_would_fill_the_memory_is_refused() {
    let text = format!(
        "{{\"metadata\": {{\"example_level_metadata\": [\n{{\"prompt_id\": \"{}",
        "x".repeat(LONGEST_LINE + 2)
    );
    assert_eq!(mistakes(text.as_bytes()), [(2, "syntax")]);
    let nested = format!("{{\"metadata\": {{\"example_level_metadata\": [{}", "[".repeat(100_000));
    assert_eq!(mistakes(nested.as_bytes())[0].1, "syntax");
    let nested = format!("{{\"rubrics\": {}", "[".repeat(100_000));
    assert_eq!(mistakes(nested.as_bytes())[0].1, "syntax");
}

#[test]
fn one_id_is_one_prompt() {
    let row = |text: &str| {
        format!(
            "{{\"prompt\": \"Hi\", \"prompt_id\": \"p\", \"rubrics\": [{{\"criterion\": \"{text}\", \"points\": 1}}]}}\n"
        )
    };
    let twice = row("x") + &row("x");
    let (found, report) = import(twice.as_bytes()).expect("the same twice is once");
    assert_eq!((found.queries.len(), found.criteria.len()), (1, 1));
    assert!(report.taken.join("\n").contains("repeated rows: 1, first on line 2"));
    assert_eq!(mistakes((row("x") + &row("y")).as_bytes()), [(2, "two-prompts")]);
}

#[test]
fn a_label_that_is_missing_is_a_failure_and_never_a_fail() {
    let row = r#"{"prompt": "Hi", "prompt_id": "p", "completion": "x", "completion_id": "0", "rubric_items": [{"criterion": "a", "points": 1, "criteria_met": null}, {"criterion": "b", "points": 1, "criteria_met": false}]}"#;
    let (found, report) = import(row.as_bytes()).expect("the row is right");
    let got: Vec<_> = found.verdicts.iter().map(|v| (v.status, v.label)).collect();
    assert_eq!(got, [(Status::Failed, None), (Status::Ok, Some(0.0))]);
    let said = report.taken.join("\n");
    assert!(
        said.contains("without `criteria_met`: 1") && said.contains("not the hash"),
        "{said}"
    );
}

#[test]
fn what_is_written_reads_back_equal() {
    let (found, _) = import(POOL).expect("the pool is right");
    let text: String = found.criteria.iter().map(|row| criterion_line(row) + "\n").collect();
    let (rubric, _) = Rubric::parse_rows(&text, "criteria.jsonl").expect("rows of ours");
    let text: String = found.queries.iter().map(|row| query_line(row) + "\n").collect();
    let (queries, _) = parse_queries(&text, "queries.jsonl").expect("rows of ours");
    let mut written = Vec::new();
    let losses = write_health_bench(&mut written, &rubric, &queries, &found.responses).expect("memory takes it");
    assert!(losses.is_empty(), "{losses:?}");
    let (again, _) = import(&written).expect("what we write is right");
    assert_eq!(again, found);
}

#[test]
fn ids_that_are_no_places_survive() {
    let yaml = "criteria:\n  - {id: short, question: Is it short?, weight: 2, boundary: Up to 50 words.}\n  - {id: c02, question: Does it lie?, weight: -1}\n";
    let rubric = Rubric::parse(yaml, "rubric.yaml").expect("the rubric is right").0;
    let query = |id: &str| Query {
        query: id.into(),
        prompt: Some(json!([{"role": "user", "content": "Hi"}])),
        task_type: Some("evidence".into()),
        domain: Some("tax".into()),
        tags: vec![],
        weight: 1.0,
        cluster: None,
    };
    let mut written = Vec::new();
    let losses = write_health_bench(&mut written, &rubric, &[query("a"), query("b")], &[]).expect("memory takes it");
    let lost: Vec<(String, u64)> = losses.iter().map(|loss| (loss.what, loss.count)).collect();
    let expected = [
        ("boundaries", 1),
        ("criteria shared by all queries", 2),
        ("domains of queries", 2),
        ("task types of queries", 2),
    ];
    assert_eq!(lost, expected.map(|(what, count)| (what.to_owned(), count)));
    let (again, _) = import(&written).expect("what we write is right");
    let ids: Vec<(&str, Option<&str>)> = again
        .criteria
        .iter()
        .map(|c| (c.id.as_str(), c.query.as_deref()))
        .collect();
    assert_eq!(
        ids,
        [
            ("short", Some("a")),
            ("c02", Some("a")),
            ("short", Some("b")),
            ("c02", Some("b"))
        ]
    );
    assert_eq!(again.queries[0].domain.as_deref(), Some("tax"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn damaged_files_are_findings_and_never_a_panic(at in 0usize..1 << 16, byte in any::<u8>(), cut in 0usize..1 << 16, which in 0usize..3) {
        let mut bytes = [POOL, HERON, OSPREY][which].to_vec();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - cut % (length / 2));
        if let Err(ReadError::Findings(findings)) = import(&bytes) {
            prop_assert!(!findings.is_empty());
            let _ = findings.to_string();
        }
    }
}

#[test]
fn a_file_of_results_names_its_system() {
    let cases = [
        (
            "runs/healthbench_m-4.1_20250101_allresults.json",
            "healthbench_m-4.1_20250101",
        ),
        ("sable.jsonl.gz", "sable"),
        ("-", UNKNOWN_SYSTEM),
        ("<stdin>", UNKNOWN_SYSTEM),
    ];
    for (file, expected) in cases {
        assert_eq!(system_of(file), expected);
    }
}
