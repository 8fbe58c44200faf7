//! Commands as people type them, with everything they print and their exit codes.
//!
//! Each file of `testdata/transcripts` runs in a copy of the folder NAME.in. `TRYCMD=overwrite cargo test --test transcripts`
//! writes what the program says now; read the difference before it is kept.

mod program;

use std::fs;
use std::path::Path;

use trycmd::TestCases;

fn cases() -> TestCases {
    let cases = TestCases::new();
    cases
        .register_bin("calibrant", Path::new(env!("CARGO_BIN_EXE_calibrant")))
        // The width of a table where no terminal says another.
        .env("COLUMNS", "100");
    cases
}

#[test]
fn transcripts_hold() {
    let transcripts = program::repository().join("testdata/transcripts/*.trycmd");
    cases().case(transcripts).run();
}

#[test]
fn the_readme_runs_as_printed() {
    let folder = program::folder();
    let page = folder.path().join("README.md");
    fs::copy(program::repository().join("README.md"), &page).expect("a copy of the README");
    // These two folders make the commands run in one of their own.
    for name in ["README.in", "README.out"] {
        fs::create_dir(folder.path().join(name)).expect("a folder for the commands");
    }
    cases().case(&page).run();
}

#[test]
fn the_page_of_other_tools_files_runs_as_printed() {
    let root = program::repository();
    let folder = program::folder();
    let page = folder.path().join("formats.md");
    fs::copy(root.join("docs/formats/README.md"), &page).expect("a copy of the page");
    for name in ["formats.in", "formats.out"] {
        fs::create_dir(folder.path().join(name)).expect("a folder for the commands");
    }
    let matrix = root.join("testdata/transcripts/imports.in/matrix.csv");
    fs::copy(matrix, folder.path().join("formats.in/matrix.csv")).expect("a copy of the matrix");
    cases().case(&page).run();
    if std::env::var_os("TRYCMD").is_some() {
        fs::copy(&page, root.join("docs/formats/README.md")).expect("the page as the program prints it");
    }
}
