//! What ends a connection: a peer that breaks the rules, by name.

use std::fmt;

use fathom_spec::fabrics::pdu::{
    HEADER_DIGEST_ERROR, INVALID_HEADER_FIELD, LIMIT_EXCEEDED, OUT_OF_RANGE, SEQUENCE_ERROR,
    UNSUPPORTED_PARAMETER, fatal_name,
};

/// A rule that a peer broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A type byte that stands for nothing.
    UnknownKind,
    /// A PDU that only the other side sends.
    WrongSide,
    /// Something before the connection was initialised.
    NotInitialized,
    /// A second ICReq or ICResp.
    InitializedTwice,
    /// HLEN is not that of the type.
    HeaderLength,
    /// PLEN does not fit the header and its data.
    TotalLength,
    /// PDO lies in the header, beyond the data, or is not aligned.
    DataOffset,
    /// A digest that was not agreed on, or none where one was.
    DigestFlag,
    /// LAST or SUCCESS where they do not belong.
    TransferFlag,
    /// The header's digest is wrong.
    HeaderDigest,
    /// A version of the format that is not known.
    FormatVersion,
    /// An alignment above 31.
    Alignment,
    /// Digests in force that were not asked for, or fewer.
    DigestsAgreed,
    /// Fewer digests asked for than the target insists on.
    DigestsMissing,
    /// A limit of data PDUs below 4096 bytes, or not a multiple of 4.
    DataLimit,
    /// A data PDU without data.
    NoData,
    /// More data in one PDU than was agreed on.
    TooMuchData,
    /// A PDU of a command that is not under way.
    UnknownCommand,
    /// An answer to a command that was not sent in full.
    EarlyAnswer,
    /// Data for a command that moves none this way.
    UnwantedData,
    /// Data that does not begin where the data before it ended.
    DataGap,
    /// Data beyond what was asked for.
    DataBeyond,
    /// Data behind that which was the last.
    DataAfterLast,
    /// The last data PDU says that it is not, or another one that it is.
    LastFlag,
    /// An R2T while another one of its command is out.
    TransferAskedTwice,
    /// An R2T for no data.
    NothingAsked,
    /// A tag of a transfer that was not given out.
    UnknownTransfer,
    /// A command identifier of a command under way.
    CommandInUse,
    /// More commands at once than the queue has entries.
    TooManyCommands,
    /// The peer ended the connection; with its status.
    Terminated(u16),
}

impl Fault {
    /// The fatal error status and information by which the peer is told.
    fn status(self) -> (u16, u32) {
        match self {
            Self::UnknownKind => (INVALID_HEADER_FIELD, 0),
            Self::DigestFlag | Self::TransferFlag | Self::LastFlag => (INVALID_HEADER_FIELD, 1),
            Self::HeaderLength => (INVALID_HEADER_FIELD, 2),
            Self::DataOffset => (INVALID_HEADER_FIELD, 3),
            Self::TotalLength | Self::NoData => (INVALID_HEADER_FIELD, 4),
            Self::UnknownTransfer => (INVALID_HEADER_FIELD, 10),
            Self::UnknownCommand | Self::CommandInUse => (INVALID_HEADER_FIELD, 8),
            Self::WrongSide
            | Self::NotInitialized
            | Self::InitializedTwice
            | Self::EarlyAnswer
            | Self::UnwantedData
            | Self::DataAfterLast
            | Self::Terminated(_) => (SEQUENCE_ERROR, 0),
            Self::HeaderDigest => (HEADER_DIGEST_ERROR, 0),
            Self::DataGap | Self::DataBeyond | Self::NothingAsked => (OUT_OF_RANGE, 0),
            Self::TooMuchData | Self::TransferAskedTwice | Self::TooManyCommands => (LIMIT_EXCEEDED, 0),
            Self::FormatVersion => (UNSUPPORTED_PARAMETER, 8),
            Self::Alignment => (UNSUPPORTED_PARAMETER, 10),
            Self::DigestsAgreed | Self::DigestsMissing => (UNSUPPORTED_PARAMETER, 11),
            Self::DataLimit => (UNSUPPORTED_PARAMETER, 12),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::UnknownKind => "an unknown type of PDU",
            Self::WrongSide => "a PDU that only this side sends",
            Self::NotInitialized => "a PDU before the connection was initialized",
            Self::InitializedTwice => "a second initialization",
            Self::HeaderLength => "a header length that is not that of the PDU's type",
            Self::TotalLength => "a length that does not fit the PDU",
            Self::DataOffset => "data at an invalid offset in the PDU",
            Self::DigestFlag => "a digest that was not negotiated, or none where one was",
            Self::TransferFlag => "a flag that does not belong to the PDU",
            Self::HeaderDigest => "a wrong header digest",
            Self::FormatVersion => "an unknown version of the PDU format",
            Self::Alignment => "a data alignment above 128 bytes",
            Self::DigestsAgreed => "digests other than those requested",
            Self::DigestsMissing => {
                "a request without the digests of headers and data that are required here"
            }
            Self::DataLimit => "an invalid limit on data PDUs (MAXH2CDATA)",
            Self::NoData => "a data PDU without data",
            Self::TooMuchData => "more data in one PDU than was negotiated",
            Self::UnknownCommand => "a PDU for a command that is not in flight",
            Self::EarlyAnswer => "an answer to a command that was not yet sent in full",
            Self::UnwantedData => "data for a command that expects none",
            Self::DataGap => "data that leaves a gap or overlaps",
            Self::DataBeyond => "data beyond the end of the command's data",
            Self::DataAfterLast => "data after the last of a command",
            Self::LastFlag => "a LAST flag that is missing or early",
            Self::TransferAskedTwice => "a second R2T while one is outstanding",
            Self::NothingAsked => "an R2T for no data",
            Self::UnknownTransfer => "an unknown transfer tag",
            Self::CommandInUse => "a command identifier that is still in flight",
            Self::TooManyCommands => "more commands than the queue has entries",
            Self::Terminated(_) => "the peer terminated the connection",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminated(fes) => match fatal_name(*fes) {
                Some(name) => write!(f, "{}: {name} (fatal error {fes:02x}h)", self.words()),
                None => write!(f, "{}: fatal error {fes:02x}h", self.words()),
            },
            _ => f.write_str(self.words()),
        }
    }
}

/// The end of a connection by the peer's fault.
/// Its own type: this room is below record, which has the one shape of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatalError {
    /// Which rule was broken.
    pub fault: Fault,
    /// Fatal error status, for the peer.
    pub fes: u16,
    /// Fatal error information, for the peer.
    pub fei: u32,
}

impl FatalError {
    /// Whether the peer is told: not where it ended the connection itself.
    pub fn is_told(&self) -> bool {
        !matches!(self.fault, Fault::Terminated(_))
    }
}

impl From<Fault> for FatalError {
    fn from(fault: Fault) -> Self {
        let (fes, fei) = fault.status();
        Self { fault, fes, fei }
    }
}

impl fmt::Display for FatalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_told() { write!(f, "the peer sent {}", self.fault) } else { self.fault.fmt(f) }
    }
}

impl std::error::Error for FatalError {}
