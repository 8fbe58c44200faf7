//! The ledger: what is recorded stays, and the newest row of today's question is current.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use calibrant_schema::canonical::Hash;
use calibrant_schema::exercise::{Act, Mark};
use calibrant_schema::resolution::{Outcome, Resolution};
use calibrant_schema::{Rubric, Status};
use calibrant_store::ledger::{
    Cards, Cell, Entry, Ledger, LedgerError, Lock, MarkBatch, Reading, VerdictSource, content_hash, is_ledger,
};
use calibrant_store::tables::Scales;
use proptest::prelude::*;
use rusqlite::Connection;

fn cell(criterion: &str) -> Cell {
    Cell {
        system: "s".to_owned(),
        query: "q".to_owned(),
        sample: "1".to_owned(),
        criterion: criterion.to_owned(),
        judge: "ana".to_owned(),
        repeat: 1,
    }
}

fn verdict(criterion: &str, label: f64) -> Entry {
    Entry::new(cell(criterion), Status::Ok, Some(label))
}

fn withdrawal(criterion: &str) -> Entry {
    Entry {
        withdrawn: true,
        ..Entry::new(cell(criterion), Status::Ok, None)
    }
}

fn fresh_ledger(folder: &Path) -> Ledger {
    Ledger::open(&folder.join("verdicts.db")).expect("a new ledger in a new folder")
}

/// The current label of each criterion of the one response.
fn labels(ledger: &Ledger, cards: Option<&Cards>) -> BTreeMap<String, f64> {
    let scales = Scales::default();
    let reading = Reading {
        exercise: None,
        judges: None,
        cards,
        scales: &scales,
    };
    let selected = ledger.verdicts(&reading).expect("it can be read");
    let verdicts = &selected.verdicts;
    let rows = verdicts.rows().map(|row| {
        let item = verdicts.items()[row.item as usize];
        let level = row.level.expect("labels only");
        (verdicts.criteria().get(item.criterion).to_owned(), f64::from(level))
    });
    rows.collect()
}

#[test]
fn every_field_comes_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let full = Entry {
        cell: Cell {
            system: "../\u{0}\u{202e}sys".to_owned(),
            query: "q'; DROP TABLE verdict; --".to_owned(),
            sample: "ü".repeat(5_000),
            criterion: String::new(),
            judge: "x".repeat(10_000),
            repeat: u16::MAX,
        },
        label: Some(0.1 + 0.2),
        status: Status::Ok,
        withdrawn: false,
        probability: Some(0.75),
        source: Some(VerdictSource::Logprob),
        reason: Some("line\u{0}one\nline two".to_owned()),
        evidence: Some("28 May".to_owned()),
        comment: Some("\u{1b}[31m".to_owned()),
        flags: Some("flagged".to_owned()),
        raw: Some("{}".to_owned()),
        rubric_hash: Some(Hash::of_bytes(b"rubric")),
        card_hash: Some(Hash::of_bytes(b"card")),
        verdict_key: Some(Hash::of_bytes(b"key")),
        model_answered: Some("example-model".to_owned()),
        finish_reason: Some("length".to_owned()),
        attempts: Some(3),
        tokens_in: Some(900),
        tokens_cached: Some(800),
        tokens_out: Some(u64::from(u32::MAX) + 1),
        cost_usd: Some(0.0003),
        latency_ms: Some(412),
        position: Some(2),
        step: Some(7),
        exercise: Some("e".to_owned()),
        judged_at: Some("2026-05-09T08:00:00Z".to_owned()),
    };
    let receipt = ledger.record(vec![full.clone()]).expect("hostile names are names");
    let history = ledger.history(&full.cell).expect("it can be read");
    assert_eq!(history.len(), 1);
    assert_eq!((history[0].row, receipt.rows), (receipt.first, 1));
    assert_eq!(history[0].entry, full);
    assert_eq!(ledger.find_by_key(Hash::of_bytes(b"key")).expect("read")[0].entry, full);
    assert_eq!(ledger.find_by_key(Hash::of_bytes(b"other")).expect("read"), []);
    assert_eq!(ledger.history(&cell("never")).expect("read"), []);
}

