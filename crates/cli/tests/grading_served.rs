//! Every byte that the grading server gives to a grader, looked through for what a grader must not know.

mod page;
mod program;

use page::http::{ask, cookie, guard};
use page::project::{self, GRADERS, SECRETS, SYSTEMS};
use page::server::{Server, round_folder};
use program::folder;
use serde_json::json;

/// What a session gets from every route the page uses, and from some that it does not.
fn everything(base: &str, link: &str, marks: &str) -> String {
    let mut served = ask(base, "GET", "/", &[], "");
    let cookie = cookie(base, link);
    served.push_str(&ask(base, "GET", "/", &[("cookie", &cookie)], ""));
    let guard = guard(&served);
    let page = [("cookie", cookie.as_str()), ("x-calibrant-sheet", guard.as_str())];
    served.push_str(&ask(base, "POST", "/api/marks", &page, marks));
    served.push_str(&ask(
        base,
        "POST",
        "/api/marks",
        &page,
        "{\"marks\":[{\"unit\":\"x\"}]}",
    ));
    for path in [
        "/api/marks",
        "/",
        "/exercise.json",
        "/links.json",
        "/api/progress",
        "/api/marks/annika",
        "/../grading/round-1/exercise.json",
        "/%2e%2e/exercise.json",
    ] {
        served.push_str(&ask(base, "GET", path, &page, ""));
    }
    served.push_str(&ask(base, "POST", "/api/lock", &page, "{}"));
    served
}

/// One comment of a grader on the first answer of the sheet.
fn comment(folder: &std::path::Path, grader: &str, text: &str) -> String {
    let exercise = project::exercise(folder);
    let plan = exercise.sheet(grader).expect("a sheet");
    let unit = &exercise.units[plan.order[0] as usize].id;
    let mark = |nth: u32, act: serde_json::Value| {
        let mut mark = json!({"unit": unit, "criterion": "red_flags", "at": "2026-05-09T08:00:00Z", "nth": nth});
        let fields = act.as_object().expect("an act").clone();
        mark.as_object_mut().expect("a mark").extend(fields);
        mark
    };
    json!({"marks": [mark(1, json!({"act": "verdict", "label": 1})), mark(2, json!({"act": "comment", "text": text}))]})
        .to_string()
}

#[test]
fn no_byte_that_is_served_says_what_a_grader_must_not_know() {
    let here = folder();
    project::write(here.path(), &[]);
    let server = Server::start(here.path());
    let base = server.base();
    let said = GRADERS.map(|grader| format!("said-by-{grader}-alone"));
    let served: Vec<String> = GRADERS
        .iter()
        .zip(&said)
        .map(|(grader, said)| {
            let link = server.link(grader).expect("a new link");
            everything(&base, &link, &comment(here.path(), grader, said))
        })
        .collect();
    let exercise = project::exercise(here.path());
    for (place, text) in served.iter().enumerate() {
        let (own, other) = (place, 1 - place);
        assert!(
            text.contains("sharp pain") && text.contains("Answer number 39"),
            "the sheet is there"
        );
        assert!(text.contains(&said[own]), "the grader's own marks are there");
        for secret in SYSTEMS.iter().chain(&SECRETS) {
            assert!(!text.contains(secret), "`{secret}` was served to {}", GRADERS[own]);
        }
        assert!(!text.contains(&said[other]) && !text.contains(&format!("Sheet of {}", GRADERS[other])));
        assert!(!text.contains(&format!("\"grader\":\"{}\"", GRADERS[other])));
        assert!(
            !text.contains(&exercise.rubric_hash.to_string()),
            "not even hashes of what is not shown"
        );
    }
}

/// Each grader has an order of his own, and it is the recorded one.
#[test]
fn the_order_served_is_the_order_recorded() {
    let here = folder();
    project::write(here.path(), &[]);
    let server = Server::start(here.path());
    let exercise = project::exercise(here.path());
    let mut orders = Vec::new();
    for grader in GRADERS {
        let cookie = cookie(&server.base(), &server.link(grader).expect("a new link"));
        let page = ask(&server.base(), "GET", "/", &[("cookie", &cookie)], "");
        let plan = exercise.sheet(grader).expect("a sheet");
        let places = plan.order.iter().map(|at| {
            let id = &exercise.units[*at as usize].id;
            page.find(id).expect("the unit is on the page")
        });
        assert!(places.collect::<Vec<_>>().is_sorted(), "{grader}");
        orders.push(plan.order.clone());
    }
    assert_ne!(orders[0], orders[1]);
}

/// Links are hashes at rest, survive a restart on their port, and end when new ones are made.
#[cfg(unix)]
#[test]
fn links_work_again_after_a_restart_until_they_are_made_anew() {
    use std::os::unix::fs::PermissionsExt;
    let here = folder();
    project::write(here.path(), &[]);
    let server = Server::start(here.path());
    let (base, link) = (server.base(), server.link("annika").expect("a new link"));
    let file = round_folder(here.path()).join("links.json");
    let kept = std::fs::read_to_string(&file).expect("the links");
    assert!(!kept.contains(link.split_once("#sheet=").expect("a link").1));
    let mode = std::fs::metadata(&file).expect("the links").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    server.kill();
    let server = Server::start(here.path());
    assert_eq!(server.base(), base);
    let old = cookie(&base, &link);
    assert_eq!(server.interrupt().0, Some(0));
    let server = Server::start_with(here.path(), &["--new-link", "annika"]);
    let page = ask(&server.base(), "GET", "/", &[("cookie", &old)], "");
    assert!(!page.contains("sharp pain"), "the link before has ended");
    assert!(server.link("annika").is_some_and(|new| new != link));
}
