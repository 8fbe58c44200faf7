//! Reading a table of verdicts as CSV and as Parquet, in the shape of the tables people have: thousands of criteria, tens of systems, three judges.

use std::fmt::Write;
use std::hint::black_box;

use calibrant_store::Source;
use calibrant_store::tables::{ReadOptions, read_verdicts};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};

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
    parquet(&mut group);
    group.finish();
}

/// The labels of the table as Parquet, read as the verdicts of one judge per way of agreement: a third of the rows.
#[cfg(feature = "parquet")]
fn parquet(group: &mut BenchmarkGroup<'_, WallTime>) {
    use calibrant_store::tables::{TableForm, labels_table};
    let labels = labels();
    let table = labels_table(&labels, TableForm::Parquet).expect("Parquet is built");
    let options = ReadOptions {
        columns: [("judge".to_owned(), "consensus".to_owned())].into(),
        ..ReadOptions::default()
    };
    group.throughput(Throughput::Elements(labels.len() as u64));
    group.bench_function("parquet", |bencher| {
        bencher.iter(|| {
            let source = Source::bytes("labels.parquet", table.clone());
            black_box(read_verdicts(vec![source], &options).expect("the table is right"))
        });
    });
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &mut BenchmarkGroup<'_, WallTime>) {}

/// One label per system and criterion, from the same sequence.
#[cfg(feature = "parquet")]
fn labels() -> calibrant_schema::Labels {
    use calibrant_schema::labels::{Agreement, Cell, CellLabel, LabelNames};
    use calibrant_schema::verdicts::Item;
    use calibrant_schema::{Labels, Names, Scale};
    let names = |word: &str, count: usize| (0..count).map(|at| format!("{word}-{at:05}")).collect::<Names>();
    let items = (0..CRITERIA as u32).map(|criterion| Item {
        query: criterion / CRITERIA_PER_QUERY as u32,
        criterion,
    });
    let mut state: u32 = 1;
    let mut cells = Vec::with_capacity(CRITERIA * SYSTEMS);
    for item in 0..CRITERIA as u32 {
        for system in 0..SYSTEMS as u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let cell = Cell {
                system,
                sample: 0,
                label: CellLabel::Level((state >> 31) as u8),
                judges: 3,
                agreeing: 3,
                agreement: Agreement::Unanimous,
            };
            cells.push((item, cell));
        }
    }
    let names = LabelNames {
        systems: names("system", SYSTEMS),
        queries: names("prompt", CRITERIA.div_ceil(CRITERIA_PER_QUERY)),
        samples: names("sample", 1),
        criteria: names("criterion", CRITERIA),
    };
    Labels::new(names, vec![Scale::Binary; CRITERIA], items.collect(), cells)
}

criterion_group!(benches, read);
criterion_main!(benches);
