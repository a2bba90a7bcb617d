//! One connection from the controller's side: commands in, data both ways, completions out.
//!
//! A command has a slot from its capsule until the last byte of its answer was copied out. Data is asked for whole, by
//! one R2T, and only after the command was judged.

use fathom_spec::Status;
use fathom_spec::admin::ASYNCHRONOUS_EVENT;
use fathom_spec::fabrics::capsule::Flow;
use fathom_spec::fabrics::pdu::{
    self, Data, InitializeRequest, InitializeResponse, Kind, LAST, MOST_ALIGNMENT, Response, SUCCESS, blank,
};
use fathom_spec::fabrics::{CompletionEntry, Descriptor, SubmissionEntry};
use zerocopy::little_endian::{U16, U32};

use crate::framing::{
    Extent, FatalError, Fault, Framing, GatherList, Item, Parser, Payloads, Pdu, Peer, SendQueue, Step,
};

/// Status: Invalid Field in Command, not to be retried.
pub(super) const INVALID_FIELD: Status = Status(0x4002);
/// Status: Invalid Command Opcode, not to be retried.
pub(super) const INVALID_OPCODE: Status = Status(0x4001);
/// Status: Transient Transport Error.
const DAMAGED: Status = Status(0x0022);
/// Status: Data SGL Length Invalid, not to be retried.
pub(super) const INVALID_LENGTH: Status = Status(0x400f);
/// Status: SGL Descriptor Type Invalid, not to be retried.
const INVALID_DESCRIPTOR: Status = Status(0x4011);

/// What a command's data comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostDataLength {
    /// Bytes from the host; 0 for none.
    pub from_host: u32,
}

/// Why a command is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is answered with a status, and a result that says more.
    Status(Status, u64),
    /// The connection ends.
    Fatal(Fault),
}

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How it ended.
    pub status: Status,
    /// What the completion holds.
    pub result: u64,
    /// Bytes for the host, from the start of the slot's buffer.
    pub bytes: u32,
}

impl Answer {
    /// A success without anything else.
    pub const DONE: Self = Self { status: Status(0), result: 0, bytes: 0 };

    /// A failure.
    pub const fn failed(status: Status) -> Self {
        Self { status, result: 0, bytes: 0 }
    }
}

/// What became of a command that was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandStart {
    /// It is over.
    Done(Answer),
    /// [`ControllerQueue::answer`] will be called.
    Later,
}

/// Who carries commands out, and owns the buffers of their slots.
pub trait Handler: Payloads {
    /// Judges a command before any of its data is taken.
    ///
    /// # Errors
    /// What it is answered with.
    fn admit(&mut self, command: &SubmissionEntry) -> Result<HostDataLength, Refusal>;

    /// A slot carries this command from here on, before any of its data is in the slot's buffer.
    fn take(&mut self, _slot: u32, _command: &SubmissionEntry) {}

    /// Begins a command whose data is in the slot's buffer.
    fn begin(&mut self, slot: u32, command: &SubmissionEntry) -> CommandStart;

    /// The host gave up a request for an event that it had begun: it will not be answered.
    fn event_given_up(&mut self) {}
}

/// What becomes of the digests that a host asks for, of headers and of data alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digests {
    /// They are in force as the host asks.
    #[default]
    Offer,
    /// A host that does not ask for both is refused.
    Require,
    /// None is in force, whatever the host asks: most hosts then end the connection by themselves.
    Off,
}

/// What a connection is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Bytes in a slot's buffer, which no command may exceed.
    pub transfer_bytes: u32,
    /// Bytes of data in a capsule.
    pub in_capsule_bytes: u32,
    /// Bytes of data in one H2CData.
    pub host_data_bytes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Free,
    /// Its capsule's data, or what it was asked for, arrives: of so many bytes so many are there.
    Receiving {
        bytes: u32,
        moved: u32,
        in_capsule: bool,
    },
    /// The handler has it.
    Begun,
    /// Its answer is to be sent.
    Answered,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    entry: SubmissionEntry,
    stage: Stage,
    is_damaged: bool,
}

