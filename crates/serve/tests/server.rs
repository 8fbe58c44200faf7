//! The server from outside: who is let in, what is recorded, and what every answer carries.

mod memory;

use calibrant_schema::exercise::{Act, Mark};
use calibrant_serve::{Address, Event, Options, Round, Trouble, serve};
use memory::{Browser, MemoryRound, ask, start, verdict};
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn a_link_opens_a_sheet_and_marks_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    assert_eq!(ann.page.status, 200);
    assert!(ann.page.body.contains("Does it say when?") && !ann.page.body.contains("<script>alert(1)"));
    let kept = ann.record(&[verdict(5, 1.0), verdict(9, 0.0)]);
    assert_eq!(
        (kept.status, kept.json()),
        (200, json!({"marks": 2, "last": 9, "late": []}))
    );
    let marks = ann.send("GET", "/api/marks", &Value::Null).json();
    assert_eq!(
        (&marks["marks"][1]["label"], &marks["locked"]),
        (&json!(0.0), &json!(false))
    );
    assert_eq!(
        running.events.recv(),
        Ok(Event::Entered {
            grader: "annika".to_owned()
        })
    );
}

/// A page whose answer was lost sends again; two windows of one grader overtake each other.
#[test]
fn a_mark_is_recorded_once_and_one_that_was_overtaken_is_asked_for_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    ann.record(&[verdict(5, 1.0)]);
    let again = ann.record(&[verdict(5, 1.0), verdict(6, 0.0)]);
    assert_eq!(again.json(), json!({"marks": 2, "last": 6, "late": []}));
    let late = ann.record(&[verdict(4, 1.0), verdict(7, 1.0), verdict(7, 1.0)]);
    assert_eq!(late.json(), json!({"marks": 3, "last": 7, "late": [4]}));
    assert_eq!(ann.record(&[]).json(), json!({"marks": 3, "last": 7, "late": []}));
}

#[test]
fn a_mark_that_cannot_stand_is_named_and_nothing_of_its_batch_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    let refused = ann.record(&[verdict(1, 1.0), verdict(2, 0.5)]);
    assert_eq!(
        (refused.status, refused.body.as_str()),
        (422, "0.5 is not on the scale of `dated`")
    );
    assert_eq!(ann.send("GET", "/api/marks", &Value::Null).json()["marks"], json!([]));
    for body in ["{", "[]", "{\"marks\": [{\"unit\": 1}]}"] {
        let host = ann.address.to_string();
        let origin = format!("http://{host}");
        let headers = [
            ("host", host.as_str()),
            ("origin", &origin),
            ("content-type", "application/json"),
            ("cookie", &ann.cookie),
            ("x-calibrant-sheet", &ann.guard),
        ];
        let status = ask(ann.address, "POST", "/api/marks", &headers, body).status;
        assert!(matches!(status, 400 | 422), "{status}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(
        ann.send("POST", "/api/marks", &Value::String(deep)).status,
        400 | 422
    ));
    let huge = Value::String("x".repeat(2 << 20));
    assert_eq!(ann.send("POST", "/api/marks", &huge).status, 413);
}

