//! Commands of NVMe over TCP from a host's queue to a controller's and back, in memory: the PDUs that each costs to
//! make and to read, both sides together. No socket and no backend is in the count.

use fathom_engine::{EngineError, ErrorKind};
use fathom_fabric::controller::{
    Answer, CommandStart, ControllerQueue, Handler, HostDataLength, QueueLimits, Refusal,
};
use fathom_fabric::host::{HostQueue, Limits, Transfer};
use fathom_fabric::{Framing, GatherList, Payloads};
use fathom_spec::fabrics::SubmissionEntry;
use fathom_spec::io;

/// Bytes of one command's data: so few that its copies do not hide what its headers cost.
const BYTES: u32 = 512;

/// What the commands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commands {
    /// [`io::READ`] or [`io::WRITE`].
    pub opcode: u8,
    /// Whether headers and data have digests.
    pub digests: bool,
    /// Whether data of writes is in the command's capsule, or asked for by R2T.
    pub in_capsule: bool,
}

/// Buffers of slots on one side.
struct Buffers(Vec<[u8; BYTES as usize]>);

impl Payloads for Buffers {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        &mut self.0[slot as usize]
    }
}

impl Handler for Buffers {
    fn admit(&mut self, command: &SubmissionEntry) -> Result<HostDataLength, Refusal> {
        Ok(HostDataLength { from_host: if command.opcode == io::WRITE { BYTES } else { 0 } })
    }

    fn begin(&mut self, _slot: u32, command: &SubmissionEntry) -> CommandStart {
        let bytes = if command.opcode == io::READ { BYTES } else { 0 };
        CommandStart::Done(Answer { bytes, ..Answer::DONE })
    }
}

/// Carries so many commands, `depth` at a time.
///
/// # Errors
/// Where one side does not take what the other sent, or a command does not end well.
pub fn run(commands: Commands, depth: u32, operations: u64) -> Result<(), EngineError> {
    let broken = |what: String| EngineError::new(ErrorKind::System, "commands in memory", what);
    let mut line = Line::open(commands, depth).map_err(broken)?;
    let mut left = operations;
    while left > 0 {
        let batch = left.min(u64::from(depth)) as u32;
        for slot in 0..batch {
            let transfer = Transfer {
                opcode: commands.opcode,
                nsid: 1,
                offset: (left - u64::from(slot)) * u64::from(BYTES),
                bytes: BYTES,
                block_shift: BYTES.trailing_zeros(),
            };
            if !line.host.start_transfer(slot, transfer) {
                return Err(broken(format!("slot {slot} is not free")));
            }
        }
        match line.settle().map_err(broken)? {
            ended if ended == batch => left -= u64::from(batch),
            ended => return Err(broken(format!("{ended} of {batch} commands ended well"))),
        }
    }
    Ok(())
}

/// Both ends of one connection.
struct Line {
    host: HostQueue,
    controller: ControllerQueue,
    buffers: (Buffers, Buffers),
    bytes: Vec<u8>,
}

impl Line {
    fn open(commands: Commands, depth: u32) -> Result<Self, String> {
        let framing =
            Framing { header_digest: commands.digests, data_digest: commands.digests, ..Framing::default() };
        let in_capsule_bytes = if commands.in_capsule { BYTES } else { 0 };
        let limits = QueueLimits { transfer_bytes: BYTES, in_capsule_bytes, host_data_bytes: 4096 };
        let buffers = || Buffers(vec![[0; BYTES as usize]; depth as usize]);
        let mut line = Self {
            host: HostQueue::new(framing, depth, 1),
            controller: ControllerQueue::new(limits),
            buffers: (buffers(), buffers()),
            bytes: Vec::with_capacity(depth as usize * 2 * BYTES as usize),
        };
        line.settle()?;
        line.controller.become_queue(depth, limits, true);
        line.host.set_limits(Limits { transfer_bytes: BYTES, in_capsule_bytes });
        Ok(line)
    }

    /// Moves bytes both ways until nothing moves any more; the commands that ended well.
    fn settle(&mut self) -> Result<u32, String> {
        let mut well = 0;
        let mut ended = |end: fathom_fabric::host::SlotCompletion| well += u32::from(end.status.is_success());
        let (ours, theirs) = (&mut self.buffers.0, &mut self.buffers.1);
        while self.host.has_output() || self.controller.has_output() {
            self.bytes.clear();
            self.host.fill(ours, (&mut self.bytes, usize::MAX), &mut ended);
            self.controller.received(&self.bytes, theirs).map_err(|fatal| fatal.to_string())?;
            self.bytes.clear();
            self.controller.fill(theirs, (&mut self.bytes, usize::MAX), &mut GatherList::default());
            self.host.received(&self.bytes, ours, &mut ended).map_err(|fatal| fatal.to_string())?;
        }
        Ok(well)
    }
}
