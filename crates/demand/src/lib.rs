//! What storage was asked to do, as demand for sizing: from metrics, traces and tables of any origin.
//!
//! A text is told by its content ([`read`]). Its rows become a demand as those of long tables do ([`fathom_rows`]);
//! metrics of a cloud come from its API ([`aws`]) through a connection that the caller makes.

pub mod account_volumes;
pub mod aws;
mod cloud_skus;
mod cloudwatch;
mod dump;
mod monitors;
mod observed_disk;
mod prometheus;
mod retail_prices;
mod server_address;
mod source;
#[cfg(test)]
mod tests;
mod text_diagnosis;

pub use cloudwatch::{
    Balance, CloudWatchQuery, OPERATION as CLOUDWATCH_OPERATION, balances as fetch_balances,
    fetch as fetch_cloudwatch,
};
pub use dump::{Dumps, is_dump};
pub use prometheus::{PrometheusQuery, Selection, fetch as fetch_prometheus};
pub use retail_prices::price_list;
pub use server_address::{with_placeholder, without_credentials};
pub use source::{Text, read, what};
