//! The hash vectors of `testdata/hashes`, made by another program (Python's `json` and `hashlib`).
//!
//! Each vector holds an input, the canonical text that is hashed and its SHA-256, which `printf %s 'TEXT' | sha256sum`
//! reproduces. A change here changes every stored key: it needs a new version word in the preimage, never a new vector.

#![expect(clippy::disallowed_methods, reason = "tests read their fixtures")]

use std::fs;
use std::path::Path;

use calibrant_schema::canonical::{
    Hash, VerdictKey, canonical_json, human_judge, prompt_hash, query_hash, response_hash,
};
use calibrant_schema::{Card, Rubric};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Vector {
    what: String,
    input: Value,
    preimage: String,
    sha256: Hash,
}

fn vectors(name: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/hashes")
        .join(name);
    let text = fs::read_to_string(path).expect("the vectors are there");
    let vectors: Vec<Vector> = serde_json::from_str(&text).expect("the vectors are JSON");
    assert!(!vectors.is_empty());
    for vector in &vectors {
        assert_eq!(
            Hash::of_bytes(vector.preimage.as_bytes()),
            vector.sha256,
            "{}",
            vector.what
        );
    }
    vectors
}

fn text(vector: &Vector) -> &str {
    vector.input.as_str().expect("the input is a text")
}

#[test]
fn cards() {
    for vector in vectors("card.json") {
        let card: Card = serde_json::from_value(vector.input.clone()).expect("the input is a card");
        assert_eq!(canonical_json(&card.preimage()), vector.preimage, "{}", vector.what);
        assert_eq!(card.hash(), vector.sha256, "{}", vector.what);
    }
}

#[test]
fn rubrics() {
    for vector in vectors("rubric.json") {
        let (rubric, _) = Rubric::parse_yaml(text(&vector), "vector.yaml").expect("the input is a rubric");
        assert_eq!(canonical_json(&rubric.preimage()), vector.preimage, "{}", vector.what);
        assert_eq!(rubric.hash(), vector.sha256, "{}", vector.what);
    }
}

#[test]
fn queries_responses_and_prompts() {
    for vector in vectors("query.json") {
        assert_eq!(query_hash(&vector.input), vector.sha256, "{}", vector.what);
    }
    for vector in vectors("response.json") {
        assert_eq!(response_hash(&vector.input), vector.sha256, "{}", vector.what);
    }
    for vector in vectors("prompt.json") {
        assert_eq!(prompt_hash(text(&vector)), vector.sha256, "{}", vector.what);
    }
}

#[test]
fn verdict_keys() {
    for vector in vectors("verdict.json") {
        let part = |name: &str| -> Option<Hash> {
            let digits = vector.input.get(name)?.as_str().expect("the part is a text");
            Some(digits.parse().expect("the part is a hash"))
        };
        let hash = |name: &str| part(name).expect("the part is there");
        let key = VerdictKey {
            query: part("query"),
            response: hash("response"),
            card: hash("card"),
            prompt: part("prompt"),
            judge: &vector.input["judge"],
            repeat: vector.input["repeat"]
                .as_u64()
                .and_then(|repeat| repeat.try_into().ok())
                .expect("a count"),
        };
        assert_eq!(key.hash(), vector.sha256, "{}", vector.what);
        if let Some(judge) = vector.input["judge"]["judge"].as_str() {
            assert_eq!(human_judge(judge), vector.input["judge"], "{}", vector.what);
        }
        assert_ne!(
            VerdictKey {
                repeat: 0,
                ..key.clone()
            }
            .hash(),
            vector.sha256,
            "a repeat is another question"
        );
    }
}

#[test]
fn the_example_of_the_documentation_is_a_vector() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hashes.md");
    let docs = fs::read_to_string(path).expect("the page is there");
    let vector = &vectors("card.json")[0];
    assert!(docs.contains(&format!(
        "printf %s '{}' | sha256sum\n# {}  -\n",
        vector.preimage, vector.sha256
    )));
}

#[test]
fn hashes_are_written_as_lower_case_digits() {
    // SHA-256 of no bytes: FIPS 180-4, the empty message.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(Hash::of_bytes(b"").to_string(), empty);
    assert_eq!(empty.to_uppercase().parse(), Ok(Hash::of_bytes(b"")));
    assert!(empty[1..].parse::<Hash>().is_err());
    assert_eq!(Hash::of_bytes(b"").short(), "e3b0c44298fc");
}
