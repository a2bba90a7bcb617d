//! sysstat: what its tools print, and what the columns that they share mean in fathom's metrics.
//!
//! A kilobyte there has 1024 bytes and a sector 512; times are milliseconds; percent are of one processor
//! or device. Names are those of the text output; what is a rate ends in `/s`.

mod cpu_columns;
mod disk_columns;
pub mod iostat;
mod memory_columns;
pub mod mpstat;
mod network_interfaces;
pub mod sadf;
pub mod sar;
mod system_activity;

pub use cpu_columns::cpu;
pub use disk_columns::disk;
pub use memory_columns::{huge_pages, memory, paging, swapping};
pub use network_interfaces::network;
pub use system_activity::{interrupts, load, pressure, switches, transfers};

/// Bytes in sysstat's kilobyte.
pub const KB: f64 = 1024.0;
/// Bytes in its megabyte.
pub const MB: f64 = 1024.0 * 1024.0;
/// Bytes in a sector or block.
pub const SECTOR: f64 = 512.0;
