//! What storage was asked to do, as demand for sizing: from metrics, traces and tables of any origin.
//!
//! A text is told by its content ([`read`]), and becomes intervals with I/Os and bytes, and those ticks of one
//! length. What is left out, mended or doubted on the way is said in a note. Long tables of many volumes are read
//! in pieces ([`fleet`]); metrics of a cloud come from its API ([`aws`]) through a connection that the caller makes.

pub mod account;
pub mod aws;
mod choice;
mod cloud_skus;
mod cloudwatch;
mod counters;
pub mod fleet;
mod interval_table;
mod intervals;
mod monitors;
mod named_columns;
mod observed_disk;
mod prometheus;
mod retail_prices;
mod source;
mod stranger;
mod stretches;
#[cfg(test)]
mod tests;
mod ticks;
mod trace;

pub use cloudwatch::{
    Asked as AskedCloudWatch, Balance, OPERATION as CLOUDWATCH_OPERATION, balances as fetch_balances,
    fetch as fetch_cloudwatch,
};
pub use interval_table::read as read_table;
pub(crate) use interval_table::time_ns;
pub use intervals::{DemandReport, Interval, of_intervals, of_readings};
pub use named_columns::{Columns, Values};
pub(crate) use named_columns::{column, divided_otherwise};
pub(crate) use prometheus::recognise as is_prometheus;
pub use prometheus::{Asked, Disks, Selection, fetch as fetch_prometheus};
pub use retail_prices::price_list;
pub use source::{Hints, Text, read, what};
pub use trace::{TraceStream, Which as WhichTrace};
