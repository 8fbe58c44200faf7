//! Bytes as they lie, plain, gzip or zstd, hashed while they are read.

mod gzip;
mod zstd;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use calibrant_schema::Diagnostic;
use sha2::{Digest, Sha256};

use self::gzip::GzipReader;
use self::zstd::ZstdError;
pub(crate) use self::zstd::ZstdReader;
use crate::findings::Findings;

/// How many bytes tell one form of storage from the others.
const AHEAD: u64 = 4;

/// The first two bytes of every gzip stream (RFC 1952, 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What Parquet files begin and end with.
pub(crate) const PARQUET_MAGIC: [u8; 4] = *b"PAR1";

/// Large enough that a table of hundreds of megabytes needs few calls to the system.
const BUFFER: usize = 128 * 1024;

/// Where a table comes from.
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// A file whose bytes were hashed before: they are not hashed again.
    Known {
        /// The file.
        path: PathBuf,
        /// SHA-256 of its bytes, in hexadecimal.
        sha256: String,
    },
    /// Anything readable, such as standard input, under the name that messages show.
    Reader {
        /// The name in messages.
        name: String,
        /// The bytes.
        input: Box<dyn Read>,
    },
    /// A table in memory, under the name that messages show.
    #[cfg(feature = "arrow")]
    Batches {
        /// The name in messages.
        name: String,
        /// Its rows.
        batches: Box<dyn arrow_array::RecordBatchReader>,
    },
}

impl Source {
    /// Bytes that are already in memory, under a name.
    pub fn bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self::Reader {
            name: name.into(),
            input: Box::new(io::Cursor::new(bytes)),
        }
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) | Self::Known { path, .. } => path.display().to_string(),
            Self::Reader { name, .. } => name.clone(),
            #[cfg(feature = "arrow")]
            Self::Batches { name, .. } => name.clone(),
        }
    }

    /// The path of a file on disk.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) | Self::Known { path, .. } => Some(path),
            Self::Reader { .. } => None,
            #[cfg(feature = "arrow")]
            Self::Batches { .. } => None,
        }
    }

    /// The hash of a file that was hashed before.
    pub(crate) fn known_hash(&self) -> Option<&str> {
        match self {
            Self::Known { sha256, .. } => Some(sha256),
            Self::Path(_) | Self::Reader { .. } => None,
            #[cfg(feature = "arrow")]
            Self::Batches { .. } => None,
        }
    }

    /// Opens it, plain, gzip or zstd; which of them, its first bytes say and not its name.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(self) -> Result<Stored, Findings> {
        let name = self.name();
        let opened = match self {
            Self::Path(path) => open_file(&path, Hash::default()),
            Self::Known { path, sha256 } => open_file(&path, Hash::Known(sha256)),
            Self::Reader { input, .. } => Stored::new(input, Hash::default()),
            #[cfg(feature = "arrow")]
            Self::Batches { .. } => Err(io::Error::other("a table in memory has no bytes")),
        };
        opened.map_err(|reason| cannot_open(&name, &reason).into())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.name()).finish()
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::Path(path.to_owned())
    }
}

/// How a file is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    Plain,
    /// gzip, one member or several.
    Gzip,
    /// zstd, one frame or several.
    Zstd,
}

/// A file being read: its text comes out, unpacked when it begins as gzip or zstd does; its stored bytes are hashed on the way.
#[derive(Debug)]
pub struct Stored {
    input: Input,
}

#[derive(Debug)]
enum Input {
    Plain(BufReader<Hashing>),
    Gzip(Box<BufReader<GzipReader<BufReader<Hashing>>>>),
    Zstd(Box<BufReader<ZstdReader<BufReader<Hashing>>>>),
}

/// Opens a file, plain, gzip or zstd; which of them, its first bytes say and not its name.
///
/// # Errors
/// If the file cannot be opened.
pub fn open(path: &Path) -> Result<Stored, Findings> {
    Source::from(path).open()
}

fn open_file(path: &Path, hash: Hash) -> io::Result<Stored> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    Stored::new(Box::new(file), hash)
}

impl Stored {
    fn new(input: Box<dyn Read>, hash: Hash) -> io::Result<Self> {
        let hashing = Hashing::new(input, hash)?;
        let compression = Compression::of(&hashing.ahead);
        let stored = BufReader::with_capacity(BUFFER, hashing);
        let input = match compression {
            Compression::Plain => Input::Plain(stored),
            Compression::Gzip => Input::Gzip(Box::new(BufReader::with_capacity(BUFFER, GzipReader::new(stored)))),
            Compression::Zstd => Input::Zstd(Box::new(BufReader::with_capacity(BUFFER, ZstdReader::new(stored)))),
        };
        Ok(Self { input })
    }

    /// Whether the file begins as Parquet files do.
    pub(crate) fn is_parquet(&self) -> bool {
        matches!(self.input, Input::Plain(_)) && self.hashing().ahead == PARQUET_MAGIC
    }

