//! The JSON Schemas in `schemas/` are what the types say, and hold of what the program reads and writes.
//!
//! `CALIBRANT_BLESS=1` writes the generated ones anew.

mod program;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use calibrant_schema::Rubric;
use calibrant_schema::json_schema::generated;
use jsonschema::Validator;
use program::calibrant;
use serde_json::{Value, json};

/// Artifacts of a run, each with its schema.
const ARTIFACTS: [&str; 5] = ["calibration", "fit", "bank", "scores", "calibrant-run"];

/// Bad rubrics whose mistake is one of structure: the schema sees these and no others. (`gate_yes` is not among them: the YAML reader of
/// this test takes `yes` for true, as YAML 1.1 does.)
const STRUCTURE: &[&str] = &[
    "alias_bomb",
    "allow_without_reason",
    "at_least_fraction",
    "at_least_zero",
    "bad_ruling_date",
    "check_is_a_word",
    "check_negative_words",
    "check_two_kinds",
    "check_unknown_kind",
    "check_without_argument",
    "comma_in_braces",
    "criteria_is_a_mapping",
    "criterion_is_a_word",
    "empty_criteria",
    "empty_file",
    "empty_question",
    "gate_and_monitor",
    "hidden_characters",
    "id_is_a_list",
    "id_with_line_break",
    "level_without_value",
    "long_line",
    "missing_id",
    "missing_question",
    "no_criteria",
    "null_id",
    "question_is_a_list",
    "roll_up_empty",
    "roll_up_false",
    "roll_up_no_rule",
    "roll_up_two_rules",
    "roll_up_unknown_word",
    "roll_up_without_ids",
    "root_is_a_list",
    "ruling_without_text",
    "scale_one_level",
    "scale_without_levels",
    "scale_word",
    "unknown_key",
    "unknown_key_far",
    "unknown_na",
    "unknown_root_key",
    "version_fraction",
    "violation_negative_loss",
    "violation_without_loss",
    "weight_list",
    "weight_nan",
    "weight_quoted",
    "weight_word",
    "wide_characters",
    "windows_line_ends",
];

fn schemas() -> PathBuf {
    program::repository().join("schemas")
}

fn schema(name: &str) -> Value {
    let text = fs::read_to_string(schemas().join(format!("{name}.schema.json"))).expect("a schema");
    serde_json::from_str(&text).expect("a schema is JSON")
}

