//! What is sent out comes back as it was, and nothing that a grader must not see is in it.

use calibrant_schema::Turn;
use calibrant_schema::exercise::{Act, Paper, PaperUnit};
use calibrant_store::sheets::{EncodingFrom, ReturnedForm, SheetColumn, csv_sheet, xlsx_sheet};
use proptest::prelude::*;

use super::paper::{clean, csv, filled, paper, xlsx};

#[test]
fn the_same_paper_gives_the_same_bytes() {
    assert_eq!(csv(), csv());
    assert_eq!(xlsx(), xlsx());
}

#[test]
fn an_empty_sheet_comes_back_with_every_row_open() {
    for (file, bytes) in [("ana.csv", csv().into_bytes()), ("ana.xlsx", xlsx())] {
        let returned = clean(file, &bytes);
        assert_eq!(returned.grader.as_deref(), Some("ana"), "{file}");
        assert_eq!(
            (returned.lines, returned.verdicts(), returned.open(), returned.missing),
            (15, 0, 15, 0)
        );
        assert_eq!(returned.columns.len(), 6, "{file}");
    }
}

#[test]
fn what_was_detected_is_told() {
    let csv = clean("ana.csv", csv().as_bytes());
    assert_eq!(
        csv.form,
        ReturnedForm::Text {
            encoding: "UTF-8",
            encoding_from: EncodingFrom::Mark,
            delimiter: ',',
            sep_line: false,
            smart_quotes: false,
        }
    );
    assert_eq!(csv.header.as_deref(), Some("line 1"));
    let xlsx = clean("ana.xlsx", &xlsx());
    assert_eq!(
        xlsx.form,
        ReturnedForm::Workbook {
            sheet: "grading".to_owned()
        }
    );
    assert_eq!(xlsx.header.as_deref(), Some("row 1 of `grading`"));
    assert_eq!(xlsx.rows[0].place, "grading!G2");
}

#[test]
fn no_cell_of_the_csv_is_a_formula_or_a_number_by_accident() {
    let text = csv();
    assert!(text.starts_with('\u{feff}') && text.lines().next().is_some_and(|line| line.contains("\"verdict\"")));
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    for row in reader.records() {
        let row = row.expect("a row");
        for (at, cell) in row.iter().enumerate().skip(2) {
            assert!(
                !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']),
                "{cell:?}"
            );
            assert!(cell.is_empty() || cell.parse::<f64>().is_err(), "column {at}: {cell:?}");
        }
    }
}

#[test]
fn words_of_the_grader_become_acts() {
    let words = [
        "yes",
        "0,5",
        "no",
        "1",
        "cannot assess",
        "",
        "not applicable",
        "unclear",
    ];
    let returned = clean("a.csv", filled(&words, "'=SUM(A1)").as_bytes());
    let acts: Vec<Option<Act>> = returned.rows.iter().take(8).map(|row| row.act.clone()).collect();
    let verdict = |label| Some(Act::Verdict { label });
    assert_eq!(
        acts,
        [
            verdict(1.0),
            verdict(0.5),
            verdict(0.0),
            verdict(1.0),
            Some(Act::CannotAssess),
            None,
            Some(Act::NotApplicable),
            Some(Act::Unclear)
        ]
    );
    assert_eq!(returned.rows[0].comment, "=SUM(A1)", "exactly one quote is taken off");
    assert_eq!((returned.verdicts(), returned.comments()), (7, 1));
}

#[test]
fn a_long_answer_is_cut_and_says_where_the_whole_is() {
    let mut long = paper();
    long.units[0].response[0].text = "ä".repeat(40_000);
    for (form, sheet) in [
        ("csv", csv_sheet(&long, "ana.html")),
        ("xlsx", xlsx_sheet(&long, "ana.html")),
    ] {
        // The answer stands in the rows of both criteria.
        assert_eq!(sheet.cut, 2, "{form}");
        clean(form, &sheet.bytes);
    }
    let text = String::from_utf8(csv_sheet(&long, "ana.html").bytes).expect("UTF-8");
    assert!(text.contains("[CUT HERE. The whole text is in ana.html, answer 1:"));
}

fn one(text: &str) -> Paper {
    let turn = |role: &str| Turn {
        role: role.to_owned(),
        text: text.to_owned(),
    };
    Paper {
        units: vec![PaperUnit {
            unit: "00f0".to_owned(),
            prompt: vec![turn("user")],
            response: vec![turn("assistant")],
            criteria: vec![0],
        }],
        ..paper()
    }
}

proptest! {
    /// Any text stands in both forms without breaking them, and the CSV gives it back as it was shown.
    #[test]
    fn any_text_travels(text in "[-=+@＝\t\r\n\0\"';,“é😀\u{200b}\u{202e}a1 ]{0,24}") {
        let sheet = csv_sheet(&one(&text), "ana.html");
        let roster = one(&text);
        let roster = calibrant_store::sheets::Roster::new(&roster, ["ana"]);
        for bytes in [&sheet.bytes, &xlsx_sheet(&one(&text), "ana.html").bytes] {
            let returned = calibrant_store::sheets::read_returned("a", bytes, &roster).expect("a sheet");
            prop_assert!(returned.findings.is_empty(), "{}", returned.shown_findings());
            prop_assert_eq!((returned.rows.len(), returned.rows[0].unit.as_str()), (1, "00f0"));
            prop_assert_eq!(returned.columns.iter().filter(|found| found.column == SheetColumn::Unit).count(), 1);
        }
        let mut reader = csv::Reader::from_reader(&sheet.bytes[3..]);
        let row = reader.records().next().expect("a row").expect("a row");
        let kept: String = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "␀")
            .replace('\u{200b}', "\\u{200b}").replace('\u{202e}', "\\u{202e}");
        prop_assert_eq!(calibrant_store::tables::unguarded(&row[3]), kept.as_str());
    }
}
