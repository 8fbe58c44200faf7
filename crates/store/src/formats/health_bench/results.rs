//! The one JSON object that an evaluation leaves behind: its list `metadata.example_level_metadata`, a result at a time.
//!
//! The object holds every page it rendered too, and is large. It is gone through once, byte by byte, and only one result is ever held.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use calibrant_schema::rubric::health_bench::read_row;
use calibrant_schema::{Diagnostic, Diagnostics, Span};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Import, Place};
use crate::findings::Findings;
use crate::formats::ReadError;
use crate::tables::LONGEST_LINE;

const METADATA: &str = "metadata";
const RESULTS: &str = "example_level_metadata";

/// Reads the results of an object.
pub(super) fn read(
    file: &str,
    input: impl Read,
    import: &mut Import<'_>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let at = At::default();
    let counted = Counted { input, at: at.clone() };
    let mut reader = serde_json::Deserializer::from_reader(counted);
    let mut results = Results {
        file,
        at: &at,
        import,
        findings,
        refusal: None,
        found: false,
    };
    let outcome = Field(METADATA, &mut results)
        .deserialize(&mut reader)
        .and_then(|()| reader.end());
    let Results { refusal, found, .. } = results;
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    match outcome {
        Err(reason) => findings.push(mistake(file, &at, &reason), None),
        Ok(()) if !found => {
            let what = format!("`{file}` is a JSON object without `{METADATA}.{RESULTS}`");
            findings.push(Diagnostic::error("empty", what, HELP), None);
        }
        Ok(()) => {}
    }
    Ok(())
}

const HELP: &str = "a pool has a JSON object a line with `prompt_id` and `rubrics`; the results of an evaluation are one object \
                    with the list `metadata.example_level_metadata`";

fn mistake(file: &str, at: &At, reason: &serde_json::Error) -> Diagnostic {
    let place = at.0.get();
    let (line, column) = match (reason.line(), reason.column()) {
        (0, _) => (place.line, place.column),
        (line, column) => (line as u32, column as u32),
    };
    let text = reason.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    Diagnostic::error("syntax", format!("this is no file of HealthBench: {what}"), HELP).at(Span {
        file: file.to_owned(),
        line,
        column: column.max(1),
        length: 0,
    })
}

/// Where reading stands.
#[derive(Clone, Default)]
struct At(Rc<Cell<Position>>);

#[derive(Clone, Copy)]
struct Position {
    line: u32,
    /// Bytes of the line that were read: a column where the line begins with plain letters.
    column: u32,
    /// Bytes of a result that is being held; none between results.
    held: Option<usize>,
}

impl Default for Position {
    fn default() -> Self {
        Self {
            line: 1,
            column: 0,
            held: None,
        }
    }
}

impl At {
    fn hold(&self, held: Option<usize>) {
        let mut position = self.0.get();
        position.held = held;
        self.0.set(position);
    }
}

/// Counts what passes; the reader of JSON asks for one byte at a time, so that the count is where it stands.
struct Counted<R> {
    input: R,
    at: At,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        let mut at = self.at.0.get();
        for byte in &into[..read] {
            if *byte == b'\n' {
                at.line = at.line.saturating_add(1);
                at.column = 0;
            } else {
                at.column = at.column.saturating_add(1);
            }
        }
        at.held = at.held.map(|held| held + read);
        self.at.0.set(at);
        match at.held {
            Some(held) if held > LONGEST_LINE => Err(io::Error::other("a result is longer than 16 MiB")),
            _ => Ok(read),
        }
    }
}

/// Where results go, and how that went.
struct Results<'r, 'i> {
    file: &'r str,
    at: &'r At,
    import: &'r mut Import<'i>,
    findings: &'r mut Findings,
    refusal: Option<ReadError>,
    found: bool,
}

/// An object of which one field is looked into: the metadata, then its results.
struct Field<'f, 'r, 'i>(&'static str, &'f mut Results<'r, 'i>);

impl<'de> DeserializeSeed<'de> for Field<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Field<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(field, results) = self;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                key if key != field => drop(map.next_value::<IgnoredAny>()?),
                METADATA => map.next_value_seed(Field(RESULTS, results))?,
                _ => map.next_value_seed(List(results))?,
            }
        }
        Ok(())
    }
}

struct List<'f, 'r, 'i>(&'f mut Results<'r, 'i>);

impl<'de> DeserializeSeed<'de> for List<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        self.0.found = true;
        reader.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of results")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(One(self.0))?.is_some() {}
        Ok(())
    }
}

/// One result: held as text, read, handed over.
struct One<'f, 'r, 'i>(&'f mut Results<'r, 'i>);

impl<'de> DeserializeSeed<'de> for One<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        let results = self.0;
        // The first letter of the result was looked at, and counted.
        let start = results.at.0.get();
        results.at.hold(Some(0));
        let text = Box::<RawValue>::deserialize(reader)?;
        results.at.hold(None);
        results.take(text.get(), start).map_err(|refusal| {
            results.refusal = Some(refusal);
            D::Error::custom("interrupted")
        })
    }
}

impl Results<'_, '_> {
    fn take(&mut self, text: &str, start: Position) -> Result<(), ReadError> {
        let (row, found) = read_row(text, start.line, self.file);
        let found = shifted(found, start);
        for diagnostic in &found {
            if diagnostic.severity == calibrant_schema::Severity::Error {
                let line = diagnostic.span.as_ref().map_or(start.line, |span| span.line);
                // Of the first line only the part from the result on is there.
                let line = text.lines().nth(line.saturating_sub(start.line) as usize);
                let line = line.filter(|_| diagnostic.span.as_ref().is_some_and(|span| span.line > start.line));
                self.findings.push(diagnostic.clone(), line);
            }
        }
        let place = Place {
            file: self.file,
            line: start.line,
        };
        self.import.row(row, &found, place, self.findings)
    }
}

/// Findings about a result, with columns of the file on its first line.
fn shifted(found: Diagnostics, start: Position) -> Diagnostics {
    let mut moved = Diagnostics::new();
    for mut diagnostic in found {
        if let Some(span) = diagnostic.span.as_mut().filter(|span| span.line == start.line) {
            span.column = span.column.saturating_add(start.column.saturating_sub(1));
        }
        moved.push(diagnostic);
    }
    moved
}
