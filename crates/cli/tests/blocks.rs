//! Divided runs: each block is a run of its own, and nothing of one slips into another.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use program::{artifact, calibrant, files_below, folder, project};
use serde_json::Value;

/// The domain of each query of the project that `init` writes: two of them, and two queries without one.
fn domain(query: usize) -> Option<&'static str> {
    match query {
        1..=10 => Some("law"),
        11..=18 => Some("medicine/cardiology"),
        _ => None,
    }
}

fn queries(domain: impl Fn(usize) -> Option<&'static str>) -> String {
    let row = |query: usize| {
        let domain = domain(query).map_or_else(String::new, |domain| format!(", \"domain\": \"{domain}\""));
        format!("{{\"query\": \"query-{query:02}\"{domain}}}\n")
    };
    (1..=20).map(row).collect()
}

/// A project with domains.
fn divided_project() -> tempfile::TempDir {
    let project = project();
    fs::write(project.path().join("queries.jsonl"), queries(domain)).expect("the queries can be written");
    project
}

const RUN: [&str; 5] = ["run", "--queries", "queries.jsonl", "--by", "domain"];

const LAW: &str = "out/blocks/domain/law";
const MEDICINE: &str = "out/blocks/domain/medicine%2Fcardiology";

/// The rows of `blocks.json` by name.
fn rows(folder: &Path) -> BTreeMap<String, Value> {
    let index = artifact(folder, "blocks.json");
    let rows = index["blocks"].as_array().expect("blocks").iter();
    rows.map(|row| (row["block"].as_str().expect("a name").to_owned(), row.clone()))
        .collect()
}

#[test]
fn a_block_is_what_a_run_of_its_verdicts_alone_would_be() {
    let project = divided_project();
    calibrant(project.path(), &RUN).succeeded();
    let table = fs::read_to_string(project.path().join("verdicts.csv")).expect("the table");
    let of_law = |line: &&str| {
        let query = line.split(',').nth(1).and_then(|query| query.strip_prefix("query-"));
        query.is_none_or(|query| domain(query.parse().expect("a number")) == Some("law"))
    };
    let law: String = table.lines().filter(of_law).map(|line| format!("{line}\n")).collect();
    assert_eq!(law.lines().count(), 1 + 10 * 6 * 6 * 3);
    fs::write(project.path().join("law.csv"), law).expect("the table can be written");
    calibrant(project.path(), &["run", "--verdicts", "law.csv", "--out", "alone"]).succeeded();
    let (block, alone) = (project.path().join(LAW), project.path().join("alone"));
    for (name, fields) in [
        ("calibration.json", &["criteria", "judges", "sweep", "attrition"][..]),
        ("fit.json", &["items", "systems", "log_likelihood"][..]),
        ("bank.json", &["criteria", "utility", "optimum_bound"][..]),
        (
            "scores.json",
            &["systems", "interval", "pairs_separated", "roll_up"][..],
        ),
    ] {
        let (block, alone) = (artifact(&block, name), artifact(&alone, name));
        for field in fields {
            assert!(!alone[field].is_null(), "{name} has {field}");
            assert_eq!(block[field], alone[field], "{name}: {field}");
        }
    }
    for name in ["labels.csv", "responses.csv"] {
        let read = |folder: &Path| fs::read(folder.join(name)).expect("a table");
        assert!(read(&block) == read(&alone), "{name}");
    }
}

