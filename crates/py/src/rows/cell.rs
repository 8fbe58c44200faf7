//! One row as cells, field by field, without a detour over JSON, which forgets the order of fields.

use serde::Serialize;
use serde::ser::{Impossible, SerializeMap, SerializeStruct, Serializer};
use serde_json::Value;

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Cell {
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Integer(whole) => Some(*whole as f64),
            _ => None,
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(whole) => Some(*whole),
            _ => None,
        }
    }

    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub fn text(self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Text(text) => Some(text),
            Self::Flag(flag) => Some(flag.to_string()),
            Self::Integer(whole) => Some(whole.to_string()),
            Self::Number(number) => Some(number.to_string()),
        }
    }
}

/// A value of a field. A reason is its word, a list its parts joined by `;`, a map of reasons `field:word` each, as in
/// `responses.csv`; anything else that is not plain is JSON.
fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(flag) => Cell::Flag(flag),
        Value::Number(number) => match number.as_i64() {
            Some(whole) if !number.is_f64() => Cell::Integer(whole),
            _ => number.as_f64().map_or(Cell::Null, Cell::Number),
        },
        Value::String(text) => Cell::Text(text),
        Value::Array(parts) if parts.iter().all(|part| !part.is_object() && !part.is_array()) => {
            Cell::Text(parts.iter().map(plain).collect::<Vec<_>>().join(";"))
        }
        Value::Object(fields) if reason(&fields).is_some() => {
            Cell::Text(reason(&fields).unwrap_or_default().to_owned())
        }
        Value::Object(fields) if fields.is_empty() => Cell::Null,
        Value::Object(fields)
            if fields
                .values()
                .all(|value| value.as_object().and_then(reason).is_some()) =>
        {
            let each = |(field, why): (&String, &Value)| {
                format!("{field}:{}", why.as_object().and_then(reason).unwrap_or_default())
            };
            Cell::Text(fields.iter().map(each).collect::<Vec<_>>().join(";"))
        }
        other => Cell::Text(other.to_string()),
    }
}

/// A part of a list; a `;` inside it is written with a `\` before it.
fn plain(part: &Value) -> String {
    match part {
        Value::String(text) => text.replace('\\', "\\\\").replace(';', "\\;"),
        other => other.to_string(),
    }
}

/// The word of an undefined value.
fn reason(fields: &serde_json::Map<String, Value>) -> Option<&str> {
    let is_reason = fields.contains_key("reason") && fields.contains_key("detail");
    fields.get("reason").filter(|_| is_reason)?.as_str()
}

/// The fields of a row in the order of its type; those a row leaves out are null.
pub(crate) fn cells(row: &impl Serialize) -> Vec<(&'static str, Cell)> {
    row.serialize(Row(Vec::new()))
        .expect("rows of artifacts are structures with named fields, which serialise")
}

struct Row(Vec<(&'static str, Cell)>);

type NoError = serde_json::Error;

fn not_a_row() -> NoError {
    serde::ser::Error::custom("not a structure with named fields")
}

impl SerializeStruct for Row {
    type Ok = Vec<(&'static str, Cell)>;
    type Error = NoError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), NoError> {
        self.0.push((key, cell(serde_json::to_value(value)?)));
        Ok(())
    }

    fn skip_field(&mut self, key: &'static str) -> Result<(), NoError> {
        self.0.push((key, Cell::Null));
        Ok(())
    }

    fn end(self) -> Result<Self::Ok, NoError> {
        Ok(self.0)
    }
}

/// No row is a map; the type only has to exist.
impl SerializeMap for Row {
    type Ok = Vec<(&'static str, Cell)>;
    type Error = NoError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), NoError> {
        Err(not_a_row())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), NoError> {
        Err(not_a_row())
    }

    fn end(self) -> Result<Self::Ok, NoError> {
        Err(not_a_row())
    }
}

/// Refuses everything that is no structure.
macro_rules! refuse {
    ($($method:ident($($argument:ty),*)),* $(,)?) => {
        $(fn $method(self, $(_: $argument),*) -> Result<Self::Ok, NoError> { Err(not_a_row()) })*
    };
}

impl Serializer for Row {
    type Ok = Vec<(&'static str, Cell)>;
    type Error = NoError;
    type SerializeSeq = Impossible<Self::Ok, NoError>;
    type SerializeTuple = Impossible<Self::Ok, NoError>;
    type SerializeTupleStruct = Impossible<Self::Ok, NoError>;
    type SerializeTupleVariant = Impossible<Self::Ok, NoError>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<Self::Ok, NoError>;

    refuse!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
        serialize_str(&str),
        serialize_bytes(&[u8]),
        serialize_none(),
        serialize_unit(),
        serialize_unit_struct(&'static str),
        serialize_unit_variant(&'static str, u32, &'static str),
    );

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, NoError> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Self::Ok, NoError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Self::Ok, NoError> {
        Err(not_a_row())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, NoError> {
        Err(not_a_row())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, NoError> {
        Err(not_a_row())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, NoError> {
        Err(not_a_row())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NoError> {
        Err(not_a_row())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NoError> {
        Err(not_a_row())
    }

    fn serialize_struct(self, _: &'static str, fields: usize) -> Result<Self, NoError> {
        Ok(Self(Vec::with_capacity(fields)))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NoError> {
        Err(not_a_row())
    }
}
