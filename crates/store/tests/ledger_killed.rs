//! A process that records is killed at any moment: every row it had a receipt for is in the ledger.

#![cfg(unix)]

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use calibrant_schema::Status;
use calibrant_store::ledger::{Cell, Entry, Ledger};
use rusqlite::Connection;

/// Names the ledger in the environment of the child.
const FILE: &str = "CALIBRANT_TEST_LEDGER";

fn cell(name: &str) -> Cell {
    Cell {
        system: name.to_owned(),
        query: "q".to_owned(),
        sample: "1".to_owned(),
        criterion: "c".to_owned(),
        judge: "ana".to_owned(),
        repeat: 1,
    }
}

/// The child: records until it is killed and prints the system of each row it has a receipt for.
#[test]
fn record_until_killed() {
    let Ok(path) = env::var(FILE) else {
        return; // Nobody asked: the other test of this file starts it.
    };
    let ledger = Ledger::open(Path::new(&path)).expect("the ledger opens again after any kill");
    thread::scope(|scope| {
        for writer in 0..4 {
            let ledger = &ledger;
            scope.spawn(move || {
                for row in 0.. {
                    let name = format!("{}-{writer}-{row}", std::process::id());
                    let entries = vec![Entry::new(cell(&name), Status::Ok, Some(1.0)); 3];
                    let receipt = ledger.record(entries).expect("recorded");
                    // One line in one write, so that a kill leaves whole lines or none.
                    let line = format!("row {name} {}\n", receipt.first);
                    std::io::stdout()
                        .lock()
                        .write_all(line.as_bytes())
                        .expect("the pipe is open");
                }
            });
        }
    });
}

fn start(path: &Path) -> Child {
    Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "record_until_killed", "--nocapture", "--test-threads=1"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test starts itself")
}

#[test]
fn every_row_with_a_receipt_survives_a_kill() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("verdicts.db");
    let mut receipts = Vec::new();
    for round in 0..20u64 {
        let mut child = start(&path);
        let out = child.stdout.take().expect("a pipe");
        let reader = thread::spawn(move || BufReader::new(out).lines().map_while(Result::ok).collect::<Vec<_>>());
        // Some kills fall into the making of the file, the others among commits.
        thread::sleep(Duration::from_millis(3 + 7 * round + round * round % 11));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        receipts.extend(reader.join().expect("the reader ends with the pipe"));
    }
    let receipts: Vec<(&str, i64)> = receipts
        .iter()
        .filter_map(|line| line.split("row ").nth(1)?.split_once(' '))
        .filter_map(|(name, row)| Some((name, row.parse().ok()?)))
        .collect();
    assert!(
        receipts.len() > 20,
        "only {} rows were recorded before the kills",
        receipts.len()
    );
    let ledger = Ledger::open(&path).expect("it opens after every kill");
    for (name, first) in receipts {
        let rows: Vec<i64> = ledger
            .history(&cell(name))
            .expect("read")
            .iter()
            .map(|row| row.row)
            .collect();
        assert_eq!(
            rows,
            [first, first + 1, first + 2],
            "{name}: all rows of a receipt, or it was a lie"
        );
    }
    drop(ledger);
    let database = Connection::open(&path).expect("it opens");
    let sound: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("it can be checked");
    assert_eq!(sound, "ok");
    let whole: i64 = database
        .query_row(
            "SELECT count(*) FROM (SELECT system FROM verdict GROUP BY system HAVING count(*) <> 3)",
            [],
            |row| row.get(0),
        )
        .expect("it can be counted");
    assert_eq!(whole, 0, "a batch is recorded as a whole");
}
