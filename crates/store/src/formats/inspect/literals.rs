//! The JSON that Python writes, made fit for a JSON parser, and counted on its way.
//!
//! Inspect writes numbers that are not finite as `NaN`, `Infinity` and `-Infinity`, which no JSON has. Here they become texts that begin
//! with a NUL, which no scorer gives; [`literal`] knows them again.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use serde_json::Value;

/// What stands for a number that is not finite, and how Python spells it.
const LITERALS: [(&str, &str); 3] = [
    ("NaN", "\"\\u0000NaN\""),
    ("Infinity", "\"\\u0000Infinity\""),
    ("-Infinity", "\"\\u0000-Infinity\""),
];

/// How a value that stands for a number that is not finite was spelled.
pub(super) fn literal(value: &Value) -> Option<&str> {
    value
        .as_str()?
        .strip_prefix('\0')
        .filter(|word| LITERALS.iter().any(|(spelled, _)| spelled == word))
}

/// What a reader may still take, and whether it took too much; shared by who reads and who parses.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter(Rc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// Bytes that may still come.
    left: Cell<u64>,
    /// Bytes that may still be kept.
    kept_left: Cell<u64>,
    keeping: Cell<bool>,
    spent: Cell<Option<Spent>>,
}

/// Which limit was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spent {
    /// The bytes of an entry or a file.
    All,
    /// The bytes that are kept of a sample.
    Kept,
}

impl Meter {
    pub(super) fn new(left: u64) -> Self {
        let meter = Self::default();
        meter.0.left.set(left);
        meter
    }

    /// Begins a part of which so many bytes may be kept.
    pub(super) fn part(&self, kept: u64) {
        self.0.kept_left.set(kept);
    }

    /// Reads something that is kept.
    pub(super) fn keep<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = self.0.keeping.replace(true);
        let value = read();
        self.0.keeping.set(before);
        value
    }

    /// Reads something that is passed over.
    pub(super) fn pass<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = self.0.keeping.replace(false);
        let value = read();
        self.0.keeping.set(before);
        value
    }

    /// The limit that was met.
    pub(super) fn spent(&self) -> Option<Spent> {
        self.0.spent.get()
    }

    /// Bytes that may still come.
    pub(super) fn left(&self) -> u64 {
        self.0.left.get()
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        let counts = &self.0;
        let Some(left) = counts.left.get().checked_sub(bytes) else {
            counts.spent.set(Some(Spent::All));
            return Err(io::Error::other("too large"));
        };
        counts.left.set(left);
        if counts.keeping.get() {
            let Some(left) = counts.kept_left.get().checked_sub(bytes) else {
                counts.spent.set(Some(Spent::Kept));
                return Err(io::Error::other("too large"));
            };
            counts.kept_left.set(left);
        }
        Ok(())
    }
}

/// Hands on JSON with its literals rewritten.
pub(super) struct Literals<R> {
    input: R,
    meter: Meter,
    ready: Vec<u8>,
    at: usize,
    state: State,
    /// Bytes of what may become a literal.
    word: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    Word,
    Text,
    Escape,
}

impl<R: BufRead> Literals<R> {
    pub(super) fn new(input: R, meter: Meter) -> Self {
        Self {
            input,
            meter,
            ready: Vec::new(),
            at: 0,
            state: State::Between,
            word: Vec::new(),
        }
    }

    /// Makes more bytes ready; none are ready at the end.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.at = 0;
        while self.ready.is_empty() {
            let chunk = self.input.fill_buf()?;
            let count = chunk.len();
            if count == 0 {
                self.ready.append(&mut self.word);
                return Ok(());
            }
            let mut rewriting = Rewriting {
                ready: &mut self.ready,
                state: &mut self.state,
                word: &mut self.word,
            };
            chunk.iter().for_each(|byte| rewriting.take(*byte));
            self.input.consume(count);
        }
        Ok(())
    }
}

/// The state of rewriting, apart from the input.
struct Rewriting<'a> {
    ready: &'a mut Vec<u8>,
    state: &'a mut State,
    word: &'a mut Vec<u8>,
}

