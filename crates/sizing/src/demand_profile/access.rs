//! Which addresses a trace touches: sequentiality, distinct blocks, and how often they are touched again.
//!
//! Sequential: a start within 128 KiB behind the end of one of the last 32 I/Os, as block-trace studies
//! count it (Li et al., "An in-depth analysis of cloud block storage workloads", IISWC 2020). Distinct
//! blocks are counted on a share of them drawn by a hash of their address, which halves when they become
//! many: fixed-size SHARDS (Waldspurger et al., "Efficient MRC construction with SHARDS", FAST 2015).

use fathom_record::profile_record::AccessProfile;

use crate::spread::spread;
use crate::trace::{Trace, TracedIo};

/// Blocks that are told apart.
const BLOCK: u64 = 4096;
/// How far behind an end an I/O may start and still be sequential to it, in bytes.
const NEAR: u64 = 128 << 10;
/// Ends that are remembered.
const ENDS: usize = 32;
/// Blocks that are held at once.
const MOST_BLOCKS: usize = 1 << 20;
/// Blocks of one I/O that are counted; a trace whose I/Os are larger is not one of I/Os.
const MOST_OF_ONE: u64 = 1 << 16;

/// Accesses that are gathered before they are added to their blocks: sorted, they fall into the order of the blocks, and
/// none has to be looked up in a table that no cache holds.
const GATHERED: usize = 1 << 20;

/// Accesses to one block.
#[derive(Clone, Copy)]
struct BlockAccess {
    block: u64,
    reads: u32,
    writes: u32,
}

/// A share of all blocks, drawn by their hash.
struct BlockSample {
    /// Ascending.
    blocks: Vec<BlockAccess>,
    /// Accesses that are not among them yet: twice the block, and one more of a write.
    gathered: Vec<u64>,
    /// Blocks whose hash lies below are counted; `u64::MAX` for all.
    below: u64,
}

impl BlockSample {
    #[inline]
    fn touch(&mut self, block: u64, write: bool) {
        if spread(block) > self.below {
            return;
        }
        self.gathered.push(block << 1 | u64::from(write));
        if self.gathered.len() == GATHERED {
            self.settle();
        }
    }

    /// Adds what was gathered to its blocks, and draws fewer where they became too many.
    fn settle(&mut self) {
        self.gathered.sort_unstable();
        let of_one_block = self.gathered.chunk_by(|one, next| one >> 1 == next >> 1);
        self.blocks.extend(of_one_block.map(|accesses| {
            let reads = accesses.partition_point(|access| access & 1 == 0);
            BlockAccess {
                block: accesses[0] >> 1,
                reads: reads as u32,
                writes: (accesses.len() - reads) as u32,
            }
        }));
        self.gathered.clear();
        // Two runs that ascend: the stable sort merges them.
        self.blocks.sort_by_key(|touched| touched.block);
        self.blocks.dedup_by(|more, kept| {
            let is_same = more.block == kept.block;
            if is_same {
                kept.reads = kept.reads.saturating_add(more.reads);
                kept.writes = kept.writes.saturating_add(more.writes);
            }
            is_same
        });
        while self.blocks.len() > MOST_BLOCKS {
            self.below /= 2;
            let below = self.below;
            self.blocks.retain(|touched| spread(touched.block) <= below);
        }
    }

    /// What a count among the drawn blocks stands for, in bytes.
    fn bytes(&self, blocks: usize) -> u64 {
        let share = self.below as f64 / u64::MAX as f64;
        (blocks as f64 / share * BLOCK as f64).round() as u64
    }
}

/// The ends of the last I/Os.
#[derive(Default)]
struct Ends {
    last: [u64; ENDS],
    /// How many I/Os there were.
    count: usize,
}

impl Ends {
    /// Whether an I/O starts at one of them, or a little behind.
    fn is_near(&self, offset: u64) -> bool {
        // Most are near none: looking at all of them is quicker than stopping at the first.
        let is_near = |before: &u64| offset.wrapping_sub(*before) <= NEAR;
        self.last[..self.count.min(ENDS)].iter().fold(false, |found, before| found | is_near(before))
    }

    fn push(&mut self, end: u64) {
        self.last[self.count % ENDS] = end;
        self.count += 1;
    }
}

