//! The initiator against a controller over loopback.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test panics when it is wrong")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fathom_conformance::served_controller::{Offer, ServedController};
use fathom_conformance::{BUFFER_BYTES, Subject, TARGET_BYTES, Traits, run};
use fathom_engine::delay::{Delay, RunStart};
use fathom_engine::nvme_tcp::NvmeTcp;
use fathom_engine::pattern::{Purpose, random_of};
use fathom_engine::precise_sleep::PreciseSleep;
use fathom_engine::throttle::{Buckets, Throttle};
use fathom_engine::{Completion, Engine, Io, Submission, Wait};
use fathom_fabric::controller::{Access, SubsystemLimits};
use fathom_measure::{Clock, WallClock};
use fathom_record::Direction;
use fathom_record::facts::TargetKind;
use fathom_target::remote::Controller;
use fathom_target::{ErrorKind, OpenRequest, Permit, Target, TargetName};

const DATA: Traits = Traits { keeps_content: true, knows_its_end: true, writes_only: false };

fn open(name: &str, request: &OpenRequest<'_>) -> Result<Target, fathom_target::Error> {
    Target::open(&name.parse::<TargetName>().unwrap(), request)
}

fn connect(name: &str, queues: u16) -> Result<Arc<Controller>, fathom_target::Error> {
    let target = open(name, &OpenRequest::default())?;
    target.remote.unwrap().connect(queues).map(Arc::new)
}

fn engine(name: &str, depth: u32, bytes: u64, clock: WallClock) -> NvmeTcp<WallClock> {
    NvmeTcp::new(&connect(name, 1).unwrap(), 1, depth, bytes, clock).unwrap()
}

