//! Waits for a socket, as Linux has it.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Until there is something to read, room for what `wants_room` says is to be sent, or the time is over.
///
/// # Errors
/// As the system reports them.
pub fn wait(stream: &TcpStream, wants_room: bool, most: Duration) -> io::Result<()> {
    let room = if wants_room { PollFlags::OUT } else { PollFlags::empty() };
    let time = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: most.subsec_nanos().into() };
    match poll(&mut [PollFd::new(stream, PollFlags::IN | room)], Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}
