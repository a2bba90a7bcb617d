//! The machine's memory as Windows tells it.
#![allow(unsafe_code)] // One call of the system, with a place that it fills in.

use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

use super::Amounts;
use crate::{Root, TelemetryError, TelemetryErrorKind};

/// Where it is read.
#[derive(Debug)]
pub struct MemoryReader;

impl MemoryReader {
    /// The machine's.
    pub fn new(_: &Root) -> Self {
        Self
    }

    /// What is available; the rest is not asked.
    ///
    /// # Errors
    /// When the system refuses to tell.
    pub fn now(&mut self) -> Result<Amounts, TelemetryError> {
        let status = status().ok_or_else(|| {
            let cause = "the system does not report its memory";
            TelemetryError::new(TelemetryErrorKind::System, "asking for the machine's memory", cause)
        })?;
        Ok([None, Some(status.ullAvailPhys), None, None, None, None])
    }
}

/// Memory that the system has.
pub(crate) fn installed_bytes() -> Option<u64> {
    status().map(|status| status.ullTotalPhys)
}

fn status() -> Option<MEMORYSTATUSEX> {
    let length = size_of::<MEMORYSTATUSEX>() as u32;
    let mut status = MEMORYSTATUSEX { dwLength: length, ..MEMORYSTATUSEX::default() };
    // SAFETY: the place is as long as it says of itself.
    let done = unsafe { GlobalMemoryStatusEx(&mut status) };
    (done != 0).then_some(status)
}
