//! Hashes: SHA-256 over canonical JSON, with the same bytes on every machine.
//!
//! The preimages are listed in `docs/hashes.md`, with test vectors in `testdata/hashes/`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A SHA-256 hash, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The hash of these bytes as they are.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// The hash of a JSON value in its canonical form (RFC 8785).
    #[must_use]
    pub fn of_json(value: &serde_json::Value) -> Hash {
        Hash::of_bytes(canonical_json(value).as_bytes())
    }

    /// The hash with these 32 bytes, as a store kept them.
    #[must_use]
    pub fn of_digest(bytes: [u8; 32]) -> Hash {
        Hash(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 digits: enough to tell versions apart on a page, not enough to look one up.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// A text that is no hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 hexadecimal digits")]
pub struct NotAHash;

impl FromStr for Hash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
            .collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or(NotAHash)?;
        let mut bytes = [0u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Hash(bytes))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// The canonical JSON text of a value (RFC 8785): keys sorted by UTF-16 code units, no space, shortest numbers.
#[must_use]
pub fn canonical_json(value: &serde_json::Value) -> String {
    serde_json_canonicalizer::to_string(value).expect("a JSON value holds finite numbers and string keys only")
}

/// A text as it is hashed: line ends become LF and white space at the end of the whole text is dropped.
///
/// So the way a YAML scalar is folded does not matter. Unicode is not normalised: the same letter written in two
/// ways is two texts.
#[must_use]
pub fn canonical_text(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim_end().to_owned()
}

/// The hash of a query's content, as the row holds it: a text, or a list of messages.
///
/// Queries and responses are hashed exactly as they are, white space and all: they are what a judge is sent.
#[must_use]
pub fn query_hash(prompt: &serde_json::Value) -> Hash {
    Hash::of_json(&serde_json::json!({"calibrant": "query/1", "prompt": prompt}))
}

/// The hash of a response's content, as the row holds it: a text, or a list of messages.
#[must_use]
pub fn response_hash(response: &serde_json::Value) -> Hash {
    Hash::of_json(&serde_json::json!({"calibrant": "response/1", "response": response}))
}

/// The hash of a prompt template, before anything is filled in.
#[must_use]
pub fn prompt_hash(template: &str) -> Hash {
    Hash::of_json(&serde_json::json!({"calibrant": "prompt/1", "template": canonical_text(template)}))
}

/// What the key of one verdict is made of.
///
/// Weights, owners, tags and roll-ups are not among it: changing them never asks a judge again.
///
/// Source: DESIGN 5.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictKey<'a> {
    /// [`query_hash`] of what was asked; `None` when nobody kept it.
    pub query: Option<Hash>,
    /// [`response_hash`] of what was answered.
    pub response: Hash,
    /// [`Card::hash`](crate::card::Card::hash) of what the judge was shown.
    pub card: Hash,
    /// [`prompt_hash`] of the template it was shown in; `None` for a person, who is shown the card itself.
    pub prompt: Option<Hash>,
    /// The judge's configuration without its URL and without secrets.
    pub judge: &'a serde_json::Value,
    /// Which repetition of the same question, from 1.
    pub repeat: u32,
}

impl VerdictKey<'_> {
    /// The key: two verdicts with equal keys answer the same question.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let mut preimage = serde_json::json!({
            "calibrant": "verdict/1",
            "response": self.response,
            "card": self.card,
            "judge": self.judge,
            "repeat": self.repeat,
        });
        for (name, hash) in [("query", self.query), ("prompt", self.prompt)] {
            if let Some(hash) = hash {
                preimage[name] = serde_json::json!(hash);
            }
        }
        Hash::of_json(&preimage)
    }
}

/// The configuration of a person as a judge, as keys of verdicts have it: nothing but who it is.
#[must_use]
pub fn human_judge(id: &str) -> serde_json::Value {
    serde_json::json!({"kind": "human", "judge": id})
}
