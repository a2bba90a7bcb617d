//! What other tools were asked to do, as the room of tools read it: plans of it, and the stages of a fio command.

mod diskspd_spans;
pub mod fio;

pub use diskspd_spans::{SpanRun, diskspd_plan, diskspd_results};
