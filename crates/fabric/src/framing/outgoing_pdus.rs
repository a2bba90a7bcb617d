//! PDUs into a stream: what is to be sent, in order, copied out piece by piece.

use std::collections::VecDeque;

use fathom_spec::fabrics::pdu::{
    CommonHeader, DATA_DIGEST, DIGEST_BYTES, HEADER_DIGEST, Kind, TERMINATION_BYTES, Termination, blank,
};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{Immutable, IntoBytes};

use super::{FatalError, Framing, Payloads, digest};

/// Part of a slot's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Which slot.
    pub slot: u32,
    /// First byte.
    pub offset: u32,
    /// Bytes.
    pub bytes: u32,
}

/// One PDU: what stands before its data, and where its data is.
#[derive(Clone, Debug)]
pub struct Item {
    cell: [u8; TERMINATION_BYTES],
    cell_bytes: usize,
    payload: Option<Extent>,
    tag: Option<u32>,
}

impl Item {
    /// A PDU of a header, whose common part is filled in here, and data out of a slot's buffer. `tag` is told when it
    /// was copied out to its last byte.
    pub fn new<H: IntoBytes + Immutable>(
        framing: &Framing,
        (kind, flags): (Kind, u8),
        header: &H,
        payload: Option<Extent>,
        tag: Option<u32>,
    ) -> Self {
        let data_bytes = payload.map_or(0, |extent| extent.bytes);
        let mut item = Self { cell: [0; TERMINATION_BYTES], cell_bytes: 0, payload, tag };
        item.head(framing, (kind, flags), header.as_bytes(), data_bytes);
        item
    }

    /// The same with a few bytes of data of its own, at most 16.
    pub fn with_data<H: IntoBytes + Immutable>(
        framing: &Framing,
        kind: Kind,
        header: &H,
        data: &[u8; 16],
        tag: Option<u32>,
    ) -> Self {
        let mut item = Self { cell: [0; TERMINATION_BYTES], cell_bytes: 0, payload: None, tag };
        item.head(framing, (kind, 0), header.as_bytes(), data.len() as u32);
        item.append(data);
        if framing.data_digest {
            item.append(&digest::crc32c(data).to_le_bytes());
        }
        item
    }

    fn head(&mut self, framing: &Framing, (kind, flags): (Kind, u8), header: &[u8], data_bytes: u32) {
        let hlen = kind.header_bytes();
        let digest_bytes = if kind.is_digested() { framing.header_digest_bytes() } else { 0 };
        let mut flags = flags | if digest_bytes > 0 { HEADER_DIGEST } else { 0 };
        let (mut pdo, mut plen) = (0, hlen + digest_bytes);
        if data_bytes > 0 {
            pdo = plen.next_multiple_of(framing.sent_alignment);
            plen = pdo + data_bytes as usize + framing.data_digest_bytes();
            flags |= if framing.data_digest { DATA_DIGEST } else { 0 };
        }
        let common = CommonHeader {
            kind: kind as u8,
            flags,
            hlen: hlen as u8,
            pdo: pdo as u8,
            plen: U32::new(plen as u32),
        };
        self.append(common.as_bytes());
        self.append(header.get(size_of::<CommonHeader>()..hlen).unwrap_or_default());
        if digest_bytes > 0 {
            let digest = digest::crc32c(&self.cell[..hlen]).to_le_bytes();
            self.append(&digest);
        }
        self.cell_bytes = self.cell_bytes.max(pdo);
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Some(place) = self.cell.get_mut(self.cell_bytes..self.cell_bytes + bytes.len()) {
            place.copy_from_slice(bytes);
            self.cell_bytes += bytes.len();
        }
    }

    /// A termination request because of a PDU that began with `offending`.
    fn termination(kind: Kind, fatal: &FatalError, offending: &[u8]) -> Self {
        let offending = &offending[..offending.len().min(TERMINATION_BYTES - kind.header_bytes())];
        let mut header: Termination = blank();
        header.common = CommonHeader {
            kind: kind as u8,
            flags: 0,
            hlen: kind.header_bytes() as u8,
            pdo: 0,
            plen: U32::new((kind.header_bytes() + offending.len()) as u32),
        };
        header.fes = U16::new(fatal.fes);
        header.fei = U32::new(fatal.fei);
        let mut item = Self { cell: [0; TERMINATION_BYTES], cell_bytes: 0, payload: None, tag: None };
        item.append(header.as_bytes());
        item.append(offending);
        item
    }
}

/// What is to be sent over one connection.
#[derive(Debug)]
pub struct SendQueue {
    /// What data is put in.
    pub framing: Framing,
    items: VecDeque<Item>,
    /// Bytes of the first item that were copied out.
    done: usize,
    crc: u32,
    /// Whether data is left to whoever sends.
    leaves: bool,
    /// Whether the rest of the first PDU's data is.
    is_left: bool,
}