/// PROTOCOLS 9, line 10: hidden in the page, and closed in the API.
#[test]
fn no_route_shows_or_takes_anything_for_another_grader() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let (ann, bo) = (Browser::open(&running, "annika"), Browser::open(&running, "bogdan"));
    let comment =
        json!({"unit": "0f", "criterion": "dated", "act": "comment", "text": "annika-said-so", "at": "", "nth": 3});
    ann.record(&[verdict(1, 1.0), comment]);
    ann.send("POST", "/api/lock", &json!({}));
    let bo_with_the_guard_of_ann = Browser {
        guard: ann.guard.clone(),
        ..Browser::open(&running, "bogdan")
    };
    let nobody = Browser {
        cookie: String::new(),
        ..Browser::open(&running, "bogdan")
    };
    for (method, path) in [("GET", "/api/marks"), ("POST", "/api/marks"), ("POST", "/api/lock")] {
        let body = if method == "GET" {
            Value::Null
        } else {
            json!({ "marks": [verdict(8, 0.0)] })
        };
        assert_eq!(
            bo_with_the_guard_of_ann.send(method, path, &body).status,
            403,
            "{method} {path}"
        );
        assert_eq!(nobody.send(method, path, &body).status, 401, "{method} {path}");
    }
    for path in [
        "/",
        "/api/marks",
        "/api/marks?grader=annika",
        "/api/marks/annika",
        "/annika",
        "/links.json",
        "/../exercise.json",
    ] {
        let answer = bo.send("GET", path, &Value::Null);
        for secret in ["annika", &ann.guard, &ann.cookie] {
            assert!(!answer.body.contains(secret), "{path} shows {secret}");
        }
    }
    let own = bo.send("GET", "/api/marks", &Value::Null).json();
    assert_eq!(own, json!({"marks": [], "locked": false}));
    let door = nobody.send("GET", "/", &Value::Null).body;
    assert!(!door.contains("id=\"data\"") && !door.contains("annika"));
}

#[test]
fn a_locked_sheet_is_read_and_not_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    ann.record(&[verdict(1, 1.0)]);
    assert_eq!(ann.send("POST", "/api/lock", &json!({})).status, 204);
    assert_eq!(ann.record(&[verdict(2, 0.0)]).status, 409);
    assert_eq!(ann.record(&[verdict(1, 1.0)]).status, 409);
    assert_eq!(ann.send("POST", "/api/lock", &json!({})).status, 409);
    let marks = ann.send("GET", "/api/marks", &Value::Null).json();
    assert_eq!(
        (marks["marks"].as_array().map(Vec::len), &marks["locked"]),
        (Some(1), &json!(true))
    );
    assert!(Browser::open(&running, "annika").page.body.contains("\"locked\":true"));
}

/// PROTOCOLS 9, line 9: a page of another site, and a name that leads here without being ours.
#[test]
fn other_sites_and_other_names_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    let host = ann.address.to_string();
    let own = format!("http://{host}");
    let body = json!({ "marks": [verdict(1, 1.0)] }).to_string();
    let send = |host: &str, origin: Option<&str>, site: Option<&str>, kind: &str| {
        let mut headers = vec![
            ("host", host),
            ("content-type", kind),
            ("cookie", &ann.cookie),
            ("x-calibrant-sheet", &ann.guard),
        ];
        headers.extend(origin.map(|origin| ("origin", origin)));
        headers.extend(site.map(|site| ("sec-fetch-site", site)));
        ask(ann.address, "POST", "/api/marks", &headers, &body).status
    };
    let json = "application/json";
    assert_eq!(send("evil.example", Some("http://evil.example"), None, json), 421);
    assert_eq!(send(&host, Some("http://evil.example"), None, json), 403);
    assert_eq!(send(&host, Some("null"), None, json), 403);
    assert_eq!(send(&host, None, None, json), 403);
    assert_eq!(send(&host, Some(&own), Some("cross-site"), json), 403);
    assert_eq!(send(&host, Some(&own), None, "text/plain"), 415);
    assert_eq!(send(&host, Some(&own), Some("same-origin"), json), 200);
    assert_eq!(
        ask(
            ann.address,
            "GET",
            "/",
            &[("host", "evil.example:80"), ("cookie", &ann.cookie)],
            ""
        )
        .status,
        421
    );
    let preflight = [
        ("host", host.as_str()),
        ("origin", "http://evil.example"),
        ("access-control-request-method", "POST"),
    ];
    let preflight = ask(ann.address, "OPTIONS", "/api/marks", &preflight, "");
    assert_eq!(
        (preflight.status, preflight.header("access-control-allow-origin")),
        (403, None)
    );
}

