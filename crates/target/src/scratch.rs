//! How much room a scratch file may take, so that measuring never fills somebody's disk.

use crate::name::exact;
use crate::{Error, ErrorKind};

/// Size of a scratch file where none is given.
pub const DEFAULT_BYTES: u64 = 1 << 30;

/// Scratch files are whole multiples of this, which every direct I/O and page size in use divides.
pub const UNIT_BYTES: u64 = 4096;

/// Room of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its whole size.
    pub total_bytes: u64,
    /// What this user may still write.
    pub free_bytes: u64,
}

impl Space {
    /// What stays free whatever is asked for: 5 % of the file system, at least 64 MiB for the small
    /// and at most 16 GiB for the large, whose users live well with less than a twentieth.
    pub fn reserve_bytes(&self) -> u64 {
        (self.total_bytes / 20).clamp(64 << 20, 16 << 30)
    }

    /// The largest scratch file that fits, in whole MiB so that it can be typed.
    pub fn largest_bytes(&self) -> u64 {
        self.free_bytes.saturating_sub(self.reserve_bytes()) & !((1 << 20) - 1)
    }
}

/// The size of a scratch file: as asked, in whole units, if it leaves the reserve free.
///
/// # Errors
/// [`ErrorKind::Plan`] for less than a unit, [`ErrorKind::Unsupported`] with the largest `--size` that
/// fits when it does not.
pub fn size_for(place: &str, wanted_bytes: Option<u64>, space: Space) -> Result<u64, Error> {
    let wanted = wanted_bytes.unwrap_or(DEFAULT_BYTES);
    let size = wanted / UNIT_BYTES * UNIT_BYTES;
    if size == 0 {
        let cause = format!("a scratch file of {wanted} bytes holds no block of {UNIT_BYTES}");
        return Err(Error::new(ErrorKind::Plan, place, cause).with_remedy("type --size 1GiB"));
    }
    let largest = space.largest_bytes();
    if size <= largest {
        return Ok(size);
    }
    let cause = format!(
        "a scratch file of {} does not fit: {} MiB are free, and {} MiB of them are kept free for others",
        exact(size),
        space.free_bytes >> 20,
        space.reserve_bytes() >> 20
    );
    let remedy = if largest >= 1 << 20 {
        format!("type --size {}, or name a folder on a larger file system", exact(largest))
    } else {
        let missing = size.saturating_add(space.reserve_bytes()).saturating_sub(space.free_bytes);
        format!(
            "free {} MiB there, or name a folder on a file system with more room: df -h lists them",
            missing.div_ceil(1 << 20)
        )
    };
    Err(Error::new(ErrorKind::Unsupported, place, cause).with_remedy(remedy))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn the_reserve_grows_with_the_file_system_within_bounds() {
        let reserve = |total_bytes| Space { total_bytes, free_bytes: 0 }.reserve_bytes();
        assert_eq!(reserve(GIB / 4), 64 << 20);
        assert_eq!(reserve(100 * GIB), 5 * GIB);
        assert_eq!(reserve(100_000 * GIB), 16 * GIB);
    }

    #[test]
    fn what_does_not_fit_is_told_what_does() {
        let space = Space { total_bytes: 100 * GIB, free_bytes: 7 * GIB };
        assert_eq!(size_for("x", Some(2 * GIB), space).unwrap(), 2 * GIB);
        let error = size_for("x", Some(2 * GIB + 4096), space).unwrap_err();
        assert!(error.remedy.contains("--size 2GiB"), "{error}");
        let full = Space { total_bytes: 100 * GIB, free_bytes: 5 * GIB };
        assert!(size_for("x", None, full).unwrap_err().remedy.starts_with("free "));
        assert_eq!(size_for("x", Some(100), space).unwrap_err().kind, ErrorKind::Plan);
    }

    proptest! {
        #[test]
        fn an_admitted_file_leaves_the_reserve(total: u64, free: u64, wanted: u64) {
            let space = Space { total_bytes: total, free_bytes: free };
            if let Ok(size) = size_for("x", Some(wanted), space) {
                prop_assert!(size <= wanted && size.is_multiple_of(UNIT_BYTES));
                prop_assert!(free - size >= space.reserve_bytes());
            }
            // The size that is offered is itself admitted.
            let largest = space.largest_bytes();
            prop_assert!(largest == 0 || size_for("x", Some(largest), space).is_ok());
        }
    }
}