/// What a trace touches; absent without I/Os.
pub fn access(trace: &Trace) -> Option<AccessProfile> {
    let mut sampled = BlockSample { blocks: Vec::new(), gathered: Vec::new(), below: u64::MAX };
    let mut ends = Ends::default();
    let (mut highest, mut all, mut near) = (0, [0u64; 2], [0u64; 2]);
    for io in &trace.ios {
        let TracedIo { offset, bytes, write, .. } = *io;
        let end = offset.saturating_add(bytes);
        all[usize::from(write)] += 1;
        near[usize::from(write)] += u64::from(ends.is_near(offset));
        ends.push(end);
        highest = highest.max(end);
        let (first, last) = (offset / BLOCK, end.saturating_sub(1) / BLOCK);
        (first..=last.min(first + MOST_OF_ONE)).for_each(|block| sampled.touch(block, write));
    }
    sampled.settle();
    let touched = |by: fn(&BlockAccess) -> u32| sampled.blocks.iter().filter(|block| by(block) > 0).count();
    let share = |of: usize| (all[of] > 0).then(|| near[of] as f64 / all[of] as f64);
    let [top_1, top_10, again] = concentration(&sampled);
    Some(AccessProfile {
        operations: (all[0] + all[1] > 0).then_some(all[0] + all[1])?,
        block_bytes: BLOCK,
        touched_bytes: sampled.bytes(sampled.blocks.len()),
        read_touched_bytes: sampled.bytes(touched(|block| block.reads)),
        write_touched_bytes: sampled.bytes(touched(|block| block.writes)),
        highest_byte: highest,
        read_sequential_share: share(0),
        write_sequential_share: share(1),
        top_1_percent_share: top_1,
        top_10_percent_share: top_10,
        again_share: again,
        gap_variation: gap_variation(&trace.ios),
    })
}

/// Shares of the accesses: to the most accessed hundredth and tenth of the blocks, and to blocks accessed before.
fn concentration(sampled: &BlockSample) -> [Option<f64>; 3] {
    let mut counts: Vec<u64> =
        sampled.blocks.iter().map(|block| u64::from(block.reads) + u64::from(block.writes)).collect();
    counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    let all: u64 = counts.iter().sum();
    let top = |one_in: usize| {
        let blocks = counts.len().div_ceil(one_in);
        (counts.len() >= one_in).then(|| counts[..blocks].iter().sum::<u64>() as f64 / all as f64)
    };
    [top(100), top(10), (all > 0).then(|| (all - counts.len() as u64) as f64 / all as f64)]
}

fn gap_variation(ios: &[TracedIo]) -> Option<f64> {
    let gaps = || ios.windows(2).map(|pair| pair[1].at_ns.saturating_sub(pair[0].at_ns) as f64);
    let count = gaps().count() as f64;
    let mean = gaps().sum::<f64>() / count;
    let variance = gaps().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count;
    (count >= 2.0 && mean > 0.0).then(|| variance / (mean * mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(ios: impl Iterator<Item = (u64, u64, bool)>) -> Trace {
        let io = |(at, (offset, bytes, write)): (usize, _)| TracedIo {
            at_ns: at as u64 * 1000,
            offset,
            bytes,
            write,
        };
        Trace { ios: ios.enumerate().map(io).collect() }
    }

    #[test]
    fn streams_are_told_from_scattered_ios() {
        // One stream of reads, and writes that jump backwards.
        let ios = (0..1000u64).flat_map(|i| [(i * 4096, 4096, false), ((5000 - i) << 30, 4096, true)]);
        let found = access(&trace(ios)).unwrap();
        assert_eq!((found.read_sequential_share, found.write_sequential_share), (Some(0.999), Some(0.0)));
        assert_eq!((found.touched_bytes, found.read_touched_bytes), (2000 * 4096, 1000 * 4096));
        assert_eq!((found.again_share, found.gap_variation), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn a_hot_block_shows() {
        let ios = (0..1000u64).map(|i| (if i % 2 == 0 { 0 } else { i * 4096 }, 4096, false));
        let found = access(&trace(ios)).unwrap();
        assert!(found.top_1_percent_share.unwrap() > 0.5, "{found:?}");
        assert_eq!(found.again_share, Some(0.499));
    }

    #[test]
    fn accesses_that_are_gathered_are_those_of_each_block() {
        let mut sampled = BlockSample { blocks: Vec::new(), gathered: Vec::new(), below: u64::MAX };
        let mut table: std::collections::BTreeMap<u64, (u32, u32)> = Default::default();
        for at in 0..2_500_000u64 {
            let (block, write) = (spread(at) % 1_500_000, at % 3 == 0);
            sampled.touch(block, write);
            let (reads, writes) = table.entry(block).or_default();
            *(if write { writes } else { reads }) += 1;
        }
        sampled.settle();
        table.retain(|block, _| spread(*block) <= sampled.below);
        let found: Vec<_> = sampled.blocks.iter().map(|t| (t.block, (t.reads, t.writes))).collect();
        assert_eq!((sampled.below, found), (u64::MAX / 2, table.into_iter().collect()));
    }

    #[test]
    fn many_blocks_are_estimated_in_bounded_memory() {
        let found = access(&trace((0..3_000_000u64).map(|i| (i * 7 * 4096, 4096, true)))).unwrap();
        let error = found.touched_bytes as f64 / (3_000_000.0 * 4096.0) - 1.0;
        assert!(error.abs() < 0.01, "{error}");
    }
}
