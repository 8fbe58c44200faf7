//! The grading page in a real browser: people grade by keyboard, and nothing of what they press is lost.

mod page;
mod program;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use calibrant_project::grading::{Grading, GradingRequest, SampleOptions};
use calibrant_schema::exercise::{Act, Mark, Sheet};
use page::driver::{Driver, found};
use page::project::{self, GRADERS, HOSTILE};
use page::server::Server;
use program::folder;
use serde_json::Value;

/// Cells of a sheet: forty answers, three questions.
const CELLS: usize = 120;

/// What a grader presses: one key a cell, without pattern, all of them verdicts.
fn keys(grader: u64) -> Vec<char> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64.wrapping_mul(grader + 1);
    let mut draw = |choices: &[char]| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        choices[(state >> 33) as usize % choices.len()]
    };
    let cells = 0..CELLS;
    cells
        .map(|cell| {
            if cell % 3 == 2 {
                draw(&['1', '2', '3'])
            } else {
                draw(&['1', '2', 'y', 'n'])
            }
        })
        .collect()
}

/// The label that a key gives in a cell: the third question has three levels.
fn label(cell: usize, key: char) -> f64 {
    match key {
        'y' => 1.0,
        'n' => 0.0,
        key if cell % 3 == 2 => f64::from(key.to_digit(10).expect("a digit")),
        '1' => 1.0,
        _ => 0.0,
    }
}

fn pressed(keys: &[char]) -> String {
    keys.iter().collect()
}

fn is_verdict(mark: &&Mark) -> bool {
    matches!(mark.act, Act::Verdict { .. })
}

/// Both graders at once, by keyboard alone: undo, a reload, a second window, and the death of the server in the middle.
/// What the ledger holds in the end is what was pressed.
#[test]
fn forty_answers_are_graded_by_keyboard_and_nothing_is_lost() {
    let Some(browser) = found("grading page") else { return };
    let here = folder();
    project::write(here.path(), &HOSTILE);
    let server = Server::start(here.path());
    let base = server.base();
    let links = GRADERS.map(|grader| server.link(grader).expect("a new link"));
    let (annika, bogdan) = (
        Driver::start(&browser, here.path()),
        Driver::start(&browser, here.path()),
    );
    annika.go(&links[0]);
    annika.sees("item-title", "Answer 1 of 40");
    let (first, second) = (keys(0), keys(1));
    let bogdan = thread::scope(|scope| {
        let (bogdan, link, second) = (bogdan, &links[1], &second);
        let other = scope.spawn(move || {
            half(&bogdan, link, second);
            bogdan
        });
        first_half(&annika, &first, &base);
        other.join().expect("the other grader gets through")
    });

    // The server dies between two keys; both go on, and find it again on its old port.
    server.kill();
    annika.press(&pressed(&first[60..75]));
    annika.sees("saved", "not saved, will retry");
    annika.sees("notices", "The server does not answer");
    bogdan.press(&pressed(&second[60..70]));
    bogdan.sees("saved", "not saved");
    let server = Server::start(here.path());
    assert_eq!(
        (server.base(), server.link("annika")),
        (base, None),
        "links work again as they are"
    );
    annika.press(&pressed(&first[75..]));
    annika.sees("finish-title", "Every question has an answer");
    annika.sees("saved", "saved ");
    // A page that is loaded while its marks wait sends them first.
    bogdan.go(&server.base());
    bogdan.sees("counts", "70 done");
    bogdan.press(&pressed(&second[70..]));
    bogdan.sees("finish-title", "Every question has an answer");
    bogdan.sees("saved", "saved ");

    lock(&annika);
    bogdan.sees("saved", "saved ");
    for (grader, keys) in [("annika", &first), ("bogdan", &second)] {
        let expected: Vec<Option<f64>> = keys
            .iter()
            .enumerate()
            .map(|(cell, key)| Some(label(cell, *key)))
            .collect();
        assert_eq!(project::labels(here.path(), grader), expected, "{grader}");
    }
    let marks = project::marks(here.path(), "bogdan");
    assert_eq!(
        marks.iter().filter(is_verdict).count(),
        CELLS,
        "each key is recorded once"
    );
    assert!(
        marks.iter().any(|mark| matches!(mark.act, Act::Seen { .. })),
        "time on answers is recorded"
    );
    annika.go(&server.base());
    annika.sees("notices", "This sheet is locked");
    annika.press("2");
    annika.sees("told", "nothing can be changed");
    let (code, said) = server.interrupt();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("annika locked the sheet") && said.contains("what was saved is in the ledger"),
        "{said}"
    );
}

