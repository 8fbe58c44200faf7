//! Results in JSON and JSON lines, row by row: a file of any size in the memory of one row.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use calibrant_schema::{Diagnostic, Span};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::results::{Row, Rows};
use super::version::{Version, unknown_version};
use crate::findings::Findings;
use crate::formats::{ReadError, ReadReport};

/// The largest row, in bytes.
const LARGEST_ROW: u64 = 16 << 20;

/// Reads a whole file: one document with its rows, or rows one after the other.
pub(super) fn read(input: Box<dyn BufRead + '_>, mut rows: Rows<'_>) -> Result<ReadReport, ReadError> {
    let meter = Meter::default();
    let metered = Metered::new(input, meter.clone());
    let mut reader = serde_json::Deserializer::from_reader(metered);
    let mut state = State {
        rows: &mut rows,
        meter: &meter,
        stopped: None,
        version: None,
        document: false,
    };
    let mut values = 0_u64;
    while reader.end().is_err() {
        if let Err(error) = (Top { state: &mut state }).deserialize(&mut reader) {
            let stopped = state.stopped.take();
            return Err(stopped.unwrap_or_else(|| mistake(&rows.file, &meter, &error)));
        }
        values += 1;
        if state.document && values > 1 {
            let what = "a document is followed by more";
            return Err(at(
                &rows.file,
                meter.line.get(),
                "json",
                what,
                "give one file that promptfoo wrote",
            ));
        }
    }
    let (document, version) = (state.document, state.version.take());
    match (document, version) {
        (true, Some(version)) => rows.report.version = Some(format!("promptfoo results, version {version}")),
        (true, None) => return Err(unknown_version(&rows.file, None)),
        (false, _) if rows.count() == 0 => {
            let what = "there is no result in this file";
            return Err(at(
                &rows.file,
                0,
                "no-results",
                what,
                "check that `promptfoo eval` ended, and give what `-o` wrote",
            ));
        }
        (false, _) => rows.report.version = Some("promptfoo results, rows without a version".to_owned()),
    }
    rows.finish()
}

/// Bytes and lines read, and how many more may come for what is being read.
#[derive(Clone, Default)]
struct Meter(Rc<Counts>);

#[derive(Default)]
struct Counts {
    bytes: Cell<u64>,
    line: Cell<u32>,
    limit: Cell<Option<u64>>,
    exceeded: Cell<bool>,
}

impl std::ops::Deref for Meter {
    type Target = Counts;

    fn deref(&self) -> &Counts {
        &self.0
    }
}

/// Hands bytes over one at a time, which is how the parser asks for them, out of a buffer of its own.
struct Metered<'a> {
    input: Box<dyn BufRead + 'a>,
    meter: Meter,
    buffer: Vec<u8>,
    at: usize,
}

impl<'a> Metered<'a> {
    fn new(input: Box<dyn BufRead + 'a>, meter: Meter) -> Self {
        Self {
            input,
            meter,
            buffer: Vec::new(),
            at: 0,
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.at = 0;
        self.buffer.clear();
        let ahead = self.input.fill_buf()?;
        self.buffer.extend_from_slice(ahead);
        let count = ahead.len();
        self.input.consume(count);
        Ok(())
    }
}

impl Read for Metered<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.buffer.len() {
            self.refill()?;
        }
        let (Some(&byte), Some(place)) = (self.buffer.get(self.at), into.first_mut()) else {
            return Ok(0);
        };
        *place = byte;
        self.at += 1;
        let meter = &*self.meter;
        let bytes = meter.bytes.get() + 1;
        meter.bytes.set(bytes);
        if byte == b'\n' {
            meter.line.set(meter.line.get().saturating_add(1));
        }
        if meter.limit.get().is_some_and(|limit| bytes > limit) {
            meter.exceeded.set(true);
            return Err(io::Error::other("too large"));
        }
        Ok(1)
    }
}

struct State<'a, 's> {
    rows: &'a mut Rows<'s>,
    meter: &'a Meter,
    /// Why reading was ended from inside.
    stopped: Option<ReadError>,
    version: Option<Version>,
    /// Whether the value is a document, not a row.
    document: bool,
}

impl State<'_, '_> {
    fn stop<E: Error>(&mut self, reason: ReadError) -> E {
        self.stopped = Some(reason);
        E::custom("reading was ended")
    }

    /// Reads one value of at most the size of a row.
    fn bounded<T>(&self, read: impl FnOnce() -> T) -> T {
        let counts = self.meter;
        counts.limit.set(Some(counts.bytes.get() + LARGEST_ROW));
        let value = read();
        counts.limit.set(None);
        value
    }

    fn row<E: Error>(&mut self, value: Value, line: u32, bytes: u64) -> Result<(), E> {
        let taken = self.rows.take(Row {
            value,
            line,
            bytes,
            number: 0,
        });
        taken.map_err(|reason| self.stop(reason))
    }

    fn see_version<E: Error>(&mut self, written: &Value) -> Result<(), E> {
        match Version::of(written) {
            Some(version) => {
                self.version = Some(version);
                Ok(())
            }
            None => {
                let error = unknown_version(&self.rows.file, Some(written));
                Err(self.stop(error))
            }
        }
    }
}

/// A value at the top of the file: a document, or a row.
struct Top<'t, 'a, 's> {
    state: &'t mut State<'a, 's>,
}

