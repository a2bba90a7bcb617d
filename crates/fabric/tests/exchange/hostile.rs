//! Peers that break the rules: each is refused by name, and nothing wrong gets through.

use crate::pair::{HOST, Host, NQN, Pair, SHIFT, TRANSFER, Target, digested, pair, plain, settle, subsystem};
use fathom_fabric::controller::{ControllerQueue, Digests, Io, Session};
use fathom_fabric::host::{Association, Limits, Transfer};
use fathom_fabric::{Fault, Framing};
use fathom_spec::admin::{ASYNCHRONOUS_EVENT, KEEP_ALIVE};
use fathom_spec::fabrics::connect::{ConnectData, ConnectFields};
use fathom_spec::fabrics::{CompletionEntry, Descriptor, SubmissionEntry};
use fathom_spec::{Status, io};
use proptest::prelude::*;
use zerocopy::IntoBytes;

/// A PDU of bytes: common header, the rest of the header, and data.
fn pdu(kind: u8, flags: u8, pdo: u8, rest: &[u8], data: &[u8]) -> Vec<u8> {
    let hlen = 8 + rest.len();
    let mut bytes = vec![kind, flags, hlen as u8, pdo];
    bytes.extend(((hlen + data.len()) as u32).to_le_bytes());
    bytes.extend(rest);
    bytes.extend(data);
    bytes
}

fn initialize(kind: u8, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = pdu(kind, 0, 0, &[0; 120], &[]);
    if kind == 1 {
        bytes[12..16].copy_from_slice(&8192u32.to_le_bytes());
    }
    change(&mut bytes);
    bytes
}

/// The header of H2CData, C2HData or R2T.
fn data(kind: u8, flags: u8, (cid, tag, offset, length): (u16, u16, u32, u32), payload: &[u8]) -> Vec<u8> {
    let mut rest = [cid.to_le_bytes(), tag.to_le_bytes()].concat();
    rest.extend([offset.to_le_bytes(), length.to_le_bytes(), [0; 4]].concat());
    pdu(kind, flags, if payload.is_empty() { 0 } else { 24 }, &rest, payload)
}

fn command(mut entry: SubmissionEntry, cid: u16, descriptor: Descriptor, payload: &[u8]) -> Vec<u8> {
    entry.cid.set(cid);
    entry.data = descriptor;
    pdu(4, 0, if payload.is_empty() { 0 } else { 72 }, entry.as_bytes(), payload)
}

fn write(blocks: u32) -> SubmissionEntry {
    let [low, high, count] = io::transfer_dwords(0, blocks);
    SubmissionEntry::new(io::WRITE, 1, [low, high, count, 0, 0, 0])
}

fn connect(queue: u16, size: u16, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let asked = ConnectFields { format: 0, queue, size, attributes: 0, keep_alive_ms: 0 };
    let mut bytes =
        ConnectData::new([7; 16], if queue == 0 { 0xffff } else { 1 }, NQN, HOST).as_bytes().to_vec();
    change(&mut bytes);
    let descriptor = Descriptor::new(Descriptor::IN_CAPSULE, bytes.len() as u32);
    command(asked.entry(), 5, descriptor, &bytes)
}

