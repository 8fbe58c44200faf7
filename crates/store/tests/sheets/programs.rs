//! Files that other programs wrote: openpyxl 3.1.5 and pandas 3.1.1, as a German-speaking grader would leave them.

use calibrant_schema::exercise::Act;
use calibrant_store::sheets::{EncodingFrom, ReturnedForm};

use super::paper::{clean, found, read};

#[test]
fn a_workbook_of_openpyxl_is_read_and_its_date_is_found() {
    // `Workbook.append` of rows with True, "0,5", False, 0.5, 1, a date formatted `d-mmm`, "nein" and nothing, below a title.
    let returned = read("ana.xlsx", include_bytes!("made/openpyxl.xlsx"));
    assert_eq!(returned.header.as_deref(), Some("row 3 of `Bewertung`"));
    assert_eq!(
        found(&returned).iter().map(|found| found.0).collect::<Vec<_>>(),
        ["sheet-date"]
    );
    let shown = returned.shown_findings().to_string();
    assert!(
        shown.contains("ana.xlsx, Bewertung!B9: the verdict is a date, `2026-05-01`"),
        "{shown}"
    );
    let labels: Vec<Option<f64>> = returned
        .rows
        .iter()
        .map(|row| match row.act {
            Some(Act::Verdict { label }) => Some(label),
            _ => None,
        })
        .collect();
    assert_eq!(
        labels,
        [Some(1.0), Some(0.5), Some(0.0), Some(0.5), Some(1.0), Some(0.0), None]
    );
    assert_eq!(returned.rows[0].comment, "=1+1 „zu viel“\nzweite Zeile 👍");
}

#[test]
fn text_of_pandas_is_read_in_two_encodings() {
    // `DataFrame.to_csv` with sep=";", encoding="cp1252", and with sep="\t", encoding="utf-16".
    let files: [(&[u8], _, _); 2] = [
        (
            include_bytes!("made/pandas-cp1252.csv"),
            "windows-1252",
            EncodingFrom::Guess,
        ),
        (include_bytes!("made/pandas-utf16.csv"), "UTF-16LE", EncodingFrom::Mark),
    ];
    for (bytes, name, from) in files {
        let returned = clean("ben.csv", bytes);
        let ReturnedForm::Text {
            encoding,
            encoding_from,
            ..
        } = returned.form
        else {
            panic!("the file is text");
        };
        assert_eq!((encoding, encoding_from), (name, from));
        assert_eq!((returned.verdicts(), returned.missing), (8, 7));
        assert_eq!(returned.rows[0].comment, "größer; schön");
    }
}
