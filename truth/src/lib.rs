//! Error rates of the statistics, from simulated processes whose truth is known.
//!
//! [`random_process`] draws series and runs with a known answer, from fixed seeds. A [`suite`] puts them through
//! one method of `stats` and counts how often it was right, as [`Figure`]s with the bound that each has to
//! keep. The same suites run short among the ordinary tests and in full under `cargo xtask statistics`.

pub mod figure;
pub mod random_process;
pub mod suite;

pub use figure::{Bound, Figure};
pub use suite::{Effort, SUITES, Suite};
