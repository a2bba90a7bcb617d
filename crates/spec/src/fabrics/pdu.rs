//! Headers of the TCP transport's PDUs (TCP, "PDU Definitions"). All have the common header first.

use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{CompletionEntry, SubmissionEntry};

/// What a PDU is: the first byte of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// ICReq: the host's wishes for the connection.
    InitializeRequest = 0x00,
    /// ICResp: what holds for the connection.
    InitializeResponse = 0x01,
    /// H2CTermReq: the host ends the connection because of an error.
    HostTermination = 0x02,
    /// C2HTermReq: the controller ends the connection because of an error.
    ControllerTermination = 0x03,
    /// CapsuleCmd: a command, with or without data.
    Command = 0x04,
    /// CapsuleResp: a completion.
    Response = 0x05,
    /// H2CData: data of a command that the controller asked for.
    HostData = 0x06,
    /// C2HData: data of a command for the host.
    ControllerData = 0x07,
    /// R2T: the controller asks for data of a command.
    ReadyToTransfer = 0x09,
}

impl Kind {
    /// The kind of a type byte; none for those not assigned.
    pub const fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            0x00 => Self::InitializeRequest,
            0x01 => Self::InitializeResponse,
            0x02 => Self::HostTermination,
            0x03 => Self::ControllerTermination,
            0x04 => Self::Command,
            0x05 => Self::Response,
            0x06 => Self::HostData,
            0x07 => Self::ControllerData,
            0x09 => Self::ReadyToTransfer,
            _ => return None,
        })
    }

    /// Bytes of its header, without digest: HLEN.
    pub const fn header_bytes(self) -> usize {
        match self {
            Self::InitializeRequest | Self::InitializeResponse => INITIALIZE_BYTES,
            Self::Command => COMMAND_BYTES,
            _ => SHORT_BYTES,
        }
    }

    /// Whether the host sends it.
    pub const fn is_from_host(self) -> bool {
        matches!(self, Self::InitializeRequest | Self::HostTermination | Self::Command | Self::HostData)
    }

    /// Whether it may carry data that has a place in a command.
    pub const fn may_carry_data(self) -> bool {
        matches!(self, Self::Command | Self::HostData | Self::ControllerData)
    }

    /// Whether its header is covered by a digest where one is agreed on.
    pub const fn is_digested(self) -> bool {
        !matches!(
            self,
            Self::InitializeRequest
                | Self::InitializeResponse
                | Self::HostTermination
                | Self::ControllerTermination
        )
    }

    /// The specification's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InitializeRequest => "ICReq",
            Self::InitializeResponse => "ICResp",
            Self::HostTermination => "H2CTermReq",
            Self::ControllerTermination => "C2HTermReq",
            Self::Command => "CapsuleCmd",
            Self::Response => "CapsuleResp",
            Self::HostData => "H2CData",
            Self::ControllerData => "C2HData",
            Self::ReadyToTransfer => "R2T",
        }
    }
}

/// Flag: a digest of the header follows it.
pub const HEADER_DIGEST: u8 = 1 << 0;
/// Flag: a digest of the data follows it.
pub const DATA_DIGEST: u8 = 1 << 1;
/// Flag: the last data PDU of its transfer.
pub const LAST: u8 = 1 << 2;
/// Flag: stands for a successful completion too, which will not be sent.
pub const SUCCESS: u8 = 1 << 3;

/// Bytes of the common header.
pub const COMMON_BYTES: usize = 8;
/// Bytes of ICReq and ICResp.
pub const INITIALIZE_BYTES: usize = 128;
/// Bytes of a CapsuleCmd's header.
pub const COMMAND_BYTES: usize = 72;
/// Bytes of every other header.
pub const SHORT_BYTES: usize = 24;
/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 4;
/// Bytes of the longest termination request: its header and the start of the PDU that was wrong.
pub const TERMINATION_BYTES: usize = 152;
/// The largest alignment of data that a peer may ask for, 0's based in units of 4 bytes: HPDA and CPDA.
pub const MOST_ALIGNMENT: u8 = 31;
/// The least that a controller may give as MAXH2CDATA, in bytes.
pub const LEAST_HOST_DATA: u32 = 4096;
/// Bit of DGST: header digests.
pub const WITH_HEADER_DIGEST: u8 = 1 << 0;
/// Bit of DGST: data digests.
pub const WITH_DATA_DIGEST: u8 = 1 << 1;

