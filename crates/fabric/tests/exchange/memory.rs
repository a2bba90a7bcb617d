//! A host against a controller in memory: what is said before I/O, and that data is what was written.

use crate::pair::{
    BLOCKS, HOST, Host, IN_CAPSULE, NQN, SHIFT, TRANSFER, Target, associate, digested, pair, plain, settle,
    wishes,
};
use fathom_fabric::Framing;
use fathom_fabric::host::discovery_log::{DiscoveryReader, PIECE_BYTES};
use fathom_fabric::host::{Association, NamespaceFacts, Transfer};
use fathom_spec::fabrics::{DISCOVERY_NAME, SubmissionEntry};
use fathom_spec::{Status, admin, io};
use proptest::prelude::*;

fn transfer(opcode: u8, block: u64, blocks: u32) -> Transfer {
    Transfer { opcode, nsid: 1, offset: block << SHIFT, bytes: blocks << SHIFT, block_shift: SHIFT }
}

#[test]
fn a_host_learns_what_the_controller_is() {
    for framing in [plain(), digested(), Framing { header_digest: true, ..plain() }] {
        let pair = pair(framing, 4, 4096, false);
        let facts = pair.association.facts();
        assert_eq!((facts.controller, facts.queue_entries, facts.most_commands), (1, 64, Some(64)));
        assert_eq!((facts.transfer_bytes, facts.in_capsule_bytes, facts.queues), (TRANSFER, IN_CAPSULE, 2));
        assert_eq!(
            (facts.model.as_str(), facts.firmware.as_str(), facts.keep_alive_unit),
            ("fathom", "1", 10)
        );
        assert!(facts.deallocates && facts.has_write_cache);
        let expected = NamespaceFacts { id: 1, block_shift: SHIFT, blocks: BLOCKS, is_read_only: false };
        assert_eq!(facts.namespace, Some(expected));
    }
}

#[test]
fn hosts_and_subsystems_that_do_not_match_are_refused_by_name() {
    for (change, cause) in [
        (
            (|it| it.subsystem = "nqn.other".to_owned()) as fn(&mut fathom_fabric::host::ConnectOptions),
            "no such subsystem",
        ),
        (|it| it.host = "nqn.stranger".to_owned(), "Invalid Host"),
        (|it| it.namespace = Some(2), "no namespace 2"),
    ] {
        let subsystem = crate::pair::subsystem();
        let mut asked = wishes(NQN);
        change(&mut asked);
        let (mut host, mut target) = (Host::new(plain(), 1, 8192), Target::new(&subsystem));
        let error = associate(&mut Association::new(asked), &mut host, &mut target, &subsystem).unwrap_err();
        assert!(error.contains(cause), "{error}");
    }
}

#[test]
fn the_discovery_service_lists_what_the_host_may_use() {
    for (name, listed) in [(HOST, 1), ("nqn.stranger", 0)] {
        let subsystem = crate::pair::subsystem();
        let asked = fathom_fabric::host::ConnectOptions { host: name.to_owned(), ..wishes(DISCOVERY_NAME) };
        let (mut host, mut target) = (Host::new(plain(), 1, 8192), Target::new(&subsystem));
        let mut association = Association::new(asked);
        associate(&mut association, &mut host, &mut target, &subsystem).unwrap();
        assert_eq!(association.facts().namespace, None);
        let mut reading = DiscoveryReader::default();
        while let Some(entry) = reading.next_command() {
            assert!(host.queue.start(0, entry, PIECE_BYTES));
            settle(&mut host, &mut target, &subsystem).unwrap();
            assert!(host.ended.pop().unwrap().status.is_success());
            reading.take(&host.buffers.0[0]).unwrap();
        }
        let found = reading.found();
        assert_eq!(found.len(), listed);
        for entry in found {
            assert_eq!(
                (entry.subsystem.as_str(), entry.address.as_str(), entry.port),
                (NQN, "127.0.0.1", Some(4420))
            );
            assert!(entry.has_namespaces && !entry.is_secured && entry.transport == 3);
        }
    }
}

#[test]
fn a_trim_takes_its_ranges_and_a_flush_nothing() {
    for framing in [plain(), digested()] {
        let mut pair = pair(framing, 2, 4096, false);
        pair.target.backend.disk.fill(9);
        let entry = SubmissionEntry::new(io::DATASET_MANAGEMENT, 1, [0, io::DEALLOCATE, 0, 0, 0, 0]);
        assert!(pair.host.queue.start_with(0, entry, &io::range(3, 2)));
        assert!(pair.host.queue.start(1, SubmissionEntry::new(io::FLUSH, 1, [0; 6]), 0));
        pair.settle().unwrap();
        assert!(pair.host.ended.iter().all(|end| end.status.is_success()) && pair.host.ended.len() == 2);
        let disk = &pair.target.backend.disk;
        let zeros: Vec<usize> = (0..BLOCKS as usize).filter(|block| disk[block << SHIFT] == 0).collect();
        assert_eq!(zeros, [3, 4]);
    }
}