#[test]
fn every_answer_is_kept_by_nobody_and_framed_by_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    let host = ann.address.to_string();
    let door = ask(ann.address, "GET", "/", &[("host", &host)], "");
    let answers = [
        door,
        ask(ann.address, "GET", "/", &[("host", "evil.example")], ""),
        ann.send("GET", "/nothing", &Value::Null),
        ann.send("GET", "/api/marks", &Value::Null),
        ann.send("GET", "/", &Value::Null),
    ];
    for answer in &answers {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{answer:?}");
        }
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe") && !policy.contains('*'));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    assert_eq!(
        answers.iter().map(|answer| answer.status).collect::<Vec<_>>(),
        [200, 421, 404, 200, 200]
    );
}

#[test]
fn wrong_links_are_turned_away_after_a_while() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    let enter = || {
        let body = json!({ "token": "0".repeat(32) });
        ann.send("POST", "/session", &body).status
    };
    let statuses: Vec<u16> = (0..22).map(|_| enter()).collect();
    assert_eq!((statuses[0], statuses[19], statuses[20]), (403, 403, 429));
    assert!(running.events.try_iter().any(|event| event == Event::TurnedAway));
    assert_eq!(
        ann.send("GET", "/", &Value::Null).status,
        200,
        "whoever is inside stays inside"
    );
}

/// The reason of a failure may name a system; the grader is not told, and whoever runs the server is.
#[test]
fn a_grader_is_not_told_why_the_ledger_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let ann = Browser::open(&running, "annika");
    *running.round.broken.lock().expect("no thread panicked") = Some("no room for system `gpt-secret`".to_owned());
    let failed = ann.record(&[verdict(1, 1.0)]);
    assert_eq!(failed.status, 503);
    assert!(!failed.body.contains("gpt-secret"));
    let told: Vec<Event> = running.events.try_iter().collect();
    assert!(told.contains(&Event::Trouble {
        grader: "annika".to_owned(),
        why: "no room for system `gpt-secret`".to_owned()
    }));
    *running.round.broken.lock().expect("no thread panicked") = None;
    assert_eq!(ann.record(&[verdict(1, 1.0)]).status, 200);
}

#[test]
fn both_graders_at_once_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(folder.path());
    let browsers = [Browser::open(&running, "annika"), Browser::open(&running, "bogdan")];
    std::thread::scope(|scope| {
        for browser in &browsers {
            for window in 0..2 {
                scope.spawn(move || send_fifty(browser, window));
            }
        }
    });
    for grader in memory::GRADERS {
        let marks = running.round.marks(grader).expect("marks");
        assert_eq!(marks.len(), 100);
        assert!(marks.windows(2).all(|pair: &[Mark]| pair[0].nth < pair[1].nth));
        assert!(marks.iter().all(|mark| matches!(mark.act, Act::Verdict { .. })));
    }
}

/// Fifty marks of a window that starts again above the last mark whenever the other has overtaken it.
fn send_fifty(browser: &Browser, window: u64) {
    let mut nth = window + 2;
    for _ in 0..50 {
        loop {
            let answer = browser.record(&[verdict(nth, 1.0)]).json();
            let sent = nth;
            nth = answer["last"].as_u64().expect("a counter") / 2 * 2 + 2 + window;
            if answer["late"] != json!([sent]) {
                break;
            }
        }
    }
}

#[test]
fn a_server_that_others_could_reach_in_the_clear_is_not_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = Options {
        address: Address {
            bind: "0.0.0.0".parse().expect("an address"),
            ..Address::default()
        },
        links: folder.path().join("links.json"),
        renew: vec![],
    };
    let round: Arc<dyn Round> = Arc::new(MemoryRound::default());
    let refused = serve(Arc::clone(&round), &options, |_| panic!("it opened"), |_| {}).expect_err("it is refused");
    assert!(
        refused.to_string().contains("can be reached from other machines"),
        "{refused}"
    );
    options.address = Address::default();
    options.renew = vec!["zoe".to_owned()];
    let refused = serve(round, &options, |_| panic!("it opened"), |_| {}).expect_err("it is refused");
    assert!(refused.to_string().contains("`zoe` has no sheet"), "{refused}");
    assert_eq!(Trouble::Moved.to_string(), "the sheet was changed meanwhile");
}
