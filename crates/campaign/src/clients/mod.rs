//! Several clients as one run: agents that measure, and a coordinator that starts them together and adds them up.
//!
//! An agent ([`serve`]) is this program at the far end of a pipe: what reaches it, as ssh, is a command whose stdin and
//! stdout carry [`frame`]s. It listens on nothing and ends when its input ends. A [`AgentCrew`] of them stays for one run after the other:
//! it has each open its targets once, and for each run compares the clocks, tells all agents one moment to start at,
//! takes their seconds, and adds up the time in which all of them measured: counts and histograms are added, nothing is
//! averaged.

mod agent_service;
mod agent_transport;
mod client_seconds;
mod client_sum;
mod coordinator;
mod frame;
mod link;
mod program_upload;
mod target_observer;
mod target_side;

pub use agent_service::serve;
pub(crate) use coordinator::AgentCrew;
pub(crate) use frame::OpenedTarget;
