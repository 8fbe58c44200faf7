//! Assembly at the size of a large pool: 10,000 items, a bank of 200, 41 nodes; and scoring replicates of a leaderboard.

use std::hint::black_box;

use calibrant_stats::assembly::{Stop, greedy, plain};
use calibrant_stats::information::InformationTable;
use calibrant_stats::score::{Clip, RollUp, ScorePlan};
use calibrant_stats::score_bootstrap::{ScoreBootstrapOptions, score_bootstrap};
use calibrant_stats::stream::{Purpose, Stream};
use criterion::{Criterion, criterion_group, criterion_main};

const ITEMS: usize = 10_000;
const BUDGET: usize = 200;

fn pool() -> (InformationTable, Vec<f64>) {
    let mut stream = Stream::new(13, Purpose::Simulation, 0);
    let a: Vec<f64> = (0..ITEMS).map(|_| (0.5 * stream.normal()).exp()).collect();
    let b: Vec<f64> = (0..ITEMS).map(|_| 1.5 * stream.normal()).collect();
    let nodes: Vec<f64> = (0..41).map(|g| -4.0 + 0.2 * f64::from(g)).collect();
    let density: Vec<f64> = nodes.iter().map(|theta| (-theta * theta / 2.0).exp()).collect();
    let whole: f64 = density.iter().sum();
    let table = InformationTable::two_pl(&a, &b, &nodes).expect("parameters are finite");
    (table, density.iter().map(|d| d / whole).collect())
}

fn assembly(criterion: &mut Criterion) {
    let (table, weights) = pool();
    let candidates: Vec<usize> = (0..ITEMS).collect();
    let mut group = criterion.benchmark_group("assembly");
    group.sample_size(10);
    group.bench_function("greedy with bound, 200 of 10,000", |bencher| {
        bencher.iter(|| greedy(black_box(&table), &weights, &candidates, Stop::Budget(BUDGET)));
    });
    group.bench_function("plain with bound, 200 of 10,000", |bencher| {
        bencher.iter(|| plain(black_box(&table), &weights, &candidates, Stop::Budget(BUDGET)));
    });
    group.finish();
}

fn replicates(criterion: &mut Criterion) {
    const SYSTEMS: usize = 25;
    const QUERIES: usize = 1000;
    let mut stream = Stream::new(1, Purpose::Simulation, 0);
    let scores: Vec<Option<f64>> = (0..SYSTEMS * QUERIES).map(|_| Some(stream.uniform())).collect();
    let clusters: Vec<u32> = (0..QUERIES as u32).collect();
    let plan = ScorePlan::new(vec![], vec![1.0; QUERIES], RollUp::Weighted, Clip::Mean).expect("weights are finite");
    criterion.bench_function("2,000 score replicates, 25 systems, 1,000 queries", |bencher| {
        bencher.iter(|| score_bootstrap(&plan, black_box(&scores), &clusters, ScoreBootstrapOptions::default()));
    });
}

criterion_group!(benches, assembly, replicates);
criterion_main!(benches);
