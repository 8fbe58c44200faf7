//! Counting, errors and bootstraps of agreement: small panels of many units, and panels too large for one table of ways.

use std::hint::black_box;

use calibrant_stats::agreement::{
    AgreementBootstrapOptions, Difference, MISSING, Ratings, bootstrap_alpha, krippendorff_alpha,
    krippendorff_alpha_error,
};
use calibrant_stats::stream::{Purpose, Stream};
use criterion::{Criterion, criterion_group, criterion_main};

/// Judges, levels and units.
const SIZES: [(usize, usize, usize); 4] = [(2, 2, 1_000_000), (5, 5, 1_000_000), (14, 5, 100_000), (40, 10, 20_000)];

/// Judges who give the truth with chance .7, else any level, and leave one in ten out.
fn codes(judges: usize, levels: usize, units: usize) -> Vec<u8> {
    let mut stream = Stream::new(1, Purpose::Simulation, 0);
    let mut codes = Vec::with_capacity(judges * units);
    for _ in 0..units {
        let truth = stream.below(levels) as u8;
        for _ in 0..judges {
            let given = if stream.bernoulli(0.7) {
                truth
            } else {
                stream.below(levels) as u8
            };
            codes.push(if stream.bernoulli(0.1) { MISSING } else { given });
        }
    }
    codes
}

fn agreement(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("agreement");
    group.sample_size(10);
    for (judges, levels, units) in SIZES {
        let size = format!("{judges}x{units}, {levels} levels");
        let codes = codes(judges, levels, units);
        let ratings = Ratings::new(judges, levels, &codes).expect("codes are levels");
        group.bench_function(format!("alpha/{size}"), |bencher| {
            bencher.iter(|| krippendorff_alpha(&black_box(ratings).tally().moments(), Difference::Ordinal));
        });
        let patterns = ratings.tally().patterns();
        group.bench_function(format!("error of alpha/{size}"), |bencher| {
            bencher.iter(|| krippendorff_alpha_error(black_box(&patterns), Difference::Ordinal));
        });
        let options = AgreementBootstrapOptions {
            replicates: 100,
            ..AgreementBootstrapOptions::default()
        };
        group.bench_function(format!("bootstrap of 100/{size}"), |bencher| {
            bencher.iter(|| bootstrap_alpha(black_box(&patterns), Difference::Ordinal, &options));
        });
    }
    group.finish();
}

criterion_group!(benches, agreement);
criterion_main!(benches);
