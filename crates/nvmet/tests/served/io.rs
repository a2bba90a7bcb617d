//! What is served: reads, writes, flushes and trims on every kind of backend, over several queues and namespaces.

use std::time::Instant;

use fathom_fabric::Framing;
use fathom_fabric::host::Transfer;
use fathom_fabric::host::discovery_log::{DiscoveryReader, PIECE_BYTES};
use fathom_nvmet::{Limits, Server, ServerPlan};
use fathom_record::options::Decorators;
use fathom_spec::fabrics::{DISCOVERY_NAME, SubmissionEntry};
use fathom_spec::{Status, admin, io};

use crate::client::{HOST, NQN, associate, connected, export, plan, served, wishes};

fn digested() -> Framing {
    Framing { header_digest: true, data_digest: true, ..Framing::default() }
}

/// Writes pieces of every size and reads them back.
fn writes_come_back(server: &Server, framing: Framing) {
    let (_controller, mut queue) = connected(server, framing, 4);
    for (round, bytes) in [512, 4096, 8192, 65536, 131_072, 1 << 20].into_iter().enumerate() {
        let fill = round as u8 + 1;
        queue.buffers.0[0][..bytes as usize].fill(fill);
        assert!(queue.transfer(io::WRITE, 1, 4096, bytes).status.is_success(), "{bytes}");
        queue.buffers.0[0].fill(0);
        assert!(queue.transfer(io::READ, 1, 4096, bytes).status.is_success(), "{bytes}");
        assert!(queue.buffers.0[0][..bytes as usize].iter().all(|byte| *byte == fill), "{bytes}");
        assert!(queue.say(SubmissionEntry::new(io::FLUSH, 1, [0; 6]), 0).unwrap().status.is_success());
    }
}

#[test]
fn what_was_written_is_read_back_with_digests_and_without() {
    let server = served(&["memory:16MiB"]);
    for framing in [Framing::default(), digested()] {
        writes_come_back(&server, framing);
    }
    let summary = server.stop();
    assert_eq!((summary.faults, summary.failed, summary.turned_away), (0, 0, 0));
    assert!(summary.writes >= 12 && summary.written_bytes == summary.read_bytes);
}

#[test]
fn workers_that_do_not_sleep_serve_the_same_and_end() {
    let plan = ServerPlan { polled: true, ..plan() };
    let server = Server::start(export(&["memory:16MiB"], false, &Decorators::default()), &plan).unwrap();
    writes_come_back(&server, Framing::default());
    let summary = server.stop();
    assert_eq!((summary.faults, summary.failed), (0, 0));
    assert!(summary.writes >= 6 && summary.written_bytes == summary.read_bytes);
}

#[test]
fn files_are_read_only_until_they_are_writable() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![5; 4 << 20]).unwrap();
    let name = file.to_str().unwrap();
    let server = served(&[name]);
    let (controller, mut queue) = connected(&server, Framing::default(), 2);
    assert!(controller.association.facts().namespace.unwrap().is_read_only);
    assert!(queue.transfer(io::READ, 1, 0, 65536).status.is_success());
    assert!(queue.buffers.0[0][..65536].iter().all(|byte| *byte == 5));
    for bytes in [4096, 65536] {
        assert_eq!(queue.transfer(io::WRITE, 1, 0, bytes).status, Status(0x4020));
    }
    drop((controller, queue));
    server.stop();
    assert!(std::fs::read(&file).unwrap().iter().all(|byte| *byte == 5));
}

