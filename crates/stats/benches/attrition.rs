//! The attrition curve, its fits and its interval, at the size of the source's blocks and of a large pool.

use std::hint::black_box;

use calibrant_stats::attrition::{ItemPanel, Moments, attrition_curve, beta_fit, geometric_fit, geometric_interval};
use calibrant_stats::stream::{Purpose, Stream};
use criterion::{Criterion, criterion_group, criterion_main};

/// Systems and items.
const SIZES: [(u32, usize); 2] = [(11, 2000), (20, 57_000)];

/// Panels whose chance of unanimity differs between items.
fn panels(systems: u32, items: usize) -> Vec<ItemPanel> {
    let mut stream = Stream::new(1, Purpose::Simulation, 0);
    let mut item = |_| {
        let (rate, ease) = (0.5 + stream.uniform() / 2.0, stream.uniform());
        let mut panel = ItemPanel {
            systems,
            unanimous_pass: 0,
            unanimous_fail: 0,
            majority_pass: 0,
        };
        for _ in 0..systems {
            let (unanimous, passed) = (stream.bernoulli(rate), stream.bernoulli(ease));
            panel.majority_pass += u32::from(passed);
            panel.unanimous_pass += u32::from(unanimous && passed);
            panel.unanimous_fail += u32::from(unanimous && !passed);
        }
        panel
    };
    (0..items).map(&mut item).collect()
}

fn attrition(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("attrition");
    group.sample_size(10);
    for (systems, items) in SIZES {
        let panels = panels(systems, items);
        group.bench_function(format!("curve and fits/{systems}x{items}"), |bencher| {
            bencher.iter(|| {
                let curve = attrition_curve(black_box(&panels));
                (geometric_fit(&curve), beta_fit(&panels, Moments::Factorial))
            });
        });
        group.bench_function(format!("interval of 300/{systems}x{items}"), |bencher| {
            bencher.iter(|| geometric_interval(black_box(&panels), 300, 1));
        });
    }
    group.finish();
}

criterion_group!(benches, attrition);
criterion_main!(benches);
