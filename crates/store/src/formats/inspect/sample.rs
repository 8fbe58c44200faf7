//! One sample of a log, read in one pass: what becomes rows is kept, and what has no place is counted and passed over.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::literals::Meter;

/// Keys whose values become rows.
const KEPT: [&str; 13] = [
    "choices",
    "completed_at",
    "epoch",
    "error",
    "id",
    "input",
    "invalidation",
    "limit",
    "messages",
    "output",
    "score",
    "scores",
    "target",
];

/// What attachments begin with that are no text.
const MEDIA: &str = "data:";

/// A sample as it stands in a log.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// What becomes rows.
    pub(super) kept: Map<String, Value>,
    /// Texts that messages refer to.
    pub(super) attachments: BTreeMap<String, String>,
    /// How many things stood under other keys: members of a list, or 1.
    pub(super) left: BTreeMap<&'static str, u64>,
}

/// Keys whose values are counted, each with the word under which it is.
const COUNTED: [(&str, &str); 10] = [
    ("events", "events"),
    ("transcript", "events"),
    ("metadata", "metadata"),
    ("store", "store"),
    ("model_usage", "usage"),
    ("role_usage", "usage of roles"),
    ("total_time", "times"),
    ("error_retries", "retries"),
    ("files", "files"),
    ("description", "description"),
];

impl Sample {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.kept.get(key).filter(|value| !value.is_null())
    }
}

/// Reads a sample within the limits of a meter.
pub(super) struct SampleSeed<'m> {
    pub(super) meter: &'m Meter,
    /// Bytes of a sample that may be kept.
    pub(super) kept: u64,
}

impl<'de> DeserializeSeed<'de> for SampleSeed<'_> {
    type Value = Sample;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Sample, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for SampleSeed<'_> {
    type Value = Sample;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sample: an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sample, A::Error> {
        let meter = self.meter;
        meter.part(self.kept);
        let mut sample = Sample::default();
        while let Some(key) = meter.keep(|| map.next_key::<String>())? {
            if KEPT.contains(&key.as_str()) {
                let value = meter.keep(|| map.next_value::<Value>())?;
                sample.kept.insert(key, value);
            } else if key == "attachments" {
                sample.attachments = meter.keep(|| map.next_value_seed(Attachments))?;
            } else if let Some((_, word)) = COUNTED.iter().find(|(counted, _)| *counted == key) {
                let count = meter.keep(|| map.next_value_seed(Count(meter)))?;
                *sample.left.entry(word).or_default() += count;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(sample)
    }
}

/// Attachments that are texts; media are named where they stand.
struct Attachments;

impl<'de> DeserializeSeed<'de> for Attachments {
    type Value = BTreeMap<String, String>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Attachments {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("attachments: an object of texts")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(BTreeMap::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut texts = BTreeMap::new();
        while let Some((name, text)) = map.next_entry::<String, String>()? {
            if !text.starts_with(MEDIA) {
                texts.insert(name, text);
            }
        }
        Ok(texts)
    }
}

/// Counts what it passes over: members of a list, or 1 for anything else that is not empty. It is called where the meter keeps, because a
/// text is held while it is looked at, and passes over what is inside of lists and objects.
pub(super) struct Count<'m>(pub(super) &'m Meter);

impl<'de> DeserializeSeed<'de> for Count<'_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<u64, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Count<'_> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        Ok(u64::from(!text.is_empty()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while self.0.pass(|| list.next_element::<IgnoredAny>())?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        let mut any = 0;
        while map.next_key::<String>()?.is_some() {
            self.0.pass(|| map.next_value::<IgnoredAny>())?;
            any = 1;
        }
        Ok(any)
    }
}