impl<'de> DeserializeSeed<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with results, or a result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let state = self.state;
        let (from, line) = (state.meter.bytes.get(), state.meter.line.get() + 1);
        let mut row = Map::new();
        let mut stated = None;
        while let Some(key) = state.bounded(|| map.next_key::<String>())? {
            match key.as_str() {
                "results" => {
                    state.document = true;
                    map.next_value_seed(Summary { state })?;
                }
                "version" => stated = Some(state.bounded(|| map.next_value::<Value>())?),
                // What documents hold beside their results, some of it large.
                "evalId" | "config" | "shareableUrl" | "traces" | "blobAssets" | "runtimeOptions" | "table"
                | "stats" | "author" | "createdAt" => drop(map.next_value::<IgnoredAny>()?),
                "prompts" => {
                    let prompts = state.bounded(|| map.next_value::<Value>())?;
                    state.rows.list(&prompts);
                }
                // The rest of a document is nothing that is read.
                _ if state.document => drop(map.next_value::<IgnoredAny>()?),
                _ => {
                    let left = LARGEST_ROW.saturating_sub(state.meter.bytes.get() - from);
                    if left == 0 {
                        state.meter.exceeded.set(true);
                        return Err(A::Error::custom("too large"));
                    }
                    let value = state.bounded(|| map.next_value::<Value>())?;
                    row.insert(key, value);
                }
            }
        }
        if state.document {
            if let (None, Some(stated)) = (&state.version, stated) {
                state.see_version(&stated)?;
            }
            return Ok(());
        }
        state.row(Value::Object(row), line, state.meter.bytes.get() - from)
    }
}

/// What stands under `results`: a summary with rows, or the rows.
struct Summary<'t, 'a, 's> {
    state: &'t mut State<'a, 's>,
}

impl<'de> DeserializeSeed<'de> for Summary<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Summary<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a summary of results, or a list of them")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let state = self.state;
        while let Some(key) = state.bounded(|| map.next_key::<String>())? {
            match key.as_str() {
                "version" => {
                    let version = state.bounded(|| map.next_value::<Value>())?;
                    state.see_version(&version)?;
                }
                "prompts" => {
                    let prompts = state.bounded(|| map.next_value::<Value>())?;
                    state.rows.list(&prompts);
                }
                "results" => map.next_value_seed(Summary { state })?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        let state = self.state;
        loop {
            let from = state.meter.bytes.get();
            let Some(value) = state.bounded(|| rows.next_element::<Value>())? else {
                return Ok(());
            };
            // The row ends here; its first line is not known any more.
            let line = state.meter.line.get() + 1;
            state.row(value, line, state.meter.bytes.get() - from)?;
        }
    }
}

/// What to say of a file that is not what it should be.
fn mistake(file: &str, meter: &Meter, error: &serde_json::Error) -> ReadError {
    if meter.exceeded.get() {
        let what = format!("a result has more than {} MiB", LARGEST_ROW >> 20);
        return at(
            file,
            meter.line.get() + 1,
            "row-too-large",
            &what,
            "leave out what is large: media, traces",
        );
    }
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
    match error.classify() {
        serde_json::error::Category::Io => {
            let what = format!("reading broke off: {error}");
            at(file, line, "cannot-read", &what, "fetch or write the file again")
        }
        serde_json::error::Category::Eof => {
            let what = "the file ends in the middle of a value";
            at(
                file,
                line,
                "json",
                what,
                "fetch or write the file again; rows before it were read",
            )
        }
        _ => {
            let what = format!("this is no JSON that promptfoo writes: {error}");
            at(
                file,
                line,
                "json",
                &what,
                "give a file that `promptfoo eval -o results.json` or `results.jsonl` wrote",
            )
        }
    }
}

/// One mistake at a line; 0 for the whole file.
pub(super) fn at(file: &str, line: u32, id: &'static str, what: &str, help: &str) -> ReadError {
    let diagnostic = Diagnostic::error(id, what, help).at(Span {
        file: file.to_owned(),
        line,
        column: u32::from(line > 0),
        length: 0,
    });
    ReadError::Findings(Findings::from(diagnostic))
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use crate::formats::{Collected, Content, Form, ImportOptions, Input, read};

    const ROW: &str = r#"{"provider": "p", "prompt": {"raw": "x", "label": "x"}, "vars": {"a": "N"}, "response": {"output": "y"}, "gradingResult": {"componentResults": [{"pass": true, "score": 1, "assertion": {"type": "contains", "value": "y"}}]}}"#;

    fn take(bytes: impl Read) -> Result<Collected, String> {
        let input = Input {
            name: "r.json".to_owned(),
            content: Content::Stream(Box::new(BufReader::new(bytes))),
        };
        let mut sink = Collected::default();
        let report = read(Form::Promptfoo, input, &ImportOptions::default(), &mut sink);
        report.map(|_| sink).map_err(|error| error.to_string())
    }

    #[test]
    fn a_document_may_be_larger_than_a_row() {
        let rows: Vec<String> = (0..40)
            .map(|at| ROW.replace('N', &format!("{at}{}", "z".repeat(1 << 19))))
            .collect();
        let text = format!(
            "{{\"evalId\": \"e\", \"results\": {{\"version\": 3, \"results\": [{}]}}, \"config\": {{}}, \"vars\": [\"a\"]}}",
            rows.join(",")
        );
        assert!(text.len() > super::LARGEST_ROW as usize);
        assert_eq!(take(text.as_bytes()).expect("every row is small").verdicts.len(), 40);
    }

    #[test]
    fn a_row_without_end_is_given_up_before_it_fills_the_memory() {
        let endless = "{\"provider\": \"".as_bytes().chain(std::io::repeat(b'x'));
        assert!(
            take(endless)
                .expect_err("it has no end")
                .contains("a result has more than 16 MiB")
        );
        let endless = "{\"results\": {\"version\": 3, \"results\": [[\""
            .as_bytes()
            .chain(std::io::repeat(b'x'));
        assert!(
            take(endless)
                .expect_err("it has no end")
                .contains("a result has more than 16 MiB")
        );
    }
}
