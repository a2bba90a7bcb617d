//! A queue pair from the host's side: commands out, data both ways, completions in.
//!
//! A slot carries one I/O, as one command or, above what a command may move, as several; it ends with the last of them.
//! Command identifiers hold the command's place and a generation, by which a late or repeated answer is known as such.

use fathom_spec::fabrics::capsule::Flow;
use fathom_spec::fabrics::pdu::{self, Command as CommandHeader, Data, Kind, LAST, blank};
use fathom_spec::fabrics::{CompletionEntry, Descriptor, SubmissionEntry};
use fathom_spec::{Status, io};
use zerocopy::little_endian::{U16, U32};

use super::connection_setup;
use crate::framing::{
    Extent, FatalError, Fault, Framing, GatherList, Item, Parser, Payloads, Pdu, Peer, SendQueue, Step,
};

/// Status of a command whose data was damaged on its way: Transient Transport Error.
const DAMAGED: Status = Status(0x0022);
/// Status of a read that ended well with less data than was asked for: Data Transfer Error.
const SHORT: Status = Status(0x0004);

/// What one command may move, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that a command moves at most; larger transfers are split.
    pub transfer_bytes: u32,
    /// Bytes of data in a command's capsule.
    pub in_capsule_bytes: u32,
}

/// A read or a write of logical blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// [`io::READ`] or [`io::WRITE`].
    pub opcode: u8,
    /// Namespace.
    pub nsid: u32,
    /// First byte, a multiple of the block.
    pub offset: u64,
    /// Bytes, a multiple of the block.
    pub bytes: u32,
    /// Size of a logical block as a power of two.
    pub block_shift: u32,
}

/// The end of what a slot carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotCompletion {
    /// Which slot.
    pub slot: u32,
    /// How: of several commands the first status that is not success.
    pub status: Status,
    /// The result of the last command.
    pub result: u64,
}

/// Data that the controller asked for and that is not sent yet.
#[derive(Clone, Copy, Debug)]
struct PendingTransfer {
    tag: u16,
    next: u32,
    end: u32,
}

/// One command's place.
#[derive(Clone, Copy, Debug)]
struct Place {
    is_active: bool,
    generation: u16,
    flow: Flow,
    /// Where its data begins in the slot's buffer, and how much it is.
    base: u32,
    bytes: u32,
    /// Bytes received, or asked for by the controller.
    moved: u32,
    pending: Option<PendingTransfer>,
    /// Whether a PDU of it waits to be sent.
    is_sending: bool,
    is_capsule_out: bool,
    had_last: bool,
    is_damaged: bool,
    /// How it ended, where a PDU of it is still to be sent.
    ending: Option<(Status, u64)>,
}

/// What a slot's commands came to so far.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    left: u32,
    status: u16,
    result: u64,
}

/// One queue pair.
#[derive(Debug)]
pub struct HostQueue {
    wished: Framing,
    limits: Limits,
    most_host_data: u32,
    is_open: bool,
    parser: Parser,
    outgoing: SendQueue,
    places: Vec<Place>,
    sums: Vec<Sum>,
    pieces: u32,
    index_bits: u32,
    /// Commands started, and transfers that the controller asked for, over the queue's life.
    counts: (u64, u64),
    /// The command that the data at hand belongs to, and whether its end is a completion.
    current: Option<(usize, bool)>,
}

impl HostQueue {
    /// At the start of a connection, with `slots` slots of up to `pieces` commands each. Asks for digests as `wished`
    /// says.
    pub fn new(wished: Framing, slots: u32, pieces: u32) -> Self {
        let commands = (slots * pieces) as usize;
        let place = Place {
            is_active: false,
            generation: 0,
            flow: Flow::None,
            base: 0,
            bytes: 0,
            moved: 0,
            pending: None,
            is_sending: false,
            is_capsule_out: false,
            had_last: false,
            is_damaged: false,
            ending: None,
        };
        let mut outgoing = SendQueue::new(commands + 2);
        outgoing.push(connection_setup::request(&wished));
        Self {
            wished,
            limits: Limits { transfer_bytes: u32::MAX, in_capsule_bytes: 8192 },
            most_host_data: pdu::LEAST_HOST_DATA,
            is_open: false,
            parser: Parser::new(Peer::Controller, u32::MAX),
            outgoing,
            places: vec![place; commands],
            sums: vec![Sum::default(); slots as usize],
            pieces,
            index_bits: usize::BITS - commands.saturating_sub(1).leading_zeros(),
            counts: (0, 0),
            current: None,
        }
    }

