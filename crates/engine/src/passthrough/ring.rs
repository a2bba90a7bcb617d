//! NVMe commands through io_uring on a namespace's character device (`/dev/ng0n1`): past the block
//! layer, its splitting, merging, scheduling and accounting.
//!
//! Submission entries carry a whole NVMe command, so the ring has entries of twice the size; otherwise
//! it is used as [`uring`](crate::uring) uses it, and stamps mean the same. A command that the
//! controller ends with a status other than success becomes a negative result that keeps it
//! ([`status_errno`](super::status_errno)).
#![allow(unsafe_code)] // Writes the ranges of trims, and keeps buffers mapped when the kernel keeps them.

use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_spec::Status;
use fathom_spec::io::RANGE_BYTES;
use fathom_spec::linux::RING_IO_OPERATION;
use fathom_target::namespace::{Namespace, not_permitted};
use io_uring::cqueue::Entry32;
use io_uring::squeue::Entry128;
use io_uring::{opcode, types};

use super::command::{command, entry_bytes, trim_range};
use super::{polling, status_errno};
use crate::stripe::Slots;
use crate::uring::ring_traffic::{self, Traffic};
use crate::uring::setup::REGISTERED_BUFFERS;
use crate::uring::{MAX_DEPTH, Options, setup};
use crate::{Arena, Completion, Engine, EngineError, ErrorKind, Io, Submission, Wait};

/// Whole mapping as one registered buffer.
const ARENA_BUFFER: u16 = 0;

/// The namespace's character device, as the ring knows it.
const REGISTERED_FILE: types::Fixed = types::Fixed(0);

/// NVMe commands to one open character device.
#[derive(Debug)]
pub struct Passthrough<C> {
    traffic: Traffic<C, Entry128, Entry32>,
    /// Unmapped only when the kernel has given every I/O back.
    arena: ManuallyDrop<Arena>,
    /// Ranges of trims, one a slot: the controller reads them as it reads data.
    ranges: ManuallyDrop<Arena>,
    /// Keeps the device open as long as the ring refers to it.
    _file: Arc<File>,
    namespace: Namespace,
    registered_buffers: bool,
    facts: EngineFacts,
}

impl<C: Clock> Passthrough<C> {
    /// A ring of `depth` entries over the open character device of a namespace. Reads one block of it,
    /// to learn what the kernel takes. Belongs to the thread that makes it.
    ///
    /// # Errors
    /// As [`Namespace::of`] and io_uring refuse it; [`ErrorKind::Plan`] for a `depth` beyond
    /// [`MAX_DEPTH`] or buffers below a block.
    pub fn new(
        file: Arc<File>,
        depth: u32,
        buffer_bytes: u64,
        options: Options<'_>,
        clock: C,
    ) -> Result<Self, EngineError> {
        Self::over(file, Slots::whole(depth), buffer_bytes, options, clock)
    }

    /// The same with buffers beyond the depth.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn over(
        file: Arc<File>,
        slots: Slots,
        buffer_bytes: u64,
        options: Options<'_>,
        clock: C,
    ) -> Result<Self, EngineError> {
        let Slots { buffers, parts: depth, numbers } = slots;
        if depth > MAX_DEPTH {
            let cause = format!("{depth} I/Os in flight are more than the {MAX_DEPTH} entries of a ring");
            return Err(EngineError::new(ErrorKind::Plan, "starting io_uring", cause)
                .with_remedy("use a smaller --depth and more --jobs"));
        }
        if options.run.polled {
            polling::admit()?;
        }
        let namespace = Namespace::of(&file)?;
        let arena = Arena::new(buffers, buffer_bytes.max(u64::from(namespace.block_bytes())))?;
        let ranges = Arena::new(1, u64::from(buffers) * RANGE_BYTES as u64)?;
        let mut made =
            setup::make(&[file.as_raw_fd()], depth, &arena, options.run).map_err(needs_large_entries)?;
        let mut traffic = Traffic::new(made.queue, numbers, clock);
        made.features.push(traffic.start_ticking(!options.run.polled && !options.on_time)?);
        let mut engine = Self {
            traffic,
            arena: ManuallyDrop::new(arena),
            ranges: ManuallyDrop::new(ranges),
            _file: file,
            namespace,
            registered_buffers: made.registered_buffers,
            facts: facts(made.features, &namespace),
        };
        engine.learn_what_is_taken()?;
        Ok(engine)
    }

    /// Reads the first block, with a registered buffer and, where the kernel does not take it, without.
    fn learn_what_is_taken(&mut self) -> Result<(), EngineError> {
        let mut result = self.read_first_block()?;
        let mut refusal = None;
        if result == -libc::EINVAL && self.registered_buffers {
            self.registered_buffers = false;
            result = self.read_first_block()?;
            refusal = Some("refused for NVMe commands by this kernel (needs 6.1)".to_owned());
        }
        if refusal.is_some()
            && let Some(feature) =
                self.facts.features.iter_mut().find(|feature| feature.name == REGISTERED_BUFFERS)
        {
            *feature = EngineFeature::unless_refused(REGISTERED_BUFFERS, refusal);
        }
        const PLACE: &str = "sending a first NVMe command";
        match -result {
            libc::EACCES | libc::EPERM => Err(not_permitted(PLACE)),
            libc::EOPNOTSUPP | libc::ENOTTY | libc::EINVAL => {
                let cause = "this kernel takes no NVMe commands through io_uring (needs 5.19)";
                Err(EngineError::new(ErrorKind::Unsupported, PLACE, cause)
                    .with_remedy("name its block device, /dev/nvmeXnY"))
            }
            // A block that cannot be read is the target's failure, which the run will count.
            _ => Ok(()),
        }
    }

    fn read_first_block(&mut self) -> Result<i32, EngineError> {
        let bytes = self.namespace.block_bytes();
        let mut done = Vec::with_capacity(1);
        match self.submit(Io { slot: 0, direction: Direction::Read, offset: 0, bytes }) {
            Submission::Done(completion) => return Ok(completion.result),
            Submission::Full => return Ok(-libc::EAGAIN),
            Submission::Queued => {}
        }
        while done.is_empty() {
            let deadline_ns = self.traffic.now_ns() + 1_000_000_000;
            self.reap(Wait::Until(deadline_ns), &mut done)?;
        }
        Ok(done[0].result)
    }

    /// The entry of an I/O; `None` for one that must not be sent.
    #[inline]
    fn entry(&mut self, io: &Io) -> Option<Entry128> {
        let moves_data = matches!(io.direction, Direction::Read | Direction::Write);
        let address = if moves_data {
            if io.bytes as usize > self.arena.stride() {
                return None;
            }
            self.arena.pointer(io.slot) as u64
        } else {
            self.range_address(io)?
        };
        let command = command(io, &self.namespace, address)?;
        let buffer = (moves_data && self.registered_buffers).then_some(ARENA_BUFFER);
        let entry = opcode::UringCmd80::new(REGISTERED_FILE, RING_IO_OPERATION).cmd(entry_bytes(&command));
        let user_data = u64::from(io.slot) | u64::from(io.bytes) << 32;
        Some(entry.buf_index(buffer).build().user_data(user_data))
    }

    /// Writes the range of a trim into its slot's place, and says where that is; 0 for a flush.
    #[inline(never)]
    fn range_address(&mut self, io: &Io) -> Option<u64> {
        if io.direction != Direction::Trim {
            return Some(0);
        }
        let range = trim_range(io, &self.namespace)?;
        let start = io.slot as usize * RANGE_BYTES;
        if start + RANGE_BYTES > self.arena.slots() as usize * RANGE_BYTES {
            return None;
        }
        // SAFETY: within the mapping, which holds a range a slot; the slot is not in flight, so that the
        // device does not read there.
        let place = unsafe { self.ranges.base().add(start) };
        // SAFETY: as above, for all bytes of the range.
        unsafe { std::ptr::copy_nonoverlapping(range.as_ptr(), place, RANGE_BYTES) };
        Some(place as u64)
    }
}

