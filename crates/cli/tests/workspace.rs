//! The workspace is what DESIGN section 3 says: arrows, licences, purity, documents.

mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use calibrant_schema::config::KEYS;
use serde_json::Value;

/// The arrows of DESIGN section 3: each crate and those of ours it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("stats", &[]),
    ("schema", &[]),
    ("steps", &["stats", "schema"]),
    ("store", &["schema"]),
    ("judge", &["schema"]),
    ("report", &["schema", "stats"]),
    ("project", &["steps", "store", "judge", "report", "schema"]),
    ("serve", &["project", "report", "schema"]),
    (
        "cli",
        &[
            "stats", "schema", "steps", "store", "judge", "report", "project", "serve",
        ],
    ),
    (
        "py",
        &[
            "stats", "schema", "steps", "store", "judge", "report", "project", "serve", "cli",
        ],
    ),
];

/// The crates without files, network, clock, environment or global randomness.
const PURE: [&str; 4] = ["stats", "schema", "steps", "report"];

/// Licences that ask for no more than their text beside the program.
const LICENCES: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
    "0BSD",
    "CC0-1.0",
    "BSL-1.0",
];

/// STYLE section 2 asks for a split past 600 lines of code; tests and tables may be a little longer.
const LONGEST_FILE: usize = 800;

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(program::repository())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}

/// What cargo knows of the packages this platform needs; others need not be on this machine.
fn metadata() -> Value {
    let version = cargo(&["-vV"]);
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("cargo names its host");
    let arguments = [
        "metadata",
        "--format-version=1",
        "--locked",
        "--offline",
        "--filter-platform",
        host,
    ];
    serde_json::from_str(&cargo(&arguments)).expect("cargo writes JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Our name of a package, if it is one of ours.
fn ours(package: &str) -> Option<&str> {
    package.strip_prefix("calibrant-")
}

#[test]
fn arrows_run_one_way() {
    let metadata = metadata();
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut seen = 0;
    for package in list(&metadata["packages"]) {
        let Some(name) = ours(text(&package["name"])) else {
            continue;
        };
        let may_use = allowed
            .get(name)
            .unwrap_or_else(|| panic!("`{name}` is no crate of DESIGN section 3"));
        seen += 1;
        for dependency in list(&package["dependencies"]) {
            // Tests may look further than the code: only what the crate ships is held to the arrows.
            let ships = dependency["kind"].is_null();
            if let (true, Some(used)) = (ships, ours(text(&dependency["name"]))) {
                assert!(
                    may_use.contains(&used),
                    "`{name}` uses `{used}`, against the arrows of DESIGN section 3"
                );
            }
        }
    }
    assert_eq!(
        seen,
        fs::read_dir(program::repository().join("crates"))
            .expect("crates/")
            .count()
    );
}

#[test]
fn licences_are_permissive() {
    let metadata = metadata();
    for package in list(&metadata["packages"]) {
        let (name, licence) = (text(&package["name"]), text(&package["license"]));
        assert!(
            is_allowed(licence),
            "crate `{name}` has licence `{licence}`, which is not on the list of this test"
        );
    }
}

/// Whether an SPDX expression can be met with the licences of the list.
fn is_allowed(expression: &str) -> bool {
    // Old manifests write a slash for OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let allowed = any(&words, &mut at);
    allowed && at == words.len()
}

/// `one OR one ...`
fn any(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = every(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        allowed |= every(words, at);
    }
    allowed
}

/// `one AND one ...`
fn every(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        allowed &= one(words, at);
    }
    allowed
}

/// A licence, with its exception if it has one, or an expression in brackets.
fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(first) = words.get(*at) else { return false };
    *at += 1;
    if *first == "(" {
        let allowed = any(words, at);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return allowed && closed;
    }
    if words.get(*at) != Some(&"WITH") {
        return LICENCES.contains(first);
    }
    let exception = words.get(*at + 1).copied().unwrap_or_default();
    *at += 2;
    LICENCES.contains(&format!("{first} WITH {exception}").as_str())
}

#[test]
fn licence_expressions_are_understood() {
    for (expression, allowed) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND LGPL-2.1", false),
        ("MIT AND (LGPL-2.1 OR ISC)", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-2.0 WITH Classpath-exception-2.0", false),
        ("MIT OR", true),
        ("(MIT", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression), allowed, "{expression}");
    }
}

#[test]
fn pure_crates_share_one_list_of_lints() {
    let list_of = |name: &str| {
        let path = program::repository().join("crates").join(name).join("clippy.toml");
        fs::read(&path).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()))
    };
    for name in PURE {
        assert!(
            list_of(name) == list_of(PURE[0]),
            "clippy.toml of `{name}` and `{}` differ",
            PURE[0]
        );
    }
}

