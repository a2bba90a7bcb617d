//! Looking things up in an XML tree, and writing one line by line.

use std::fmt::Display;

use roxmltree::{Document, Node, ParsingOptions};

use crate::{Fault, Refusal};

/// More nodes than any profile or result has per byte of text; bounds what a tree takes.
const BYTES_PER_NODE: usize = 4;

/// Parses a document; `what` is what it is taken for.
///
/// # Errors
/// Where it is not well-formed.
pub fn parse<'a>(text: &'a str, what: &'static str) -> Result<Document<'a>, Refusal> {
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: u32::try_from(text.len() / BYTES_PER_NODE + 16).unwrap_or(u32::MAX),
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let text = error.to_string();
        let cause = text.split(" at ").next().unwrap_or(&text).to_owned();
        Refusal::new(what, format!("it is not well-formed XML: {cause}"))
            .at(format!("line {}, column {}", at.row, at.col))
            .with_source(error)
    })
}

/// The first element of a name among a node's children.
pub fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name(name))
}

/// All elements of a name among a node's children.
pub fn children<'a, 'input>(node: Node<'a, 'input>, name: &str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

/// The text of the first element of a name among a node's children; absent where it is empty.
pub fn text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty())
}

/// A number among a node's children; absent where there is none.
///
/// # Errors
/// When what is there is no number.
pub fn number<T: std::str::FromStr>(node: Node<'_, '_>, name: &str) -> Result<Option<T>, Fault> {
    match text(node, name) {
        None => Ok(None),
        Some(text) => {
            text.parse().map(Some).map_err(|_| format!("`{text}` in <{name}> is not a number").into())
        }
    }
}

/// Whether a node has a child of a name that says true.
///
/// # Errors
/// When it says neither true nor false.
pub fn flag(node: Node<'_, '_>, name: &str) -> Result<bool, Fault> {
    match text(node, name) {
        Some("true" | "1") => Ok(true),
        None | Some("false" | "0") => Ok(false),
        Some(other) => Err(format!("`{other}` in <{name}> is neither true nor false").into()),
    }
}

/// Lines of XML, indented by two spaces.
#[derive(Debug, Default)]
pub struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// An element around what `inside` writes.
    pub fn around(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("<{name}>"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        let name = name.split(' ').next().unwrap_or(name);
        self.line(&format!("</{name}>"));
    }

    /// An element with a value.
    pub fn value(&mut self, name: &str, value: impl Display) {
        self.line(&format!("<{name}>{}</{name}>", escaped(&value.to_string())));
    }

    /// An element with a value, where there is one.
    pub fn value_if(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    /// A line as it stands.
    pub fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text += line;
        self.text.push('\n');
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Text as it stands in an element or an attribute.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // Characters that XML has no place for.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
