//! The text of the kernel's block events, read and matched to I/Os; no I/O here.

mod matching;
mod trace_line;

pub use matching::Matching;
pub use trace_line::{Event, Kind, Line, device_number, parse};