#[test]
fn commands_that_cannot_be_carried_out_have_their_status() {
    let mut pair = pair(plain(), 1, 4096, true);
    let dwords = |first: u64, count: u32| {
        let [low, high, count] = io::transfer_dwords(first, count);
        [low, high, count, 0, 0, 0]
    };
    for (entry, bytes, status) in [
        (SubmissionEntry::new(io::READ, 1, dwords(BLOCKS, 1)), 4096, 0x4080),
        (SubmissionEntry::new(io::READ, 1, dwords(u64::MAX, 2)), 8192, 0x4080),
        (SubmissionEntry::new(io::WRITE, 1, dwords(BLOCKS - 1, 2)), 8192, 0x4080),
        (SubmissionEntry::new(io::READ, 2, dwords(0, 1)), 4096, 0x400b),
        (SubmissionEntry::new(io::READ, 1, dwords(0, 2)), 4096, 0x400f),
        (SubmissionEntry::new(io::WRITE, 1, dwords(0, 1)), 0, 0x400f),
        (SubmissionEntry::new(io::READ, 1, dwords(0, 65536)), 4096, 0x4002),
        (SubmissionEntry::new(io::READ, 1, [0, 0, 1 << 29, 0, 0, 0]), 4096, 0x4002),
        (SubmissionEntry::new(0x05, 1, dwords(0, 1)), 0, 0x4001),
        (SubmissionEntry::new(0x03, 1, dwords(0, 1)), 0, 0x4001),
        (SubmissionEntry::new(admin::IDENTIFY, 1, [1, 0, 0, 0, 0, 0]), 4096, 0x4001),
        (SubmissionEntry::new(io::DATASET_MANAGEMENT, 1, [1, 4, 0, 0, 0, 0]), 16, 0x400f),
        (Association::connect_io(1, 64, true), 1024, 0x400c),
        (fathom_spec::fabrics::property::get(0, true), 0, 0x4001),
    ] {
        assert!(pair.host.queue.start(0, entry, bytes));
        pair.settle().unwrap();
        assert_eq!(pair.host.ended.pop().unwrap().status, Status(status), "{entry:?}");
    }
    assert!(pair.target.backend.done.is_empty(), "nothing reached the backend");
}

#[test]
fn a_read_only_namespace_takes_no_data() {
    let mut pair = pair(plain(), 1, 65536, false);
    let mut namespace = crate::pair::namespace();
    namespace.is_read_only = true;
    pair.subsystem.borrow_mut().namespaces = [namespace].into();
    // A session has the namespace from its start, so this one is new.
    pair.target = Target::new(&pair.subsystem);
    pair.host = Host::new(plain(), 1, 65536);
    settle(&mut pair.host, &mut pair.target, &pair.subsystem).unwrap();
    let data = pair.association.data();
    pair.host.buffers.0[0][..1024].copy_from_slice(&data);
    assert!(pair.host.queue.start(0, Association::connect_io(2, 64, true), 1024));
    pair.settle().unwrap();
    assert!(pair.host.ended.pop().unwrap().status.is_success());
    for blocks in [1, 8] {
        assert!(pair.host.queue.start_transfer(0, transfer(io::WRITE, 0, blocks)));
        pair.settle().unwrap();
        assert_eq!(pair.host.ended.pop().unwrap().status, Status(0x4020));
    }
    assert!(pair.target.backend.done.is_empty());
}

#[derive(Clone, Debug)]
struct Act {
    write: bool,
    block: u64,
    blocks: u32,
    fill: u8,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = (any::<bool>(), 0..BLOCKS - 32, 1u32..=32, any::<u8>());
    proptest::collection::vec(
        act.prop_map(|(write, block, blocks, fill)| Act { write, block, blocks, fill }),
        1..24,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// What is read is what was written, wherever the streams are cut, in whatever order I/Os end, with I/Os in
    /// capsules, by R2T and in several commands.
    #[test]
    fn data_is_what_was_written(
        acts in acts(),
        digests in any::<bool>(),
        flow_control in any::<bool>(),
        is_slow in any::<bool>(),
        cuts in proptest::collection::vec(1usize..9000, 1..16),
    ) {
        let framing = if digests { digested() } else { plain() };
        let mut pair = pair(framing, 4, 32 << SHIFT, flow_control);
        pair.target.backend.is_slow = is_slow;
        let mut model = vec![0u8; (BLOCKS << SHIFT) as usize];
        let mut cuts = cuts.into_iter().cycle();
        for group in acts.chunks(4) {
            // I/Os of a group run at once, so only one of them may write, and none may read what it writes.
            let mut expected = Vec::new();
            for (slot, act) in group.iter().enumerate() {
                let (from, bytes) = ((act.block << SHIFT) as usize, (act.blocks << SHIFT) as usize);
                let write = act.write && slot == 0;
                if write {
                    pair.host.buffers.0[slot][..bytes].fill(act.fill);
                }
                let opcode = if write { io::WRITE } else { io::READ };
                let started = pair.host.queue.start_transfer(slot as u32, transfer(opcode, act.block, act.blocks));
                prop_assert!(started);
                expected.push((write, from, bytes));
            }
            let before = model.clone();
            if let Some((true, from, bytes)) = expected.first().copied() {
                model[from..from + bytes].fill(group[0].fill);
            }
            for _ in 0..100_000 {
                let there = pair.host.output(cuts.next().unwrap());
                pair.target.received(&pair.subsystem, &there).unwrap();
                if is_slow {
                    pair.target.finish_waiting();
                }
                let back = pair.target.output(cuts.next().unwrap());
                pair.host.received(&back).unwrap();
                if pair.host.ended.len() == group.len() {
                    break;
                }
            }
            prop_assert_eq!(pair.host.ended.len(), group.len());
            for end in pair.host.ended.drain(..) {
                prop_assert!(end.status.is_success(), "{}", end.status);
                let (write, from, bytes) = expected[end.slot as usize];
                let data = &pair.host.buffers.0[end.slot as usize][..bytes];
                for (at, byte) in data.iter().enumerate().filter(|_| !write) {
                    prop_assert!(*byte == model[from + at] || *byte == before[from + at]);
                }
            }
            prop_assert!(pair.target.backend.disk == model);
        }
    }
}
