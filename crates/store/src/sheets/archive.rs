//! XLSX files before they are looked into: unpacked within limits, without what could expand, and packed anew.
//!
//! A workbook is a zip archive of XML, and other people's data. What its directory claims is not believed: each part is
//! unpacked against a limit, and the library that reads workbooks gets an archive of exactly the parts that were checked.

use std::io::Read;

use calibrant_schema::Diagnostic;
use flate2::Crc;
use flate2::read::DeflateDecoder;

/// The most entries a workbook may have; ours have about a dozen.
const MOST_ENTRIES: usize = 2_000;

/// The most bytes one part may unpack to.
const LARGEST_PART: usize = 64 << 20;

/// The most bytes all parts that are read may unpack to.
const LARGEST_WHOLE: usize = 128 << 20;

/// The most bytes a packed byte may become, in parts above [`RATIO_FROM`]. XML of real sheets packs 10 to 100 to 1.
const HIGHEST_RATIO: usize = 400;
const RATIO_FROM: usize = 1 << 20;

const END: [u8; 4] = *b"PK\x05\x06";
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const LOCAL: [u8; 4] = *b"PK\x03\x04";

/// Whether the bytes open as a zip archive.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(&LOCAL)
}

/// Whether the bytes open as an OLE file: an encrypted workbook, or one of a format before XLSX.
pub(crate) fn is_ole(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
}

/// The archive with only its XML parts, each checked, none compressed.
///
/// # Errors
/// If it is no archive, has too many entries, encrypted ones or parts that unpack too far, or an XML part declares a document type.
pub(crate) fn checked(name: &str, bytes: &[u8]) -> Result<Vec<u8>, Box<Diagnostic>> {
    let entries = directory(bytes).ok_or_else(|| damaged(name))?;
    if entries.len() > MOST_ENTRIES {
        let what = format!(
            "`{name}` has {} entries, and a workbook may have {MOST_ENTRIES}",
            entries.len()
        );
        return Err(too_large(what));
    }
    let mut parts = Vec::new();
    let mut whole = 0;
    for entry in entries.iter().filter(|entry| entry.is_xml()) {
        if entry.encrypted {
            return Err(locked_away(name));
        }
        let part = unpack(name, bytes, entry)?;
        whole += part.len();
        if whole > LARGEST_WHOLE {
            let what = format!("`{name}` unpacks to more than {} MB", LARGEST_WHOLE >> 20);
            return Err(too_large(what));
        }
        no_document_type(name, entry, &part)?;
        parts.push((entry.name.as_str(), part));
    }
    Ok(packed(&parts))
}

/// One entry of the directory of an archive.
struct Entry {
    name: String,
    encrypted: bool,
    method: u16,
    packed: usize,
    local: usize,
}

impl Entry {
    fn is_xml(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        name.ends_with(".xml") || name.ends_with(".rels")
    }
}

/// The entries of the archive, or `None` where it contradicts itself. Archives of more than 4 GB are none here.
fn directory(bytes: &[u8]) -> Option<Vec<Entry>> {
    // The end record is 22 bytes and a comment of at most 65,535 behind it.
    let from = bytes.len().saturating_sub(22 + 65_535);
    let end = from + bytes[from..].windows(4).rposition(|window| window == END)?;
    // The record ends in the length of its comment.
    short(bytes, end + 20)?;
    let count = usize::from(short(bytes, end + 10)?);
    let mut at = long(bytes, end + 16)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        if bytes.get(at..at + 4)? != ENTRY {
            return None;
        }
        let [name, extra, comment] = [28, 30, 32].map(|field| short(bytes, at + field).map(usize::from));
        let (name, extra, comment) = (name?, extra?, comment?);
        entries.push(Entry {
            name: String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned(),
            encrypted: short(bytes, at + 8)? & 1 == 1,
            method: short(bytes, at + 10)?,
            packed: long(bytes, at + 20)?,
            local: long(bytes, at + 42)?,
        });
        at += 46 + name + extra + comment;
    }
    Some(entries)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let field = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes([field[0], field[1]]))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..at + 4)?;
    usize::try_from(u32::from_le_bytes([field[0], field[1], field[2], field[3]])).ok()
}

/// The packed bytes of an entry, behind its local header.
fn packed_bytes<'a>(bytes: &'a [u8], entry: &Entry) -> Option<&'a [u8]> {
    if bytes.get(entry.local..entry.local + 4)? != LOCAL {
        return None;
    }
    let start =
        entry.local + 30 + usize::from(short(bytes, entry.local + 26)?) + usize::from(short(bytes, entry.local + 28)?);
    bytes.get(start..start.checked_add(entry.packed)?)
}

/// Unpacks one entry, stopping at its limits.
fn unpack(name: &str, bytes: &[u8], entry: &Entry) -> Result<Vec<u8>, Box<Diagnostic>> {
    let packed = packed_bytes(bytes, entry).ok_or_else(|| damaged(name))?;
    let limit = LARGEST_PART.min(RATIO_FROM.max(packed.len().saturating_mul(HIGHEST_RATIO)));
    let mut part = Vec::new();
    let read = match entry.method {
        0 => packed.take(limit as u64 + 1).read_to_end(&mut part),
        8 => DeflateDecoder::new(packed)
            .take(limit as u64 + 1)
            .read_to_end(&mut part),
        _ => return Err(damaged(name)),
    };
    if read.is_err() {
        return Err(damaged(name));
    }
    if part.len() > limit {
        let what = format!(
            "`{name}` unpacks too far: `{}` has {} bytes packed and more than {limit} unpacked",
            entry.name.escape_debug(),
            packed.len()
        );
        return Err(too_large(what));
    }
    Ok(part)
}

