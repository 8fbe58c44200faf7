//! Parquet tables of other programs, and damaged ones.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use calibrant_schema::{Scale, Status, Verdicts};
use calibrant_store::Source;
use calibrant_store::tables::{
    Format, GOLD, ReadOptions, ReadVerdicts, Role, ScaleOrigin, Scales, read_gold, read_verdicts,
};
use proptest::prelude::*;

/// The eight verdicts of every file, as CSV.
const EXPECTED: &str = "system,query,criterion,judge,label\n\
    alpha,q1,cites,anna,1\nalpha,q1,cites,ben,0\nalpha,q2,=short,anna,1\nalpha,q2,=short,ben,\n\
    beta,q1,cites,anna,0\nbeta,q1,cites,ben,0\nbeta,q2,=short,anna,1\nb\u{e9}ta,q2,=short,ben,1\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/parquet")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the fixtures");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "parquet"));
    paths.sort();
    paths
}

fn read(source: Source, options: &ReadOptions) -> ReadVerdicts {
    read_verdicts(vec![source], options).unwrap_or_else(|findings| panic!("{findings}"))
}

/// Every row in names, in the order of the table.
fn rows(verdicts: &Verdicts) -> Vec<(String, Option<u8>, Status)> {
    let name = |row: calibrant_schema::verdicts::Verdict| {
        let item = verdicts.items()[row.item as usize];
        let cell = [
            verdicts.systems().get(row.system),
            verdicts.queries().get(item.query),
            verdicts.criteria().get(item.criterion),
            verdicts.judges().get(row.judge),
            &row.repeat.to_string(),
        ];
        (cell.join("|"), row.level, row.status)
    };
    verdicts.rows().map(name).collect()
}

#[test]
fn files_of_pyarrow_pandas_and_polars_say_the_same() {
    let csv = Source::bytes("t.csv", EXPECTED.as_bytes().to_vec());
    let expected = rows(&read(csv, &ReadOptions::default()).verdicts);
    let mut looked_at = 0;
    for path in files(&folder()) {
        if path.ends_with("pyarrow_numbers.parquet") || path.ends_with("pyarrow_nulls.parquet") {
            continue;
        }
        let on_disk = read(Source::from(path.as_path()), &ReadOptions::default());
        let bytes = fs::read(&path).expect("a fixture is readable");
        // Known by its first bytes, whatever its name.
        let in_memory = read(Source::bytes("verdicts", bytes), &ReadOptions::default());
        for found in [&on_disk, &in_memory] {
            assert_eq!(rows(&found.verdicts), expected, "{}", path.display());
            assert_eq!((found.detected[0].format, found.detected[0].rows), (Format::Parquet, 8));
        }
        assert_eq!(on_disk.detected[0].sha256, in_memory.detected[0].sha256);
        assert_eq!(on_disk.detected[0].sha256.len(), 64);
        looked_at += 1;
    }
    assert!(looked_at >= 15, "only {looked_at} files");
}

#[test]
fn whole_numbers_are_ids_in_decimal_and_nested_columns_without_a_role_are_passed_over() {
    let path = folder().join("pyarrow_numbers.parquet");
    let found = read(Source::from(path.as_path()), &ReadOptions::default());
    let expected = [
        ("2|7|4|9|3".to_owned(), Some(0), Status::Ok),
        ("1|18446744073709551615|-3|9|2".to_owned(), Some(1), Status::Ok),
    ];
    let mut found_rows = rows(&found.verdicts);
    found_rows.sort_by_key(|row| row.1);
    assert_eq!(found_rows, expected);
    assert_eq!(found.detected[0].ignored, ["note", "when"]);
}

