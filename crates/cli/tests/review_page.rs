//! The page on which disagreements are settled: in a real browser, and from outside.

mod page;
mod program;

use std::fs;
use std::path::Path;

use page::driver::{Driver, found};
use page::http::{ask, cookie, guard};
use page::project::{self, GRADERS, HOSTILE, SYSTEMS};
use page::server::Server;
use program::{calibrant, folder};
use serde_json::{Value, json};

/// A round that both graders have graded and one has locked; the other's lock is left to the test.
fn graded(folder: &Path) {
    // All but the one that begins with a control character, of which no passage is marked.
    project::write(folder, &HOSTILE[..5]);
    let mut start = vec!["grade", "start"];
    start.extend(project::arguments());
    calibrant(folder, &start).succeeded();
    for grader in GRADERS {
        project::grade(folder, grader);
    }
    project::lock(folder, GRADERS[0]);
}

fn link(server: &Server) -> String {
    server.opened["link"].as_str().expect("a link").to_owned()
}

/// A request of the page of a cookie; its status and its JSON.
fn send(base: &str, cookie: &str, guard: &str, path: &str, body: &Value) -> (u16, Value) {
    let headers = [("cookie", cookie), ("x-calibrant-sheet", guard)];
    let answer = ask(base, "POST", path, &headers, &body.to_string());
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = answer.split_once("\r\n\r\n").expect("a body").1;
    (
        status.expect("a status"),
        serde_json::from_str(body).unwrap_or(Value::Null),
    )
}

fn data(page: &str) -> Value {
    let from = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("data")
        .1;
    serde_json::from_str(from.split_once("</script>").expect("its end").0).expect("JSON")
}

const RULING: &str = "A dose without \"a day\" is no daily dose: <b>not met</b>.";

#[test]
fn nothing_is_served_before_every_sheet_is_locked() {
    let here = folder();
    graded(here.path());
    for flags in [&["--serve"][..], &["--page", "review.html"], &["--list"]] {
        let arguments = [&["grade", "review", "--rubric", "rubric.yaml"], flags].concat();
        calibrant(here.path(), &arguments).refused_with("round 1 is still being graded by bogdan");
    }
    assert!(!here.path().join("review.html").exists());
}

/// PROTOCOLS 9, lines 9 and 10.
#[test]
fn a_stranger_gets_nothing_and_no_system_is_served() {
    let here = folder();
    graded(here.path());
    project::lock(here.path(), GRADERS[1]);
    let server = Server::review(here.path());
    let base = server.base();
    let door = ask(&base, "GET", "/", &[], "");
    assert!(
        door.contains("Review of disagreements") && !door.contains("maximum daily dose") && !door.contains("annika")
    );
    let cookie = cookie(&base, &link(&server));
    let page = ask(&base, "GET", "/", &[("cookie", &cookie)], "");
    let (guard, shown) = (guard(&page), data(&page));
    let other = format!("{}{}", &cookie[..cookie.len() - 32], "0a".repeat(16));
    let ruling = json!({
        "disagreement": shown["queue"][0]["id"], "rubric": shown["now"]["rubric"]["hash"], "by": "both",
        "outcome": "ruling", "text": RULING,
    });
    let before = fs::read(here.path().join("rubric.yaml")).expect("the rubric");
    for path in ["/api/settle", "/api/preview"] {
        assert_eq!(send(&base, "", &guard, path, &ruling).0, 401);
        assert_eq!(send(&base, &other, &guard, path, &ruling).0, 401);
        assert_eq!(send(&base, &cookie, "", path, &ruling).0, 403);
        let elsewhere = [
            ("cookie", cookie.as_str()),
            ("x-calibrant-sheet", &guard),
            ("sec-fetch-site", "cross-site"),
        ];
        assert!(ask(&base, "POST", path, &elsewhere, &ruling.to_string()).starts_with("HTTP/1.1 403"));
    }
    assert_eq!(fs::read(here.path().join("rubric.yaml")).expect("the rubric"), before);
    for system in SYSTEMS {
        assert!(!page.contains(system), "{system}");
    }
    assert!(page.contains("cache-control: no-store") && page.contains("frame-ancestors 'none'"));
}

