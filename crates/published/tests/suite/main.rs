//! Results that others published: what is read, refused and concluded.

mod bad_tables;
mod collected;
mod evaluations;
mod made;
mod published;
mod published_tables;
mod scores;
mod stated_facts;
