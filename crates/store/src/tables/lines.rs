//! Lines of a text, one at a time, counted and bounded.

use std::io::{BufRead, Read};

use calibrant_schema::{Diagnostic, Span};

use crate::findings::Findings;
use crate::stored::{Stored, broke_off};

/// The longest line, or record over several lines, in bytes: a longer one is no row but a file without line ends.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The lines of one file.
pub(crate) struct Lines {
    name: String,
    input: Stored,
    /// Lines read so far.
    line: u32,
    /// Mistakes that were known before this file.
    findings_before: usize,
}

/// What a reading step met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is something to use.
    Read,
    /// Something could not be used; it was reported, and reading goes on.
    Skipped,
    /// Nothing follows: the file is at its end, or reading broke off and that was reported.
    End,
}

impl Lines {
    pub(crate) fn new(name: String, input: Stored, findings: &Findings) -> Self {
        Self {
            name,
            input,
            line: 0,
            findings_before: findings.len(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Number of the line read last, from 1; 0 before the first.
    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    pub(crate) fn stored(&self) -> &Stored {
        &self.input
    }

    /// Whether the file is packed, and is a Parquet file once unpacked.
    pub(crate) fn holds_parquet(&mut self) -> bool {
        self.input.holds_parquet().unwrap_or(false)
    }

    pub(crate) fn into_stored(self) -> Stored {
        self.input
    }

    /// The first byte that is no white space or mark, without reading past it; `None` in an empty file.
    pub(crate) fn first_byte(&mut self, findings: &mut Findings) -> Option<u8> {
        match self.input.fill_buf() {
            Ok(ahead) => {
                let ahead = ahead.strip_prefix(BYTE_ORDER_MARK).unwrap_or(ahead);
                ahead.iter().copied().find(|byte| !byte.is_ascii_whitespace())
            }
            Err(reason) => {
                findings.replace_from(self.findings_before, broke_off(&self.name, &self.input, 1, &reason));
                None
            }
        }
    }

    /// Appends the next line, with its line end, to `text`.
    pub(crate) fn next(&mut self, text: &mut String, findings: &mut Findings) -> Step {
        let start = text.len();
        let mut bytes = std::mem::take(text).into_bytes();
        let room = (LONGEST_LINE + 1).saturating_sub(start) as u64;
        let read = (&mut self.input).take(room).read_until(b'\n', &mut bytes);
        self.line += 1;
        if let Err(reason) = read {
            // What a damaged stream gave before it broke off may be wrong, and so may be what was said about it.
            findings.replace_from(
                self.findings_before,
                broke_off(&self.name, &self.input, self.line, &reason),
            );
            return Step::End;
        }
        if bytes.len() == start {
            *text = String::from_utf8(bytes).expect("what was there before is UTF-8");
            return Step::End;
        }
        if bytes.len() > LONGEST_LINE {
            findings.push(self.too_long(), None);
            return Step::End;
        }
        if self.line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        self.take_text(bytes, start, text, findings)
    }

    /// Turns bytes into text; the line read last begins at `start`, what is before it is text already.
    fn take_text(&self, bytes: Vec<u8>, start: usize, text: &mut String, findings: &mut Findings) -> Step {
        match String::from_utf8(bytes) {
            Ok(read) => {
                *text = read;
                Step::Read
            }
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let line = &error.as_bytes()[start..];
                let column = String::from_utf8_lossy(&line[..valid - start]).chars().count() as u32 + 1;
                findings.push(
                    self.not_utf8(column, line),
                    Some(without_line_end(&String::from_utf8_lossy(line))),
                );
                if self.line == 1 { Step::End } else { Step::Skipped }
            }
        }
    }

    fn not_utf8(&self, column: u32, bytes: &[u8]) -> Diagnostic {
        let help = if self.line == 1 && (bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])) {
            "the file looks like UTF-16; save it as UTF-8, in a spreadsheet \"CSV UTF-8\""
        } else {
            "save the file as UTF-8, in a spreadsheet \"CSV UTF-8\""
        };
        Diagnostic::error("not-utf8", "the line is not UTF-8", help)
            .at(Span {
                file: self.name.clone(),
                line: self.line,
                column,
                length: 1,
            })
            .labelled("no character begins with this byte")
    }

    fn too_long(&self) -> Diagnostic {
        Diagnostic::error(
            "line-too-long",
            "a row is longer than 16 MiB",
            "check that the file has line ends, and that every quote in it is closed",
        )
        .at(Span {
            file: self.name.clone(),
            line: self.line,
            column: 1,
            length: 0,
        })
    }
}

/// How a line ends is no part of it.
pub(crate) fn without_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
