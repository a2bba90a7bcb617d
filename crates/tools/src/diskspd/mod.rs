//! diskspd: its command lines and XML profiles as workloads, and its results both ways.
//!
//! ```text
//!  command line ─┐                         ┌─► MappedSpan: a run of fathom, with what it changes
//!                ├─► Profile (time spans) ─┤
//!  XML profile ──┘                         └─► printed again, as part of a result
//!  results, text or XML ◄─► Results (the tool's own document) ◄─ a run record
//! ```

pub mod caching;
pub mod diskspd_command_line;
mod diskspd_records;
pub mod drive_mapping;
mod handover;
#[cfg_attr(not(windows), path = "own_elsewhere.rs")]
#[cfg_attr(windows, path = "own_windows.rs")]
mod own;
pub mod random_distribution;
pub mod record_conversion;
pub mod span_mapping;
// What is pure of another platform is tried here too.
#[cfg(all(test, not(windows)))]
mod own_windows;
pub mod print_text;
pub mod print_xml;
pub mod profile_xml;
mod read_input;
pub mod read_text;
pub mod read_xml;
pub mod results;
pub mod size_notation;
pub mod span_profile;
pub mod workload_as_flags;
mod xml;

pub use diskspd_command_line::{Command, read_command};
pub use diskspd_records::{TEXT_IMPORTER, XML_IMPORTER};
pub use drive_mapping::Drives;
pub use handover::handed_over;
pub use results::Results;
pub use span_mapping::{MappedSpan, map};
pub use span_profile::{Profile, Target, TimeSpan};