fn validator(name: &str) -> Validator {
    jsonschema::draft202012::new(&schema(name)).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

/// What a schema says against a value.
fn objections(name: &str, value: &Value) -> Vec<String> {
    let objections = validator(name);
    let found = objections.iter_errors(value);
    found
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn json_of(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a file");
    serde_json::from_str(&text).expect("it is JSON")
}

fn yaml_of(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    serde_saphyr::from_str(&text).ok()
}

#[test]
fn the_files_are_what_the_types_say() {
    for (name, schema) in generated() {
        let text = format!("{schema:#}\n");
        let path = schemas().join(format!("{name}.schema.json"));
        if env::var_os("CALIBRANT_BLESS").is_some() {
            fs::write(&path, &text).expect("the folder is writable");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "schemas/{name}.schema.json is not what its type says: bless it and read the difference"
        );
    }
}

#[test]
fn every_schema_is_one_and_is_printed() {
    let folder = program::folder();
    let mut looked_at = 0;
    for entry in fs::read_dir(schemas()).expect("schemas/") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let name = name.strip_suffix(".schema.json").expect("a schema's name");
        let _ = validator(name);
        let schema = schema(name);
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{name}");
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
        let printed = calibrant(folder.path(), &["schema", name]).succeeded().stdout;
        assert_eq!(printed, fs::read_to_string(&path).expect("a schema"), "{name}");
        looked_at += 1;
    }
    assert_eq!(looked_at, 11);
}

#[test]
fn old_and_new_artifacts_hold() {
    let folder = program::folder();
    calibrant(folder.path(), &["demo", "--out", "demo", "--quiet"]).succeeded();
    let project = program::project();
    calibrant(project.path(), &["run", "--method", "consensus"]).succeeded();
    let folders = [
        program::repository().join("testdata/artifacts/v1"),
        folder.path().join("demo"),
        project.path().join("out"),
    ];
    for folder in folders {
        ARTIFACTS.iter().for_each(|name| assert_holds(&folder, name));
    }
}

#[test]
fn agreement_and_roll_ups_hold() {
    let folder = program::folder();
    let inputs = program::repository().join("testdata/transcripts/agree.in");
    let file = |name: &str| program::text(&inputs.join(name)).to_owned();
    let (earlier, round, rubric, gold) = (
        file("round-2.csv"),
        file("round-3.csv"),
        file("rubric.yaml"),
        file("gold.csv"),
    );
    let agree = [
        "agree",
        "--verdicts",
        &round,
        "--rubric",
        &rubric,
        "--earlier",
        &earlier,
        "--out",
        "new",
    ];
    calibrant(folder.path(), &agree).succeeded();
    assert_holds(&folder.path().join("new"), "agreement");
    assert_holds(&folder.path().join("new"), "calibrant-run");
    assert_holds(&program::repository().join("testdata/artifacts/v1"), "agreement");
    let with_gold = [
        "agree",
        "--verdicts",
        &earlier,
        "--rubric",
        &rubric,
        "--gold",
        &gold,
        "--json",
    ];
    let rules = [
        "roll-up",
        "--verdicts",
        &earlier,
        "--rule",
        "all",
        "--rule",
        "at_least:2",
        "--json",
    ];
    for (name, command) in [("agreement", with_gold.as_slice()), ("roll-ups", &rules)] {
        let printed = calibrant(folder.path(), command).succeeded().stdout;
        let value: Value = serde_json::from_str(&printed).expect("the artifact is JSON");
        assert_eq!(objections(name, &value), Vec::<String>::new(), "{name}");
    }
}

fn assert_holds(folder: &Path, name: &str) {
    let value = json_of(&folder.join(format!("{name}.json")));
    let nothing = Vec::<String>::new();
    assert_eq!(objections(name, &value), nothing, "{name} of {}", folder.display());
}

#[test]
fn artifacts_of_a_divided_run_hold() {
    let project = program::project();
    let domain = |query: usize| if query <= 19 { "law" } else { "lonely" };
    // The last query has one system only: its block stops, and the index and the manifest say why.
    let table = fs::read_to_string(project.path().join("verdicts.csv")).expect("the table");
    let system = table
        .lines()
        .nth(1)
        .and_then(|row| row.split(',').next())
        .expect("a system");
    let kept = |line: &&str| !line.contains(",query-20,") || line.starts_with(&format!("{system},"));
    let table: String = table.lines().filter(kept).map(|line| format!("{line}\n")).collect();
    fs::write(project.path().join("verdicts.csv"), table).expect("the table can be written");
    let rows = (1..=20).map(|query| {
        format!(
            "{{\"query\": \"query-{query:02}\", \"domain\": \"{}\"}}\n",
            domain(query)
        )
    });
    fs::write(project.path().join("queries.jsonl"), rows.collect::<String>()).expect("the queries can be written");
    let run = [
        "run",
        "--queries",
        "queries.jsonl",
        "--by",
        "domain",
        "--charts",
        "vega-lite",
        "--interval",
        "delta",
    ];
    calibrant(project.path(), &run).succeeded();
    let out = project.path().join("out");
    assert_eq!(
        json_of(&out.join("scores.json"))["interval"]["ability"]["kind"],
        "delta"
    );
    let stopped = json_of(&out.join("blocks.json"))["blocks"][1]["stopped"].clone();
    assert!(stopped["step"].is_string(), "{stopped}");
    for name in ARTIFACTS.iter().chain(&["blocks"]) {
        assert_holds(&out, name);
    }
    for name in ARTIFACTS {
        assert_holds(&out.join("blocks/domain/law"), name);
    }
    // As a run that was killed leaves it.
    let mut manifest = json_of(&out.join("calibrant-run.json"));
    assert!(manifest["split"].is_object());
    manifest["under_way"] = json!("score");
    assert!(objections("calibrant-run", &manifest).is_empty());
    manifest["under_way"] = json!("nothing");
    assert!(!objections("calibrant-run", &manifest).is_empty());
    manifest["under_way"] = json!("score");
    manifest["split"]["by"] = json!("colour");
    assert!(!objections("calibrant-run", &manifest).is_empty());
}

#[test]
fn an_artifact_without_a_field_or_of_another_format_does_not_hold() {
    let old = program::repository().join("testdata/artifacts/v1");
    for (name, field) in [
        ("fit", "items"),
        ("calibration", "criteria"),
        ("bank", "budget"),
        ("scores", "systems"),
        ("calibrant-run", "steps"),
    ] {
        let whole = json_of(&old.join(format!("{name}.json")));
        let mut without = whole.clone();
        without.as_object_mut().expect("an object").remove(field);
        assert!(!objections(name, &without).is_empty(), "{name} without {field}");
        let mut other = whole;
        other["format"] = json!("calibrant.other/1");
        assert!(!objections(name, &other).is_empty(), "{name} of another format");
    }
}

#[test]
fn good_rubrics_hold_and_what_the_program_prints_does() {
    for folder in ["good", "warned"] {
        for entry in fs::read_dir(program::repository().join("testdata/rubrics").join(folder)).expect("rubrics") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "yaml") {
                continue;
            }
            let value = yaml_of(&path).expect("a good rubric is YAML");
            assert_eq!(objections("rubric", &value), Vec::<String>::new(), "{}", path.display());
            let text = fs::read_to_string(&path).expect("a rubric");
            let (rubric, _) = Rubric::parse(&text, "rubric.yaml").expect("a good rubric");
            let printed: Value = serde_saphyr::from_str(&rubric.to_yaml()).expect("YAML");
            assert_eq!(
                objections("rubric", &printed),
                Vec::<String>::new(),
                "{} as printed",
                path.display()
            );
        }
    }
}

