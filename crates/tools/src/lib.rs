//! Other tools' job files, command lines and results, as workloads and run records: one folder a tool.
//!
//! A folder reads its tool's text into a document of that tool's own words first, and makes run
//! records of the document then, so that a quirk of a version lives in one place. Nothing is
//! invented: what a tool did not report is absent from the record, and the record's origin says why.
//! Text comes from people, disks and wires: no input panics or takes memory out of proportion.

pub mod bdevperf;
mod digits;
pub mod diskspd;
pub mod fathom;
pub mod fio;
pub mod foreign_series;
pub mod importers;
pub mod nvme_perf;
pub mod observers;
pub mod perf_stat;
pub mod result_audit;
pub mod result_import;
pub mod spdk;
pub mod sysstat;
mod tool_target;
pub mod vmstat;

pub use fathom_record::{Fault, Refusal, RefusalAbout};

pub use tool_target::ToolTarget;