    /// Whether the file is packed and what comes out begins as Parquet files do; nothing of it is used up.
    ///
    /// # Errors
    /// If it cannot be unpacked.
    pub(crate) fn holds_parquet(&mut self) -> io::Result<bool> {
        Ok(self.compression() != Compression::Plain && self.fill_buf()?.starts_with(&PARQUET_MAGIC))
    }

    /// How the file is stored.
    #[must_use]
    pub fn compression(&self) -> Compression {
        match self.input {
            Input::Plain(_) => Compression::Plain,
            Input::Gzip(_) => Compression::Gzip,
            Input::Zstd(_) => Compression::Zstd,
        }
    }

    /// How many stored bytes were read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.hashing().bytes
    }

    /// SHA-256 of the stored bytes read so far, in hexadecimal; of the whole file once it is read to its end.
    ///
    /// It is what `sha256sum` prints for the file as it lies, packed or not.
    #[must_use]
    pub fn sha256(&self) -> String {
        match &self.hashing().hash {
            Hash::Known(sha256) => sha256.clone(),
            Hash::OnTheWay(hash) => {
                let digest = hash.clone().finalize();
                digest.iter().map(|byte| format!("{byte:02x}")).collect()
            }
        }
    }

    /// Whether the hash is known before the file is read to its end.
    #[cfg(feature = "parquet")]
    pub(crate) fn is_hashed(&self) -> bool {
        matches!(self.hashing().hash, Hash::Known(_))
    }

    fn hashing(&self) -> &Hashing {
        match &self.input {
            Input::Plain(stored) => stored.get_ref(),
            Input::Gzip(unpacked) => unpacked.get_ref().get_ref().get_ref(),
            Input::Zstd(unpacked) => unpacked.get_ref().get_ref().get_ref(),
        }
    }
}

impl Read for Stored {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.input {
            Input::Plain(stored) => stored.read(into),
            Input::Gzip(unpacked) => unpacked.read(into),
            Input::Zstd(unpacked) => unpacked.read(into),
        }
    }
}

impl BufRead for Stored {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.input {
            Input::Plain(stored) => stored.fill_buf(),
            Input::Gzip(unpacked) => unpacked.fill_buf(),
            Input::Zstd(unpacked) => unpacked.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match &mut self.input {
            Input::Plain(stored) => stored.consume(amount),
            Input::Gzip(unpacked) => unpacked.consume(amount),
            Input::Zstd(unpacked) => unpacked.consume(amount),
        }
    }
}

impl Compression {
    /// What the first bytes of a file say.
    fn of(ahead: &[u8]) -> Self {
        if ahead.starts_with(&GZIP_MAGIC) {
            Self::Gzip
        } else if zstd::begins(ahead) {
            Self::Zstd
        } else {
            Self::Plain
        }
    }

    /// The name in messages, and the command that tells whether a file is whole; none for a file that is not packed.
    pub(crate) fn words(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some(("gzip", "`gzip -t` tells")),
            Self::Zstd => Some(("zstd", "`zstd -t` tells")),
        }
    }
}

/// The name of a file without the ending of its compression.
pub(crate) fn unpacked_name(name: &str) -> &str {
    let packed = [".gz", ".zst"].into_iter().find_map(|ending| {
        let at = name.len().checked_sub(ending.len())?;
        name.get(at..)?.eq_ignore_ascii_case(ending).then_some(at)
    });
    packed.map_or(name, |at| &name[..at])
}

/// A reader that hashes what passes, with the first bytes looked at in advance.
struct Hashing {
    input: Box<dyn Read>,
    ahead: Vec<u8>,
    given: usize,
    hash: Hash,
    bytes: u64,
}

/// The hash of the stored bytes.
enum Hash {
    Known(String),
    OnTheWay(Box<Sha256>),
}

impl Default for Hash {
    fn default() -> Self {
        Self::OnTheWay(Box::new(Sha256::new()))
    }
}

impl Hashing {
    fn new(mut input: Box<dyn Read>, hash: Hash) -> io::Result<Self> {
        let mut ahead = Vec::with_capacity(AHEAD as usize);
        (&mut input).take(AHEAD).read_to_end(&mut ahead)?;
        Ok(Self {
            input,
            ahead,
            given: 0,
            hash,
            bytes: 0,
        })
    }
}

impl Read for Hashing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = if self.given < self.ahead.len() {
            let count = (&self.ahead[self.given..]).read(into)?;
            self.given += count;
            count
        } else {
            self.input.read(into)?
        };
        if let Hash::OnTheWay(hash) = &mut self.hash {
            hash.update(&into[..count]);
        }
        self.bytes += count as u64;
        Ok(count)
    }
}

impl fmt::Debug for Hashing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hashing")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

