//! A log as an archive: the header, or the journal of a run that did not end, and an entry a sample.

use std::io::{self, BufRead, BufReader, Read};

use flate2::Crc;
use serde::de::DeserializeSeed;
use zip::{CompressionMethod, ZipArchive};

use super::document::{Head, told};
use super::literals::{Literals, Meter};
use super::rows::Rows;
use super::sample::{Sample, SampleSeed};
use super::{AGAIN, Limits, mistake};
use crate::formats::{ImportOptions, ReadError, ReadReport, ReadSeek, Sink};
use crate::stored::ZstdReader;
use crate::tables::shown;

/// What the header of a run that ended is called.
const HEADER: &str = "header.json";

/// What a run writes when it begins.
const START: &str = "_journal/start.json";

/// The folder of samples.
const SAMPLES: &str = "samples/";

/// The most entries of an archive; a run has one a sample and a few beside them.
const MOST_ENTRIES: usize = 2_000_000;

/// Bytes of a local header before the name of its entry (APPNOTE 4.3.7).
const BEFORE_NAME: usize = 30;

/// Whether the first entry of an archive is one of a log.
pub(super) fn looks_like(head: &[u8]) -> bool {
    let length = head
        .get(26..28)
        .map_or(0, |bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])));
    let Some(name) = head.get(BEFORE_NAME..BEFORE_NAME + length) else {
        return false;
    };
    let alone = [HEADER, "summaries.json", "reductions.json"];
    name.starts_with(b"_journal/")
        || name.starts_with(SAMPLES.as_bytes())
        || alone.iter().any(|known| known.as_bytes() == name)
}

type Archive<'a> = ZipArchive<Box<dyn ReadSeek + 'a>>;

/// Reads a log that is an archive.
pub(super) fn read(
    file: &str,
    input: Box<dyn ReadSeek + '_>,
    options: &ImportOptions,
    sink: &mut dyn Sink,
    limits: Limits,
) -> Result<ReadReport, ReadError> {
    let mut archive = ZipArchive::new(input).map_err(|error| {
        let what = format!("the archive cannot be opened: {error}");
        let help = "copy the log again; the index of an archive stands at its end, and is missing while a run writes it: `inspect log recover` writes it from the buffer of a run that crashed";
        mistake(file, "damaged-archive", what, help)
    })?;
    if archive.len() > MOST_ENTRIES {
        let what = format!("the archive has {} entries; {MOST_ENTRIES} are read", archive.len());
        return Err(mistake(file, "too-many-entries", what, "import the log in parts"));
    }
    let entries = Entries::of(&archive);
    let mut rows = Rows::new(file, sink);
    let mut left = limits.total;
    head(file, &mut archive, &entries, options, limits, &mut left, &mut rows)?;
    if archive.has_duplicate_names() {
        let why = "a sample that was run again has the name of the first: the last counts, as it does for Inspect";
        rows.report.losses.add("earlier entries of one name", why);
    }
    for (index, name) in &entries.samples {
        match sample(&mut archive, *index, limits, &mut left) {
            Ok(sample) => rows.take(&sample, name)?,
            Err((id, what, help)) => rows.mistake(id, name, &what, help),
        }
        if rows.is_hopeless() || left == 0 {
            break;
        }
    }
    rows.finish()
}

/// Where the parts of a log are.
#[derive(Default)]
struct Entries {
    header: Option<usize>,
    start: Option<usize>,
    samples: Vec<(usize, String)>,
    reductions: bool,
}

impl Entries {
    fn of(archive: &Archive<'_>) -> Self {
        let mut entries = Self::default();
        for (index, name) in archive.file_names_raw().enumerate() {
            let name = String::from_utf8_lossy(name);
            match name.as_ref() {
                HEADER => entries.header = Some(index),
                START => entries.start = Some(index),
                "reductions.json" => entries.reductions = true,
                name if name.starts_with(SAMPLES) && name.ends_with(".json") => {
                    entries.samples.push((index, name.to_owned()));
                }
                _ => {}
            }
        }
        entries
    }
}

