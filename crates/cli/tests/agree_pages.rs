//! The pages of `agree`: names from outside are text, the figure is there, and the same inputs give the same bytes.

mod program;

use std::fs;

use calibrant_schema::Agreement;
use calibrant_schema::artifact::Artifact;
use program::{calibrant, files};

const HOSTILE: &str = "<script>alert(1)</script>";

/// A table with hostile names, in which one criterion is nearly always met and one is judged badly.
fn table() -> String {
    let mut rows = "system,query,criterion,judge,label\n".to_owned();
    for at in 0..40 {
        for (judge, shift) in [("anna\u{202e}", 0), ("=cmd|' /C calc'!A0", 1)] {
            let rare = u8::from(at + shift != 7);
            let poor = u8::from((at * (3 + 4 * shift)) % 5 > 1);
            let clear = u8::from(at % 2 == 0);
            rows += &format!(
                "s,q{at},{HOSTILE},{judge},{rare}\ns,q{at},poor,{judge},{poor}\ns,q{at},clear,{judge},{clear}\n"
            );
        }
    }
    rows
}

#[test]
fn names_are_text_and_nothing_runs() {
    let folder = program::folder();
    fs::write(folder.path().join("table.csv"), table()).expect("the table");
    let ran = calibrant(folder.path(), &["agree", "--verdicts", "table.csv", "--out", "out"]).succeeded();
    assert!(!ran.stdout.contains('\u{202e}') && !ran.stderr.contains('\u{202e}'));
    let out = files(&folder.path().join("out"));
    let page = String::from_utf8(out["agreement.html"].clone()).expect("UTF-8");
    assert!(
        !page.contains("<script") && page.contains("&#60;script&#62;alert(1)"),
        "names are escaped"
    );
    assert!(page.contains("default-src 'none'") && page.contains("id=\"figure-prevalence\""));
    for promise in ["It does not say that they apply them rightly", "Validity: not measured"] {
        assert!(page.contains(promise), "{promise}");
    }
    let text = String::from_utf8(out["agreement.md"].clone()).expect("UTF-8");
    assert!(
        text.contains("`<script>alert(1)</script>`") && !text.contains("\n<script"),
        "names are code"
    );
    let json = String::from_utf8(out["agreement.json"].clone()).expect("UTF-8");
    let agreement = Agreement::from_json(&json, "agreement.json").expect("the artifact reads back");
    let readings: Vec<(&str, String)> = agreement
        .readings
        .iter()
        .map(|row| (row.criterion.as_str(), format!("{:?}", row.reading)))
        .collect();
    let expected = [(HOSTILE, "RareOutcome"), ("clear", "NotLow"), ("poor", "JudgeError")];
    assert_eq!(readings, expected.map(|(name, reading)| (name, reading.to_owned())));
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = program::folder();
    fs::write(folder.path().join("table.csv"), table()).expect("the table");
    let made = |threads: &str| {
        let out = format!("out-{threads}");
        let command = ["agree", "--verdicts", "table.csv", "--out", &out, "--threads", threads];
        calibrant(folder.path(), &command).succeeded();
        files(&folder.path().join(&out))
    };
    let (one, two) = (made("1"), made("2"));
    assert_eq!(one["agreement.json"], two["agreement.json"]);
    // The command in the page names the folder, which differs.
    let page = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("out-1", "out-2");
    assert_eq!(page(&one["agreement.html"]), page(&two["agreement.html"]));
}

#[test]
fn a_folder_that_is_not_ours_is_refused() {
    let folder = program::folder();
    fs::write(folder.path().join("table.csv"), table()).expect("the table");
    fs::create_dir(folder.path().join("mine")).expect("a folder");
    fs::write(folder.path().join("mine/notes.txt"), "mine").expect("a file");
    let command = ["agree", "--verdicts", "table.csv", "--out", "mine"];
    calibrant(folder.path(), &command).refused_with("is not a folder that calibrant made");
    assert_eq!(files(&folder.path().join("mine")).len(), 1);
}