fn cannot_open(name: &str, reason: &io::Error) -> Diagnostic {
    let help = match reason.kind() {
        io::ErrorKind::NotFound => {
            "check the path; a path starts at the folder the command runs in, one in calibrant.toml at that file's folder"
        }
        io::ErrorKind::PermissionDenied => "check that you may read the file",
        io::ErrorKind::IsADirectory => "name a file in it",
        _ => "check the path and the disk",
    };
    Diagnostic::error(
        "cannot-read",
        format!("cannot read `{name}`: {}", in_words(reason)),
        help,
    )
}

/// The commonest reasons in our words, so that messages are alike on every system.
fn in_words(reason: &io::Error) -> String {
    match reason.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => reason.to_string(),
    }
}

/// What to say when reading breaks off after `bytes` stored bytes, at line `line` of the text.
pub(crate) fn broke_off(name: &str, stored: &Stored, line: u32, reason: &io::Error) -> Diagnostic {
    let bytes = stored.bytes_read();
    let Some((format, test)) = stored.compression().words() else {
        return cannot_open(name, reason);
    };
    let asks_for = reason.get_ref().and_then(|inner| inner.downcast_ref::<ZstdError>());
    match (asks_for, reason.kind()) {
        (Some(ZstdError::Window), _) => Diagnostic::error(
            "zstd-window",
            format!("`{name}` cannot be unpacked: a zstd frame asks for a window of more than 128 MiB"),
            "pack the file again without `--long` or `--ultra`",
        ),
        (Some(ZstdError::Dictionary), _) => Diagnostic::error(
            "zstd-dictionary",
            format!("`{name}` cannot be unpacked: it was packed with a dictionary that is not in the file"),
            "unpack the file with its dictionary, or pack it again without one",
        ),
        (_, io::ErrorKind::UnexpectedEof) => Diagnostic::error(
            if format == "gzip" {
                "gzip-truncated"
            } else {
                "zstd-truncated"
            },
            format!(
                "`{name}` ends early: the {format} stream breaks off after {bytes} bytes, in line {line} of the table"
            ),
            format!(
                "the file was cut short while it was copied or written: fetch or write it again ({test} whether it is whole); nothing of it was used"
            ),
        ),
        (_, io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => Diagnostic::error(
            if format == "gzip" {
                "gzip-damaged"
            } else {
                "zstd-damaged"
            },
            format!(
                "`{name}` is damaged: the {format} stream cannot be unpacked near byte {bytes}, in line {line} of the table"
            ),
            format!("fetch or write the file again ({test} whether it is whole); nothing of it was used"),
        ),
        _ => cannot_open(name, reason),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression as Level;
    use flate2::write::GzEncoder;

    use super::*;

    /// A reader that gives one byte at a time, as a slow pipe may.
    struct Drip(io::Cursor<Vec<u8>>);

    impl Read for Drip {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let end = into.len().min(1);
            self.0.read(&mut into[..end])
        }
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Level::default());
        encoder.write_all(text).expect("memory takes bytes");
        encoder.finish().expect("memory takes bytes")
    }

    #[test]
    fn the_hash_is_of_the_bytes_as_stored() {
        // FIPS 180-2, appendix B.1: SHA-256 of "abc".
        const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let mut stored =
            Stored::new(Box::new(Drip(io::Cursor::new(b"abc".to_vec()))), Hash::default()).expect("memory opens");
        let mut text = String::new();
        stored.read_to_string(&mut text).expect("memory reads");
        assert_eq!((text.as_str(), stored.sha256().as_str()), ("abc", ABC));
        assert_eq!((stored.bytes_read(), stored.compression()), (3, Compression::Plain));
    }

    #[test]
    fn gzip_is_known_by_its_first_bytes_and_all_members_are_read() {
        let mut bytes = packed(b"one,");
        bytes.extend(packed(b"two"));
        let length = bytes.len() as u64;
        let mut stored = Stored::new(Box::new(Drip(io::Cursor::new(bytes))), Hash::default()).expect("memory opens");
        let mut text = String::new();
        stored.read_to_string(&mut text).expect("two whole members");
        assert_eq!((text.as_str(), stored.compression()), ("one,two", Compression::Gzip));
        assert_eq!(stored.bytes_read(), length);
    }

    #[test]
    fn every_cut_of_a_gzip_file_is_noticed() {
        let whole = packed(b"system,query,criterion,judge,label\n");
        for length in 2..whole.len() {
            let cut = Box::new(io::Cursor::new(whole[..length].to_vec()));
            let mut stored = Stored::new(cut, Hash::default()).expect("memory opens");
            let reason = stored.read_to_end(&mut Vec::new()).expect_err("the stream is cut");
            assert_eq!(
                broke_off("x", &stored, 1, &reason).id,
                "gzip-truncated",
                "cut to {length} bytes"
            );
        }
    }
}
