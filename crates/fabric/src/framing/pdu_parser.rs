//! PDUs out of a stream, at whatever bytes it is cut.

use fathom_spec::fabrics::pdu::{
    COMMON_BYTES, Command, CommonHeader, DATA_DIGEST, DIGEST_BYTES, Data, HEADER_DIGEST, INITIALIZE_BYTES,
    InitializeRequest, InitializeResponse, Kind, LAST, Response, SHORT_BYTES, SUCCESS, TERMINATION_BYTES,
    Termination, blank,
};
use fathom_spec::fabrics::{CompletionEntry, SubmissionEntry};
use zerocopy::FromBytes;

use super::{FatalError, Fault, Framing, digest};

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A host.
    Host,
    /// A controller.
    Controller,
}

/// A PDU's header, as far as it says something.
#[derive(Clone, Copy, Debug)]
pub enum Pdu {
    /// ICReq.
    InitializeRequest(InitializeRequest),
    /// ICResp.
    InitializeResponse(InitializeResponse),
    /// CapsuleCmd, with the bytes of data in the capsule.
    Command(SubmissionEntry, u32),
    /// CapsuleResp.
    Response(CompletionEntry),
    /// H2CData or C2HData.
    Data {
        /// Where it belongs.
        header: Data,
        /// Whether it is the last of its transfer.
        last: bool,
        /// Whether it stands for a successful completion too.
        success: bool,
    },
    /// R2T.
    ReadyToTransfer(Data),
}

/// What a stream holds next.
#[derive(Debug)]
pub enum Step<'a> {
    /// A header; data follows where it says so.
    Header(Pdu),
    /// Some of the data of the PDU whose header came last.
    Data(&'a [u8]),
    /// The end of a PDU with data.
    End {
        /// Whether the data's digest was wrong.
        damaged: bool,
    },
    /// Nothing until more arrives.
    More,
}

/// Bytes kept of a header that is not there in full: the longest, with its digest.
const STAGED_BYTES: usize = INITIALIZE_BYTES + DIGEST_BYTES;

#[derive(Clone, Copy, Debug)]
enum State {
    /// A header, or the rest of one.
    Header,
    /// Padding before data.
    Padding(u32),
    /// Data.
    Data(u32),
    /// The data's digest, of which so many bytes are there.
    Digest(usize),
    /// The end of a PDU with data is to be told.
    End { damaged: bool },
}

/// Reads one direction of a connection.
#[derive(Debug)]
pub struct Parser {
    peer: Peer,
    framing: Framing,
    is_initialized: bool,
    /// Alignment of data that the peer must keep, in bytes.
    alignment: u32,
    most_data: u32,
    staged: [u8; STAGED_BYTES],
    have: usize,
    state: State,
    /// Bytes of data of the PDU at hand.
    data_bytes: u32,
    crc: u32,
    received_crc: [u8; DIGEST_BYTES],
}

impl Parser {
    /// At the start of a stream from `peer`, which may send PDUs of at most `most_data` bytes of data.
    pub fn new(peer: Peer, most_data: u32) -> Self {
        Self {
            peer,
            framing: Framing::default(),
            is_initialized: false,
            alignment: 4,
            most_data,
            staged: [0; STAGED_BYTES],
            have: 0,
            state: State::Header,
            data_bytes: 0,
            crc: 0,
            received_crc: [0; DIGEST_BYTES],
        }
    }

    /// What holds from the next PDU on.
    pub fn agree(&mut self, framing: Framing) {
        self.framing = framing;
    }

    /// Bytes of data that a PDU may carry from the next one on.
    pub fn limit(&mut self, most_data: u32) {
        self.most_data = most_data;
    }

    /// The start of the PDU whose header was read last, or is being read.
    pub fn offending(&self) -> &[u8] {
        let kept = match Kind::of(self.staged[0]) {
            Some(kind) if !matches!(self.state, State::Header) => kind.header_bytes(),
            _ => self.have,
        };
        &self.staged[..kept.min(INITIALIZE_BYTES)]
    }

