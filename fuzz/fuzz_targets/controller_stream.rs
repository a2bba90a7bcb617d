//! Any bytes from a host are commands or a fault with a name, whatever queue they arrive at.
#![no_main]

use std::cell::RefCell;

use fathom_fabric::{GatherList, Payloads};
use fathom_fabric::controller::{Access, Answer, CommandStart, ControllerQueue, Digests, Io, Namespace, Role, IoHandler, Session, Subsystem, SubsystemLimits};
use libfuzzer_sys::fuzz_target;

const BLOCKS: u64 = 64;
const TRANSFER: u32 = 16384;

struct Backend(Vec<Vec<u8>>);

impl Payloads for Backend {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        &mut self.0[slot as usize]
    }
}

impl IoHandler for Backend {
    fn begin_io(&mut self, _: u32, io: Io) -> CommandStart {
        let end = BLOCKS << 12;
        match io {
            Io::Read { offset, bytes } | Io::Write { offset, bytes, .. } => {
                assert!(bytes <= TRANSFER && offset + u64::from(bytes) <= end);
                CommandStart::Done(Answer { bytes, ..Answer::DONE })
            }
            Io::Flush | Io::Trim { .. } => CommandStart::Done(Answer::DONE),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, stream)) = bytes.split_first() else { return };
    let namespace = Namespace {
        blocks: BLOCKS,
        block_shift: 12,
        is_read_only: choice & 1 == 1,
        deallocates: true,
        has_write_cache: true,
    };
    let limits = SubsystemLimits {
        queues: 2,
        all_queues: 2,
        entries: 16,
        controllers: 2,
        transfer_bytes: TRANSFER,
        in_capsule_bytes: 8192,
        digests: Digests::Offer,
    };
    let subsystem = RefCell::new(Subsystem::new(("nqn.f", "fuzz"), "1", namespace, Access::Any, limits));
    let mut queue = ControllerQueue::new(Session::admin_limits(TRANSFER));
    let mut session = Session::new(&subsystem.borrow(), "127.0.0.1", false, 4420);
    let mut backend = Backend(vec![vec![0; 8192]]);
    let mut request = [0; 128];
    (request[2], request[4]) = (128, 128);
    if choice & 2 == 2 {
        let begun = queue.received(&request, &mut session.serving(&subsystem, &mut backend));
        assert!(begun.is_ok());
    }
    let mut out = Vec::new();
    for piece in stream.chunks(usize::from(choice >> 2) * 8 + 1) {
        let outcome = queue.received(piece, &mut session.serving(&subsystem, &mut backend));
        out.clear();
        queue.fill(&mut backend, (&mut out, 1 << 20), &mut GatherList::default());
        if outcome.is_err() {
            break;
        }
        let entries = match session.role() {
            Role::Fresh => continue,
            Role::Admin { entries, .. } | Role::Io { entries, .. } => usize::from(entries),
        };
        if backend.0.len() < entries {
            let limits = session.queue_limits();
            queue.become_queue(entries as u32, limits, false);
            backend.0 = vec![vec![0; limits.transfer_bytes as usize]; entries];
        }
    }
    session.end(&subsystem);
    assert_eq!(subsystem.borrow().connected_queues(), 0);
});