/// Half a sheet with everything that happens to a person: undo, a reload, a second window.
fn first_half(page: &Driver, keys: &[char], base: &str) {
    page.press(&pressed(&keys[..20]));
    page.sees("counts", "20 done");
    // A slip: the wrong verdict twice, taken back, and the right one.
    let wrong = |cell: usize| if label(cell, keys[cell]) == 1.0 { '2' } else { '1' };
    page.press(&pressed(&[wrong(20), wrong(21), 'u', 'u']));
    page.sees("counts", "20 done");
    page.sees("told", "Undone: open again");
    page.press(&pressed(&keys[20..30]));
    page.sees("saved", "saved ");
    page.go(base);
    page.sees("counts", "30 done");
    page.sees("item-title", "Answer 11 of 40");
    let first = page.new_window();
    page.go(base);
    page.sees("notices", "open in another window");
    page.press(&pressed(&keys[30..45]));
    page.sees("saved", "saved ");
    page.close_window(&first);
    page.sees("notices", "open in another window");
    page.sees("counts", "45 done");
    // This window is where it was; its next open question is the one after the other window's.
    page.press("o");
    page.sees("item-title", "Answer 16 of 40");
    page.press(&pressed(&keys[45..60]));
    page.sees("counts", "60 done");
    page.sees("saved", "saved ");
}

fn half(page: &Driver, link: &str, keys: &[char]) {
    page.go(link);
    page.sees("item-title", "Answer 1 of 40");
    page.press(&pressed(&keys[..60]));
    page.sees("counts", "60 done");
    page.sees("saved", "saved ");
}

/// From the last screen to a locked sheet, without a mouse.
fn lock(page: &Driver) {
    page.press("\u{e004}\u{e007}");
    page.sees("dialog-title", "Lock this sheet?");
    page.press("\u{e004}\u{e007}");
    page.sees("finish-title", "Your sheet is locked");
}

