//! Linux's numbers with Linux's words for what fathom itself gives; the system's own errors in a range above them.

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
/// What is not done here.
pub const EOPNOTSUPP: i32 = 95;
/// A connection that the other end dropped.
pub const ECONNRESET: i32 = 104;
/// No connection.
pub const ENOTCONN: i32 = 107;
/// A connection that was shut down.
pub const ESHUTDOWN: i32 = 108;

/// The system's own errors are counted from here on: above every `errno` and every status of NVMe.
const FIRST: i32 = 1 << 17;

/// Errors of the system after which a target takes no I/O any more.
pub const FINAL: [i32; 10] = [
    FIRST + 6,    // The handle is invalid.
    FIRST + 19,   // The medium is write protected.
    FIRST + 21,   // The device is not ready.
    FIRST + 31,   // A device attached to the system is not functioning.
    FIRST + 55,   // The network resource or device is no longer available.
    FIRST + 64,   // The network name is no longer available.
    FIRST + 112,  // There is not enough space on the disk.
    FIRST + 433,  // A device which does not exist was specified.
    FIRST + 1006, // The volume for a file has been externally altered.
    FIRST + 1167, // The device is not connected.
];

/// The number of an error of the system, as failed I/Os have it.
pub fn of(error: &std::io::Error) -> i32 {
    error.raw_os_error().map_or(EINVAL, |code| FIRST.saturating_add(code))
}

/// What a number means; of one that neither fathom nor the system gives, the number alone.
pub fn words(errno: i32) -> String {
    if errno >= FIRST {
        return std::io::Error::from_raw_os_error(errno - FIRST).to_string();
    }
    let words = match errno {
        ENXIO => "No such device or address",
        EBADF => "Bad file descriptor",
        ENODEV => "No such device",
        EINVAL => "Invalid argument",
        EOPNOTSUPP => "Operation not supported",
        EROFS => "Read-only file system",
        ECONNRESET => "Connection reset by peer",
        ENOTCONN => "Transport endpoint is not connected",
        ESHUTDOWN => "Cannot send after transport endpoint shutdown",
        _ => "Unknown error",
    };
    format!("{words} (os error {errno})")
}
