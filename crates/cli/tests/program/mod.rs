//! The program under test, run in a folder of its own, deaf to the settings of whoever runs the tests.
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a command left behind on its way out.
#[derive(Debug)]
pub struct Ran {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Panics with everything the command said unless it ended with code 0.
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{self:#?}");
        self
    }

    /// Panics unless it was refused as wrong input (code 2), with nothing on standard output and this on standard error.
    pub fn refused_with(self, words: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{self:#?}");
        assert!(self.stderr.contains(words), "`{words}` is not in\n{}", self.stderr);
    }
}

/// Runs the program in a folder.
pub fn calibrant(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calibrant"));
    command.args(arguments).current_dir(folder).env_remove("COLUMNS");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALIBRANT_") {
            command.env_remove(name);
        }
    }
    let output = command.output().expect("the program starts");
    Ran {
        code: output.status.code().expect("the program was not killed"),
        stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// A folder that goes away with its value.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// A folder with the project that `init` writes, not run yet.
pub fn project() -> tempfile::TempDir {
    let folder = folder();
    calibrant(folder.path(), &["init", "--quiet"]).succeeded();
    folder
}

/// The bytes of every file of a folder, by name, without hidden ones: the lock is no result.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| {
            let entry = entry.expect("the folder can be listed");
            let name = entry.file_name().into_string().expect("our names are UTF-8");
            (name, fs::read(entry.path()).expect("the file can be read"))
        })
        .filter(|(name, _)| !name.starts_with('.'))
        .collect()
}

/// The bytes of every file in a folder and the folders below, by path, without hidden ones.
pub fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let entry = entry.expect("the folder can be listed");
        let name = entry.file_name().into_string().expect("our names are UTF-8");
        if entry.path().is_dir() {
            let below = files_below(&entry.path()).into_iter();
            found.extend(below.map(|(inside, bytes)| (format!("{name}/{inside}"), bytes)));
        } else if !name.starts_with('.') {
            found.insert(name, fs::read(entry.path()).expect("the file can be read"));
        }
    }
    found
}

/// A JSON artifact of a folder.
pub fn artifact(folder: &Path, name: &str) -> Value {
    let text = fs::read_to_string(folder.join(name)).unwrap_or_else(|reason| panic!("{name}: {reason}"));
    serde_json::from_str(&text).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository is there")
}

/// The rows of `systems` of an artifact, by system.
pub fn by_system(artifact: &Value) -> BTreeMap<String, Value> {
    let rows = artifact["systems"].as_array().expect("the artifact has systems");
    rows.iter()
        .map(|row| {
            (
                row["system"].as_str().expect("a system has an id").to_owned(),
                row.clone(),
            )
        })
        .collect()
}

/// A file of the shared data folder, or `None` when the folder is absent, which is noted for the count of skips.
pub fn data(test: &str, file: &str) -> Option<PathBuf> {
    let beside = repository().join("../shared/data");
    let path = std::env::var_os("CALIBRANT_DATA")
        .map_or(beside, PathBuf::from)
        .join(file);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("CALIBRANT_REQUIRE_DATA").is_none_or(|value| value != "1"),
        "{} is required",
        path.display()
    );
    skipped(test, file);
    None
}

/// The browser of this machine, or `None` when there is none, which is noted for the count of skips.
pub fn browser(test: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)))
        .find(|program| program.is_file());
    assert!(
        found.is_some() || std::env::var_os("CALIBRANT_REQUIRE_BROWSER").is_none_or(|value| value != "1"),
        "chromium is required on the PATH"
    );
    if found.is_none() {
        skipped(test, "chromium");
    }
    found
}

/// Notes for the count of skips that a test cannot be done without this.
pub fn skipped(test: &str, absent: &str) {
    if let Some(log) = std::env::var_os("CALIBRANT_SKIP_LOG") {
        let log = fs::OpenOptions::new().append(true).create(true).open(log);
        writeln!(log.expect("the skip log is writable"), "cli {test}: {absent} is absent")
            .expect("the skip log is writable");
    }
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}
