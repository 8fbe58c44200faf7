//! Sheets of a round out and back, on the clinical example.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use calibrant_project::grading::{
    CollectOptions, CollectedFile, Grading, GradingRequest, OnChanges, OnMistakes, SampleOptions, SheetForm, collect,
    exported, write_sheets,
};
use calibrant_schema::exercise::{Act, Decision, Mark};
use calibrant_store::sheets::ExportForm;

const ALL: [SheetForm; 3] = [SheetForm::Html, SheetForm::Xlsx, SheetForm::Csv];

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/clinical")
        .join(name)
}

/// A round of 40 answers, and a folder for its files.
struct Round {
    folder: tempfile::TempDir,
    grading: Grading,
}

impl Round {
    fn new() -> Round {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let request = GradingRequest {
            dir: folder.path().join("grading"),
            ledger: folder.path().join("verdicts.db"),
            round: None,
            rubric: Some(example("rubric.yaml")),
            responses: Some(example("responses.jsonl")),
            queries: Some(example("queries.jsonl")),
            graders: vec!["ana".to_owned(), "ben".to_owned()],
            sample: SampleOptions::default(),
        };
        let grading = Grading::open(&request).unwrap_or_else(|error| panic!("{error}"));
        Round { folder, grading }
    }

    fn sheets(&self) -> PathBuf {
        let folder = self.folder.path().join("sheets");
        write_sheets(&self.grading, &[], &ALL, &folder).unwrap_or_else(|error| panic!("{error}"));
        folder
    }

    /// The CSV of a grader with one word in every verdict cell.
    fn filled(&self, grader: &str, word: &str) -> String {
        let text = fs::read_to_string(self.sheets().join(format!("{grader}.csv"))).expect("the sheet was written");
        text.replace("\"\",\"\",\"u-", &format!("\"{word}\",\"\",\"u-"))
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("the folder is writable");
        path
    }

    fn collect(&self, files: &[PathBuf], options: CollectOptions) -> Vec<CollectedFile> {
        collect(&self.grading, files, options).unwrap_or_else(|error| panic!("{error}"))
    }

    fn one(&self, file: &Path) -> CollectedFile {
        let mut files = self.collect(&[file.to_owned()], CollectOptions::default());
        files.pop().expect("one file")
    }
}

fn ids(file: &CollectedFile) -> Vec<&str> {
    file.findings
        .shown()
        .iter()
        .map(|finding| finding.diagnostic.id)
        .collect()
}

/// Every part of a zip archive, unpacked.
fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let long = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let short = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let end = bytes
        .windows(4)
        .rposition(|window| window == b"PK\x05\x06")
        .expect("an archive");
    let (mut at, mut all) = (long(end + 16), Vec::new());
    for _ in 0..short(end + 10) {
        let (packed, local) = (long(at + 20), long(at + 42));
        let start = local + 30 + short(local + 26) + short(local + 28);
        let part = &bytes[start..start + packed];
        match short(at + 10) {
            0 => all.extend_from_slice(part),
            _ => {
                flate2::read::DeflateDecoder::new(part)
                    .read_to_end(&mut all)
                    .expect("a sound archive");
            }
        }
        at += 46 + short(at + 28) + short(at + 30) + short(at + 32);
    }
    all
}

#[test]
fn no_sheet_says_which_system_answered_or_what_counts_how_much() {
    let round = Round::new();
    let folder = round.sheets();
    let mut files = 0;
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let mut bytes = fs::read(&path).expect("a file");
        if path.extension().is_some_and(|ending| ending == "xlsx") {
            bytes.extend(unzipped(&bytes.clone()));
        }
        let text = String::from_utf8_lossy(&bytes);
        // The names of systems, of the queries, of those who answer for weights, and of the other grader.
        let other = if path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("ana"))
        {
            "\"ben\""
        } else {
            "\"ana\""
        };
        for secret in [
            "draft-",
            "\"q0",
            "medical information team",
            "weight",
            "mandatory",
            "simulated",
            other,
        ] {
            let allowed = secret == "weight" && path.extension().is_some_and(|ending| ending == "html");
            // The style of the page has `font-weight`.
            let found = if allowed {
                text.replace("font-weight", "").contains("\"weight")
            } else {
                text.contains(secret)
            };
            assert!(!found, "{} holds `{secret}`", path.display());
        }
        files += 1;
    }
    assert_eq!(files, 6);
}

