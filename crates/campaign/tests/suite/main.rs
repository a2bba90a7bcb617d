//! Campaigns on simulated stacks and on targets of this machine.

mod analyse;
mod assess;
mod compare;
mod evaluation;
mod lines;
mod repeat;
mod repeats;
mod replay;
mod sweep;
mod targets;

fathom_skips::one_more_at_once!();
