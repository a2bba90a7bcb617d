//! Numbers of errors that engines end I/Os with of their own accord, and the words of any number.
//!
//! The numbers are Linux's on every system: records of all systems compare.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as platform;
#[cfg(target_os = "linux")]
use linux as platform;

pub(crate) use platform::{EBADF, ECONNRESET, EINVAL, ENODEV, ENOTCONN, ENXIO, EROFS, ESHUTDOWN, words};

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
