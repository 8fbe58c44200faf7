//! Fits, standard errors and bootstraps at the sizes users have, on seeded simulations.

use std::hint::black_box;

use calibrant_stats::irt::{
    BootstrapOptions, Fit, FitOptions, Model, Responses, cluster_bootstrap, constant_items, fit, probability,
    standard_errors,
};
use calibrant_stats::stream::{Purpose, Stream};
use criterion::{Criterion, criterion_group, criterion_main};

/// Two blocks of the source's size, and the sizes at which other programs were timed.
const SIZES: [(usize, usize); 6] = [
    (15, 624),
    (25, 922),
    (15, 2000),
    (100, 2000),
    (1000, 500),
    (10_000, 200),
];

/// The blocks whose intervals people wait for.
const BOOTSTRAPPED: [(usize, usize); 2] = [(15, 624), (25, 922)];

/// Items per query in bootstraps.
const ITEMS_PER_QUERY: usize = 6;

/// Standard normal systems on items with log a ~ N(0, 0.3), b ~ N(0, 1); constant items dropped.
fn table(systems: usize, items: usize) -> Responses {
    let mut stream = Stream::new(1, Purpose::Simulation, 0);
    let abilities: Vec<f64> = (0..systems).map(|_| stream.normal()).collect();
    let mut successes = Vec::with_capacity(systems * items);
    for _ in 0..items {
        let (a, b) = ((0.3 * stream.normal()).exp(), stream.normal());
        for &theta in &abilities {
            successes.push(u16::from(stream.bernoulli(probability(a, b, theta))));
        }
    }
    let trials = vec![1; successes.len()];
    let all = Responses::new(systems, items, successes, trials).expect("binary labels");
    let constant = constant_items(&all);
    let kept: Vec<usize> = (0..items).filter(|j| !constant.contains(j)).collect();
    all.select(&kept)
}

fn fitted(responses: &Responses, model: Model) -> Fit {
    fit(responses, model, &FitOptions::default()).expect("no item is constant")
}

fn fits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fit");
    group.sample_size(10);
    for (systems, items) in SIZES {
        let responses = table(systems, items);
        for (name, model) in [("1pl", Model::OnePl), ("2pl", Model::TwoPl)] {
            group.bench_function(format!("{name}/{systems}x{items}"), |bencher| {
                bencher.iter(|| fitted(black_box(&responses), model));
            });
        }
    }
    group.finish();
}

fn errors(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("standard_errors");
    group.sample_size(10);
    for (systems, items) in BOOTSTRAPPED {
        let responses = table(systems, items);
        let fit = fitted(&responses, Model::TwoPl);
        group.bench_function(format!("{systems}x{items}"), |bencher| {
            let options = FitOptions::default();
            bencher.iter(|| standard_errors(black_box(&responses), &fit, &options));
        });
    }
    group.finish();
}

fn bootstraps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cluster_bootstrap");
    group.sample_size(10);
    for (systems, items) in BOOTSTRAPPED {
        let responses = table(systems, items);
        let fit = fitted(&responses, Model::TwoPl);
        let clusters: Vec<u32> = (0..responses.items()).map(|j| (j / ITEMS_PER_QUERY) as u32).collect();
        group.bench_function(format!("300/{systems}x{items}"), |bencher| {
            let (options, bootstrap) = (FitOptions::default(), BootstrapOptions::new(1));
            let run = || cluster_bootstrap(&responses, &fit, black_box(&clusters), None, &options, &bootstrap);
            bencher.iter(run);
        });
    }
    group.finish();
}

criterion_group!(irt, fits, errors, bootstraps);
criterion_main!(irt);
