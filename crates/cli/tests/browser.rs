//! A report in a browser: what came from outside is text, nothing runs, nothing is fetched.

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::{browser, calibrant, files, folder, text};
use serde_json::{Value, json};

/// Names that would run, load or hide something if they were read as anything but text.
const HOSTILE: [&str; 6] = [
    "<script>document.title='owned'</script>",
    "</script></svg><img src=http://fetched.invalid/x onerror=document.title='owned'>",
    "\"onload=\"document.title='owned'\" x='",
    "a\u{202e}b\u{200b}c",
    "url(http://fetched.invalid/y)",
    "plain",
];

/// The folder of a run whose systems, criteria, queries and judges have these names.
fn hostile_run(at: &Path) -> PathBuf {
    let mut table = String::new();
    for (place, system) in HOSTILE.iter().enumerate() {
        for query in &HOSTILE[..4] {
            for (item, criterion) in HOSTILE.iter().enumerate() {
                for judge in &HOSTILE[..3] {
                    // A staircase, with a dissent here and there: everything varies, so everything is drawn.
                    let dissent = *judge == HOSTILE[0] && (place + item + query.len()).is_multiple_of(4);
                    let row = json!({
                        "system": system, "query": query, "criterion": criterion, "judge": judge,
                        "label": i32::from((place + query.len() % 3 > item) != dissent),
                    });
                    table.push_str(&format!("{row}\n"));
                }
            }
        }
    }
    fs::write(at.join("hostile.jsonl"), table).expect("the table can be written");
    let arguments = [
        "run",
        "--verdicts",
        "hostile.jsonl",
        "--threshold",
        "0.5",
        "--out",
        "out",
        "--charts",
        "vega-lite",
    ];
    calibrant(at, &arguments).succeeded();
    at.join("out")
}

/// What a page is after everything in it had time to run.
struct Visit {
    dom: String,
    /// Addresses that the page, not the browser on its own, asked for.
    fetched: Vec<String>,
}

fn visit(browser: &Path, page: &Path) -> Visit {
    let profile = folder();
    let log = profile.path().join("net.json");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        // No name is looked up, so that nothing leaves this machine whatever the page asks for.
        .args([
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=3000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Visit {
        dom: String::from_utf8(output.stdout).expect("a page is UTF-8"),
        fetched: fetched_by_the_page(&fs::read_to_string(&log).expect("the browser wrote its log")),
    }
}

fn fetched_by_the_page(log: &str) -> Vec<String> {
    // A browser that is told to stop may leave the list of events open.
    let log: Value = serde_json::from_str(log)
        .or_else(|_| serde_json::from_str(&format!("{}]}}", log.trim_end().trim_end_matches(','))))
        .expect("the log is JSON");
    let start = &log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"];
    assert!(start.is_number(), "the log names its events");
    let events = log["events"].as_array().expect("the log has events");
    events
        .iter()
        .filter(|event| event["type"] == *start)
        // What the browser asks for on its own account has no origin.
        .filter(|event| event["params"]["initiator"] != "not an origin")
        .filter_map(|event| event["params"]["url"].as_str())
        .filter(|url| !url.starts_with("file:") && !url.starts_with("data:"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn hostile_names_are_text_and_nothing_runs_or_is_fetched() {
    let Some(browser) = browser("browser") else { return };
    let here = folder();
    let out = hostile_run(here.path());
    let visit = visit(&browser, &out.join("report.html"));
    assert!(
        visit.dom.contains("<title>Calibrated leaderboard</title>"),
        "a script changed the title"
    );
    for element in ["<script", "<img", "<iframe", "<object", "<link"] {
        assert!(!visit.dom.contains(element), "{element} is in the page");
    }
    for shown in [
        "&lt;script&gt;document.title='owned'&lt;/script&gt;",
        "a⟨U+202E⟩b⟨U+200B⟩c",
        "<svg class=\"plot",
        "id=\"figure-wright-map\"",
        "id=\"figure-item-curves\"",
    ] {
        assert!(visit.dom.contains(shown), "{shown} is not in the page");
    }
    assert_eq!(visit.fetched, Vec::<String>::new(), "the page fetched something");
}

/// The check above can fail: a page that fetches is caught.
#[test]
fn a_page_that_fetches_is_caught() {
    let Some(browser) = browser("browser control") else {
        return;
    };
    let here = folder();
    let page = here.path().join("page.html");
    fs::write(
        &page,
        "<!DOCTYPE html><title>x</title><img src=\"http://fetched.invalid/x\">",
    )
    .expect("a page");
    assert_eq!(visit(&browser, &page).fetched, ["http://fetched.invalid/x"]);
}

/// Without a browser: no attribute of the page, and no style, leads anywhere.
#[test]
fn the_page_refers_to_nothing_outside_itself() {
    let here = folder();
    let out = hostile_run(here.path());
    let page = fs::read_to_string(out.join("report.html")).expect("the page");
    for tag in page.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        for reference in [
            " src=",
            " srcset=",
            " xlink:",
            " data=",
            " action=",
            " background=",
            " style=",
        ] {
            assert!(!tag.contains(reference), "<{tag}>");
        }
        if let Some((_, target)) = tag.split_once(" href=") {
            assert!(target.starts_with("\"#"), "<{tag}>");
        }
    }
    let style = page
        .split("<style>")
        .nth(1)
        .and_then(|rest| rest.split("</style>").next())
        .expect("a style");
    for reference in ["url(", "@import", "http", "//"] {
        assert!(!style.contains(reference), "{reference} is in the style");
    }
    assert!(page.contains("default-src 'none'") && !page.contains("script-src"));
    let charts = files(&out.join("charts"));
    assert!(charts.len() >= 5, "{:?}", charts.keys());
    for (name, bytes) in charts {
        let chart = String::from_utf8(bytes).expect("a specification is UTF-8");
        assert!(!chart.contains(['<', '>', '&', '\u{202e}']), "{name}");
        assert!(
            serde_json::from_str::<Value>(&chart).is_ok(),
            "{}",
            text(Path::new(&name))
        );
    }
}
