//! Structures read from objects alone.
//!
//! What is derived for a structure reads it from an object and, compiled once more, from a list of its fields in their
//! order. No text of ours is such a list, and a list that happened to fit would be taken for what it is not. Each part of
//! a value is read through the types here, which ask for an object where a structure is due.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

/// A value of JSON's text.
///
/// # Errors
/// When the text is no JSON, or not of such a value; with line and column.
pub fn read<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    let mut reading = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(Objects(&mut reading))?;
    reading.end()?;
    Ok(value)
}

/// The same of text as bytes.
///
/// # Errors
/// As of [`read`], and when the bytes are no text.
pub fn read_bytes<'de, T: Deserialize<'de>>(text: &'de [u8]) -> serde_json::Result<T> {
    std::str::from_utf8(text).map_err(serde_json::Error::custom).and_then(read)
}

/// A reader that is asked for objects where structures are due, and so are the readers of its parts.
struct Objects<T>(T);

/// Methods that lead to no part: they are handed on as they are.
macro_rules! plain {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            self.0.$method(visitor)
        })*
    };
}

/// Methods that may lead to parts.
macro_rules! with_parts {
    ($($method:ident($($name:ident: $kind:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $kind,)* visitor: V) -> Result<V::Value, Self::Error> {
            self.0.$method($($name,)* Objects(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    plain! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    with_parts! {
        deserialize_any()
        deserialize_option()
        deserialize_seq()
        deserialize_map()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_map(Objects(visitor))
    }
}

/// Values without parts.
macro_rules! visited {
    ($($method:ident: $kind:ty)*) => {
        $(fn $method<E: serde::de::Error>(self, value: $kind) -> Result<Self::Value, E> {
            self.0.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Objects<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visited! {
        visit_bool: bool
        visit_i64: i64
        visit_i128: i128
        visit_u64: u64
        visit_u128: u128
        visit_f64: f64
        visit_str: &str
        visit_borrowed_str: &'de str
        visit_string: String
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        self.0.visit_some(Objects(reader))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        self.0.visit_newtype_struct(Objects(reader))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        self.0.visit_seq(Objects(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        self.0.visit_map(Objects(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, chosen: A) -> Result<Self::Value, A::Error> {
        self.0.visit_enum(Objects(chosen))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(Objects(reader))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Objects(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Objects(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Objects<A> {
    type Error = A::Error;
    type Variant = Objects<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(seed).map(|(value, variant)| (value, Objects(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Objects(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(length, Objects(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.newtype_variant_seed(Fields(visitor))
    }
}

/// The fields of a variant, of which JSON makes an object.
struct Fields<V>(V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Fields<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(Objects(self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::de::DeserializeOwned;

    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Small {
        a: u8,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    enum Kind {
        Bare,
        One(Small),
        Two(Small, i64),
        Named { small: Small },
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Named { small: Small },
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        #[serde(default)]
        kinds: Vec<Kind>,
        map: Option<BTreeMap<u32, Small>>,
        pair: Option<(Small, f64)>,
        tagged: Option<Tagged>,
    }

    fn both<T: DeserializeOwned + PartialEq + fmt::Debug>(text: &str) -> Result<T, String> {
        let read = read::<T>(text).map_err(|error| error.to_string());
        assert_eq!(read, serde_json::from_str(text).map_err(|error| error.to_string()), "{text}");
        read
    }

    #[test]
    fn values_and_refusals_are_those_of_the_library() {
        let whole = r#"{"kinds":["Bare",{"One":{"a":1}},{"Two":[{"a":2},-3]},{"Named":{"small":{"a":4}}}],
                        "map":{"7":{"a":5}},"pair":[{"a":6},0.1],"tagged":{"kind":"Named","small":{"a":8}}}"#;
        assert_eq!(both::<Whole>(whole).unwrap().kinds.len(), 4);
        assert!(both::<Whole>(r#"{"map":null}"#).is_ok());
        for bad in [
            "",
            "7",
            "{",
            "{} x",
            r#"{"kinds":{}}"#,
            r#"{"kinds":["Other"]}"#,
            r#"{"kinds":[{"One":{"a":300}}]}"#,
            r#"{"kinds":[{"One":{}}]}"#,
            "{\"map\":{\"x\":{\"a\":1}}}",
            "{\n\"more\":1}",
            r#"{"map":{"1":{"a":1,"a":2}}}"#,
            r#"{"pair":[{"a":1}]}"#,
        ] {
            assert!(both::<Whole>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_list_is_no_structure_at_any_depth() {
        assert!(serde_json::from_str::<Small>("[1]").is_ok(), "the library takes it");
        assert!(
            read::<Small>("[1]")
                .unwrap_err()
                .to_string()
                .starts_with("invalid type: sequence, expected struct Small")
        );
        for text in [
            r#"{"kinds":[{"One":[1]}]}"#,
            r#"{"kinds":[{"Named":[{"a":1}]}]}"#,
            r#"{"kinds":[{"Named":{"small":[1]}}]}"#,
            r#"{"map":{"1":[1]}}"#,
            r#"{"pair":[[1],2.0]}"#,
        ] {
            assert!(serde_json::from_str::<Whole>(text).is_ok() && read::<Whole>(text).is_err(), "{text}");
        }
    }
}
