//! zstd streams: frame after frame, with a bounded window and every checksum looked at.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The most that a frame may ask us to remember, in bytes: what `zstd -d` allows without being asked (RFC 8878, 3.1.1.1.2, leaves it to
/// the decoder). A hostile frame may ask for terabytes.
const LARGEST_WINDOW: u64 = 128 * 1024 * 1024;

/// First four bytes of a frame, as a little-endian number (RFC 8878, 3.1.1).
const FRAME: u32 = 0xfd2f_b528;

/// First four bytes of a frame to be passed over: sixteen numbers, the last four bits are the writer's (RFC 8878, 3.1.2).
const SKIPPABLE: u32 = 0x184d_2a50;

/// Whether bytes begin as zstd data does, or are all that is left of the first four: two of them are no text.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let Some(first) = bytes.first_chunk::<4>() else {
        return bytes.len() >= 2 && FRAME.to_le_bytes().starts_with(bytes);
    };
    let magic = u32::from_le_bytes(*first);
    magic == FRAME || magic & 0xffff_fff0 == SKIPPABLE
}

/// Why a stream that is whole cannot be unpacked; the inner error of an [`io::Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZstdError {
    /// A frame asks for a window above [`LARGEST_WINDOW`].
    Window,
    /// A frame needs a dictionary that is not in the file.
    Dictionary,
    /// The data contradict themselves, or their checksum.
    Damaged,
}

impl fmt::Display for ZstdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Window => "a zstd frame asks for a window of more than 128 MiB",
            Self::Dictionary => "a zstd frame needs a dictionary",
            Self::Damaged => "the zstd stream is damaged",
        })
    }
}

impl Error for ZstdError {}

impl From<ZstdError> for io::Error {
    fn from(error: ZstdError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error)
    }
}

/// Unpacks all frames of a stream, one after the other.
pub(crate) struct ZstdReader<R> {
    packed: R,
    decoder: FrameDecoder,
    place: Place,
}

/// Where in the stream a reader is.
#[derive(Clone, Copy)]
enum Place {
    Between,
    /// In a frame, of which so many bytes were given out.
    Inside(u64),
}

impl<R: BufRead> ZstdReader<R> {
    pub(crate) fn new(packed: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LARGEST_WINDOW);
        Self {
            packed,
            decoder,
            place: Place::Between,
        }
    }

    pub(super) fn get_ref(&self) -> &R {
        &self.packed
    }

    /// Opens the next frame with content; false at the end of the stream.
    fn open_frame(&mut self) -> io::Result<bool> {
        while !self.packed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => {
                    self.place = Place::Inside(0);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.packed).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(in_io(&error)),
            }
        }
        Ok(false)
    }

    /// Unpacked bytes of the open frame; none when it is at its end.
    fn read_frame(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            self.decoder
                .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(|error| in_io(&error))?;
        }
        self.decoder.read(into)
    }

    /// Holds a frame at its end against what its header and its last bytes say of it.
    fn check_frame(&self, given: u64) -> io::Result<()> {
        let stated = self.decoder.get_checksum_from_data();
        let right_sum = stated.is_none() || stated == self.decoder.get_calculated_checksum();
        // A header may leave the size out; it then reads as 0.
        let size = self.decoder.content_size();
        let right_size = size == 0 || size == given;
        if right_sum && right_size {
            Ok(())
        } else {
            Err(ZstdError::Damaged.into())
        }
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if matches!(self.place, Place::Between) && !self.open_frame()? {
                return Ok(0);
            }
            let Place::Inside(given) = self.place else { continue };
            let count = self.read_frame(into)?;
            if count > 0 {
                self.place = Place::Inside(given + count as u64);
                return Ok(count);
            }
            self.check_frame(given)?;
            self.place = Place::Between;
        }
    }
}

impl<R> fmt::Debug for ZstdReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZstdReader").finish_non_exhaustive()
    }
}

