//! The program as it is typed: what it prints where, and what it ends with.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]

mod commands;
mod compared;
<<<<<<< HEAD
mod diskspd;
=======
mod exported;
>>>>>>> 126fc2a (Export runs and campaigns as CSV, Parquet, OpenMetrics and fio's JSON)
mod failures;
mod interrupted;
mod outputs;
mod paths;
mod sized;
mod typed;
