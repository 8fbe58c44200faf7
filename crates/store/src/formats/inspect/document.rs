//! A log as one JSON object, or the header of an archive: gone through once, a sample in memory at a time.

use std::fmt;
use std::io::BufRead;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::header::{Header, check_version};
use super::literals::{Literals, Meter, Spent};
use super::rows::Rows;
use super::sample::{Count, SampleSeed};
use super::{AGAIN, Limits, mistake};
use crate::formats::{ImportOptions, ReadError, ReadReport, Sink};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a log that is one JSON object.
pub(super) fn read(
    file: &str,
    input: &mut dyn BufRead,
    options: &ImportOptions,
    sink: &mut dyn Sink,
    limits: Limits,
) -> Result<ReadReport, ReadError> {
    if input.fill_buf().is_ok_and(|head| head.starts_with(BYTE_ORDER_MARK)) {
        input.consume(BYTE_ORDER_MARK.len());
    }
    let mut rows = Rows::new(file, sink);
    let meter = Meter::new(limits.total);
    let mut head = Head::new(file, file, options);
    head.read(input, &meter, limits, &mut rows)?;
    head.settle(&mut rows)?;
    rows.finish()
}

/// What stands at the top of a log beside its samples.
pub(super) struct Head<'a> {
    file: &'a str,
    /// The file or entry, in messages.
    place: &'a str,
    options: &'a ImportOptions,
    version: Option<Value>,
    status: Option<String>,
    invalidated: bool,
    /// Why reading was ended from inside.
    stopped: Option<ReadError>,
}

impl<'a> Head<'a> {
    pub(super) fn new(file: &'a str, place: &'a str, options: &'a ImportOptions) -> Self {
        Self {
            file,
            place,
            options,
            version: None,
            status: None,
            invalidated: false,
            stopped: None,
        }
    }

    /// Goes through a log, and hands over the samples in it.
    ///
    /// # Errors
    /// If it is no log of a known version, is damaged, or the sink takes no more.
    pub(super) fn read(
        &mut self,
        input: &mut dyn BufRead,
        meter: &Meter,
        limits: Limits,
        rows: &mut Rows<'_>,
    ) -> Result<(), ReadError> {
        let mut reader = serde_json::Deserializer::from_reader(Literals::new(input, meter.clone()));
        let top = Top {
            head: self,
            meter,
            limits,
            rows,
        };
        let read = reader.deserialize_map(top).and_then(|()| reader.end());
        read.map_err(|error| match self.stopped.take() {
            Some(stopped) => stopped,
            None => {
                let (id, what, help) = told(meter, limits, &error);
                mistake(
                    self.file,
                    id,
                    format!("{}: {what}", crate::tables::shown(self.place)),
                    help,
                )
            }
        })
    }

    /// Holds against each other what stood at the top, and says how the run ended.
    ///
    /// # Errors
    /// If there is no version or no header.
    pub(super) fn settle(self, rows: &mut Rows<'_>) -> Result<(), ReadError> {
        check_version(self.file, self.version.as_ref())?;
        if !rows.has_header() {
            let help = "give a log that Inspect wrote, `.eval` or JSON";
            return Err(mistake(
                self.file,
                "no-header",
                "the log has no `eval`, which says what was run",
                help,
            ));
        }
        rows.ended(self.status.as_deref(), self.invalidated);
        Ok(())
    }

    fn stop<E: Error>(&mut self, reason: ReadError) -> E {
        self.stopped = Some(reason);
        E::custom("reading was ended")
    }
}

/// What to say of JSON that could not be read: an id, what happened, and what to do.
pub(super) fn told(meter: &Meter, limits: Limits, error: &serde_json::Error) -> (&'static str, String, &'static str) {
    let line = error.line();
    match (meter.spent(), error.classify()) {
        (Some(Spent::Kept), _) => {
            let what = format!(
                "a sample, or the header, holds more than {} MiB beside its events",
                limits.kept >> 20
            );
            (
                "sample-too-large",
                what,
                "leave out what is large, such as files in metadata or in messages",
            )
        }
        (Some(Spent::All), _) => {
            let what = format!(
                "it unpacks to more than {} GiB, or the archive to more than {} GiB",
                limits.entry >> 30,
                limits.total >> 30
            );
            (
                "too-large",
                what,
                "leave out the events of the run, or import the log in parts",
            )
        }
        (None, serde_json::error::Category::Io) => ("cannot-read", format!("reading broke off: {error}"), AGAIN),
        (None, serde_json::error::Category::Eof) => {
            let what = format!("the JSON ends in the middle of a value, on line {line}");
            (
                "json",
                what,
                "copy the log again, or write it anew with `inspect log convert`; rows before the break were read",
            )
        }
        (None, _) => {
            let what = format!("this is no JSON that Inspect writes: {error}");
            ("json", what, "give a log that Inspect wrote, `.eval` or JSON")
        }
    }
}

/// The object at the top.
struct Top<'t, 'a, 's> {
    head: &'t mut Head<'a>,
    meter: &'t Meter,
    limits: Limits,
    rows: &'t mut Rows<'s>,
}

impl<'de> Visitor<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a log: an object with `version` and `eval`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self {
            head,
            meter,
            limits,
            rows,
        } = self;
        meter.part(limits.kept);
        while let Some(key) = meter.keep(|| map.next_key::<String>())? {
            match key.as_str() {
                "version" => {
                    let version = meter.keep(|| map.next_value::<Value>())?;
                    if let Err(error) = check_version(head.file, Some(&version)) {
                        return Err(head.stop(error));
                    }
                    head.version = Some(version);
                }
                "status" => head.status = meter.keep(|| map.next_value::<Value>())?.as_str().map(str::to_owned),
                "invalidated" => head.invalidated = meter.keep(|| map.next_value::<Value>())? == Value::Bool(true),
                "eval" => {
                    let eval = meter.keep(|| map.next_value::<Value>())?;
                    match Header::of(head.file, &eval, head.options) {
                        Ok(header) => rows.set_eval(header),
                        Err(error) => return Err(head.stop(error)),
                    }
                }
                "results" | "reductions" => {
                    let count = meter.keep(|| map.next_value_seed(Count(meter)))?;
                    rows.reduced(&key, count);
                }
                "samples" => {
                    if let Err(error) = in_order(head, rows) {
                        return Err(head.stop(error));
                    }
                    map.next_value_seed(Samples {
                        head,
                        meter,
                        limits,
                        rows,
                    })?;
                    meter.part(limits.kept);
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Whether what samples rest on stood before them.
fn in_order(head: &Head<'_>, rows: &Rows<'_>) -> Result<(), ReadError> {
    check_version(head.file, head.version.as_ref())?;
    if rows.has_header() {
        return Ok(());
    }
    let what = "the samples stand before `eval`, which says what answered them; Inspect writes them after it";
    let help = "write the log anew with `inspect log convert`";
    Err(mistake(head.file, "samples-first", what, help))
}

/// The list of samples.
struct Samples<'t, 'a, 's> {
    head: &'t mut Head<'a>,
    meter: &'t Meter,
    limits: Limits,
    rows: &'t mut Rows<'s>,
}

impl<'de> DeserializeSeed<'de> for Samples<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Samples<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut number = 0_u64;
        loop {
            let seed = SampleSeed {
                meter: self.meter,
                kept: self.limits.kept,
            };
            let Some(sample) = list.next_element_seed(seed)? else {
                return Ok(());
            };
            number += 1;
            let taken = self.rows.take(&sample, &format!("sample {number}"));
            taken.map_err(|reason| self.head.stop(reason))?;
        }
    }
}
