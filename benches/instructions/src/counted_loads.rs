//! The loads whose instructions are counted.

use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Verify, Workload,
};
use fathom_spec::io::{READ, WRITE};

use crate::queues::Commands;

/// One load.
#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    /// I/Os to count over: enough that one unusual one does not show.
    pub operations: u64,
    pub depth: u32,
    pub carried: IoCarrier,
    change: fn(&mut Workload),
}

/// What carries the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoCarrier {
    /// Engine `null`: the loop alone.
    Null,
    /// Engine `memory` under the decorator `verify`.
    VerifiedMemory,
    /// Queues of NVMe over TCP, host and controller, without the loop.
    Queues(Commands),
    /// No loop at all: readings of the clock that real runs are stamped with.
    Clock,
}

const fn null(name: &'static str, depth: u32, operations: u64, change: fn(&mut Workload)) -> Case {
    Case { name, operations, depth, carried: IoCarrier::Null, change }
}

const fn queues(name: &'static str, opcode: u8, digests: bool, in_capsule: bool) -> Case {
    let carried = IoCarrier::Queues(Commands { opcode, digests, in_capsule });
    Case { name, operations: 4_000, depth: 32, carried, change: |_| {} }
}

pub const CASES: &[Case] = &[
    null("read-d1", 1, 20_000, |_| {}),
    null("read-d32", 32, 20_000, |_| {}),
    null("independent-d32", 32, 20_000, |workload| workload.addresses = Addresses::RandomIndependent),
    null("sequential-d32", 32, 20_000, |workload| workload.addresses = Addresses::Sequential),
    null("zipf-d32", 32, 20_000, |workload| workload.addresses = Addresses::Zipf { exponent: 0.99 }),
    null("mixed-d32", 32, 4_000, |workload| workload.mix.read_share = 0.7),
    // So fast that an arrival is always due: no turn without an I/O.
    null("open-d32", 32, 20_000, |workload| workload.arrival = Arrival::Poisson { rate_per_s: 50e6 }),
    Case {
        name: "verified-d32",
        operations: 1_000,
        depth: 32,
        carried: IoCarrier::VerifiedMemory,
        change: |workload| {
            workload.mix.read_share = 0.5;
            workload.data.verify = Verify::OnRead;
        },
    },
    queues("pdu-read", READ, false, true),
    queues("pdu-read-digests", READ, true, true),
    queues("pdu-write-in-capsule", WRITE, false, true),
    queues("pdu-write-asked", WRITE, false, false),
    Case { name: "clock", operations: 20_000, depth: 1, carried: IoCarrier::Clock, change: |_| {} },
];

impl Case {
    /// 4 KiB random reads, each block once, unless the case says otherwise.
    pub fn workload(&self, operations: u64) -> Workload {
        let mut workload = Workload {
            mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
            addresses: Addresses::RandomCycle,
            sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
            offset_bytes: 0,
            span_bytes: None,
            alignment_bytes: None,
            data: Data::default(),
            arrival: Arrival::Closed,
            jobs: 1,
            depth: self.depth,
            length: Length { operations: Some(operations), ..Length::default() },
            seed: 1,
            special: None,
        };
        (self.change)(&mut workload);
        workload
    }

    /// Size of the target: as large as a device for the loop alone, small enough to be filled in memory.
    pub fn target_bytes(&self) -> u64 {
        match self.carried {
            IoCarrier::Null | IoCarrier::Queues(_) | IoCarrier::Clock => 1 << 40,
            IoCarrier::VerifiedMemory => 1 << 20,
        }
    }
}
