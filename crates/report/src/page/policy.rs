//! What a page may do, by content: one script and one style, known by their hashes, and nothing else.

use calibrant_schema::canonical::Hash;

/// Whom a page may talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connects {
    /// The server it came from.
    ToItsServer,
    /// Nobody.
    Nowhere,
}

/// The policy of a page with this style and this script.
///
/// Who may frame the page is not in it: browsers take that from a header alone.
pub(crate) fn policy(style: &str, script: &str, connects: Connects) -> String {
    let connects = match connects {
        Connects::ToItsServer => "'self'",
        Connects::Nowhere => "'none'",
    };
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src {connects}; base-uri 'none'; \
         form-action 'none'",
        base64(Hash::of_bytes(script.as_bytes()).as_bytes()),
        base64(Hash::of_bytes(style.as_bytes()).as_bytes()),
    )
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            match place <= group.len() {
                true => text.push(char::from(ALPHABET[(bits >> (18 - 6 * place)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    /// `printf '' | openssl dgst -sha256 -binary | base64`
    #[test]
    fn a_script_is_named_by_the_hash_browsers_compute() {
        let policy = policy("", "", Connects::Nowhere);
        assert!(
            policy.contains("script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"),
            "{policy}"
        );
    }
}