/// Columns of the type null are empty cells, whatever they are taken for.
#[test]
fn a_column_without_a_type_is_empty_cells() {
    let text = "system,query,criterion,judge,label,status,sample\n\
        a,q,c,j,,,\nb,q,c,j,,,\n";
    let expected = read(
        Source::bytes("t.csv", text.as_bytes().to_vec()),
        &ReadOptions::default(),
    );
    let path = folder().join("pyarrow_nulls.parquet");
    let found = read(Source::from(path.as_path()), &ReadOptions::default());
    assert_eq!(rows(&found.verdicts), rows(&expected.verdicts));
    assert_eq!(
        rows(&found.verdicts)[0],
        ("a|q|c|j|1".to_owned(), None, Status::Skipped)
    );
    assert_eq!(found.detected[0].ignored, ["note"]);
}

#[test]
fn a_packed_parquet_file_is_named_for_what_it_is() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let inside = fs::read(folder().join("pyarrow_none.parquet")).expect("a fixture is readable");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&inside).expect("memory takes bytes");
    let gzip = gzip.finish().expect("memory takes bytes");
    let zstd = compress_to_vec(&inside[..], CompressionLevel::Fastest);
    for (name, packed, format) in [
        ("t.parquet.zst", zstd.clone(), "zstd"),
        ("t.parquet", zstd.clone(), "zstd"),
        ("t.csv", zstd, "zstd"),
        ("t.parquet.gz", gzip.clone(), "gzip"),
        ("t", gzip, "gzip"),
    ] {
        let found = read_verdicts(vec![Source::bytes(name, packed)], &ReadOptions::default());
        let found = found.expect_err("it is packed").to_string();
        let expected = format!("`{name}` is a Parquet file packed by {format}, and is not read as it lies");
        assert!(
            found.contains(&expected) && found.contains("unpack it first"),
            "{found}"
        );
    }
}

#[test]
fn scales_judges_columns_and_gold_work_as_in_csv() {
    let path = folder().join("pyarrow_dictionary_int32.parquet");
    let source = || Source::from(path.as_path());
    let judges = ReadOptions {
        judges: Some(vec!["ben".to_owned()]),
        ..ReadOptions::default()
    };
    let found = read(source(), &judges);
    assert_eq!((found.verdicts.len(), found.verdicts.judges().len()), (4, 1));
    let scales = Scales {
        default: Scale::Binary,
        by_criterion: [("cites".to_owned(), "1..5".parse().expect("a scale"))].into(),
        origin: ScaleOrigin::Rubric,
    };
    let graded = ReadOptions {
        scales,
        ..ReadOptions::default()
    };
    let found = read(source(), &graded);
    // Of the labels of `cites` the 1 is the lowest level, and three 0 are off the scale.
    assert_eq!(found.off_scale.count, 3);
    let first = found.off_scale.first.expect("the first of three");
    assert!(
        first.ends_with(":row 2: label `0` of criterion `cites` is not on the scale 1,2,3,4,5"),
        "{first}"
    );
    let gold = read_gold(source(), &ReadOptions::default());
    // Two judges gave labels to one cell: as gold that is one label too many.
    assert!(gold.expect_err("a cell has two rows").to_string().contains("one cell"));
    let gold = folder().join("pyarrow_numbers.parquet");
    let gold = read_gold(Source::from(gold.as_path()), &ReadOptions::default()).expect("two cells");
    assert_eq!(gold.verdicts.judges().iter().collect::<Vec<_>>(), [GOLD]);
}

/// What reading says; the file goes by its own name, so that the message does not depend on the folder.
fn message(path: &Path) -> String {
    let name = path.file_name().expect("a fixture has a name").to_string_lossy();
    let bytes = fs::read(path).expect("a fixture is readable");
    read_verdicts(vec![Source::bytes(&*name, bytes)], &ReadOptions::default()).map_or_else(
        |findings| findings.to_string(),
        |_| format!("{name} was read without a mistake\n"),
    )
}