/// Where the data at hand goes.
#[derive(Clone, Copy, Debug)]
enum DataDestination {
    Nowhere,
    Slot(u32),
}

/// One connection.
#[derive(Debug)]
pub struct ControllerQueue {
    limits: QueueLimits,
    digests: Digests,
    parser: Parser,
    outgoing: SendQueue,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// A bit for each command identifier under way.
    in_use: Vec<u64>,
    into: DataDestination,
    /// The refusal of the command whose data is at hand.
    refused: Option<(u16, Status, u64)>,
    without_flow_control: bool,
    /// Entries of the host's submission queue, 0 before it is known, and how far it was taken.
    entries: u16,
    head: u16,
}

impl ControllerQueue {
    /// At the start of a connection, with one slot: enough for a Connect.
    pub fn new(limits: QueueLimits) -> Self {
        let mut it = Self {
            limits,
            digests: Digests::Offer,
            parser: Parser::new(Peer::Host, limits.in_capsule_bytes.max(limits.host_data_bytes)),
            outgoing: SendQueue::new(4),
            slots: Vec::new(),
            free: Vec::new(),
            in_use: vec![0; 1 << 10],
            into: DataDestination::Nowhere,
            refused: None,
            without_flow_control: false,
            entries: 0,
            head: 0,
        };
        it.widen(1);
        it
    }

    /// What becomes of the digests that the host will ask for; without this they are offered.
    pub fn with_digests(mut self, digests: Digests) -> Self {
        self.digests = digests;
        self
    }

    /// Has so many slots from now on, of the buffers of [`QueueLimits::transfer_bytes`] in `limits`.
    pub fn become_queue(&mut self, slots: u32, limits: QueueLimits, without_flow_control: bool) {
        self.limits = limits;
        self.parser.limit(limits.in_capsule_bytes.max(limits.host_data_bytes));
        self.without_flow_control = without_flow_control;
        self.entries = slots.min(u32::from(u16::MAX)) as u16;
        self.widen(slots);
    }

    fn widen(&mut self, slots: u32) {
        let vacant =
            Slot { entry: SubmissionEntry::new(0, 0, [0; 6]), stage: Stage::Free, is_damaged: false };
        for slot in self.slots.len() as u32..slots {
            self.slots.push(vacant);
            self.free.push(slot);
        }
    }

