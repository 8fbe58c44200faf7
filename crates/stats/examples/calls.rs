//! The kernels behind `crates/py/benches/calls.py`, called from Rust on the arrays that it wrote: what a call costs without Python.
//!
//! Reads a line `work file rows columns times` from standard input, does the work so many times, and answers with the processor
//! time of this process in seconds for one, until the input ends.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program that measures reads files and prints"
)]

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::io::stdin;

use calibrant_stats::agreement::{
    AgreementBootstrapOptions, Difference, PairTable, Ratings, Weights, bootstrap_alpha, krippendorff_alpha,
    krippendorff_alpha_error, weighted_kappa, weighted_kappa_error,
};
use calibrant_stats::assembly::{Stop, greedy};
use calibrant_stats::information::InformationTable;
use calibrant_stats::irt::{FitOptions, Grid, Model, Responses, fit};

const LEVELS: usize = 5;
const BUDGET: usize = 500;

fn main() {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for line in stdin().lines() {
        let line = line.expect("the driver writes UTF-8");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [work, file, rows, columns, times] = words[..] else {
            panic!("five words are expected: {line}");
        };
        let bytes = files
            .entry(file.to_owned())
            .or_insert_with(|| fs::read(file).expect("the driver wrote the file"));
        let number = |word: &str| word.parse::<usize>().expect("a number");
        let seconds = measured(work, bytes, number(rows), number(columns), number(times));
        println!("{seconds:.9}");
    }
}

/// The seconds of processor time that one of `times` repetitions takes.
fn measured(work: &str, bytes: &[u8], rows: usize, columns: usize, times: usize) -> f64 {
    match work {
        "alpha" => timed(times, || (), |()| alpha(bytes, columns)),
        "bootstrap" => timed(times, || (), |()| bootstrap(bytes, columns)),
        "kappa" => timed(times, || (), |()| kappa(&bytes[..rows], &bytes[rows..])),
        "fit" => timed(times, || (), |()| fitted(bytes, rows, columns)),
        "greedy" => {
            let grid = Grid::default();
            let values: Vec<f64> = bytes
                .as_chunks()
                .0
                .iter()
                .map(|&bytes| f64::from_le_bytes(bytes))
                .collect();
            let candidates: Vec<usize> = (0..rows).collect();
            timed(
                times,
                || values.clone(),
                |values| {
                    let table = InformationTable::new(columns, values).expect("a table");
                    let chosen = greedy(&table, grid.weights(), &candidates, Stop::Budget(BUDGET));
                    chosen.expect("items").utility
                },
            )
        }
        other => panic!("no such work: {other}"),
    }
}

fn timed<T>(times: usize, prepare: impl Fn() -> T, work: impl Fn(T) -> f64) -> f64 {
    let prepared: Vec<T> = (0..times).map(|_| prepare()).collect();
    let before = processor_seconds();
    for input in prepared {
        black_box(work(black_box(input)));
    }
    (processor_seconds() - before) / times as f64
}

fn alpha(codes: &[u8], judges: usize) -> f64 {
    let patterns = Ratings::new(judges, LEVELS, codes).expect("codes").tally().patterns();
    let found = krippendorff_alpha(&patterns.moments(), Difference::Ordinal).expect("labels");
    let error = krippendorff_alpha_error(&patterns, Difference::Ordinal).expect("labels");
    found.value.expect("labels differ") + error
}

fn bootstrap(codes: &[u8], judges: usize) -> f64 {
    let patterns = Ratings::new(judges, LEVELS, codes).expect("codes").tally().patterns();
    let found = krippendorff_alpha(&patterns.moments(), Difference::Ordinal).expect("labels");
    let options = AgreementBootstrapOptions::default();
    let drawn = bootstrap_alpha(&patterns, Difference::Ordinal, &options).expect("units");
    found.value.expect("labels differ") + drawn.standard_error
}

fn kappa(a: &[u8], b: &[u8]) -> f64 {
    // A caller of the function learns the number of levels when it is called, not when it is compiled.
    let levels = black_box(LEVELS);
    let table = PairTable::of_codes(levels, a, b).expect("lists of one length");
    let weights = Weights::identity(levels);
    let error = weighted_kappa_error(&table, &weights).expect("labels");
    weighted_kappa(&table, &weights)
        .expect("labels")
        .value
        .expect("labels differ")
        + error.null_standard_error
}

fn fitted(labels: &[u8], systems: usize, items: usize) -> f64 {
    let mut successes = vec![0; labels.len()];
    for (system, row) in labels.chunks_exact(items).enumerate() {
        for (item, &label) in row.iter().enumerate() {
            successes[item * systems + system] = u16::from(label);
        }
    }
    let responses = Responses::new(systems, items, successes, vec![1; labels.len()]).expect("labels");
    let found = fit(&responses, Model::TwoPl, &FitOptions::default());
    found.expect("items vary").log_posterior
}

/// Processor time of all threads of this process, as Linux counts it.
fn processor_seconds() -> f64 {
    let nanoseconds = |task: fs::DirEntry| -> Option<f64> {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    let tasks = fs::read_dir("/proc/self/task").expect("Linux lists the threads of a process");
    tasks.flatten().filter_map(nanoseconds).sum::<f64>() / 1e9
}
