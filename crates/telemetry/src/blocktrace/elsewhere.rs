//! No block layer to watch on this platform.

use super::{Seen, WitnessPlan};

/// Never made.
pub enum Watch {}

impl Watch {
    pub fn start(_: &WitnessPlan, _: u64) -> Result<Self, String> {
        Err("the block layer is watched on Linux only".to_owned())
    }

    pub fn name(&self) -> &'static str {
        match *self {}
    }

    pub fn resolution_ns(&self) -> u64 {
        match *self {}
    }

    pub fn second(&mut self) {
        match *self {}
    }

    pub fn finish(self) -> Result<Seen, String> {
        match self {}
    }
}

/// No clock that a witness is stamped with.
pub fn monotonic_ns() -> u64 {
    0
}
