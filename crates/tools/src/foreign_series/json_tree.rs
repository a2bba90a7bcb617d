//! JSON as a small tree that keeps the order of keys and, of keys that occur twice, both.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::Refusal;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// `null`, `true` and `false`.
    Nothing,
    /// A number.
    Number(f64),
    /// A text.
    Text(Box<str>),
    /// A list.
    List(Vec<Tree>),
    /// An object.
    Object(Vec<(Box<str>, Tree)>),
}

impl Tree {
    /// The first value of a key, of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name.as_ref() == key).map(|(_, value)| value)
    }

    /// Keys and values, of an object; none otherwise.
    pub fn entries(&self) -> &[(Box<str>, Self)] {
        if let Self::Object(entries) = self { entries } else { &[] }
    }

    /// Elements, of a list; none otherwise.
    pub fn elements(&self) -> &[Self] {
        if let Self::List(elements) = self { elements } else { &[] }
    }

    /// The text, of a text.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, of a number.
    pub fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }
}

/// Reads one JSON document.
///
/// # Errors
/// When it is no JSON, or something follows it.
pub fn parse_json(text: &str, expected: &'static str) -> Result<Tree, Refusal> {
    serde_json::from_str(text).map_err(|error: serde_json::Error| {
        let refusal = Refusal::new(expected, format!("no whole JSON document: {error}")).at(format!(
            "line {}, column {}",
            error.line(),
            error.column()
        ));
        let remedy = if error.is_eof() { "the file was cut off; take the whole of it" } else { "" };
        refusal.or(remedy).with_source(error)
    })
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Nothing)
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Nothing)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            elements.push(element);
        }
        elements.shrink_to_fit();
        Ok(Tree::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<Box<str>, Tree>()? {
            entries.push((key, value));
        }
        entries.shrink_to_fit();
        Ok(Tree::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_in_its_order() {
        let tree = parse_json(r#"{"b": [1, 2.5, "x", null], "a": {"c": true}, "b": 3}"#, "it").unwrap();
        let keys: Vec<_> = tree.entries().iter().map(|(key, _)| key.as_ref()).collect();
        assert_eq!(keys, ["b", "a", "b"]);
        assert_eq!(tree.get("b").unwrap().elements()[1].number(), Some(2.5));
        assert_eq!(tree.get("b").unwrap().elements()[2].text(), Some("x"));
    }

    #[test]
    fn what_is_no_document_is_refused_with_its_place() {
        let refusal = parse_json("{\"a\": [1,\n", "iostat").unwrap_err();
        assert_eq!(refusal.place, "line 2, column 0");
        assert!(refusal.remedy.contains("cut off"));
        assert!(parse_json(&"[".repeat(100_000), "it").is_err(), "deep");
    }
}
