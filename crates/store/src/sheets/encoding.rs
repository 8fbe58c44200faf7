//! From the bytes of a text file to text, saying which encoding it was and how that is known.

use calibrant_schema::Diagnostic;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How an encoding was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingFrom {
    /// The file opens with a byte order mark.
    Mark,
    /// The bytes are valid in it and in no other likely one.
    Bytes,
    /// The likeliest for these bytes; another one is possible.
    Guess,
}

/// A text, and the encoding it was in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: &'static str,
    pub(crate) from: EncodingFrom,
}

/// Decodes a file; line ends come out as line feeds.
///
/// # Errors
/// If the bytes are valid in no encoding that was found.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Result<Decoded, Box<Diagnostic>> {
    let (encoding, from, skip) = encoding_of(bytes);
    let (text, broken) = encoding.decode_without_bom_handling(&bytes[skip..]);
    if broken {
        return Err(Box::new(Diagnostic::error(
            "sheet-encoding",
            format!(
                "`{name}` is not clean text: as {}, some of its bytes mean nothing",
                encoding.name()
            ),
            "open the file in the program that wrote it and save it as \"CSV UTF-8\", or send the XLSX instead",
        )));
    }
    Ok(Decoded {
        text: text.replace("\r\n", "\n").replace('\r', "\n"),
        encoding: encoding.name(),
        from,
    })
}

fn encoding_of(bytes: &[u8]) -> (&'static Encoding, EncodingFrom, usize) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return (encoding, EncodingFrom::Mark, length);
    }
    if let Some(encoding) = unmarked_utf_16(bytes) {
        return (encoding, EncodingFrom::Guess, 0);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return (UTF_8, EncodingFrom::Bytes, 0);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    (detector.guess(None, Utf8Detection::Deny), EncodingFrom::Guess, 0)
}

/// UTF-16 without a mark: in text of Latin letters every second byte is 0.
fn unmarked_utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(4096) & !1];
    let zeros = |odd: usize| start.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    // A third of the letters is far above what stray NULs of an 8-bit text come to, and below what a table with a header has.
    let many = start.len() / 2 / 3;
    match (
        start.len() >= 4,
        odd > many && odd > 4 * even,
        even > many && even > 4 * odd,
    ) {
        (true, true, _) => Some(UTF_16LE),
        (true, _, true) => Some(UTF_16BE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "unit,verdict\r\n7f,ja\rä€,“é”\n";
    const READ: &str = "unit,verdict\n7f,ja\nä€,“é”\n";

    fn utf_16(big: bool) -> Vec<u8> {
        TEXT.encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    }

    #[test]
    fn every_encoding_gives_the_text_and_its_name() {
        let marked = |mark: &[u8], rest: Vec<u8>| [mark, &rest].concat();
        let cases = [
            (TEXT.as_bytes().to_vec(), "UTF-8", EncodingFrom::Bytes),
            (marked(b"\xef\xbb\xbf", TEXT.into()), "UTF-8", EncodingFrom::Mark),
            (marked(b"\xff\xfe", utf_16(false)), "UTF-16LE", EncodingFrom::Mark),
            (marked(b"\xfe\xff", utf_16(true)), "UTF-16BE", EncodingFrom::Mark),
            (utf_16(false), "UTF-16LE", EncodingFrom::Guess),
            (utf_16(true), "UTF-16BE", EncodingFrom::Guess),
            (
                encoding_rs::WINDOWS_1252.encode(TEXT).0.into_owned(),
                "windows-1252",
                EncodingFrom::Guess,
            ),
        ];
        for (bytes, encoding, from) in cases {
            let decoded = decode("a.csv", &bytes).expect("clean text");
            assert_eq!(
                decoded,
                Decoded {
                    text: READ.to_owned(),
                    encoding,
                    from
                }
            );
        }
    }

    #[test]
    fn a_nul_in_plain_text_does_not_make_it_utf_16() {
        let decoded = decode("a.csv", b"unit,verdict\n7f\0,yes\n").expect("clean text");
        assert_eq!((decoded.encoding, decoded.text.contains('\0')), ("UTF-8", true));
    }

    #[test]
    fn half_a_letter_of_utf_16_is_refused() {
        let refused = decode("a.csv", b"\xff\xfea\0b").expect_err("an odd byte is left");
        assert_eq!(refused.id, "sheet-encoding");
    }
}
