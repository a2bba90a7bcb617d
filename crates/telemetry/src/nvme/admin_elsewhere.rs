//! Systems whose NVMe drivers are not asked.

use std::io;
use std::path::Path;

/// An open controller; never made.
pub enum Controller {}

impl Controller {
    /// Always refuses.
    pub fn open(_node: &Path) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "NVMe admin commands are sent on Linux only"))
    }

    /// Never called.
    pub fn read(&self, _command: super::ReadCommand, _data: &mut [u8]) -> io::Result<()> {
        match *self {}
    }
}
