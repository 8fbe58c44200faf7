//! The project file: every key is read, every mistake is reported, every value knows where it came from.

use std::collections::BTreeSet;

use calibrant_schema::Scale;
use calibrant_schema::config::{Config, KEYS, Kind, Source, Value, environment_name, key};

const NO_VARIABLES: &[(&str, &str)] = &[];

/// A file with every key once.
const FULL: &str = r#"
scale = "1..5"
tables = "parquet"
panel = ["w1", "w2"]
by = "domain"
seed = 7
threads = 2

[project]
name = "tax letters"

[paths]
rubric = "rubric.yaml"
verdicts = ["a.csv", "b, c.csv.gz"]
queries = "queries.jsonl"
responses = "responses.jsonl"
grading = "rounds"
ledger = "ledger.db"
out = "results"

[columns]
query = "prompt_id"

[judges.w1]
kind = "model"
family = "example"
audit = true

[judges."ada.l"]
kind = "human"
gold = true

[systems.s1]
family = "example"
tier = "strong"

[calibrate]
pool = "item"

[fit]
model = "1pl"
grid = "fixed"

[assemble]
threshold = 0.9
budget = 50
method = "plain"

[score]
interval = "cluster"
replicates = 100
tiers = "anchored"

[report]
charts = "vega-lite"
"#;

fn read(text: &str) -> Config {
    match Config::read(Some(text), "calibrant.toml", NO_VARIABLES) {
        Ok((config, found)) if found.is_empty() => config,
        Ok((_, found)) | Err(found) => panic!("{}", found.render(Some(text))),
    }
}

fn refused(text: &str) -> String {
    Config::read(Some(text), "calibrant.toml", NO_VARIABLES)
        .expect_err("the file is refused")
        .render(Some(text))
}

#[test]
fn every_key_of_the_table_is_read() {
    let config = read(FULL);
    let read: BTreeSet<String> = config
        .shown()
        .into_iter()
        .filter(|row| matches!(row.source, Source::File { .. }))
        .map(|row| row.key)
        .collect();
    for known in KEYS {
        let found = read.iter().any(|path| {
            let known_parts: Vec<&str> = known.path.split('.').collect();
            known_parts.len() == 1 && path == known.path
                || known_parts.len() > 1
                    && path.starts_with(known_parts[0])
                    && path.ends_with(known_parts[known_parts.len() - 1].trim_matches('*'))
        });
        assert!(found, "{} is not read", known.path);
    }
    assert_eq!(config.texts("paths.verdicts"), ["a.csv", "b, c.csv.gz"]);
    assert_eq!(config.scale(), Some(&"1..5".parse().expect("a scale")));
    assert_eq!(config.columns().get("query"), Some(&"prompt_id"));
    let judges = config.judges();
    assert_eq!(
        (judges["w1"].kind, judges["w1"].audit, judges["w1"].gold),
        (Some("model"), true, false)
    );
    assert_eq!((judges["ada.l"].kind, judges["ada.l"].gold), (Some("human"), true));
    assert_eq!(config.systems()["s1"].tier, Some("strong"));
    assert_eq!(
        (config.whole("seed"), config.whole("assemble.budget")),
        (Some(7), Some(50))
    );
    assert_eq!(config.number("assemble.threshold"), Some(0.9));
    // Words are written in one case, whatever the file says.
    assert_eq!(config.text("fit.model"), Some("1PL"));
}

#[test]
fn defaults_hold_without_a_file() {
    let (config, found) = Config::read(None, "calibrant.toml", NO_VARIABLES).expect("nothing is wrong");
    assert!(found.is_empty());
    assert_eq!(config, Config::default());
    // DESIGN 6: 2PL, threshold .80; METHODS 102: 300 replicates; METHODS 103: the source's adjacent rule.
    assert_eq!(config.text("fit.model"), Some("2PL"));
    assert_eq!(config.number("assemble.threshold"), Some(0.8));
    assert_eq!(config.whole("score.replicates"), Some(1000));
    assert_eq!(config.text("score.tiers"), Some("adjacent"));
    assert_eq!(config.get("assemble.budget"), None);
    assert_eq!(config.scale(), None);
}

#[test]
fn the_later_layer_wins_and_says_so() {
    let text = "seed = 1\n[assemble]\nbudget = 10\nthreshold = 0.7\n";
    let variables = [
        ("CALIBRANT_ASSEMBLE_BUDGET", "20"),
        ("CALIBRANT_SEED", "2"),
        ("CALIBRANT_SIMD", "scalar"),
        ("HOME", "x"),
    ];
    let (mut config, _) = Config::read(Some(text), "calibrant.toml", &variables).expect("all layers are right");
    config.set_flag("seed", "3").expect("a seed");
    let of = |path: &str| {
        config
            .get(path)
            .map(|setting| (setting.value.clone(), setting.source.to_string()))
    };
    assert_eq!(of("seed"), Some((Value::Whole(3), "flag".into())));
    assert_eq!(
        of("assemble.budget"),
        Some((Value::Whole(20), "environment CALIBRANT_ASSEMBLE_BUDGET".into()))
    );
    assert_eq!(
        of("assemble.threshold"),
        Some((Value::Number(0.7), "calibrant.toml:4".into()))
    );
    assert_eq!(of("fit.model"), Some((Value::Text("2PL".into()), "default".into())));
}

