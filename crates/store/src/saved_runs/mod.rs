//! Run records in the store: saving, reading, listing.

mod get;
mod header;
mod list;
mod put;
mod readback_check;
mod run_facets;
mod run_imports;
mod run_search;
mod surroundings;
mod workload_text;

pub(crate) use list::TAGGED;
pub use list::{RunFilter, RunRow};
pub(crate) use put::exists;
pub use run_facets::RunFacets;
pub use run_imports::ImportRow;
pub use run_search::{Relation, RunCondition, RunNumber, RunPage, RunPlace, RunText};
pub use surroundings::Surroundings;
pub use workload_text::pattern_text;