#[test]
fn every_bad_file_has_its_message() {
    let bless = env::var_os("CALIBRANT_BLESS").is_some();
    let mut wrong = Vec::new();
    let bad = files(&folder().join("bad"));
    assert!(bad.len() >= 15, "the fixtures are in the folder");
    for path in bad {
        let pinned = PathBuf::from(format!("{}.stderr", path.display()));
        let found = message(&path);
        if bless {
            fs::write(&pinned, &found).expect("the folder is writable");
        }
        let expected = fs::read_to_string(&pinned).unwrap_or_default();
        if found != expected {
            wrong.push(format!(
                "{}\n--- expected\n{expected}--- found\n{found}",
                path.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_cut_of_a_file_is_noticed_on_disk_and_in_memory() {
    let whole = fs::read(folder().join("pyarrow_zstd.parquet")).expect("a fixture is readable");
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    for length in (4..whole.len()).step_by(7) {
        let bytes = whole[..length].to_vec();
        let path = elsewhere.path().join("cut.parquet");
        fs::write(&path, &bytes).expect("the folder is writable");
        for source in [Source::from(path.as_path()), Source::bytes("cut", bytes)] {
            let findings = read_verdicts(vec![source], &ReadOptions::default()).expect_err("the file is cut");
            let id = findings.shown()[0].diagnostic.id;
            assert!(
                ["parquet-truncated", "parquet-damaged"].contains(&id),
                "{length}: {findings}"
            );
        }
    }
}

fn of_role(values_of: Option<Role>) -> ReadOptions {
    ReadOptions {
        values_of,
        ..ReadOptions::default()
    }
}

#[test]
fn a_column_that_divides_says_the_same_as_in_csv_and_progress_counts_all_rows() {
    let [csv, parquet] = ["csv", "parquet"].map(|form| folder().join("divided/verdicts").with_extension(form));
    let values = [&csv, &parquet].map(|path| {
        let options = of_role(Some(Role::Domain));
        let found = read(Source::from(path.as_path()), &options);
        let length = fs::metadata(path).expect("a fixture").len();
        assert_eq!((options.progress.rows(), options.progress.bytes()), (504, length));
        assert!(
            found.detected[0]
                .columns
                .iter()
                .any(|column| column.role == Role::Domain)
        );
        (rows(&found.verdicts), found.query_values)
    });
    assert_eq!(values[0], values[1]);
    assert_eq!(values[1].1.len(), 13, "q14 has no domain");
    assert_eq!(
        (&*values[1].1["q07"], &*values[1].1["q08"]),
        ("law", "medicine/cardiology")
    );
    let unasked = read(Source::from(parquet.as_path()), &ReadOptions::default());
    assert!(unasked.query_values.is_empty());
    assert_eq!(unasked.detected[0].ignored, ["domain"]);
}

#[test]
fn two_values_of_one_query_are_refused_with_both_rows() {
    let bytes = fs::read(folder().join("divided/two_domains.parquet")).expect("a fixture is readable");
    let source = || Source::bytes("t.parquet", bytes.clone());
    let findings = read_verdicts(vec![source()], &of_role(Some(Role::Domain))).expect_err("q1 has two domains");
    assert_eq!(findings.shown()[0].diagnostic.id, "two-values");
    let said = findings.to_string();
    let expected = "`t.parquet`, row 6 (row group 2), column `domain`: the query `q1` has the domain `tax` here and `law` in row 1 of t.parquet";
    assert!(said.contains(expected) && said.contains("1 error"), "{said}");
    // Two spellings of one task type are no two values, and a column that is not asked for is not looked at.
    let found = read(source(), &of_role(Some(Role::TaskType)));
    assert_eq!(found.query_values.len(), 1);
    assert_eq!(found.detected[0].ignored, ["domain"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever bytes are changed, a file is read or refused with an error; nothing panics and nothing is taken without end.
    #[test]
    fn changed_bytes_give_rows_or_an_error(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..4),
    ) {
        let good = files(&folder());
        let mut bytes = fs::read(file.get(&good)).expect("a fixture is readable");
        for (at, change) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= change;
        }
        match read_verdicts(vec![Source::bytes("changed.parquet", bytes)], &ReadOptions::default()) {
            Ok(read) => prop_assert!(read.verdicts.len() <= 8),
            Err(findings) => prop_assert!(!findings.is_empty()),
        }
    }
}
