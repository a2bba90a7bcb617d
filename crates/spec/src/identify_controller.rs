//! Identify Controller (Base 2.0, section 5.17.2.1, CNS 01h; NVM command set fields from byte 512).

use zerocopy::little_endian::{U16, U32, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{ShortBufferError, Text, view};

/// What a controller is and can do. Field names are the specification's.
#[derive(Clone, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct IdentifyController {
    /// PCI vendor.
    pub vid: U16,
    /// PCI subsystem vendor.
    pub ssvid: U16,
    /// Serial number; see [`serial`](Self::serial).
    pub sn: [u8; 20],
    /// Model number; see [`model`](Self::model).
    pub mn: [u8; 40],
    /// Firmware revision; see [`firmware`](Self::firmware).
    pub fr: [u8; 8],
    /// Recommended arbitration burst, as a power of two.
    pub rab: u8,
    /// Organisation that made it, least significant byte first.
    pub ieee: [u8; 3],
    /// Multi-path capabilities.
    pub cmic: u8,
    /// Maximum data transfer size; see [`max_transfer_bytes`](Self::max_transfer_bytes).
    pub mdts: u8,
    /// Controller identifier within its subsystem.
    pub cntlid: U16,
    /// Specification that it follows; see [`specification`](Self::specification).
    pub ver: U32,
    /// Resume latency from runtime D3, in microseconds.
    pub rtd3r: U32,
    /// Entry latency to runtime D3, in microseconds.
    pub rtd3e: U32,
    /// Optional asynchronous events.
    pub oaes: U32,
    /// Attributes.
    pub ctratt: U32,
    /// Read recovery levels.
    pub rrls: U16,
    reserved_102: [u8; 9],
    /// Controller type: 1 for I/O, 2 for discovery, 3 for administration.
    pub cntrltype: u8,
    /// Globally unique identifier.
    pub fguid: [u8; 16],
    /// Command retry delays 1 to 3, in units of 100 ms.
    pub crdt: [U16; 3],
    reserved_134: [u8; 122],
    /// Optional admin commands.
    pub oacs: U16,
    /// Abort command limit, 0's based.
    pub acl: u8,
    /// Asynchronous event request limit, 0's based.
    pub aerl: u8,
    /// Firmware updates.
    pub frmw: u8,
    /// Log page attributes.
    pub lpa: u8,
    /// Error log entries, 0's based.
    pub elpe: u8,
    /// Power states, 0's based; see [`power_states`](Self::power_states).
    pub npss: u8,
    /// Vendor specific admin command format.
    pub avscc: u8,
    /// Autonomous power state transitions: bit 0 says that they are supported.
    pub apsta: u8,
    /// Warning composite temperature threshold, in kelvins; 0 if not reported.
    pub wctemp: U16,
    /// Critical composite temperature threshold, in kelvins; 0 if not reported.
    pub cctemp: U16,
    /// Longest firmware activation, in units of 100 ms.
    pub mtfa: U16,
    /// Host memory buffer wanted, in units of 4 KiB.
    pub hmpre: U32,
    /// Host memory buffer needed at least, in units of 4 KiB.
    pub hmmin: U32,
    /// Capacity of the subsystem, in bytes; 0 if not reported.
    pub tnvmcap: U128,
    /// Capacity not given to any namespace, in bytes.
    pub unvmcap: U128,
    reserved_312: [u8; 8],
    /// Unit in which a keep-alive time is counted, in 100 ms; 0: no keep-alive.
    pub kas: U16,
    reserved_322: [u8; 190],
    /// Submission queue entry sizes, as powers of two of bytes: bits 03:00 required, bits 07:04 largest.
    pub sqes: u8,
    /// Completion queue entry sizes, in the same form.
    pub cqes: u8,
    /// Commands that the controller processes at once at most; 0 if not reported.
    pub maxcmd: U16,
    /// Highest namespace identifier.
    pub nn: U32,
    /// Optional NVM commands; see [`supports`](Self::supports).
    pub oncs: U16,
    /// Fused operations.
    pub fuses: U16,
    /// Format attributes.
    pub fna: u8,
    /// Volatile write cache; see [`has_volatile_write_cache`](Self::has_volatile_write_cache).
    pub vwc: u8,
    /// Atomic write unit, in logical blocks, 0's based.
    pub awun: U16,
    /// Atomic write unit at power failure, in logical blocks, 0's based.
    pub awupf: U16,
    /// Vendor specific I/O command format.
    pub icsvscc: u8,
    /// Namespace write protection.
    pub nwpc: u8,
    /// Atomic compare and write unit, in logical blocks, 0's based.
    pub acwu: U16,
    /// Copy descriptor formats.
    pub cdfs: U16,
    /// Scatter-gather lists.
    pub sgls: U32,
    /// Namespaces allowed at most.
    pub mnan: U32,
    reserved_544: [u8; 224],
    /// Name of the subsystem, UTF-8, ended by zeros.
    pub subnqn: [u8; 256],
    reserved_1024: [u8; 768],
    /// Largest command capsule over fabrics, in units of 16 bytes.
    pub ioccsz: U32,
    /// Largest response capsule over fabrics, in units of 16 bytes.
    pub iorcsz: U32,
    /// Where data begins in a capsule, behind the command, in units of 16 bytes.
    pub icdoff: U16,
    /// Fabrics controller attributes: bit 0 says that controllers are static.
    pub fcatt: u8,
    /// SGL descriptors of a command at most; 0: no limit.
    pub msdbd: u8,
    /// Optional Fabrics commands: bit 0 is Disconnect.
    pub ofcs: U16,
    reserved_1806: [u8; 242],
    /// Power states 0 to 31 (section 5.17.2.1, power state descriptor).
    pub psd: [PowerState; 32],
    /// Vendor's own.
    pub vendor: [u8; 1024],
}