#[test]
fn a_host_that_breaks_the_framing_is_ended_by_name() {
    let good = || initialize(0, |_| {});
    let then = |more: Vec<u8>| [good(), more].concat();
    let with = |at: usize, value: u8| initialize(0, |bytes| bytes[at] = value);
    let length = |plen: u32| {
        let mut bytes = command(write(1), 1, Descriptor::new(Descriptor::TRANSPORT, 4096), &[]);
        bytes[4..8].copy_from_slice(&plen.to_le_bytes());
        then(bytes[..8].to_vec())
    };
    let offset = |pdo: u8| {
        let mut bytes = command(write(1), 1, Descriptor::new(Descriptor::IN_CAPSULE, 64), &[0; 64]);
        bytes[3] = pdo;
        then(bytes)
    };
    for (stream, fault) in [
        (command(write(1), 1, Descriptor::new(Descriptor::TRANSPORT, 0), &[]), Fault::NotInitialized),
        (then(good()), Fault::InitializedTwice),
        (with(8, 1), Fault::FormatVersion),
        (with(10, 32), Fault::Alignment),
        (with(2, 127), Fault::HeaderLength),
        (with(4, 127), Fault::TotalLength),
        (initialize(1, |_| {}), Fault::WrongSide),
        (length(0), Fault::TotalLength),
        (length(7), Fault::TotalLength),
        (length(71), Fault::TotalLength),
        (length(73), Fault::TotalLength),
        (length(u32::MAX), Fault::TotalLength),
        (offset(8), Fault::DataOffset),
        (offset(74), Fault::DataOffset),
        (offset(140), Fault::DataOffset),
        (offset(136), Fault::NoData),
        (then(pdu(8, 0, 0, &[0; 16], &[])), Fault::UnknownKind),
        (then(pdu(0xff, 0, 0, &[0; 16], &[])), Fault::UnknownKind),
        (then(pdu(9, 0, 0, &[0; 16], &[])), Fault::WrongSide),
        (then(pdu(4, 1, 0, &[0; 64], &[0; 4])), Fault::DigestFlag),
        (then(pdu(4, 4, 0, &[0; 64], &[])), Fault::TransferFlag),
        ([with(11, 1), pdu(4, 0, 0, &[0; 64], &[])].concat(), Fault::DigestFlag),
        ([with(11, 1), pdu(4, 1, 0, &[0; 64], &[1; 4])].concat(), Fault::HeaderDigest),
        (then(pdu(2, 0, 0, &[0; 16], &[0; 129])), Fault::TotalLength),
        (then(pdu(2, 0, 0, &[3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &[])), Fault::Terminated(3)),
        (then(command(write(1), 1, Descriptor::new(1, 40_000), &[0; 40_000])), Fault::TooMuchData),
    ] {
        let subsystem = subsystem();
        for cut in [1, 7, usize::MAX] {
            let mut target = Target::new(&subsystem);
            let outcome =
                stream.chunks(cut.min(stream.len())).try_for_each(|piece| target.received(&subsystem, piece));
            let fatal = outcome.unwrap_err();
            assert_eq!(fatal.fault, fault, "{:?}", &stream[..8]);
            let said = target.output(usize::MAX);
            let told = said.windows(3).any(|bytes| bytes == [3, 0, 24]);
            assert_eq!(told, !matches!(fault, Fault::Terminated(_)), "{fault}");
        }
    }
}

#[test]
fn connects_that_do_not_fit_are_refused_with_the_place() {
    const INVALID: u16 = 0x4182;
    let (in_data, in_command) = (1 << 16, 0);
    for (stream, status, result) in [
        (connect(0, 31, |data| data[256..512].fill(b'a')), INVALID, in_data | 256),
        (connect(0, 31, |data| data[256] = 0), INVALID, in_data | 256),
        (connect(0, 31, |data| data[257] = b'Q'), INVALID, in_data | 256),
        // A host without a name is on no list.
        (connect(0, 31, |data| data[512..768].fill(0)), 0x4184, 0),
        (connect(0, 31, |data| data[512..768].fill(b'a')), INVALID, in_data | 512),
        (connect(0, 31, |data| data[16..18].fill(0)), INVALID, in_data | 16),
        (connect(0, 0, |_| {}), INVALID, in_command | 44),
        (connect(0, 0xffff, |_| {}), INVALID, in_command | 44),
        (connect(1, 63, |data| data[16] = 9), INVALID, in_data | 16),
        (connect(1, 63, |data| data[0] = 0), INVALID, in_data),
        (connect(1, 64, |_| {}), INVALID, in_command | 44),
        (connect(1, 63, |_| {}), INVALID, in_command | 42),
        (connect(3, 63, |_| {}), INVALID, in_command | 42),
        (connect(0, 31, |data| data[513] = b'x'), 0x4184, 0),
        (command(write(1), 5, Descriptor::new(Descriptor::TRANSPORT, 4096), &[]), 0x400c, 0),
        (command(connect_entry(), 5, Descriptor::new(1, 512), &[0; 512]), 0x400f, 0),
        (command(connect_entry(), 5, Descriptor::new(Descriptor::TRANSPORT, 1024), &[]), 0x4002, 0),
    ] {
        // Queue 1 is in use, and two were granted.
        let pair = pair(plain(), 1, 4096, true);
        let mut target = Target::new(&pair.subsystem);
        target.received(&pair.subsystem, &initialize(0, |_| {})).unwrap();
        let _ = target.output(usize::MAX);
        target.received(&pair.subsystem, &stream).unwrap();
        let said = target.output(usize::MAX);
        assert_eq!(said.len(), 24);
        let expected = CompletionEntry::new(5, Status(status), result);
        assert_eq!(said[8..24], *expected.as_bytes(), "{status:x} {result:x}");
    }
}

fn connect_entry() -> SubmissionEntry {
    ConnectFields { format: 0, queue: 0, size: 31, attributes: 0, keep_alive_ms: 0 }.entry()
}

/// What a host sends on a ready I/O queue of a controller that has answered everything so far.
fn at_controller(slow: bool, stream: &[u8]) -> (Pair, Result<(), Fault>) {
    let mut pair = pair(plain(), 1, 4096, true);
    pair.target.backend.is_slow = slow;
    let outcome = pair.target.received(&pair.subsystem, stream).map_err(|fatal| fatal.fault);
    (pair, outcome)
}

#[test]
fn a_host_that_breaks_the_order_of_data_is_ended_by_name() {
    let asked = command(write(4), 9, Descriptor::new(Descriptor::TRANSPORT, 4 << SHIFT), &[]);
    let then = |more: Vec<u8>| [asked.clone(), more].concat();
    // The slot that was freed last is taken first.
    let tag = 0;
    let half = vec![1; 2 << SHIFT];
    let (first, second) = ((9, tag, 0, 2 << SHIFT), (9, tag, 2 << SHIFT, 2 << SHIFT));
    let whole = [data(6, 0, first, &half), data(6, 4, second, &half)].concat();
    for (stream, fault) in [
        (then(data(6, 4, (9, 64, 0, 8192), &half)), Fault::UnknownTransfer),
        (then(data(6, 4, (9, 1, 0, 8192), &half)), Fault::UnknownTransfer),
        (then(data(6, 4, (8, tag, 0, 8192), &half)), Fault::UnknownCommand),
        (then(data(6, 0, (9, tag, 4096, 8192), &half)), Fault::DataGap),
        (then(data(6, 4, first, &half)), Fault::LastFlag),
        (then([data(6, 0, first, &half), data(6, 0, second, &half)].concat()), Fault::LastFlag),
        (then([data(6, 0, first, &half), data(6, 0, first, &half)].concat()), Fault::DataGap),
        (then(data(6, 0, (9, tag, 0, 32768), &vec![0; 32768])), Fault::DataBeyond),
        (then(data(6, 0, (9, tag, 0, 40000), &vec![0; 40000])), Fault::TooMuchData),
        (then(data(6, 0, (9, tag, 0, 4), &half)), Fault::TotalLength),
        (then(data(6, 4, (9, tag, 0, 0), &[])), Fault::DataOffset),
        (then([whole.clone(), data(6, 4, second, &half)].concat()), Fault::UnknownTransfer),
        (data(6, 4, first, &half), Fault::UnknownTransfer),
        (then(asked.clone()), Fault::CommandInUse),
    ] {
        let (pair, outcome) = at_controller(false, &stream);
        assert_eq!(outcome, Err(fault));
        let written: u64 = pair.target.backend.done.len() as u64;
        assert_eq!(written, u64::from(stream.starts_with(&then(whole.clone()))), "{fault}");
    }
    let (pair, outcome) = at_controller(false, &then(whole));
    assert_eq!(outcome, Ok(()));
    assert_eq!(pair.target.backend.done, [Io::Write { offset: 0, bytes: 4 << SHIFT, is_durable: false }]);
}

#[test]
fn a_host_that_gives_its_requests_for_events_up_may_take_their_identifiers_again() {
    let admin = |opcode: u8| {
        let entry = SubmissionEntry::new(opcode, 0, [0; 6]);
        command(entry, 9, Descriptor::new(Descriptor::TRANSPORT, 0), &[])
    };
    let mut pair = pair(plain(), 1, 4096, true);
    let target = &mut pair.admin.1;
    target.received(&pair.subsystem, &admin(ASYNCHRONOUS_EVENT)).unwrap();
    assert!(target.output(usize::MAX).is_empty());
    for _ in 0..3 {
        target.received(&pair.subsystem, &admin(KEEP_ALIVE)).unwrap();
        let said = target.output(usize::MAX);
        // Its identifier, and success.
        assert_eq!(said[20..24], [9, 0, 0, 0]);
    }
    // Each takes the place of the one before: however often, none is one too many.
    for _ in 0..8 {
        target.received(&pair.subsystem, &admin(ASYNCHRONOUS_EVENT)).unwrap();
        assert!(target.output(usize::MAX).is_empty());
    }
}

#[test]
fn digests_are_in_force_as_the_target_wants_them() {
    let answer = |policy, asked: u8| {
        let directory = subsystem();
        let mut target = Target::new(&directory);
        target.queue = ControllerQueue::new(Session::admin_limits(TRANSFER)).with_digests(policy);
        let outcome = target.received(&directory, &initialize(0, |pdu| pdu[11] = asked));
        outcome.map(|_| target.output(usize::MAX)[11]).map_err(|fatal| (fatal.fault, fatal.fei))
    };
    for asked in 0..4 {
        assert_eq!(answer(Digests::Offer, asked), Ok(asked));
        assert_eq!(answer(Digests::Off, asked), Ok(0));
        let required = if asked == 3 { Ok(3) } else { Err((Fault::DigestsMissing, 11)) };
        assert_eq!(answer(Digests::Require, asked), required);
    }
}

#[test]
fn more_commands_than_entries_end_the_connection() {
    let flush = |cid| command(SubmissionEntry::new(io::FLUSH, 1, [0; 6]), cid, Descriptor::new(0x5a, 0), &[]);
    let fits: Vec<u8> = (0..64).flat_map(flush).collect();
    assert_eq!(at_controller(true, &fits).1, Ok(()));
    let more = [fits, flush(64)].concat();
    assert_eq!(at_controller(true, &more).1, Err(Fault::TooManyCommands));
}

#[test]
fn descriptors_that_say_something_else_have_their_status() {
    let block = vec![3; 4096];
    let mut elsewhere = Descriptor::new(Descriptor::IN_CAPSULE, 4096);
    elsewhere.address.set(8);
    for (descriptor, payload, status) in [
        (elsewhere, &block[..], 0x4002),
        (Descriptor::new(Descriptor::IN_CAPSULE, 8192), &block[..], 0x400f),
        (Descriptor::new(Descriptor::TRANSPORT, 4096), &block[..], 0x4011),
        (Descriptor::new(0x40, 4096), &[][..], 0x4011),
        (Descriptor::new(Descriptor::TRANSPORT, u32::MAX), &[][..], 0x400f),
        (Descriptor::new(Descriptor::IN_CAPSULE, 4096), &[][..], 0x400f),
    ] {
        // What follows is read as if nothing had happened.
        let good = command(write(1), 2, Descriptor::new(Descriptor::IN_CAPSULE, 4096), &block);
        let (mut pair, outcome) =
            at_controller(false, &[command(write(1), 1, descriptor, payload), good].concat());
        assert_eq!(outcome, Ok(()));
        let said = pair.target.output(usize::MAX);
        assert_eq!(said.len(), 48);
        assert_eq!(u16::from_le_bytes([said[22], said[23]]) >> 1, status);
        assert_eq!((said[44], said[46]), (2, 0));
        assert_eq!(pair.target.backend.done.len(), 1);
    }
}

/// A host with a command under way in slot 0: a read, or a write by R2T, of 4 blocks. Says its identifier.
fn at_host(opcode: u8) -> (Host, u16) {
    let mut host = Host::new(plain(), 2, 16384);
    host.received(&initialize(1, |_| {})).unwrap();
    host.queue.set_limits(Limits { transfer_bytes: TRANSFER, in_capsule_bytes: 4096 });
    let transfer = Transfer { opcode, nsid: 1, offset: 0, bytes: 16384, block_shift: SHIFT };
    assert!(host.queue.start_transfer(0, transfer));
    let out = host.output(usize::MAX);
    let at = out.len() - 72;
    (host, u16::from_le_bytes([out[at + 10], out[at + 11]]))
}

#[test]
fn a_controller_that_breaks_the_rules_is_ended_by_name() {
    let response = |cid: u16| pdu(5, 0, 0, CompletionEntry::new(cid, Status(0), 0).as_bytes(), &[]);
    let (read, write) = (io::READ, io::WRITE);
    type Stream = fn(u16, &dyn Fn(u16) -> Vec<u8>) -> Vec<u8>;
    let cases: [(u8, Stream, Fault); 18] = [
        (read, |_, response| response(1), Fault::UnknownCommand),
        (read, |_, response| response(0xffff), Fault::UnknownCommand),
        (read, |cid, response| response(cid ^ 0x8000), Fault::UnknownCommand),
        (read, |cid, response| [response(cid), response(cid)].concat(), Fault::UnknownCommand),
        (read, |cid, _| data(9, 0, (cid, 1, 0, 4096), &[]), Fault::UnwantedData),
        (write, |cid, _| data(7, 4, (cid, 0, 0, 4096), &[0; 4096]), Fault::UnwantedData),
        (write, |cid, _| data(9, 0, (cid, 1, 0, 0), &[]), Fault::NothingAsked),
        (write, |cid, _| data(9, 0, (cid, 1, 0, 16388), &[]), Fault::DataBeyond),
        (write, |cid, _| data(9, 0, (cid, 1, 4096, 4096), &[]), Fault::DataGap),
        (
            write,
            |cid, _| [data(9, 0, (cid, 1, 0, 4096), &[]), data(9, 0, (cid, 1, 4096, 4096), &[])].concat(),
            Fault::TransferAskedTwice,
        ),
        (read, |cid, _| data(7, 0, (cid, 0, 4096, 4096), &[0; 4096]), Fault::DataGap),
        (read, |cid, _| data(7, 0, (cid, 0, 0, 20000), &[0; 20000]), Fault::DataBeyond),
        (read, |cid, _| data(7, 8, (cid, 0, 0, 4096), &[0; 4096]), Fault::TransferFlag),
        (
            read,
            |cid, _| {
                [data(7, 4, (cid, 0, 0, 4096), &[0; 4096]), data(7, 4, (cid, 0, 4096, 4), &[0; 4])].concat()
            },
            Fault::DataAfterLast,
        ),
        (read, |_, _| initialize(1, |_| {}), Fault::InitializedTwice),
        (read, |_, _| initialize(0, |_| {}), Fault::WrongSide),
        (read, |_, _| data(7, 4, (0, 0, 0, 0), &[]), Fault::DataOffset),
        (
            read,
            |_, _| pdu(3, 0, 0, &[2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &[]),
            Fault::Terminated(2),
        ),
    ];
    for (opcode, stream, fault) in cases {
        for cut in [1, 5, usize::MAX] {
            let (mut host, cid) = at_host(opcode);
            let bytes = stream(cid, &response);
            let outcome = bytes.chunks(cut.min(bytes.len())).try_for_each(|piece| host.received(piece));
            assert_eq!(outcome.unwrap_err().fault, fault);
            let said = host.output(usize::MAX);
            let told = said.windows(3).any(|bytes| bytes == [2, 0, 24]);
            assert_eq!(told, !matches!(fault, Fault::Terminated(_)), "{fault}");
        }
    }
}

#[test]
fn data_that_stands_for_a_completion_ends_its_command_and_a_completion_after_it_is_one_too_many() {
    let (mut host, cid) = at_host(io::READ);
    host.received(&data(7, 12, (cid, 0, 0, 16384), &[5; 16384])).unwrap();
    let [end] = host.ended.as_slice() else { panic!("{:?}", host.ended) };
    assert!(end.status.is_success() && host.buffers.0[end.slot as usize][..16384] == [5; 16384]);
    let late = pdu(5, 0, 0, CompletionEntry::new(cid, Status(0), 0).as_bytes(), &[]);
    assert_eq!(host.received(&late).unwrap_err().fault, Fault::UnknownCommand);
}

#[test]
fn an_answer_to_the_initialization_that_is_none_is_refused() {
    for (at, value, fault) in [
        (8, 1, Fault::FormatVersion),
        (10, 32, Fault::Alignment),
        (11, 1, Fault::DigestsAgreed),
        (13, 0, Fault::DataLimit),
        (12, 2, Fault::DataLimit),
    ] {
        let mut host = Host::new(plain(), 1, 4096);
        let fatal = host.received(&initialize(1, |bytes| bytes[at] = value)).unwrap_err();
        assert_eq!(fatal.fault, fault);
    }
    let mut host = Host::new(digested(), 1, 4096);
    assert_eq!(host.received(&initialize(1, |_| {})).unwrap_err().fault, Fault::DigestsAgreed);
}

#[test]
fn a_read_that_ends_well_with_less_is_an_error_and_so_is_a_write_that_was_not_asked_for() {
    for opcode in [io::READ, io::WRITE] {
        let (mut host, cid) = at_host(opcode);
        host.received(&pdu(5, 0, 0, CompletionEntry::new(cid, Status(0), 0).as_bytes(), &[])).unwrap();
        assert_eq!(host.ended.pop().unwrap().status, Status(0x0004));
    }
    let (mut host, cid) = at_host(io::READ);
    host.received(&data(7, 12, (cid, 0, 0, 16384), &[5; 16384])).unwrap();
    assert_eq!(host.ended.pop().unwrap().status, Status(0));
    let late = pdu(5, 0, 0, CompletionEntry::new(cid, Status(0), 0).as_bytes(), &[]);
    assert_eq!(host.received(&late).unwrap_err().fault, Fault::UnknownCommand);
}

#[test]
fn data_to_an_aligned_controller_is_padded() {
    for alignment in [0u8, 1, 7, 31] {
        let wished = Framing { header_digest: true, ..plain() };
        let mut host = Host::new(wished, 1, 4096);
        let answer = initialize(1, |bytes| (bytes[10], bytes[11]) = (alignment, 1));
        host.received(&answer).unwrap();
        let _ = host.output(usize::MAX);
        let transfer = Transfer { opcode: io::WRITE, nsid: 1, offset: 0, bytes: 4096, block_shift: SHIFT };
        host.buffers.0[0].fill(0xab);
        assert!(host.queue.start_transfer(0, transfer));
        let out = host.output(usize::MAX);
        let pdo = usize::from(out[3]);
        assert_eq!(pdo, 76usize.next_multiple_of((usize::from(alignment) + 1) * 4));
        assert!(out.len() == pdo + 4096 && out[pdo..].iter().all(|byte| *byte == 0xab));
    }
}

#[test]
fn damaged_data_fails_its_command_and_nothing_else() {
    let mut pair = pair(digested(), 2, 4096, false);
    let transfer = |opcode, block: u64| Transfer {
        opcode,
        nsid: 1,
        offset: block << SHIFT,
        bytes: 4096,
        block_shift: SHIFT,
    };
    assert!(pair.host.queue.start_transfer(0, transfer(io::WRITE, 0)));
    let mut there = pair.host.output(usize::MAX);
    let last = there.len() - 100;
    there[last] ^= 1;
    pair.target.received(&pair.subsystem, &there).unwrap();
    pair.settle().unwrap();
    assert_eq!(pair.host.ended.pop().unwrap().status, Status(0x0022));
    assert!(pair.target.backend.done.is_empty());
    assert!(pair.host.queue.start_transfer(0, transfer(io::READ, 0)));
    let there = pair.host.output(usize::MAX);
    pair.target.received(&pair.subsystem, &there).unwrap();
    let mut back = pair.target.output(usize::MAX);
    back[2000] ^= 0x10;
    pair.host.received(&back).unwrap();
    assert_eq!(pair.host.ended.pop().unwrap().status, Status(0x0022));
    assert!(pair.host.queue.start_transfer(0, transfer(io::READ, 0)));
    pair.settle().unwrap();
    assert_eq!(pair.host.ended.pop().unwrap().status, Status(0));
}

/// One bit of a stream, as a share of its length, and the stream that it is in.
#[derive(Clone, Copy, Debug)]
struct Flip {
    to_controller: bool,
    place: usize,
    bit: u8,
}

/// Writes and reads every block in turn while one bit of what goes over the wire is turned. Says the names of what
/// broke, if anything did.
fn through_noise(framing: Framing, flip: Flip, cuts: &[usize]) -> Result<(), String> {
    let mut pair = pair(framing, 4, 16384, false);
    let mut cuts = cuts.iter().cycle();
    let mut passed = [0usize; 2];
    let mut turn = |bytes: &mut [u8], to_controller: bool| {
        let passed = &mut passed[usize::from(to_controller)];
        if to_controller == flip.to_controller && (*passed..*passed + bytes.len()).contains(&flip.place) {
            bytes[flip.place - *passed] ^= 1 << flip.bit;
        }
        *passed += bytes.len();
    };
    for round in 0..3u8 {
        for opcode in [io::WRITE, io::READ] {
            for slot in 0..4u32 {
                let buffer = &mut pair.host.buffers.0[slot as usize];
                buffer.fill(if opcode == io::WRITE { round * 4 + slot as u8 + 1 } else { 0xee });
                let offset = u64::from(slot) << 14;
                let transfer =
                    Transfer { opcode, nsid: 1, offset, bytes: 4096 << (slot % 3), block_shift: SHIFT };
                assert!(pair.host.queue.start_transfer(slot, transfer));
            }
            let mut quiet = 0;
            while pair.host.ended.len() < 4 {
                let mut there = pair.host.output(*cuts.next().ok_or("no cuts")?);
                turn(&mut there, true);
                pair.target.received(&pair.subsystem, &there).map_err(|fatal| fatal.to_string())?;
                let mut back = pair.target.output(*cuts.next().ok_or("no cuts")?);
                turn(&mut back, false);
                pair.host.received(&back).map_err(|fatal| fatal.to_string())?;
                quiet = if there.is_empty() && back.is_empty() { quiet + 1 } else { 0 };
                assert!(quiet < 4, "both sides wait for each other");
            }
            for end in pair.host.ended.drain(..) {
                if !end.status.is_success() {
                    return Err(end.status.to_string());
                }
                let bytes = 4096usize << (end.slot % 3);
                let data = &pair.host.buffers.0[end.slot as usize][..bytes];
                let value = round * 4 + end.slot as u8 + 1;
                assert!(data.iter().all(|byte| *byte == value), "wrong data in slot {}", end.slot);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// With digests, one turned bit anywhere is an error with a name or in bytes that mean nothing: never wrong data,
    /// and never two sides that wait for each other.
    #[test]
    fn a_turned_bit_is_found(
        to_controller in any::<bool>(),
        place in 0usize..90_000,
        near in any::<bool>(),
        bit in 0u8..8,
        cuts in proptest::collection::vec(1usize..20_000, 2..8),
    ) {
        let place = if near { place % 600 } else { place };
        let outcome = through_noise(digested(), Flip { to_controller, place, bit }, &cuts);
        if let Err(name) = outcome {
            prop_assert!(!name.is_empty());
        } else {
            // The bit lay beyond the last byte, or nowhere that says anything.
            prop_assert!(place > 0);
        }
    }

    /// Any bytes at all are an error or wait for more.
    #[test]
    fn any_bytes_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..600), cut in 1usize..600) {
        let mut pair = pair(plain(), 2, 4096, false);
        let _ = bytes.chunks(cut).try_for_each(|piece| pair.target.received(&pair.subsystem, piece));
        let _ = bytes.chunks(cut).try_for_each(|piece| pair.host.received(piece));
        let mut fresh = (Host::new(plain(), 1, 4096), Target::new(&pair.subsystem));
        let _ = fresh.1.received(&pair.subsystem, &bytes);
        let _ = fresh.0.received(&bytes);
    }
}

#[test]
fn resets_and_shutdowns_end_the_queues_and_let_them_come_again() {
    use fathom_spec::fabrics::property;
    for (value, again) in [(property::ENABLED & !1, true), (property::ENABLED | 1 << 14, false)] {
        let mut pair = pair(plain(), 1, 4096, true);
        assert!(!pair.target.session.is_over());
        let (host, target) = &mut pair.admin;
        assert!(host.queue.start(0, property::set(property::CONFIGURATION, value), 0));
        settle(host, target, &pair.subsystem).unwrap();
        assert!(pair.target.session.is_over(), "the I/O queue ends with the reset");
        assert!(host.queue.start(0, property::get(property::STATUS, false), 0));
        settle(host, target, &pair.subsystem).unwrap();
        let state = host.ended.pop().unwrap().result as u32;
        assert_eq!(state & property::SHUT_DOWN != 0, !again);
        pair.target.session.end(&pair.subsystem);
        assert_eq!(pair.subsystem.borrow().connected_queues(), 0);
        target.session.end(&pair.subsystem);
        assert!(pair.subsystem.borrow().controllers.is_empty());
    }
}

#[test]
fn queues_and_controllers_are_bounded_by_what_the_target_allows() {
    let subsystem = subsystem();
    let mut held = Vec::new();
    for count in 1..=9 {
        let (mut host, mut target) = (Host::new(plain(), 1, 8192), Target::new(&subsystem));
        let outcome = crate::pair::associate(
            &mut Association::new(crate::pair::wishes(NQN)),
            &mut host,
            &mut target,
            &subsystem,
        );
        assert_eq!(outcome.is_ok(), count <= 8, "{outcome:?}");
        held.push((host, target));
    }
    assert_eq!(subsystem.borrow().controllers.len(), 8);
}