#[test]
fn what_is_settled_stands_in_the_file_and_a_file_that_changed_is_not_written() {
    let here = folder();
    graded(here.path());
    project::lock(here.path(), GRADERS[1]);
    let server = Server::review(here.path());
    let base = server.base();
    let cookie = cookie(&base, &link(&server));
    let page = ask(&base, "GET", "/", &[("cookie", &cookie)], "");
    let (guard, shown) = (guard(&page), data(&page));
    assert_eq!(shown["queue"].as_array().map(Vec::len), Some(4));
    let settle = |path: &str, place: usize, hash: &Value, more: Value| {
        let mut body = json!({"disagreement": shown["queue"][place]["id"], "rubric": hash, "by": "both"});
        body.as_object_mut()
            .expect("a body")
            .extend(more.as_object().expect("fields").clone());
        send(&base, &cookie, &guard, path, &body)
    };
    let rubric = here.path().join("rubric.yaml");
    let before = fs::read_to_string(&rubric).expect("the rubric");
    let hash = &shown["now"]["rubric"]["hash"];
    let ruling = json!({"outcome": "ruling", "text": RULING});

    let (status, ahead) = settle("/api/preview", 0, hash, ruling.clone());
    assert_eq!(status, 200);
    assert!(ahead["changes"].to_string().contains("no daily dose"), "{ahead}");
    assert_eq!(
        fs::read_to_string(&rubric).expect("the rubric"),
        before,
        "a look ahead writes nothing"
    );

    let (status, done) = settle("/api/settle", 0, hash, ruling.clone());
    assert_eq!(
        (status, &done["stale"], &done["outcome"]),
        (200, &json!(80), &json!("ruling"))
    );
    let after = fs::read_to_string(&rubric).expect("the rubric");
    let kept: Vec<&str> = after
        .lines()
        .filter(|line| before.lines().any(|old| old == *line))
        .collect();
    assert_eq!(kept, before.lines().collect::<Vec<_>>(), "every other line stays");
    assert!(after.contains("no daily dose") && after.contains(shown["queue"][0]["id"].as_str().expect("an id")));

    // What was shown first is no longer what there is.
    let (status, undone) = settle("/api/settle", 1, hash, ruling.clone());
    assert_eq!(status, 409);
    assert!(
        undone["why"]
            .as_str()
            .is_some_and(|why| why.contains("changed since it was shown"))
    );
    let hash = &undone["now"]["rubric"]["hash"];
    assert_eq!(hash, &done["now"]["rubric"]["hash"]);

    // Somebody edits the file while the page is open.
    fs::write(&rubric, format!("{after}# mine\n")).expect("an edit");
    let (status, undone) = settle("/api/settle", 1, hash, ruling.clone());
    assert_eq!((status, &undone["now"]["standing"][1]["ended"]), (409, &Value::Null));
    assert_eq!(
        fs::read_to_string(&rubric).expect("the rubric"),
        format!("{after}# mine\n")
    );
    let hash = &undone["now"]["rubric"]["hash"];

    assert_eq!(settle("/api/settle", 0, hash, ruling).0, 422, "it is settled already");
    let wrong = [
        json!({"outcome": "ruling", "text": " "}),
        json!({"outcome": "wording", "field": "weight", "text": "9", "why": "x"}),
        json!({"outcome": "slip", "judge": "annika", "label": 7.0, "text": "x"}),
        json!({"outcome": "slip", "judge": "zebra", "label": 1.0, "text": "x"}),
    ];
    for wrong in wrong {
        assert_eq!(settle("/api/settle", 1, hash, wrong.clone()).0, 422, "{wrong}");
    }
    assert_eq!(
        settle("/api/settle", 1, hash, json!({"outcome": "majority", "text": "2 of 3"})).0,
        422
    );
    let slip = json!({"outcome": "slip", "judge": "bogdan", "label": 1.0, "text": "read past it"});
    let (status, done) = settle("/api/settle", 1, hash, slip);
    assert_eq!(
        (status, &done["now"]["standing"][1]["ended"]["outcome"]),
        (200, &json!("slip"))
    );
    assert_eq!(&done["now"]["rubric"]["hash"], hash, "a slip leaves the file");
    #[cfg(unix)]
    assert_eq!(server.interrupt().0, Some(0));
}

