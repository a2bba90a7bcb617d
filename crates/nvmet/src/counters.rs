//! What was served, counted by the workers and read by whoever asks.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that workers add to; each only ever grows.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections taken.
    pub connections: AtomicU64,
    /// Connections closed at once, because there were too many.
    pub turned_away: AtomicU64,
    /// Connections that became the admin queue of a controller.
    pub controllers: AtomicU64,
    /// Connections that became an I/O queue.
    pub queues: AtomicU64,
    /// Connections that ended because the host broke a rule of the protocol.
    pub faults: AtomicU64,
    /// Controllers that ended because their host fell silent.
    pub lost_hosts: AtomicU64,
    /// Reads that ended well.
    pub reads: AtomicU64,
    /// Writes that ended well.
    pub writes: AtomicU64,
    /// Bytes read.
    pub read_bytes: AtomicU64,
    /// Bytes written.
    pub written_bytes: AtomicU64,
    /// I/Os that the backend failed.
    pub failed: AtomicU64,
}

/// Adds to a counter of which nobody waits for an exact value.
pub fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

/// What was served so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Connections taken.
    pub connections: u64,
    /// Connections closed at once, because there were too many.
    pub turned_away: u64,
    /// Controllers made, those of the discovery service among them.
    pub controllers: u64,
    /// I/O queues connected.
    pub queues: u64,
    /// Connections that ended because the host broke a rule of the protocol.
    pub faults: u64,
    /// Controllers that ended because their host fell silent.
    pub lost_hosts: u64,
    /// Reads that ended well.
    pub reads: u64,
    /// Writes that ended well.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// I/Os that the backend failed.
    pub failed: u64,
}

impl Counters {
    /// What they show.
    pub fn summary(&self) -> Summary {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Summary {
            connections: of(&self.connections),
            turned_away: of(&self.turned_away),
            controllers: of(&self.controllers),
            queues: of(&self.queues),
            faults: of(&self.faults),
            lost_hosts: of(&self.lost_hosts),
            reads: of(&self.reads),
            writes: of(&self.writes),
            read_bytes: of(&self.read_bytes),
            written_bytes: of(&self.written_bytes),
            failed: of(&self.failed),
        }
    }
}