#[test]
fn the_newest_row_of_todays_question_is_current() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let (old, new) = (Hash::of_bytes(b"old"), Hash::of_bytes(b"new"));
    let keyed = |label, key| Entry {
        verdict_key: Some(key),
        ..verdict("c", label)
    };
    ledger
        .record(vec![keyed(1.0, old), keyed(0.0, new), keyed(1.0, new)])
        .expect("recorded");
    let current = |key| {
        ledger
            .current(&cell("c"), key)
            .expect("read")
            .map(|row| row.entry.label)
    };
    assert_eq!((current(old), current(new)), (Some(Some(1.0)), Some(Some(1.0))));
    assert_eq!(current(Hash::of_bytes(b"third")), None, "asked anew");
    let back = Entry {
        verdict_key: Some(new),
        ..withdrawal("c")
    };
    ledger.record(vec![back]).expect("recorded");
    assert_eq!((current(old), current(new)), (Some(Some(1.0)), None));
    assert_eq!(ledger.find_by_key(new).expect("read"), []);
    ledger.record(vec![verdict("c", 0.0)]).expect("recorded");
    assert_eq!(
        current(Hash::of_bytes(b"third")),
        Some(Some(0.0)),
        "an imported row is never stale"
    );
    assert_eq!(ledger.history(&cell("c")).expect("read").len(), 5);
}

#[test]
fn rows_of_another_card_are_left_out_and_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let rubric = |question: &str| {
        let text = format!("criteria:\n  - id: a\n    question: {question}\n  - id: b\n    question: Is it short?\n");
        Rubric::parse_yaml(&text, "rubric.yaml").expect("a rubric").0
    };
    let (before, after) = (rubric("Is it dated?"), rubric("Is it dated by day and month?"));
    let given = |criterion: &str, label, rubric: &Rubric| Entry {
        card_hash: Cards::of(rubric).hash(criterion, "q"),
        verdict_key: Some(Hash::of_bytes(criterion.as_bytes())),
        ..verdict(criterion, label)
    };
    ledger
        .record(vec![given("a", 1.0, &before), given("b", 0.0, &before)])
        .expect("recorded");
    let today = Cards::of(&after);
    assert_eq!(
        labels(&ledger, None),
        BTreeMap::from([("a".into(), 1.0), ("b".into(), 0.0)])
    );
    assert_eq!(labels(&ledger, Some(&today)), BTreeMap::from([("b".into(), 0.0)]));
    let reading = |cards| {
        let scales = Scales::default();
        let reading = Reading {
            exercise: None,
            judges: None,
            cards,
            scales: &scales,
        };
        ledger.verdicts(&reading).expect("read").counts
    };
    assert_eq!(reading(Some(&today)).stale, BTreeMap::from([("a".to_owned(), 1)]));
    ledger.record(vec![given("a", 0.0, &after)]).expect("recorded");
    assert_eq!(
        labels(&ledger, Some(&today)),
        BTreeMap::from([("a".into(), 0.0), ("b".into(), 0.0)])
    );
    assert_eq!(reading(Some(&today)).stale, BTreeMap::new());
    assert_eq!(
        labels(&ledger, Some(&Cards::of(&before)))["a"],
        1.0,
        "the rubric went back, and so do the verdicts"
    );
}

#[test]
fn what_no_verdict_can_say_is_refused_and_nothing_of_its_batch_is_added() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let wrong = [
        Entry::new(cell("c"), Status::Ok, None),
        Entry::new(cell("c"), Status::Refused, Some(0.0)),
        verdict("c", f64::NAN),
        Entry {
            label: Some(1.0),
            ..withdrawal("c")
        },
        Entry {
            cell: Cell { repeat: 0, ..cell("c") },
            ..verdict("c", 1.0)
        },
    ];
    for entry in wrong {
        let error = ledger
            .record(vec![verdict("c", 1.0), entry])
            .expect_err("it cannot stand");
        assert!(matches!(error, LedgerError::WrongEntry { .. }), "{error}");
        assert!(error.to_string().contains("criterion `c`"), "{error}");
    }
    assert_eq!(ledger.history(&cell("c")).expect("read"), []);
    assert_eq!(ledger.record(Vec::new()).expect("nothing to do").rows, 0);
}

fn mark(nth: u64, act: Act) -> Mark {
    Mark {
        unit: "0f".to_owned(),
        criterion: Some("c".to_owned()),
        act,
        at: "2026-05-09T08:00:00Z".to_owned(),
        nth,
    }
}

