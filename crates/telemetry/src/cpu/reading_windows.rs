//! The processors' time as Windows tells it: of the processors in this thread's group, up to 64.
#![allow(unsafe_code)] // One call of the system, with a place that it fills in.

use windows_sys::Wdk::System::SystemInformation::NtQuerySystemInformation;

use super::{Ticks, performance};
use crate::{Root, TelemetryError, TelemetryErrorKind};

/// Time that a hypervisor gave away, and idle time of a wait for I/O, are not told.
pub const UNKNOWN: &[&str] = &["cpu.steal", "cpu.iowait"];

/// One tick of the system's processor times.
pub const TICK_NS: f64 = 100.0;

const PLACE: &str = "asking for the CPUs' times";
/// `SystemProcessorPerformanceInformation`.
const CLASS: i32 = 8;
/// Room for the processors of a group.
const ROOM: usize = 64 * 48;

/// Where it is read.
#[derive(Debug)]
pub struct CpuReader(Vec<u8>);

impl CpuReader {
    /// The machine's.
    pub fn new(_: &Root) -> Self {
        Self(vec![0; ROOM])
    }

    /// Ticks of the machine and of each processor, by label.
    ///
    /// # Errors
    /// When the system refuses to tell.
    pub fn now(&mut self) -> Result<Vec<(String, Ticks)>, TelemetryError> {
        let mut came = 0;
        // SAFETY: the place is as many bytes as is said.
        let status =
            unsafe { NtQuerySystemInformation(CLASS, self.0.as_mut_ptr().cast(), ROOM as u32, &mut came) };
        if status < 0 {
            let cause = format!("the system does not report its CPUs (status {status:#010x})");
            return Err(TelemetryError::new(TelemetryErrorKind::System, PLACE, cause));
        }
        let told = performance::parse(&self.0[..ROOM.min(came as usize)]);
        if told.is_empty() {
            return Err(TelemetryError::new(
                TelemetryErrorKind::Malformed,
                PLACE,
                "the system reported no CPU",
            ));
        }
        Ok(told)
    }
}