/// A decoder's error as an input error: the system's own where one is behind it, such as the end of the file.
fn in_io(error: &FrameDecoderError) -> io::Error {
    match error {
        FrameDecoderError::WindowSizeTooBig { .. } | FrameDecoderError::FrameHeaderError(_) => {
            return ZstdError::Window.into();
        }
        FrameDecoderError::DictNotProvided { .. } => return ZstdError::Dictionary.into(),
        _ => {}
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(system) = error.downcast_ref::<io::Error>() {
            return io::Error::new(system.kind(), system.to_string());
        }
        cause = error.source();
    }
    ZstdError::Damaged.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn skippable(content: &[u8]) -> Vec<u8> {
        let mut frame = (SKIPPABLE | 5).to_le_bytes().to_vec();
        frame.extend((content.len() as u32).to_le_bytes());
        frame.extend(content);
        frame
    }

    fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        ZstdReader::new(bytes).read_to_end(&mut text)?;
        Ok(text)
    }

    fn why(bytes: &[u8]) -> Option<ZstdError> {
        let error = unpacked(bytes).expect_err("the stream is wrong");
        error.get_ref()?.downcast_ref().copied()
    }

    #[test]
    fn frames_follow_each_other_and_skippable_ones_are_passed_over() {
        let stream = [
            skippable(b"x"),
            packed(b"one,"),
            skippable(b""),
            packed(b""),
            packed(b"two"),
        ]
        .concat();
        assert!(begins(&stream) && begins(&packed(b"a")) && !begins(b"syst"));
        assert_eq!(unpacked(&stream).expect("five whole frames"), b"one,two");
    }

    #[test]
    fn every_cut_is_noticed() {
        let whole = [packed(b"system,query,criterion,judge,label\n"), skippable(b"abc")].concat();
        let between = packed(b"system,query,criterion,judge,label\n").len();
        for length in (1..whole.len()).filter(|length| *length != between) {
            let error = unpacked(&whole[..length]).expect_err("the stream is cut");
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "cut to {length} bytes");
        }
    }

    #[test]
    fn what_follows_the_last_frame_must_be_a_frame() {
        assert_eq!(
            why(&[packed(b"a"), b"trailing".to_vec()].concat()),
            Some(ZstdError::Damaged)
        );
    }

    #[test]
    fn a_frame_that_asks_for_terabytes_is_refused_before_memory_is_taken() {
        // RFC 8878, 3.1.1.1: no size, no dictionary, no checksum; exponent 31 and mantissa 7 are the largest window, 3.75 TiB.
        let largest = [FRAME.to_le_bytes().to_vec(), vec![0x00, 0xff]].concat();
        assert_eq!(why(&largest), Some(ZstdError::Window));
        // Exponent 17 and mantissa 1: 128 MiB and an eighth.
        let above = [FRAME.to_le_bytes().to_vec(), vec![0x00, 17 << 3 | 1]].concat();
        assert_eq!(why(&above), Some(ZstdError::Window));
        // One segment of 1 TiB: the window is the content.
        let segment = [
            FRAME.to_le_bytes().to_vec(),
            vec![0xe0],
            (1_u64 << 40).to_le_bytes().to_vec(),
        ]
        .concat();
        assert_eq!(why(&segment), Some(ZstdError::Window));
    }

    #[test]
    fn a_frame_with_a_dictionary_says_so() {
        // Dictionary 7, one byte of it stated; window of 1 KiB; one empty raw block, the last.
        let frame = [FRAME.to_le_bytes().to_vec(), vec![0x01, 0x00, 7, 1, 0, 0]].concat();
        assert_eq!(why(&frame), Some(ZstdError::Dictionary));
    }

    proptest! {
        /// A frame with a checksum is read as it was or refused, whatever byte is changed; the reader never panics.
        #[test]
        fn a_changed_byte_gives_the_text_or_an_error(text in "[a-c,\n]{0,300}", at in any::<prop::sample::Index>(), change in 1_u8..) {
            let mut frame = packed(text.as_bytes());
            let at = at.index(frame.len());
            frame[at] ^= change;
            if let Ok(read) = unpacked(&frame) {
                // A change of the header may make the frame a skippable one, or drop what says how it is checked.
                prop_assert!(read.is_empty() || at < 6 || read == text.as_bytes());
            }
        }
    }
}