fn batch(after: u64, marks: Vec<Mark>) -> MarkBatch {
    MarkBatch {
        exercise: "e".to_owned(),
        grader: "ana".to_owned(),
        after,
        entries: marks.iter().map(|_| verdict("c", 1.0)).collect(),
        marks,
    }
}

#[test]
fn marks_build_on_what_their_sender_knew_and_a_locked_sheet_stays() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let marks = vec![
        mark(1, Act::Verdict { label: 1.0 }),
        mark(
            4,
            Act::Skip {
                reason: "\u{0}".to_owned(),
            },
        ),
    ];
    ledger.record_marks(batch(0, marks.clone())).expect("the first marks");
    assert_eq!(ledger.marks("e", "ana").expect("read"), marks);
    assert_eq!(ledger.marks("e", "ben").expect("read"), []);
    let moved = |batch| matches!(ledger.record_marks(batch), Err(LedgerError::Moved { last: 4, .. }));
    assert!(
        moved(batch(0, vec![mark(1, Act::Flag)])),
        "sent by someone who saw an empty sheet"
    );
    assert!(
        moved(batch(4, vec![mark(4, Act::Flag)])),
        "a counter that does not rise"
    );
    assert!(ledger.record_marks(batch(4, vec![mark(u64::MAX, Act::Flag)])).is_err());
    assert_eq!(
        ledger.history(&cell("c")).expect("read").len(),
        2,
        "a refused batch adds no verdict"
    );

    let lock = |grader: &str, after| Lock {
        exercise: "e".to_owned(),
        grader: grader.to_owned(),
        after,
        at: "2026-05-09T09:00:00Z".to_owned(),
    };
    assert!(matches!(ledger.lock(lock("ana", 1)), Err(LedgerError::Moved { .. })));
    ledger
        .lock(lock("ana", 4))
        .expect("the sheet is as the sender knows it");
    let refused = ledger
        .record_marks(batch(4, vec![mark(5, Act::Withdraw)]))
        .expect_err("it is locked");
    assert!(matches!(refused, LedgerError::Locked { .. }), "{refused}");
    assert!(matches!(ledger.lock(lock("ana", 4)), Err(LedgerError::Locked { .. })));
    let locked = vec![("ana".to_owned(), "2026-05-09T09:00:00Z".to_owned())];
    assert_eq!(ledger.locked("e").expect("read"), locked);
    assert_eq!(ledger.locked("other").expect("read"), []);
}

#[test]
fn verdicts_of_a_round_are_left_out_until_every_sheet_is_locked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let of_round = |exercise: &str, criterion: &str| Entry {
        exercise: Some(exercise.to_owned()),
        ..verdict(criterion, 1.0)
    };
    let rows = vec![of_round("e", "graded"), of_round("other", "judged"), verdict("c", 1.0)];
    ledger.record(rows).expect("recorded");
    for _ in 0..2 {
        ledger
            .open_round("e", &["ana".to_owned(), "ben".to_owned()])
            .expect("recorded");
    }
    assert_eq!(ledger.sheets("e").expect("read"), ["ana", "ben"]);
    assert_eq!(ledger.sheets("other").expect("read"), [""; 0]);
    let seen = || labels(&ledger, None).into_keys().collect::<Vec<_>>();
    assert_eq!(seen(), ["c", "judged"]);
    for (grader, then) in [("ana", vec!["c", "judged"]), ("ben", vec!["c", "graded", "judged"])] {
        let (exercise, grader) = ("e".to_owned(), grader.to_owned());
        ledger
            .lock(Lock {
                exercise,
                grader,
                after: 0,
                at: String::new(),
            })
            .expect("it is open");
        assert_eq!(seen(), then);
    }
}

#[test]
fn resolutions_come_back_in_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let resolutions: Vec<Resolution> = Outcome::ALL
        .into_iter()
        .map(|outcome| Resolution {
            disagreement: "d-1a2b3c".to_owned(),
            criterion: "c".to_owned(),
            exercise: "e".to_owned(),
            unit: "0f".to_owned(),
            outcome,
            text: "counts from the day of receipt".to_owned(),
            by: "ana, ben".to_owned(),
            rubric_before: Hash::of_bytes(b"before"),
            rubric_after: Hash::of_bytes(b"after"),
            at: "2026-05-10".to_owned(),
        })
        .collect();
    for resolution in &resolutions {
        ledger.resolve(resolution.clone()).expect("recorded");
    }
    assert_eq!(ledger.resolutions().expect("read"), resolutions);
}

