//! The text of the kernel's block events, read and matched to I/Os; no I/O here.

mod matching;
mod parse;

pub use matching::Matching;
pub use parse::{Event, Kind, Line, device_number, parse};