#[test]
fn mistakes_of_structure_are_seen_by_the_schema() {
    let bad = program::repository().join("testdata/rubrics/bad");
    let mut seen = BTreeSet::new();
    let mut looked_at = 0;
    for entry in fs::read_dir(bad).expect("rubrics") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        // What is no YAML has no structure to hold against a schema.
        let Some(value) = (path.extension().is_some_and(|ending| ending == "yaml"))
            .then(|| yaml_of(&path))
            .flatten()
        else {
            continue;
        };
        looked_at += 1;
        if !objections("rubric", &value).is_empty() {
            seen.insert(name);
        }
    }
    let expected: BTreeSet<String> = STRUCTURE.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(seen, expected);
    assert!(looked_at > STRUCTURE.len(), "mistakes of meaning are among the files");
}

#[test]
fn queries_and_project_files_hold_or_not_as_the_program_says() {
    let good = [
        json!({"query": 17, "prompt": "?", "tags": ["dates"], "weight": 0.5}),
        json!({"prompt_id": "b", "extra": 1}),
    ];
    let bad = [
        json!({"prompt": "?"}),
        json!({"query": "a", "weight": -1}),
        json!({"query": ["a"]}),
        json!("a"),
    ];
    for row in good {
        assert!(objections("queries", &row).is_empty(), "{row}");
        assert!(
            calibrant_schema::query::parse_queries(&row.to_string(), "q").is_ok(),
            "{row}"
        );
    }
    for row in bad {
        assert!(!objections("queries", &row).is_empty(), "{row}");
        assert!(
            calibrant_schema::query::parse_queries(&row.to_string(), "q").is_err(),
            "{row}"
        );
    }
    let project = json!({"paths": {"verdicts": ["a.csv"]}, "judges": {"anna": {"kind": "human", "gold": true}}, "tables": "parquet"});
    assert_eq!(objections("config", &project), Vec::<String>::new());
    for wrong in [
        json!({"pathes": {}}),
        json!({"assemble": {"budget": 0}}),
        json!({"judges": {"anna": {"gold": "yes"}}}),
    ] {
        assert!(!objections("config", &wrong).is_empty(), "{wrong}");
    }
}
