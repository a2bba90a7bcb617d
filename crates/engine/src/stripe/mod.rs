//! Several targets as one, as a decorator: an I/O that crosses chunks becomes parts on several members,
//! and ends when all of them have.
//!
//! One engine carries the parts to all members, so that one call submits to all and one call waits for
//! all: one ring with several registered files, one context with several descriptors. It has as many
//! buffers as the depth, and slots for all parts that can be under way.

mod chunk_map;
mod io_reassembly;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_target::Handle;

use crate::os_error::EINVAL;
use crate::{Completion, Engine, EngineError, ErrorKind, EventHandle, Io, Stamps, Submission, Wait};
pub use chunk_map::{Layout, Piece, Pieces};
use io_reassembly::{Place, WholeIo};

/// Name of the engine's feature that a record shows this under.
pub const FEATURE: &str = "stripe";

/// One part of an I/O, on one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// As an I/O of that member; its slot is one of [`Slots::numbers`].
    pub io: Io,
    /// Which member, from 0.
    pub member: u32,
    /// The slot whose buffer it uses, one of [`Slots::buffers`].
    pub buffer: u32,
    /// Bytes of that buffer before the part's own.
    pub skip_bytes: u32,
}

/// How many buffers and how many slots an engine of parts is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Buffers: one for each I/O in flight, or more.
    pub buffers: u32,
    /// Parts in flight; as many as I/Os, or more.
    pub parts: u32,
    /// Numbers that the slots of parts have, from 0: those of all buffers, of which not all are in flight.
    pub numbers: u32,
}

impl Slots {
    /// Of an engine whose I/Os have one part each.
    pub fn whole(depth: u32) -> Self {
        Self::spared(depth, 0)
    }

    /// The same with buffers beyond the depth.
    pub fn spared(depth: u32, spares: u32) -> Self {
        Self { buffers: depth + spares, parts: depth, numbers: depth + spares }
    }
}

/// An engine over several members, whose I/Os may be parts that share a buffer. To its own trait each
/// part is an I/O; what [`Engine::submit`] takes goes to the first member.
pub trait Carrier: Engine {
    /// Takes one part, as [`Engine::submit`] takes an I/O. Parts in flight that share a buffer do not
    /// overlap in it.
    fn submit_part(&mut self, part: Part) -> Submission;
}

/// Open files or devices with the layout of their stripe.
#[derive(Clone, Debug)]
pub struct Volume {
    /// One a member, in order.
    pub files: Vec<Arc<Handle>>,
    /// Where bytes lie on them.
    pub layout: Layout,
}

/// The slots that a stripe needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    depth: u32,
    parts_per_io: u32,
    spares: u32,
}

impl Shape {
    /// For `depth` I/Os of at most `largest_io_bytes` at multiples of `block_bytes`, with flushes or
    /// without.
    ///
    /// # Errors
    /// When there are more parts than 32 bits count.
    pub fn new(
        layout: &Layout,
        depth: u32,
        (largest_io_bytes, block_bytes): (u32, u64),
        flushes: bool,
    ) -> Result<Self, EngineError> {
        let of_data = layout.most_pieces(largest_io_bytes, block_bytes);
        let of_flush = if flushes { u64::from(layout.members()) } else { 1 };
        let parts = of_data.max(of_flush);
        let all = parts.saturating_mul(depth.into());
        match (u32::try_from(parts), u32::try_from(all)) {
            (Ok(parts_per_io), Ok(_)) => Ok(Self { depth, parts_per_io, spares: 0 }),
            _ => {
                let cause = format!("depth {depth} in up to {parts} parts each are too many to follow");
                Err(EngineError::new(ErrorKind::Plan, "striping the targets", cause)
                    .with_remedy("use a larger --stripe, a smaller --depth or a smaller --bs"))
            }
        }
    }

    /// The same with buffers beyond the depth, as many as 32 bits can number the parts of.
    #[must_use]
    pub fn spared(self, spares: u32) -> Self {
        let most = (u32::MAX / self.parts_per_io.max(1)).saturating_sub(self.depth);
        Self { spares: spares.min(most), ..self }
    }

    /// What the engine underneath is made with.
    pub fn slots(self) -> Slots {
        let buffers = self.depth + self.spares;
        Slots { buffers, parts: self.depth * self.parts_per_io, numbers: buffers * self.parts_per_io }
    }
}

/// An engine of one address space over the members that `E` carries I/O to.
#[derive(Debug)]
pub struct Stripe<E, C> {
    inner: E,
    clock: C,
    facts: EngineFacts,
    layout: Layout,
    parts_per_io: u32,
    /// For each slot of the inner engine, what it carries.
    places: Box<[Place]>,
    /// For each I/O's slot, what has become of its parts.
    wholes: Box<[WholeIo]>,
    /// Room for the inner engine's completions.
    ended: Vec<Completion>,
}

