//! Passes the bytes of NVMe over TCP connections on, and takes down when the first command of an I/O queue came, by the
//! kernel's stamps of this one machine: clients that reach one target through relays of their own show when each started.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use super::receive_timestamp;

/// Bytes of the first PDU, which asks for a connection (TCP Transport 1.0, ICReq).
const FIRST_PDU: usize = 128;
/// Of a command's capsule: the common header, and where in the command Connect has its queue's number (Fabrics, Connect).
const HEADER: usize = 8;
const QUEUE_AT: usize = 42;
/// The capsule with a command in it: the header and the command.
const LEAST_CAPSULE: usize = HEADER + 64;

/// A port in front of a target.
pub struct Relay {
    pub port: u16,
    first: Arc<Mutex<Option<i64>>>,
}

impl Relay {
    /// Relays to a port of this machine, for as long as this process runs.
    ///
    /// # Errors
    /// Without a free port.
    pub fn start(target: u16) -> Result<Self, String> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let first = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&first);
        std::thread::spawn(move || {
            for host in listener.incoming().flatten() {
                let Ok(controller) = TcpStream::connect(("127.0.0.1", target)) else { return };
                let _ = (host.set_nodelay(true), controller.set_nodelay(true));
                if receive_timestamp::stamp(&host).is_err() {
                    return;
                }
                let (Ok(from), Ok(to)) = (controller.try_clone(), host.try_clone()) else { return };
                std::thread::spawn(move || pass(from, to));
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || watch(host, controller, &seen));
            }
        });
        Ok(Self { port, first })
    }

    /// When the first command came since this was last asked, in nanoseconds of the calendar's clock.
    pub fn take(&self) -> Option<i64> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn pass(mut from: impl Read, mut to: TcpStream) {
    let mut chunk = [0u8; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut chunk) {
        if to.write_all(&chunk[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// Passes on what the host sends; behind the Connect of an I/O queue the next byte is that of its first command.
fn watch(host: TcpStream, mut to: TcpStream, seen: &Mutex<Option<i64>>) {
    let mut beginning = Vec::new();
    let mut chunk = [0u8; 16 << 10];
    let mut is_watching = true;
    while let Ok((count @ 1.., at)) = receive_timestamp::read(&host, &mut chunk) {
        if is_watching {
            match place(&beginning) {
                Some(Place::FirstCommand) => {
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    *seen = seen.or(at);
                    is_watching = false;
                }
                Some(Place::Admin) => is_watching = false,
                None => beginning.extend_from_slice(&chunk[..count]),
            }
        }
        if to.write_all(&chunk[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// What the next byte belongs to.
#[derive(Debug, PartialEq)]
enum Place {
    /// An admin queue, whose commands say nothing of a start.
    Admin,
    FirstCommand,
}

/// By what came before; `None` while that is not all of Connect.
fn place(before: &[u8]) -> Option<Place> {
    let connect = before.get(FIRST_PDU..).filter(|capsule| capsule.len() >= LEAST_CAPSULE)?;
    let length = u32::from_le_bytes(*connect.get(4..)?.first_chunk()?) as usize;
    let queue = u16::from_le_bytes(*connect.get(HEADER + QUEUE_AT..)?.first_chunk()?);
    match queue {
        0 => Some(Place::Admin),
        _ if connect.len() >= length => Some(Place::FirstCommand),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_comes_behind_the_connect_of_an_io_queue() {
        let begun = |queue: u16, data: usize| {
            let mut bytes = vec![0u8; FIRST_PDU + LEAST_CAPSULE + data];
            let capsule = &mut bytes[FIRST_PDU..];
            capsule[4..8].copy_from_slice(&u32::try_from(LEAST_CAPSULE + 1024).unwrap().to_le_bytes());
            capsule[HEADER + QUEUE_AT..HEADER + QUEUE_AT + 2].copy_from_slice(&queue.to_le_bytes());
            place(&bytes)
        };
        assert_eq!(begun(0, 0), Some(Place::Admin));
        assert_eq!((begun(3, 0), begun(3, 1023)), (None, None));
        assert_eq!(begun(3, 1024), Some(Place::FirstCommand));
        assert_eq!(place(&[0; FIRST_PDU + 10]), None);
    }
}