#[test]
fn the_same_round_gives_the_same_bytes_and_never_over_a_grader_s_work() {
    let round = Round::new();
    let folder = round.sheets();
    let first: Vec<Vec<u8>> = ["ana.html", "ana.xlsx", "ben.csv"]
        .map(|name| fs::read(folder.join(name)).expect(name))
        .into();
    round.sheets();
    for (name, bytes) in ["ana.html", "ana.xlsx", "ben.csv"].into_iter().zip(first) {
        assert!(fs::read(folder.join(name)).expect(name) == bytes, "{name}");
    }
    fs::write(folder.join("ben.csv"), round.filled("ana", "yes")).expect("writable");
    let refused = write_sheets(&round.grading, &[], &ALL, &folder).expect_err("ben.csv holds verdicts");
    assert!(refused.to_string().contains("ben.csv"));
}

#[test]
fn a_sheet_is_recorded_once_and_changed_only_when_asked() {
    let round = Round::new();
    let yes = round.file("ana.csv", &round.filled("ana", "yes"));
    let first = round.one(&yes);
    assert_eq!((first.recorded, first.known, ids(&first)), (240, 0, vec![]));
    let again = round.one(&yes);
    assert_eq!((again.recorded, again.known), (0, 240));
    let both = round.collect(&[yes.clone(), yes.clone()], CollectOptions::default());
    assert_eq!(both[1].same_as.as_deref(), Some(both[0].file.as_str()));

    let mut text = round.filled("ana", "yes");
    text = text.replacen("\"yes\"", "\"no\"", 1);
    let changed = round.file("changed.csv", &text);
    let refused = round.one(&changed);
    assert_eq!((refused.recorded, ids(&refused)), (0, vec!["sheet-changed"]));
    let options = CollectOptions {
        changes: OnChanges::Replace,
        ..CollectOptions::default()
    };
    let replaced = round.collect(&[changed], options);
    assert_eq!(
        (replaced[0].recorded, replaced[0].changed, replaced[0].known),
        (1, 1, 239)
    );
    // An empty sheet takes nothing back.
    let empty = round.one(&round.sheets().join("ana.xlsx"));
    assert_eq!((empty.recorded, ids(&empty)), (0, vec![]));
    assert_eq!(round.grading.progress().expect("a ledger")[0].left, 0);
}

#[test]
fn a_file_with_a_mistake_is_left_out_or_taken_without_it() {
    let round = Round::new();
    let text = round.filled("ben", "no").replacen("\"no\"", "\"perhaps\"", 1);
    let file = round.file("ben.csv", &text);
    let refused = round.one(&file);
    assert_eq!((refused.recorded, ids(&refused)), (0, vec!["sheet-word"]));
    let options = CollectOptions {
        mistakes: OnMistakes::TakeTheRest,
        ..CollectOptions::default()
    };
    let taken = round.collect(&[file], options);
    assert_eq!((taken[0].recorded, ids(&taken[0])), (239, vec!["sheet-word"]));
}

#[test]
fn two_files_of_one_grader_must_not_conflict() {
    let round = Round::new();
    let files = [
        round.file("a.csv", &round.filled("ana", "yes").replacen("\"yes\"", "\"no\"", 1)),
        round.file("b.csv", &round.filled("ana", "yes")),
    ];
    let collected = round.collect(&files, CollectOptions::default());
    assert_eq!((collected[0].recorded, collected[1].recorded), (240, 0));
    assert_eq!(ids(&collected[1]), ["sheet-conflict"]);
    let shown = collected[1].findings.to_string();
    assert!(shown.contains("b.csv") && shown.contains("a.csv"), "{shown}");
}

