//! What spreadsheet programs and people do to a sheet, and what is said of their mistakes.

use calibrant_schema::exercise::Act;
use calibrant_store::sheets::{ColumnFrom, ReturnedForm, Roster, SheetColumn, read_returned};

use super::paper::{clean, filled, found, paper, read};

const WORDS: [&str; 15] = [
    "yes", "1", "no", "0", "yes", "0.5", "no", "1", "yes", "0", "no", "0.5", "yes", "1", "no",
];

fn acts(file: &str, bytes: &[u8]) -> Vec<(String, String, Option<Act>)> {
    let mut acts: Vec<_> = clean(file, bytes)
        .rows
        .into_iter()
        .map(|row| (row.unit, row.criterion, row.act))
        .collect();
    acts.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
    acts
}

fn good() -> String {
    filled(&WORDS, "a comment")
}

/// The sheet with every record changed by `change`.
fn changed(change: impl Fn(usize, &mut Vec<String>)) -> String {
    let text = good();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for (at, row) in reader.records().enumerate() {
        let mut cells: Vec<String> = row.expect("a row").iter().map(str::to_owned).collect();
        change(at, &mut cells);
        writer.write_record(cells).expect("memory takes bytes");
    }
    String::from_utf8(writer.into_inner().expect("memory takes bytes")).expect("UTF-8")
}

fn with_delimiter(delimiter: u8) -> String {
    let text = good();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    for row in reader.records() {
        writer.write_record(&row.expect("a row")).expect("memory takes bytes");
    }
    String::from_utf8(writer.into_inner().expect("memory takes bytes")).expect("UTF-8")
}

#[test]
fn encodings_delimiters_and_line_ends_do_not_matter() {
    let expected = acts("a.csv", good().as_bytes());
    let utf_16 = |text: &str| -> Vec<u8> {
        "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    let forms: [Vec<u8>; 7] = [
        with_delimiter(b';').into_bytes(),
        with_delimiter(b'\t').into_bytes(),
        format!("sep=|\r\n{}", with_delimiter(b'|')).into_bytes(),
        utf_16(&with_delimiter(b'\t')),
        good().replace('\n', "\r\n").into_bytes(),
        good().replace('\n', "\r").into_bytes(),
        format!("\u{feff}{}", good()).into_bytes(),
    ];
    for form in forms {
        assert_eq!(acts("a.csv", &form), expected);
    }
}

#[test]
fn other_encodings_are_guessed_and_told() {
    // Only what Windows-1252 has, as a program with that encoding would save it.
    let text = changed(|at, cells| {
        for column in [2, 3] {
            "Dosis für Ältere: 3 €".clone_into(&mut cells[column]);
        }
        if at == 0 {
            "comment".clone_into(&mut cells[7]);
        } else {
            "schön, größer".clone_into(&mut cells[7]);
        }
    });
    let bytes = encoding_rs::WINDOWS_1252.encode(&text).0;
    let returned = clean("a.csv", &bytes);
    let ReturnedForm::Text { encoding, .. } = returned.form else {
        panic!("the sheet is text");
    };
    assert_eq!(
        (encoding, returned.rows[0].comment.as_str()),
        ("windows-1252", "schön, größer")
    );
}

#[test]
fn sorted_rows_moved_columns_and_other_languages_find_their_place() {
    let expected = acts("a.csv", good().as_bytes());
    let translated = changed(|at, cells| {
        if at == 0 {
            for (column, name) in [
                (4, "Kriterium"),
                (6, "Urteil"),
                (7, "Kommentar"),
                (8, "Einheit"),
                (10, "Prüferin"),
            ] {
                name.clone_into(&mut cells[column]);
            }
        }
        cells.reverse();
        cells.extend(["".to_owned(), "".to_owned()]);
    });
    assert_eq!(acts("a.csv", translated.as_bytes()), expected);
    let unknown = changed(|at, cells| {
        if at == 0 {
            for column in [4, 6, 8, 9, 10] {
                cells[column] = format!("Spalte {column}");
            }
        }
    });
    assert_eq!(acts("a.csv", unknown.as_bytes()), expected);
    let columns = clean("a.csv", unknown.as_bytes()).columns;
    let verdict = columns
        .iter()
        .find(|found| found.column == SheetColumn::Verdict)
        .expect("a verdict column");
    assert_eq!(
        (verdict.heading.as_str(), verdict.from),
        ("Spalte 6", ColumnFrom::Cells)
    );
}

