//! What bdevperf and spdk_nvme_perf of SPDK share: the table, the distributions, and the record of both.

pub mod command;
pub mod record;
pub mod table;

pub use command::Asked;
pub use table::{Distribution, Outcome, Row, read};