#[test]
fn files_that_are_not_ours_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let text = path("notes.db");
    fs::write(&text, "not a database, but longer than a header").expect("a new file");
    let other = path("other.db");
    Connection::open(&other)
        .and_then(|database| database.execute_batch("CREATE TABLE t (x)"))
        .expect("a database of another program");
    let newer = path("newer.db");
    drop(Ledger::open(&newer).expect("a new ledger"));
    Connection::open(&newer)
        .and_then(|database| database.execute_batch("PRAGMA user_version = 99"))
        .expect("the version of a later program");
    let refusals = [
        (&text, "no SQLite file"),
        (&other, "another program"),
        (&newer, "version 99"),
    ];
    for (path, reason) in refusals {
        let before = fs::read(path).expect("it is there");
        let error = Ledger::open(path).expect_err("it is not ours");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!error.help().is_empty());
        assert!(content_hash(path).is_err());
        assert_eq!(fs::read(path).expect("it is there"), before, "{error}");
    }
    assert!(Ledger::open(&path("no/such/folder.db")).is_err());
    assert!(Ledger::open(folder.path()).is_err());
    assert!(is_ledger(&other) && !is_ledger(&text) && !is_ledger(&path("absent.db")));
}

#[test]
fn a_damaged_ledger_is_called_damaged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("verdicts.db");
    drop(Ledger::open(&path).expect("a new ledger"));
    let whole = fs::read(&path).expect("it is there");
    fs::write(&path, &whole[..whole.len() / 2]).expect("it can be cut");
    let error = Ledger::open(&path).expect_err("half of it is missing");
    assert!(matches!(error, LedgerError::Damaged { .. }), "{error}");
    assert!(error.help().contains("copy"), "{}", error.help());
}

#[test]
fn an_empty_file_becomes_a_ledger_for_its_owner_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("verdicts.db");
    drop(Ledger::open(&path).expect("a new ledger"));
    drop(Ledger::open(&path).expect("the same ledger again"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let empty = folder.path().join("empty.db");
    fs::write(&empty, b"").expect("a new file");
    Ledger::open(&empty)
        .and_then(|ledger| ledger.record(vec![verdict("c", 1.0)]))
        .expect("an empty file holds nothing of anyone");
}

#[test]
fn rows_are_not_changed_by_anyone_who_opens_the_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    ledger.record(vec![verdict("c", 1.0)]).expect("recorded");
    ledger
        .record_marks(batch(0, vec![mark(1, Act::Flag)]))
        .expect("recorded");
    let other = Connection::open(ledger.path()).expect("any program can open it");
    for change in [
        "UPDATE verdict SET label = 0",
        "DELETE FROM verdict",
        "DELETE FROM mark",
        "UPDATE mark SET nth = 9",
    ] {
        let error = other.execute_batch(change).expect_err("rows are only added");
        assert!(error.to_string().contains("only added"), "{error}");
    }
}

#[test]
fn the_content_is_hashed_wherever_it_lies() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ledger = fresh_ledger(folder.path());
    let path = ledger.path().to_owned();
    ledger.record(vec![verdict("c", 1.0)]).expect("recorded");
    let in_journal = content_hash(&path).expect("it can be read");
    assert!(folder.path().join("verdicts.db-wal").exists());
    let file = fs::read(&path).expect("it is there");
    drop(ledger);
    assert_ne!(
        fs::read(&path).expect("it is there"),
        file,
        "closing moves the journal into the file"
    );
    assert_eq!(content_hash(&path).expect("it can be read"), in_journal);
    let ledger = Ledger::open(&path).expect("it opens again");
    ledger.record(vec![verdict("c", 1.0)]).expect("recorded");
    assert_ne!(
        content_hash(&path).expect("it can be read"),
        in_journal,
        "one more row, although it says the same"
    );
}

#[cfg(unix)]
#[test]
fn a_ledger_in_a_folder_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("held % back");
    fs::create_dir(&place).expect("a new folder");
    let ledger = fresh_ledger(&place);
    ledger.record(vec![verdict("c", 1.0)]).expect("recorded");
    let path = ledger.path().to_owned();
    drop(ledger);
    let hash = content_hash(&path).expect("it can be read");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o500)).expect("the folder is ours");
    let again = content_hash(&path);
    fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).expect("the folder is ours");
    assert_eq!(again.expect("reading changes nothing"), hash);
}