/// Reads the header, or the journal where there is none.
fn head(
    file: &str,
    archive: &mut Archive<'_>,
    entries: &Entries,
    options: &ImportOptions,
    limits: Limits,
    left: &mut u64,
    rows: &mut Rows<'_>,
) -> Result<(), ReadError> {
    let (index, place) = match (entries.header, entries.start) {
        (Some(index), _) => (index, HEADER),
        (None, Some(index)) => (index, START),
        (None, None) => {
            let what = format!("the archive has neither `{HEADER}` nor `{START}`, of which every Inspect log has one");
            return Err(mistake(
                file,
                "no-header",
                what,
                "give a log that Inspect wrote, `.eval` or JSON",
            ));
        }
    };
    rows.reduced("reductions", u64::from(entries.reductions));
    let mut head = Head::new(file, place, options);
    let given = limits.entry.min(*left);
    let meter = Meter::new(given);
    let mut entry =
        open(archive, index).map_err(|(id, what, help)| mistake(file, id, format!("{place}: {what}"), help))?;
    head.read(&mut entry, &meter, limits, rows)?;
    *left -= given - meter.left();
    head.settle(rows)
}

/// Why an entry cannot be read: an id, what happened, and what to do.
type Damage = (&'static str, String, &'static str);

/// Reads one sample.
fn sample(archive: &mut Archive<'_>, index: usize, limits: Limits, left: &mut u64) -> Result<Sample, Damage> {
    let given = limits.entry.min(*left);
    let meter = Meter::new(given);
    let entry = open(archive, index)?;
    let mut reader = serde_json::Deserializer::from_reader(Literals::new(entry, meter.clone()));
    let seed = SampleSeed {
        meter: &meter,
        kept: limits.kept,
    };
    let read = seed
        .deserialize(&mut reader)
        .and_then(|sample| reader.end().map(|()| sample));
    *left -= given - meter.left();
    read.map_err(|error| told(&meter, limits, &error))
}

/// Opens an entry: stored, deflated, or as zstd, which Inspect writes since 0.3.160.
fn open<'z>(archive: &'z mut Archive<'_>, index: usize) -> Result<Box<dyn BufRead + 'z>, Damage> {
    let damaged = |error: zip::result::ZipError| ("damaged-entry", format!("the entry cannot be read: {error}"), AGAIN);
    let (method, encrypted) = {
        let entry = archive.by_index_raw(index).map_err(damaged)?;
        (entry.compression(), entry.encrypted())
    };
    if encrypted {
        let help = "unpack the archive with its password and pack it again without one";
        return Err(("encrypted", "the entry is encrypted".to_owned(), help));
    }
    if method == CompressionMethod::ZSTD {
        let entry = archive.by_index_raw(index).map_err(damaged)?;
        let (sum, size) = (entry.crc32(), entry.size());
        let sealed = Sealed {
            inner: ZstdReader::new(BufReader::new(entry)),
            seen: Crc::new(),
            sum,
            size,
        };
        return Ok(Box::new(BufReader::new(sealed)));
    }
    match method {
        CompressionMethod::Stored | CompressionMethod::Deflated => {
            let entry = archive.by_index(index).map_err(damaged)?;
            Ok(Box::new(BufReader::new(entry)))
        }
        other => {
            let what = format!(
                "the entry is packed in a way that is not known here ({})",
                shown(&other.to_string())
            );
            Err(("unknown-packing", what, "write the log anew with `inspect log convert`"))
        }
    }
}

/// Holds what was unpacked against the sum and size that the archive states.
struct Sealed<R> {
    inner: R,
    seen: Crc,
    sum: u32,
    size: u64,
}

impl<R: Read> Read for Sealed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.seen.update(&into[..count]);
        let whole = self.seen.sum() == self.sum && u64::from(self.seen.amount()) == self.size & u64::from(u32::MAX);
        if count == 0 && !into.is_empty() && !whole {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the entry is damaged: its checksum does not fit",
            ));
        }
        Ok(count)
    }
}