fn suite<E: Engine>(
    name: &str,
    offer: Offer,
    keys: &str,
    around: impl Fn(NvmeTcp<WallClock>, u32, WallClock) -> E,
) {
    let served = ServedController::start(offer).unwrap();
    let address = format!("{}{keys}", served.name());
    let (clock, _) = WallClock::start();
    run(&Subject {
        name,
        make: &|depth| around(engine(&address, depth, BUFFER_BYTES, clock), depth, clock),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
    assert!(served.commands() > 1000);
}

#[test]
fn the_suite_passes() {
    suite("nvme-tcp", Offer::of(TARGET_BYTES), "", |engine, _, _| engine);
}

#[test]
fn the_suite_passes_without_sleep() {
    suite("nvme-tcp, polled", Offer::of(TARGET_BYTES), "", |engine, _, _| engine.polling(true));
}

#[test]
fn the_suite_passes_with_digests() {
    suite("nvme-tcp with digests", Offer::of(TARGET_BYTES), "?hdgst=on&ddgst=on", |engine, _, _| engine);
}

#[test]
fn the_suite_passes_where_the_target_asks_for_data() {
    let mut offer = Offer::of(TARGET_BYTES);
    offer.limits.in_capsule_bytes = 512;
    suite("nvme-tcp with transfers", offer, "", |engine, _, _| engine);
}

/// I/Os of 40 KiB are five commands each, with digests and without.
#[test]
fn ios_above_the_largest_transfer_are_split_and_keep_their_content() {
    const BYTES: u32 = 40 << 10;
    for keys in ["", "?hdgst=on&ddgst=on"] {
        let mut offer = Offer::of(TARGET_BYTES);
        offer.limits.transfer_bytes = 8192;
        let served = ServedController::start(offer).unwrap();
        let (clock, _) = WallClock::start();
        let mut engine = engine(&format!("{}{keys}", served.name()), 4, u64::from(BYTES), clock);
        let content = |slot: u32, at: usize| (at * 7 + at / 8192 + slot as usize * 31) as u8;
        for (direction, round) in [(Direction::Write, 0), (Direction::Read, 1), (Direction::Read, 2)] {
            for slot in 0..4 {
                let bytes = engine.buffer(slot).iter_mut().enumerate();
                bytes.for_each(|(at, byte)| *byte = if round == 0 { content(slot, at) } else { 0 });
            }
            let offset = |slot| u64::from(slot * BYTES);
            carry(&mut engine, (0..4).map(|slot| Io { slot, direction, offset: offset(slot), bytes: BYTES }));
            for slot in 0..4 {
                let buffer = &engine.buffer(slot)[..BYTES as usize];
                assert!(
                    buffer.iter().enumerate().all(|(at, byte)| *byte == content(slot, at)),
                    "{slot} {round}"
                );
            }
        }
        assert_eq!(served.commands(), 3 * 4 * 5);
    }
}

fn carry(engine: &mut NvmeTcp<WallClock>, ios: impl Iterator<Item = Io>) {
    let (mut done, mut count) = (Vec::new(), 0);
    for io in ios {
        assert_eq!(engine.submit(io), Submission::Queued);
        count += 1;
    }
    while done.len() < count {
        engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
    }
    assert!(done.iter().all(|end| end.result > 0), "{done:?}");
}

#[test]
fn the_suite_passes_behind_a_delay_and_a_throttle() {
    suite("decorated nvme-tcp", Offer::of(TARGET_BYTES), "", |engine, depth, clock| {
        let throttle = "iops=1M,throughput=4GB/s".parse().unwrap();
        let buckets = Buckets::new(&throttle);
        let delay = "exponential:20us".parse().unwrap();
        let random = random_of(1, Purpose::Delay, 0);
        let engine = Throttle::new(engine, &throttle, depth, (clock, PreciseSleep::default()), buckets);
        Delay::new(engine, &delay, depth, (clock, PreciseSleep::default()), random, RunStart::default())
    });
}

/// What was in flight when the connection broke ends well over the next one, and the outage is in its latency.
#[test]
fn a_connection_that_is_lost_is_made_again_where_the_name_asks_for_it() {
    let served = ServedController::start(Offer::of(TARGET_BYTES)).unwrap();
    let target = open(&format!("{}?reconnect=20", served.name()), &OpenRequest::default()).unwrap();
    let remote = target.remote.unwrap();
    let controller = remote.connect(1).map(Arc::new).unwrap();
    let (clock, _) = WallClock::start();
    let made = NvmeTcp::new(&controller, 1, 8, 4096, clock).unwrap();
    let mut engine = made.kept_by(&remote, 0, "job 0", 4096);
    let io = |slot: u32, direction| Io { slot, direction, offset: u64::from(slot) * 4096, bytes: 4096 };
    for round in 1..=3 {
        for slot in 0..8 {
            engine.buffer(slot).fill(slot as u8 + round);
        }
        let began_ns = clock.now_ns();
        served.silence(true);
        for slot in 0..4 {
            assert_eq!(engine.submit(io(slot, Direction::Write)), Submission::Queued);
        }
        let mut done = Vec::new();
        engine.reap(Wait::Until(began_ns + 50_000_000), &mut done).unwrap();
        assert!(done.is_empty());
        served.hang_up();
        served.silence(false);
        for slot in 4..8 {
            assert_eq!(engine.submit(io(slot, Direction::Write)), Submission::Queued);
        }
        while done.len() < 8 {
            engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
        }
        assert!(done.iter().all(|end| end.result == 4096), "{done:?}");
        let waited = done.iter().filter(|end| end.slot < 4);
        assert!(waited.clone().all(|end| end.stamps.submitted_ns < began_ns + 50_000_000));
        assert!(waited.clone().all(|end| end.stamps.reaped_ns >= began_ns + 50_000_000));
        for slot in 0..8 {
            engine.buffer(slot).fill(0);
        }
        carry(&mut engine, (0..8).map(|slot| io(slot, Direction::Read)));
        for slot in 0..8 {
            assert!(engine.buffer(slot)[..4096].iter().all(|byte| *byte == slot as u8 + round), "{slot}");
        }
    }
    drop(engine);
    let queues = remote.queues().lock().unwrap();
    // What was in flight at each loss was sent again, over the next connection.
    let [queue] = queues.as_slice() else { panic!("{queues:?}") };
    assert!(queue.commands >= 3 * 16 && queue.received_bytes > 3 * 8 * 4096, "{queue:?}");
    assert!(queue.send_calls > 0 && queue.receive_calls > 0 && queue.local_port.is_some(), "{queue:?}");
    let outages = remote.outages().lock().unwrap();
    assert_eq!(outages.count, 3);
    assert!(
        outages.longest_ns <= outages.total_ns && outages.longest_ns > 0 && outages.first_cause.is_some()
    );
}

/// A target that does not come back is given up in time, and everything in flight fails once.
#[test]
fn a_target_that_stays_away_is_given_up() {
    let served = ServedController::start(Offer::of(TARGET_BYTES)).unwrap();
    let target = open(&format!("{}?reconnect=1", served.name()), &OpenRequest::default()).unwrap();
    let remote = target.remote.unwrap();
    let controller = remote.connect(1).map(Arc::new).unwrap();
    let (clock, _) = WallClock::start();
    let mut engine = NvmeTcp::new(&controller, 1, 4, 4096, clock).unwrap().kept_by(&remote, 0, "job 0", 4096);
    served.silence(true);
    for slot in 0..4 {
        let io = Io { slot, direction: Direction::Read, offset: 0, bytes: 4096 };
        assert_eq!(engine.submit(io), Submission::Queued);
    }
    let (began_ns, mut done) = (clock.now_ns(), Vec::new());
    engine.reap(Wait::Until(began_ns + 50_000_000), &mut done).unwrap();
    drop(served);
    engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
    assert_eq!(done.len(), 4);
    assert!(done.iter().all(|end| end.result < 0), "{done:?}");
    assert!(clock.now_ns() - began_ns < 10_000_000_000);
    let io = Io { slot: 0, direction: Direction::Read, offset: 0, bytes: 4096 };
    assert!(matches!(engine.submit(io), Submission::Done(Completion { result, .. }) if result < 0));
    assert!(controller.shared().is_lost());
    assert_eq!(remote.outages().lock().unwrap().count, 1);
}

#[test]
fn a_target_says_what_it_is() {
    let mut offer = Offer::of(TARGET_BYTES);
    offer.block_shift = 12;
    let served = ServedController::start(offer).unwrap();
    let target =
        open(&served.name(), &OpenRequest { size_bytes: Some(1 << 20), ..OpenRequest::default() }).unwrap();
    let facts = target.facts;
    assert_eq!(
        (facts.kind, facts.size_bytes, facts.logical_block_bytes),
        (TargetKind::FabricNamespace, 1 << 20, 4096)
    );
    assert_eq!(facts.name, served.name());
    let fabric = facts.fabric.unwrap();
    assert_eq!((fabric.transport.as_str(), fabric.namespace), ("tcp", Some(1)));
    assert_eq!((fabric.transfer_bytes, fabric.in_capsule_bytes), (Some(32 << 10), Some(8 << 10)));
    assert_eq!((fabric.queue_entries, fabric.model.as_deref()), (Some(128), Some("fathom")));
    assert_eq!(fabric.address, Some(format!("127.0.0.1:{}", served.port())));
}

#[test]
fn writing_takes_the_namespaces_name_and_never_a_protected_one() {
    let served = ServedController::start(Offer::of(TARGET_BYTES)).unwrap();
    let writes = OpenRequest { writes: true, ..OpenRequest::default() };
    let refused = open(&served.name(), &writes).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Refused);
    let words = refused.remedy.rsplit_once("--destroy ").unwrap().1.to_owned();
    let permit = Permit(words);
    open(&served.name(), &OpenRequest { permit: Some(&permit), ..writes }).unwrap();
    let served = ServedController::start(Offer { is_read_only: true, ..Offer::of(TARGET_BYTES) }).unwrap();
    let refused = open(&served.name(), &OpenRequest { permit: Some(&permit), ..writes }).unwrap_err();
    assert!(refused.cause.contains("write-protected"), "{refused}");
}

#[test]
fn what_a_target_does_not_grant_is_refused_with_both_numbers() {
    let mut offer = Offer::of(TARGET_BYTES);
    offer.limits = SubsystemLimits { queues: 2, entries: 16, ..offer.limits };
    let served = ServedController::start(offer).unwrap();
    let few = connect(&served.name(), 3).unwrap_err();
    assert_eq!(few.kind, ErrorKind::Plan);
    assert!(
        few.cause.contains("3 jobs") && few.cause.contains("gives 2") && few.remedy.contains("--jobs 2"),
        "{few}"
    );
    let controller = connect(&served.name(), 2).unwrap();
    for (depth, bytes, pieces) in [(16, 4096, 1), (16, 32 << 10, 1), (8, 64 << 10, 2), (1, 512 << 10, 16)] {
        assert_eq!(controller.admit_depth(depth, bytes).unwrap(), pieces);
    }
    for (depth, bytes, cause, remedy) in [
        (17, 4096, "17 commands", "--depth 16"),
        (9, 64 << 10, "18 commands", "--depth 8"),
        (1, 1 << 20, "32 commands", "smaller --bs"),
    ] {
        let error = controller.admit_depth(depth, bytes).unwrap_err();
        assert!(error.cause.contains(cause) && error.cause.contains("takes 16"), "{error}");
        assert!(error.remedy.contains(remedy), "{error}");
    }
}

#[test]
fn what_cannot_be_connected_to_is_refused_by_its_reason() {
    let served = ServedController::start(Offer {
        access: Access::Hosts(vec!["nqn.me".to_owned()]),
        ..Offer::of(TARGET_BYTES)
    });
    let served = served.unwrap();
    let place = format!("nvme+tcp://127.0.0.1:{}", served.port());
    // One end of a connection has this port: nobody answers there, and no server can begin there meanwhile.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let end = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let unanswered = end.local_addr().unwrap();
    for (name, cause) in [
        (format!("{place}/nqn.other"), "no such subsystem"),
        (served.name(), "Invalid Host"),
        (
            format!("{}?hostnqn=nqn.me", served.name().trim_end_matches('1').to_owned() + "7"),
            "no namespace 7",
        ),
        (format!("nvme+tcp://{unanswered}/nqn.x"), "refused"),
        ("nvme+tcp://no-such-host.invalid/nqn.x".to_owned(), "no-such-host"),
    ] {
        let error = open(&name, &OpenRequest::default()).unwrap_err();
        assert!(error.cause.contains(cause), "{name}: {error}");
    }
    open(&format!("{}?hostnqn=nqn.me", served.name()), &OpenRequest::default()).unwrap();
}

/// Submits a read in each slot, and reaps until all ended.
fn reads(engine: &mut NvmeTcp<WallClock>, depth: u32, meanwhile: impl FnOnce()) -> Vec<Completion> {
    let mut done = Vec::new();
    for slot in 0..depth {
        let io = Io { slot, direction: Direction::Read, offset: u64::from(slot) * 4096, bytes: 4096 };
        match engine.submit(io) {
            Submission::Done(completion) => done.push(completion),
            other => assert_eq!(other, Submission::Queued),
        }
    }
    meanwhile();
    let (clock, _) = WallClock::start();
    let until = clock.now_ns() + 20_000_000_000;
    while done.len() < depth as usize {
        engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
        assert!(clock.now_ns() < until, "{} of {depth}", done.len());
    }
    done
}

#[test]
fn a_lost_connection_ends_each_io_once_with_its_reason() {
    let served = ServedController::start(Offer::of(TARGET_BYTES)).unwrap();
    let controller = connect(&served.name(), 1).unwrap();
    let (clock, _) = WallClock::start();
    let mut engine = NvmeTcp::new(&controller, 1, 8, 4096, clock).unwrap();
    assert!(reads(&mut engine, 8, || ()).iter().all(|end| end.result == 4096));
    served.silence(true);
    let ends = reads(&mut engine, 8, || served.hang_up());
    let slots: BTreeSet<u32> = ends.iter().map(|end| end.slot).collect();
    assert_eq!((slots.len(), ends.len()), (8, 8));
    assert!(ends.iter().all(|end| end.errno() == Some(libc::ECONNRESET)), "{ends:?}");
    assert!(reads(&mut engine, 8, || ()).iter().all(|end| end.errno() == Some(libc::ENOTCONN)));
    let why = controller.shared().why().unwrap();
    assert!(why.contains("closed") || why.contains("reset"), "{why}");
    served.silence(false);
}

#[test]
fn a_controller_that_falls_silent_is_given_up_by_its_keep_alive() {
    let served = ServedController::start(Offer::of(TARGET_BYTES)).unwrap();
    let controller = connect(&format!("{}?kato=1", served.name()), 1).unwrap();
    let (clock, _) = WallClock::start();
    let mut engine = NvmeTcp::new(&controller, 1, 2, 4096, clock).unwrap();
    // Time itself is tested: longer than the 1 s after which it is given up, unless it is kept alive meanwhile.
    std::thread::sleep(Duration::from_millis(1500));
    assert!(reads(&mut engine, 2, || ()).iter().all(|end| end.result == 4096));
    let ends = reads(&mut engine, 2, || served.silence(true));
    // What was on its way already may have been answered.
    if ends.iter().all(|end| end.result == 4096) {
        let ends = reads(&mut engine, 2, || ());
        assert!(ends.iter().all(|end| end.errno() == Some(libc::ECONNRESET)), "{ends:?}");
    }
    let why = controller.shared().why().unwrap();
    assert!(why.contains("keep-alive"), "{why}");
    served.silence(false);
}
