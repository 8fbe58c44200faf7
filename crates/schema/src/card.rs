//! What a judge of any kind is shown about a criterion, and nothing else.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::canonical::{Hash, canonical_text};
use crate::scale::Scale;

/// What a judge, human or model, is shown about a criterion.
///
/// There is no weight, sign, tag, system or other verdict on a card, so nothing that renders a card can leak one:
/// blindness is a type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The question, answered yes or no, or with a level.
    pub question: String,
    /// A response that meets the criterion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_example: Option<String>,
    /// A near miss: a response that does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_example: Option<String>,
    /// The ruling on the cases between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<String>,
    /// The values that may be answered.
    pub scale: Scale,
}

impl Card {
    /// The hash of the card: what a verdict depends on about its criterion.
    ///
    /// Fields that are absent, or empty after [`canonical_text`], are left out of the preimage.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of_json(&self.preimage())
    }

    /// The JSON value whose canonical text is hashed.
    #[must_use]
    pub fn preimage(&self) -> Value {
        let mut map = Map::new();
        map.insert("calibrant".into(), json!("card/1"));
        let texts = [
            ("question", Some(&self.question)),
            ("pass_example", self.pass_example.as_ref()),
            ("fail_example", self.fail_example.as_ref()),
            ("boundary", self.boundary.as_ref()),
        ];
        for (key, text) in texts {
            let text = text.map(|text| canonical_text(text)).filter(|text| !text.is_empty());
            if let Some(text) = text {
                map.insert(key.into(), Value::String(text));
            }
        }
        map.insert("scale".into(), scale_preimage(&self.scale));
        Value::Object(map)
    }
}

/// A scale as it is hashed: `"binary"`, or the levels with the anchors that are not empty.
fn scale_preimage(scale: &Scale) -> Value {
    let Scale::Levels(levels) = scale else {
        return json!("binary");
    };
    let levels: Vec<Value> = levels
        .iter()
        .map(|level| {
            match level
                .anchor
                .as_deref()
                .map(canonical_text)
                .filter(|text| !text.is_empty())
            {
                Some(anchor) => json!({"value": level.value, "anchor": anchor}),
                None => json!({"value": level.value}),
            }
        })
        .collect();
    json!({ "levels": levels })
}
