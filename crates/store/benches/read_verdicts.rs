//! Reading a CSV table of verdicts, in the shape of the tables people have: thousands of criteria, tens of systems, three judges.

use std::fmt::Write;
use std::hint::black_box;

use calibrant_store::Source;
use calibrant_store::tables::{ReadOptions, read_verdicts};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const CRITERIA: usize = 5_700;
const SYSTEMS: usize = 20;
const JUDGES: usize = 3;
const CRITERIA_PER_QUERY: usize = 11;

/// The table as CSV; labels come from a fixed multiplicative sequence.
fn table() -> Vec<u8> {
    let mut text = String::from("system,query,criterion,judge,label\n");
    let mut state: u32 = 1;
    for system in 0..SYSTEMS {
        for criterion in 0..CRITERIA {
            for judge in 0..JUDGES {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let (query, label) = (criterion / CRITERIA_PER_QUERY, state >> 31);
                writeln!(
                    text,
                    "system-{system},prompt-{query},criterion-{criterion},judge-{judge},{label}"
                )
                .expect("a string takes text");
            }
        }
    }
    text.into_bytes()
}

fn read(criterion: &mut Criterion) {
    let table = table();
    let mut group = criterion.benchmark_group("read_verdicts");
    group.sample_size(10);
    group.throughput(Throughput::Elements((CRITERIA * SYSTEMS * JUDGES) as u64));
    group.bench_function("csv", |bencher| {
        bencher.iter(|| {
            let source = Source::bytes("verdicts.csv", table.clone());
            black_box(read_verdicts(vec![source], &ReadOptions::default()).expect("the table is right"))
        });
    });
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