/// Data from here on is long: what of it the socket does not take stays where it is.
const LONG_BYTES: u32 = 64 << 10;
/// Shorter data costs less to copy than a piece of its own.
const LEAST_POINTED: u32 = 2 << 10;
/// Pieces of data that are pointed at between two calls that send.
const MOST_POINTED: usize = 64;

/// Data that is not copied: it belongs between the bytes that are, and is sent from where it is.
#[derive(Debug, Default)]
pub struct GatherList {
    pieces: Vec<(usize, Extent)>,
    bytes: usize,
}

impl GatherList {
    /// Most pieces.
    pub const MOST: usize = MOST_POINTED;

    /// Each piece, with the number of copied bytes that stand before it.
    pub fn pieces(&self) -> &[(usize, Extent)] {
        &self.pieces
    }

    /// Bytes of all pieces.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets all pieces, once they are out or were copied.
    pub fn clear(&mut self) {
        self.pieces.clear();
        self.bytes = 0;
    }
}

impl SendQueue {
    /// Nothing yet, with room for so many PDUs.
    pub fn new(capacity: usize) -> Self {
        Self {
            framing: Framing::default(),
            items: VecDeque::with_capacity(capacity),
            done: 0,
            crc: 0,
            leaves: false,
            is_left: false,
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// PDUs that wait.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Puts a PDU behind those that wait.
    pub fn push(&mut self, item: Item) {
        self.items.push_back(item);
    }

    /// Drops what waits, but for a PDU of which a part is out, and puts a termination request there: by a host where
    /// `is_host`.
    pub fn terminate(&mut self, is_host: bool, fatal: &FatalError, offending: &[u8]) {
        let kept = usize::from(self.done > 0);
        self.items.truncate(kept);
        if fatal.is_told() {
            let kind = if is_host { Kind::HostTermination } else { Kind::ControllerTermination };
            self.items.push_back(Item::termination(kind, fatal, offending));
        }
    }

    /// Leaves data without a digest where it is from now on, as far as there is a view of it: [`fill`](Self::fill) points
    /// at short pieces, and stops before long ones: [`rest`](Self::rest) then says where they are, and
    /// [`sent`](Self::sent) is told how much of them is out.
    pub fn leave_data(&mut self) {
        self.leaves = true;
    }

    /// What of the first PDU's data is to be sent next from where it is; none where it is to be copied, or its header is
    /// not out.
    pub fn rest(&self) -> Option<Extent> {
        let item = self.items.front()?;
        let extent = item.payload.filter(|_| self.is_left)?;
        let into = u32::try_from(self.done.checked_sub(item.cell_bytes)?).ok()?;
        let bytes = extent.bytes.checked_sub(into)?;
        Some(Extent { slot: extent.slot, offset: extent.offset + into, bytes })
    }

    /// So many bytes of [`rest`](Self::rest) are out. Says the tag of the PDU where that was its end.
    pub fn sent(&mut self, bytes: u32) -> Option<Option<u32>> {
        let rest = self.rest()?;
        self.done += bytes.min(rest.bytes) as usize;
        if bytes < rest.bytes {
            return None;
        }
        let tag = self.items.pop_front()?.tag;
        (self.done, self.crc, self.is_left) = (0, 0, false);
        Some(tag)
    }

    /// Copies the rest of the first PDU behind `out`, or puts its data into `gathered`, up to `room` bytes of both. Says
    /// the tag of the PDU where that was its end; `None` where it does not fit, or nothing waits.
    pub fn fill<P: Payloads + ?Sized>(
        &mut self,
        payloads: &mut P,
        (out, room): (&mut Vec<u8>, usize),
        gathered: &mut GatherList,
    ) -> Option<Option<u32>> {
        let item = self.items.front()?;
        let room = room.saturating_sub(out.len() + gathered.bytes);
        let end = out.len() + room;
        if let Some(rest) = item.cell.get(self.done..item.cell_bytes) {
            let taken = rest.len().min(end - out.len());
            out.extend_from_slice(&rest[..taken]);
            self.done += taken;
            if taken < rest.len() {
                return None;
            }
        }
        if let Some(extent) = item.payload {
            if self.leaves
                && !self.framing.data_digest
                && extent.bytes >= LEAST_POINTED
                && payloads.view(extent.slot).is_some()
            {
                if extent.bytes >= LONG_BYTES {
                    self.is_left = true;
                    return None;
                }
                // Of what is pointed at all or nothing is taken: none of it is out yet.
                if self.done == item.cell_bytes {
                    if gathered.pieces.len() == MOST_POINTED || extent.bytes as usize > end - out.len() {
                        return None;
                    }
                    gathered.pieces.push((out.len(), extent));
                    gathered.bytes += extent.bytes as usize;
                    let tag = item.tag;
                    self.items.pop_front();
                    (self.done, self.crc) = (0, 0);
                    return Some(tag);
                }
            }
            let into = self.done - item.cell_bytes;
            let left = (extent.bytes as usize).saturating_sub(into);
            let taken = left.min(end - out.len());
            let from = extent.offset as usize + into.min(extent.bytes as usize);
            let piece = payloads.payload(extent.slot).get(from..from + taken).unwrap_or_default();
            out.extend_from_slice(piece);
            if self.framing.data_digest {
                self.crc = digest::append(self.crc, piece);
            }
            self.done += taken;
            if taken < left {
                return None;
            }
            if self.framing.data_digest {
                let sent = self.done - item.cell_bytes - extent.bytes as usize;
                let trailer = self.crc.to_le_bytes();
                let rest = &trailer[sent.min(DIGEST_BYTES)..];
                let taken = rest.len().min(end - out.len());
                out.extend_from_slice(&rest[..taken]);
                self.done += taken;
                if taken < rest.len() {
                    return None;
                }
            }
        }
        let tag = item.tag;
        self.items.pop_front();
        (self.done, self.crc) = (0, 0);
        Some(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_spec::fabrics::pdu::Data;

    /// Buffers of slots, seen or not.
    struct Buffers(Vec<Vec<u8>>, bool);

    impl Payloads for Buffers {
        fn payload(&mut self, slot: u32) -> &mut [u8] {
            &mut self.0[slot as usize]
        }

        fn view(&self, slot: u32) -> Option<&[u8]> {
            self.1.then(|| self.0[slot as usize].as_slice())
        }
    }

    const LENGTHS: [u32; 8] = [0, 512, 2047, 2048, 4096, (64 << 10) - 1, 64 << 10, 200_000];

    /// All PDUs as they go out, where each call that sends has this much room and takes this much of long data.
    fn stream(framing: Framing, is_seen: bool, (room, at_once): (usize, u32)) -> (Vec<u8>, Vec<u32>, usize) {
        let byte = |at: usize, slot: usize| (at * 7 + slot) as u8;
        let buffer = |slot: usize| (0..LENGTHS[slot] as usize + 16).map(|at| byte(at, slot)).collect();
        let mut buffers = Buffers((0..LENGTHS.len()).map(buffer).collect(), is_seen);
        let mut outgoing = SendQueue::new(LENGTHS.len());
        outgoing.framing = framing;
        outgoing.leave_data();
        for (slot, bytes) in LENGTHS.iter().enumerate() {
            let slot = slot as u32;
            let extent = (*bytes > 0).then_some(Extent { slot, offset: 16, bytes: *bytes });
            let header: Data = blank();
            outgoing.push(Item::new(&framing, (Kind::ControllerData, 0), &header, extent, Some(slot)));
        }
        let (mut all, mut tags, mut pointed) = (Vec::new(), Vec::new(), 0);
        let part = |buffers: &Buffers, extent: Extent| {
            let from = extent.offset as usize;
            buffers.0[extent.slot as usize][from..from + extent.bytes as usize].to_vec()
        };
        while !outgoing.is_empty() {
            let (mut out, mut gathered) = (Vec::new(), GatherList::default());
            while let Some(tag) = outgoing.fill(&mut buffers, (&mut out, room), &mut gathered) {
                tags.extend(tag);
            }
            let mut from = 0;
            for (before, extent) in gathered.pieces() {
                all.extend_from_slice(&out[from..*before]);
                all.extend(part(&buffers, *extent));
                from = *before;
                pointed += 1;
            }
            assert!(out.len() + gathered.bytes() <= room);
            all.extend_from_slice(&out[from..]);
            if let Some(rest) = outgoing.rest() {
                let taken = Extent { bytes: rest.bytes.min(at_once), ..rest };
                all.extend(part(&buffers, taken));
                tags.extend(outgoing.sent(taken.bytes).flatten());
            }
        }
        (all, tags, pointed)
    }

    #[test]
    fn data_that_is_sent_from_where_it_is_makes_the_same_stream() {
        for data_digest in [false, true] {
            let framing = Framing { data_digest, ..Framing::default() };
            let (copied, tags, none) = stream(framing, false, (1 << 20, 0));
            assert_eq!((none, tags.as_slice()), (0, &[0, 1, 2, 3, 4, 5, 6, 7][..]));
            for room in [64 << 10, 70_000, 256 << 10] {
                for at_once in [1000, 100_000, 1 << 20] {
                    let (pointed, order, pieces) = stream(framing, true, (room, at_once));
                    assert!(pointed == copied && order == tags, "{room} {at_once} {data_digest}");
                    // A digest is computed of what is copied.
                    assert_eq!(pieces, if data_digest { 0 } else { 3 });
                }
            }
        }
    }
}
