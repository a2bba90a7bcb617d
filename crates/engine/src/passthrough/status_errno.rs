//! The status of an NVMe command as a result of an I/O, and back: beside the errors of the operating
//! system, whose numbers end below 4096.

use fathom_spec::Status;

/// Statuses are counted from here on.
const FIRST: i32 = 1 << 16;
/// Type and code: what stays of a status.
const MASK: u16 = 0x7ff;

/// The result of an I/O that ended with this status: below every negated `errno`.
pub fn as_result(status: Status) -> i32 {
    -(FIRST + i32::from(status.0 & MASK))
}

/// The status that an error number of an I/O stands for; none for one of the operating system.
pub fn of_errno(errno: i32) -> Option<Status> {
    let status = u16::try_from(errno.checked_sub(FIRST)?).ok()?;
    (status <= MASK).then_some(Status(status))
}

/// Whether the namespace is gone or takes no I/O of this kind any more.
pub fn is_final(status: Status) -> bool {
    const GONE: [(u8, u8); 4] = [
        (0, 0x0b), // Invalid Namespace or Format
        (0, 0x20), // Namespace is Write Protected
        (1, 0x82), // Attempted Write to Read Only Range
        (3, 0x01), // Asymmetric Access Persistent Loss
    ];
    GONE.contains(&(status.kind(), status.code()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_comes_back_from_its_result_and_no_errno_is_one() {
        for raw in 1..=MASK {
            let result = as_result(Status(raw | 0x4000));
            assert_eq!(of_errno(-result), Some(Status(raw)));
        }
        assert!((0..4096).chain([i32::MAX, i32::MIN, FIRST - 1]).all(|errno| of_errno(errno).is_none()));
    }
}