    /// Whether there are bytes to send.
    pub fn has_output(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Copies what is to be sent behind `out`, up to `room` bytes in all; data that is [left](Self::leave_data) where it
    /// is counts, and is put into `gathered`. A slot whose last data is there is free for the next command: all of it is to
    /// be sent, or copied, before anything else is received.
    pub fn fill<P: Payloads + ?Sized>(
        &mut self,
        payloads: &mut P,
        (out, room): (&mut Vec<u8>, usize),
        gathered: &mut GatherList,
    ) {
        while let Some(tag) = self.outgoing.fill(payloads, (&mut *out, room), gathered) {
            self.release(tag);
        }
    }

    /// Leaves data where it is as far as there is a view of it, for who gives at least 64 KiB of room: see
    /// [`fill`](Self::fill), and [`rest`](Self::rest) for long data.
    pub fn leave_data(&mut self) {
        self.outgoing.leave_data();
    }

    /// Data that is to be sent next, straight from its slot's buffer and behind what [`fill`](Self::fill) gave.
    pub fn rest(&self) -> Option<Extent> {
        self.outgoing.rest()
    }

    /// So many bytes of [`rest`](Self::rest) are out.
    pub fn sent(&mut self, bytes: u32) {
        if let Some(tag) = self.outgoing.sent(bytes) {
            self.release(tag);
        }
    }

    /// The slot of a PDU that is out to its last byte, where it was the last of its command.
    fn release(&mut self, tag: Option<u32>) {
        let Some(slot) = tag else { return };
        let place = &mut self.slots[slot as usize];
        place.stage = Stage::Free;
        let identifier = place.entry.cid.get();
        self.mark(identifier, false);
        self.free.push(slot);
    }

    /// Takes all of what arrived.
    ///
    /// # Errors
    /// When the host breaks a rule, or ended the connection. What [`fill`](Self::fill) gives then is the termination
    /// request.
    pub fn received<H: Handler + ?Sized>(&mut self, bytes: &[u8], handler: &mut H) -> Result<(), FatalError> {
        self.take(bytes, handler).inspect_err(|fatal| {
            self.outgoing.terminate(false, fatal, self.parser.offending());
        })
    }

    fn take<H: Handler + ?Sized>(&mut self, mut bytes: &[u8], handler: &mut H) -> Result<(), FatalError> {
        loop {
            match self.parser.step(&mut bytes)? {
                Step::More => return Ok(()),
                Step::Header(Pdu::InitializeRequest(wish)) => self.initialize(&wish)?,
                Step::Header(Pdu::Command(entry, bytes)) => self.command(entry, bytes, handler)?,
                Step::Header(Pdu::Data { header, last, .. }) => self.data(&header, last)?,
                Step::Header(_) => return Err(Fault::WrongSide.into()),
                Step::Data(piece) => self.piece(piece, handler)?,
                Step::End { damaged } => self.arrived(damaged, handler),
            }
        }
    }

    fn initialize(&mut self, wish: &InitializeRequest) -> Result<(), FatalError> {
        if wish.pfv.get() != 0 {
            return Err(Fault::FormatVersion.into());
        }
        if wish.hpda > MOST_ALIGNMENT {
            return Err(Fault::Alignment.into());
        }
        let is_offered = self.digests != Digests::Off;
        let framing = Framing {
            header_digest: is_offered && wish.dgst & pdu::WITH_HEADER_DIGEST != 0,
            data_digest: is_offered && wish.dgst & pdu::WITH_DATA_DIGEST != 0,
            sent_alignment: (usize::from(wish.hpda) + 1) * 4,
        };
        if self.digests == Digests::Require && !(framing.header_digest && framing.data_digest) {
            return Err(Fault::DigestsMissing.into());
        }
        let mut answer: InitializeResponse = blank();
        answer.dgst = framing.digests();
        answer.maxh2cdata = U32::new(self.limits.host_data_bytes);
        let item = Item::new(&Framing::default(), (Kind::InitializeResponse, 0), &answer, None, None);
        self.outgoing.push(item);
        self.outgoing.framing = framing;
        self.parser.agree(framing);
        Ok(())
    }

    fn command<H: Handler + ?Sized>(
        &mut self,
        entry: SubmissionEntry,
        bytes: u32,
        handler: &mut H,
    ) -> Result<(), FatalError> {
        let identifier = entry.cid.get();
        if self.is_marked(identifier) {
            if !self.gives_up_event(identifier) {
                return Err(Fault::CommandInUse.into());
            }
            handler.event_given_up();
        }
        if self.free.is_empty() || self.refused.is_some() {
            return Err(Fault::TooManyCommands.into());
        }
        if bytes > self.limits.in_capsule_bytes {
            return Err(Fault::TooMuchData.into());
        }
        if self.entries > 0 {
            self.head = (self.head + 1) % self.entries;
        }
        let wanted = match self.judged(&entry, bytes, handler) {
            Ok(wanted) => wanted,
            Err(Refusal::Fatal(fault)) => return Err(fault.into()),
            Err(Refusal::Status(status, result)) if bytes > 0 => {
                (self.refused, self.into) = (Some((identifier, status, result)), DataDestination::Nowhere);
                return Ok(());
            }
            Err(Refusal::Status(status, result)) => {
                self.complete(identifier, status, result);
                return Ok(());
            }
        };
        let slot = self.free.pop().ok_or(Fault::TooManyCommands)?;
        self.mark(identifier, true);
        handler.take(slot, &entry);
        let in_capsule = bytes > 0;
        let stage = Stage::Receiving { bytes: wanted, moved: 0, in_capsule };
        self.slots[slot as usize] = Slot { entry, stage, is_damaged: false };
        if in_capsule {
            self.into = DataDestination::Slot(slot);
        } else if wanted > 0 {
            let mut header: Data = blank();
            header.cccid = U16::new(identifier);
            header.ttag = U16::new(slot as u16);
            header.length = U32::new(wanted);
            let item = Item::new(&self.outgoing.framing, (Kind::ReadyToTransfer, 0), &header, None, None);
            self.outgoing.push(item);
        } else {
            self.begin(slot, handler);
        }
        Ok(())
    }

    /// Whether the command under way of this identifier is a request for an event. A host that leaves gives those up by
    /// itself and takes their identifiers again, as SPDK's does for its shutdown: their places are free then.
    #[cold]
    fn gives_up_event(&mut self, identifier: u16) -> bool {
        let held = self.slots.iter().position(|slot| {
            slot.stage == Stage::Begun
                && slot.entry.cid.get() == identifier
                && slot.entry.opcode == ASYNCHRONOUS_EVENT
        });
        self.release(held.map(|slot| slot as u32));
        held.is_some()
    }

    /// Bytes that a command brings, where it may be carried out.
    fn judged<H: Handler + ?Sized>(
        &self,
        entry: &SubmissionEntry,
        in_capsule: u32,
        handler: &mut H,
    ) -> Result<u32, Refusal> {
        let HostDataLength { from_host } = handler.admit(entry)?;
        let refuse = |status| Err(Refusal::Status(status, 0));
        let (address, length, kind) = (entry.data.address, entry.data.length, entry.data.kind);
        if in_capsule > 0 || kind == Descriptor::IN_CAPSULE {
            if kind != Descriptor::IN_CAPSULE || entry.flow() != Flow::ToController {
                return refuse(INVALID_DESCRIPTOR);
            }
            if address.get() != 0 {
                return refuse(INVALID_FIELD);
            }
            if length.get() != in_capsule {
                return refuse(INVALID_LENGTH);
            }
        } else if kind != Descriptor::TRANSPORT && length.get() > 0 {
            return refuse(INVALID_DESCRIPTOR);
        }
        let length = if from_host > 0 { length.get() } else { 0 };
        if length != from_host || from_host == 0 && in_capsule > 0 || from_host > self.limits.transfer_bytes {
            return refuse(INVALID_LENGTH);
        }
        Ok(from_host)
    }

    fn data(&mut self, header: &Data, last: bool) -> Result<(), FatalError> {
        let tag = u32::from(header.ttag.get());
        let slot = self.slots.get(tag as usize).ok_or(Fault::UnknownTransfer)?;
        let Stage::Receiving { bytes, moved, in_capsule: false } = slot.stage else {
            return Err(Fault::UnknownTransfer.into());
        };
        if slot.entry.cid != header.cccid {
            return Err(Fault::UnknownCommand.into());
        }
        if header.length.get() > self.limits.host_data_bytes {
            return Err(Fault::TooMuchData.into());
        }
        if header.offset.get() != moved {
            return Err(Fault::DataGap.into());
        }
        if header.length.get() > bytes - moved {
            return Err(Fault::DataBeyond.into());
        }
        if last != (moved + header.length.get() == bytes) {
            return Err(Fault::LastFlag.into());
        }
        self.into = DataDestination::Slot(tag);
        Ok(())
    }

    fn piece<H: Handler + ?Sized>(&mut self, piece: &[u8], handler: &mut H) -> Result<(), FatalError> {
        let DataDestination::Slot(slot) = self.into else { return Ok(()) };
        let Stage::Receiving { moved, .. } = &mut self.slots[slot as usize].stage else {
            return Err(Fault::UnwantedData.into());
        };
        let from = *moved as usize;
        let into = handler.payload(slot).get_mut(from..from + piece.len()).ok_or(Fault::DataBeyond)?;
        into.copy_from_slice(piece);
        *moved += piece.len() as u32;
        Ok(())
    }

    /// The end of a PDU's data.
    fn arrived<H: Handler + ?Sized>(&mut self, damaged: bool, handler: &mut H) {
        if let Some((identifier, status, result)) = self.refused.take() {
            self.complete(identifier, status, result);
            return;
        }
        let DataDestination::Slot(slot) = std::mem::replace(&mut self.into, DataDestination::Nowhere) else {
            return;
        };
        let place = &mut self.slots[slot as usize];
        place.is_damaged |= damaged;
        if let Stage::Receiving { bytes, moved, .. } = place.stage
            && bytes == moved
        {
            if place.is_damaged {
                place.stage = Stage::Begun;
                self.answer(slot, Answer::failed(DAMAGED));
            } else {
                self.begin(slot, handler);
            }
        }
    }

    fn begin<H: Handler + ?Sized>(&mut self, slot: u32, handler: &mut H) {
        let place = &mut self.slots[slot as usize];
        place.stage = Stage::Begun;
        let entry = place.entry;
        if let CommandStart::Done(answer) = handler.begin(slot, &entry) {
            self.answer(slot, answer);
        }
    }

    /// Ends the command of a slot that the handler has; anything else does nothing.
    pub fn answer(&mut self, slot: u32, answer: Answer) {
        let Some(place) = self.slots.get_mut(slot as usize).filter(|slot| slot.stage == Stage::Begun) else {
            return;
        };
        place.stage = Stage::Answered;
        let entry = place.entry;
        let bytes = if answer.status.is_success() { answer.bytes.min(entry.data.length.get()) } else { 0 };
        // A completion that says nothing more is left out where the host does not want the queue's head.
        let is_told = bytes > 0 && self.without_flow_control && answer.status.0 == 0 && answer.result == 0;
        if bytes > 0 {
            let mut header: Data = blank();
            header.cccid = entry.cid;
            header.length = U32::new(bytes);
            let flags = LAST | if is_told { SUCCESS } else { 0 };
            let payload = Some(Extent { slot, offset: 0, bytes });
            let tag = is_told.then_some(slot);
            let item =
                Item::new(&self.outgoing.framing, (Kind::ControllerData, flags), &header, payload, tag);
            self.outgoing.push(item);
        }
        if !is_told {
            self.respond(entry.cid.get(), answer.status, answer.result, Some(slot));
        }
    }

    /// A completion of a command that never had a slot.
    fn complete(&mut self, identifier: u16, status: Status, result: u64) {
        self.respond(identifier, status, result, None);
    }

    fn respond(&mut self, identifier: u16, status: Status, result: u64, tag: Option<u32>) {
        let mut header: Response = blank();
        header.entry = CompletionEntry::new(identifier, status, result);
        header.entry.sqhd = U16::new(self.head);
        let item = Item::new(&self.outgoing.framing, (Kind::Response, 0), &header, None, tag);
        self.outgoing.push(item);
    }

    /// PDUs that wait to be sent: who owns the connection reads no more from a host that lets them pile up.
    pub fn waiting(&self) -> usize {
        self.outgoing.len()
    }

    fn is_marked(&self, identifier: u16) -> bool {
        self.in_use[usize::from(identifier) / 64] >> (identifier % 64) & 1 == 1
    }

    fn mark(&mut self, identifier: u16, is_in_use: bool) {
        let word = &mut self.in_use[usize::from(identifier) / 64];
        let bit = 1 << (identifier % 64);
        *word = if is_in_use { *word | bit } else { *word & !bit };
    }
}
