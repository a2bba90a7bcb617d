//! Sizing against brute force, a published guide, and the catalogue's own promises.

mod catalogue;
mod choice;
mod fleet;
mod guide;
