//! SMART / Health Information (Base 2.0, section 5.16.1.3, log identifier 02h).

use zerocopy::little_endian::{U16, U32, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{ShortBufferError, view};

/// Log identifier of this page.
pub const LOG_IDENTIFIER: u8 = 0x02;
/// Length of this page, in bytes.
pub const LOG_BYTES: usize = 512;

/// Bytes of one data unit: a thousand times 512.
const DATA_UNIT_BYTES: u128 = 512_000;

/// Health of a controller. Field names follow the specification's.
#[derive(Clone, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct SmartLog {
    /// State that needs attention; see [`warnings`](Self::warnings).
    pub critical_warning: u8,
    /// Composite temperature, in kelvins; see [`celsius`](Self::celsius).
    pub composite_temperature: U16,
    /// Spare left, in percent.
    pub available_spare: u8,
    /// Spare below which a warning is raised, in percent.
    pub available_spare_threshold: u8,
    /// Life used, in percent of the vendor's estimate; 255 stands for 255 and more.
    pub percentage_used: u8,
    /// Warnings of endurance groups.
    pub endurance_group_warning: u8,
    reserved_7: [u8; 25],
    /// Data read by the host, in thousands of 512 bytes, rounded up.
    pub data_units_read: U128,
    /// Data written by the host, in thousands of 512 bytes, rounded up.
    pub data_units_written: U128,
    /// Read commands completed.
    pub host_read_commands: U128,
    /// Write commands completed.
    pub host_write_commands: U128,
    /// Time with I/O outstanding, in minutes.
    pub controller_busy_time: U128,
    /// Power cycles.
    pub power_cycles: U128,
    /// Hours powered.
    pub power_on_hours: U128,
    /// Losses of power without notice.
    pub unsafe_shutdowns: U128,
    /// Data errors that the device could not correct.
    pub media_errors: U128,
    /// Error log entries ever.
    pub error_log_entries: U128,
    /// Time above the warning temperature, in minutes.
    pub warning_temperature_time: U32,
    /// Time above the critical temperature, in minutes.
    pub critical_temperature_time: U32,
    /// Sensors 1 to 8, in kelvins; 0 where there is none.
    pub sensors: [U16; 8],
    /// Times that the device throttled itself lightly for heat.
    pub light_throttle_count: U32,
    /// Times that the device throttled itself heavily for heat.
    pub heavy_throttle_count: U32,
    /// Time under light throttling, in seconds.
    pub light_throttle_seconds: U32,
    /// Time under heavy throttling, in seconds.
    pub heavy_throttle_seconds: U32,
    reserved_232: [u8; 280],
}

/// Bits of the critical warning, with what they say.
const WARNINGS: [(u8, &str); 6] = [
    (0, "spare below its threshold"),
    (1, "temperature out of range"),
    (2, "reliability degraded"),
    (3, "media read-only"),
    (4, "backup of the volatile memory failed"),
    (5, "persistent memory read-only or unreliable"),
];

impl SmartLog {
    /// Reads it from the start of a buffer.
    ///
    /// # Errors
    /// When there are fewer than 512 bytes.
    pub fn parse(bytes: &[u8]) -> Result<&Self, ShortBufferError> {
        view(bytes, "SMART / Health Information")
    }

    /// Composite temperature in degrees Celsius, if reported.
    pub fn celsius(&self) -> Option<f64> {
        celsius(self.composite_temperature.get())
    }

    /// What the device says needs attention.
    pub fn warnings(&self) -> impl Iterator<Item = &'static str> {
        let bits = self.critical_warning;
        WARNINGS.iter().filter(move |(bit, _)| bits >> bit & 1 == 1).map(|(_, text)| *text)
    }

    /// Whether the device says now that its temperature is out of the range that it holds as safe.
    pub fn warns_of_temperature(&self) -> bool {
        self.critical_warning & 0b10 != 0
    }

    /// Life used, as a share of the vendor's estimate: may exceed 1.
    pub fn used_share(&self) -> f64 {
        f64::from(self.percentage_used) / 100.0
    }

    /// Data that hosts read, in bytes, to the next 512,000; saturates.
    pub fn read_bytes(&self) -> u128 {
        self.data_units_read.get().saturating_mul(DATA_UNIT_BYTES)
    }

    /// Data that hosts wrote, in bytes, to the next 512,000; saturates.
    pub fn written_bytes(&self) -> u128 {
        self.data_units_written.get().saturating_mul(DATA_UNIT_BYTES)
    }
}

/// Degrees Celsius of a field in kelvins, where 0 means that nothing is reported.
pub(crate) fn celsius(kelvins: u16) -> Option<f64> {
    (kelvins != 0).then(|| f64::from(kelvins) - 273.15)
}
