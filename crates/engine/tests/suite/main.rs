//! The loop and its engines: contract, endings, and what is known in closed form. One program, since each further one
//! compiles the loop again.

mod ahead;
mod conformance;
mod contract;
mod decorated;
mod endings;
mod in_flight;
mod nvme_tcp;
mod stripe;
mod truth;
mod uring;
