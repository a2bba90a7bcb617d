//! How much of a file was ever written, from the bytes of the system's answer (`FILE_REGION_OUTPUT`). Pure, so that its
//! cases are tried on any system.

use std::ops::Range;

/// Regions begin here, and have this length each.
const REGIONS_AT: usize = 16;
const REGION: usize = 24;
/// Bits of what was written: through the cache, and past it.
const VALID: u32 = 0x1 | 0x2;
/// Shares above this count as whole: rounding, not holes.
pub const WHOLE: f64 = 0.999_999;

/// The share of a stretch that was written; unknown where the answer is cut, says of itself what is not in it, or is not
/// all.
pub fn share(bytes: &[u8], stretch: &Range<u64>) -> Option<f64> {
    let half = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (all, count) = (half(4)?, half(8)?);
    let regions = bytes.get(REGIONS_AT..)?.chunks_exact(REGION);
    if all != count || count as usize > regions.len() || stretch.is_empty() {
        return None;
    }
    let mut written = 0;
    for region in regions.take(count as usize) {
        let whole = |at: usize| i64::from_le_bytes(region[at..at + 8].try_into().unwrap_or_default());
        let (start, length) = (u64::try_from(whole(0)).ok()?, u64::try_from(whole(8)).ok()?);
        if whole(16) as u32 & VALID != 0 {
            let end = start.saturating_add(length).min(stretch.end);
            written += end.saturating_sub(start.max(stretch.start));
        }
    }
    Some((written as f64 / (stretch.end - stretch.start) as f64).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(regions: &[(i64, i64, u32)]) -> Vec<u8> {
        let count = regions.len() as u32;
        let mut bytes = [0, count, count, 0].map(u32::to_le_bytes).concat();
        for (start, length, usage) in regions {
            bytes.extend([start.to_le_bytes(), length.to_le_bytes()].concat());
            bytes.extend(u64::from(*usage).to_le_bytes());
        }
        bytes
    }

    #[test]
    fn what_was_written_is_counted_within_the_stretch() {
        let stretch = 4096..12_288;
        for (regions, share_of_it) in [
            (vec![], 0.0),
            (vec![(0, 1 << 40, 1)], 1.0),
            (vec![(0, 8192, 1)], 0.5),
            (vec![(0, 8192, 4)], 0.0),
            (vec![(0, 4096, 1), (12_288, 4096, 1)], 0.0),
            (vec![(4096, 2048, 2), (8192, 4096, 3)], 0.75),
            (vec![(0, i64::MAX, 1), (0, i64::MAX, 1)], 1.0),
            (vec![(i64::MAX, i64::MAX, 1)], 0.0),
        ] {
            assert_eq!(share(&answer(&regions), &stretch), Some(share_of_it), "{regions:?}");
        }
    }

    #[test]
    fn what_is_missing_is_more_than_rounding() {
        let missing = |bytes: i64| share(&answer(&[(0, (1 << 30) - bytes, 1)]), &(0..1 << 30)).unwrap();
        assert!(missing(0) >= WHOLE && missing(512) >= WHOLE && missing(1 << 20) < WHOLE);
    }

    #[test]
    fn an_answer_that_is_cut_or_not_all_says_nothing() {
        let whole = answer(&[(0, 4096, 1), (4096, 4096, 1)]);
        for length in 0..whole.len() {
            assert_eq!(share(&whole[..length], &(0..4096)), None, "{length}");
        }
        let with = |at: usize, number: u32| {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            bytes
        };
        for broken in [with(4, 3), with(8, 1), with(8, u32::MAX), with(20, u32::MAX), with(28, u32::MAX)] {
            assert_eq!(share(&broken, &(0..4096)), None);
        }
        assert_eq!(share(&whole, &(8..8)), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_share_or_nothing(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
            start in 0u64..1 << 20,
            length in 0u64..1 << 20,
        ) {
            if let Some(share) = share(&bytes, &(start..start + length)) {
                proptest::prop_assert!((0.0..=1.0).contains(&share));
            }
        }
    }
}
