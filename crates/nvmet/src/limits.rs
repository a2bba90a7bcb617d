//! How much hosts are given: queues by memory, connections by what the queues need.

use fathom_engine::{EngineError, ErrorKind};
use fathom_fabric::controller::{Digests, SubsystemLimits};
use fathom_measure::Bytes;

/// Controllers at once.
const CONTROLLERS: usize = 64;
/// Connections that have not said yet what they are, from all addresses together.
const NEWCOMERS: usize = 128;
/// Transfers are powers of two, and at least as long as a Connect's data is with room to spare.
const LEAST_TRANSFER: u32 = 8192;
/// Longest transfer of one command.
const MOST_TRANSFER: u32 = 8 << 20;
/// Data in a capsule at most, which is read through the staging buffer of a worker.
const MOST_IN_CAPSULE: u32 = 64 << 10;

/// What hosts are given, as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// I/O queues of all controllers together, 1 and up.
    pub queues: u16,
    /// Entries of an I/O queue, 2 to 1024.
    pub depth: u16,
    /// Bytes that one command moves: a power of two, 8 KiB to 8 MiB.
    pub transfer_bytes: u32,
    /// Bytes of data in a command's capsule: a multiple of 16, at most 64 KiB.
    pub in_capsule_bytes: u32,
    /// Memory for the buffers of I/O queues, in bytes.
    pub memory_bytes: u64,
    /// What becomes of the digests that hosts ask for.
    pub digests: Digests,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            queues: 64,
            depth: 128,
            transfer_bytes: 128 << 10,
            in_capsule_bytes: 8 << 10,
            memory_bytes: 1 << 30,
            digests: Digests::Offer,
        }
    }
}

impl Limits {
    /// Bytes that the buffers of one I/O queue take over `namespaces` namespaces, each of which has its own.
    pub fn queue_bytes(&self, namespaces: usize) -> u64 {
        u64::from(self.depth) * u64::from(self.transfer_bytes) * namespaces as u64
    }

    /// Queues for which there is memory.
    pub fn queues_in_memory(&self, namespaces: usize) -> u16 {
        let fit = self.memory_bytes / self.queue_bytes(namespaces).max(1);
        self.queues.min(u16::try_from(fit).unwrap_or(u16::MAX))
    }

    /// The same as the state machines have it.
    ///
    /// # Errors
    /// Where a value is outside its range, or not one queue fits into the memory.
    pub(crate) fn of_subsystem(&self, namespaces: usize) -> Result<SubsystemLimits, EngineError> {
        let refuse = |place: &str, cause: String, remedy: &str| {
            Err(EngineError::new(ErrorKind::Plan, place, cause).with_remedy(remedy))
        };
        if !(2..=1024).contains(&self.depth) {
            let cause = format!("{} entries are not a queue: 2 to 1024 are", self.depth);
            return refuse("--depth", cause, "use e.g. --depth 128");
        }
        if !self.transfer_bytes.is_power_of_two()
            || !(LEAST_TRANSFER..=MOST_TRANSFER).contains(&self.transfer_bytes)
        {
            let cause =
                format!("{} is not a power of two from 8 KiB to 8 MiB", Bytes(self.transfer_bytes.into()));
            return refuse("--max-transfer", cause, "use e.g. --max-transfer 128KiB");
        }
        if !self.in_capsule_bytes.is_multiple_of(16)
            || self.in_capsule_bytes > MOST_IN_CAPSULE.min(self.transfer_bytes)
        {
            let cause = format!(
                "{} is not a multiple of 16 bytes up to 64 KiB and --max-transfer",
                Bytes(self.in_capsule_bytes.into())
            );
            return refuse("--in-capsule", cause, "use e.g. --in-capsule 8KiB");
        }
        let queues = self.queues_in_memory(namespaces);
        if queues == 0 {
            let cause = format!(
                "one I/O queue takes {} of memory, and {} are allowed",
                Bytes(self.queue_bytes(namespaces)),
                Bytes(self.memory_bytes)
            );
            return refuse(
                "--memory",
                cause,
                "use a larger --memory, or a smaller --depth or --max-transfer",
            );
        }
        Ok(SubsystemLimits {
            queues,
            all_queues: usize::from(queues),
            entries: self.depth,
            controllers: CONTROLLERS,
            transfer_bytes: self.transfer_bytes,
            in_capsule_bytes: self.in_capsule_bytes,
            digests: self.digests,
        })
    }
}

/// Connections at once: those of all queues and controllers, and newcomers.
pub(crate) fn most_connections(limits: &SubsystemLimits) -> usize {
    limits.all_queues + limits.controllers + NEWCOMERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_decides_how_many_queues_there_are() {
        let limits = Limits::default();
        assert_eq!(limits.queues_in_memory(1), 64);
        assert_eq!(limits.queues_in_memory(3), 21);
        let small = Limits { memory_bytes: 40 << 20, ..limits };
        assert_eq!(small.of_subsystem(1).unwrap().queues, 2);
        assert!(small.of_subsystem(3).unwrap_err().to_string().contains("one I/O queue takes"));
    }

    #[test]
    fn what_no_queue_can_be_is_refused_by_flag() {
        let limits = Limits::default();
        for (wrong, place) in [
            (Limits { depth: 1, ..limits }, "--depth"),
            (Limits { depth: 1025, ..limits }, "--depth"),
            (Limits { transfer_bytes: 12288, ..limits }, "--max-transfer"),
            (Limits { transfer_bytes: 4096, ..limits }, "--max-transfer"),
            (Limits { transfer_bytes: 16 << 20, ..limits }, "--max-transfer"),
            (Limits { in_capsule_bytes: 100, ..limits }, "--in-capsule"),
            (Limits { in_capsule_bytes: 128 << 10, ..limits }, "--in-capsule"),
        ] {
            assert_eq!(wrong.of_subsystem(1).unwrap_err().place, place);
        }
    }
}
