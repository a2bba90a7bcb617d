//! Waits for a socket with what the standard library has.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

/// Longest sleep where room for what is to be sent is waited for, which nothing announces.
const ROOM_LOOK: Duration = Duration::from_micros(100);
/// Shortest time that a socket can be told to wait.
const LEAST: Duration = Duration::from_millis(1);

/// Until there is something to read, room for what `wants_room` says is to be sent, or the time is over.
///
/// # Errors
/// As the system reports them.
pub fn wait(stream: &TcpStream, wants_room: bool, most: Duration) -> io::Result<()> {
    if wants_room {
        std::thread::sleep(most.min(ROOM_LOOK));
        return Ok(());
    }
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(most.max(LEAST)))?;
    let looked = stream.peek(&mut [0]);
    stream.set_nonblocking(true)?;
    match looked {
        Err(error) if !fathom_target::remote::is_passing(&error) => Err(error),
        _ => Ok(()),
    }
}
