//! Published results: a table that anyone can write down from an article, and what limits its rows.
//!
//! Rows that differ in one property answer the question that an experiment would have asked ([`answers`]); rows
//! and known bounds give symptoms ([`limits`], [`beside`]); the evidence table of `fathom-attribute` turns them
//! into a verdict ([`explain`]). What no run gives is refused when it is read ([`check`]). Nothing is read that the table does not state. Pure.

mod answers;
mod beside;
mod check;
mod curve;
mod difference;
mod experiment;
mod explain;
mod limits;
mod question;
mod record;
mod row;
mod table;

pub use explain::{Explained, explain_published};
pub use question::unrated;
pub use record::{explained_patterns, remarks};
pub use row::PublishedRow;
pub use table::{Asked, Label, Published, PublishedCeiling, parse_published};
