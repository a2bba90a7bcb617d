//! What bdevperf and spdk_nvme_perf of SPDK share: the table, the distributions, and the record of both.

pub mod command;
pub mod record;
pub mod spdk_tables;
pub mod transport;

pub use command::CommandOptions;
pub use spdk_tables::{Distribution, Outcome, Row, read};
pub use transport::TransportId;