/// What a completion says: 0 for success, which moves all or nothing; a negated `errno` of the driver;
/// or the controller's status.
#[inline]
fn moved(result: i32, user_data: u64) -> i32 {
    match result {
        0 => i32::try_from(user_data >> 32).unwrap_or(i32::MAX),
        ..0 => result,
        controller => status_errno::as_result(Status(controller as u16)),
    }
}

fn facts(mut features: Vec<EngineFeature>, namespace: &Namespace) -> EngineFacts {
    let mut feature = |name: &str, used: bool, note: Option<String>| {
        features.push(EngineFeature::new(name, used, note));
    };
    feature("nvme_commands", true, Some(format!("to namespace {}; none is split or merged", namespace.id)));
    let limit = namespace.max_transfer_bytes.map(|bytes| format!("one command moves at most {bytes} bytes"));
    feature("transfer_limit", limit.is_some(), limit.or_else(|| Some("the controller sets none".to_owned())));
    let trims = if namespace.deallocates {
        "trims are Dataset Management commands that deallocate one range each"
    } else {
        "the controller has no Dataset Management command"
    };
    feature("trim_by_deallocation", namespace.deallocates, Some(trims.to_owned()));
    EngineFacts {
        name: super::launch::NAME.to_owned(),
        version: 2,
        features,
        completes_inline: false,
        returned_stamp: ring_traffic::returned_stamp(),
    }
}

/// Kernels that know no entries of this size refuse every ring with the same number.
fn needs_large_entries(error: EngineError) -> EngineError {
    if error.raw_os_error() != Some(libc::EINVAL) {
        return error;
    }
    let cause = "this kernel takes no NVMe commands through io_uring (needs 5.19)";
    EngineError::new(ErrorKind::Unsupported, error.place, cause)
        .with_remedy("name its block device, /dev/nvmeXnY")
}

impl<C: Clock> Engine for Passthrough<C> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.arena.slice(slot)
    }

    #[inline]
    fn submit(&mut self, io: Io) -> Submission {
        if io.direction == Direction::Trim && !self.namespace.deallocates {
            return self.traffic.refuse(io.slot, libc::EOPNOTSUPP);
        }
        let Some(entry) = self.entry(&io) else {
            return self.traffic.refuse(io.slot, libc::EINVAL);
        };
        self.traffic.push(io.slot, &entry)
    }

    #[inline(always)]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.traffic.reap(wait, done, moved)
    }
}

impl<C> Drop for Passthrough<C> {
    fn drop(&mut self) {
        if self.traffic.drain() {
            // SAFETY: dropped once, here, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.arena) };
            // SAFETY: dropped once, here, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.ranges) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_bytes_errors_or_statuses() {
        let user_data = 5 | 4096 << 32;
        assert_eq!(moved(0, user_data), 4096);
        assert_eq!(moved(-libc::EACCES, user_data), -libc::EACCES);
        let failed = moved(0x4281, user_data);
        assert_eq!(status_errno::of_errno(-failed).and_then(Status::name), Some("Unrecovered Read Error"));
        assert_eq!(moved(0, u64::MAX), i32::MAX);
    }
}
