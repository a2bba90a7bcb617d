//! Properties: the registers of a controller without a bus (Base, "Property Definitions").

use super::{SubmissionEntry, command_type};

/// Offset of CAP, 8 bytes: what the controller can do.
pub const CAPABILITIES: u32 = 0x00;
/// Offset of VS, 4 bytes: the specification that it follows.
pub const VERSION: u32 = 0x08;
/// Offset of CC, 4 bytes: how the host set it.
pub const CONFIGURATION: u32 = 0x14;
/// Offset of CSTS, 4 bytes: its state.
pub const STATUS: u32 = 0x1c;

/// Value of VS for 1.4.
pub const VERSION_1_4: u32 = 0x0001_0400;
/// Bit of CC: enabled.
pub const ENABLE: u32 = 1 << 0;
/// Bit of CSTS: ready.
pub const READY: u32 = 1 << 0;
/// Bit of CSTS: the controller failed.
pub const FAILED: u32 = 1 << 1;
/// Bits of CSTS: shut down (SHST 10b).
pub const SHUT_DOWN: u32 = 0b10 << 2;
/// CC of an enabled controller: entries of 64 and 16 bytes, pages of 4 KiB, the NVM command set.
pub const ENABLED: u32 = 0x0046_0001;

/// Whether CC asks for a shutdown (SHN, bits 15:14).
pub const fn shuts_down(configuration: u32) -> bool {
    configuration >> 14 & 0b11 != 0
}

/// Whether CC has entries of 64 and 16 bytes (IOSQES 6, IOCQES 4).
pub const fn has_entry_sizes(configuration: u32) -> bool {
    configuration >> 16 & 0xff == 0x46
}

/// CAP of a controller with queues of at most `entries` and the NVM command set, ready within `timeout_ms`.
pub const fn capabilities(entries: u16, timeout_ms: u32) -> u64 {
    const CONTIGUOUS: u64 = 1 << 16;
    const NVM: u64 = 1 << 37;
    let timeout = (timeout_ms / 500) as u64 & 0xff;
    entries.saturating_sub(1) as u64 | CONTIGUOUS | timeout << 24 | NVM
}

/// The largest queue that CAP allows, in entries (MQES, 0's based).
pub const fn most_entries(capabilities: u64) -> u32 {
    (capabilities & 0xffff) as u32 + 1
}

/// Longest time until the controller is ready, in milliseconds (TO).
pub const fn timeout_ms(capabilities: u64) -> u32 {
    (capabilities >> 24 & 0xff) as u32 * 500
}

/// The controller's smallest memory page, in bytes (MPSMIN).
pub const fn page_bytes(capabilities: u64) -> u64 {
    1 << (12 + (capabilities >> 48 & 0xf))
}

/// A command that reads a property.
pub fn get(offset: u32, is_long: bool) -> SubmissionEntry {
    SubmissionEntry::fabrics(command_type::PROPERTY_GET, [u32::from(is_long), offset, 0, 0, 0, 0])
}

/// A command that writes a property of 4 bytes.
pub fn set(offset: u32, value: u32) -> SubmissionEntry {
    SubmissionEntry::fabrics(command_type::PROPERTY_SET, [0, offset, value, 0, 0, 0])
}
