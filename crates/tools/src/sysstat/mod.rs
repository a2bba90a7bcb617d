//! sysstat: what its tools print, and what the columns that they share mean in fathom's metrics.
//!
//! A kilobyte there has 1024 bytes and a sector 512; times are milliseconds; percent are of one processor
//! or device. Names are those of the text output; what is a rate ends in `/s`.

mod cpu;
mod disk;
pub mod iostat;
mod machine;
mod memory;
pub mod mpstat;
mod network;
pub mod sadf;
pub mod sar;
pub mod table;

pub use cpu::cpu;
pub use disk::disk;
pub use machine::{interrupts, load, pressure, switches, transfers};
pub use memory::{huge_pages, memory, paging, swapping};
pub use network::network;

/// Bytes in sysstat's kilobyte.
pub const KB: f64 = 1024.0;
/// Bytes in its megabyte.
pub const MB: f64 = 1024.0 * 1024.0;
/// Bytes in a sector or block.
pub const SECTOR: f64 = 512.0;