/// Skip, flag, comment, evidence, unclear, does not apply, remapped keys: each by keyboard, each in the ledger.
#[test]
fn every_act_of_a_grader_has_a_key_and_reaches_the_ledger() {
    let Some(browser) = found("grading page acts") else {
        return;
    };
    let here = folder();
    project::write(here.path(), &[]);
    let server = Server::start(here.path());
    let page = Driver::start(&browser, here.path());
    page.go(&server.link("annika").expect("a new link"));
    page.sees("item-title", "Answer 1 of 40");
    // Keys are off while typing, and say so.
    page.press("c");
    page.sees("dialog-title", "Comment");
    page.sees("dialog-body", "keys are off while typing");
    page.press("123 not sure");
    page.press("\u{e004}\u{e007}");
    page.sees("told", "Comment kept");
    let select = "const text = document.querySelector('#response .text').firstChild; const range = document.createRange(); \
        range.setStart(text, 0); range.setEnd(text, 13); getSelection().removeAllRanges(); getSelection().addRange(range);";
    page.run(select);
    page.press("ef");
    page.sees("told", "Flagged");
    assert_eq!(
        page.run("return document.querySelector('mark').textContent"),
        "Answer number"
    );
    page.press("x");
    page.press("q");
    page.press("a");
    page.sees("item-title", "Answer 2 of 40");
    page.press("s");
    page.sees("dialog-title", "Skip");
    page.press("\u{e007}");
    page.sees("dialog-body", "A skip needs a reason");
    page.press("not my field\u{e007}");
    page.sees("counts", "1 skipped");
    remap(&page);
    page.sees("saved", "saved ");
    let marks = project::marks(here.path(), "annika");
    let acts: Vec<&str> = marks
        .iter()
        .map(|mark| mark.act.word())
        .filter(|word| *word != "seen")
        .collect();
    let expected = [
        "comment",
        "evidence",
        "flag",
        "cannot_assess",
        "unclear",
        "not_applicable",
        "skip",
        "verdict",
    ];
    assert_eq!(acts, expected);
    let sheet = Sheet::of(&marks);
    let unit = &marks[0].unit;
    let first = sheet.cell(unit, "red_flags").expect("the first cell");
    assert_eq!(first.comment.as_deref(), Some("123 not sure"));
    let evidence = first.evidence.as_ref().expect("evidence");
    assert_eq!(
        (evidence.start, evidence.end, evidence.quote.as_str()),
        (0, 13, "Answer number")
    );
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// Another key for "met", refused while something else has it; kept by the browser.
fn remap(page: &Driver) {
    page.press("?");
    page.sees("dialog-title", "Keys");
    let focus = "document.querySelector('[data-change=\"met\"]').focus()";
    page.run(focus);
    page.press("\u{e007}");
    page.press("f");
    page.sees("dialog-body", "F is taken by");
    page.press("\u{e007}");
    page.press("k");
    page.sees("dialog-body", "Met: K");
    page.press("\u{e00c}");
    page.press("1");
    page.press("k");
    page.sees("told", "question 2: met");
}

/// PROTOCOLS 9, lines 2 to 5: texts that would run, load or hide something.
#[test]
fn hostile_answers_are_text_and_huge_ones_stay_usable() {
    let Some(browser) = found("hostile answers") else {
        return;
    };
    let here = folder();
    let lines = "All work and no play makes a long line of text.\n".repeat(4_200);
    let one = "x".repeat(200_000);
    let texts: Vec<&str> = HOSTILE.iter().copied().chain([lines.as_str(), one.as_str()]).collect();
    project::write(here.path(), &texts);
    let server = Server::start(here.path());
    let page = Driver::start(&browser, here.path());
    page.go(&server.link("bogdan").expect("a new link"));
    let mut shown = String::new();
    let mut slowest = Duration::ZERO;
    for place in 1..=40 {
        page.sees("item-title", &format!("Answer {place} of 40"));
        shown.push_str(&page.text("response"));
        let start = Instant::now();
        page.press("121");
        slowest = slowest.max(start.elapsed());
    }
    page.sees("finish-title", "Every question has an answer");
    for visible in [
        "<script>document.title='owned'</script><img src=http://fetched.invalid/x",
        "</script><script>document.title='owned'</script><!--<script>",
        "⟨U+202E right-to-left override⟩txet⟨U+202C end of direction⟩",
        "⟨U+200B zero-width space ×2⟩",
        "⟨U+E0041, U+E0042⟩",
        "a⟨U+2028 line separator⟩b⟨U+2029 paragraph separator⟩c",
        "⟨U+0000 null, U+0007, U+001B⟩[31mred⟨U+009B⟩31m",
        "👨\u{200d}👩\u{200d}👧 مي\u{200c}خواهم שלום",
    ] {
        assert!(shown.contains(visible), "{visible} is not on the page");
    }
    assert!(
        !shown.contains(['\u{202e}', '\u{200b}', '\u{2028}']),
        "nothing hidden is left"
    );
    assert!(
        shown.contains(&one) && shown.contains(lines.trim_end()),
        "long texts are whole"
    );
    assert_eq!(page.title(), "Advice on abdominal pain", "nothing ran");
    let foreign =
        "return document.querySelectorAll('img, iframe, object, link, main script, main style, main a').length";
    assert_eq!(page.run(foreign), 0);
    assert_eq!(
        page.complaints(),
        Vec::<String>::new(),
        "nothing was blocked, because nothing was tried"
    );
    // Three verdicts with everything drawn, through a WebDriver on a busy machine; alone it takes a tenth.
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
}

/// The same page as a file: no server, no network, results in a file that another machine can go on from.
#[test]
fn the_file_works_from_disk_and_gives_its_marks_back() {
    let Some(browser) = found("offline sheet") else { return };
    let here = folder();
    project::write(here.path(), &HOSTILE);
    let sheet = here.path().join("sheet.html");
    let exercise = write_sheet(here.path(), &sheet);
    let address = format!("file://{}", sheet.display());
    let result = {
        let page = Driver::start(&browser, here.path());
        page.go(&address);
        page.press("12");
        page.press("3");
        page.sees("saved", "3 not in a saved file");
        page.go(&address);
        page.sees("counts", "3 done");
        no_network(&page);
        page.run("document.getElementById('save-file').click()");
        page.sees("saved", "kept in this browser");
        saved_result(here.path())
    };
    assert_eq!(
        (&result["exercise"], &result["grader"]),
        (&Value::from(exercise), &Value::from("annika"))
    );
    let marks: Vec<Mark> = serde_json::from_value(result["marks"].clone()).expect("marks");
    assert_eq!(marks.iter().filter(is_verdict).count(), 3);
    assert_eq!(
        (&result["format"], &result["finished"]),
        (&"calibrant.marks/1".into(), &false.into())
    );
    // Another browser, another machine: the result is opened, and grading goes on from there.
    let page = Driver::start(&browser, here.path());
    page.go(&address);
    page.sees("counts", "0 done");
    page.choose("file", &here.path().join("result.json"));
    page.sees("counts", "3 done");
    page.sees("item-title", "Answer 2 of 40");
    assert_eq!(page.title(), "Advice on abdominal pain");
}

/// Writes the sheet of the first grader as a file; returns the id of the exercise.
fn write_sheet(folder: &Path, to: &Path) -> String {
    let grading = Grading::open(&GradingRequest {
        dir: folder.join("grading"),
        ledger: folder.join("verdicts.db"),
        round: None,
        rubric: Some(folder.join("rubric.yaml")),
        responses: Some(folder.join("responses.jsonl")),
        queries: Some(folder.join("queries.jsonl")),
        graders: GRADERS.map(str::to_owned).to_vec(),
        sample: SampleOptions::default(),
    })
    .expect("a round");
    let paper = grading.paper("annika").expect("a paper");
    fs::write(to, calibrant_report::sheet::offline(&paper)).expect("the sheet");
    paper.exercise
}

/// Whatever a script on the page tried, its policy lets nothing out.
fn no_network(page: &Driver) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.set_nonblocking(true).expect("it does not wait");
    let port = listener.local_addr().expect("its address").port();
    let script = format!(
        "fetch('http://127.0.0.1:{port}/').catch(() => 0); new Image().src = 'http://127.0.0.1:{port}/'; \
         navigator.sendBeacon && navigator.sendBeacon('http://127.0.0.1:{port}/', 'x');"
    );
    page.run(&script);
    sleep(Duration::from_millis(500));
    assert!(listener.accept().is_err(), "something left the page");
    let blocked = page.complaints();
    assert!(
        blocked.iter().any(|line| line.contains("Content Security Policy")),
        "{blocked:?}"
    );
}

/// The result as the browser saved it, also kept as `result.json`.
fn saved_result(folder: &Path) -> Value {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(15) {
        let names = fs::read_dir(folder)
            .expect("the folder")
            .flatten()
            .map(|entry| entry.file_name());
        let found = names.into_iter().find(|name| {
            let name = name.to_string_lossy();
            name.starts_with("result-annika-") && name.ends_with(".json")
        });
        let text = found.and_then(|name| fs::read_to_string(folder.join(name)).ok());
        if let Some(result) = text.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
            fs::write(folder.join("result.json"), text.unwrap_or_default()).expect("a copy");
            return result;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("no result was saved");
}
