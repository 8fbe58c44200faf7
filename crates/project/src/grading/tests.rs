use std::fs;
use std::path::Path;

use calibrant_schema::exercise::{Act, Decision, Mark};
use calibrant_schema::{Rubric, Status};
use calibrant_store::ledger::{Cards, Cell, Reading};
use calibrant_store::tables::Scales;

use super::*;
use crate::error::ProjectError;

const RUBRIC: &str = "\
rubric: letters
roll_up: all
criteria:
  - id: dated
    question: Does the answer give the date by day and month?
    pass_example: by 28 May
    fail_example: in four weeks
    weight: 4
  - id: short
    question: Is it at most 50 words?
    check: {max_words: 50}
  - id: names_form
    question: Does the answer name the form?
    query: q1
  - id: tone
    question: How is the tone?
    scale: {levels: [{value: 1, anchor: rude}, {value: 2}, {value: 3, anchor: kind}]}
    monitor: true
";

/// A project folder with a rubric, queries, and an answer of each of four systems to each of six queries.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = Place { folder };
        place.write("rubric.yaml", RUBRIC);
        let queries: String = (0..6)
            .map(|q| format!("{{\"query\": \"q{q}\", \"prompt\": \"May I file late? ({q})\"}}\n"))
            .collect();
        place.write("queries.jsonl", &queries);
        place.write_responses("");
        place
    }

    fn write_responses(&self, ending: &str) {
        let mut rows = String::new();
        for (system, query) in (0..4).flat_map(|s| (0..6).map(move |q| (s, q))) {
            rows += &format!(
                "{{\"system\": \"secret-{system}\", \"query\": \"q{query}\", \"response\": \"Pay by {} May.{ending}\"}}\n",
                system * 7 + query + 1
            );
        }
        self.write("responses.jsonl", &rows);
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("the folder is writable");
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn request(&self) -> GradingRequest {
        GradingRequest {
            dir: self.path().join("grading"),
            ledger: self.path().join("verdicts.db"),
            round: None,
            rubric: Some(self.path().join("rubric.yaml")),
            responses: Some(self.path().join("responses.jsonl")),
            queries: Some(self.path().join("queries.jsonl")),
            graders: vec!["ana".to_owned(), "ben".to_owned()],
            sample: SampleOptions {
                answers: 8,
                seed: 5,
                ..SampleOptions::default()
            },
        }
    }

    /// A round that exists, opened with nothing but its folder.
    fn again(&self) -> GradingRequest {
        GradingRequest {
            rubric: None,
            responses: None,
            queries: None,
            graders: Vec::new(),
            ..self.request()
        }
    }
}