#[test]
fn crates_open_with_their_reason_and_take_the_workspace_settings() {
    for entry in fs::read_dir(program::repository().join("crates")).expect("crates/") {
        let crate_folder = entry.expect("crates/ can be listed").path();
        let name = crate_folder.display();
        let library = fs::read_to_string(crate_folder.join("src/lib.rs")).unwrap_or_default();
        assert!(
            library.starts_with("//! "),
            "{name}: lib.rs does not open with the crate's reason"
        );
        let manifest = fs::read_to_string(crate_folder.join("Cargo.toml")).expect("a manifest");
        for setting in ["edition", "rust-version", "license", "version"] {
            let line = format!("{setting}.workspace = true");
            assert!(manifest.lines().any(|found| found == line), "{name}: no `{line}`");
        }
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{name}: the workspace's lints are not taken"
        );
    }
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    // In two halves, so that this file does not match itself.
    let halves = [
        ("/wo", "rk/"),
        ("/ro", "ot/"),
        ("/tm", "p/"),
        ("/ho", "me/"),
        ("/Use", "rs/"),
        ("arti", "factory"),
        (".inter", "nal/"),
    ];
    let patterns: Vec<String> = halves.iter().map(|(left, right)| format!("{left}{right}")).collect();
    let mut looked_at = 0;
    for path in repository_files() {
        let bytes = fs::read(&path).expect("a file of the repository");
        let Ok(content) = std::str::from_utf8(&bytes) else {
            continue;
        };
        looked_at += 1;
        for pattern in &patterns {
            assert!(
                !content.contains(pattern.as_str()),
                "{} names `{pattern}`",
                path.display()
            );
        }
    }
    assert!(looked_at > 100, "only {looked_at} files were found");
}

#[test]
fn no_source_file_is_too_long() {
    for path in repository_files()
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let lines = fs::read_to_string(path).expect("a source file").lines().count();
        assert!(
            lines <= LONGEST_FILE,
            "{} has {lines} lines: split it by concept",
            path.display()
        );
    }
}

/// Every file of the repository, without what git ignores.
fn repository_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(&program::repository(), &mut files);
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("the folder can be listed").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ignored =
            [".git", "target", ".venv", ".venv-formats", "__pycache__"].contains(&name) || name.ends_with(".pyc");
        match (ignored, path.is_dir()) {
            (true, _) => {}
            (false, true) => walk(&path, files),
            (false, false) => files.push(path),
        }
    }
}

fn document(name: &str) -> String {
    let path = program::repository().join("docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()))
}

/// Those of `words` that a document does not name in code marks.
fn unnamed<'a>(document: &str, words: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // A word counts where it stands whole: `ability` is not named by `ability_low`.
    let code: BTreeSet<&str> = document
        .split(|c: char| !(c.is_alphanumeric() || "_-.*".contains(c)))
        .flat_map(|word| [word, word.trim_matches('.')])
        .collect();
    words.into_iter().filter(|word| !code.contains(word)).collect()
}

#[test]
fn a_word_is_named_where_it_stands_whole() {
    let document = "`ability_low` and `paths.out`; `calibrate --json` too.";
    let words = ["ability", "ability_low", "paths.out", "out", "--json", "too"];
    assert_eq!(unnamed(document, words), ["ability", "out"]);
}

#[test]
fn every_command_and_flag_is_documented() {
    let document = document("commands.md");
    let interface = calibrant_cli::interface();
    let commands: Vec<&str> = interface.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(unnamed(&document, commands.iter().copied()), Vec::<&str>::new());
    let flags: BTreeSet<String> = interface
        .get_subcommands()
        .chain([&interface])
        .flat_map(clap::Command::get_arguments)
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .collect();
    assert_eq!(unnamed(&document, flags.iter().map(String::as_str)), Vec::<&str>::new());
}

#[test]
fn every_setting_is_documented() {
    let document = document("config.md");
    assert_eq!(unnamed(&document, KEYS.iter().map(|key| key.path)), Vec::<&str>::new());
}

#[test]
fn every_field_of_the_artifacts_is_documented() {
    let document = document("artifacts.md");
    for name in ["calibration.json", "fit.json", "bank.json", "scores.json"] {
        let artifact = program::artifact(&program::repository().join("testdata/artifacts/v1"), name);
        let mut fields = BTreeSet::new();
        collect_fields(&artifact, &mut fields);
        let missing = unnamed(&document, fields.iter().map(String::as_str));
        assert_eq!(missing, Vec::<&str>::new(), "fields of {name}");
    }
}

/// Field names of an artifact: keys of objects, without those of maps whose keys are data.
fn collect_fields(value: &Value, fields: &mut BTreeSet<String>) {
    const MAPS: [&str; 6] = ["inputs", "settings", "statuses", "agreement", "undefined", "entry"];
    match value {
        Value::Array(rows) => rows.iter().for_each(|row| collect_fields(row, fields)),
        Value::Object(object) => {
            for (key, inside) in object {
                fields.insert(key.clone());
                if !(MAPS.contains(&key.as_str()) && inside.is_object()) && key != "warnings" {
                    collect_fields(inside, fields);
                }
            }
        }
        _ => {}
    }
}
