//! Several clients as one run: agents that measure, and a coordinator that starts them together and adds them up.
//!
//! An agent ([`serve`]) is this program at the far end of a pipe: what reaches it, as ssh, is a command whose stdin and
//! stdout carry [`frame`]s. It listens on nothing and ends when its input ends. A [`Crew`] of them stays for one run after the other:
//! it has each open its targets once, and for each run compares the clocks, tells all agents one moment to start at,
//! takes their seconds, and adds up the time in which all of them measured: counts and histograms are added, nothing is
//! averaged.

mod agent_service;
mod client_seconds;
mod coordinator;
mod frame;
mod link;
mod push;
mod reach;
mod summed;
mod target_observer;
mod target_side;

pub use agent_service::serve;
pub(crate) use coordinator::Crew;
pub(crate) use frame::OpenedTarget;
