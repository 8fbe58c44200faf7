//! Rows of CSV text, with the place of every cell.
//!
//! The quoting is that of RFC 4180: a cell that begins with a quote ends at the next single one, and two stand for one. Unlike the
//! `csv` crate, which writes our tables, this reader knows in which column of which line a cell stands.

use calibrant_schema::Diagnostic;

use crate::findings::Findings;
use crate::tables::lines::{Lines, Step, without_line_end};
use crate::tables::row::{Cell, Row, Value};

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// The rows below the header of a CSV table.
pub(crate) struct Delimited {
    pub(crate) lines: Lines,
    delimiter: u8,
    header: Vec<String>,
    header_line: u32,
    scanned: Scan,
}

/// How far a record has been taken apart.
#[derive(Default)]
struct Scan {
    at: usize,
    /// Beginning of the open quoted cell in the raw text, and of its value in the unquoted text.
    open: Option<(usize, usize)>,
}

impl Delimited {
    /// Reads the header; `row` then holds it. `None` when there is none, which was reported.
    pub(crate) fn open(lines: Lines, row: &mut Row, findings: &mut Findings) -> Option<Self> {
        let mut table = Self {
            lines,
            delimiter: b',',
            header: Vec::new(),
            header_line: 0,
            scanned: Scan::default(),
        };
        if table.record(row, findings, Which::Header) != Step::Read {
            return None;
        }
        table.header = (0..row.cells.len())
            .map(|column| row.text(column).trim().to_owned())
            .collect();
        table.header_line = row.line;
        Some(table)
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    pub(crate) fn delimiter(&self) -> char {
        char::from(self.delimiter)
    }

    /// Reads the next row, which has as many cells as the header.
    pub(crate) fn next(&mut self, row: &mut Row, findings: &mut Findings) -> Step {
        let step = self.record(row, findings, Which::Row);
        if step == Step::Read && row.cells.len() != self.header.len() {
            row.report_at(
                self.lines.name(),
                0..row.raw.len(),
                self.wrong_count(row.cells.len()),
                findings,
            );
            return Step::Skipped;
        }
        step
    }

    fn record(&mut self, row: &mut Row, findings: &mut Findings, which: Which) -> Step {
        row.clear();
        while without_line_end(&row.raw).is_empty() {
            row.clear();
            match self.lines.next(&mut row.raw, findings) {
                Step::Read => {}
                other => return other,
            }
        }
        row.line = self.lines.line();
        if which == Which::Header {
            self.delimiter = delimiter_of(&row.raw);
        }
        if row.raw.contains('"') {
            self.quoted(row, findings)
        } else {
            self.plain(row)
        }
    }

    /// Takes a record without quotes apart.
    fn plain(&self, row: &mut Row) -> Step {
        let text = without_line_end(&row.raw);
        let mut start = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte == self.delimiter {
                row.cells.push(raw_cell(start, at));
                start = at + 1;
            }
        }
        let end = text.len();
        row.cells.push(raw_cell(start, end));
        Step::Read
    }

    /// Takes a record with quotes apart, reading on while a quoted cell is open.
    fn quoted(&mut self, row: &mut Row, findings: &mut Findings) -> Step {
        self.scanned = Scan::default();
        loop {
            match self.scan(row) {
                Scanned::Whole => return Step::Read,
                Scanned::AfterQuote(at) => {
                    let letter = row.raw[at..].chars().next().map_or(0, char::len_utf8);
                    row.report_at(self.lines.name(), at..at + letter, after_quote(), findings);
                    return Step::Skipped;
                }
                Scanned::Open => {}
            }
            match self.lines.next(&mut row.raw, findings) {
                Step::Read => {}
                Step::Skipped => return Step::Skipped,
                Step::End => {
                    let start = self.scanned.open.map_or(0, |(start, _)| start);
                    // A line that could not be read took the text with it and was reported.
                    if start < row.raw.len() {
                        row.report_at(self.lines.name(), start..start + 1, open_quote(), findings);
                    }
                    return Step::End;
                }
            }
        }
    }

    /// Goes on from where the last scan stopped; all before it is in `row.cells` or in the open cell.
    fn scan(&mut self, row: &mut Row) -> Scanned {
        loop {
            if let Some((start, value)) = self.scanned.open {
                let Some(end) = close_quote(&row.raw, self.scanned.at, &mut row.unquoted) else {
                    self.scanned.at = row.raw.len();
                    return Scanned::Open;
                };
                row.cells.push(Some(Cell {
                    place: start..end,
                    value: Value::Unquoted(value..row.unquoted.len()),
                }));
                self.scanned = Scan { at: end, open: None };
            } else if row.raw[self.scanned.at..].starts_with('"') {
                self.scanned.open = Some((self.scanned.at, row.unquoted.len()));
                self.scanned.at += 1;
                continue;
            } else {
                let rest = without_line_end(&row.raw[self.scanned.at..]);
                let length = rest
                    .bytes()
                    .position(|byte| byte == self.delimiter)
                    .unwrap_or(rest.len());
                row.cells.push(raw_cell(self.scanned.at, self.scanned.at + length));
                self.scanned.at += length;
            }
            let rest = without_line_end(&row.raw[self.scanned.at..]);
            match rest.bytes().next() {
                None => return Scanned::Whole,
                Some(byte) if byte == self.delimiter => self.scanned.at += 1,
                Some(_) => return Scanned::AfterQuote(self.scanned.at),
            }
        }
    }

