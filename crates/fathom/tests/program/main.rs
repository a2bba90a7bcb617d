//! The program as it is typed: what it prints where, and what it ends with.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "what was skipped is said")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]

mod accounts;
mod amazon;
mod approached;
mod bare;
mod calls;
mod clients;
mod clients_at_targets;
mod clients_by_ssh;
mod clients_in_campaigns;
mod clients_pushed;
mod clients_reached;
mod cloudwatch;
mod commands;
mod compared;
mod deployed;
mod diskspd;
mod disturbed;
mod exact;
mod explained;
mod exported;
mod failures;
mod fio;
mod fio_status;
mod fleets;
mod gated;
mod gathered;
mod guarded;
mod handed_over;
mod harnesses;
mod helped;
mod imported;
mod interrupted;
mod kept;
mod liked;
mod likened;
mod looped;
mod metrics_server;
mod networked;
mod outputs;
#[cfg(feature = "page")]
mod paged;
mod paths;
mod printed;
mod profiled;
mod remote;
mod repeated;
mod replayed;
mod reproduced;
mod rerun;
mod restarted;
mod resumed;
mod round_trip;
mod said;
mod sampled;
mod secured;
mod sequences;
mod served;
mod sized;
mod trended;
mod typed;
mod watched;
mod worn;

fathom_skips::one_more_at_once!();
