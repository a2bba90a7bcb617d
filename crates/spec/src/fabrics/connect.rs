//! Connect, which makes a connection a queue of a controller (Base, "Connect Command and Response").

use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{NAME_BYTES, SubmissionEntry, command_type};
use crate::{ShortBufferError, Status, view};

/// The controller identifier that asks for any controller.
pub const ANY_CONTROLLER: u16 = 0xffff;
/// The largest identifier that a controller may have.
pub const LAST_CONTROLLER: u16 = 0xffef;
/// Bit of CATTR: the host does not want its submission queue's head.
pub const WITHOUT_FLOW_CONTROL: u8 = 1 << 2;
/// Length of the data of a Connect, in bytes.
pub const DATA_BYTES: usize = 1024;

/// Offsets that a refusal names: of the queue's number and size in the command, and of fields of the data.
pub mod place {
    /// RECFMT in the command.
    pub const FORMAT: u16 = 40;
    /// QID in the command.
    pub const QUEUE: u16 = 42;
    /// SQSIZE in the command.
    pub const SIZE: u16 = 44;
    /// HOSTID in the data.
    pub const HOST_ID: u16 = 0;
    /// CNTLID in the data.
    pub const CONTROLLER: u16 = 16;
    /// SUBNQN in the data.
    pub const SUBSYSTEM: u16 = 256;
    /// HOSTNQN in the data.
    pub const HOST: u16 = 512;
}

/// Statuses of a Connect that was refused.
pub mod refused {
    use crate::Status;

    /// The format of the command is not known.
    pub const INCOMPATIBLE_FORMAT: Status = Status(0x4180);
    /// No room for another controller now.
    pub const CONTROLLER_BUSY: Status = Status(0x0181);
    /// A field is not valid; the result says which.
    pub const INVALID_PARAMETERS: Status = Status(0x4182);
    /// The host has no access.
    pub const INVALID_HOST: Status = Status(0x4184);
}

/// The data of a Connect.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct ConnectData {
    /// The host's identifier.
    pub hostid: [u8; 16],
    /// The controller asked for, or [`ANY_CONTROLLER`].
    pub cntlid: U16,
    reserved_18: [u8; 238],
    /// Name of the subsystem, ended by a zero.
    pub subnqn: [u8; 256],
    /// Name of the host, ended by a zero.
    pub hostnqn: [u8; 256],
    reserved_768: [u8; 256],
}

impl ConnectData {
    /// Of a host, a controller and names of at most [`NAME_BYTES`] bytes; what is longer is cut.
    pub fn new(hostid: [u8; 16], cntlid: u16, subsystem: &str, host: &str) -> Self {
        Self {
            hostid,
            cntlid: U16::new(cntlid),
            reserved_18: [0; 238],
            subnqn: padded(subsystem),
            hostnqn: padded(host),
            reserved_768: [0; 256],
        }
    }

    /// Reads it from the start of a buffer.
    ///
    /// # Errors
    /// When there are fewer than 1024 bytes.
    pub fn parse(bytes: &[u8]) -> Result<&Self, ShortBufferError> {
        view(bytes, "data of Connect")
    }
}

/// A name in its field of 256 bytes.
pub fn padded(name: &str) -> [u8; 256] {
    let mut field = [0; 256];
    for (to, from) in field.iter_mut().zip(name.as_bytes().iter().take(NAME_BYTES)) {
        *to = *from;
    }
    field
}

/// The name in a field, where it is one: ended by a zero, 1 to 223 bytes, without control characters.
pub fn name_of(field: &[u8]) -> Option<&str> {
    let length =
        field.iter().position(|byte| *byte == 0).filter(|length| (1..=NAME_BYTES).contains(length))?;
    let name = core::str::from_utf8(field.get(..length)?).ok()?;
    (!name.chars().any(char::is_control)).then_some(name)
}

/// The numbers in a Connect command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectFields {
    /// Format of the command: 0.
    pub format: u16,
    /// Which queue: 0 for the admin queue.
    pub queue: u16,
    /// Entries of the queue, 0's based.
    pub size: u16,
    /// Attributes.
    pub attributes: u8,
    /// Time without a sign of life after which the controller lets go, in milliseconds; 0: never.
    pub keep_alive_ms: u32,
}

impl ConnectFields {
    /// From a Connect command.
    pub fn of(entry: &SubmissionEntry) -> Self {
        let (first, second) = (entry.dword(10), entry.dword(11));
        Self {
            format: first as u16,
            queue: (first >> 16) as u16,
            size: second as u16,
            attributes: (second >> 16) as u8,
            keep_alive_ms: entry.dword(12),
        }
    }

    /// As a command.
    pub fn entry(&self) -> SubmissionEntry {
        let first = u32::from(self.queue) << 16 | u32::from(self.format);
        let second = u32::from(self.attributes) << 16 | u32::from(self.size);
        SubmissionEntry::fabrics(command_type::CONNECT, [first, second, self.keep_alive_ms, 0, 0, 0])
    }
}

/// The result of a Connect that was refused with [`refused::INVALID_PARAMETERS`]: the offset, in the data or in the
/// command.
pub const fn invalid(place: u16, in_data: bool) -> u64 {
    (in_data as u64) << 16 | place as u64
}

/// The specification's name of the status of a refused Connect; its numbers have other names for other commands.
pub fn refusal_name(status: Status) -> Option<&'static str> {
    if status.kind() != 1 {
        return status.name();
    }
    Some(match status.code() {
        0x80 => "Connect Incompatible Format",
        0x81 => "Connect Controller Busy",
        0x82 => "Connect Invalid Parameters",
        0x83 => "Connect Restart Discovery",
        0x84 => "Connect Invalid Host",
        0x90 => "Discover Restart",
        0x91 => "Authentication Required",
        _ => return None,
    })
}