#[test]
fn a_locked_sheet_takes_what_it_holds_and_nothing_else() {
    let round = Round::new();
    let file = round.file("ana.csv", &round.filled("ana", "yes"));
    assert_eq!(round.one(&file).recorded, 240);
    round.grading.lock("ana").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ids(&round.one(&file)), Vec::<&str>::new());
    let other = round.file(
        "other.csv",
        &round
            .filled("ana", "yes")
            .replacen("\"yes\",\"\"", "\"yes\",\"late\"", 1),
    );
    assert_eq!(ids(&round.one(&other)), ["sheet-locked"]);
    let no_file = round.one(&round.folder.path().join("gone.csv"));
    assert_eq!(ids(&no_file), ["cannot-read"]);
}

/// The result of a page with one verdict on each of the first answers, and a comment.
fn page(round: &Round, grader: &str, answers: usize, last: f64) -> String {
    let paper = round.grading.paper(grader).expect("a sheet");
    let mark = |nth: u64, unit: &str, act: Act| Mark {
        unit: unit.to_owned(),
        criterion: Some("concise".to_owned()),
        act,
        at: format!("2026-11-30T09:00:{nth:02}Z"),
        nth,
    };
    let mut marks: Vec<Mark> = (1..)
        .zip(paper.units.iter().take(answers))
        .map(|(nth, unit)| mark(nth, &unit.unit, Act::Verdict { label: 1.0 }))
        .collect();
    marks.push(mark(
        marks.len() as u64 + 1,
        &paper.units[0].unit,
        Act::Verdict { label: last },
    ));
    serde_json::json!({
        "format": "calibrant.marks/1", "exercise": paper.exercise, "grader": grader, "finished": false, "marks": marks,
    })
    .to_string()
}

#[test]
fn a_page_and_a_table_of_one_grader_meet() {
    let round = Round::new();
    let result = round.file("r.json", &page(&round, "ana", 5, 0.0));
    let first = round.one(&result);
    assert_eq!((first.recorded, ids(&first)), (6, vec![]));
    assert_eq!(round.one(&result).known, 6);
    // A page that goes on may change its mind; after a table came between, its marks are counted anew.
    let unit = round.grading.paper("ana").expect("a sheet").units[0].unit.clone();
    let decided = || {
        let sheet = round.grading.sheet("ana").expect("a ledger");
        sheet.decision(&unit, "concise").cloned()
    };
    assert_eq!(decided(), Some(Decision::Label(0.0)));
    let table = round
        .filled("ana", "")
        .replacen("\"\",\"\",\"u-", "\"yes\",\"\",\"u-", 1);
    let came = round.one(&round.file("ana.csv", &table));
    assert_eq!((came.recorded, ids(&came)), (1, vec![]));
    let again = round.one(&result);
    assert_eq!((again.recorded, again.known, ids(&again)), (0, 6, vec![]));
    let more = round.one(&round.file("more.json", &page(&round, "ana", 7, 0.0)));
    assert_eq!(ids(&more), Vec::<&str>::new());
    assert_eq!(decided(), Some(Decision::Label(0.0)));
}

#[test]
fn exports_wait_until_every_sheet_is_locked() {
    let round = Round::new();
    for (at, (grader, word)) in [("ana", "yes"), ("ben", "no")].into_iter().enumerate() {
        let refused = exported(&round.grading, ExportForm::Jsonl).expect_err("sheets are open");
        assert!(refused.to_string().contains("still being graded"), "{at}");
        round.one(&round.file(&format!("{grader}.csv"), &round.filled(grader, word)));
        round.grading.lock(grader).unwrap_or_else(|error| panic!("{error}"));
    }
    let text = exported(&round.grading, ExportForm::Jsonl).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text.lines().count(), 480);
    assert!(text.contains("\"system\":\"draft-a\""));
}