    /// Commands started, and transfers that the controller asked for, since the queue was made.
    pub fn counts(&self) -> (u64, u64) {
        self.counts
    }

    /// What holds for commands from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Whether the controller answered the initialization.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether there are bytes to send.
    pub fn has_output(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Starts a command whose data, if it has any, is the first `bytes` of the slot's buffer. False where the slot is
    /// not free.
    pub fn start(&mut self, slot: u32, entry: SubmissionEntry, bytes: u32) -> bool {
        self.begin(slot, 1) && {
            self.command(slot, 0, entry, (0, bytes), None);
            true
        }
    }

    /// Starts a command with 16 bytes of data of its own, which go in its capsule. False where the slot is not free.
    pub fn start_with(&mut self, slot: u32, entry: SubmissionEntry, data: &[u8; 16]) -> bool {
        self.begin(slot, 1) && {
            self.command(slot, 0, entry, (0, 16), Some(data));
            true
        }
    }

    /// Starts a read into or a write from the slot's buffer, as several commands where it is longer than one may be.
    /// False where the slot is not free, or has fewer places than commands.
    pub fn start_transfer(&mut self, slot: u32, transfer: Transfer) -> bool {
        let most = self.limits.transfer_bytes.min(io::MOST_BLOCKS << transfer.block_shift.min(15));
        let most = most >> transfer.block_shift << transfer.block_shift;
        let count = transfer.bytes.div_ceil(most.max(1));
        if most == 0 || count == 0 || count > self.pieces || !self.begin(slot, count) {
            return false;
        }
        for piece in 0..count {
            let base = piece * most;
            let bytes = most.min(transfer.bytes - base);
            let first = (transfer.offset + u64::from(base)) >> transfer.block_shift;
            let [low, high, blocks] = io::transfer_dwords(first, bytes >> transfer.block_shift);
            let entry = SubmissionEntry::new(transfer.opcode, transfer.nsid, [low, high, blocks, 0, 0, 0]);
            self.command(slot, piece, entry, (base, bytes), None);
        }
        true
    }

    /// Nothing begins before the connection is initialized: there is nothing agreed on to frame it by.
    fn begin(&mut self, slot: u32, commands: u32) -> bool {
        match self.sums.get_mut(slot as usize) {
            Some(sum) if self.is_open && sum.left == 0 => {
                *sum = Sum { left: commands, ..Sum::default() };
                true
            }
            _ => false,
        }
    }

    fn command(
        &mut self,
        slot: u32,
        piece: u32,
        mut entry: SubmissionEntry,
        (base, bytes): (u32, u32),
        own: Option<&[u8; 16]>,
    ) {
        let index = slot * self.pieces + piece;
        let place = &mut self.places[index as usize];
        let flow = if bytes == 0 { Flow::None } else { entry.flow() };
        *place = Place {
            is_active: true,
            generation: place.generation.wrapping_add(1),
            flow,
            base,
            bytes,
            moved: 0,
            pending: None,
            is_sending: true,
            is_capsule_out: false,
            had_last: false,
            is_damaged: false,
            ending: None,
        };
        entry.cid = U16::new(identifier(index, place.generation, self.index_bits));
        let in_capsule = flow == Flow::ToController && bytes <= self.limits.in_capsule_bytes;
        let kind = if in_capsule { Descriptor::IN_CAPSULE } else { Descriptor::TRANSPORT };
        entry.data = Descriptor::new(kind, bytes);
        let mut header: CommandHeader = blank();
        header.entry = entry;
        if in_capsule {
            place.moved = bytes;
        }
        let framing = &self.outgoing.framing;
        let item = match own {
            Some(data) => Item::with_data(framing, Kind::Command, &header, data, Some(index)),
            None => {
                let payload = in_capsule.then_some(Extent { slot, offset: base, bytes });
                Item::new(framing, (Kind::Command, 0), &header, payload, Some(index))
            }
        };
        self.outgoing.push(item);
        self.counts.0 += 1;
    }

    /// Copies what is to be sent behind `out`, up to `room` bytes in all. Slots whose commands could end only now are
    /// told to `ended`.
    pub fn fill<P: Payloads + ?Sized>(
        &mut self,
        payloads: &mut P,
        (out, room): (&mut Vec<u8>, usize),
        ended: &mut impl FnMut(SlotCompletion),
    ) {
        while let Some(tag) = self.outgoing.fill(payloads, (&mut *out, room), &mut GatherList::default()) {
            let Some(index) = tag.map(|tag| tag as usize) else { continue };
            let place = &mut self.places[index];
            place.is_sending = false;
            place.is_capsule_out = true;
            if let Some((status, result)) = place.ending.take() {
                self.release(index, status, result, ended);
            } else if place.pending.is_some_and(|pending| pending.next < pending.end) {
                self.send_pending(index);
            }
        }
    }

    /// Puts the next H2CData of a command in line.
    fn send_pending(&mut self, index: usize) {
        let place = &mut self.places[index];
        let Some(pending) = &mut place.pending else { return };
        let bytes = self.most_host_data.min(pending.end - pending.next);
        let mut header: Data = blank();
        header.cccid = U16::new(identifier(index as u32, place.generation, self.index_bits));
        header.ttag = U16::new(pending.tag);
        header.offset = U32::new(pending.next);
        header.length = U32::new(bytes);
        let payload = Extent { slot: index as u32 / self.pieces, offset: place.base + pending.next, bytes };
        pending.next += bytes;
        let flags = if pending.next == pending.end { LAST } else { 0 };
        if flags == LAST {
            place.pending = None;
        }
        place.is_sending = true;
        let framing = &self.outgoing.framing;
        let item = Item::new(framing, (Kind::HostData, flags), &header, Some(payload), Some(index as u32));
        self.outgoing.push(item);
    }

    /// Takes all of what arrived. Slots that ended are told to `ended`.
    ///
    /// # Errors
    /// When the controller breaks a rule, or ended the connection. What [`fill`](Self::fill) gives then is the
    /// termination request.
    pub fn received<P: Payloads + ?Sized>(
        &mut self,
        bytes: &[u8],
        payloads: &mut P,
        ended: &mut impl FnMut(SlotCompletion),
    ) -> Result<(), FatalError> {
        self.take(bytes, payloads, ended).inspect_err(|fatal| {
            self.outgoing.terminate(true, fatal, self.parser.offending());
        })
    }

    fn take<P: Payloads + ?Sized>(
        &mut self,
        mut bytes: &[u8],
        payloads: &mut P,
        ended: &mut impl FnMut(SlotCompletion),
    ) -> Result<(), FatalError> {
        loop {
            match self.parser.step(&mut bytes)? {
                Step::More => return Ok(()),
                Step::Header(pdu) => self.header(pdu, ended)?,
                Step::Data(piece) => {
                    let (index, _) = self.current.ok_or(Fault::UnwantedData)?;
                    let place = &mut self.places[index];
                    let from = (place.base + place.moved) as usize;
                    let buffer = payloads.payload(index as u32 / self.pieces);
                    let into = buffer.get_mut(from..from + piece.len()).ok_or(Fault::DataBeyond)?;
                    into.copy_from_slice(piece);
                    place.moved += piece.len() as u32;
                }
                Step::End { damaged } => {
                    let Some((index, is_completion)) = self.current.take() else { continue };
                    self.places[index].is_damaged |= damaged;
                    if is_completion {
                        self.end(index, Status(0), 0, ended);
                    }
                }
            }
        }
    }

    fn header(&mut self, pdu: Pdu, ended: &mut impl FnMut(SlotCompletion)) -> Result<(), FatalError> {
        match pdu {
            Pdu::InitializeResponse(answer) => {
                let (framing, most_data) = connection_setup::agreed(&self.wished, &answer)?;
                self.outgoing.framing = framing;
                self.parser.agree(framing);
                (self.most_host_data, self.is_open) = (most_data, true);
            }
            Pdu::Response(entry) => self.response(&entry, ended)?,
            Pdu::Data { header, last, success } => self.data(&header, last, success)?,
            Pdu::ReadyToTransfer(header) => self.take_request(&header)?,
            Pdu::InitializeRequest(_) | Pdu::Command(..) => return Err(Fault::WrongSide.into()),
        }
        Ok(())
    }

    /// The place of a command under way whose capsule is out.
    fn place(&self, identifier_received: u16) -> Result<usize, FatalError> {
        let index = usize::from(identifier_received) & ((1 << self.index_bits) - 1);
        let place = self.places.get(index).filter(|place| place.is_active && place.ending.is_none());
        let place = place.filter(|place| {
            identifier(index as u32, place.generation, self.index_bits) == identifier_received
        });
        match place {
            None => Err(Fault::UnknownCommand.into()),
            Some(place) if !place.is_capsule_out => Err(Fault::EarlyAnswer.into()),
            Some(_) => Ok(index),
        }
    }

    fn response(
        &mut self,
        entry: &CompletionEntry,
        ended: &mut impl FnMut(SlotCompletion),
    ) -> Result<(), FatalError> {
        let index = self.place(entry.cid.get())?;
        self.end(index, entry.outcome(), entry.result.get(), ended);
        Ok(())
    }

    fn data(&mut self, header: &Data, last: bool, success: bool) -> Result<(), FatalError> {
        let index = self.place(header.cccid.get())?;
        let place = &mut self.places[index];
        let (offset, length) = (header.offset.get(), header.length.get());
        if place.flow != Flow::ToHost {
            return Err(Fault::UnwantedData.into());
        }
        if place.had_last {
            return Err(Fault::DataAfterLast.into());
        }
        if offset != place.moved {
            return Err(Fault::DataGap.into());
        }
        if length > place.bytes - place.moved {
            return Err(Fault::DataBeyond.into());
        }
        // A host that keeps track of the controller's submission queue is to get a completion after its data; SPDK's
        // target leaves it out on every queue, and kernels take that. The queue's head is of no use here anyhow: a slot
        // is free when its command has ended.
        place.had_last = last;
        self.current = Some((index, success));
        Ok(())
    }

    fn take_request(&mut self, header: &Data) -> Result<(), FatalError> {
        let index = self.place(header.cccid.get())?;
        let place = &mut self.places[index];
        let (offset, length) = (header.offset.get(), header.length.get());
        if place.flow != Flow::ToController {
            return Err(Fault::UnwantedData.into());
        }
        if place.pending.is_some() || place.is_sending {
            return Err(Fault::TransferAskedTwice.into());
        }
        if length == 0 {
            return Err(Fault::NothingAsked.into());
        }
        if offset != place.moved {
            return Err(Fault::DataGap.into());
        }
        if length > place.bytes - place.moved {
            return Err(Fault::DataBeyond.into());
        }
        self.counts.1 += 1;
        place.moved += length;
        place.pending = Some(PendingTransfer { tag: header.ttag.get(), next: offset, end: offset + length });
        self.send_pending(index);
        Ok(())
    }

    /// A command's end, which waits for a PDU of it that is still to be sent: its buffer is needed for that.
    fn end(&mut self, index: usize, status: Status, result: u64, ended: &mut impl FnMut(SlotCompletion)) {
        let place = &mut self.places[index];
        let is_short = status.is_success() && place.moved < place.bytes && place.flow != Flow::None;
        let status = match (place.is_damaged, is_short) {
            (true, _) => DAMAGED,
            (false, true) => SHORT,
            _ => status,
        };
        place.pending = None;
        if place.is_sending {
            place.ending = Some((status, result));
        } else {
            self.release(index, status, result, ended);
        }
    }

    fn release(&mut self, index: usize, status: Status, result: u64, ended: &mut impl FnMut(SlotCompletion)) {
        self.places[index].is_active = false;
        let slot = index / self.pieces as usize;
        let sum = &mut self.sums[slot];
        if Status(sum.status).is_success() {
            sum.status = status.0;
        }
        sum.result = result;
        sum.left -= 1;
        if sum.left == 0 {
            ended(SlotCompletion { slot: slot as u32, status: Status(sum.status), result });
        }
    }
}

/// The identifier of the command at a place.
fn identifier(index: u32, generation: u16, index_bits: u32) -> u16 {
    let generation = u32::from(generation).checked_shl(index_bits).unwrap_or(0);
    (generation | index) as u16
}
