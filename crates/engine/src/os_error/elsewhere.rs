//! Linux's numbers with Linux's words, on systems that number their own errors otherwise.

/// No such device or address.
pub const ENXIO: i32 = 6;
/// A descriptor that is not open for this.
pub const EBADF: i32 = 9;
/// No such device.
pub const ENODEV: i32 = 19;
/// An argument that nobody takes.
pub const EINVAL: i32 = 22;
/// A file system that is only read.
pub const EROFS: i32 = 30;
/// A connection that the other end dropped.
pub const ECONNRESET: i32 = 104;
/// No connection.
pub const ENOTCONN: i32 = 107;
/// A connection that was shut down.
pub const ESHUTDOWN: i32 = 108;

/// What a number means; of one that fathom itself does not give, the number alone.
pub fn words(errno: i32) -> String {
    let words = match errno {
        ENXIO => "No such device or address",
        EBADF => "Bad file descriptor",
        ENODEV => "No such device",
        EINVAL => "Invalid argument",
        EROFS => "Read-only file system",
        ECONNRESET => "Connection reset by peer",
        ENOTCONN => "Transport endpoint is not connected",
        ESHUTDOWN => "Cannot send after transport endpoint shutdown",
        _ => "Unknown error",
    };
    format!("{words} (os error {errno})")
}
