//! gzip streams: member after member, with all that came out before any damage.

use std::fmt;
use std::io::{self, BufRead, Read};

use flate2::{Decompress, FlushDecompress, Status};

/// How far back a match may reach, as its binary logarithm: the most that gzip allows (RFC 1951, 2).
const WINDOW_BITS: u8 = 15;

/// Unpacks all members of a stream, one after the other.
///
/// The reader of the library drops what a call had unpacked before it met damage, by which the place of the damage is lost.
pub(super) struct GzipReader<R> {
    packed: R,
    inflate: Decompress,
    at: Place,
}

/// Where in the stream a reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Between two members: the stream may end here.
    Between,
    /// In a member.
    Within,
    /// At damage; all before it was given.
    Damage,
}

impl<R: BufRead> GzipReader<R> {
    pub(super) fn new(packed: R) -> Self {
        Self {
            packed,
            inflate: Decompress::new_gzip(WINDOW_BITS),
            at: Place::Between,
        }
    }

    pub(super) fn get_ref(&self) -> &R {
        &self.packed
    }

    /// Unpacks once: how many bytes went in and came out, and how it ended.
    fn step(&mut self, into: &mut [u8]) -> io::Result<(usize, usize, Option<Status>)> {
        let packed = self.packed.fill_buf()?;
        if packed.is_empty() && self.at == Place::Between {
            return Ok((0, 0, None));
        }
        let before = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(packed, into, FlushDecompress::None);
        let taken = (self.inflate.total_in() - before.0) as usize;
        let given = (self.inflate.total_out() - before.1) as usize;
        self.packed.consume(taken);
        self.at = match status {
            Ok(Status::StreamEnd) => {
                self.inflate.reset(true);
                Place::Between
            }
            Ok(Status::Ok | Status::BufError) => Place::Within,
            Err(_) => Place::Damage,
        };
        Ok((taken, given, status.ok()))
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        while self.at != Place::Damage {
            let (taken, given, status) = self.step(into)?;
            match status {
                _ if given > 0 => return Ok(given),
                None if self.at == Place::Between => return Ok(0),
                Some(Status::Ok | Status::BufError) if taken == 0 => {
                    let reason = "incomplete gzip stream";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
                }
                _ => {}
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "damaged gzip stream"))
    }
}

impl<R> fmt::Debug for GzipReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GzipReader")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("memory takes bytes");
        encoder.finish().expect("memory takes bytes")
    }

    /// What comes out before the end or the damage, and the reason.
    fn unpacked(packed: &[u8]) -> (Vec<u8>, Option<io::ErrorKind>) {
        let mut text = Vec::new();
        let ended = GzipReader::new(packed).read_to_end(&mut text);
        (text, ended.err().map(|reason| reason.kind()))
    }

    #[test]
    fn all_before_a_wrong_checksum_comes_out() {
        let text: Vec<u8> = (0..5_000)
            .flat_map(|row: u32| format!("row {row}\n").into_bytes())
            .collect();
        let mut bytes = packed(&text);
        let checksum = bytes.len() - 8;
        bytes[checksum] ^= 1;
        assert_eq!(unpacked(&bytes), (text, Some(io::ErrorKind::InvalidData)));
    }

    #[test]
    fn damage_after_a_whole_member_is_no_end() {
        let mut bytes = packed(b"one");
        bytes.extend(packed(b"two"));
        assert_eq!(unpacked(&bytes), (b"onetwo".to_vec(), None));
        bytes.extend(b"system,query\n");
        assert_eq!(unpacked(&bytes), (b"onetwo".to_vec(), Some(io::ErrorKind::InvalidData)));
    }
}
