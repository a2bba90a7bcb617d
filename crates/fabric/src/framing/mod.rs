//! The framing that both sides share: PDUs out of a stream, and into one.

mod digest;
mod outgoing_pdus;
mod pdu_parser;
mod protocol_fault;

pub use digest::{append, crc32c};
pub use outgoing_pdus::{Extent, GatherList, Item, SendQueue};
pub use pdu_parser::{Parser, Pdu, Peer, Step};
pub use protocol_fault::{FatalError, Fault};

/// The buffers of commands, by slot: whoever owns the connection has them.
pub trait Payloads {
    /// The whole buffer of a slot.
    fn payload(&mut self, slot: u32) -> &mut [u8];

    /// The same to read alone, so that those of several slots can be sent from where they are; `None` where each is
    /// copied.
    fn view(&self, slot: u32) -> Option<&[u8]> {
        let _ = slot;
        None
    }
}

/// What a connection's two sides agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Whether headers are followed by a digest.
    pub header_digest: bool,
    /// Whether data is followed by a digest.
    pub data_digest: bool,
    /// Alignment of data that this side sends, in bytes, 4 to 128.
    pub sent_alignment: usize,
}

impl Default for Framing {
    fn default() -> Self {
        Self { header_digest: false, data_digest: false, sent_alignment: 4 }
    }
}

impl Framing {
    /// Bytes that a digest of a header takes.
    pub(crate) fn header_digest_bytes(&self) -> usize {
        if self.header_digest { fathom_spec::fabrics::pdu::DIGEST_BYTES } else { 0 }
    }

    /// Bytes that a digest of data takes.
    pub(crate) fn data_digest_bytes(&self) -> usize {
        if self.data_digest { fathom_spec::fabrics::pdu::DIGEST_BYTES } else { 0 }
    }

    /// DGST of ICReq and ICResp.
    pub(crate) fn digests(&self) -> u8 {
        use fathom_spec::fabrics::pdu::{WITH_DATA_DIGEST, WITH_HEADER_DIGEST};
        (if self.header_digest { WITH_HEADER_DIGEST } else { 0 })
            | (if self.data_digest { WITH_DATA_DIGEST } else { 0 })
    }
}
