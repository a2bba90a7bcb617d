//! Run records in the store: saving, reading, listing.

mod facets;
mod get;
mod header;
mod import;
mod list;
mod pattern;
mod put;
mod read_back;
mod search;
mod surroundings;

pub use facets::RunFacets;
pub use import::ImportRow;
pub(crate) use list::TAGGED;
pub use list::{RunFilter, RunRow};
pub use pattern::pattern_text;
pub(crate) use put::exists;
pub use search::{Relation, RunCondition, RunNumber, RunPage, RunPlace, RunText};
pub use surroundings::Surroundings;
