//! Whoever is no host, or no good one: the target goes on serving.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use fathom_fabric::Framing;
use fathom_nvmet::Server;
use fathom_spec::io;

use crate::client::{Client, Controller, NQN, associate, connected, served, wishes};

fn serves(server: &Server) {
    let (_controller, mut queue) = connected(server, Framing::default(), 1);
    assert!(queue.transfer(io::READ, 1, 0, 4096).status.is_success());
}

/// A controller and one I/O queue of it, once the target has seen enough of the earlier hosts leave.
fn connected_in_time(server: &Server, slots: u32) -> (Controller, Client) {
    let started = Instant::now();
    loop {
        let made = associate(server.address(), Framing::default(), wishes(NQN))
            .and_then(|controller| controller.queue(1, slots).map(|queue| (controller, queue)));
        match made {
            Ok(made) => return made,
            Err(error) => assert!(started.elapsed() < Duration::from_secs(20), "{error}"),
        }
    }
}

/// Everything that the target sends until it closes.
fn answer_to(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // A reset is an end too.
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn a_port_scanner_and_an_http_client_are_no_hosts() {
    let server = served(&["null:"]);
    for _ in 0..50 {
        drop(TcpStream::connect(server.address()).unwrap());
    }
    let answer = answer_to(&server, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // A termination request that names the type of the PDU as what is wrong.
    assert_eq!((answer.first(), answer.get(8..14)), (Some(&3), Some(&[1, 0, 0, 0, 0, 0][..])));
    for bytes in [&[0u8; 200][..], &[255; 200], &[4, 0, 72, 0, 72, 0, 0, 0], b"\x16\x03\x01\x02\x00\x01"] {
        answer_to(&server, bytes);
    }
    serves(&server);
    assert!(server.take_messages().iter().any(|text| text.contains("unknown type of PDU")));
    assert!(server.stop().faults >= 4);
}

#[test]
fn a_target_that_holds_many_connections_still_serves_a_host() {
    let server = served(&["null:"]);
    // More than are let in at once: those beyond are closed.
    let crowd: Vec<TcpStream> = (0..400).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
    let started = Instant::now();
    while server.summary().turned_away + server.summary().connections < 400 {
        assert!(started.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(server.summary().turned_away >= 400 - 128);
    drop(crowd);
    let started = Instant::now();
    while associate(server.address(), Framing::default(), wishes(NQN)).is_err() {
        assert!(started.elapsed() < Duration::from_secs(20));
    }
    serves(&server);
}

#[test]
fn a_host_that_does_not_read_holds_nobody_up() {
    let server = served(&["memory:16MiB"]);
    let (_controller, mut deaf) = connected(&server, Framing::default(), 32);
    let transfer = fathom_fabric::host::Transfer {
        opcode: io::READ,
        nsid: 1,
        offset: 0,
        bytes: 1 << 20,
        block_shift: 9,
    };
    for slot in 0..7 {
        assert!(deaf.queue.start_transfer(slot, transfer));
    }
    deaf.send().unwrap();
    serves(&server);
    serves(&server);
    deaf.settle(7).unwrap();
    assert!(deaf.ended.iter().all(|end| end.status.is_success()));
}

#[test]
fn a_host_that_leaves_in_the_middle_frees_its_controller() {
    let server = served(&["sim:nvme"]);
    for _ in 0..70 {
        // There is room for 64 controllers, and for 8 queues.
        let (controller, mut queue) = connected_in_time(&server, 8);
        for slot in 0..8 {
            let transfer = fathom_fabric::host::Transfer {
                opcode: io::READ,
                nsid: 1,
                offset: 0,
                bytes: 65536,
                block_shift: 9,
            };
            assert!(queue.queue.start_transfer(slot, transfer));
        }
        queue.send().unwrap();
        let _ = queue.stream.shutdown(Shutdown::Both);
        drop((controller, queue));
    }
    let (_controller, mut queue) = connected_in_time(&server, 1);
    assert!(queue.transfer(io::READ, 1, 0, 4096).status.is_success());
}

#[test]
fn a_silent_host_loses_its_controller_and_its_queues() {
    let server = served(&["null:"]);
    let asked = fathom_fabric::host::ConnectOptions { keep_alive_ms: 200, ..wishes(NQN) };
    let controller = associate(server.address(), Framing::default(), asked).unwrap();
    let mut queue = controller.queue(1, 1).unwrap();
    assert!(queue.transfer(io::READ, 1, 0, 4096).status.is_success());
    let started = Instant::now();
    assert_eq!(queue.stream.read(&mut [0; 64]).unwrap_or(0), 0);
    assert!(started.elapsed() >= Duration::from_millis(350), "{:?}", started.elapsed());
    assert_eq!(server.stop().lost_hosts, 1);
}

#[test]
fn i_o_counts_as_a_sign_of_life() {
    let server = served(&["null:"]);
    let asked = fathom_fabric::host::ConnectOptions { keep_alive_ms: 300, ..wishes(NQN) };
    let controller = associate(server.address(), Framing::default(), asked).unwrap();
    let mut queue = controller.queue(1, 1).unwrap();
    // Time itself is tested: five times the keep-alive, with less than one between I/Os.
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(1500) {
        assert!(queue.transfer(io::READ, 1, 0, 4096).status.is_success());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.stop().lost_hosts, 0);
}
