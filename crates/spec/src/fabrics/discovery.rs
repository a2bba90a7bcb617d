//! The discovery log page: which subsystems a target has, and where (Base, "Discovery Log Page").

use zerocopy::little_endian::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::connect::{name_of, padded};
use crate::{ShortBufferError, Text, view};

/// Log identifier of this page.
pub const LOG_IDENTIFIER: u8 = 0x70;
/// Length of its header and of each entry, in bytes.
pub const PART_BYTES: usize = 1024;

/// Transport type: TCP.
pub const TCP: u8 = 3;
/// Address family: IPv4.
pub const IPV4: u8 = 1;
/// Address family: IPv6.
pub const IPV6: u8 = 2;
/// Subsystem type: one with namespaces.
pub const NVM: u8 = 2;
/// Bits 1:0 of TREQ: a secure channel is required.
pub const SECURE_CHANNEL: u8 = 0b01;
/// Bits 1:0 of TREQ: a secure channel is not required.
pub const NO_SECURE_CHANNEL: u8 = 0b10;

/// The header.
#[derive(Clone, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Header {
    /// Changes with the page.
    pub genctr: U64,
    /// Entries behind the header.
    pub numrec: U64,
    /// Format of the entries: 0.
    pub recfmt: U16,
    reserved_18: [u8; 1006],
}

impl Header {
    /// Of a page with so many entries.
    pub fn new(generation: u64, entries: u64) -> Self {
        Self {
            genctr: U64::new(generation),
            numrec: U64::new(entries),
            recfmt: U16::ZERO,
            reserved_18: [0; 1006],
        }
    }

    /// Reads it from the start of a buffer.
    ///
    /// # Errors
    /// When there are fewer than 1024 bytes.
    pub fn parse(bytes: &[u8]) -> Result<&Self, ShortBufferError> {
        view(bytes, "discovery log page")
    }
}

/// One entry.
#[derive(Clone, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Entry {
    /// Transport: [`TCP`].
    pub trtype: u8,
    /// Address family.
    pub adrfam: u8,
    /// Kind of subsystem.
    pub subtype: u8,
    /// Requirements of the transport.
    pub treq: u8,
    /// Port of the subsystem, not of the transport.
    pub portid: U16,
    /// Controller, or any.
    pub cntlid: U16,
    /// Largest admin queue, in entries.
    pub asqsz: U16,
    /// Flags.
    pub eflags: U16,
    reserved_12: [u8; 20],
    /// Port, in ASCII.
    pub trsvcid: [u8; 32],
    reserved_64: [u8; 192],
    /// Name of the subsystem, ended by a zero.
    pub subnqn: [u8; 256],
    /// Address, in ASCII.
    pub traddr: [u8; 256],
    /// What the transport adds: of TCP, byte 0 is the security.
    pub tsas: [u8; 256],
}

impl Entry {
    /// A subsystem with namespaces at an address.
    pub fn new(subsystem: &str, address: &str, is_ipv6: bool, port: u16) -> Self {
        Self {
            trtype: TCP,
            adrfam: if is_ipv6 { IPV6 } else { IPV4 },
            subtype: NVM,
            treq: NO_SECURE_CHANNEL,
            portid: U16::ZERO,
            cntlid: U16::new(super::connect::ANY_CONTROLLER),
            asqsz: U16::new(32),
            eflags: U16::ZERO,
            reserved_12: [0; 20],
            trsvcid: decimal(port),
            reserved_64: [0; 192],
            subnqn: padded(subsystem),
            traddr: padded(address),
            tsas: [0; 256],
        }
    }

    /// Reads it from the start of a buffer.
    ///
    /// # Errors
    /// When there are fewer than 1024 bytes.
    pub fn parse(bytes: &[u8]) -> Result<&Self, ShortBufferError> {
        view(bytes, "entry of the discovery log page")
    }

    /// Name of the subsystem; none where it is not one.
    pub fn subsystem(&self) -> Option<&str> {
        name_of(&self.subnqn)
    }

    /// Address.
    pub fn address(&self) -> Text<'_> {
        Text(&self.traddr)
    }

    /// Port; none where the field holds no number of one.
    pub fn port(&self) -> Option<u16> {
        core::str::from_utf8(Text(&self.trsvcid).trimmed()).ok()?.parse().ok().filter(|port| *port != 0)
    }
}

fn decimal(port: u16) -> [u8; 32] {
    let mut digits = [0; 32];
    let count = port.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut rest = port;
    for digit in digits[..count].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    digits
}
