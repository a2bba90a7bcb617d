//! Systems whose network drivers are not asked.

use std::io;

/// A way to ask; never made.
pub enum EthtoolSocket {}

impl EthtoolSocket {
    /// Always refuses.
    pub fn open() -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "network drivers are asked on Linux only"))
    }

    /// Never called.
    pub fn names(&self, _interface: &str) -> Option<Vec<u8>> {
        match *self {}
    }

    /// Never called.
    pub fn values(&self, _interface: &str) -> Option<Vec<u64>> {
        match *self {}
    }
}
