//! The store as its users see it: runs, campaigns, crashes, damage and old files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a sample that cannot be made is a failed test")]

mod campaigns;
mod crash;
mod crash_import;
mod damage;
mod full_disk;
mod golden;
mod history;
mod opening;
mod runs;
mod sample;
