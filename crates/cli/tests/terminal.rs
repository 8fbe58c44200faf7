//! What only a terminal shows: a line about the work under way, gone when the work is done.

mod program;

use std::fs;
use std::path::Path;
use std::process::Command;

use program::{calibrant, folder, project};

/// Runs a command with its standard error on a pseudo-terminal, and writes what came out of it to a file.
const ON_A_TERMINAL: &str = "
import os, pty, sys
seen, out = open(sys.argv[1], 'wb'), open(sys.argv[2], 'wb')
main, side = pty.openpty()
child = os.fork()
if child == 0:
    os.dup2(side, 2)
    os.dup2(out.fileno(), 1)
    os.execv(sys.argv[3], sys.argv[3:])
os.close(side)
while True:
    try:
        read = os.read(main, 65536)
    except OSError:
        break
    if not read:
        break
    seen.write(read)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

/// What a command writes to a terminal; `None` where there is no Python with terminals, which is noted as a skip.
fn on_a_terminal(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Option<String> {
    let (seen, out) = (folder.join("seen"), folder.join("printed"));
    let mut command = Command::new("python3");
    command
        .args(["-c", ON_A_TERMINAL])
        .args([&seen, &out])
        .arg(env!("CARGO_BIN_EXE_calibrant"))
        .args(arguments)
        .current_dir(folder)
        .env("TERM", "xterm")
        .env_remove("CI")
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALIBRANT_") {
            command.env_remove(name);
        }
    }
    let Ok(status) = command.status() else {
        program::skipped("terminal", "python3");
        return None;
    };
    assert!(status.success(), "{arguments:?}: {status}");
    Some(fs::read_to_string(seen).expect("what was seen is UTF-8"))
}

/// The rows that a screen shows in the end: the program uses line feed, carriage return, and the codes to erase a line, to
/// cut long ones, and none besides.
fn screen(seen: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut rest = seen;
    let mut fresh = false;
    while let Some(next) = rest.chars().next() {
        let codes = ["\u{1b}[2K", "\u{1b}[?7l", "\u{1b}[?7h"];
        if let Some(code) = codes.iter().find(|code| rest.starts_with(**code)) {
            if *code == codes[0] {
                rows.last_mut().expect("a row").clear();
            }
            rest = &rest[code.len()..];
            continue;
        }
        match next {
            '\r' => fresh = true,
            '\n' => {
                rows.push(String::new());
                fresh = false;
            }
            '\u{1b}' => panic!("another code: {rest:.20?}"),
            next => {
                if std::mem::take(&mut fresh) {
                    assert_eq!(rows.last().map(String::as_str), Some(""), "a row was written over");
                }
                rows.last_mut().expect("a row").push(next);
            }
        }
        rest = &rest[next.len_utf8()..];
    }
    rows
}

/// Long enough that every machine draws the line at least once.
const LONG: [&str; 7] = [
    "run",
    "--interval",
    "cluster-refit",
    "--replicates",
    "2000",
    "--out",
    "out",
];

#[test]
fn the_line_moves_and_leaves_nothing_behind() {
    let project = project();
    let Some(seen) = on_a_terminal(project.path(), &LONG, &[]) else {
        return;
    };
    assert!(seen.contains("\r\u{1b}[2K") && seen.contains("score: 0 s"), "{seen:?}");
    let shown = screen(&seen);
    fs::remove_dir_all(project.path().join("out")).expect("the results can be removed");
    let piped = calibrant(project.path(), &LONG).succeeded();
    assert!(!piped.stderr.contains(['\u{1b}', '\r']), "{:?}", piped.stderr);
    let printed = fs::read_to_string(project.path().join("printed")).expect("what was printed");
    assert_eq!(printed, piped.stdout);
    // A terminal has colour where a pipe has none, but only in doubts about files people write, and there are none here.
    assert_eq!(shown.join("\n"), piped.stderr);
}

