//! Counters of a drive from the bytes that Windows tells them in (`DISK_PERFORMANCE`).

use super::{Counters, Kind, SECTOR_BYTES};

/// Time is told in steps of 100 ns.
const STEPS_PER_MS: u64 = 10_000;

/// A drive's counters; none where the answer is cut, counts below nothing, or was never asked when (`QueryTime` 0).
pub fn parse(bytes: &[u8]) -> Option<Counters> {
    let whole = |at: usize| u64::try_from(i64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?)).ok();
    let half = |at: usize| Some(u64::from(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
    let asked_at = whole(56)?;
    if asked_at == 0 {
        return None;
    }
    let kind = |bytes_at: usize, time_at: usize, count_at: usize| {
        Some(Kind {
            operations: half(count_at)?,
            merged: 0,
            sectors: whole(bytes_at)? / SECTOR_BYTES,
            wait_ms: whole(time_at)? / STEPS_PER_MS,
        })
    };
    Some(Counters {
        read: kind(0, 16, 40)?,
        write: kind(8, 24, 44)?,
        in_flight: half(48)?,
        busy_ms: 0,
        queue_ms: whole(16)?.saturating_add(whole(24)?) / STEPS_PER_MS,
        discard: None,
        flush: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(whole: [i64; 5], half: [u32; 4], asked_at: i64) -> Vec<u8> {
        let mut bytes: Vec<u8> = whole.into_iter().flat_map(i64::to_le_bytes).collect();
        bytes.extend(half.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(asked_at.to_le_bytes());
        bytes.resize(88, 0);
        bytes
    }

    #[test]
    fn counts_bytes_and_times_are_read_in_their_units() {
        let bytes = drawn([8192, 4096, 20_000, 30_000, 7], [2, 1, 5, 9], 1);
        let read = parse(&bytes).unwrap();
        assert_eq!(read.read, Kind { operations: 2, merged: 0, sectors: 16, wait_ms: 2 });
        assert_eq!(read.write, Kind { operations: 1, merged: 0, sectors: 8, wait_ms: 3 });
        assert_eq!((read.in_flight, read.queue_ms), (5, 5));
    }

    #[test]
    fn what_is_cut_or_counts_below_nothing_is_none() {
        let whole = drawn([1; 5], [1; 4], 1);
        for length in 0..64 {
            assert_eq!(parse(&whole[..length]), None, "{length}");
        }
        assert!(parse(&whole[..64]).is_some());
        assert_eq!(parse(&drawn([1; 5], [1; 4], 0)), None);
        for at in 0..4 {
            let mut times = [1; 5];
            times[at] = -1;
            assert_eq!(parse(&drawn(times, [1; 4], 1)), None, "{at}");
        }
        assert!(parse(&drawn([i64::MAX; 5], [u32::MAX; 4], i64::MAX)).is_some());
    }
}