impl<E: Carrier, C: Clock> Stripe<E, C> {
    /// Wraps an engine over the layout's members that was made with the shape's slots.
    pub fn new(inner: E, layout: Layout, shape: Shape, clock: C) -> Self {
        let Slots { buffers, parts, numbers } = shape.slots();
        let mut facts = inner.facts().clone();
        facts.features.push(EngineFeature::new(
            FEATURE,
            true,
            Some(format!(
                "chunks of {} bytes over {} targets; an I/O has at most {} parts, and a flush goes to all",
                layout.chunk_bytes(),
                layout.members(),
                shape.parts_per_io
            )),
        ));
        Self {
            inner,
            clock,
            facts,
            layout,
            parts_per_io: shape.parts_per_io,
            places: vec![Place::default(); numbers as usize].into_boxed_slice(),
            wholes: vec![WholeIo::new(); buffers as usize].into_boxed_slice(),
            ended: Vec::with_capacity(parts as usize),
        }
    }

    /// The engine that was wrapped.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// What no member must see: beyond the end it would be another place, and with too many parts it
    /// would take another I/O's slots.
    #[inline]
    fn is_refused(&self, io: &Io) -> bool {
        if io.direction == Direction::Flush {
            return self.layout.members() > self.parts_per_io;
        }
        let end = io.offset.checked_add(io.bytes.into());
        end.is_none_or(|end| end > self.layout.size_bytes())
            || io.bytes == 0
            || self.layout.pieces_of(io.offset, io.bytes) > self.parts_per_io.into()
    }

    #[cold]
    fn refuse(&self, slot: u32) -> Submission {
        let now_ns = self.clock.now_ns();
        let stamps = Stamps { submitted_ns: now_ns, returned_ns: now_ns, reaped_ns: now_ns };
        Submission::Done(Completion { slot, result: -EINVAL, stamps })
    }

    #[inline]
    fn submit_piece(&mut self, io: &Io, number: u32, piece: Piece) {
        let own = io.slot * self.parts_per_io + number;
        let Piece { member, offset, skip_bytes, bytes } = piece;
        self.places[own as usize] = Place { slot: io.slot, skip_bytes, bytes };
        let part = Part {
            io: Io { slot: own, direction: io.direction, offset, bytes },
            member,
            buffer: io.slot,
            skip_bytes,
        };
        self.wholes[io.slot as usize].under_way += 1;
        match self.inner.submit_part(part) {
            Submission::Queued => {}
            Submission::Done(end) => self.wholes[io.slot as usize].add(self.places[own as usize], &end),
            Submission::Full => unreachable!("an engine has as many slots as it was made with"),
        }
    }

    /// Takes what parts have ended, and appends the I/Os that are whole by it; whether any part had.
    fn gather(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<bool, EngineError> {
        let reaped = self.inner.reap(wait, &mut self.ended);
        let any = !self.ended.is_empty();
        for end in self.ended.drain(..) {
            let place = self.places[end.slot as usize];
            let whole = &mut self.wholes[place.slot as usize];
            whole.add(place, &end);
            if whole.under_way == 0 {
                done.push(whole.completion(place.slot));
            }
        }
        reaped.map(|()| any)
    }
}

impl<E: Carrier, C: Clock> Engine for Stripe<E, C> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    #[inline]
    fn view(&self, slot: u32) -> Option<&[u8]> {
        self.inner.view(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        if self.is_refused(&io) {
            return self.refuse(io.slot);
        }
        self.wholes[io.slot as usize] = WholeIo::new();
        if io.direction == Direction::Flush {
            for member in 0..self.layout.members() {
                self.submit_piece(&io, member, Piece { member, offset: io.offset, skip_bytes: 0, bytes: 0 });
            }
        } else {
            for (piece, number) in self.layout.pieces(io.offset, io.bytes).zip(0..) {
                self.submit_piece(&io, number, piece);
            }
        }
        let whole = &self.wholes[io.slot as usize];
        if whole.under_way == 0 { Submission::Done(whole.completion(io.slot)) } else { Submission::Queued }
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let before = done.len();
        // Parts that end make no I/O whole yet: the wait goes on until one is, or nothing came.
        while self.gather(wait, done)? && done.len() == before && wait != Wait::No {}
        Ok(())
    }

    fn next_due_ns(&self) -> Option<u64> {
        self.inner.next_due_ns()
    }

    fn announce(&mut self, event: EventHandle<'_>) -> bool {
        self.inner.announce(event)
    }
}