#[test]
fn a_file_that_fathom_made_takes_writes() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let backends = [folder.path().to_str().unwrap().to_owned()];
    let decorators = Decorators::default();
    let made = fathom_nvmet::Export::open(&fathom_nvmet::ExportPlan {
        faults: &Default::default(),
        backends: &backends,
        writable: true,
        permits: &[],
        check_empty: false,
        stop: &std::sync::atomic::AtomicBool::new(false),
        size_bytes: Some(8 << 20),
        stripe_bytes: None,
        decorators: &decorators,
        seed: 1,
    })
    .unwrap();
    let server = Server::start(made, &plan()).unwrap();
    writes_come_back(&server, Framing::default());
    let (_controller, mut queue) = connected(&server, Framing::default(), 2);
    // A write that is durable when it ends.
    let [low, high, blocks] = io::transfer_dwords(0, 8);
    let entry = SubmissionEntry::new(io::WRITE, 1, [low, high, blocks | 1 << 30, 0, 0, 0]);
    assert!(queue.say(entry, 4096).unwrap().status.is_success());
}

#[test]
fn several_namespaces_are_told_apart() {
    let server = served(&["memory:4MiB", "memory:8MiB", "null:1GiB"]);
    let (mut controller, mut queue) = connected(&server, Framing::default(), 4);
    let list = SubmissionEntry::new(admin::IDENTIFY, 0, [2, 0, 0, 0, 0, 0]);
    controller.admin.say(list, 4096).unwrap();
    let page = &controller.admin.buffers.0[0];
    let ids: Vec<u32> = page[..16].as_chunks::<4>().0.iter().map(|id| u32::from_le_bytes(*id)).collect();
    assert_eq!(ids, [1, 2, 3, 0]);
    for (nsid, fill) in [(1, 11), (2, 22)] {
        queue.buffers.0[0][..16384].fill(fill);
        assert!(queue.transfer(io::WRITE, nsid, 0, 16384).status.is_success());
    }
    for (nsid, fill) in [(1, 11), (2, 22)] {
        assert!(queue.transfer(io::READ, nsid, 0, 16384).status.is_success());
        assert!(queue.buffers.0[0][..16384].iter().all(|byte| *byte == fill), "{nsid}");
    }
    // The second is longer than the first, and the third longer than both.
    assert_eq!(queue.transfer(io::READ, 1, 4 << 20, 512).status, Status(0x4080));
    assert!(queue.transfer(io::READ, 2, 4 << 20, 512).status.is_success());
    assert!(queue.transfer(io::READ, 3, 512 << 20, 512).status.is_success());
    assert_eq!(queue.transfer(io::READ, 4, 0, 512).status, Status(0x400b));
    // A flush of all, and a trim of one.
    let all = SubmissionEntry::new(io::FLUSH, admin::ALL_NAMESPACES, [0; 6]);
    assert!(queue.say(all, 0).unwrap().status.is_success());
    let trim = SubmissionEntry::new(io::DATASET_MANAGEMENT, 2, [0, io::DEALLOCATE, 0, 0, 0, 0]);
    assert!(queue.queue.start_with(0, trim, &io::range(0, 8)));
    queue.settle(1).unwrap();
    assert!(queue.ended.pop().unwrap().status.is_success());
    assert!(queue.transfer(io::READ, 2, 0, 8192).status.is_success());
    assert!(queue.buffers.0[0][..4096].iter().all(|byte| *byte == 0));
    assert!(queue.buffers.0[0][4096..8192].iter().all(|byte| *byte == 22));
}

#[test]
fn queues_work_at_once_and_no_more_are_given_than_granted() {
    let server = served(&["sim:nvme"]);
    let controller = associate(server.address(), Framing::default(), wishes(NQN)).unwrap();
    assert_eq!(controller.association.facts().queues, 4);
    let mut queues: Vec<_> = (1..=4).map(|number| controller.queue(number, 32).unwrap()).collect();
    assert!(controller.queue(5, 1).unwrap_err_text().contains("queue's number"));
    assert!(controller.queue(2, 1).unwrap_err_text().contains("queue's number"));
    for (number, queue) in queues.iter_mut().enumerate() {
        for slot in 0..32 {
            let offset = (number as u64 * 32 + u64::from(slot)) << 16;
            let transfer = Transfer { opcode: io::READ, nsid: 1, offset, bytes: 65536, block_shift: 9 };
            assert!(queue.queue.start_transfer(slot, transfer));
        }
        queue.send().unwrap();
    }
    for queue in &mut queues {
        queue.settle(32).unwrap();
        assert!(queue.ended.iter().all(|end| end.status.is_success()));
    }
}

