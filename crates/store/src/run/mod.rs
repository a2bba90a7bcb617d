//! Run records in the store: saving, reading, listing.

mod get;
mod list;
mod pattern;
mod put;

pub use list::{RunFilter, RunRow};
pub(crate) use put::exists;
