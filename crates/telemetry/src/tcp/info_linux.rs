//! What Linux says of a connection.
#![allow(unsafe_code)] // A socket option without a wrapper.

use std::net::TcpStream;
use std::os::fd::AsRawFd;

use crate::TelemetryError;
use crate::error::of_system;

/// Bytes that newer kernels fill in beyond what is read here.
const ROOM: usize = 512;

/// What the kernel says of a connection: as many bytes of `struct tcp_info` as it has.
///
/// # Errors
/// As the system reports them.
pub fn read(stream: &TcpStream) -> Result<Vec<u8>, TelemetryError> {
    let mut bytes = vec![0_u8; ROOM];
    let mut length = ROOM as libc::socklen_t;
    // SAFETY: the descriptor is open as long as the stream is borrowed, and the kernel writes at most `length` bytes
    // to the buffer, which has as many.
    let outcome = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if outcome != 0 {
        let error = std::io::Error::last_os_error();
        let cause = format!("connections cannot be asked about: {error}");
        return Err(of_system("asking for a connection's state", cause, error));
    }
    bytes.truncate(length as usize);
    Ok(bytes)
}
