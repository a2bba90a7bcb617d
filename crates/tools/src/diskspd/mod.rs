//! diskspd: its command lines and XML profiles as workloads, and its results both ways.
//!
//! ```text
//!  command line ─┐                         ┌─► MappedSpan: a run of fathom, with what it changes
//!                ├─► Profile (time spans) ─┤
//!  XML profile ──┘                         └─► printed again, as part of a result
//!  results, text or XML ◄─► Results (the tool's own document) ◄─ a run record
//! ```

pub mod arguments;
pub mod caching;
pub mod distribution;
pub mod drives;
pub mod from_record;
mod handover;
mod import;
pub mod mapping;
#[cfg_attr(not(windows), path = "own_elsewhere.rs")]
#[cfg_attr(windows, path = "own_windows.rs")]
mod own;
// What is pure of another platform is tried here too.
#[cfg(all(test, not(windows)))]
mod own_windows;
pub mod print_text;
pub mod print_xml;
pub mod profile;
pub mod profile_xml;
mod read_input;
pub mod read_text;
pub mod read_xml;
pub mod results;
pub mod size;
pub mod workload_as_flags;
mod xml;

pub use arguments::{Command, read_command};
pub use drives::Drives;
pub use handover::handed_over;
pub use import::{TEXT_IMPORTER, XML_IMPORTER};
pub use mapping::{MappedSpan, map};
pub use profile::{Profile, Target, TimeSpan};
pub use results::Results;