/// Workbooks have no document type; one with entities could expand without end or name other files.
fn no_document_type(name: &str, entry: &Entry, part: &[u8]) -> Result<(), Box<Diagnostic>> {
    let text = std::str::from_utf8(part).map_err(|_| damaged(name))?;
    if text.contains("<!DOCTYPE") || text.contains("<!ENTITY") {
        return Err(Box::new(Diagnostic::error(
            "xlsx-document-type",
            format!(
                "`{name}` declares a document type in `{}`, which no spreadsheet program writes",
                entry.name.escape_debug()
            ),
            "ask where the file comes from; open the sheet in a spreadsheet program and save it anew as .xlsx",
        )));
    }
    Ok(())
}

/// The parts as an archive without compression.
fn packed(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (name, part) in parts {
        let local = archive.len();
        let mut crc = Crc::new();
        crc.update(part);
        // Version, flags, method, time, date, checksum, sizes, length of the name, none of extra fields.
        let mut fields = Vec::new();
        for field in [20_u16, 0x800, 0, 0, 0x21] {
            fields.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), size(part.len()), size(part.len())] {
            fields.extend(field.to_le_bytes());
        }
        fields.extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
        fields.extend(0_u16.to_le_bytes());
        archive.extend(LOCAL);
        archive.extend(&fields);
        archive.extend(name.as_bytes());
        archive.extend(part);
        directory.extend(ENTRY);
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&fields);
        directory.extend([0_u8; 10]);
        directory.extend(size(local).to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(parts.len()).expect("a workbook has few entries");
    let start = size(archive.len());
    archive.extend(&directory);
    archive.extend(END);
    archive.extend([0_u8; 4]);
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend(size(directory.len()).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0_u8; 2]);
    archive
}

fn size(length: usize) -> u32 {
    u32::try_from(length).expect("the parts together are below their limit")
}

/// A workbook that contradicts itself.
pub(crate) fn damaged(name: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "xlsx-damaged",
        format!("`{name}` opens as an XLSX file and cannot be read as one"),
        "open it in a spreadsheet program and save it anew as .xlsx, or as \"CSV UTF-8\"",
    ))
}

/// A workbook that is encrypted, or of an older format.
pub(crate) fn locked_away(name: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "xlsx-password",
        format!("`{name}` has a password, or is an .xls of a format before XLSX"),
        "open it, take the password away, and save it as .xlsx",
    ))
}

fn too_large(what: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "xlsx-too-large",
        what,
        "open the sheet in a spreadsheet program, take away what is not of the sheet, and save it anew as .xlsx",
    ))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("memory takes bytes");
        encoder.finish().expect("memory takes bytes")
    }

    /// An archive of one entry whose claims are the caller's.
    fn zip_of(name: &str, method: u16, packed: &[u8], claimed: u32) -> Vec<u8> {
        let mut archive = super::packed(&[(name, packed.to_vec())]);
        let entry = archive.windows(4).position(|window| window == ENTRY).expect("an entry");
        archive[entry + 10..entry + 12].copy_from_slice(&method.to_le_bytes());
        archive[entry + 24..entry + 28].copy_from_slice(&claimed.to_le_bytes());
        archive
    }

    #[test]
    fn a_checked_archive_holds_what_the_first_one_held() {
        let xml = b"<a/>".to_vec();
        let archive = zip_of("xl/workbook.xml", 8, &deflated(&xml), 4);
        assert_eq!(
            checked("a.xlsx", &archive).expect("a sound archive"),
            packed(&[("xl/workbook.xml", xml)])
        );
    }

    #[test]
    fn bombs_are_refused_whatever_they_claim() {
        let zeros = deflated(&vec![b' '; 8 << 20]);
        for claimed in [10, 8 << 20] {
            let refused = checked("a.xlsx", &zip_of("xl/a.xml", 8, &zeros, claimed)).expect_err("a bomb");
            assert_eq!(refused.id, "xlsx-too-large");
        }
        let entries: Vec<(&str, Vec<u8>)> = (0..=MOST_ENTRIES).map(|_| ("a.xml", Vec::new())).collect();
        assert_eq!(
            checked("a.xlsx", &packed(&entries)).expect_err("many entries").id,
            "xlsx-too-large"
        );
    }

    #[test]
    fn pictures_are_never_unpacked() {
        let zeros = deflated(&vec![0; 8 << 20]);
        assert!(checked("a.xlsx", &zip_of("xl/media/image1.png", 8, &zeros, 1)).is_ok());
    }

    #[test]
    fn document_types_damage_and_passwords_are_named() {
        let entity = br#"<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>"#;
        let refusals = [
            (zip_of("xl/a.xml", 0, entity, 1), "xlsx-document-type"),
            (zip_of("xl/a.xml", 8, b"\xff\xff\xff", 1), "xlsx-damaged"),
            (zip_of("xl/a.xml", 0, b"\xff\xfe<\0a\0", 1), "xlsx-damaged"),
            (b"PK\x03\x04 and nothing more".to_vec(), "xlsx-damaged"),
        ];
        for (archive, id) in refusals {
            assert_eq!(checked("a.xlsx", &archive).expect_err(id).id, id);
        }
        let mut locked = zip_of("xl/a.xml", 0, b"<a/>", 4);
        let entry = locked.windows(4).position(|window| window == ENTRY).expect("an entry");
        locked[entry + 8] |= 1;
        assert_eq!(checked("a.xlsx", &locked).expect_err("a password").id, "xlsx-password");
    }

    #[test]
    fn an_archive_cut_anywhere_is_refused_without_a_panic() {
        let archive = zip_of("xl/a.xml", 8, &deflated(b"<a>text</a>"), 11);
        for end in 0..archive.len() {
            assert!(checked("a.xlsx", &archive[..end]).is_err(), "cut at {end}");
        }
    }
}
