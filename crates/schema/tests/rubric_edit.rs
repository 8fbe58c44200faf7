//! Edits of rubric files: the change is made, it is the only one, and every other byte stays.
//!
//! `testdata/rubrics/edited` holds files that are hard to edit, each with its result beside it; the beginning of a name says
//! which edit is made. `CALIBRANT_BLESS=1` writes the results instead of comparing them.

#![expect(clippy::disallowed_methods, reason = "tests read their fixtures and the environment")]

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_schema::Rubric;
use calibrant_schema::roll_up::{RollUp, RollUpRule};
use calibrant_schema::rubric::Ruling;
use calibrant_schema::rubric::edit::{CriterionName, Edit, EditError, Edited, Wording, apply};
use proptest::prelude::*;

const RULING: &str = "A path that names the menu but not the setting is a FAIL: the reader cannot follow it to the end, \
                      and a link \"see #settings\" does not make up for it.";

fn ruling(text: &str) -> Ruling {
    Ruling {
        date: "2026-05-09".parse().expect("a day"),
        text: text.to_owned(),
        from: Some("d-1a2b3c".into()),
    }
}

fn ruled(criterion: &str, text: &str) -> Edit {
    Edit::Ruling {
        criterion: CriterionName::new(criterion),
        ruling: ruling(text),
        addition: text.to_owned(),
    }
}

fn reworded(criterion: &str, field: Wording, text: &str) -> Edit {
    Edit::Wording {
        criterion: CriterionName::new(criterion),
        field,
        text: text.to_owned(),
        ruling: ruling("question reworded: two readings of it"),
    }
}

fn deleted(criterion: &str) -> Edit {
    Edit::Deletion {
        criterion: CriterionName::new(criterion),
    }
}

fn rolled() -> Edit {
    Edit::RollUp {
        roll_up: RollUp {
            rule: RollUpRule::AtLeast(1),
            reason: Some("agreed with support: one is enough, for now".into()),
            date: Some("2026-05-02".parse().expect("a day")),
        },
    }
}

/// Everything outside the replaced ranges stands in the new text, in order.
fn kept(old: &str, edited: &Edited) -> bool {
    let mut at = 0;
    let mut pieces = Vec::new();
    for range in &edited.replaced {
        pieces.push(&old[at..range.start]);
        at = range.end;
    }
    pieces.push(&old[at..]);
    let mut rest = edited.text.as_str();
    for piece in pieces {
        match rest.find(piece) {
            Some(found) => rest = &rest[found + piece.len()..],
            None => return false,
        }
    }
    true
}

/// The old texts that were replaced by others.
fn replaced<'t>(old: &'t str, edited: &Edited) -> Vec<&'t str> {
    let texts = edited.replaced.iter().map(|range| &old[range.clone()]);
    texts.filter(|text| !text.is_empty()).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/rubrics/edited")
}

