//! Files of other tools on their way in and out of the program.

mod program;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use program::{artifact, calibrant, files, folder, repository};

fn fixture(name: &str) -> PathBuf {
    repository().join("testdata/formats").join(name)
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("our paths are UTF-8")
}

#[test]
fn an_import_is_a_project_that_runs_at_once() {
    let folder = folder();
    let results = fixture("promptfoo/desk.json");
    let ran = calibrant(folder.path(), &["import", text(&results), "--out", "desk", "--json"]).succeeded();
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON, as asked");
    assert_eq!(told["format"], "calibrant.import/1");
    assert_eq!(
        (&told["files"][0]["form"], &told["files"][0]["chosen"]),
        (&"promptfoo".into(), &"structure".into())
    );
    let written = files(&folder.path().join("desk"));
    let lines = |name: &str| written[name].iter().filter(|byte| **byte == b'\n').count() as u64;
    for (name, count) in [
        ("criteria.jsonl", "criteria"),
        ("queries.jsonl", "queries"),
        ("responses.jsonl", "responses"),
        ("verdicts.jsonl", "verdicts"),
    ] {
        assert_eq!(Some(lines(name)), told[count].as_u64(), "{name}");
    }
    calibrant(folder.path(), &["run", "--config", "desk/calibrant.toml"]).succeeded();
    let scores = artifact(&folder.path().join("desk/out"), "scores.json");
    let systems = scores["systems"].as_array().map(Vec::len);
    assert_eq!(systems, told["systems"].as_array().map(Vec::len));
    assert!(folder.path().join("desk/out/report.html").is_file());
}

#[test]
fn the_same_file_gives_the_same_bytes_packed_or_not_and_twice() {
    let folder = folder();
    let bytes = fs::read(fixture("promptfoo/desk.json")).expect("a fixture");
    fs::write(folder.path().join("plain"), &bytes).expect("a new file");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&bytes).expect("memory takes bytes");
    fs::write(folder.path().join("packed"), gzip.finish().expect("memory takes bytes")).expect("a new file");
    for name in ["plain", "packed", "plain"] {
        let out = format!("{name}.out");
        calibrant(folder.path(), &["import", name, "--out", &out]).succeeded();
    }
    let (mut plain, mut packed) = (
        files(&folder.path().join("plain.out")),
        files(&folder.path().join("packed.out")),
    );
    // The file's name stands in the record, and nowhere else.
    assert_ne!(
        plain.remove("calibrant-import.json"),
        packed.remove("calibrant-import.json")
    );
    assert_eq!(plain, packed);
    let hidden = fs::read_dir(folder.path()).expect("the folder").flatten();
    assert!(
        hidden
            .map(|entry| entry.file_name())
            .all(|name| !name.to_string_lossy().starts_with('.'))
    );
}

#[test]
fn nobodys_work_is_overwritten() {
    let folder = folder();
    let results = fixture("promptfoo/plain.json");
    let import = |out: &str| calibrant(folder.path(), &["import", text(&results), "--out", out]);
    fs::create_dir(folder.path().join("mine")).expect("a new folder");
    fs::write(folder.path().join("mine/notes.txt"), "mine").expect("a new file");
    import("mine").refused_with("nothing in it will be touched");
    fs::create_dir(folder.path().join("empty")).expect("a new folder");
    import("empty").succeeded();
    let before = files(&folder.path().join("empty"));
    import("empty").succeeded();
    assert_eq!(files(&folder.path().join("empty")), before);
    let settings = folder.path().join("empty/calibrant.toml");
    fs::write(&settings, "# mine\n").expect("a file of ours");
    import("empty").refused_with("was changed since it was imported");
    assert_eq!(fs::read(&settings).expect("it is there"), b"# mine\n");
    let (_, marker) = (
        fs::remove_file(&settings),
        folder.path().join("empty/calibrant-import.json"),
    );
    fs::write(
        marker,
        r#"{"format": "calibrant.import/1", "written": {"../mine/notes.txt": ""}}"#,
    )
    .expect("a file");
    import("empty").refused_with("nothing in it will be touched");
    assert_eq!(files(&folder.path().join("mine")).len(), 1);
}

#[test]
fn a_refused_import_leaves_nothing() {
    let folder = folder();
    fs::write(folder.path().join("empty.json"), "").expect("a new file");
    fs::write(folder.path().join("other.json"), "{\"a\u{1b}\": 1}").expect("a new file");
    for name in ["empty.json", "other.json", "missing.json"] {
        let ran = calibrant(folder.path(), &["import", name, "--out", "out"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(
            ran.stderr.contains("help: ") && !ran.stderr.contains('\u{1b}'),
            "{}",
            ran.stderr
        );
        let left = fs::read_dir(folder.path()).expect("the folder").count();
        assert_eq!(left, 2, "{name}");
    }
}

#[test]
fn the_wrong_form_is_told_with_the_right_one() {
    let folder = folder();
    let results = fixture("promptfoo/plain.json");
    let arguments = ["import", text(&results), "--from", "promptfoo-config", "--out", "out"];
    calibrant(folder.path(), &arguments).refused_with("write --from promptfoo, or leave --from out");
    let arguments = ["import", text(&results), "--from", "hugging-face", "--out", "out"];
    calibrant(folder.path(), &arguments).refused_with("invalid value 'hugging-face'");
}

#[test]
fn standard_input_is_a_file_without_a_name() {
    let folder = folder();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_calibrant"));
    command.args(["import", "-", "--out", "out"]).current_dir(folder.path());
    command.stdin(fs::File::open(fixture("promptfoo/plain.json")).expect("a fixture"));
    let output = command.output().expect("the program starts");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("standard input: promptfoo, by its structure"));
    let twice = calibrant(folder.path(), &["import", "-", "-", "--out", "out"]);
    twice.refused_with("standard input can be read once");
}
