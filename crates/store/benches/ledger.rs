//! The ledger: rows a second with every commit on the disk, from one writer and from many, and a large ledger made and read.
//!
//! `cargo bench -p calibrant-store --bench ledger` prints a table for `docs/performance.md`. Peak memory is of the whole
//! process so far, so the reading has a process of its own.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::env;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use calibrant_schema::Status;
use calibrant_schema::canonical::Hash;
use calibrant_store::ledger::{Cell, Entry, Ledger, Reading, VerdictSource, content_hash};
use calibrant_store::tables::Scales;

/// Names the ledger that a process of its own reads.
const READ: &str = "CALIBRANT_BENCH_LEDGER";

/// How much is measured: little where a test only looks whether the bench runs.
struct Sizes {
    single: usize,
    of_each: usize,
    bulk: usize,
}

/// A row as a run of a model writes it: with a key, a short reason and what it cost.
fn entry(at: usize) -> Entry {
    let (criterion, rest) = (at % 5_700, at / 5_700);
    let name = format!("criterion-{criterion}");
    Entry {
        source: Some(VerdictSource::Text),
        reason: Some("The reply names the form by its number.".to_owned()),
        rubric_hash: Some(Hash::of_bytes(b"rubric")),
        card_hash: Some(Hash::of_bytes(name.as_bytes())),
        verdict_key: Some(Hash::of_bytes(&at.to_le_bytes())),
        model_answered: Some("example-model".to_owned()),
        tokens_in: Some(900),
        tokens_out: Some(40),
        cost_usd: Some(0.0003),
        latency_ms: Some(400),
        judged_at: Some("2026-05-09T08:00:00Z".to_owned()),
        ..Entry::new(
            Cell {
                system: format!("system-{}", rest % 60),
                query: format!("prompt-{}", criterion / 11),
                sample: "1".to_owned(),
                criterion: name,
                judge: format!("judge-{}", rest / 60),
                repeat: 1,
            },
            Status::Ok,
            Some((at % 2) as f64),
        )
    }
}

fn main() {
    if let Ok(path) = env::var(READ) {
        return read(Path::new(&path));
    }
    let sizes = match env::args().any(|argument| argument == "--test") {
        true => Sizes {
            single: 10,
            of_each: 2,
            bulk: 2_000,
        },
        false => Sizes {
            single: 500,
            of_each: 100,
            bulk: 1_000_000,
        },
    };
    println!("| work | rows | s | rows/s | CPU s | peak MB |\n|---|---|---|---|---|---|");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = Ledger::open(&folder.path().join("one.db")).expect("a new ledger");
    measured("one writer, a row a commit", sizes.single, || {
        for at in 0..sizes.single {
            one.record(vec![entry(at)]).expect("recorded");
        }
    });
    let many = Ledger::open(&folder.path().join("many.db")).expect("a new ledger");
    measured("64 writers, a row each at a time", 64 * sizes.of_each, || {
        thread::scope(|scope| {
            for writer in 0..64 {
                let (many, of_each) = (&many, sizes.of_each);
                scope.spawn(move || {
                    for row in 0..of_each {
                        many.record(vec![entry(writer * of_each + row)]).expect("recorded");
                    }
                });
            }
        });
    });
    let path = folder.path().join("bulk.db");
    let bulk = Ledger::open(&path).expect("a new ledger");
    measured("bulk, 10,000 rows a commit", sizes.bulk, || {
        for from in (0..sizes.bulk).step_by(10_000) {
            let to = (from + 10_000).min(sizes.bulk);
            bulk.record((from..to).map(entry).collect()).expect("recorded");
        }
    });
    drop(bulk);
    let bytes = std::fs::metadata(&path).expect("it is there").len();
    let status = Command::new(env::current_exe().expect("this program"))
        .env(READ, &path)
        .status();
    assert!(status.expect("it starts itself").success());
    println!("\n{} bytes a row in the file", bytes / sizes.bulk as u64);
}

/// Reads a ledger, in a process that has done nothing else.
fn read(path: &Path) {
    let ledger = Ledger::open(path).expect("it was just made");
    let scales = Scales::default();
    let reading = Reading {
        exercise: None,
        judges: None,
        cards: None,
        scales: &scales,
    };
    let mut rows = 0;
    let (seconds, cpu) = timed(|| rows = ledger.verdicts(&reading).expect("it can be read").verdicts.len());
    line("read into a table of verdicts", rows, seconds, cpu);
    let (seconds, cpu) = timed(|| drop(content_hash(path).expect("it can be read")));
    line("hash of the content", rows, seconds, cpu);
}

fn measured(work: &str, rows: usize, run: impl FnOnce()) {
    let (seconds, cpu) = timed(run);
    line(work, rows, seconds, cpu);
}

fn line(work: &str, rows: usize, seconds: f64, cpu: f64) {
    let (rate, peak) = (rows as f64 / seconds, peak_mb());
    println!("| {work} | {rows} | {seconds:.2} | {rate:.0} | {cpu:.2} | {peak:.0} |");
}

/// Wall and processor time, in seconds.
fn timed(run: impl FnOnce()) -> (f64, f64) {
    let (start, before) = (Instant::now(), processor_s());
    run();
    (start.elapsed().as_secs_f64(), processor_s() - before)
}

/// Processor time of all threads so far, in seconds; 0 where the system does not say.
fn processor_s() -> f64 {
    const TICKS: f64 = 100.0;
    let about = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = about.rsplit(") ").next().unwrap_or_default();
    let times = after_name.split(' ').skip(11).take(2);
    times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// The most memory the process had so far, in megabytes; 0 where the system does not say.
fn peak_mb() -> f64 {
    let about = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = about.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}