#[test]
fn the_index_says_what_is_in_each_block_and_how_it_ranks() {
    let project = divided_project();
    let ran = calibrant(project.path(), &RUN).succeeded();
    assert!(ran.stdout.contains("medicine/cardiology"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("items without a domain: 12 of 120"),
        "{}",
        ran.stderr
    );
    let out = project.path().join("out");
    let rows = rows(&out);
    let count = |name: &str, field: &str| {
        rows[name][field]
            .as_u64()
            .unwrap_or_else(|| panic!("{name} has {field}"))
    };
    assert_eq!(
        rows.keys().map(String::as_str).collect::<Vec<_>>(),
        ["(none)", "law", "medicine/cardiology"]
    );
    for (name, queries) in [("law", 10), ("medicine/cardiology", 8), ("(none)", 2)] {
        assert_eq!(
            (count(name, "queries"), count(name, "items")),
            (queries, 6 * queries),
            "{name}"
        );
        assert_eq!(count(name, "compared"), 6, "{name}");
    }
    assert_eq!(rows["(none)"]["without_value"], Value::Bool(true));
    // The correlations of the index, counted again pair by pair from the two leaderboards; no two abilities are alike.
    let order = |folder: &Path| -> Vec<String> {
        let scores = artifact(folder, "scores.json");
        let systems = scores["systems"].as_array().expect("systems").iter();
        systems
            .map(|row| row["system"].as_str().expect("a system").to_owned())
            .collect()
    };
    let (whole, law) = (order(&out), order(&project.path().join(LAW)));
    let place = |system: &String| whole.iter().position(|other| other == system).expect("in both");
    let mut balance = 0;
    for upper in 0..law.len() {
        for lower in upper + 1..law.len() {
            balance += if place(&law[upper]) < place(&law[lower]) { 1 } else { -1 };
        }
    }
    let tau = rows["law"]["kendall"].as_f64().expect("a correlation");
    assert!(
        (tau - f64::from(balance) / 15.0).abs() < 1e-12,
        "{tau} and {balance} of 15"
    );
    let page = fs::read_to_string(out.join("report.html")).expect("the page");
    assert!(page.contains("href=\"blocks/domain/medicine%252Fcardiology/report.html\""));
    let page = fs::read_to_string(project.path().join(MEDICINE).join("report.md")).expect("the page");
    assert!(
        page.contains("Only the domain medicine/cardiology") && page.contains("(../../../report.md)"),
        "{page}"
    );
}

#[test]
fn every_field_of_the_index_is_documented() {
    let project = divided_project();
    calibrant(project.path(), &RUN).succeeded();
    let index = artifact(&project.path().join("out"), "blocks.json");
    let page = fs::read_to_string(program::repository().join("docs/artifacts.md")).expect("the page");
    let section = page.split("## blocks.json").nth(1).expect("a section on the index");
    let row = index["blocks"][0].as_object().expect("a row");
    let place = row["leaderboard"][0].as_object().expect("a place");
    for field in row.keys().chain(place.keys()) {
        let named = section
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word == field);
        assert!(named, "{field}");
    }
}

#[test]
fn steps_one_by_one_leave_what_a_run_leaves() {
    let (at_once, stepwise) = (divided_project(), divided_project());
    calibrant(at_once.path(), &RUN).succeeded();
    calibrant(stepwise.path(), &[&["calibrate"], &RUN[1..]].concat()).succeeded();
    for step in ["fit", "assemble", "score", "report"] {
        let ran = calibrant(stepwise.path(), &[step, "--from", "out"]).succeeded();
        assert!(
            ran.stderr.contains(&format!("domain law: {step} done")),
            "{}",
            ran.stderr
        );
    }
    let results = |folder: &Path| {
        let mut files = files_below(&folder.join("out"));
        // The pages show the command, and the manifests the hashes of the pages.
        files.retain(|name, _| !name.contains("report.") && !name.ends_with("calibrant-run.json"));
        files
    };
    let (at_once, stepwise) = (results(at_once.path()), results(stepwise.path()));
    assert!(
        at_once.len() > 30 && at_once.keys().eq(stepwise.keys()),
        "{:?}",
        stepwise.keys()
    );
    for (name, bytes) in &at_once {
        assert!(*bytes == stepwise[name], "{name} differs");
    }
}

#[test]
fn threads_do_not_show_in_blocks() {
    let (one, two) = (divided_project(), divided_project());
    calibrant(one.path(), &[&RUN[..], &["--threads", "1"]].concat()).succeeded();
    calibrant(two.path(), &[&RUN[..], &["--threads", "2"]].concat()).succeeded();
    assert!(files_below(&one.path().join("out")) == files_below(&two.path().join("out")));
}

