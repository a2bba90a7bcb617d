//! What bdevperf and spdk_nvme_perf of SPDK share: the table, the distributions, and the record of both.

pub mod record;
pub mod spdk_command_line;
pub mod spdk_tables;
pub mod transport;

pub use spdk_command_line::CommandOptions;
pub use spdk_tables::{Distribution, Outcome, Row, read};
pub use transport::TransportId;
