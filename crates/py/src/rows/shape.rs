//! What the fields of a row are, told by its type: the row is read from a source that has nothing to say and notes what it is
//! asked for.

use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Integer,
    Flag,
    /// The type does not say.
    Unknown,
}

/// The fields of a type with their kinds, in its order; as far as they can be told.
pub(crate) fn shape<'de, T: Deserialize<'de>>() -> Vec<(String, Kind)> {
    let mut noted = Vec::new();
    // A field that cannot be made up ends the reading; what was noted before stands, and rows tell the rest.
    let _ = T::deserialize(Row { noted: &mut noted });
    noted
}

struct Row<'n> {
    noted: &'n mut Vec<(String, Kind)>,
}

impl<'de> Deserializer<'de> for Row<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("not a structure"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Fields {
            names: fields.iter(),
            noted: self.noted,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct Fields<'n> {
    names: std::slice::Iter<'static, &'static str>,
    noted: &'n mut Vec<(String, Kind)>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.names.next() else { return Ok(None) };
        self.noted.push(((*name).to_owned(), Kind::Unknown));
        seed.deserialize(StrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (_, kind) = self.noted.last_mut().expect("a value follows its key");
        seed.deserialize(Field { kind })
    }
}

/// A field: notes what is asked for and makes up a value of that kind.
struct Field<'k> {
    kind: &'k mut Kind,
}

/// A kind, and the call that makes a value of it up.
macro_rules! made_up {
    ($kind:ident, $value:expr, $visit:ident, $($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            *self.kind = Kind::$kind;
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for Field<'_> {
    type Error = Error;

    made_up!(Flag, false, visit_bool, deserialize_bool);
    made_up!(Number, 0.0, visit_f64, deserialize_f32 deserialize_f64);
    made_up!(Integer, 0, visit_u64,
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64);
    made_up!(Text, "", visit_str, deserialize_str deserialize_string deserialize_char);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.kind = Kind::Text;
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.kind = Kind::Text;
        visitor.visit_seq(Empty)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.kind = Kind::Text;
        visitor.visit_map(Empty)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.kind = Kind::Text;
        visitor.visit_map(Fields {
            names: fields.iter(),
            noted: &mut Vec::new(),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.kind = Kind::Text;
        visitor.visit_enum(First(variants.first().copied().unwrap_or_default()))
    }

    forward_to_deserialize_any! { i128 u128 bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any }
}

/// A list or a map without anything in it.
struct Empty;

impl<'de> SeqAccess<'de> for Empty {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, _: T) -> Result<Option<T::Value>, Error> {
        Ok(None)
    }
}

impl<'de> MapAccess<'de> for Empty {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, _: K) -> Result<Option<K::Value>, Error> {
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("nothing is there"))
    }
}

/// The first variant of an enumeration, which has nothing inside.
struct First(&'static str);

impl<'de> EnumAccess<'de> for First {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        Ok((seed.deserialize(StrDeserializer::new(self.0))?, self))
    }
}

impl<'de> VariantAccess<'de> for First {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Error> {
        Err(de::Error::custom("a variant with something inside"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("a variant with something inside"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("a variant with something inside"))
    }
}
