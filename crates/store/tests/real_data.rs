//! The real tables in the shared data folder, against the numbers of their SOURCE.md.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use calibrant_schema::{Status, Verdicts};
use calibrant_store::tables::{ReadOptions, ReadVerdicts, ScaleOrigin, Scales, read_gold, read_verdicts};
use calibrant_store::{Compression, Source};

/// SOURCE.md prints shares with three decimals.
const SHARE_TOLERANCE: f64 = 0.0005;

/// A file of the data folder, or `None` when the folder is absent, which is noted.
fn data(file: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = env::var_os("CALIBRANT_DATA").map_or(beside, PathBuf::from).join(file);
    if path.exists() {
        return Some(path);
    }
    assert!(
        env::var_os("CALIBRANT_REQUIRE_DATA").is_none_or(|value| value != "1"),
        "{} is required",
        path.display()
    );
    if let Some(log) = env::var_os("CALIBRANT_SKIP_LOG") {
        let mut log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(log)
            .expect("the skip log is writable");
        writeln!(log, "store real_data: {file} is absent").expect("the skip log is writable");
    }
    None
}

fn read(path: PathBuf, options: &ReadOptions) -> ReadVerdicts {
    read_verdicts(vec![Source::Path(path)], options).unwrap_or_else(|findings| panic!("{findings}"))
}

/// Rows, systems, queries, criteria, items, judges.
fn shape(verdicts: &Verdicts) -> [usize; 6] {
    [
        verdicts.len(),
        verdicts.systems().len(),
        verdicts.queries().len(),
        verdicts.criteria().len(),
        verdicts.items().len(),
        verdicts.judges().len(),
    ]
}

fn share(verdicts: &Verdicts, level: u8) -> f64 {
    assert!(verdicts.rows().all(|row| row.status == Status::Ok));
    verdicts.rows().filter(|row| row.level == Some(level)).count() as f64 / verdicts.len() as f64
}

#[test]
fn realsumm_is_read_whole() {
    let Some(path) = data("realsumm/labels.csv.gz") else {
        return;
    };
    let read = read(path, &ReadOptions::default());
    assert_eq!(shape(&read.verdicts), [81_581, 25, 100, 1_056, 1_056, 4]);
    assert!((share(&read.verdicts, 1) - 0.465).abs() <= SHARE_TOLERANCE);
    assert_eq!(
        (read.detected[0].rows, read.detected[0].compression),
        (81_581, Compression::Gzip)
    );
}

#[test]
fn xsum_is_read_whole() {
    let Some(path) = data("xsum_factuality/labels.csv.gz") else {
        return;
    };
    let read = read(path, &ReadOptions::default());
    assert_eq!(shape(&read.verdicts), [20_562, 5, 500, 3, 1_495, 3]);
    assert!((share(&read.verdicts, 1) - 0.374).abs() <= SHARE_TOLERANCE);
}

#[test]
fn hanna_needs_its_scale() {
    let Some(path) = data("hanna/labels.csv.gz") else {
        return;
    };
    let default = "1..5".parse().expect("a scale");
    let options = ReadOptions {
        scales: Scales {
            default,
            origin: ScaleOrigin::Flag,
            ..Scales::default()
        },
        ..ReadOptions::default()
    };
    let read = read(path.clone(), &options);
    assert_eq!(shape(&read.verdicts), [19_008, 11, 96, 6, 576, 3]);
    for (level, expected) in [(0, 0.257), (1, 0.276), (2, 0.232), (3, 0.131), (4, 0.105)] {
        assert!(
            (share(&read.verdicts, level) - expected).abs() <= SHARE_TOLERANCE,
            "level {level}"
        );
    }
    assert_eq!(read.off_scale.count, 0);
    let findings =
        read_verdicts(vec![Source::Path(path)], &ReadOptions::default()).expect_err("1 to 5 was not declared");
    assert!(
        findings.shown()[0].diagnostic.help.contains("--scale 1..5"),
        "{findings}"
    );
}

#[test]
fn crowd_gold_has_no_judge_and_no_system() {
    let Some(path) = data("crowd/gold_bluebird.csv.gz") else {
        return;
    };
    let gold = read_gold(Source::Path(path), &ReadOptions::default()).unwrap_or_else(|findings| panic!("{findings}"));
    // SOURCE.md: bluebird has 108 items, all of them with gold.
    assert_eq!(shape(&gold.verdicts), [108, 1, 108, 1, 108, 1]);
}
