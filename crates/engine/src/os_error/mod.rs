//! Numbers of errors that engines end I/Os with of their own accord, and the words of any number.
//!
//! The numbers that fathom itself gives are Linux's on every system: records of all systems compare.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(windows)]
use windows as platform;

pub(crate) use platform::{EBADF, ECONNRESET, EINVAL, ENODEV, ENOTCONN, ENXIO, EROFS, ESHUTDOWN, words};
#[cfg(windows)]
pub(crate) use platform::{EOPNOTSUPP, of};

/// Errors after which a target takes no I/O any more: a device that went, a connection that was lost.
const GONE: [i32; 7] = [ENODEV, ENXIO, EBADF, ESHUTDOWN, EROFS, ECONNRESET, ENOTCONN];

/// Whether a target takes no I/O any more after this error.
pub(crate) fn is_final(errno: i32) -> bool {
    GONE.contains(&errno) || platform::FINAL.contains(&errno)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_everywhere_and_have_words() {
        let numbers = [ENXIO, EBADF, ENODEV, EINVAL, EROFS, ECONNRESET, ENOTCONN, ESHUTDOWN];
        assert_eq!(numbers, [6, 9, 19, 22, 30, 104, 107, 108]);
        for number in numbers {
            assert!(words(number).ends_with(&format!("(os error {number})")), "{}", words(number));
        }
        assert_eq!(words(EINVAL), "Invalid argument (os error 22)");
    }
}
