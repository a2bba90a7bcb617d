//! The store as its users see it: runs, campaigns, crashes, damage and old files.

mod campaigns;
mod crash;
mod damage;
mod full_disk;
mod golden;
mod opening;
mod runs;
mod sample;
