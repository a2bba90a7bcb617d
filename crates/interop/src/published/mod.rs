//! Published results: a table that anyone can write down from an article, and what limits its rows.
//!
//! Rows that differ in one property answer the question that an experiment would have asked ([`answers`]); rows
//! and known bounds give symptoms ([`limits`], [`beside`]); the evidence table of `fathom-attribute` turns them
//! into a verdict ([`explain`]). Nothing is read that the table does not state. Pure.

mod answers;
mod beside;
mod curve;
mod difference;
mod explain;
mod limits;
mod record;
mod row;
mod table;

pub use explain::{Explained, explain_published};
pub use record::{explained_patterns, remarks};
pub use row::PublishedRow;
pub use table::{Asked, Label, Published, PublishedCeiling, parse_published};