    /// Takes what comes next from the front of `input`.
    ///
    /// # Errors
    /// When the peer breaks a rule; the stream is of no use then.
    pub fn step<'a>(&mut self, input: &mut &'a [u8]) -> Result<Step<'a>, FatalError> {
        loop {
            match self.state {
                State::Header => {
                    return Ok(match self.header(input)? {
                        Some(pdu) => Step::Header(pdu),
                        None => Step::More,
                    });
                }
                State::Padding(left) => {
                    let taken = take(input, left);
                    match left - taken.len() as u32 {
                        0 => self.state = State::Data(self.data_bytes),
                        rest => {
                            self.state = State::Padding(rest);
                            return Ok(Step::More);
                        }
                    }
                }
                State::Data(0) => self.state = self.after_data(),
                State::Data(left) => {
                    let piece = take(input, left);
                    if piece.is_empty() {
                        return Ok(Step::More);
                    }
                    if self.framing.data_digest {
                        self.crc = digest::append(self.crc, piece);
                    }
                    self.state = State::Data(left - piece.len() as u32);
                    return Ok(Step::Data(piece));
                }
                State::Digest(have) => {
                    let piece = take(input, (DIGEST_BYTES - have) as u32);
                    self.received_crc[have..have + piece.len()].copy_from_slice(piece);
                    match have + piece.len() {
                        DIGEST_BYTES => {
                            let damaged = u32::from_le_bytes(self.received_crc) != self.crc;
                            self.state = State::End { damaged };
                        }
                        have => {
                            self.state = State::Digest(have);
                            return Ok(Step::More);
                        }
                    }
                }
                State::End { damaged } => {
                    self.state = State::Header;
                    return Ok(Step::End { damaged });
                }
            }
        }
    }

    fn after_data(&self) -> State {
        if self.framing.data_digest { State::Digest(0) } else { State::End { damaged: false } }
    }

    /// Gathers a header, and judges it as soon as its first bytes are there.
    fn header(&mut self, input: &mut &[u8]) -> Result<Option<Pdu>, FatalError> {
        let kind = if self.have < COMMON_BYTES {
            match input.split_first_chunk::<COMMON_BYTES>() {
                // Of a length that is known when this is compiled: any other is copied by a call.
                Some((common, rest)) if self.have == 0 => {
                    self.staged[..COMMON_BYTES].copy_from_slice(common);
                    (self.have, *input) = (COMMON_BYTES, rest);
                }
                _ => self.stage(input, COMMON_BYTES),
            }
            // The length decides whether there is anything to wait for, so it is judged first.
            if self.have < COMMON_BYTES {
                return Ok(None);
            }
            self.judge_common()?
        } else {
            Kind::of(self.staged[0]).ok_or(Fault::UnknownKind)?
        };
        let digest = if kind.is_digested() { self.framing.header_digest_bytes() } else { 0 };
        let whole = kind.header_bytes() + digest;
        self.stage(input, whole);
        if self.have < whole {
            return Ok(None);
        }
        if digest > 0 {
            let (header, received) = self.staged[..whole].split_at(kind.header_bytes());
            if digest::crc32c(header).to_le_bytes() != *received {
                let fei = received.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
                return Err(FatalError { fei, ..Fault::HeaderDigest.into() });
            }
        }
        let pdu = self.read(kind, whole)?;
        self.have = 0;
        Ok(Some(pdu))
    }

    fn stage(&mut self, input: &mut &[u8], until: usize) {
        let piece = take(input, until.saturating_sub(self.have) as u32);
        self.staged[self.have..self.have + piece.len()].copy_from_slice(piece);
        self.have += piece.len();
    }

    fn common(&self) -> CommonHeader {
        CommonHeader::read_from_prefix(&self.staged).map_or_else(|_| blank(), |(common, _)| common)
    }

    fn judge_common(&self) -> Result<Kind, FatalError> {
        let common = self.common();
        let kind = Kind::of(common.kind).ok_or(Fault::UnknownKind)?;
        if kind.is_from_host() != (self.peer == Peer::Host) {
            return Err(Fault::WrongSide.into());
        }
        let initializes = matches!(kind, Kind::InitializeRequest | Kind::InitializeResponse);
        let terminates = matches!(kind, Kind::HostTermination | Kind::ControllerTermination);
        match (self.is_initialized, initializes) {
            (true, true) => return Err(Fault::InitializedTwice.into()),
            (false, false) if !terminates => return Err(Fault::NotInitialized.into()),
            _ => {}
        }
        if usize::from(common.hlen) != kind.header_bytes() {
            return Err(Fault::HeaderLength.into());
        }
        let plen = common.plen.get();
        if terminates {
            let fits = (SHORT_BYTES as u32..=TERMINATION_BYTES as u32).contains(&plen);
            return if fits { Ok(kind) } else { Err(Fault::TotalLength.into()) };
        }
        let has_digest = common.flags & HEADER_DIGEST != 0;
        if has_digest != (self.framing.header_digest && kind.is_digested()) {
            return Err(Fault::DigestFlag.into());
        }
        let header = kind.header_bytes() as u32 + if has_digest { DIGEST_BYTES as u32 } else { 0 };
        let is_data = matches!(kind, Kind::HostData | Kind::ControllerData);
        if common.flags & LAST != 0 && !is_data
            || common.flags & SUCCESS != 0 && (kind != Kind::ControllerData || common.flags & LAST == 0)
        {
            return Err(Fault::TransferFlag.into());
        }
        if !kind.may_carry_data() || common.pdo == 0 && kind == Kind::Command {
            return if plen == header { Ok(kind) } else { Err(Fault::TotalLength.into()) };
        }
        self.judge_data(&common, header).map(|()| kind)
    }

    /// Of a PDU with data, whose header with its digest takes `header` bytes.
    fn judge_data(&self, common: &CommonHeader, header: u32) -> Result<(), FatalError> {
        let (plen, pdo) = (common.plen.get(), u32::from(common.pdo));
        if plen < header {
            return Err(Fault::TotalLength.into());
        }
        if pdo < header || pdo > plen || !pdo.is_multiple_of(self.alignment) {
            return Err(Fault::DataOffset.into());
        }
        if (common.flags & DATA_DIGEST != 0) != self.framing.data_digest {
            return Err(Fault::DigestFlag.into());
        }
        match (plen - pdo).checked_sub(self.framing.data_digest_bytes() as u32) {
            None | Some(0) => Err(Fault::NoData.into()),
            Some(bytes) if bytes > self.most_data => Err(Fault::TooMuchData.into()),
            Some(_) => Ok(()),
        }
    }

    /// The header that is there in full, and what follows it.
    fn read(&mut self, kind: Kind, whole: usize) -> Result<Pdu, FatalError> {
        let common = self.common();
        let bytes = &self.staged[..kind.header_bytes()];
        let pdu = match kind {
            Kind::InitializeRequest => Pdu::InitializeRequest(of(bytes)?),
            Kind::InitializeResponse => Pdu::InitializeResponse(of(bytes)?),
            Kind::HostTermination | Kind::ControllerTermination => {
                return Err(Fault::Terminated(of::<Termination>(bytes)?.fes.get()).into());
            }
            Kind::Command => Pdu::Command(of::<Command>(bytes)?.entry, 0),
            Kind::Response => Pdu::Response(of::<Response>(bytes)?.entry),
            Kind::HostData | Kind::ControllerData => Pdu::Data {
                header: of(bytes)?,
                last: common.flags & LAST != 0,
                success: common.flags & SUCCESS != 0,
            },
            Kind::ReadyToTransfer => Pdu::ReadyToTransfer(of(bytes)?),
        };
        self.is_initialized = true;
        if !kind.may_carry_data() || common.pdo == 0 {
            return Ok(pdu);
        }
        let data_bytes = common.plen.get() - u32::from(common.pdo) - self.framing.data_digest_bytes() as u32;
        if let Pdu::Data { header, .. } = &pdu
            && header.length.get() != data_bytes
        {
            return Err(Fault::TotalLength.into());
        }
        self.data_bytes = data_bytes;
        self.crc = 0;
        self.state = State::Padding(u32::from(common.pdo) - whole as u32);
        Ok(match pdu {
            Pdu::Command(entry, _) => Pdu::Command(entry, data_bytes),
            other => other,
        })
    }
}

fn of<T: FromBytes>(bytes: &[u8]) -> Result<T, FatalError> {
    T::read_from_bytes(bytes).map_err(|_| Fault::HeaderLength.into())
}

/// The first `most` bytes of what is there, or fewer.
fn take<'a>(input: &mut &'a [u8], most: u32) -> &'a [u8] {
    let (taken, rest) = input.split_at(input.len().min(most as usize));
    *input = rest;
    taken
}
