//! The number by which the kernel knows a device, whatever its nodes are called.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Major and minor number of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Of the driver; 0 where no driver is behind it.
    pub major: u32,
    /// Within the driver.
    pub minor: u32,
}

impl DeviceNumber {
    /// From the form that `stat` and the loop driver give.
    pub fn from_raw(raw: u64) -> Self {
        Self { major: rustix::fs::major(raw), minor: rustix::fs::minor(raw) }
    }

    /// Of the device that a node stands for.
    pub fn of_node(meta: &Metadata) -> Self {
        Self::from_raw(meta.rdev())
    }

    /// Of the file system that a file lies in.
    pub fn holding(meta: &Metadata) -> Self {
        Self::from_raw(meta.dev())
    }

    /// From `8:1`, as `/sys` and `mountinfo` write it.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}
