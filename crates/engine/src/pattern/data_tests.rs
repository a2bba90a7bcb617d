//! Content of writes held against a compressor, and against itself.

use std::collections::{HashMap, HashSet};

use super::*;
use fathom_record::workload::Verify;
use lz4_flex::block::compress;
use proptest::prelude::*;

fn pattern(compressible_share: f64, duplicate_share: f64, job: u32) -> DataPattern {
    DataPattern::new(&Data { compressible_share, duplicate_share, verify: Verify::Off }, 9, job)
}

/// What a device could compress a megabyte of writes of `bytes` each to, as a share.
fn compressed_share(pattern: &mut DataPattern, bytes: usize, refresh: bool) -> f64 {
    let mut all = Vec::new();
    let mut buffer = vec![0; bytes];
    while all.len() < 1 << 20 {
        pattern.fill(&mut buffer, refresh && !all.is_empty());
        all.extend_from_slice(&buffer);
    }
    let pieces = all.chunks(PIECE_BYTES.min(bytes));
    pieces.map(|piece| compress(piece).len()).sum::<usize>() as f64 / all.len() as f64
}

#[test]
fn content_compresses_by_the_share_that_was_asked_for() {
    for share in [0.0, 0.25, 0.5, 0.9, 1.0] {
        for (bytes, refresh) in [(4096, false), (4096, true), (65_536, true), (12_800, false)] {
            let found = compressed_share(&mut pattern(share, 0.0, 0), bytes, refresh);
            // A compressor's own headers and the ends of matches take under 1.5 %.
            assert!((found - (1.0 - share)).abs() < 0.015, "{share} in {bytes}: compressed to {found}");
        }
    }
    let sectors = compressed_share(&mut pattern(0.5, 0.0, 0), 512, false);
    assert!((sectors - 0.5).abs() < 0.05, "{sectors}");
}

#[test]
fn no_sector_is_ever_written_twice() {
    let mut seen = HashSet::new();
    for job in 0..2 {
        let mut pattern = pattern(0.0, 0.0, job);
        let mut buffer = vec![0; 65_536];
        for round in 0..200 {
            pattern.fill(&mut buffer, round % 10 != 0);
            for sector in buffer.chunks(SECTOR_BYTES) {
                assert!(seen.insert(sector.to_vec()), "round {round} of job {job} repeats a sector");
            }
        }
    }
}

#[test]
fn a_refresh_renews_a_little_of_each_sector() {
    let mut pattern = pattern(0.5, 0.0, 0);
    let mut buffer = vec![0; 8192];
    pattern.fill(&mut buffer, false);
    let before = buffer.clone();
    pattern.fill(&mut buffer, true);
    for (index, (new, old)) in buffer.chunks(SECTOR_BYTES).zip(before.chunks(SECTOR_BYTES)).enumerate() {
        let random = index % 8 < 4;
        assert_eq!(new[..8] != old[..8], random, "sector {index}");
        assert_eq!(new[8..], old[8..], "sector {index}");
        assert_eq!(new.iter().all(|&byte| byte == 0), !random, "sector {index}");
    }
}

#[test]
fn duplicates_come_in_their_share_and_are_identical_across_jobs() {
    for share in [0.0, 0.3, 1.0] {
        let mut jobs = [pattern(0.25, share, 0), pattern(0.25, share, 1)];
        for bytes in [4096, 16_384] {
            let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
            let mut buffer = vec![0; bytes];
            for number in 0..2000 {
                // Both jobs fill the same buffer in turn, so it never still holds a job's own fill.
                jobs[number % 2].fill(&mut buffer, false);
                *counts.entry(buffer.clone()).or_default() += 1;
            }
            let repeated: u32 = counts.values().filter(|count| **count > 1).sum();
            assert!((f64::from(repeated) / 2000.0 - share).abs() < 0.04, "{share}: {repeated} repeated");
            let contents = counts.values().filter(|count| **count > 1).count() as u64;
            assert_eq!(contents, if share > 0.0 { DUPLICATES } else { 0 });
        }
    }
}

#[test]
fn a_refresh_after_a_duplicate_is_unique_and_a_duplicate_after_a_refresh_is_whole() {
    let mut pattern = pattern(0.0, 0.5, 0);
    let mut buffer = vec![0; 4096];
    let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
    for round in 0..2000 {
        pattern.fill(&mut buffer, round > 0);
        *counts.entry(buffer.clone()).or_default() += 1;
    }
    let repeated: u32 = counts.values().filter(|count| **count > 1).sum();
    assert!((f64::from(repeated) / 2000.0 - 0.5).abs() < 0.04, "{repeated} repeated");
    assert_eq!(counts.values().filter(|count| **count > 1).count() as u64, DUPLICATES);
}

proptest! {
    #[test]
    fn buffers_of_any_length_are_filled_and_replay(
        length in 0usize..20_000, compressible in 0.0f64..=1.0, duplicate in 0.0f64..=1.0, refresh: bool,
    ) {
        let fill = || {
            let mut pattern = pattern(compressible, duplicate, 3);
            let mut buffer = vec![0; length];
            pattern.fill(&mut buffer, false);
            pattern.fill(&mut buffer, refresh);
            buffer
        };
        prop_assert_eq!(fill(), fill());
    }
}
