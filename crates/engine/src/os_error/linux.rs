//! The C library's numbers, and its words.

pub use libc::{EBADF, ECONNRESET, EINVAL, ENODEV, ENOTCONN, ENXIO, EROFS, ESHUTDOWN};

/// What a number means.
pub fn words(errno: i32) -> String {
    std::io::Error::from_raw_os_error(errno).to_string()
}

/// Further errors after which a target takes no I/O: those that every system knows are all.
pub const FINAL: [i32; 0] = [];