#[test]
fn missing_rows_are_counted_and_repeated_ones_must_agree() {
    let text = good();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let records: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let written = |records: &[csv::StringRecord]| {
        let mut writer = csv::Writer::from_writer(Vec::new());
        records
            .iter()
            .for_each(|row| writer.write_record(row).expect("memory takes bytes"));
        writer.into_inner().expect("memory takes bytes")
    };
    let fewer = clean("a.csv", &written(&records[..10]));
    assert_eq!((fewer.rows.len(), fewer.missing), (9, 6));
    let mut twice = records.clone();
    twice.push(records[3].clone());
    assert_eq!(clean("a.csv", &written(&twice)).rows.len(), 15);
    let mut other: Vec<String> = records[3].iter().map(str::to_owned).collect();
    "yes".clone_into(&mut other[6]);
    twice.push(other.into());
    let ids: Vec<&str> = read("a.csv", &written(&twice))
        .findings
        .iter()
        .map(|finding| finding.id)
        .collect();
    assert_eq!(ids, ["sheet-row-twice"]);
}

#[test]
fn every_mistake_is_told_at_its_place_and_the_good_rows_stay() {
    let text = changed(|at, cells| {
        // Short texts, so that a row is a line.
        "q".clone_into(&mut cells[2]);
        "a".clone_into(&mut cells[3]);
        match at {
            1 => "maybe".clone_into(&mut cells[6]),
            2 => "05. Mai".clone_into(&mut cells[6]),
            3 => "u-ffff".clone_into(&mut cells[8]),
            4 => "dose".clone_into(&mut cells[4]),
            6 => "3".clone_into(&mut cells[6]),
            _ => {}
        }
    });
    let returned = read("a.csv", text.as_bytes());
    let ids: Vec<(&str, u32)> = found(&returned).into_iter().map(|(id, line, _)| (id, line)).collect();
    assert_eq!(
        ids,
        [
            ("sheet-word", 2),
            ("sheet-date", 3),
            ("sheet-unit", 4),
            ("sheet-criterion", 5),
            ("sheet-off-scale", 7)
        ]
    );
    assert_eq!(returned.rows.len(), 10);
    let shown = returned.shown_findings().to_string();
    assert!(shown.contains("--> a.csv:2:") && shown.contains("maybe"), "{shown}");
}

#[test]
fn a_sheet_of_another_exercise_or_grader_is_named() {
    let other = changed(|at, cells| {
        if at > 0 {
            "x-ffff0000".clone_into(&mut cells[9]);
        }
    });
    let returned = read("a.csv", other.as_bytes());
    assert_eq!((found(&returned)[0].0, returned.rows.len()), ("sheet-exercise", 0));
    let stranger = changed(|at, cells| {
        if at > 0 {
            "anna".clone_into(&mut cells[10]);
        }
    });
    let returned = read("a.csv", stranger.as_bytes());
    assert_eq!(
        (found(&returned)[0].0, returned.grader.as_deref()),
        ("sheet-grader", None)
    );
    assert!(returned.shown_findings().to_string().contains("did you mean `ana`?"));
    let mixed = changed(|at, cells| {
        if at == 5 {
            "ben".clone_into(&mut cells[10]);
        }
    });
    assert_eq!(found(&read("a.csv", mixed.as_bytes()))[0].0, "sheet-graders");
}

#[test]
fn a_sheet_without_its_ids_is_refused() {
    let ids_gone = changed(|_, cells| cells.truncate(8));
    let returned = read("a.csv", ids_gone.as_bytes());
    assert_eq!(
        found(&returned).iter().map(|found| found.0).collect::<Vec<_>>(),
        ["sheet-columns"]
    );
    let two = changed(|at, cells| {
        if at == 0 {
            "verdict".clone_into(&mut cells[0]);
        }
    });
    let shown = read("a.csv", two.as_bytes()).shown_findings().to_string();
    assert!(shown.contains("more than one column"), "{shown}");
}

#[test]
fn the_result_of_a_page_is_taken_and_a_page_is_not() {
    let page = |body: &str| {
        format!(
            r#"{{"format": "calibrant.marks/1", "exercise": "0123456789abcdef0123456789abcdef", "grader": "ben",
                "finished": true, "marks": [{body}]}}"#
        )
    };
    let mark = r#"{"unit": "1e00000000000000", "criterion": "dated", "act": "verdict", "label": 1, "at": "2026-05-09T08:00:00Z", "nth": 1}"#;
    let returned = clean("r.json", page(mark).as_bytes());
    assert_eq!(
        (returned.form, returned.grader.as_deref()),
        (ReturnedForm::Page, Some("ben"))
    );
    assert_eq!((returned.marks.len(), returned.finished), (1, true));
    let wrong = format!("{mark}, {}", mark.replace("\"label\": 1", "\"label\": 7"));
    let returned = read("r.json", page(&wrong).as_bytes());
    assert_eq!((found(&returned)[0].0, returned.marks.len()), ("sheet-mark", 1));
    let paper = paper();
    let roster = Roster::new(&paper, ["ana"]);
    for (bytes, id) in [
        (&b"<!doctype html><p>x"[..], "sheet-page"),
        (b"{\"format\": ", "sheet-json"),
        (b"", "sheet-unknown"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1old", "xlsx-password"),
    ] {
        let refused = read_returned("a", bytes, &roster).expect_err(id);
        assert_eq!(refused.shown()[0].diagnostic.id, id);
    }
}