impl Rewriting<'_> {
    fn take(&mut self, byte: u8) {
        match *self.state {
            State::Text => match byte {
                b'"' => *self.state = State::Between,
                b'\\' => *self.state = State::Escape,
                _ => {}
            },
            State::Escape => *self.state = State::Text,
            State::Word => return self.in_word(byte),
            State::Between => match byte {
                b'"' => *self.state = State::Text,
                b'N' | b'I' | b'-' => {
                    *self.state = State::Word;
                    return self.word.push(byte);
                }
                _ => {}
            },
        }
        self.ready.push(byte);
    }

    /// A byte after the beginning of a word that may be a literal.
    fn in_word(&mut self, byte: u8) {
        self.word.push(byte);
        if LITERALS
            .iter()
            .any(|(spelled, _)| spelled.as_bytes() == self.word.as_slice())
        {
            let (_, stands) = LITERALS
                .iter()
                .find(|(spelled, _)| spelled.as_bytes() == self.word.as_slice())
                .expect("it was found just now");
            self.ready.extend_from_slice(stands.as_bytes());
            self.word.clear();
            *self.state = State::Between;
        } else if !LITERALS
            .iter()
            .any(|(spelled, _)| spelled.as_bytes().starts_with(self.word))
        {
            // No literal: what was held back goes on, and the last byte is looked at anew.
            self.word.pop();
            self.ready.append(self.word);
            *self.state = State::Between;
            self.take(byte);
        }
    }
}

impl<R: BufRead> Read for Literals<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.ready.len() {
            self.refill()?;
        }
        let rest = &self.ready[self.at..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        self.meter.take(count as u64)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn rewritten(text: &str, chunk: usize) -> String {
        let input = BufReader::with_capacity(chunk, text.as_bytes());
        let mut out = String::new();
        let read = Literals::new(input, Meter::new(1 << 20)).read_to_string(&mut out);
        read.expect("the text fits");
        out
    }

    #[test]
    fn literals_outside_of_texts_are_rewritten_wherever_a_chunk_ends() {
        let text = r#"{"NaN \" NaN": [NaN, -1, -Infinity, Infinity], "x": "-Infinity", "y\\": -2.5e-3}"#;
        let expected = r#"{"NaN \" NaN": ["\u0000NaN", -1, "\u0000-Infinity", "\u0000Infinity"], "x": "-Infinity", "y\\": -2.5e-3}"#;
        for chunk in 1..=text.len() {
            assert_eq!(rewritten(text, chunk), expected);
        }
        let value: Value = serde_json::from_str(expected).expect("it is JSON now");
        assert_eq!(literal(&value["NaN \" NaN"][0]), Some("NaN"));
        assert_eq!(literal(&value["NaN \" NaN"][2]), Some("-Infinity"));
        assert_eq!(literal(&value["x"]), None);
    }

    #[test]
    fn what_only_begins_like_a_literal_stays() {
        for text in ["[Na", "[-", "[NaNaN]", "Infin\"ity", "--Infinity", "[nan, -I]"] {
            let expected = text
                .replace("-Infinity", "\"\\u0000-Infinity\"")
                .replace("NaNaN", "\"\\u0000NaN\"aN");
            assert_eq!(rewritten(text, 3), expected);
        }
    }

    #[test]
    fn a_meter_ends_what_is_too_long() {
        let meter = Meter::new(8);
        let mut out = Vec::new();
        let read = Literals::new(&b"0123456789"[..], meter.clone()).read_to_end(&mut out);
        assert!(read.is_err());
        assert_eq!(meter.spent(), Some(Spent::All));
        let meter = Meter::new(100);
        meter.part(4);
        let mut reader = Literals::new(&b"0123456789"[..], meter.clone());
        let mut some = [0; 3];
        assert!(meter.keep(|| reader.read_exact(&mut some)).is_ok());
        assert!(meter.pass(|| reader.read_exact(&mut some)).is_ok());
        assert!(meter.keep(|| reader.read_exact(&mut some)).is_err());
        assert_eq!(meter.spent(), Some(Spent::Kept));
    }
}
