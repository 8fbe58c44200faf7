//! Tables packed by other programs.

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_store::tables::{Format, ReadOptions, ReadVerdicts, read_verdicts};
use calibrant_store::{Compression, Source, read_queries, read_rubric};

fn packed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/zstd")
        .join(name)
}

fn read(path: &Path) -> ReadVerdicts {
    read_verdicts(vec![Source::from(path)], &ReadOptions::default()).unwrap_or_else(|findings| panic!("{findings}"))
}

#[test]
fn tables_of_the_zstd_programs_say_the_same() {
    let expected = read(&packed("level19.csv.zst"));
    assert_eq!(expected.verdicts.len(), 4);
    let names = ["stream.csv.zst", "pzstd.csv.zst", "two-frames.jsonl.zst"];
    for name in names {
        let found = read(&packed(name));
        assert!(found.verdicts.rows().eq(expected.verdicts.rows()), "{name}");
        let detected = &found.detected[0];
        assert_eq!(detected.compression, Compression::Zstd, "{name}");
        assert_eq!(detected.format == Format::Jsonl, name.contains("jsonl"), "{name}");
    }
}

#[test]
fn a_packed_table_is_known_by_its_bytes_and_hashed_as_it_lies() {
    let path = packed("level19.csv.zst");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let other_name = folder.path().join("verdicts.csv");
    fs::copy(&path, &other_name).expect("the folder is writable");
    let (found, expected) = (read(&other_name), read(&path));
    assert_eq!(found.detected[0].compression, Compression::Zstd);
    assert_eq!(found.detected[0].sha256, expected.detected[0].sha256);
    // What `sha256sum` prints for the file.
    let known = "83d445717e511886af8f5ac030ac4cd5f1cc966ef4d153e50117cf5dac64fc09";
    assert_eq!(expected.detected[0].sha256, known);
}

#[test]
fn a_file_cut_inside_its_first_bytes_is_said_to_be_cut() {
    let whole = fs::read(packed("level19.csv.zst")).expect("a fixture is readable");
    for length in [2, 3, 4, 5, 9] {
        let source = Source::bytes("t.csv.zst", whole[..length].to_vec());
        let found = read_verdicts(vec![source], &ReadOptions::default()).expect_err("the file is cut");
        let found = found.to_string();
        assert!(
            found.contains("`t.csv.zst` ends early: the zstd stream breaks off") && found.contains("cut short"),
            "{length}: {found}"
        );
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rubric.yaml.zst");
    fs::write(&path, &whole[..3]).expect("the folder is writable");
    let found = read_rubric(&path).expect_err("the file is cut").to_string();
    assert!(found.contains("ends early"), "{found}");
}

#[test]
fn rubrics_and_queries_may_be_packed_too() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let written = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)).expect("the folder is writable");
        path
    };
    let rubric = written(
        "rubric.json.zst",
        r#"{"criteria": [{"id": "c", "question": "Is it short?"}]}"#,
    );
    let rubric = read_rubric(&rubric).expect("a rubric in JSON");
    assert_eq!(rubric.value.criteria[0].id, "c");
    let queries = written("queries.jsonl.zst", "{\"query\": \"q1\", \"prompt\": \"Hello?\"}\n");
    assert_eq!(read_queries(&queries).expect("one query").value.len(), 1);
}
