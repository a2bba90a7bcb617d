//! Several clients as one run: agents that measure, and a coordinator that starts them together and adds them up.
//!
//! An agent ([`serve`]) is this program at the far end of a pipe: what reaches it, as ssh, is a command whose stdin and
//! stdout carry [`frame`]s. It listens on nothing and ends when its input ends. [`run_clients`] compares the clocks, tells
//! all agents one moment to start at, takes their seconds, and adds up the time in which all of them measured: counts
//! and histograms are added, nothing is averaged.

mod agent;
mod coordinator;
mod frame;
mod link;
mod list;
mod reach;
mod series;
mod summed;

pub use agent::serve;
pub use coordinator::{Together, run_clients};
pub use list::{Client, from_arguments, from_toml};
pub use reach::Reach;
