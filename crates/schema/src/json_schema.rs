//! JSON Schemas of the artifacts and of the project file, made from their types.
//!
//! The files in `schemas/` are these; the schemas of what people write by hand, the rubric and the queries, stand there alone.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::artifact::Artifact;
use crate::config::{KEYS, Kind};
use crate::{Agreement, Bank, Blocks, Calibration, Fit, RollUps, Scores};

/// The dialect of every schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schemas that are generated, each with the name of its file before `.schema.json`.
#[must_use]
pub fn generated() -> [(&'static str, Value); 8] {
    [
        ("calibration", of_artifact::<Calibration>("Calibrant calibration")),
        ("fit", of_artifact::<Fit>("Calibrant fit")),
        ("bank", of_artifact::<Bank>("Calibrant bank")),
        ("scores", of_artifact::<Scores>("Calibrant scores")),
        ("blocks", of_artifact::<Blocks>("Calibrant blocks")),
        ("agreement", of_artifact::<Agreement>("Calibrant agreement")),
        ("roll-ups", of_artifact::<RollUps>("Calibrant roll-ups")),
        ("config", of_config()),
    ]
    .map(|(name, schema)| (name, in_order(schema)))
}

/// The value with the keys of every object in alphabetical order, also where a crate of the build keeps them as they came.
fn in_order(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_unstable_by(|x, y| x.0.cmp(&y.0));
            Value::Object(entries.into_iter().map(|(key, value)| (key, in_order(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(in_order).collect()),
        other => other,
    }
}

fn of_artifact<A: Artifact + JsonSchema>(title: &str) -> Value {
    // As it is read: what may be left out of a file of an earlier version is not required.
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema: Schema = settings.into_generator().into_root_schema_for::<A>();
    schema.insert("title".to_owned(), title.into());
    if let Some(format) = schema.pointer_mut("/properties/format") {
        format["const"] = A::FORMAT.into();
    }
    schema.to_value()
}

fn of_config() -> Value {
    let mut root = table();
    for key in KEYS {
        let path: Vec<&str> = key.path.split('.').collect();
        let (name, tables) = path.split_last().expect("a path has a part");
        let mut at = &mut root;
        for table in tables {
            at = below(at, table);
        }
        let mut value = of_kind(key.kind);
        value["description"] = key.meaning.into();
        if let Some(default) = key.default {
            value["description"] = format!("{} [default: {default}]", key.meaning).into();
        }
        match *name {
            "*" => at["additionalProperties"] = value,
            name => at["properties"][name] = value,
        }
    }
    root["$schema"] = DIALECT.into();
    root["title"] = "Calibrant project".into();
    root["description"] = "The keys of calibrant.toml.".into();
    root
}

/// A table of the project file without keys.
fn table() -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": Map::new()})
}

/// The table of a name inside of another; `*` is any name.
fn below<'t>(table: &'t mut Value, name: &str) -> &'t mut Value {
    let place = match name {
        "*" => &mut table["additionalProperties"],
        name => &mut table["properties"][name],
    };
    if !place.is_object() {
        *place = self::table();
    }
    place
}

fn of_kind(kind: Kind) -> Value {
    match kind {
        Kind::Text | Kind::Path => json!({"type": "string"}),
        Kind::Texts => json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        Kind::Word(words) => json!({"enum": words}),
        Kind::Whole(least) => json!({"type": "integer", "minimum": least}),
        Kind::Share => json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        Kind::Scale => json!({"type": "string"}),
        Kind::Truth => json!({"type": "boolean"}),
    }
}
