//! Commands and completions as capsules carry them (Base, "Submission Queue Entry" and "Completion Queue Entry").

use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::OPCODE;
use crate::{ShortBufferError, Status, view};

/// Flags of every command over fabrics: data is described by an SGL (PSDT 01b).
pub const FLAGS: u8 = 0x40;

/// Where a command's data is: its one SGL descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Descriptor {
    /// Address, or offset in the capsule; 0 on this transport.
    pub address: U64,
    /// Bytes.
    pub length: U32,
    reserved_12: [u8; 3],
    /// Type and subtype.
    pub kind: u8,
}

impl Descriptor {
    /// Kind: data goes by data PDUs, or there is none (transport data block, transport).
    pub const TRANSPORT: u8 = 0x5a;
    /// Kind: data is in the capsule (data block, offset).
    pub const IN_CAPSULE: u8 = 0x01;

    /// Of so many bytes, of a kind.
    pub fn new(kind: u8, bytes: u32) -> Self {
        Self { address: U64::ZERO, length: U32::new(bytes), reserved_12: [0; 3], kind }
    }
}

/// Which way the data of a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// There is none.
    None,
    /// To the controller.
    ToController,
    /// To the host.
    ToHost,
    /// Both ways, which no command here does.
    Both,
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct SubmissionEntry {
    /// Opcode.
    pub opcode: u8,
    /// Flags: [`FLAGS`].
    pub flags: u8,
    /// Which command it is, among those of its queue under way.
    pub cid: U16,
    /// Namespace; of a Fabrics command its type in the lowest byte.
    pub nsid: U32,
    reserved_8: [u8; 16],
    /// Where its data is.
    pub data: Descriptor,
    /// Command dwords 10 to 15.
    pub dwords_10_15: [U32; 6],
}

impl SubmissionEntry {
    /// A command without data.
    pub fn new(opcode: u8, nsid: u32, dwords_10_15: [u32; 6]) -> Self {
        Self {
            opcode,
            flags: FLAGS,
            cid: U16::ZERO,
            nsid: U32::new(nsid),
            reserved_8: [0; 16],
            data: Descriptor::new(Descriptor::TRANSPORT, 0),
            dwords_10_15: dwords_10_15.map(U32::new),
        }
    }

    /// A Fabrics command without data.
    pub fn fabrics(command_type: u8, dwords_10_15: [u32; 6]) -> Self {
        Self::new(OPCODE, u32::from(command_type), dwords_10_15)
    }

    /// Reads it from the start of a buffer.
    ///
    /// # Errors
    /// When there are fewer than 64 bytes.
    pub fn parse(bytes: &[u8]) -> Result<&Self, ShortBufferError> {
        view(bytes, "Submission Queue Entry")
    }

    /// The type of a Fabrics command; none of any other.
    pub fn fabrics_type(&self) -> Option<u8> {
        (self.opcode == OPCODE).then_some(self.nsid.get() as u8)
    }

    /// Which way its data goes, as the two lowest bits of an opcode, and of a Fabrics command's type, say.
    pub fn flow(&self) -> Flow {
        match self.fabrics_type().unwrap_or(self.opcode) & 0b11 {
            0b00 => Flow::None,
            0b01 => Flow::ToController,
            0b10 => Flow::ToHost,
            _ => Flow::Both,
        }
    }

    /// A command dword, 10 to 15; 0 for any other.
    pub fn dword(&self, number: usize) -> u32 {
        number.checked_sub(10).and_then(|at| self.dwords_10_15.get(at)).map_or(0, |dword| dword.get())
    }

    /// Dwords `low` and the one behind it as one number.
    pub fn long(&self, low: usize) -> u64 {
        u64::from(self.dword(low + 1)) << 32 | u64::from(self.dword(low))
    }
}

/// A completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct CompletionEntry {
    /// What the command has for an answer: 32 bits, of Property Get 64.
    pub result: U64,
    /// How far the controller took the submission queue; of no meaning without flow control.
    pub sqhd: U16,
    /// Reserved over fabrics.
    pub sqid: U16,
    /// Which command ended.
    pub cid: U16,
    /// Status, above a bit that is of no meaning here.
    pub status: U16,
}

impl CompletionEntry {
    /// The end of a command.
    pub fn new(cid: u16, status: Status, result: u64) -> Self {
        Self {
            result: U64::new(result),
            sqhd: U16::ZERO,
            sqid: U16::ZERO,
            cid: U16::new(cid),
            status: U16::new(status.0 << 1),
        }
    }

    /// How it ended.
    pub fn outcome(&self) -> Status {
        Status(self.status.get() >> 1)
    }
}
