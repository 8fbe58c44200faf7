//! Which rows came before, by what they are about: the same twice is taken once, and two that differ are a mistake.

use std::collections::HashMap;

use calibrant_store::formats::Place;
use sha2::{Digest, Sha256};

/// What of a row is kept: enough to know it again, and no text of it.
type Mark = u128;

/// Where a row stands: its file by number, and the place in it where the reader says one.
pub(super) type Spot = (u32, Option<Place>);

/// How a row stands to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// It is the first about its subject.
    First,
    /// It says again what an earlier one said.
    Again,
    /// It contradicts an earlier one, which stood at this place.
    Otherwise(Spot),
}

/// Rows of one noun by their subject; some 60 bytes a row.
#[derive(Default)]
pub(super) struct Seen(HashMap<Mark, (Mark, Spot)>);

impl Seen {
    /// Takes a row in: what it is about, what it says, and where it stands.
    pub(super) fn meet(&mut self, subject: &[&str], content: &str, place: Spot) -> Met {
        let content = mark(&[content]);
        match self.0.entry(mark(subject)) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert((content, place));
                Met::First
            }
            std::collections::hash_map::Entry::Occupied(entry) => match entry.get() {
                (before, _) if *before == content => Met::Again,
                (_, place) => Met::Otherwise(*place),
            },
        }
    }

    /// How many subjects there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The first half of a hash over texts, each told apart from the next by its length.
fn mark(texts: &[&str]) -> Mark {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let digest = hash.finalize();
    let half: [u8; 16] = digest[..16].try_into().expect("SHA-256 has 32 bytes");
    u128::from_le_bytes(half)
}