#[test]
fn a_block_that_did_not_change_is_not_done_again() {
    let project = divided_project();
    calibrant(project.path(), &RUN).succeeded();
    let before = files_below(&project.path().join(MEDICINE));
    let table = project.path().join("verdicts.csv");
    let text = fs::read_to_string(&table).expect("the table");
    let row = text
        .lines()
        .find(|line| line.contains(",query-01,") && line.ends_with(",1"))
        .expect("a verdict of law");
    let turned = text.replacen(row, &format!("{}0", &row[..row.len() - 1]), 1);
    fs::write(&table, turned).expect("the table can be written");
    let ran = calibrant(project.path(), &RUN).succeeded();
    for line in [
        "calibrate: done",
        "domain law: calibrate, fit",
        "domain medicine/cardiology: unchanged, not done again",
        "domain (none): unchanged, not done again",
    ] {
        assert!(ran.stderr.contains(line), "`{line}` is not in\n{}", ran.stderr);
    }
    assert!(before == files_below(&project.path().join(MEDICINE)));
    // The used folder holds what a new one would.
    let used = files_below(&project.path().join("out"));
    fs::remove_dir_all(project.path().join("out")).expect("the results can be removed");
    calibrant(project.path(), &RUN).succeeded();
    assert!(used == files_below(&project.path().join("out")));
}

#[test]
fn a_file_of_a_block_that_was_changed_is_made_again() {
    let project = divided_project();
    calibrant(project.path(), &RUN).succeeded();
    let before = files_below(&project.path().join("out"));
    fs::write(project.path().join(LAW).join("labels.csv"), "nothing").expect("a file can be changed");
    fs::remove_file(project.path().join(MEDICINE).join("fit.json")).expect("a file can be removed");
    fs::remove_file(project.path().join("out/blocks.json")).expect("a file can be removed");
    calibrant(project.path(), &RUN).succeeded();
    assert!(before == files_below(&project.path().join("out")));
}

#[test]
fn blocks_that_are_gone_are_cleared_away_and_the_users_files_stay() {
    let project = divided_project();
    calibrant(project.path(), &RUN).succeeded();
    fs::write(project.path().join(MEDICINE).join("notes.txt"), "mine").expect("a file of the user");
    let renamed = queries(|query| domain(query).map(|domain| if domain == "law" { "tax" } else { "law" }));
    fs::write(project.path().join("queries.jsonl"), renamed).expect("the queries can be written");
    calibrant(project.path(), &RUN).succeeded();
    let out = project.path().join("out");
    assert_eq!(
        rows(&out).keys().map(String::as_str).collect::<Vec<_>>(),
        ["(none)", "law", "tax"]
    );
    let left = files_below(&project.path().join(MEDICINE));
    assert_eq!(left.keys().map(String::as_str).collect::<Vec<_>>(), ["notes.txt"]);
    // `law` holds other verdicts under an old name.
    assert_eq!(rows(&out)["law"]["queries"], 8);
    fs::remove_file(project.path().join(MEDICINE).join("notes.txt")).expect("the user tidies up");
    calibrant(project.path(), &["run", "--queries", "queries.jsonl"]).succeeded();
    assert!(!out.join("blocks.json").exists());
    assert!(!out.join("blocks/domain/law").exists() && !out.join("blocks/domain/tax").exists());
    let page = fs::read_to_string(out.join("report.md")).expect("the page");
    assert!(!page.contains("## Blocks"));
    // Without blocks the folder is what it would be had there never been any.
    let used = files_below(&out);
    fs::remove_dir_all(&out).expect("the results can be removed");
    calibrant(project.path(), &["run", "--queries", "queries.jsonl"]).succeeded();
    assert!(used == files_below(&out));
}

/// A table with a column for the block: in `alone` one system answered, in `same` all do alike.
fn table_with_lonely_blocks() -> String {
    let mut table = String::from("system,query,criterion,judge,label,topic\n");
    for query in 1..=12 {
        let topic = match query {
            1..=8 => "rich",
            9..=10 => "alone",
            _ => "same",
        };
        for (at, system) in ["a", "b", "c"].into_iter().enumerate() {
            if topic == "alone" && system != "b" {
                continue;
            }
            for criterion in 1..=3 {
                let label = match topic {
                    "same" => 1,
                    _ => usize::from((query * 7 + criterion * 5 + at * 3) % 5 > at + 1),
                };
                for judge in ["j1", "j2", "j3"] {
                    table.push_str(&format!("{system},q{query},c{criterion},{judge},{label},{topic}\n"));
                }
            }
        }
    }
    table
}