/// One power state descriptor.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct PowerState {
    /// Maximum power; see [`max_power_milliwatts`](Self::max_power_milliwatts).
    pub mp: U16,
    reserved_2: u8,
    /// Bit 0: power is in 0.1 mW rather than 10 mW; bit 1: carries no I/O.
    pub flags: u8,
    /// Entry latency, in microseconds.
    pub enlat: U32,
    /// Exit latency, in microseconds.
    pub exlat: U32,
    rest: [u8; 20],
}

impl PowerState {
    /// Power drawn at most, in milliwatts; absent if not reported.
    pub fn max_power_milliwatts(&self) -> Option<f64> {
        let scale = if self.flags & 1 == 1 { 0.1 } else { 10.0 };
        (self.mp.get() != 0).then(|| f64::from(self.mp.get()) * scale)
    }
}

/// Optional commands of the NVM command set, as bits of ONCS (Base 2.0, section 5.17.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalCommand {
    /// Compare.
    Compare = 0,
    /// Write Uncorrectable.
    WriteUncorrectable = 1,
    /// Dataset Management: deallocation, which carries discards.
    DatasetManagement = 2,
    /// Write Zeroes.
    WriteZeroes = 3,
    /// Save and Select fields of features.
    SaveSelect = 4,
    /// Reservations.
    Reservations = 5,
    /// Timestamp.
    Timestamp = 6,
    /// Verify.
    Verify = 7,
    /// Copy.
    Copy = 8,
}

impl IdentifyController {
    /// Reads it from the start of a buffer.
    ///
    /// # Errors
    /// When there are fewer than 4096 bytes.
    pub fn parse(bytes: &[u8]) -> Result<&Self, ShortBufferError> {
        view(bytes, "Identify Controller")
    }

    /// Serial number.
    pub fn serial(&self) -> Text<'_> {
        Text(&self.sn)
    }

    /// Model.
    pub fn model(&self) -> Text<'_> {
        Text(&self.mn)
    }

    /// Firmware revision.
    pub fn firmware(&self) -> Text<'_> {
        Text(&self.fr)
    }

    /// Name of the subsystem.
    pub fn subsystem_name(&self) -> Text<'_> {
        Text(&self.subnqn)
    }

    /// Specification that it follows, as major, minor and tertiary number; absent before 1.2.
    pub fn specification(&self) -> Option<(u16, u8, u8)> {
        let version = self.ver.get();
        (version != 0).then_some(((version >> 16) as u16, (version >> 8) as u8, version as u8))
    }

    /// Bytes that one command may move at most: 2 to the power of MDTS units of the controller's
    /// smallest memory page, `min_page_bytes` (CAP.MPSMIN; 4096 or more). Absent if
    /// there is no limit, or one beyond any address.
    pub fn max_transfer_bytes(&self, min_page_bytes: u64) -> Option<u64> {
        if self.mdts == 0 {
            return None;
        }
        1u64.checked_shl(u32::from(self.mdts))?.checked_mul(min_page_bytes)
    }

    /// Whether writes may rest in a cache that a power failure empties, until a flush.
    pub fn has_volatile_write_cache(&self) -> bool {
        self.vwc & 1 == 1
    }

    /// Bytes of data that the capsule of an I/O command may carry over fabrics.
    pub fn in_capsule_bytes(&self) -> u64 {
        (u64::from(self.ioccsz.get()) * 16).saturating_sub(64)
    }

    /// Whether an optional command is supported.
    pub fn supports(&self, command: OptionalCommand) -> bool {
        self.oncs.get() >> (command as u16) & 1 == 1
    }

    /// Whether the controller changes its power state by itself when idle.
    pub fn has_autonomous_power_states(&self) -> bool {
        self.apsta & 1 == 1
    }

    /// The power states that exist: 1 to 32 of them.
    pub fn power_states(&self) -> &[PowerState] {
        &self.psd[..(usize::from(self.npss) + 1).min(self.psd.len())]
    }

    /// Temperature from which the device is too warm, in degrees Celsius, if reported.
    pub fn warning_celsius(&self) -> Option<f64> {
        crate::smart::celsius(self.wctemp.get())
    }

    /// Temperature from which the device may stop, in degrees Celsius, if reported.
    pub fn critical_celsius(&self) -> Option<f64> {
        crate::smart::celsius(self.cctemp.get())
    }
}
