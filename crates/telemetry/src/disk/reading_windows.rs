//! Counters of drives as Windows tells them, asked of a handle without a right to read or to write.
#![allow(unsafe_code)] // One call of the system, with a place that it fills in.

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::ptr;

use windows_sys::Win32::System::IO::DeviceIoControl;

use super::{Counters, performance};
use crate::{Root, TelemetryError};

/// Merged I/Os are not told, and idle time only up to its last end.
pub const UNKNOWN: &[&str] = &["disk.reads_merged", "disk.writes_merged", "disk.utilisation"];

/// `IOCTL_DISK_PERFORMANCE`, and the room for its answer.
const PERFORMANCE: u32 = 0x0007_0020;
const ROOM: usize = 128;
/// Others may read, write and remove meanwhile.
const SHARED: u32 = 7;

/// Where it is read.
#[derive(Debug)]
pub struct DiskReader;

impl DiskReader {
    /// The machine's.
    pub fn new(_: &Root) -> Self {
        Self
    }

    /// Counters of those of the drives that tell them.
    ///
    /// # Errors
    /// None: a drive that does not answer is left out.
    pub fn now(&mut self, devices: &[String]) -> Result<Vec<(String, Counters)>, TelemetryError> {
        let asked =
            devices.iter().filter_map(|device| Some((device.clone(), counters(device).ok().flatten()?)));
        Ok(asked.collect())
    }

    /// Why the system does not count a drive's I/O: it says so by no answer.
    pub fn uncounted(&self, _: &str) -> Option<String> {
        None
    }

    /// What to say of a drive without counters.
    pub fn unlisted(&self, device: &str) -> String {
        match counters(device) {
            Err(error) => format!(
                "{device}: the system does not report its counters ({error}); to enable them: diskperf -y"
            ),
            Ok(_) => format!("{device}: the system's counters of it make no sense"),
        }
    }
}

/// What a drive counts now, by its name, as `PhysicalDrive0`.
fn counters(device: &str) -> io::Result<Option<Counters>> {
    let drive = File::options().access_mode(0).share_mode(SHARED).open(format!(r"\\.\{device}"))?;
    let mut answer = [0u8; ROOM];
    let mut came = 0;
    // SAFETY: the handle is open, the place is as many bytes as is said, and the call ends before it returns.
    let done = unsafe {
        DeviceIoControl(
            drive.as_raw_handle(),
            PERFORMANCE,
            ptr::null(),
            0,
            answer.as_mut_ptr().cast(),
            ROOM as u32,
            &mut came,
            ptr::null_mut(),
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(performance::parse(&answer[..(came as usize).min(ROOM)]))
}