    fn wrong_count(&self, found: usize) -> Diagnostic {
        let expected = self.header.len();
        Diagnostic::error(
            "field-count",
            format!(
                "the row has {found} {}, the header in line {} has {expected}",
                cells(found),
                self.header_line
            ),
            format!(
                "give every row {expected} {}; put quotes around text that holds the delimiter",
                cells(expected)
            ),
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Header,
    Row,
}

enum Scanned {
    Whole,
    Open,
    AfterQuote(usize),
}

fn raw_cell(start: usize, end: usize) -> Option<Cell> {
    Some(Cell {
        place: start..end,
        value: Value::Raw(start..end),
    })
}

/// Copies a quoted cell from `at` on; returns the byte after its closing quote, or `None` when it is open at the end of `raw`.
fn close_quote(raw: &str, mut at: usize, unquoted: &mut String) -> Option<usize> {
    loop {
        let Some(length) = raw[at..].find('"') else {
            unquoted.push_str(&raw[at..]);
            return None;
        };
        unquoted.push_str(&raw[at..at + length]);
        at += length + 1;
        if !raw[at..].starts_with('"') {
            return Some(at);
        }
        unquoted.push('"');
        at += 1;
    }
}

/// The delimiter that stands most often outside of quotes; the comma when none does.
fn delimiter_of(header: &str) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for byte in header.bytes() {
        quoted ^= byte == b'"';
        if let Some(at) = DELIMITERS.iter().position(|delimiter| !quoted && *delimiter == byte) {
            counts[at] += 1;
        }
    }
    let most = counts.into_iter().max().unwrap_or(0);
    let at = counts.iter().position(|count| *count == most).unwrap_or(0);
    DELIMITERS[at]
}

fn cells(count: usize) -> &'static str {
    if count == 1 { "cell" } else { "cells" }
}

fn after_quote() -> Diagnostic {
    Diagnostic::error(
        "after-quote",
        "text follows the closing quote of a cell",
        "write a quote inside of a quoted cell twice (\"\"), or take the quotes around the cell away",
    )
}

fn open_quote() -> Diagnostic {
    Diagnostic::error(
        "open-quote",
        "a quote is opened and never closed",
        "close the quote, or write it twice (\"\") inside of a quoted cell",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stored::Source;

    fn read(text: &[u8]) -> (Vec<Vec<String>>, Findings) {
        let mut findings = Findings::default();
        let stored = Source::bytes("t.csv", text.to_vec()).open().expect("memory opens");
        let mut row = Row::default();
        let mut rows = Vec::new();
        let lines = Lines::new("t.csv".to_owned(), stored, &findings);
        if let Some(mut table) = Delimited::open(lines, &mut row, &mut findings) {
            rows.push(texts(&row));
            loop {
                match table.next(&mut row, &mut findings) {
                    Step::Read => rows.push(texts(&row)),
                    Step::Skipped => {}
                    Step::End => break,
                }
            }
        }
        (rows, findings)
    }

    fn texts(row: &Row) -> Vec<String> {
        (0..row.cells.len()).map(|column| row.text(column).to_owned()).collect()
    }

    #[test]
    fn delimiters_marks_and_line_ends_are_seen_through() {
        for text in [
            "a,b\n1,2\n",
            "\u{feff}a;b\r\n\r\n1;2",
            "a\tb\n1\t2\r\n\n",
            "\"a\",b\n\"1\",\"2\"\n",
        ] {
            let (rows, findings) = read(text.as_bytes());
            assert_eq!(rows, [["a", "b"], ["1", "2"]], "{text:?}");
            assert!(findings.is_empty());
        }
    }

    #[test]
    fn a_cell_over_two_lines_keeps_its_line_end_and_its_place() {
        let (rows, findings) = read(b"a,b\n\"x\r\n\"\"y\",2\n1,2,3\n");
        assert_eq!(rows, [["a", "b"], ["x\r\n\"y", "2"]]);
        let span = findings.shown()[0]
            .diagnostic
            .span
            .clone()
            .expect("the row has a place");
        assert_eq!((span.line, span.column, span.length), (4, 1, 5));
    }

    #[test]
    fn a_letter_of_several_bytes_after_a_quote_is_reported() {
        let (_, findings) = read("\"\"üs".as_bytes());
        let diagnostic = &findings.shown()[0].diagnostic;
        let span = diagnostic.span.clone().expect("the letter has a place");
        assert_eq!((diagnostic.id, span.column, span.length), ("after-quote", 3, 1));
    }

    #[test]
    fn an_open_quote_is_reported_where_it_opens() {
        let (_, findings) = read("a,b\n1,2\nö,\"3\n4,5\n".as_bytes());
        let diagnostic = &findings.shown()[0].diagnostic;
        let span = diagnostic.span.clone().expect("the quote has a place");
        assert_eq!((diagnostic.id, span.line, span.column), ("open-quote", 3, 3));
    }

    proptest! {
        /// What the `csv` crate writes, whatever the cells hold, is read back.
        #[test]
        fn written_records_are_read_back(rows in prop::collection::vec(prop::collection::vec("[a\",;\t\r\n 'é]{0,6}", 3), 1..8)) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(["a", "b", "c"]).expect("memory takes bytes");
            for row in &rows {
                writer.write_record(row).expect("memory takes bytes");
            }
            let (read, findings) = read(&writer.into_inner().expect("memory takes bytes"));
            prop_assert!(findings.is_empty(), "{}", findings);
            prop_assert_eq!(&read[1..], &rows[..]);
        }

        /// Any bytes give rows or findings, never a panic, and every row has a place in the text.
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(prop::sample::select(b"a\",\r\n\xff1".to_vec()), 0..40)) {
            let (rows, findings) = read(&bytes);
            prop_assert!(rows.len() + findings.len() <= bytes.len() + 1);
        }
    }
}