fn opened(request: &GradingRequest) -> Grading {
    Grading::open(request).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal<T>(result: Result<T, ProjectError>) -> String {
    match result.err().expect("it is refused") {
        ProjectError::Refused(diagnostic) => {
            assert!(!diagnostic.help.is_empty());
            diagnostic.id.to_owned()
        }
        other => panic!("{other}"),
    }
}

fn mark(unit: &str, criterion: &str, act: Act, nth: u64) -> Mark {
    Mark {
        unit: unit.to_owned(),
        criterion: Some(criterion.to_owned()),
        act,
        at: "2026-05-09T08:00:00Z".to_owned(),
        nth,
    }
}

/// A mark for every cell of a grader's sheet.
fn marks_of_all(grading: &Grading, grader: &str, label: f64) -> Vec<Mark> {
    let paper = grading.paper(grader).expect("a sheet");
    let mut marks = Vec::new();
    for unit in &paper.units {
        for at in &unit.criteria {
            let criterion = &paper.criteria[*at as usize].criterion;
            let act = match criterion.as_str() {
                "tone" => Act::Skip {
                    reason: "not asked for".to_owned(),
                },
                _ => Act::Verdict { label },
            };
            marks.push(mark(&unit.unit, criterion, act, marks.len() as u64 + 1));
        }
    }
    marks
}

fn locked(grading: &Grading) {
    for (grader, label) in [("ana", 1.0), ("ben", 0.0)] {
        grading
            .record(grader, marks_of_all(grading, grader, label))
            .expect("all cells");
        grading.lock(grader).expect("all cells are decided");
    }
}

#[test]
fn a_paper_is_blind_and_complete() {
    let place = Place::new();
    let grading = opened(&place.request());
    let ana = grading.paper("ana").expect("a sheet");
    let text = serde_json::to_string(&ana).expect("a paper is JSON");
    for hidden in ["secret", "weight", "\"q1\"", "ben", "monitor", "max_words", "responses"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    let asked: Vec<&str> = ana.criteria.iter().map(|of| of.criterion.as_str()).collect();
    assert_eq!(asked, ["dated", "names_form", "tone"], "what code decides is not asked");
    assert_eq!(ana.units.len(), 8);
    for unit in &ana.units {
        let of_q1 = unit.prompt[0].text.ends_with("(1)");
        assert_eq!(unit.criteria, if of_q1 { vec![0, 1, 2] } else { vec![0, 2] });
    }
    let ids = |grader: &str| -> Vec<String> {
        let paper = grading.paper(grader).expect("a sheet");
        paper.units.into_iter().map(|unit| unit.unit).collect()
    };
    let (mut a, mut b) = (ids("ana"), ids("ben"));
    assert_ne!(a, b, "each grader has an order");
    a.sort();
    b.sort();
    assert_eq!(a, b);
    let exercise = grading.exercise();
    for system in 0..4 {
        let of_system = exercise
            .units
            .iter()
            .filter(|unit| unit.system == format!("secret-{system}"));
        assert_eq!(of_system.count(), 2, "8 answers of 4 systems");
    }
    assert_eq!(refusal(grading.paper("eve")), "unknown-grader");
}

#[test]
fn a_round_is_opened_again_as_it_was_made() {
    let place = Place::new();
    let first = opened(&place.request());
    let (exercise, paper) = (first.exercise().clone(), first.paper("ben").expect("a sheet"));
    drop(first);
    for request in [place.request(), place.again()] {
        let again = opened(&request);
        assert_eq!(again.exercise(), &exercise);
        assert_eq!(again.paper("ben").expect("a sheet"), paper);
    }
    assert_eq!(rounds(&place.path().join("grading")).expect("a folder"), [1]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = round_folder(&place.path().join("grading"), 1);
        for name in ["exercise.json", "units.jsonl", "rubric.yaml"] {
            let mode = fs::metadata(folder.join(name))
                .expect("it is there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
    let other = GradingRequest {
        graders: vec!["ana".to_owned(), "eve".to_owned()],
        ..place.request()
    };
    assert_eq!(refusal(Grading::open(&other)), "other-graders");
}

#[test]
fn marks_become_verdicts_and_every_change_of_mind_stays() {
    let place = Place::new();
    let grading = opened(&place.request());
    let paper = grading.paper("ana").expect("a sheet");
    let unit = paper.units[0].unit.as_str();
    let acts = vec![
        mark(
            unit,
            "dated",
            Act::Comment {
                text: "which year?".to_owned(),
            },
            1,
        ),
        mark(unit, "dated", Act::Verdict { label: 1.0 }, 2),
        mark(unit, "dated", Act::Withdraw, 3),
        mark(unit, "dated", Act::Withdraw, 4),
        mark(unit, "dated", Act::CannotAssess, 5),
        mark(unit, "dated", Act::Flag, 6),
        mark(unit, "tone", Act::Verdict { label: 3.0 }, 7),
    ];
    let taken = grading.record("ana", acts.clone()).expect("they can stand");
    assert_eq!(
        taken,
        Taken {
            recorded: 7,
            known: 0,
            last: 7
        }
    );
    assert_eq!(grading.marks("ana").expect("read"), acts);
    let of = grading.exercise().unit(unit).expect("a unit");
    let cell = Cell {
        system: of.system.clone(),
        query: of.query.clone(),
        sample: "1".to_owned(),
        criterion: "dated".to_owned(),
        judge: "ana".to_owned(),
        repeat: 1,
    };
    let history = grading.ledger().history(&cell).expect("read");
    let said: Vec<_> = history
        .iter()
        .map(|row| (row.entry.status, row.entry.label, row.entry.withdrawn))
        .collect();
    let expected = [
        (Status::Ok, Some(1.0), false),
        (Status::Skipped, None, true),
        (Status::CannotAssess, None, false),
        (Status::CannotAssess, None, false),
    ];
    assert_eq!(said, expected, "an open cell that is opened again says nothing");
    let last = &history[3].entry;
    assert_eq!(
        (last.comment.as_deref(), last.flags.as_deref()),
        (Some("which year?"), Some("flagged"))
    );
    assert_eq!(last.exercise.as_deref(), Some(grading.exercise().id.as_str()));
    assert_eq!(
        grading
            .ledger()
            .current(&cell, last.verdict_key.expect("people have keys"))
            .expect("read")
            .map(|row| row.row),
        Some(history[3].row)
    );

    let again = grading.record("ana", acts[3..].to_vec()).expect("a retry");
    assert_eq!(
        again,
        Taken {
            recorded: 0,
            known: 4,
            last: 7
        }
    );
    let clash = mark(unit, "dated", Act::Verdict { label: 0.0 }, 7);
    assert_eq!(refusal(grading.record("ana", vec![clash])), "sheet-moved");
    let twice = vec![
        mark(unit, "tone", Act::Flag, 8),
        mark(unit, "tone", Act::Flag, 8),
        mark(unit, "tone", Act::Unflag, 9),
    ];
    assert_eq!(
        grading.record("ana", twice).expect("one of them is a retry").recorded,
        2
    );
    let wrong = vec![
        mark(unit, "dated", Act::Verdict { label: 1.0 }, 10),
        mark(unit, "tone", Act::Verdict { label: 4.0 }, 11),
    ];
    assert_eq!(refusal(grading.record("ana", wrong)), "wrong-mark");
    assert_eq!(grading.sheet("ana").expect("read").last(), 9, "all or none");
}

#[test]
fn nothing_of_one_grader_reaches_another_before_every_sheet_is_locked() {
    let place = Place::new();
    let grading = opened(&place.request());
    let all = marks_of_all(&grading, "ana", 1.0);
    let unit = all[0].unit.clone();
    grading.record("ana", all).expect("all cells");
    grading
        .record(
            "ana",
            vec![mark(
                &unit,
                "dated",
                Act::Comment {
                    text: "telling".to_owned(),
                },
                900,
            )],
        )
        .expect("a comment");
    grading.lock("ana").expect("all cells are decided");

    // As ben, with every function that takes a grader.
    assert_eq!(grading.marks("ben").expect("his own"), []);
    assert_eq!(grading.sheet("ben").expect("his own").units().count(), 0);
    assert_eq!(grading.locked("ben").expect("his own"), None);
    let paper = serde_json::to_string(&grading.paper("ben").expect("his own")).expect("JSON");
    assert!(!paper.contains("telling") && !paper.contains("ana"));
    let taken = grading
        .record("ben", vec![mark(&unit, "dated", Act::Verdict { label: 0.0 }, 1)])
        .expect("his own");
    assert_eq!(
        taken,
        Taken {
            recorded: 1,
            known: 0,
            last: 1
        }
    );
    assert_eq!(refusal(grading.lock("ben")), "sheet-undecided");
    // And with those that speak of all.
    assert_eq!(refusal(grading.sheets()), "round-open");
    let scales = Scales::default();
    let reading = Reading {
        exercise: None,
        judges: None,
        cards: None,
        scales: &scales,
    };
    let selected = grading.ledger().verdicts(&reading).expect("read");
    assert!(selected.verdicts.is_empty() && selected.counts.open > 0);

    assert_eq!(
        refusal(grading.record("ana", vec![mark(&unit, "dated", Act::Withdraw, 901)])),
        "sheet-locked"
    );
    assert_eq!(refusal(grading.lock("ana")), "sheet-locked");
    let mut rest = marks_of_all(&grading, "ben", 0.0);
    rest.iter_mut().for_each(|mark| mark.nth += 1);
    grading.record("ben", rest).expect("all cells");
    let done = grading.lock("ben").expect("all cells are decided");
    assert_eq!(done.skipped, 8, "the tone of every answer");
    let sheets = grading.sheets().expect("every sheet is locked");
    let said = |at: usize| sheets[at].1.decision(&unit, "dated").cloned();
    assert_eq!(
        (said(0), said(1)),
        (Some(Decision::Label(1.0)), Some(Decision::Label(0.0)))
    );
    assert!(!grading.ledger().verdicts(&reading).expect("read").verdicts.is_empty());
}

#[test]
fn a_change_while_sheets_are_open_is_refused_and_after_the_last_lock_taken() {
    let place = Place::new();
    drop(opened(&place.request()));
    let reworded = RUBRIC.replace("by day and month?", "by day, month and year?");
    place.write("rubric.yaml", &reworded.replace("weight: 4", "weight: 9"));
    assert_eq!(refusal(Grading::open(&place.request())), "round-changed");
    assert_eq!(
        refusal(Grading::open(&GradingRequest {
            round: Some(3),
            ..place.request()
        })),
        "round-order"
    );
    place.write("rubric.yaml", &RUBRIC.replace("weight: 4", "weight: 9"));
    drop(opened(&place.request())); // A weight is on no card.
    place.write_responses(" Or later.");
    assert_eq!(refusal(Grading::open(&place.request())), "round-changed");
    let grading = opened(&place.again());
    locked(&grading);
    drop(grading);
    place.write("rubric.yaml", &reworded);
    let grading = opened(&place.request());
    let then = Cards::of(grading.rubric()).hash("dated", "q0");
    let now = Cards::of(&Rubric::parse_yaml(&reworded, "rubric.yaml").expect("a rubric").0).hash("dated", "q0");
    assert_ne!(then, now, "the round keeps the rubric its graders saw");
}

#[test]
fn a_second_round_takes_new_answers_or_the_same() {
    let place = Place::new();
    let answers = |grading: &Grading| {
        let units = grading.exercise().units.iter();
        units
            .map(|unit| (unit.system.clone(), unit.query.clone()))
            .collect::<Vec<_>>()
    };
    let round = |number, units| GradingRequest {
        round: Some(number),
        sample: SampleOptions {
            units,
            ..place.request().sample
        },
        ..place.request()
    };
    assert_eq!(refusal(Grading::open(&round(1, Units::Same))), "no-round-before");
    let first = answers(&opened(&round(1, Units::New)));
    let second = opened(&round(2, Units::New));
    assert!(answers(&second).iter().all(|answer| !first.contains(answer)));
    let third = opened(&round(3, Units::Same));
    assert_eq!(answers(&third), answers(&second));
    let ids = |grading: &Grading| {
        grading
            .exercise()
            .units
            .iter()
            .map(|unit| unit.id.clone())
            .collect::<Vec<_>>()
    };
    assert_ne!(ids(&third), ids(&second), "under other ids");
    assert_eq!(opened(&place.again()).exercise().round, 3, "the newest round");
}

#[test]
fn retested_answers_have_cells_of_their_own() {
    let place = Place::new();
    let request = GradingRequest {
        sample: SampleOptions {
            retest: 3,
            ..place.request().sample
        },
        ..place.request()
    };
    let grading = opened(&request);
    assert_eq!(grading.exercise().units.len(), 11);
    locked(&grading);
    let again = grading.exercise().units.iter().filter(|unit| unit.repeat == 2).count();
    assert_eq!(again, 3);
    let scales = Scales::default();
    let reading = Reading {
        exercise: None,
        judges: None,
        cards: None,
        scales: &scales,
    };
    let verdicts = grading.ledger().verdicts(&reading).expect("read").verdicts;
    assert!(verdicts.rows().any(|row| row.repeat == 2));
    assert_eq!(
        grading.progress().expect("read")[0].cells,
        grading.paper("ana").expect("a sheet").cells()
    );
}

#[test]
fn hostile_names_stay_names() {
    let place = Place::new();
    let ids = ["../../etc/passwd", "CON", "\u{202e}txt.exe", "<script>", "=1+1"];
    let long = "x".repeat(10_000);
    let mut rows = String::new();
    for id in ids.iter().copied().chain([long.as_str()]) {
        let row = serde_json::json!({"system": id, "query": id, "sample": id, "response": "\u{0}</script>"});
        rows += &format!("{row}\n");
    }
    place.write("responses.jsonl", &rows);
    let grading = opened(&place.request());
    locked(&grading);
    let names: Vec<_> = fs::read_dir(place.path().join("grading")).expect("a folder").collect();
    assert_eq!(names.len(), 1, "no id became a name of a file");
    for grader in [
        "",
        " ana",
        "../ana",
        "a\u{0}",
        "a\u{202e}",
        ".ana",
        "a,b",
        "CON/x",
        "Code",
        &"x".repeat(65),
    ] {
        let request = GradingRequest {
            round: Some(2),
            graders: vec![grader.to_owned()],
            ..place.request()
        };
        assert_eq!(refusal(Grading::open(&request)), "grader", "{grader:?}");
    }
    let request = GradingRequest {
        round: Some(2),
        graders: vec!["Ana".to_owned(), "ana".to_owned()],
        ..place.request()
    };
    assert_eq!(refusal(Grading::open(&request)), "grader");
}

#[test]
fn a_damaged_folder_is_refused() {
    let place = Place::new();
    drop(opened(&place.request()));
    let folder = round_folder(&place.path().join("grading"), 1);
    for name in ["units.jsonl", "rubric.yaml", "exercise.json"] {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).expect("it is there");
        for damaged in [
            text.replacen("May", "June", 1)
                .replacen("day", "week", 1)
                .replacen("\"order\": [", "\"order\": [7,", 1),
            String::new(),
        ] {
            assert_ne!(damaged, text);
            fs::write(&path, damaged).expect("it is ours");
            assert!(Grading::open(&place.again()).is_err(), "{name}");
        }
        fs::write(&path, text).expect("it is ours");
    }
    opened(&place.again());
}

#[test]
fn a_round_is_not_opened_with_a_ledger_that_never_saw_it() {
    let place = Place::new();
    drop(opened(&place.request()));
    let elsewhere = GradingRequest {
        ledger: place.path().join("other.db"),
        ..place.request()
    };
    assert_eq!(refusal(Grading::open(&elsewhere)), "other-ledger");
    assert!(!elsewhere.ledger.exists(), "none was made");
    drop(calibrant_store::ledger::Ledger::open(&elsewhere.ledger).expect("a new ledger"));
    assert_eq!(refusal(Grading::open(&elsewhere)), "other-ledger");
    assert_eq!(refusal(status(&elsewhere.dir, &elsewhere.ledger, None)), "other-ledger");
    assert_eq!(refusal(status(&elsewhere.dir, &elsewhere.ledger, Some(2))), "no-round");
    let stand = status(&elsewhere.dir, &place.request().ledger, None).expect("one round");
    assert_eq!(
        (stand.len(), stand[0].all_locked(), stand[0].sheets[1].left),
        (1, false, stand[0].sheets[1].cells)
    );
}

#[test]
fn a_map_that_was_edited_is_refused() {
    let place = Place::new();
    let file = opened(&place.request()).folder().join("exercise.json");
    let text = fs::read_to_string(&file).expect("the map");
    // A grader struck out would no longer hold the round open; a system renamed would get another's verdicts.
    for (from, to) in [("\"ben\"", "\"eve\""), ("secret-1", "secret-2")] {
        let edited = text.replace(from, to);
        assert_ne!(edited, text);
        fs::write(&file, edited).expect("an edit");
        assert_eq!(refusal(Grading::open(&place.again())), "round-unreadable");
    }
    fs::write(&file, text).expect("the map as it was");
    opened(&place.again());
}

#[test]
fn two_processes_may_hold_one_sheet() {
    let place = Place::new();
    let (page, sheet) = (opened(&place.request()), opened(&place.request()));
    let all = marks_of_all(&page, "ana", 1.0);
    page.record("ana", all[..2].to_vec()).expect("the first cells");
    assert_eq!(
        refusal(sheet.record(
            "ana",
            vec![Mark {
                nth: 1,
                ..all[4].clone()
            }]
        )),
        "sheet-moved"
    );
    let next = sheet.sheet("ana").expect("read").last() + 1;
    sheet
        .record(
            "ana",
            vec![Mark {
                nth: next,
                ..all[4].clone()
            }],
        )
        .expect("after reading it again");
    assert_eq!(page.marks("ana").expect("read").len(), 3);
}
