//! What a report says, apart from its medium: titles, sentences and tables made from records.

pub mod account_sheet;
pub mod analysis_sheet;
pub mod assess_sheet;
pub mod boots_sheet;
pub mod clients_sheet;
pub mod compare_sheet;
pub mod environment_sheet;
pub mod expectation_sheet;
pub mod explain_sheet;
pub mod fleet_sheet;
pub mod profile_sheet;
pub mod quality_sheet;
pub mod repeat_sheet;
pub mod run_sheet;
pub mod series_sheet;
pub mod sizing_sheet;
pub mod sweep_sheet;
pub mod witness_sheet;

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
