//! Lines of JSON in another tool's file, one at a time, counted and bounded.

use std::io::{BufRead, Read};

use calibrant_schema::{Diagnostic, Diagnostics, Span};

use crate::findings::Findings;
use crate::tables::LONGEST_LINE;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The lines of one input that are not blank.
pub(crate) struct JsonLines<'a> {
    name: String,
    input: Box<dyn BufRead + 'a>,
    line: u32,
    bytes: Vec<u8>,
}

/// What a step through the lines met.
pub(crate) enum JsonLine<'t> {
    /// A line, with its number from 1.
    Text(u32, &'t str),
    /// A line that is no text, which was reported.
    Skipped,
    /// Nothing follows, or reading broke off and that was reported.
    End,
}

impl<'a> JsonLines<'a> {
    pub(crate) fn new(name: &str, input: Box<dyn BufRead + 'a>) -> Self {
        Self {
            name: name.to_owned(),
            input,
            line: 0,
            bytes: Vec::new(),
        }
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self, findings: &mut Findings) -> JsonLine<'_> {
        loop {
            self.bytes.clear();
            let read = (&mut self.input)
                .take(LONGEST_LINE as u64 + 1)
                .read_until(b'\n', &mut self.bytes);
            self.line += 1;
            if let Err(reason) = read {
                let what = format!("reading broke off: {reason}");
                findings.push(
                    self.mistake("broke-off", what, "check that the file is whole, and fetch it again"),
                    None,
                );
                return JsonLine::End;
            }
            if self.bytes.is_empty() {
                return JsonLine::End;
            }
            if self.bytes.len() > LONGEST_LINE {
                let help = "this form has one JSON object a line: check that the file has line ends";
                findings.push(
                    self.mistake("line-too-long", "a line is longer than 16 MiB".into(), help),
                    None,
                );
                return JsonLine::End;
            }
            if self.line == 1 && self.bytes.starts_with(BYTE_ORDER_MARK) {
                self.bytes.drain(..BYTE_ORDER_MARK.len());
            }
            if !self.bytes.trim_ascii().is_empty() {
                break;
            }
        }
        if std::str::from_utf8(&self.bytes).is_err() {
            let help = "save the file as UTF-8";
            findings.push(self.mistake("not-utf8", "the line is not UTF-8".into(), help), None);
            return JsonLine::Skipped;
        }
        let text = std::str::from_utf8(&self.bytes).expect("it was looked at");
        JsonLine::Text(self.line, text.trim_end_matches(['\n', '\r']))
    }

    fn mistake(&self, id: &'static str, what: String, help: &str) -> Diagnostic {
        Diagnostic::error(id, what, help).at(Span {
            file: self.name.clone(),
            line: self.line,
            column: 1,
            length: 0,
        })
    }
}

/// Hands the errors among what was found about a line over, with the line.
pub(crate) fn report(found: &Diagnostics, line: &str, findings: &mut Findings) {
    for diagnostic in found {
        if diagnostic.severity == calibrant_schema::Severity::Error {
            findings.push(diagnostic.clone(), Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> (Vec<(u32, String)>, Vec<&'static str>) {
        let mut findings = Findings::default();
        let mut lines = JsonLines::new("f", Box::new(bytes));
        let mut met = Vec::new();
        loop {
            match lines.next(&mut findings) {
                JsonLine::Text(line, text) => met.push((line, text.to_owned())),
                JsonLine::Skipped => {}
                JsonLine::End => break,
            }
        }
        (met, findings.shown().iter().map(|f| f.diagnostic.id).collect())
    }

    #[test]
    fn lines_are_counted_and_blank_ones_passed_over() {
        let (met, found) = lines(b"\xef\xbb\xbf{}\r\n \r\n[\xff]\n1");
        assert_eq!(met, [(1, "{}".to_owned()), (4, "1".to_owned())]);
        assert_eq!(found, ["not-utf8"]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let (met, found) = lines(&vec![b'x'; LONGEST_LINE + 1]);
        assert_eq!((met.len(), found), (0, vec!["line-too-long"]));
    }
}
