//! Plans from what foreign tools were asked to do, as the room of tools read it.

mod diskspd;

pub use diskspd::{RanSpan, diskspd_plan, diskspd_results};
