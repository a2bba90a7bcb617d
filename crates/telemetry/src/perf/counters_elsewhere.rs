//! Systems whose counters are not read.

use super::Totals;

/// Never made.
pub enum Counters {}

impl Counters {
    /// Always refuses.
    pub fn start() -> Result<Self, String> {
        Err("not supported: CPU counters are read on Linux only".to_owned())
    }

    /// Never called.
    pub fn label(&self) -> &'static str {
        match *self {}
    }

    /// Never called.
    pub fn read(&mut self) -> Option<Totals> {
        match *self {}
    }
}
