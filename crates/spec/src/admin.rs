//! The admin commands that read and change nothing, and the words that select what they return.

/// Opcode of Get Log Page (Base 2.0, section 5.16).
pub const GET_LOG_PAGE: u8 = 0x02;
/// Opcode of Identify (Base 2.0, section 5.17).
pub const IDENTIFY: u8 = 0x06;
/// Opcode of Abort.
pub const ABORT: u8 = 0x08;
/// Opcode of Set Features.
pub const SET_FEATURES: u8 = 0x09;
/// Opcode of Get Features.
pub const GET_FEATURES: u8 = 0x0a;
/// Opcode of Asynchronous Event Request.
pub const ASYNCHRONOUS_EVENT: u8 = 0x0c;
/// Opcode of Keep Alive.
pub const KEEP_ALIVE: u8 = 0x18;

/// Feature: number of queues.
pub const FEATURE_QUEUES: u8 = 0x07;
/// Feature: which asynchronous events are wanted.
pub const FEATURE_EVENTS: u8 = 0x0b;
/// Feature: keep-alive time.
pub const FEATURE_KEEP_ALIVE: u8 = 0x0f;
/// Feature: the host's identifier.
pub const FEATURE_HOST: u8 = 0x81;

/// Length of every Identify data structure, in bytes (Base 2.0, section 5.17).
pub const IDENTIFY_BYTES: usize = 4096;
/// Namespace identifier that means the whole controller.
pub const ALL_NAMESPACES: u32 = 0xffff_ffff;

/// What Identify returns: the CNS field of command dword 10 (Base 2.0, section 5.17.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentifyWhat {
    /// CNS 00h: the namespace of the command's namespace identifier.
    Namespace,
    /// CNS 01h: the controller.
    Controller,
    /// CNS 02h: the namespaces above the command's namespace identifier.
    ActiveNamespaces,
    /// CNS 03h: the list of the namespace's identifiers; see [`crate::descriptors`].
    NamespaceDescriptors,
}

impl IdentifyWhat {
    /// Command dword 10.
    pub const fn dword10(self) -> u32 {
        match self {
            Self::Namespace => 0x00,
            Self::Controller => 0x01,
            Self::ActiveNamespaces => 0x02,
            Self::NamespaceDescriptors => 0x03,
        }
    }
}

/// Command dword 10 of Get Log Page for a whole log of `bytes` bytes: the log identifier in bits
/// 07:00 and the 0's based number of dwords in bits 31:16 (Base 2.0, section 5.16). Lengths
/// that are not 4 to 262,144 bytes in steps of 4 are brought into that range.
pub const fn log_page_dword10(log_identifier: u8, bytes: u32) -> u32 {
    let dwords = match bytes / 4 {
        0 => 1,
        n if n > 0x1_0000 => 0x1_0000,
        n => n,
    };
    ((dwords - 1) << 16) | log_identifier as u32
}