#[test]
fn shown_lists_every_key_in_the_order_of_the_table() {
    let rows = Config::default().shown();
    let fixed: Vec<&str> = KEYS
        .iter()
        .map(|key| key.path)
        .filter(|path| !path.contains('*'))
        .collect();
    assert_eq!(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), fixed);
    let budget = rows
        .iter()
        .find(|row| row.key == "assemble.budget")
        .expect("the key is shown");
    assert_eq!((&budget.value, &budget.source), (&None, &Source::Default));
}

#[test]
fn mistakes_are_all_reported_with_line_caret_and_next_step() {
    let text = "sede = 1\nbudget = 3\n[paths]\nrubrics = \"a.yaml\"\n[columns]\nqurey = \"q\"\n[judges.a]\nkind = \"robot\"\n\
                [assemble]\nthreshold = \"0.8\"\nbudget = 0\n[score]\nreplicates = 1.5\n[fit]\nmodel = true\n[colour]\nx = 1\n";
    assert_eq!(
        refused(text),
        r#"error: unknown key `sede` in the project file
 --> calibrant.toml:1:1
1 | sede = 1
  | ^^^^ not known here
help: did you mean `seed`?

error: unknown key `budget` in the project file
 --> calibrant.toml:2:1
2 | budget = 3
  | ^^^^^^ not known here
help: did you mean `assemble.budget`?

error: unknown key `rubrics` in [paths]
 --> calibrant.toml:4:1
4 | rubrics = "a.yaml"
  | ^^^^^^^ not known here
help: did you mean `rubric`?

error: unknown key `qurey` in [columns]
 --> calibrant.toml:6:1
6 | qurey = "q"
  | ^^^^^ not known here
help: did you mean `query`?

error: `judges.a.kind` cannot be `robot`
 --> calibrant.toml:8:8
8 | kind = "robot"
  |        ^^^^^^^
help: write one of human, model, code, simulated, imported

error: `assemble.threshold` must be a number between 0 and 1, this is text
  --> calibrant.toml:10:13
10 | threshold = "0.8"
   |             ^^^^^ a number between 0 and 1 is expected
help: write a number between 0 and 1

error: `assemble.budget` cannot be `0`
  --> calibrant.toml:11:10
11 | budget = 0
   |          ^
help: write a whole number, 1 or more

error: `score.replicates` cannot be `1.5`
  --> calibrant.toml:13:14
13 | replicates = 1.5
   |              ^^^
help: write a whole number, 20 or more

error: `fit.model` must be one of 2PL, 1PL, this is true or false
  --> calibrant.toml:15:9
15 | model = true
   |         ^^^^ one of 2PL, 1PL is expected
help: write one of 2PL, 1PL

error: unknown key `colour` in the project file
  --> calibrant.toml:16:2
16 | [colour]
   |  ^^^^^^ not known here
help: known here: project, paths, columns, scale, tables, panel, by, seed, threads, judges, systems, calibrate, fit, assemble, score, report

10 errors
"#
    );
}

#[test]
fn syntax_errors_and_misplaced_tables() {
    assert_eq!(
        refused("[paths]\nout = results\n"),
        "error: this is not TOML: string values must be quoted, expected literal string\n \
         --> calibrant.toml:2:7\n2 | out = results\n  |       ^^^^^^^\n\
         help: text goes in quotes, tables in [brackets], and every key stands once\n\n1 error\n"
    );
    assert!(refused("seed = 1\nseed = 2\n").contains("calibrant.toml:2:1"));
    assert!(refused("assemble = 3\n").contains("help: write [assemble] on a line of its own and its keys below"));
    assert!(refused("[paths.out]\nx = 1\n").contains("`paths.out` must be a path as text, this is a mapping"));
    assert!(refused("panel = []\n").contains("`panel` is an empty list"));
    assert!(refused("panel = [1]\n").contains("`panel` must be a list of texts, this is a number"));
}

#[test]
fn variables_and_flags_are_checked() {
    let variables = [("CALIBRANT_SEED", "many")];
    let found = Config::read(None, "calibrant.toml", &variables).expect_err("the variable is wrong");
    assert_eq!(
        found.render(None),
        "error: the environment variable CALIBRANT_SEED cannot be `many`\n\
         help: set it to a whole number, 0 or more, or unset it\n\n1 error\n"
    );
    let mut config = Config::default();
    let refusal = |config: &mut Config, path: &str, text: &str| {
        config
            .set_flag(path, text)
            .expect_err("the flag is refused")
            .to_string()
    };
    assert_eq!(
        refusal(&mut config, "assemble.bugdet", "3"),
        "unknown key `assemble.bugdet`; did you mean `assemble.budget`?"
    );
    assert_eq!(
        refusal(&mut config, "score.tiers", "both"),
        "`score.tiers` cannot be `both`; write one of adjacent, anchored"
    );
    config.set_flag("panel", "w1, w2").expect("a list");
    assert_eq!(config.texts("panel"), ["w1", "w2"]);
    config.set_flag("scale", "binary").expect("a scale");
    assert_eq!(config.scale(), Some(&Scale::Binary));
}

#[test]
fn the_table_is_sound() {
    let mut names = BTreeSet::new();
    for known in KEYS {
        let parts: Vec<&str> = known.path.split('.').collect();
        assert_eq!(key(&parts).map(|found| found.path), Some(known.path));
        assert!(known.meaning.ends_with('.'), "{} has no sentence", known.path);
        assert!(
            names.insert(environment_name(known).unwrap_or_else(|| known.path.to_owned())),
            "{}",
            known.path
        );
        if let Kind::Word(words) = known.kind {
            assert!(known.default.is_none_or(|word| words.contains(&word)), "{}", known.path);
        }
    }
}