trait Refused {
    fn unwrap_err_text(self) -> String;
}

impl<T> Refused for Result<T, String> {
    fn unwrap_err_text(self) -> String {
        match self {
            Ok(_) => panic!("it was not refused"),
            Err(text) => text,
        }
    }
}

#[test]
fn a_delay_is_in_every_answer() {
    let decorators = Decorators { delay: Some("constant:20ms".parse().unwrap()), ..Decorators::default() };
    let server = Server::start(export(&["null:"], false, &decorators), &plan()).unwrap();
    let (_controller, mut queue) = connected(&server, Framing::default(), 1);
    for _ in 0..5 {
        let started = Instant::now();
        assert!(queue.transfer(io::READ, 1, 0, 4096).status.is_success());
        assert!(started.elapsed().as_millis() >= 20);
    }
}

#[test]
fn the_discovery_service_names_the_address_that_was_asked() {
    let server = served(&["null:"]);
    for (host, listed) in [(HOST, 1), ("nqn.other", 0)] {
        let asked = fathom_fabric::host::ConnectOptions { host: host.to_owned(), ..wishes(DISCOVERY_NAME) };
        let mut controller = associate(server.address(), Framing::default(), asked).unwrap();
        let mut reading = DiscoveryReader::default();
        while let Some(entry) = reading.next_command() {
            assert!(controller.admin.say(entry, PIECE_BYTES).unwrap().status.is_success());
            reading.take(&controller.admin.buffers.0[0]).unwrap();
        }
        let found = reading.found();
        assert_eq!(found.len(), listed);
        for entry in found {
            assert_eq!((entry.subsystem.as_str(), entry.address.as_str()), (NQN, "127.0.0.1"));
            assert_eq!(entry.port, Some(server.address().port()));
        }
    }
}

#[test]
fn who_is_not_allowed_or_asks_for_something_else_is_told_so() {
    let server = served(&["null:"]);
    let refused = |change: &dyn Fn(&mut fathom_fabric::host::ConnectOptions)| {
        let mut asked = wishes(NQN);
        change(&mut asked);
        associate(server.address(), Framing::default(), asked).map(|_| ()).unwrap_err()
    };
    assert!(refused(&|it| it.host = "nqn.other".to_owned()).contains("Invalid Host"));
    assert!(refused(&|it| it.subsystem = "nqn.other".to_owned()).contains("no such subsystem"));
    assert!(refused(&|it| it.namespace = Some(2)).contains("no namespace 2"));
    let any = Server::start(
        export(&["null:"], false, &Decorators::default()),
        &ServerPlan { hosts: None, ..plan() },
    )
    .unwrap();
    let asked = fathom_fabric::host::ConnectOptions { host: "nqn.other".to_owned(), ..wishes(NQN) };
    assert!(associate(any.address(), Framing::default(), asked).is_ok());
    let nameless = fathom_fabric::host::ConnectOptions { host: String::new(), ..wishes(NQN) };
    assert!(associate(any.address(), Framing::default(), nameless).is_ok());
    assert!(refused(&|it| it.host = String::new()).contains("Invalid Host"));
}

#[test]
fn memory_bounds_the_queues_that_a_host_is_granted() {
    let limits = Limits { queues: 8, depth: 64, memory_bytes: 17 << 20, ..Limits::default() };
    let server =
        Server::start(export(&["null:"], false, &Decorators::default()), &ServerPlan { limits, ..plan() })
            .unwrap();
    assert_eq!(server.queues(), 2);
    let controller = associate(server.address(), Framing::default(), wishes(NQN)).unwrap();
    assert_eq!(controller.association.facts().queues, 2);
}
