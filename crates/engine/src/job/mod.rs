//! The one I/O loop, and everything around it that belongs to a run.
//!
//! A [`runner::Job`] drives one engine on one thread. It counts into a [`tally::Tally`] that nobody
//! else sees; at the end of each interval it hands the tally over a lock-free queue and takes an
//! empty one. [`crew`] runs jobs on threads and the wall clock, [`virtual_time_jobs`] runs them on one thread
//! and a virtual clock; both feed [`gather`], which adds the jobs' tallies up.

pub mod crew;
pub mod file_passes;
pub mod gather;
pub mod io_failures;
mod job_accounts;
pub mod job_extras;
pub mod pace;
mod processors;
pub mod runner;
mod scheduling;
pub mod spare_buffers;
pub mod standstill_detector;
pub mod tally;
pub mod timeline;
mod usage;
pub mod virtual_time_jobs;
pub mod wear_limit;

pub use gather::{Accounts, Measurement, Observer, TargetTotals};
pub use io_failures::Failure;
pub use job_accounts::{Account, DirectionAccount, LiveAccounts};
pub use processors::{allowed_cpus, bind};
pub use runner::{FilledBuffers, Job, JobPlan, TurnResult};
pub use timeline::Timeline;
pub use usage::Usage;