#[test]
fn hard_files_are_edited_as_pinned() {
    let entries = fs::read_dir(folder()).expect("the fixtures are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension != "after"));
    paths.sort();
    assert!(paths.len() > 40, "only {} fixtures found", paths.len());
    let mut failures = Vec::new();
    for path in &paths {
        let name = path.file_name().and_then(|name| name.to_str()).expect("names are text");
        let text = String::from_utf8(fs::read(path).expect("a fixture")).expect("fixtures are text");
        let edit = match name.split('_').next() {
            Some("rule") => ruled("a", RULING),
            Some("short") => ruled("a", "Menus count."),
            Some("word") => reworded(
                "a",
                Wording::Question,
                "Does the answer name the setting by its label: the exact words?",
            ),
            Some("delete") => deleted("a"),
            Some("rollup") => rolled(),
            _ => panic!("`{name}` begins with no edit"),
        };
        let after = match apply(&text, name, &edit) {
            Ok(edited) => {
                assert!(kept(&text, &edited), "{name}");
                edited.text
            }
            Err(error) => format!("error: {error}\n"),
        };
        let mut beside = path.clone().into_os_string();
        beside.push(".after");
        if std::env::var_os("CALIBRANT_BLESS").is_some_and(|value| value == "1") {
            fs::write(&beside, after).expect("the result is written");
        } else {
            let expected = fs::read(&beside).unwrap_or_default();
            if expected != after.as_bytes() {
                failures.push(format!("{name}\n--- found\n{after}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// How one text of a generated rubric is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    Plain,
    Single,
    Double,
    Folded,
    FoldedStrip,
    FoldedKeep,
    FoldedIndent,
    Literal,
    LiteralKeep,
    LiteralIndent,
    Absent,
    Null,
}

const FORMS: [Form; 12] = [
    Form::Plain,
    Form::Single,
    Form::Double,
    Form::Folded,
    Form::FoldedStrip,
    Form::FoldedKeep,
    Form::FoldedIndent,
    Form::Literal,
    Form::LiteralKeep,
    Form::LiteralIndent,
    Form::Absent,
    Form::Null,
];

/// The lines of an entry `key:` with a text of safe words, written in one form at some indentation.
fn entry(key: &str, form: Form, pad: &str, deep: usize, comment: &str) -> String {
    let words = ["A link that shows it is a PASS.", "A wrong number is a FAIL."];
    let inner = format!("{pad}{}", " ".repeat(deep));
    let joined = words.join(" ");
    let block = |header: &str| {
        format!(
            "{pad}{key}: {header}{comment}\n{inner}{}\n{inner}{}\n",
            words[0], words[1]
        )
    };
    match form {
        Form::Absent => String::new(),
        Form::Null => format!("{pad}{key}:{comment}\n"),
        Form::Plain => format!("{pad}{key}: {joined}{comment}\n"),
        Form::Single => format!("{pad}{key}: '{joined} It''s so.'{comment}\n"),
        Form::Double => format!("{pad}{key}: \"{joined} \\\"So\\\".\"{comment}\n"),
        Form::Folded => block(">"),
        Form::FoldedStrip => block(">-"),
        Form::FoldedKeep => format!("{}\n", block(">+")),
        Form::FoldedIndent => block(&format!(">{deep}-")),
        Form::Literal => block("|"),
        Form::LiteralKeep => format!("{}\n", block("|+")),
        Form::LiteralIndent => block(&format!("|{deep}")),
    }
}

#[derive(Debug, Clone)]
struct Style {
    boundary: Form,
    question: Form,
    rulings: usize,
    indent: usize,
    deep: usize,
    comments: bool,
    version: Option<u32>,
    boundary_first: bool,
    windows: bool,
    bom: bool,
    final_newline: bool,
    blank_lines: usize,
}

fn style() -> impl Strategy<Value = Style> {
    let forms = prop::sample::select(FORMS.to_vec());
    let asked = prop::sample::select(FORMS[..10].to_vec());
    (
        (
            forms,
            asked,
            0..6usize,
            prop::sample::select(vec![0usize, 2, 4]),
            1..5usize,
        ),
        (any::<bool>(), prop::option::of(0..9u32), any::<bool>(), any::<bool>()),
        (any::<bool>(), any::<bool>(), 0..3usize),
    )
        .prop_map(
            |(
                (boundary, question, rulings, indent, deep),
                (comments, version, boundary_first, windows),
                (bom, final_newline, blank_lines),
            )| Style {
                boundary,
                question,
                rulings,
                indent,
                deep,
                comments,
                version,
                boundary_first,
                windows,
                bom,
                final_newline,
                blank_lines,
            },
        )
}

fn rulings_entry(style: &Style, pad: &str) -> String {
    let old = "{date: 2026-05-01, text: \"an older one: kept\", from: d-000001}";
    let dash = format!("{pad}{}", " ".repeat(style.indent.min(2)));
    match style.rulings {
        0 => String::new(),
        1 => format!("{pad}rulings:\n"),
        2 => format!("{pad}rulings: []\n"),
        3 => format!("{pad}rulings: [{old}]\n"),
        4 => format!("{pad}rulings:\n{dash}- {old}\n"),
        _ => format!("{pad}rulings:\n{dash}- date: 2026-05-01\n{dash}  text: an older one\n{dash}  from: d-000001\n"),
    }
}

/// A rubric of three criteria, `a`, `b` and `c`, in this style.
fn written(style: &Style) -> String {
    let note = if style.comments { "  # a note: kept" } else { "" };
    let dash = " ".repeat(style.indent);
    let pad = format!("{dash}  ");
    let mut out = String::from("# Rubric of the desk\n");
    if let Some(version) = style.version {
        out.push_str(&format!("version: {version}{note}\n"));
    }
    out.push_str(&format!("criteria:{note}\n"));
    for id in ["a", "b", "c"] {
        if style.comments {
            out.push_str(&format!("{dash}# about {id}\n"));
        }
        let boundary = entry("boundary", style.boundary, &pad, style.deep, note);
        let question = entry("question", style.question, &pad, style.deep, note);
        out.push_str(&format!("{dash}- id: {id}{note}\n"));
        if style.boundary_first {
            out.push_str(&boundary);
        }
        out.push_str(&question);
        if !style.boundary_first {
            out.push_str(&boundary);
        }
        out.push_str(&rulings_entry(style, &pad));
        out.push_str(&format!("{pad}weight: 4{note}\n"));
        out.push_str(&"\n".repeat(style.blank_lines));
    }
    if !style.final_newline {
        out.truncate(out.trim_end().len());
    }
    let out = if style.windows { out.replace('\n', "\r\n") } else { out };
    if style.bom { format!("\u{feff}{out}") } else { out }
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "plain words",
        ": ",
        " #",
        "#",
        "\"",
        "'",
        "- ",
        "---",
        "...",
        "\t",
        "  ",
        "\n",
        "\n\n",
        "> ",
        "| ",
        "&a",
        "*a",
        "%",
        "@",
        "`",
        "{",
        "}",
        "[",
        "]",
        ",",
        "!",
        "?",
        "\\",
        "\\n",
        "é",
        "日本語",
        "👩‍⚕️",
        "\u{202e}",
        "\u{200b}",
        "نص",
        "a\u{301}",
        "null",
        "true",
        "~",
        "1e5",
        "://",
        "::",
        "\u{2028}",
        "\u{85}",
        "one word after another until the line is long enough that it has to be folded somewhere in the middle of it",
        "averylongwordwithoutanyspaceinitthatdoesnotfitintoanylineofanyfileandstaysinonepieceallthesamehoweverlong",
    ]);
    prop::collection::vec(pieces, 1..8).prop_map(|pieces| pieces.concat())
}

/// A text without white space around it and at the end of its lines.
fn cleaned(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

fn names_a(rubric: &Rubric) -> usize {
    rubric
        .criteria
        .iter()
        .position(|criterion| criterion.id == "a")
        .expect("`a` is there")
}

/// Whether two rubrics differ in criterion `a`, the version, and lines at most.
fn others_alike(old: &Rubric, new: &Rubric) -> bool {
    let others = |rubric: &Rubric| {
        let mut rubric = rubric.clone();
        rubric.version = None;
        rubric.criteria.retain(|criterion| criterion.id != "a");
        rubric.criteria.iter_mut().for_each(|criterion| criterion.line = 0);
        rubric
    };
    others(old) == others(new)
}

/// `CALIBRANT_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("CALIBRANT_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(1_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_ruling_is_the_only_change(style in style(), text in hostile()) {
        let old = written(&style);
        let (before, _) = Rubric::parse(&old, "rubric.yaml").expect("generated rubrics are sound");
        match apply(&old, "rubric.yaml", &ruled("a", &text)) {
            Ok(edited) => {
                let (after, _) = Rubric::parse(&edited.text, "rubric.yaml").expect("the result is a rubric");
                let (was, is) = (&before.criteria[names_a(&before)], &after.criteria[names_a(&after)]);
                let added = cleaned(&text);
                let boundary = is.boundary.clone().unwrap_or_default();
                prop_assert!(boundary.ends_with(&added), "{boundary:?} does not end with {added:?}");
                let start = &boundary[..boundary.len() - added.len()];
                prop_assert_eq!(start.trim_end(), was.boundary.clone().unwrap_or_default());
                prop_assert_eq!(&is.rulings[..was.rulings.len()], &was.rulings[..]);
                prop_assert_eq!(&is.rulings[was.rulings.len()..], &[ruling(&added)][..]);
                prop_assert_eq!(after.version, Some(before.version.unwrap_or(1) + 1));
                prop_assert!(others_alike(&before, &after));
                prop_assert!(kept(&old, &edited));
                prop_assert!(!edited.text.contains("\r\n") || style.windows);
                prop_assert!(!style.windows || !edited.text.replace("\r\n", "").contains('\n'));
                // Only the version and this boundary are written anew, and the latter only in another style.
                let gone = replaced(&old, &edited);
                prop_assert!(gone.len() <= 2, "{gone:?}");
                let version = style.version.map(|version| version.to_string()).unwrap_or_default();
                for text in gone.into_iter().filter(|text| *text != version) {
                    let known = [">", "|", "'", "\"", "A link", " ", "\n"].iter().any(|start| text.starts_with(start));
                    prop_assert!(known && !text.contains(": "), "{text:?}");
                }
            }
            Err(EditError::Unusable { .. }) => prop_assert!(text.trim().is_empty() || text.chars().any(char::is_control)),
            // What is refused leaves the file alone and says what to do; it must stay rare.
            Err(error) => prop_assert!(false, "refused: {error}\n{old}"),
        }
    }

    #[test]
    fn a_wording_is_the_only_change(style in style(), text in hostile(), field in prop::sample::select(Wording::ALL.to_vec())) {
        let old = written(&style);
        let (before, _) = Rubric::parse(&old, "rubric.yaml").expect("generated rubrics are sound");
        match apply(&old, "rubric.yaml", &reworded("a", field, &text)) {
            Ok(edited) => {
                let (after, _) = Rubric::parse(&edited.text, "rubric.yaml").expect("the result is a rubric");
                let mut expected = before.criteria[names_a(&before)].clone();
                let is = &after.criteria[names_a(&after)];
                let added = cleaned(&text);
                prop_assert_eq!(field.of(is), Some(added.as_str()));
                prop_assert_eq!(is.rulings.len(), expected.rulings.len() + 1);
                match field {
                    Wording::Question => expected.question.clone_from(&is.question),
                    Wording::PassExample => expected.pass_example.clone_from(&is.pass_example),
                    Wording::FailExample => expected.fail_example.clone_from(&is.fail_example),
                    Wording::Boundary => expected.boundary.clone_from(&is.boundary),
                }
                expected.rulings.clone_from(&is.rulings);
                expected.line = is.line;
                prop_assert_eq!(is, &expected);
                prop_assert!(others_alike(&before, &after));
                prop_assert!(kept(&old, &edited));
            }
            Err(EditError::Unusable { .. }) => prop_assert!(text.trim().is_empty() || text.chars().any(char::is_control)),
            Err(error) => prop_assert!(false, "refused: {error}\n{old}"),
        }
    }

    #[test]
    fn a_deletion_takes_one_criterion_and_its_comment(style in style(), id in prop::sample::select(vec!["a", "b", "c"])) {
        let old = written(&style);
        let edited = apply(&old, "rubric.yaml", &deleted(id)).expect("nothing names it");
        let left: Vec<&str> = edited.rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
        prop_assert_eq!(left, ["a", "b", "c"].into_iter().filter(|other| *other != id).collect::<Vec<_>>());
        let about = format!("# about {id}\n");
        prop_assert!(!edited.text.replace('\r', "").contains(&about));
        prop_assert!(kept(&old, &edited));
        for other in ["a", "b", "c"].into_iter().filter(|other| *other != id) {
            let about = format!("# about {other}");
            prop_assert!(!style.comments || edited.text.contains(&about));
        }
    }

    #[test]
    fn json_is_edited_as_json(text in hostile(), pretty in any::<bool>(), boundary in any::<bool>(), rulings in 0..3usize) {
        let mut criterion = serde_json::json!({"id": "a", "question": "Is it \"there\"?", "weight": 2});
        if boundary {
            criterion["boundary"] = "A link is a PASS.".into();
        }
        if rulings > 0 {
            criterion["rulings"] = serde_json::json!([]);
        }
        if rulings > 1 {
            criterion["rulings"] = serde_json::json!([{"date": "2026-05-01", "text": "older"}]);
        }
        let value = serde_json::json!({"rubric": "r", "criteria": [criterion, {"id": "b", "question": "And?"}]});
        let old = if pretty { format!("{value:#}\n") } else { value.to_string() };
        let (before, _) = Rubric::parse(&old, "rubric.json").expect("a rubric");
        match apply(&old, "rubric.json", &ruled("a", &text)) {
            Ok(edited) => {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&edited.text).is_ok());
                prop_assert!(others_alike(&before, &edited.rubric));
                prop_assert_eq!(edited.rubric.version, Some(2));
                prop_assert!(edited.rubric.criteria[0].boundary.as_ref().is_some_and(|now| now.ends_with(&cleaned(&text))));
                prop_assert!(kept(&old, &edited));
            }
            Err(EditError::Unusable { .. }) => prop_assert!(text.trim().is_empty() || text.chars().any(char::is_control)),
            Err(error) => prop_assert!(false, "refused: {error}\n{old}"),
        }
    }
}