#[test]
fn two_open_ledgers_and_many_threads_lose_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("verdicts.db");
    let ledgers = [Ledger::open(&path), Ledger::open(&path)].map(|ledger| ledger.expect("both open one file"));
    std::thread::scope(|scope| {
        for (at, ledger) in ledgers.iter().enumerate() {
            for thread in 0..4 {
                scope.spawn(move || {
                    for row in 0..25 {
                        let name = format!("{at}-{thread}-{row}");
                        ledger
                            .record(vec![verdict(&name, 1.0), verdict("shared", 0.0)])
                            .expect("recorded");
                    }
                });
            }
        }
    });
    assert_eq!(labels(&ledgers[0], None).len(), 201);
    assert_eq!(ledgers[1].history(&cell("shared")).expect("read").len(), 200);
}

#[derive(Clone, Debug)]
enum Step {
    Give { criterion: u8, card: u8, label: u8 },
    Import { criterion: u8, label: u8 },
    Withdraw { criterion: u8, card: u8 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3u8, 0..2u8, 0..2u8).prop_map(|(criterion, card, label)| Step::Give { criterion, card, label }),
        1 => (0..3u8, 0..2u8).prop_map(|(criterion, label)| Step::Import { criterion, label }),
        2 => (0..3u8, 0..2u8).prop_map(|(criterion, card)| Step::Withdraw { criterion, card }),
    ];
    proptest::collection::vec(step, 0..40)
}

fn wording(card: u8) -> Rubric {
    let criteria: String = (0..3)
        .map(|id| format!("  - id: c{id}\n    question: Wording {card}?\n"))
        .collect();
    Rubric::parse_yaml(&format!("criteria:\n{criteria}"), "rubric.yaml")
        .expect("a rubric")
        .0
}

fn entry_of(step: &Step) -> Entry {
    let keyed = |criterion: u8, card: u8, entry: Entry| Entry {
        card_hash: Cards::of(&wording(card)).hash(&format!("c{criterion}"), "q"),
        verdict_key: Some(Hash::of_bytes(&[criterion, card])),
        ..entry
    };
    match *step {
        Step::Give { criterion, card, label } => {
            keyed(criterion, card, verdict(&format!("c{criterion}"), f64::from(label)))
        }
        Step::Import { criterion, label } => verdict(&format!("c{criterion}"), f64::from(label)),
        Step::Withdraw { criterion, card } => keyed(criterion, card, withdrawal(&format!("c{criterion}"))),
    }
}

/// What a cell says today, by the definition: the newest row that was imported or given to today's card, unless it takes back.
fn expected(steps: &[Step], today: u8) -> BTreeMap<String, f64> {
    let mut newest = BTreeMap::new();
    for step in steps {
        let (criterion, says) = match *step {
            Step::Give { criterion, card, label } if card == today => (criterion, Some(f64::from(label))),
            Step::Import { criterion, label } => (criterion, Some(f64::from(label))),
            Step::Withdraw { criterion, card } if card == today => (criterion, None),
            _ => continue,
        };
        newest.insert(format!("c{criterion}"), says);
    }
    newest
        .into_iter()
        .filter_map(|(criterion, says)| Some((criterion, says?)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn history_never_shrinks_and_the_current_row_is_the_newest_of_today(steps in steps()) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let ledger = fresh_ledger(folder.path());
        let mut lengths = [0; 3];
        for step in &steps {
            ledger.record(vec![entry_of(step)]).expect("recorded");
            let now = [0, 1, 2].map(|id| ledger.history(&cell(&format!("c{id}"))).expect("read").len());
            prop_assert_eq!(now.iter().sum::<usize>(), lengths.iter().sum::<usize>() + 1);
            prop_assert!(now.iter().zip(lengths).all(|(now, before)| *now >= before));
            lengths = now;
        }
        for today in 0..2u8 {
            let rubric = wording(today);
            prop_assert_eq!(labels(&ledger, Some(&Cards::of(&rubric))), expected(&steps, today));
            for id in 0..3u8 {
                let criterion = format!("c{id}");
                let current = ledger.current(&cell(&criterion), Hash::of_bytes(&[id, today])).expect("read");
                let label = current.and_then(|row| row.entry.label);
                prop_assert_eq!(label, expected(&steps, today).get(&criterion).copied());
            }
        }
    }
}