/// By keyboard alone, from the link to the file on disk.
#[test]
fn a_disagreement_is_settled_by_keyboard() {
    let Some(browser) = found("review page") else { return };
    let here = folder();
    graded(here.path());
    project::lock(here.path(), GRADERS[1]);
    let server = Server::review(here.path());
    let driver = Driver::start(&browser, here.path());
    driver.go(&link(&server));
    driver.sees("item-title", "Disagreement 1 of 4");
    driver.sees("counts", "0 of 4 settled");
    assert_eq!(driver.run("return location.href"), format!("{}/", server.base()));
    // Hostile texts are texts, and the passage is marked where it was.
    driver.sees("card", HOSTILE[0]);
    let texts = |place: &str| driver.run(&format!("return document.querySelector('{place}').textContent"));
    assert_eq!(texts("#response mark"), texts("#card .quote"));
    driver.press("jj");
    driver.sees("item-title", "Disagreement 3 of 4");
    driver.press("k");
    driver.sees("item-title", "Disagreement 2 of 4");
    driver.press("r");
    // The keys of the page are letters of the ruling now.
    driver.press("jkrwsdl");
    driver.sees("item-title", "Disagreement 2 of 4");
    driver.run("document.getElementById('text').value = ''; return null");
    driver.press("Per day or it is none.");
    driver.sees("preview", "Per day or it is none.");
    driver.press("\u{e004}annika and bogdan");
    let rubric = here.path().join("rubric.yaml");
    assert!(!fs::read_to_string(&rubric).expect("the rubric").contains("Per day"));
    press_settle(&driver);
    driver.sees("told", "Settled as boundary ruling. rubric.yaml is ");
    driver.sees("told", "80 verdicts on dose are of the earlier wording");
    driver.sees("outcomes", "by annika and bogdan");
    driver.sees("counts", "1 of 4 settled");
    let after = fs::read_to_string(&rubric).expect("the rubric");
    assert!(after.contains("    boundary: Per day or it is none."), "{after}");
    // Another window sees it, and one that is behind is told so.
    fs::write(&rubric, format!("{after}# mine\n")).expect("an edit");
    driver.press("k");
    driver.press("d");
    driver.press("A matter of taste.");
    press_settle(&driver);
    driver.sees("notices", "The rubric file changed since it was shown");
    driver.sees("form", "Why it goes");
    let kept = driver.run("return document.getElementById('text').value");
    assert_eq!(kept, "A matter of taste.");
    assert_eq!(
        fs::read_to_string(&rubric).expect("the rubric"),
        format!("{after}# mine\n")
    );
    assert_eq!(driver.title(), "Review of disagreements");
    let complaints: Vec<String> = driver.complaints();
    assert!(complaints.iter().all(|said| said.contains("409")), "{complaints:?}");
}

/// The saved page runs nothing of anybody's, fetches nothing, and words the command.
#[test]
fn a_saved_page_words_the_command() {
    let here = folder();
    graded(here.path());
    project::lock(here.path(), GRADERS[1]);
    let save = ["grade", "review", "--rubric", "rubric.yaml", "--page", "review.html"];
    calibrant(here.path(), &save).succeeded();
    let html = fs::read_to_string(here.path().join("review.html")).expect("the page");
    assert!(html.contains("connect-src 'none'") && SYSTEMS.iter().all(|system| !html.contains(system)));
    let Some(browser) = found("saved review page") else {
        return;
    };
    let driver = Driver::start(&browser, here.path());
    driver.go(&format!("file://{}", here.path().join("review.html").display()));
    driver.sees("item-title", "Disagreement 1 of 4");
    driver.press("r");
    driver.press("It's none.");
    let command = driver.run("return document.getElementById('command').value");
    let id = &data(&html)["queue"][0]["id"];
    let expected = format!(
        "calibrant grade rule --round=1 --rubric=rubric.yaml --disagreement {} --outcome ruling '--text=It'\\''s none.'",
        id.as_str().expect("an id")
    );
    assert_eq!(command, expected);
    assert_eq!(driver.title(), "Review of disagreements");
    assert_eq!(driver.complaints(), [""; 0]);
    // The command is one that a shell and the program take.
    #[cfg(unix)]
    {
        let command = expected.replacen("calibrant", env!("CARGO_BIN_EXE_calibrant"), 1);
        let ran = std::process::Command::new("sh")
            .args(["-c", &command])
            .current_dir(here.path())
            .output();
        assert!(ran.expect("sh").status.success());
        let rubric = fs::read_to_string(here.path().join("rubric.yaml")).expect("the rubric");
        assert!(rubric.contains("It's none."), "{rubric}");
    }
}

/// Goes by Tab to the button that settles, past a preview that scrolls, and presses it.
fn press_settle(driver: &Driver) {
    for _ in 0..4 {
        driver.press("\u{e004}");
        if driver.run("return document.activeElement.id") == "settle" {
            return driver.press("\u{e007}");
        }
    }
    panic!("the button is not to be reached by Tab");
}
