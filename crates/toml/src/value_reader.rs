//! What is stated from values in TOML, by serde, with errors that say as values what they are about.

use std::fmt;

use serde::de::value::{Error as Text, MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use toml::Value;

/// What a mistake is about, for callers to match on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FaultKind {
    /// The text is not TOML.
    Syntax,
    /// A name that a table does not have, and those that it has.
    UnknownField {
        /// As it was written.
        name: String,
        /// Those that there are.
        known: &'static [&'static str],
    },
    /// A word that is none of a list.
    UnknownWord {
        /// As it was written.
        word: String,
        /// The list.
        known: &'static [&'static str],
    },
    /// A name that a table needs.
    MissingField,
    /// A number was asked for.
    NotANumber,
    /// A word of a list was asked for.
    NotAWord,
    /// A table was asked for: the one of this name in the program.
    NotATable(&'static str),
    /// Nothing of these.
    #[default]
    Other,
}

/// What is wrong with values. Its own type: this room is below record, which has the one shape of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is about.
    pub kind: FaultKind,
    /// What is wrong, for people.
    pub cause: String,
}

impl Fault {
    fn of(kind: FaultKind, text: &Text) -> Self {
        Self { kind, cause: text.to_string() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { kind: FaultKind::Other, cause: message.to_string() }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let kind = FaultKind::UnknownField { name: field.to_owned(), known: expected };
        Self::of(kind, &Text::unknown_field(field, expected))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let kind = FaultKind::UnknownWord { word: variant.to_owned(), known: expected };
        Self::of(kind, &Text::unknown_variant(variant, expected))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of(FaultKind::MissingField, &Text::missing_field(field))
    }
}

/// A value that is read.
#[derive(Debug)]
pub(crate) struct Reader(pub(crate) Value);

impl Reader {
    fn wrong_type(&self, kind: FaultKind, expected: &dyn Expected) -> Fault {
        let found = match &self.0 {
            Value::Boolean(value) => Unexpected::Bool(*value),
            Value::Integer(value) => Unexpected::Signed(*value),
            Value::Float(value) => Unexpected::Float(*value),
            Value::String(text) => Unexpected::Str(text),
            Value::Datetime(_) => Unexpected::Other("date"),
            Value::Array(_) => Unexpected::Seq,
            Value::Table(_) => Unexpected::Map,
        };
        Fault::of(kind, &Text::invalid_type(found, expected))
    }
}

impl IntoDeserializer<'_, Fault> for Reader {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Boolean(value) => visitor.visit_bool(value),
            Value::Integer(value) => visitor.visit_i64(value),
            Value::Float(value) => visitor.visit_f64(value),
            Value::String(text) => visitor.visit_string(text),
            Value::Datetime(time) => visitor.visit_string(time.to_string()),
            Value::Array(values) => {
                let mut values = SeqDeserializer::new(values.into_iter().map(Self));
                let read = visitor.visit_seq(&mut values)?;
                values.end().map(|()| read)
            }
            Value::Table(table) => {
                let mut table = MapDeserializer::new(table.into_iter().map(|(name, one)| (name, Self(one))));
                let read = visitor.visit_map(&mut table)?;
                table.end().map(|()| read)
            }
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Integer(_) | Value::Float(_) => self.deserialize_any(visitor),
            _ => Err(self.wrong_type(FaultKind::NotANumber, &"a number")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(word.into_deserializer()),
            Value::Table(table) => {
                let entries = table.into_iter().map(|(name, one)| (name, Self(one)));
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(entries)))
            }
            _ => Err(self.wrong_type(FaultKind::NotAWord, &"a word")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let can_be_table = matches!(self.0, Value::Table(_) | Value::Array(_));
        let read = self.deserialize_any(visitor);
        match can_be_table {
            true => read,
            false => read.map_err(|fault| Fault { kind: FaultKind::NotATable(name), ..fault }),
        }
    }

    // What is there is something: an option is none where its name is missing.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}
