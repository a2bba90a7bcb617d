//! The instrument: clock, units and latency histogram.
//!
//! Everything here knows its own limits: the clock says what it costs and resolves, the
//! histogram says how wide a bucket is. Callers record those limits beside every number.

pub mod clock;
pub mod histogram;
pub mod units;

pub use clock::{Clock, VirtualClock, WallClock};
pub use histogram::Histogram;
pub use units::{ByteRate, Bytes, Nanos, Rate, Share, UnitError, counted};
