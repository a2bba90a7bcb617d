//! What a report says, apart from its medium: titles, sentences and tables made from records.

pub mod account;
pub mod analysis;
pub mod boots;
pub mod campaign;
pub mod clients;
pub mod compare;
pub mod expectation;
pub mod explain;
pub mod fleet;
pub mod machine;
pub mod profile;
pub mod quality;
pub mod repeat;
pub mod run;
pub mod series;
pub mod sizing;
pub mod sweep;
pub mod witness;

/// A name and its value.
pub struct Entry {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A name with its value.
pub fn entry(name: &str, value: impl Into<String>) -> Entry {
    Entry { name: name.to_owned(), value: value.into() }
}