#[test]
fn the_line_stays_away_where_nobody_wants_it() {
    let project = project();
    for (arguments, variables) in [
        (&["--quiet"][..], &[][..]),
        (&[], &[("CI", "true")]),
        (&[], &[("TERM", "dumb")]),
    ] {
        let arguments = [&LONG[..], arguments].concat();
        let Some(seen) = on_a_terminal(project.path(), &arguments, variables) else {
            return;
        };
        assert!(!seen.contains('\u{1b}'), "{variables:?}: {seen:?}");
        fs::remove_dir_all(project.path().join("out")).expect("the results can be removed");
    }
    // The line itself has no colour, so NO_COLOR changes nothing about it and adds none.
    let Some(seen) = on_a_terminal(project.path(), &LONG, &[("NO_COLOR", "1")]) else {
        return;
    };
    assert!(seen.contains("score: 0 s"), "{seen:?}");
    assert!(!coloured(&seen), "{seen:?}");
}

/// Whether a text sets a colour: ESC, `[`, digits and semicolons, `m`.
fn coloured(text: &str) -> bool {
    text.split("\u{1b}[").skip(1).any(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        rest.starts_with('m')
    })
}

#[test]
fn tables_are_counted_while_they_are_read() {
    let here = folder();
    let mut table = String::from("system,query,criterion,judge,label\n");
    for row in 0..400_000 {
        let (system, judge) = (row % 4, (row / 4) % 2);
        table.push_str(&format!(
            "s{system},q{},c,j{judge},{}\n",
            row / 8,
            (row / 3 + system) % 2
        ));
    }
    fs::write(here.path().join("t.csv"), table).expect("the table can be written");
    let arguments = ["calibrate", "--verdicts", "t.csv", "--out", "out"];
    let Some(seen) = on_a_terminal(here.path(), &arguments, &[]) else {
        return;
    };
    let line = seen.split('\r').find(|line| line.contains("calibrate: reading, "));
    let line = line.unwrap_or_else(|| panic!("no line about the reading: {seen:?}"));
    assert!(
        line.contains(" rows, ") && line.contains(" % of ") && line.contains(" MB/s"),
        "{line:?}"
    );
}

/// Runs a command on a pseudo-terminal of its own, and types each answer when its question has been seen.
const TYPED: &str = "
import json, os, pty, sys
talk = json.loads(sys.argv[1])
child, main = pty.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = b''
while True:
    try:
        read = os.read(main, 65536)
    except OSError:
        break
    if not read:
        break
    seen += read
    while talk and talk[0][0].encode() in seen:
        question, answer = talk.pop(0)
        seen = seen.split(question.encode(), 1)[1]
        os.write(main, (answer + '\\n').encode())
    sys.stdout.buffer.write(read)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or len(talk))
";

#[test]
fn a_joint_session_writes_a_ruling_into_the_rubric_file() {
    let here = folder();
    let rubric = "version: 1 # first\ncriteria:\n  - id: dated\n    question: Does it say when?\n    boundary: A month is no day.\n";
    fs::write(here.path().join("rubric.yaml"), rubric).expect("a rubric");
    let table =
        "system,query,criterion,judge,label\ns,q1,dated,ana,1\ns,q1,dated,ben,0\ns,q2,dated,ana,1\ns,q2,dated,ben,0\n";
    fs::write(here.path().join("t.csv"), table).expect("a table");
    let talk = serde_json::json!([
        ["Who settles them?", "ana and ben"],
        ["[q]uit: ", "r"],
        ["as graders will read it: ", "A weekday counts as a day."],
        ["[q]uit: ", "q"],
    ]);
    let mut command = Command::new("python3");
    command
        .args(["-c", TYPED, &talk.to_string(), env!("CARGO_BIN_EXE_calibrant")])
        .args(["grade", "review", "--verdicts", "t.csv", "--rubric", "rubric.yaml"])
        .current_dir(here.path())
        .env("TERM", "xterm")
        .env_remove("EDITOR");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALIBRANT_") {
            command.env_remove(name);
        }
    }
    let Ok(output) = command.output() else {
        program::skipped("terminal", "python3");
        return;
    };
    let seen = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{seen}");
    assert!(seen.contains("the ruling stands in the boundary of `dated`"), "{seen}");
    assert!(
        seen.contains("--- 2 of 2") && seen.contains("1 disagreement is open"),
        "{seen}"
    );
    let after = fs::read_to_string(here.path().join("rubric.yaml")).expect("the rubric");
    let head = "version: 2 # first\ncriteria:\n  - id: dated\n    question: Does it say when?\n    boundary: A month is no day. A weekday counts as a day.\n    rulings:\n";
    assert!(after.starts_with(head) && after.contains("from: d-"), "{after}");
}
