//! When the kernel took in what a socket gives: whoever reads it may wake up later, by as much as others use the
//! processors.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Room for the one message about a stamp.
const CONTROL_WORDS: usize = 8;

/// Has the kernel stamp what this socket receives from now on (socket(7), `SO_TIMESTAMPNS`).
///
/// # Errors
/// As the system reports them.
pub fn stamp(socket: &TcpStream) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the value is as long as is said.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Reads what is there; how many bytes, and when the last of them came, in nanoseconds of the calendar's clock.
///
/// # Errors
/// As the system reports them.
pub fn read(socket: &TcpStream, bytes: &mut [u8]) -> io::Result<(usize, Option<i64>)> {
    let mut control = [MaybeUninit::<u64>::zeroed(); CONTROL_WORDS];
    let mut place = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: all zero is a message without anything.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut place;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<[u64; CONTROL_WORDS]>();
    // SAFETY: the message names two places that live until the call returns, with their lengths.
    let count = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    if count < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has filled the control part in, up to the length that it left in the message.
    let header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    let mut at_ns = None;
    // SAFETY: a header that is there lies within the control part, and a stamp's data is behind it.
    if let Some(found) = unsafe { header.as_ref() }
        && (found.cmsg_level, found.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS)
    {
        // SAFETY: data of this kind is a time, wherever it lies.
        let time: libc::timespec =
            unsafe { libc::CMSG_DATA(header).cast::<libc::timespec>().read_unaligned() };
        at_ns = Some(time.tv_sec * 1_000_000_000 + time.tv_nsec);
    }
    Ok((count as usize, at_ns))
}