/// What every PDU begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct CommonHeader {
    /// Type: [`Kind`].
    pub kind: u8,
    /// Flags.
    pub flags: u8,
    /// Bytes of the header, without its digest.
    pub hlen: u8,
    /// Where data begins, from the PDU's start; 0 without data.
    pub pdo: u8,
    /// Bytes of the whole PDU.
    pub plen: U32,
}

/// ICReq.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct InitializeRequest {
    /// Common header.
    pub common: CommonHeader,
    /// Version of the format: 0.
    pub pfv: U16,
    /// Alignment wanted for data to the host, 0's based in units of 4 bytes.
    pub hpda: u8,
    /// Digests wanted.
    pub dgst: u8,
    /// R2Ts that a command may have outstanding, 0's based.
    pub maxr2t: U32,
    reserved_16: [u8; 112],
}

/// ICResp.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct InitializeResponse {
    /// Common header.
    pub common: CommonHeader,
    /// Version of the format: 0.
    pub pfv: U16,
    /// Alignment wanted for data to the controller, 0's based in units of 4 bytes.
    pub cpda: u8,
    /// Digests in force.
    pub dgst: u8,
    /// Bytes of data in one H2CData at most.
    pub maxh2cdata: U32,
    reserved_16: [u8; 112],
}

/// CapsuleCmd, without its data.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Command {
    /// Common header.
    pub common: CommonHeader,
    /// The command.
    pub entry: SubmissionEntry,
}

/// CapsuleResp.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Response {
    /// Common header.
    pub common: CommonHeader,
    /// The completion.
    pub entry: CompletionEntry,
}

/// H2CData, C2HData and R2T, which have their fields at the same places.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Data {
    /// Common header.
    pub common: CommonHeader,
    /// The command that it belongs to.
    pub cccid: U16,
    /// Of R2T and H2CData: which asking it is.
    pub ttag: U16,
    /// Where it lies in the command's data.
    pub offset: U32,
    /// Bytes.
    pub length: U32,
    reserved_20: [u8; 4],
}

/// H2CTermReq and C2HTermReq, without the start of the PDU that was wrong.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Termination {
    /// Common header.
    pub common: CommonHeader,
    /// Fatal error status; see [`fatal_name`].
    pub fes: U16,
    /// Fatal error information: where the error lies, or what was there.
    pub fei: U32,
    reserved_14: [u8; 10],
}

/// Fatal error: a field of a header is not valid.
pub const INVALID_HEADER_FIELD: u16 = 0x01;
/// Fatal error: a PDU that does not belong there.
pub const SEQUENCE_ERROR: u16 = 0x02;
/// Fatal error: a header's digest is wrong.
pub const HEADER_DIGEST_ERROR: u16 = 0x03;
/// Fatal error: data outside of what was asked for.
pub const OUT_OF_RANGE: u16 = 0x04;
/// Fatal error: more data, or more askings, than was agreed on.
pub const LIMIT_EXCEEDED: u16 = 0x05;
/// Fatal error: a parameter that is not supported.
pub const UNSUPPORTED_PARAMETER: u16 = 0x06;

/// The specification's name of a fatal error status; none for those not known here.
pub const fn fatal_name(fes: u16) -> Option<&'static str> {
    Some(match fes {
        INVALID_HEADER_FIELD => "Invalid PDU Header Field",
        SEQUENCE_ERROR => "PDU Sequence Error",
        HEADER_DIGEST_ERROR => "Header Digest Error",
        OUT_OF_RANGE => "Data Transfer Out of Range",
        LIMIT_EXCEEDED => "Data Transfer Limit Exceeded",
        UNSUPPORTED_PARAMETER => "Unsupported Parameter",
        _ => return None,
    })
}

/// A header that is all zeros but for its common part.
pub fn blank<T: FromBytes>() -> T {
    T::new_zeroed()
}