#[test]
fn a_step_without_meaning_is_a_result_of_its_block_alone() {
    let here = folder();
    fs::write(here.path().join("t.csv"), table_with_lonely_blocks()).expect("the table can be written");
    let run = [
        "run",
        "--verdicts",
        "t.csv",
        "--out",
        "out",
        "--columns",
        "domain=topic",
        "--by",
        "domain",
    ];
    let ran = calibrant(here.path(), &run).succeeded();
    assert!(
        ran.stderr
            .contains("domain alone: no fit: all labels are of one system, `b`"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("blocks for which a step has no meaning: 2 of 3"),
        "{}",
        ran.stderr
    );
    let out = here.path().join("out");
    let rows = rows(&out);
    assert_eq!(
        (&rows["alone"]["stopped"]["step"], &rows["alone"]["stopped"]["reason"]),
        (&"fit".into(), &"one_system".into())
    );
    assert_eq!(rows["same"]["stopped"]["reason"], "nothing_varies");
    assert_eq!(rows["alone"]["undefined"]["kendall"]["reason"], "one_system");
    assert!(rows["rich"]["stopped"].is_null() && rows["rich"]["kendall"].is_f64());
    assert!(out.join("blocks/domain/alone/calibration.json").exists());
    assert!(!out.join("blocks/domain/alone/fit.json").exists());
    // A later command leaves such a block where it stopped.
    let before = files_below(&out);
    let again = calibrant(here.path(), &["score", "--from", "out", "--by", "domain"]).succeeded();
    assert!(again.stderr.contains("domain alone: no fit"), "{}", again.stderr);
    assert!(before == files_below(&out));
    // Once the block has a second system it is complete, and when it loses it again nothing of that stays.
    let more = format!(
        "{}a,q9,c1,j1,1,alone\nb,q9,c9,j1,0,alone\na,q9,c9,j1,1,alone\n",
        table_with_lonely_blocks()
    );
    fs::write(here.path().join("t.csv"), more).expect("the table can be written");
    calibrant(here.path(), &run).succeeded();
    assert!(out.join("blocks/domain/alone/scores.json").exists());
    fs::write(here.path().join("t.csv"), table_with_lonely_blocks()).expect("the table can be written");
    calibrant(here.path(), &run).succeeded();
    assert!(before == files_below(&out));
}

#[test]
fn a_query_with_two_values_is_refused_with_both_places() {
    let here = folder();
    let table =
        "system,query,criterion,judge,label,domain\na,q1,c,j,1,law\na,q2,c,j,1,tax\nb,q1,c,j,0,\nb,q2,c,j,0,law\n";
    fs::write(here.path().join("t.csv"), table).expect("the table can be written");
    let run = ["run", "--verdicts", "t.csv", "--out", "out", "--by", "domain"];
    let ran = calibrant(here.path(), &run);
    for words in [
        "the query `q2` has the domain `law` here and `tax` in t.csv:3",
        "t.csv:5:",
        "help: ",
    ] {
        assert!(ran.stderr.contains(words), "`{words}` is not in\n{}", ran.stderr);
    }
    ran.refused_with("`q2`");
    // Undivided, the column is nobody's business.
    calibrant(here.path(), &run[..5]).succeeded();
    // The queries file and the table must agree as well.
    let described = "{\"query\": \"q1\", \"domain\": \"tax\"}\n";
    fs::write(here.path().join("q.jsonl"), described).expect("the queries can be written");
    fs::write(
        here.path().join("t.csv"),
        table.replace("b,q2,c,j,0,law", "b,q2,c,j,0,tax"),
    )
    .expect("the table");
    calibrant(here.path(), &[&run[..], &["--queries", "q.jsonl"]].concat())
        .refused_with("query `q1` has the domain `tax` in the queries file and `law` in the table");
}

#[test]
fn there_must_be_something_to_divide_by() {
    let project = project();
    calibrant(project.path(), &["run", "--by", "domain"])
        .refused_with("no item of the table has a domain, so there is nothing to divide by");
    calibrant(project.path(), &["run", "--by", "colour"]).refused_with("--by cannot be `colour`");
    let divided = divided_project();
    calibrant(divided.path(), &RUN).succeeded();
    calibrant(divided.path(), &["fit", "--from", "out", "--by", "tag"]).refused_with("is divided by domain");
    let bank = [
        "score",
        "--bank",
        "out/bank.json",
        "--verdicts",
        "verdicts.csv",
        "--out",
        "new",
        "--by",
        "domain",
    ];
    calibrant(divided.path(), &bank).refused_with("`--by domain` divides a run");
}

#[test]
fn one_block_is_the_whole_over_again_and_said_to_be() {
    let project = project();
    fs::write(project.path().join("queries.jsonl"), queries(|_| Some("law"))).expect("the queries can be written");
    let ran = calibrant(project.path(), &RUN).succeeded();
    assert!(
        ran.stderr.contains("all items are in one block, domain `law`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn tags_overlap_and_a_part_of_a_response_has_no_outcome() {
    let project = project();
    let path = project.path().join("rubric.yaml");
    let rubric = fs::read_to_string(&path).expect("the rubric");
    let tag = |rubric: String, id: &str, tags: &str| {
        let line = format!("  - id: {id}\n");
        assert!(rubric.contains(&line), "{id}");
        rubric.replacen(&line, &format!("{line}    tags: [{tags}]\n"), 1)
    };
    let rubric = tag(rubric, "names_the_setting", "safety, style");
    let rubric = tag(rubric, "plain_language", "style");
    fs::write(&path, tag(rubric, "gives_the_steps", "safety")).expect("the rubric can be written");
    let ran = calibrant(project.path(), &["run", "--by", "tag"]).succeeded();
    assert!(
        ran.stderr.contains("items in more than one block: 20 of 120"),
        "{}",
        ran.stderr
    );
    let out = project.path().join("out");
    let rows = rows(&out);
    let items = |name: &str| rows[name]["items"].as_u64();
    assert_eq!(
        (items("safety"), items("style"), items("(none)")),
        (Some(40), Some(40), Some(60))
    );
    let whole = artifact(&out, "scores.json");
    let part = artifact(&out.join("blocks/tag/style"), "scores.json");
    assert!(whole["systems"][0]["pass_rate"].is_f64() && part["systems"][0]["pass_rate"].is_null());
    // The author's weights become shares of the block: 4 of 5 for the setting, which all six systems' scores show.
    let rubric = fs::read_to_string(out.join("blocks/tag/style/rubric.yaml")).expect("the rubric of the block");
    assert!(rubric.contains("names_the_setting") && !rubric.contains("gives_the_steps") && !rubric.contains("roll_up"));
}

#[test]
fn no_value_leads_out_of_the_folder() {
    let here = folder();
    let hostile = [
        "../../../escape",
        "/etc",
        "con",
        "a\u{1b}[2Jb",
        "<script>alert(1)</script>",
        "..",
        "LAW",
        "law",
        "(none)",
    ];
    let long = "x".repeat(4_000);
    let mut table = String::from("system,query,criterion,judge,label,domain\n");
    for (at, value) in hostile.into_iter().chain([long.as_str()]).enumerate() {
        for query in 0..3 {
            for system in 0..3 {
                for judge in 0..2 {
                    let label = usize::from((query + at) % 3 <= system);
                    table.push_str(&format!("s{system},q{at}-{query},c,j{judge},{label},{value}\n"));
                }
            }
        }
    }
    fs::create_dir(here.path().join("inside")).expect("a folder");
    let inside = here.path().join("inside");
    fs::write(inside.join("t.csv"), table).expect("the table can be written");
    let run = [
        "run",
        "--verdicts",
        "t.csv",
        "--out",
        "out",
        "--by",
        "domain",
        "--threshold",
        "0.1",
    ];
    let ran = calibrant(&inside, &run).succeeded();
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'));
    let beside: Vec<_> = fs::read_dir(here.path()).expect("the folder").flatten().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
    let rows = rows(&inside.join("out"));
    assert_eq!(rows.len(), hostile.len() + 1);
    for (name, row) in &rows {
        let folder = row["folder"].as_str().expect("a folder");
        assert_eq!(folder.matches('/').count(), 2, "{name:.40}: {folder}");
        assert!(
            inside.join("out").join(folder).join("scores.json").is_file(),
            "{folder}"
        );
    }
    let page = fs::read_to_string(inside.join("out/report.html")).expect("the page");
    assert!(!page.contains("<script") && !page.contains('\u{1b}'));
}
