//! What lies between a host and the target: the stream cut anew, held back, changed, or cut off.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use fathom_fabric::Framing;
use fathom_spec::io;

use crate::client::{Controller, NQN, associate, served, wishes};

/// What becomes of the bytes of the next connection, in both directions.
#[derive(Clone, Copy, Debug)]
enum Mangling {
    /// Pieces of 1 to `most` bytes, each sent by itself.
    Cut { most: usize, seed: u64 },
    /// The bit of a byte of the host's stream, flipped.
    Flip { at: usize, bit: u8 },
    /// The host's stream ends after so many bytes.
    End { after: usize },
}

/// Takes one connection and mangles it; gives its address.
fn mangle(to: SocketAddr, mangling: Mangling) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (host, _) = listener.accept().unwrap();
        let target = TcpStream::connect(to).unwrap();
        let back = {
            let (from, to) = (target.try_clone().unwrap(), host.try_clone().unwrap());
            let mangling = match mangling {
                Mangling::Cut { .. } => mangling,
                _ => Mangling::Cut { most: 1 << 20, seed: 0 },
            };
            std::thread::spawn(move || pass(from, to, mangling))
        };
        pass(host, target, mangling);
        back.join().unwrap();
    });
    (address, thread)
}

fn pass(mut from: TcpStream, mut to: TcpStream, mangling: Mangling) {
    to.set_nodelay(true).unwrap();
    let mut bytes = vec![0; 64 << 10];
    let (mut passed, mut state) = (0, if let Mangling::Cut { seed, .. } = mangling { seed | 1 } else { 1 });
    while let Ok(there @ 1..) = from.read(&mut bytes) {
        let mut piece = &mut bytes[..there];
        match mangling {
            Mangling::Flip { at, bit } if (passed..passed + there).contains(&at) => {
                piece[at - passed] ^= 1 << bit;
            }
            Mangling::End { after } if passed + there > after => {
                piece = &mut piece[..after - passed];
            }
            _ => {}
        }
        let mut rest = &piece[..];
        while !rest.is_empty() {
            let most = if let Mangling::Cut { most, .. } = mangling { most } else { usize::MAX };
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let length = ((state >> 33) as usize % most.min(rest.len()) + 1).min(rest.len());
            if to.write_all(&rest[..length]).is_err() {
                break;
            }
            rest = &rest[length..];
        }
        passed += there;
        if matches!(mangling, Mangling::End { after } if passed > after) {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    let _ = from.shutdown(Shutdown::Read);
}

fn digested() -> Framing {
    Framing { header_digest: true, data_digest: true, ..Framing::default() }
}

/// Reads and writes of several sizes; the first error ends it.
fn exercise(controller: &Controller) -> Result<(), String> {
    let mut queue = controller.queue(1, 1)?;
    queue.stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    for (round, bytes) in [4096u32, 65536, 300_032].into_iter().enumerate() {
        queue.buffers.0[0].fill(round as u8 + 1);
        for opcode in [io::WRITE, io::READ] {
            let transfer =
                fathom_fabric::host::Transfer { opcode, nsid: 1, offset: 0, bytes, block_shift: 9 };
            assert!(queue.queue.start_transfer(0, transfer));
            queue.settle(1)?;
            let end = queue.ended.pop().unwrap();
            if !end.status.is_success() {
                return Err(format!("status {:x}", end.status.0));
            }
        }
        assert!(queue.buffers.0[0][..bytes as usize].iter().all(|byte| *byte == round as u8 + 1));
    }
    Ok(())
}

#[test]
fn no_cutting_of_the_streams_changes_anything() {
    let server = served(&["memory:1MiB"]);
    for (framing, most, seed) in
        [(Framing::default(), 7, 3), (digested(), 11, 4), (digested(), 3000, 5), (Framing::default(), 900, 6)]
    {
        let mut controller = associate(server.address(), framing, wishes(NQN)).unwrap();
        let (address, thread) = mangle(server.address(), Mangling::Cut { most, seed });
        controller.address = address;
        exercise(&controller).unwrap();
        thread.join().unwrap();
    }
    assert_eq!(server.stop().faults, 0);
}

#[test]
fn a_bit_that_flips_is_noticed_where_there_are_digests() {
    let server = served(&["memory:1MiB"]);
    // Of the Connect's header and data, of the first write's header and data, and of the second's data.
    for at in [128 + 9, 128 + 30, 128 + 76 + 40, 1240 + 30, 1240 + 200, 5500 + 300, 5500 + 5000] {
        let mut controller = associate(server.address(), digested(), wishes(NQN)).unwrap();
        let (address, thread) = mangle(server.address(), Mangling::Flip { at, bit: 3 });
        controller.address = address;
        let error = exercise(&controller).expect_err(&format!("byte {at}"));
        assert!(!error.is_empty());
        thread.join().unwrap();
    }
}

#[test]
fn a_connection_that_is_cut_off_anywhere_frees_its_queue() {
    let server = served(&["memory:1MiB"]);
    let controller = associate(server.address(), Framing::default(), wishes(NQN)).unwrap();
    let own = controller.address;
    let mut controller = controller;
    for after in (0..6000).step_by(397).chain([128, 1224, 70_000, 200_000]) {
        let (address, thread) = mangle(server.address(), Mangling::End { after });
        controller.address = address;
        assert!(exercise(&controller).is_err(), "{after}");
        thread.join().unwrap();
    }
    controller.address = own;
    // The queue's number is free again as soon as the target saw the end.
    let worked = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        exercise(&controller).is_ok()
    });
    assert!(worked);
}
